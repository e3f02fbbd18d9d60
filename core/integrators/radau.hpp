// Radau IIA of order 5 (Hairer, Wanner). Newton's corrections to the three stages are found with a triangular matrix in place of
// the full one (van der Houwen, de Swart) in rounds that need no new slopes, so that every linear system is real.
#pragma once
#include "integrators/flow.hpp"

namespace vincolo {

class Radau {
  public:
    using State = Flow::State;
    // index 1, 2, 3: the stages hold the constraints of accelerations, velocities or positions
    Radau(Dynamics& dynamics, const Tolerances& tolerances, int index = 1);

    // A step from y with its slope (at index 1); the new state into y_new. Returns the error in units of the tolerance; not a number if the iteration did
    // not converge. careful: the error estimate is filtered twice, at the start and after a rejection
    double step(double t, double h, const State& y, const State& slope, State& y_new, bool careful);
    bool stands_at_end() const { return at_end_; }  // the dynamics was placed last next to the new state
    void accept(double h);                 // the next step starts from the stages of this one
    void forget() { previous_step_ = 0; }  // after a jump
    int passes() const { return passes_; } // of the last step
    static constexpr int most_passes = 10;

    long iterations = 0;

  private:
    struct Stage {
        State z, f, rest;            // change of state, slope, residual
        State change, flow, before;  // correction, its product with the slope's derivative, the same one round earlier
        BlockVector lam, open, mu;   // multipliers, what is open of the joints, correction of the multipliers
    };
    void predict(double h);
    void residual(double h, int i);
    double correct(double h);
    double estimate(double h, const State& f);
    void integrate_work(double t, double h);

    Flow flow_;  // slots by stage; the last one at the start of the step, for the error
    int index_, passes_ = 0;
    bool at_end_ = false;
    Stage stages_[3];
    State start_, first_;  // state and slope at the start
    State at_, error_, right_, step_;
    double previous_step_ = 0;
    State previous_[3];  // changes of the last step
};

}  // namespace vincolo
