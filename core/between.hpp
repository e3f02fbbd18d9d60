// A taken step as a function of time: states within it, by the integrator's own interpolation.
#pragma once
#include "integrators/stepper.hpp"

namespace vincolo {

class Between {
  public:
    Between(Motion& motion, const Step& step, Stepper& stepper) : motion_(motion), step_(step), stepper_(stepper) {}
    Between(const Between&) = delete;

    const Step& step() const { return step_; }
    void interpolate(double t, State& out);  // as the integrator has it
    void land(double t, State& out);         // and onto the constraints, where samples are put there
    double residual() const { return residual_; }  // largest of positions that were landed

  private:
    Motion& motion_;
    const Step& step_;
    Stepper& stepper_;
    bool extended_ = false;
    double residual_ = 0;
};

}  // namespace vincolo
