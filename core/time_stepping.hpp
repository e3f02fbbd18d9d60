// Steps across places where no accelerations of rigid bodies fit the friction, or events crowd: complementarity time stepping
// (Moreau 1988, Jean 1999). Velocities at the end of a step and the impulses of all stops and all friction are solved for together.
#pragma once
#include "acceleration_problem.hpp"

namespace vincolo {

class TimeStepping {
  public:
    TimeStepping(Dynamics& dynamics, Blow& blow);
    TimeStepping(const TimeStepping&) = delete;

    // A size of step that resolves the motion of a state, whose velocities may jump
    double step_size(double t, const double* y);
    // The state after one step; false if it is not finite, or for the reasons below
    bool step(double t, double h, double* y);
    bool unsolved() const { return unsolved_; }  // no forces of friction and stops were found for a step, which was not made
    int blocked() const { return blocked_; }  // row of a stop that joints and drives overran in a step that was not made, or -1
    void release(double* y) const;  // all stops and friction of a state
    struct Met {
        int stop;
        double rate, impulse;
    };
    const std::vector<Met>& impacts() const { return impacts_; }  // on stops, in that step

  private:
    void find_impacts(double h);
    bool overrun(double t);
    void find_candidates(double t, double h);
    void move(double t, double h, double* y);
    void write_states(double* y) const;
    double& at(double* y, int auxiliary) const { return y[system_.auxiliary_index() + auxiliary]; }

    Dynamics& dynamics_;
    Blow& blow_;
    const System& system_;
    Observer observer_;
    Observation base_;
    AccelerationProblem problem_;
    std::vector<Candidate> candidates_;
    std::vector<double> released_, slipping_;
    std::vector<Met> impacts_;
    int blocked_ = -1;
    bool unsolved_ = false;
    std::vector<char> rows_;
};

}  // namespace vincolo
