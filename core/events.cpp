#include "events.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

Events::Events(Motion& motion)
    : guards(motion), motion_(motion), dynamics_(motion.dynamics()), system_(dynamics_.system()), any_(!system_.events.empty()), blow_(dynamics_), modes_(dynamics_, blow_), settings_(dynamics_) {
    due_.assign(system_.events.size(), 0);
    acted_ = asked_ = of_contact_ = due_;
    before_.assign(system_.state_size(), 0);
    after_ = before_;
    for (const Stop& stop : system_.stops) of_contact_[stop.closes] = of_contact_[stop.opens] = 1;
    for (const Rub& friction : system_.rubs)
        for (int event : {friction.sticks, friction.slips, friction.starts, friction.slows, friction.leaves})
            if (event >= 0) of_contact_[event] = 1;
}

void Events::add_times(double start, double end, std::vector<double>& stops) const {
    for (const Event& event : system_.events) {
        if (event.every <= 0) stops.insert(stops.end(), event.times.begin(), event.times.end());
        else
            for (double k = std::ceil((start - event.times[0]) / event.every); event.time(k) < end; ++k) stops.push_back(event.time(k));
    }
}

void Events::note_time(double t) {
    std::fill(acted_.begin(), acted_.end(), 0);
    for (std::size_t e = 0; e < due_.size(); ++e) due_[e] = due_[e] || system_.events[e].is_at(t);
}

bool Events::any_at(double t) const {
    return std::any_of(system_.events.begin(), system_.events.end(), [&](const Event& event) { return event.is_at(t); });
}

double Events::step_behind_corners(double t, const State& y, const State& slope, double h) {
    for (std::size_t e = 0; e < acted_.size(); ++e)
        if (acted_[e] && system_.events[e].corner) h = guards.step_on_side(static_cast<int>(e), t, y, slope, h);
    return h;
}

void Events::note_crossings() {
    for (std::size_t e = 0; e < due_.size(); ++e) due_[e] = due_[e] || guards.crossed()[e];
}

double Events::first(Between& step, bool adaptive) {
    std::fill(acted_.begin(), acted_.end(), 0);  // that was before this step
    const double t = guards.first(step, adaptive);
    note_crossings();
    return t;
}

bool Events::look(double t, State& y, const State& slope) {
    if (recorded_) {
        const double* landed = motion_.standard(t, y);
        record_.back().after.assign(landed, landed + before_.size());
    }
    recorded_ = false;
    guards.look(t, y, slope, acted_, changed_, decided_);
    changed_ = true, decided_ = false;  // from outside perhaps, if it is asked again
    note_crossings();
    return guards.undefined() < 0;
}

bool Events::fail(EventFailure failure, int event, int row, double open) {
    trouble_ = {failure, event, row, -1, open};
    return false;
}

// All at the state before, so that the order of events does not matter
void Events::evaluate(double t) {
    settings_.clear();
    hits_.clear();
    for (std::size_t e = 0; e < due_.size(); ++e) {
        if (!due_[e]) continue;
        const Event& event = system_.events[e];
        stops_ = stops_ || event.stops;
        if (event.calls) calls_.push_back(static_cast<int>(e));
        for (const Action& action : event.actions) {
            const double x = action.kind == ActionKind::Latch ? 0 : guards.value(action.value, t);
            settings_.plan(action, x);
            if (!std::isfinite(x)) fail(EventFailure::NotFinite, static_cast<int>(e));
            if (action.kind != ActionKind::Bounce && action.kind != ActionKind::Strike) continue;
            double value, rate;
            dynamics_.quantities.read(action.index, value, rate);
            const bool given = action.kind == ActionKind::Strike;
            hits_.push_back({action.index, static_cast<int>(e), given, given ? 0 : -x * rate, given ? x : 0});
            if (!given) guards.throw_back(static_cast<int>(e));
        }
    }
}

// Rows that begin to hold must be where they hold
bool Events::close(double t, double* y) {
    const std::vector<char> before = held_;
    system_.rows_at(y, held_);
    dynamics_.selection.candidates = held_;
    dynamics_.select(t, y);
    for (std::size_t r = 0; r < held_.size(); ++r) {
        double open, rate;
        dynamics_.rows.open(system_.rows[r], t, open, rate);
        if (held_[r] && !before[r] && !modes_.one_sided(static_cast<int>(r)) && !(std::abs(open) <= 1e-3 * dynamics_.placement.size))
            return fail(EventFailure::Open, -1, static_cast<int>(r), open);
    }
    for (int pass = 0; pass < 12 && dynamics_.rows.residual() > 1e-14; ++pass) {
        dynamics_.solve.correct_positions(y);
        dynamics_.place(t, y);
    }
    return true;
}

