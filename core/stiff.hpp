// The linear systems of implicit steps. To first order a law along a quantity with the gradient g is a spring and damper;
// over a step with the weight s (step size times a coefficient of the method) it acts as g^T c g with
// c = damping s + stiffness s^2. As a row of its own with the compliance 1 / c it joins the rows of the joints, and one block
// solver takes them all: M x + J^T mu + G^T c G x = r, with J x given. Laws that read more than what they act along add terms that
// are not symmetric; they answer to the rest, and to each other, in a small dense system (Complement).
#pragma once
#include <algorithm>

#include "complement.hpp"
#include "quaternion.hpp"

namespace vincolo {

// Whether anything could be stiff: a force that is not a function of time alone, or a state
inline bool may_be_stiff(const System& system) {
    return system.contact.any(false) || std::any_of(system.laws.begin(), system.laws.end(), [](const Law& law) { return law.kind != LawKind::Timed; }) ||
           std::any_of(system.auxiliaries.begin(), system.auxiliaries.end(), [](const Auxiliary& state) { return state.moves(); });
}

class StiffSolver {
  public:
    explicit StiffSolver(Dynamics& dynamics, bool with_states = true);

    // Rows, gradients and slopes of the laws where the dynamics is placed, at its velocities
    void prepare(double t);
    void factor(double s) { factor(s, s * s); }
    void factor(double by_rate, double by_value);  // c = damping by_rate + stiffness by_value
    // x with M (x - base) + J^T mu + G^T (c G x - s stiffness G moved) = 0 and J x = J base: the change of velocities that
    // takes away their residual -base when positions have the residual `moved`
    // `right`: of all auxiliary states, what takes their residual away; their changes are then told by put_states(), which leaves
    // alone those that are held
    void solve(const Twists& base, const Twists& moved, Twists& x, const double* right = nullptr);
    void put_states(double* changes) const;

    // The same with J x = given; mu by the blocks of the joints. moved may be null.
    void solve_given(const Twists& base, const Twists* moved, const BlockVector& given, Twists& x, BlockVector& mu, const double* right = nullptr);
    void joint_rates(const Twists& x, BlockVector& out) const;  // J x

    // Fastest rate [1/s] of the mechanism with its laws, joints included: one more step of a power iteration where the dynamics
    // is placed, after look()
    double fastest();
    void look(double t) { couplings_.prepare(t); }  // at the laws alone
    void forget() { decaying_.clear(), swinging_.clear(), speed_.clear(), stirred_ = 0; }  // of the iteration of fastest()
    bool any() const { return couplings_.size() > 0; }
    const Couplings& couplings() const { return couplings_; }  // its laws, as prepared
    // Motion of the bodies in their joints, the joints' forces, and the rates of the lines, under one unit of an answer; after factor()
    void respond(int answer, Twists& x, BlockVector& mu, double* rates);
    // The same of joints alone, with the factor of the dynamics where it is placed, after look()
    void respond_there(int answer, Twists& x, double* rates) { couplings_.respond(answer, x, rates); }

  private:
    struct LawRow {
        int answer, block;
    };
    void copy_joints();
    void rates_of(const Twists& x, BlockVector& out) const;   // J x and G x
    double quotient(Twists& x, bool stiffness);               // of laws' power by kinetic energy; x becomes its response
    void stir(Twists& x);
    void push(const Twists& moved);                           // push_ = M^-1 G^T s stiffness G moved
    void hold(Twists& x);
    void put_line(const LawRow& row);
    double along(const LawRow& row, const Twists& x) const { return couplings_.along(couplings_.answer(row.answer).line, x); }
    void answer(const Twists* moved, const double* right, Twists& x, BlockVector* mu);  // adds what answers do that are not rows
    void factor_complement(double by_rate, double by_value);
    double grow();  // one round of a power iteration over positions, velocities and states; how large they are then
    double fastest_joined();
    void add_forces(const BlockVector& z, Pushes& out) const; // out += J^T z over all blocks
    Dynamics& dynamics_;
    BlockSet set_;  // of the joints, then one block for each law
    int joints_;
    Couplings couplings_;
    std::vector<LawRow> laws_;  // of those that are rows
    BlockSolver solver_;
    Complement<double> complement_;
    bool answering_ = false;              // whether the complement has been factored
    std::vector<Twists> responses_;       // to one unit of each answer of the complement,
    std::vector<BlockVector> reactions_;  // of the joints,
    Eigen::MatrixXd P_;                   // and of the lines
    std::vector<double> along_, moved_;   // rates of the lines
    double weight_ = 0;
    Twists decaying_, swinging_;  // of the power iteration
    Twists place_, speed_;        // of that over joined answers
    std::vector<double> states_, rates_;
    double growth_ = 0;
    long stirred_ = 0;
    BlockVector z_, least_, none_;
    Twists push_, response_, hubs_;
    Pushes force_;
    std::vector<Mat3> inverse_inertia_;  // as prepared
};

}  // namespace vincolo
