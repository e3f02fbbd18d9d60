#include "integrators/stepper.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

namespace {

struct FixedSize {
    StepSizes sizes;
    template <class Fields>
    void fields(Fields& f) { f("step", sizes.step); }
};

// Steps whose error stays within atol + rtol |state|
struct ErrorControl {
    StepSizes sizes;
    double rtol = 1e-8, atol[3] = {1e-10, 1e-10, 1e-10};  // of positions, quaternions and velocities
    double by_extent[2] = {1, 1};  // whether those of positions and of velocities are shares of the extent of the mechanism
    template <class Fields>
    void fields(Fields& f) {
        f("rtol", rtol), f("atol", atol), f("by_extent", by_extent);
        f("min_step", sizes.min_step), f("max_step", sizes.max_step), f("violation", sizes.violation);
    }
};

}  // namespace

Stepper::Stepper(Motion& motion, Given& given, bool adaptive) : motion_(motion), adaptive_(adaptive) {
    extension_.resize(motion.state());
    if (!adaptive) {
        sizes_ = filled<FixedSize>(given).sizes;
        return;
    }
    const auto o = filled<ErrorControl>(given);
    sizes_ = o.sizes;
    motion.judge_by({o.rtol, o.atol[0], o.atol[1], o.atol[2], o.atol[2], {o.by_extent[0] != 0, o.by_extent[1] != 0}});
}

double Stepper::shrink(double error, double order) {
    repeated_ = true;
    return std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, -1 / order)) : 0.4;
}

}  // namespace vincolo
