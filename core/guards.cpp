#include "guards.hpp"

#include <algorithm>
#include <cmath>

#include "force_table.hpp"

namespace vincolo {

namespace {

constexpr double ahead = 1e-6;       // s, over which rates of guards are found
constexpr double fuzz = 1e-11;       // share of what is read that rounding and landings may change
constexpr double jumped = 100;         // times that: a force that has changed sides by what was set
constexpr double still = 1000;       // times that, rates [1/s] that are rounding

}  // namespace

Guards::Guards(Motion& motion)
    : motion_(motion), dynamics_(motion.dynamics()), system_(dynamics_.system()), readings_(dynamics_.placement, dynamics_.quantities) {
    std::size_t most = 1;
    bool forces = false;
    for (std::size_t e = 0; e < system_.events.size(); ++e) {
        const Event& event = system_.events[e];
        const auto reads = [&](const Expression& x) {
            most = std::max(most, x.readings.size());
            for (const Reading& r : x.readings) forces = forces || r.source == Source::Force;
        };
        reads(event.when);
        for (const Action& action : event.actions) reads(action.value);
        if (event.when.tape.code.empty()) continue;
        bool timed = true;
        for (const Reading& r : event.when.readings) timed = timed && r.source == Source::Auxiliary && !system_.auxiliaries[r.index].moves();
        const auto& code = event.when.tape.code;
        const bool jumps = timed && std::none_of(code.begin(), code.end(), [](const Instruction& in) { return in.op == Op::Time; });
        const auto& readings = event.when.readings;
        const bool reacts = std::any_of(readings.begin(), readings.end(), [](const Reading& r) { return r.source == Source::Force; });
        watched_.push_back({static_cast<int>(e), timed, jumps, reacts});
    }
    for (const Body& body : system_.bodies) weight_ = std::max(weight_, body.mass * system_.gravity.norm() * std::min(1.0, system_.extent));
    crossed_.assign(system_.events.size(), 0);
    thrown_ = crossed_;
    if (system_.events.empty()) return;
    coarse_.assign(watched_.size() * (coarse + 1), 0);
    roots_.assign(watched_.size(), HUGE_VAL);
    rates_ = roots_;
    slopes_.assign(most, 0);
    state_ = motion.state();
    if (!forces) return;
    observer_ = std::make_unique<Observer>(system_);
    forces_.assign(system_.forces_read(), 0);
    readings_.forces = forces_.data();
}

void Guards::wake(const State& y) {
    observes_ = false;
    for (Watched& w : watched_) {
        const Event& event = system_.events[w.event];
        w.off = event.only >= 0 && y[motion_.auxiliary_index() + event.only] != event.where;
        observes_ = observes_ || (w.forces && !w.off);
    }
}

void Guards::load(double t, State& x, bool all) {
    const double* y = motion_.standard(t, x);
    dynamics_.load_positions(t, y);
    dynamics_.placement.load_velocities(y);
    if (observer_ && (observes_ || all)) observe(t, y);
}

// As System::forces_read() numbers them
void Guards::observe(double t, const double* y) {
    ++dynamics_.evaluations;
    observer_->observe(t, y, dynamics_.placement.turns.values().data(), observation_);
    write_forces(dynamics_.placement, observation_, forces_.data());
}

bool Guards::watches(const Watched& w, int from) const {
    const Crossing crossing = system_.events[w.event].crossing;
    return crossing == Crossing::Both || (crossing == Crossing::Up) == (from < 0);
}

// What an expression may be off zero where it is zero: readings are off by rounding, and by what landings leave open; reactions by
// rounding of the weights that cancel in them, as where all falls freely and nothing presses
double Guards::rounding(const Expression& e, double t) {
    double sum = std::abs(readings_.slopes(e, t, slopes_.data())) * fuzz * std::max(1e-3, std::abs(t));
    for (std::size_t k = 0; k < e.readings.size(); ++k) {
        const Source source = e.readings[k].source;
        const bool geometry = source == Source::Value || source == Source::Rate;
        const double least = geometry ? system_.extent : source == Source::Force ? weight_ : 0;
        const double off = std::abs(slopes_[k]) * fuzz * std::max(std::abs(readings_.read(e.readings[k])), least);
        if (std::isfinite(off)) sum += off;
    }
    return std::isfinite(sum) ? sum : 0;
}

// Numbers that are set come to zero exactly, and zero lies across
int Guards::across(const Watched& w) const {
    const Crossing crossing = system_.events[w.event].crossing;
    return crossing == Crossing::Up ? 1 : crossing == Crossing::Down ? -1 : -(w.side != 0 ? w.side : w.was);
}

int Guards::side_at(const Watched& w, double rate) const {
    if (w.jumps) return w.now != 0 ? sign_of(w.now) : across(w);
    if (std::abs(w.now) > rest * w.zero) return sign_of(w.now);
    if (thrown_[w.event]) return w.came_from;
    if (!(std::abs(rate) > still * w.zero)) return 0;
    return sign_of(std::abs(w.now) > w.zero ? w.now : rate);
}

// Values, and rates by differences along the slope, to both sides, whichever coordinates it is in: what bends cancels
void Guards::find_sides(double t, State& y, const State& slope) {
    undefined_ = -1;
    wake(y);
    std::fill(rates_.begin(), rates_.end(), 0.0);
    for (const double h : {ahead, -ahead}) {
        for (std::size_t i = 0; i < y.size(); ++i) state_[i] = y[i] + h * slope[i];
        load(t + h, state_);
        for (std::size_t k = 0; k < watched_.size(); ++k)
            if (!watched_[k].off) rates_[k] += value(expression(watched_[k]), t + h) / (2 * h);
    }
    load(t, y);
    for (std::size_t k = 0; k < watched_.size(); ++k) {
        Watched& w = watched_[k];
        if (w.off) continue;
        w.now = value(expression(w), t);
        w.zero = rounding(expression(w), t);
        if (!std::isfinite(w.now) && undefined_ < 0) undefined_ = w.event;
    }
}

void Guards::begin_at(Watched& w, double rate) const {
    w.side = w.was = 0;
    w.side = side_at(w, rate);
    w.seen = w.now;
}

// What decides on a mode is on the side of that mode: positive, or at zero and about to leave it
void Guards::begin_mode(Watched& w, double rate) const {
    w.side = w.off ? 0 : w.now > 0.1 * w.zero ? 1 : std::max(0, side_at(w, rate));
    w.was = w.off ? 0 : 1;
}

void Guards::begin(double t, State& y, const State& slope) {
    std::fill(crossed_.begin(), crossed_.end(), 0);
    if (!any()) return;
    find_sides(t, y, slope);
    for (std::size_t k = 0; k < watched_.size(); ++k)
        of_mode(watched_[k]) ? begin_mode(watched_[k], rates_[k]) : begin_at(watched_[k], rates_[k]);
    std::fill(thrown_.begin(), thrown_.end(), 0);
}

void Guards::pass(double t, State& y) {
    std::fill(crossed_.begin(), crossed_.end(), 0);
    if (!any()) return;
    load(t, y);
    for (Watched& w : watched_) {
        if (w.off || of_mode(w)) continue;
        const double x = value(expression(w), t);
        const int before = w.side != 0 ? w.side : w.was;
        if (!(std::abs(x) > rest * w.zero) || before * x >= 0) continue;
        w.now = w.seen = x, w.side = sign_of(x);
        if (!watches(w, before)) continue;
        crossed_[w.event] = 1;
        w.came_from = before;
    }
}

void Guards::look(double t, State& y, const State& slope, const std::vector<char>& acted, bool changed, bool decided) {
    std::fill(crossed_.begin(), crossed_.end(), 0);
    if (!any()) return;
    find_sides(t, y, slope);
    for (std::size_t k = 0; k < watched_.size(); ++k) {
        Watched& w = watched_[k];
        if (of_mode(w)) {
            begin_mode(w, rates_[k]);
            crossed_[w.event] = !decided && !w.off && w.now < -jumped * w.zero;
            continue;
        }
        const int before = w.side != 0 ? w.side : w.was;
        const bool same = w.jumps ? w.now == w.seen : !changed && before * w.now > 0;
        w.seen = w.now;
        if (same && !acted[w.event]) continue;  // it is where it was, however near to zero
        w.side = side_at(w, rates_[k]);
        if (w.side == 0) w.was = acted[w.event] ? -w.came_from : before;
        if (acted[w.event] || before * w.side >= 0 || !watches(w, before)) continue;
        crossed_[w.event] = 1;
        w.came_from = before;
    }
    std::fill(thrown_.begin(), thrown_.end(), 0);
}

}  // namespace vincolo