bool Events::jump(double t, double* y) {
    if (held_.empty() && hits_.empty()) return true;
    if (held_.empty()) {
        dynamics_.select(t, y);
    }
    blow_.meet_rows(y);
    const int held = modes_.impacts().strike(t, y, hits_);
    if (held == Impact::no_answer) return fail(EventFailure::Contradiction, -1, modes_.impacts().rubbed_row());
    if (held >= 0) return fail(EventFailure::Held, hits_[held].event);
    if (!hits_.empty()) tell_joints(hits_.front().event);
    return true;
}

void Events::tell_joints(int event) {
    for (std::size_t r = 0; r < system_.rubs.size(); ++r)
        if (modes_.impacts().rubbing() && system_.rubs[r].stop < 0 && system_.rubs[r].grip > 0) tell_rub(static_cast<int>(r), event);
}

void Events::tell_rub(int rub, int event) {
    const Vec3 impulse = modes_.impulse_of(rub);
    for (int k = 0; k < system_.rubs[rub].parts(); ++k)
        hits_.push_back({system_.rows[system_.rubs[rub].rows[k]].quantity, event, false, 0, impulse[k]});
}

// Rows that hold whatever the motion does are met first; then the motion decides about the others, and they are met too
bool Events::decide(double t, double* y, const std::vector<char>& due) {
    if (!modes_.settle(t, y, due)) {
        fail(modes_.stuck_in_joints() ? EventFailure::Blocked : EventFailure::Contradiction, -1, modes_.blamed_row());
        trouble_.law = modes_.blamed_law();
        return false;
    }
    bool told = false;
    for (const Touch& touch : modes_.touches()) {
        const Stop& stop = system_.stops[touch.stop];
        if (touch.impulse == 0) continue;
        acted_[stop.closes] = 1;
        hits_.push_back({system_.rows[stop.row].quantity, stop.closes, false, touch.rate, stop.sign * touch.impulse});
        for (std::size_t r = 0; r < system_.rubs.size(); ++r)
            if (system_.rubs[r].stop == touch.stop) tell_rub(static_cast<int>(r), stop.closes);
        if (!told) tell_joints(stop.closes);  // with the first of them
        told = true;
    }
    for (std::size_t r = 0; r < system_.rubs.size() && !due.empty(); ++r) {  // whatever asked for the decision
        const Rub& rub = system_.rubs[r];
        acted_[rub.starts] = 0;
        acted_[rub.sticks] = modes_.came_to_rest(static_cast<int>(r)), acted_[rub.slips] = modes_.broke_loose(static_cast<int>(r));
    }
    if (!close(t, y)) return false;
    blow_.meet_rows(y);
    modes_.follow(y);
    return true;
}

bool Events::crossable() const {
    const int undefined = guards.undefined();
    const bool lost = undefined >= 0 && system_.events[undefined].only >= 0;  // reactions that nobody could find
    return modes_.any() && crossable_ && (lost || without_end() || trouble_.failure == EventFailure::Contradiction);
}

TimeStepping& Events::time_stepping() {
    row_of_them_ = 0;
    std::fill(due_.begin(), due_.end(), 0);
    if (!time_stepping_) time_stepping_ = std::make_unique<TimeStepping>(dynamics_, blow_);
    return *time_stepping_;
}

bool Events::block_across() {
    if (time_stepping_->unsolved()) {
        if (trouble_.failure != EventFailure::Contradiction) fail(EventFailure::Contradiction, -1, system_.rubs.empty() ? -1 : system_.rubs[0].rows[0]);
        crossable_ = false;
        return true;
    }
    if (time_stepping_->blocked() < 0) return false;
    fail(EventFailure::Blocked, -1, time_stepping_->blocked());
    crossable_ = false;
    return true;
}

bool Events::begin(double t, State& x) {
    if (!modes_.any()) return true;
    double* y = motion_.standard(t, x);
    trouble_ = {};
    std::copy(y, y + before_.size(), before_.begin());
    after_ = before_;
    std::fill(acted_.begin(), acted_.end(), 0);
    hits_.clear();
    dynamics_.load_positions(t, y);
    dynamics_.placement.load_velocities(y);
    const double energy = dynamics_.energy();
    system_.rows_at(before_.data(), held_);
    modes_.release(t, after_.data());
    if (!close(t, after_.data())) return false;
    if (modes_.still_fit(t, after_.data(), before_.data())) return true;  // as a run before left it
    if (!decide(t, after_.data(), {})) return false;
    const auto modes = before_.begin() + system_.auxiliary_index();
    if (hits_.empty() && std::equal(modes, before_.end(), after_.begin() + system_.auxiliary_index())) return true;  // as it was
    finish(t, x, energy);
    return true;
}

