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

// Whether a force could be stiff: one that is not a function of time alone
inline bool depends_on_motion(const std::vector<Law>& laws) {
    return std::any_of(laws.begin(), laws.end(), [](const Law& law) { return law.kind != LawKind::Timed; });
}

class StiffSolver {
  public:
    explicit StiffSolver(Dynamics& dynamics);

    // Rows, gradients and slopes of the laws where the dynamics is placed, at its velocities
    void prepare(double t);
    void factor(double s) { factor(s, s * s); }
    void factor(double by_rate, double by_value);  // c = damping by_rate + stiffness by_value
    // x with M (x - base) + J^T mu + G^T (c G x - s stiffness G moved) = 0 and J x = J base: the change of velocities that
    // takes away their residual -base when positions have the residual `moved`
    void solve(const Twists& base, const Twists& moved, Twists& x);

    // The same with J x = given; mu by the blocks of the joints. moved may be null.
    void solve_given(const Twists& base, const Twists* moved, const BlockVector& given, Twists& x, BlockVector& mu);
    void joint_rates(const Twists& x, BlockVector& out) const;  // J x

    // Fastest rate [1/s] of the mechanism with its laws, joints included: one more step of a power iteration, after
    // prepare() and with the dynamics placed
    double fastest();
    void forget() { decaying_.clear(), swinging_.clear(); }  // of the iteration of fastest()
    bool any() const { return couplings_.size() > 0; }
    const Couplings& couplings() const { return couplings_; }  // its laws, as prepared
    // Motion of the bodies in their joints, and the joints' forces, under one unit of an answer; after factor()
    void respond(int answer, Twists& x, BlockVector& mu);

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
    void answer(const Twists* moved, Twists& x, BlockVector* mu);  // what laws do that are not rows, added to x and mu
    void factor_complement(double by_rate, double by_value);
    // One round of a power iteration over positions and velocities; how large they are then
    double grow();
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
    Twists place_, speed_;        // of that over joined laws
    double growth_ = 0;           // its logarithm
    long stirred_ = 0;
    BlockVector z_, least_, none_;
    Twists push_, response_, hubs_;
    Pushes force_;
    std::vector<Mat3> inverse_inertia_;  // as prepared
};

}  // namespace vincolo
