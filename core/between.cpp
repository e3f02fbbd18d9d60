#include "between.hpp"

#include <algorithm>

namespace vincolo {

void Between::interpolate(double t, State& out) {
    if (!extended_) stepper_.extend(step_);
    extended_ = true;
    stepper_.interpolate(step_, t, out);
}

void Between::land(double t, State& out) {
    interpolate(t, out);
    Formulation* formulation = motion_.formulation();
    if (formulation && formulation->keeps_joints()) {
        formulation->settle(t, out.data());
        residual_ = std::max(residual_, formulation->largest_residual());
    }
    if (!motion_.landing().projects_outputs()) return;
    double position, velocity;
    motion_.stand_at(t, out);
    motion_.landing().project(t, out, position, velocity);
    residual_ = std::max(residual_, position);
}

}  // namespace vincolo
