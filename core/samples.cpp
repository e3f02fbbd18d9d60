#include "samples.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

Samples::Samples(Motion& motion, const std::vector<double>& times) : motion_(motion), times_(times), sample_(motion.state()), room_(times.size()) {
    last_.assign(motion.dynamics().system().state_size(), 0);
}

void Samples::hand_over(std::size_t most, Taker taker) {
    room_ = std::min(room_, std::max<std::size_t>(1, most));
    taker_ = std::move(taker);
    reader_ = std::make_unique<Dynamics>(motion_.dynamics().system());
}

void Samples::flush() {
    if (!taker_ || held_ == 0) return;
    const std::vector<double> angles = turns_by(*reader_);
    taker_({held_, times_.data() + count_ - held_, states_.data(), angles.data()});
    const std::size_t size = last_.size();
    std::copy_n(states_.data() + (held_ - 1) * size, size, last_.begin());
    states_.clear();
    held_ = 0;
}

bool Samples::due(double t, bool too) const {
    return count_ < static_cast<int>(times_.size()) && (too ? times_[count_] <= t : times_[count_] < t);
}

// The first call is at the start of the run: room is made there, since steps allocate nothing.
void Samples::record_due(double t, const State& y) {
    const System& system = motion_.dynamics().system();
    states_.reserve(room_ * system.state_size());
    turns_.resize(room_ * system.turns);
    while (due(t, true)) {
        sample_ = y;
        store();
    }
}

void Samples::record(Between& step, double until, bool end_too) {
    while (due(until, end_too)) {
        const double t = times_[count_];
        if (t == step.step().t_new) sample_ = step.step().y_new;
        else step.land(t, sample_);
        store();
    }
    residual_ = std::max(residual_, step.residual());
}

void Samples::restate(int count, const double* y) {
    const System& system = motion_.dynamics().system();
    for (std::size_t k = held_ - std::min<std::size_t>(held_, count); k < held_; ++k) {
        double* sample = states_.data() + k * system.state_size() + system.auxiliary_index();
        const double* decided = y + system.auxiliary_index();
        system.visit_contact_states([&](int n) { sample[n] = decided[n]; });
    }
}

void Samples::end_at(double t, const State& y) {
    const bool there = count_ > 0 && times_[count_ - 1] == t;
    times_.resize(count_ + !there);
    if (there) return;
    times_.back() = t;
    sample_ = y;
    store();
}

// During the run only the branches are noted; the angles themselves are measured here.
std::vector<double> Samples::turns_by(Dynamics& dynamics) const {
    const System& system = dynamics.system();
    std::vector<double> angles = turns_;
    for (std::size_t k = 0; k < held_ && system.turns > 0; ++k) {
        dynamics.load_positions(times_[count_ - held_ + k], states_.data() + k * system.state_size());
        for (const Measure& m : system.measures) {
            if (m.turn < 0) continue;
            double& angle = angles[k * system.turns + m.turn];
            angle = Turns::branch_near(measure_value(m, dynamics.placement.frames()[m.a], dynamics.placement.frames()[m.b]), angle);
        }
    }
    return angles;
}

void Samples::store() {
    if (held_ == room_) flush();
    const Dynamics& dynamics = motion_.dynamics();
    const System& system = dynamics.system();
    const double* y = motion_.standard(times_[count_], sample_);
    dynamics.placement.turns.between(times_[count_], turns_.data() + held_ * system.turns);
    states_.insert(states_.end(), y, y + system.state_size());
    double* sample = states_.data() + held_ * system.state_size();
    const double* last = held_ > 0 ? sample - system.state_size() : last_.data();
    for (int b = 0; b < system.ground() && count_ > 0; ++b) {  // quaternions without jumps of sign
        double* p = sample + body_size * b + at_p;
        const double* before = last + body_size * b + at_p;
        if (p[0] * before[0] + p[1] * before[1] + p[2] * before[2] + p[3] * before[3] < 0)
            for (int c = 0; c < 4; ++c) p[c] = -p[c];
    }
    ++held_, ++count_;
}

}  // namespace vincolo