// What cannot act stays due: time stepping may cross what hinders it
bool Events::act(double t, State& x) {
    trouble_ = {};
    if (only_corners()) return true;
    asked_ = due_;
    const bool stopped = stops_;
    const std::size_t calls = calls_.size();
    if (perform(t, x, modes_.any())) {
        watch_chain(t);
        return true;
    }
    due_ = asked_, stops_ = stopped;
    calls_.resize(calls);
    return false;
}

bool Events::act_across(double t, State& x) {
    trouble_ = {};
    for (std::size_t e = 0; e < due_.size(); ++e) due_[e] = due_[e] && !of_contact_[e];
    crossable_ = !due() || only_corners() || perform(t, x, false);
    return crossable_;
}

void Events::pass(double t, State& x, const State& before) {
    guards.pass(t, x);
    note_crossings();
    const std::vector<TimeStepping::Met>& met = time_stepping_->impacts();
    if (met.empty() || !keeps_) return;
    std::fill(acted_.begin(), acted_.end(), 0);
    hits_.clear();
    for (const TimeStepping::Met& impact : met) {
        const Stop& stop = system_.stops[impact.stop];
        acted_[stop.closes] = 1;
        hits_.push_back({system_.rows[stop.row].quantity, stop.closes, false, impact.rate, stop.sign * impact.impulse});
    }
    const double* y = motion_.standard(t, x);
    std::copy(before.begin(), before.begin() + before_.size(), before_.begin());
    std::copy(y, y + after_.size(), after_.begin());
    note(t, after_[system_.work_index()] - before_[system_.work_index()]);
    recorded_ = false;  // the state will not land
}

bool Events::perform(double t, State& x, bool decides) {
    guards.load(t, x, true);
    const double* y = motion_.standard(t, x);
    std::copy(y, y + before_.size(), before_.begin());
    after_ = before_;
    const double energy = dynamics_.energy();
    if (system_.switched()) system_.rows_at(before_.data(), held_);
    evaluate(t);
    acted_ = due_;
    std::fill(due_.begin(), due_.end(), 0);
    if (trouble_.failure != EventFailure::None) return false;
    settings_.apply(t, after_.data());
    if (modes_.any() && !decides) time_stepping().release(after_.data());
    if (decides) {
        modes_.release(t, after_.data());
        if (modes_.hold_met(after_.data(), acted_) && !close(t, after_.data())) return false;
        modes_.let_go(after_.data());
    }
    if (system_.switched() && !close(t, after_.data())) return false;
    if (!jump(t, after_.data())) return false;
    if (decides && !decide(t, after_.data(), acted_)) return false;
    decided_ = decides;
    finish(t, x, energy);
    return true;
}

// Nothing but corners of forces: they are passed by beginning the next step there
bool Events::only_corners() {
    for (std::size_t e = 0; e < due_.size(); ++e)
        if (due_[e] && !system_.events[e].corner) return false;
    acted_ = due_;
    std::fill(due_.begin(), due_.end(), 0);
    changed_ = false, decided_ = true;
    return true;
}

void Events::finish(double t, State& x, double energy) {
    dynamics_.load_positions(t, after_.data());
    dynamics_.placement.load_velocities(after_.data());
    const double change = dynamics_.energy() - energy;
    after_[system_.work_index()] += change;
    motion_.from_standard(t, after_.data(), x);
    changed_ = after_ != before_;
    if (keeps_) note(t, change);
}

void Events::note(double t, double change) {
    Happened now{t, {}, before_, after_, dynamics_.placement.turns.values(), change, hits_};
    for (std::size_t e = 0; e < acted_.size(); ++e)
        if (acted_[e] && !system_.events[e].corner) now.events.push_back(static_cast<int>(e));
    recorded_ = !now.events.empty();
    if (recorded_) record_.push_back(std::move(now));
}

void Events::watch_chain(double t) {
    row_of_them_ = t - last_ <= soon * std::max(1.0, std::abs(t)) ? row_of_them_ + 1 : 0;
    last_ = t;
}

}  // namespace vincolo
