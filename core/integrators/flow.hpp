// What implicit methods step with: states whose velocities are in body axes, their slopes, and linear systems with the stiff
// part of the slope's derivative. In body axes a stiff spring between bodies that turn together keeps its direction.
#pragma once
#include "integrators/tolerances.hpp"
#include "stiff.hpp"

namespace vincolo {

// Displacement of a body from a change of its part of the state: rotation 2 dp p*
inline Twist displacement(const double* y, const double* change) {
    return {Vec3(change[0], change[1], change[2]), turning_of(y + at_p, change + at_p)};
}

inline void add_displacement(const double* y, const Twist& x, double factor, double* change) {
    double turned[4];
    quaternion_rate(y + at_p, factor * x.w, turned);
    for (int c = 0; c < 3; ++c) change[c] += factor * x.v[c];
    for (int c = 0; c < 4; ++c) change[at_p + c] += turned[c];
}

inline Twist velocity(const double* state) {
    return {Vec3(state[at_v], state[at_v + 1], state[at_v + 2]), Vec3(state[at_w], state[at_w + 1], state[at_w + 2])};
}

inline void put_velocity(double* state, const Vec3& v, const Vec3& w) {
    for (int c = 0; c < 3; ++c) state[at_v + c] = v[c], state[at_w + c] = w[c];
}

class Flow {
  public:
    using State = std::vector<double>;

    // slots: linear systems held at once
    Flow(Dynamics& dynamics, const Tolerances& tolerances, int slots) : Flow(dynamics, tolerances, slots, StiffSolver(dynamics)) {}
    Flow(Dynamics& dynamics, const Tolerances& tolerances, int slots, const StiffSolver& like);  // `like`: as made for the dynamics

    std::size_t size() const { return world_.size(); }
    Dynamics& dynamics() { return dynamics_; }
    void to_body(const State& y, State& x) const { turn(y, x, true); }
    void to_world(const State& x, State& y) const { turn(x, y, false); }

    // Slope of a state: v_b' = A^T (v' - w x v), w_b' = A^T w'
    void slope(double t, const State& x, State& f);
    // Slope in body axes from the one in world axes that is known already
    void known_slope(const State& y, const State& slope, State& f) const;
    void place(double t, const State& y);  // at a state in world axes, to linearise there
    // The same under given multipliers of the joints; f holds the slope of the pass before
    void slope_given(double t, const State& x, const BlockVector& lam, State& f);
    // Phi (index 3) or J u - nu (index 2) where slope_given() stood
    void open_joints(int index, BlockVector& out);
    // The linear system (1 - s F) with F taken where slope() or place() stood last
    void linearise(int slot, double t, double s);
    // (1 - s F) change = right; `at` is a state near by, whose quaternions turn displacements into changes
    void invert(int slot, const State& at, const State& right, State& change);

    // The same with the joints closing: J times the displacement (index 3) or the velocity (index 2) of the change is -open
    void invert_closing(int slot, int index, const State& at, const State& right, const BlockVector& open, State& change, BlockVector& mu);

    void scale_by(const State& y, double for_velocities = 1);               // the tolerance around a state
    double measure(const State& change) const;   // root of the mean square in units of the tolerance

  private:
    void turn(const State& from, State& to, bool back) const;
    void to_body_slope(State& f) const;
    struct Slot {
        StiffSolver stiff;
        std::vector<Mat3> axes;  // of the bodies there
        double s;
    };
    Dynamics& dynamics_;
    double rtol_;
    int bodies_;
    std::vector<Slot> slots_;
    void load(Slot& in, const State& at, const State& right);
    void store(const Slot& in, const State& at, const State& right, State& change);
    Twists base_, moved_, x_;
    int judged_;  // entries that have a say in measure()
    State world_, atol_, scale_, before_;
    BlockVector given_;
};

}  // namespace vincolo
