// The linear systems of implicit steps. To first order a law along a quantity with the gradient g is a spring and damper;
// over a step with the weight s (step size times a coefficient of the method) it acts as g^T c g with
// c = damping s + stiffness s^2. As a row of its own with the compliance 1 / c it joins the rows of the joints, and one block
// solver takes them all: M x + J^T mu + G^T c G x = r, with J x given.
#pragma once
#include <algorithm>

#include "dynamics.hpp"
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
    bool any() const { return !laws_.empty(); }

    // Its laws, as prepared: slopes, the rate of what law l acts along when bodies move as x, free accelerations under one unit of it
    int laws() const { return static_cast<int>(laws_.size()); }
    double stiffness(int l) const { return laws_[l].stiffness; }
    double damping(int l) const { return laws_[l].damping; }
    double rate_along(int l, const Twists& x) const { return along(laws_[l].block, x); }
    void free_response(int l, Twists& x) const;

  private:
    struct LawRow {
        int law, block;
        double stiffness, damping;
    };
    void copy_joints();
    void rates_of(const Twists& x, BlockVector& out) const;   // J x and G x
    double quotient(Twists& x, bool stiffness);               // of laws' power by kinetic energy; x becomes its response
    void stir(Twists& x);
    void push(const Twists& moved);                           // push_ = M^-1 G^T s stiffness G moved
    void hold(Twists& x);
    double along(int block, const Twists& x) const;           // g . x of a law's block
    void add_forces(const BlockVector& z, Pushes& out) const; // out += J^T z over all blocks
    Dynamics& dynamics_;
    BlockSet set_;  // of the joints, then one block for each law
    int joints_;
    std::vector<LawRow> laws_;
    BlockSolver solver_;
    double weight_ = 0;
    Twists decaying_, swinging_;  // of the power iteration
    long stirred_ = 0;
    BlockVector z_, least_;
    Twists push_, response_, hubs_;
    Pushes force_;
    std::vector<Mat3> inverse_inertia_;  // as prepared
};

}  // namespace vincolo
