#include "samples.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

Samples::Samples(Motion& motion, const std::vector<double>& times) : motion_(motion), times_(times), sample_(motion.state()) {
    const System& system = motion.dynamics().system();
    states_.assign(times.size() * system.state_size(), 0);
    turns_.assign(times.size() * system.turns, 0);
}

bool Samples::due(double t, bool too) const {
    return count_ < static_cast<int>(times_.size()) && (too ? times_[count_] <= t : times_[count_] < t);
}

void Samples::record_due(double t, const State& y) {
    while (due(t, true)) {
        sample_ = y;
        store();
    }
}

void Samples::record(const Step& step, Stepper& stepper, bool end_too) {
    bool ready = false;
    while (due(step.t_new, end_too)) {
        const double t = times_[count_];
        if (t == step.t_new) {
            sample_ = step.y_new;
        } else {
            if (!ready) stepper.extend(step);
            ready = true;
            between(step, stepper, t);
        }
        store();
    }
}

void Samples::between(const Step& step, Stepper& stepper, double t) {
    stepper.interpolate(step, t, sample_);
    if (motion_.formulation() && motion_.formulation()->keeps_joints()) {
        motion_.formulation()->settle(t, sample_.data());
        residual_ = std::max(residual_, motion_.formulation()->largest_residual());
    }
    if (!motion_.landing().projects_outputs()) return;
    double position, velocity;
    motion_.stand_at(t, sample_);
    motion_.landing().project(t, sample_, position, velocity);
    residual_ = std::max(residual_, position);
}

// During the run only the branches are noted; the angles themselves are measured here.
std::vector<double> Samples::turns() {
    Dynamics& dynamics = motion_.dynamics();
    const System& system = dynamics.system();
    std::vector<double> angles = turns_;
    for (int k = 0; k < count_ && system.turns > 0; ++k) {
        dynamics.load_positions(times_[k], states_.data() + static_cast<std::size_t>(k) * system.state_size());
        for (const Measure& m : system.measures) {
            if (m.turn < 0) continue;
            double& angle = angles[static_cast<std::size_t>(k) * system.turns + m.turn];
            angle = Turns::branch_near(measure_value(m, dynamics.placement.frames()[m.a], dynamics.placement.frames()[m.b]), angle);
        }
    }
    return angles;
}

void Samples::store() {
    const Dynamics& dynamics = motion_.dynamics();
    const System& system = dynamics.system();
    const double* y = motion_.standard(times_[count_], sample_);
    double* turns = turns_.data() + static_cast<std::size_t>(count_) * system.turns;
    for (int n = 0; n < system.turns; ++n) turns[n] = dynamics.placement.turns.between(n, times_[count_]);
    double* sample = states_.data() + static_cast<std::size_t>(count_) * system.state_size();
    std::copy(y, y + system.state_size(), sample);
    for (int b = 0; b < system.ground() && count_ > 0; ++b) {  // quaternions without jumps of sign
        double *p = sample + body_size * b + at_p, *before = p - system.state_size();
        if (p[0] * before[0] + p[1] * before[1] + p[2] * before[2] + p[3] * before[3] < 0)
            for (int c = 0; c < 4; ++c) p[c] = -p[c];
    }
    ++count_;
}

}  // namespace vincolo
