// One decision for all stops that touch and all friction at rest: contact states from one complementarity problem
#include <algorithm>
#include <cmath>

#include "modes.hpp"

namespace vincolo {

// Whether no choice contradicts the accelerations and reactions it leads to
bool Modes::fits(double t, double* y) {
    if (!consistent(t, y)) return false;
    return std::all_of(choices_.begin(), choices_.end(), [&](const Choice& c) { return !(violation(c, t) > fuzz); });
}

// Forces of all candidates together; friction that breaks loose has its force of slip, which may be less than what it held
bool Modes::solve_candidates(double t, const double* y) {
    std::copy(y, y + state_.size(), state_.begin());
    for (const Stop& stop : system_.stops) gate(state_.data(), stop.row) = 0;
    for (const Rub& rub : system_.rubs) gate(state_.data(), rub.rows[0]) = 0, slip(state_.data(), rub, Mode::Sticks, Vec3::Zero());
    observer_->observe(t, state_.data(), dynamics_.placement.turns.values().data(), base_);
    for (double x : base_.acceleration)
        if (!std::isfinite(x)) return false;
    for (const Candidate& c : candidates_) {
        if (c.kind == Candidate::Kind::Stop) continue;
        const Choice& choice = choices_[of_choice_[&c - candidates_.data()]];
        const bool rests = c.kind == Candidate::Kind::Resting;
        slip(state_.data(), system_.rubs[c.index], rests ? Mode::Led : choice.mode, rests ? Vec3(1, 0, 0) : choice.way);
    }
    for (std::size_t pass = 0; pass <= 2 * candidates_.size(); ++pass) {
        if (!problem_.solve(t, state_.data(), base_, candidates_)) return false;
        bool more = false;
        for (Candidate& c : candidates_) {
            if (c.kind == Candidate::Kind::Stop && c.due && c.acceleration[0] < -c.noise) c.due = false, more = true;  // it is needed
            if (c.kind != Candidate::Kind::Resting || c.prescribed || c.breaks || !(c.limit > c.slip_limit)) continue;
            if (c.force.norm() < (1 - fuzz) * c.limit || !(c.due || c.acceleration.norm() > c.noise)) continue;
            c.breaks = more = true;
        }
        if (!more) return true;
    }
    return false;
}

// What a solution says of one choice; `rests`: friction that stays at rest
void Modes::take_solution(Choice& choice, Candidate& c, char& rests) const {
    const double size = c.force.norm(), gain = c.acceleration.norm();
    rests = 0;
    if (c.kind == Candidate::Kind::Stop) {
        const bool pushes = c.force[0] > 0, opens = c.due || c.acceleration[0] > c.noise;
        if (choice.mobility >= 0) choice.mode = pushes || (!opens && choice.mode == Mode::Closed) ? Mode::Closed : Mode::Free;
    } else if (c.kind == Candidate::Kind::Resting && c.prescribed) {
        choice.mode = gain > c.noise ? Mode::Led : Mode::Held;
        choice.way = gain > c.noise ? Vec3(c.acceleration / gain) : Vec3(Vec3::Zero());
    } else if (c.kind == Candidate::Kind::Resting) {
        const bool limited = size >= (1 - fuzz) * (c.breaks ? c.slip_limit : c.limit);
        rests = !(limited && (c.due || gain > c.noise + fuzz * size * choice.mobility));
        choice.mode = Mode::Led;
        choice.way = size > 0 ? Vec3(-c.force / size) : direction_of(c.acceleration, c.parts == 1);
    }
}

// All candidates in one problem; of friction that rests, as much sticks as is needed to hold the rest
bool Modes::solve_together(double t, double* y) {
    candidates_.clear(), of_choice_.clear();
    for (std::size_t k = 0; k < choices_.size(); ++k) {
        const Choice& c = choices_[k];
        if (c.rub && system_.rubs[c.index].stop >= 0 && !touches(system_.rubs[c.index].stop)) continue;
        Candidate next{!c.rub ? Candidate::Kind::Stop : c.slow ? Candidate::Kind::Resting : Candidate::Kind::Slipping, c.index};
        next.due = c.due, next.breaks = c.rub && c.slow && !c.due && c.mode == Mode::Led;  // it slipped before
        candidates_.push_back(next), of_choice_.push_back(static_cast<int>(k));
    }
    const bool solved = solve_candidates(t, y);
    std::vector<char> rests(candidates_.size());
    for (std::size_t k = 0; k < candidates_.size(); ++k)
        if (solved || candidates_[k].prescribed) take_solution(choices_[of_choice_[k]], candidates_[k], rests[k]);
    if (!solved) return false;
    std::vector<char> sticks = rests;
    for (std::size_t k = 0; k < candidates_.size(); ++k)
        if (!choices_[of_choice_[k]].rub) sticks[k] = choices_[of_choice_[k]].mode == Mode::Closed;
    problem_.select_independent(candidates_, sticks);
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        if (!rests[k]) continue;
        const Candidate& c = candidates_[k];
        Choice& choice = choices_[of_choice_[k]];
        choice.mode = sticks[k] ? Mode::Sticks : Mode::Held;
        if (!sticks[k]) choice.way = c.slip_limit > problem_.least() ? Vec3(-c.force / c.slip_limit) : Vec3(Vec3::Zero());
    }
    return fits(t, y);
}

bool Modes::touches(int stop) const {
    return std::any_of(choices_.begin(), choices_.end(), [&](const Choice& c) { return !c.rub && c.index == stop && c.mobility >= 0; });
}

bool Modes::resting(int friction) const {
    return std::any_of(choices_.begin(), choices_.end(), [&](const Choice& c) {
        return c.rub && c.index == friction && (c.mode == Mode::Sticks || c.mode == Mode::Held) && holds_stop(system_.rubs[friction].stop);
    });
}

// The contact state of one candidate as another state has it; false if it has none, or moves too fast for it
bool Modes::take_state(Choice& c, const double* decided) const {
    const auto value = [&](int auxiliary) { return decided[system_.auxiliary_index() + auxiliary]; };
    if (!c.rub) {
        c.mode = value(system_.rows[system_.stops[c.index].row].gate) != 0 ? Mode::Closed : Mode::Free;
        return true;
    }
    const Rub& rub = system_.rubs[c.index];
    const bool sticks = value(system_.rows[rub.rows[0]].gate) != 0, held = value(rub.held) != 0, led = value(rub.led) != 0;
    const bool loose = !rub.one() && value(rub.loose) != 0;
    if (rub.stop >= 0 && value(system_.rows[system_.stops[rub.stop].row].gate) == 0) return true;  // it is not there
    if (!(sticks || held || led || loose)) return false;
    c.mode = sticks ? Mode::Sticks : held ? Mode::Held : led ? Mode::Led : Mode::Loose;
    for (int k = 0; k < rub.parts(); ++k) c.way[k] = value(rub.ways[k]);
    const Vec3 slip_now = slip_of(rub);
    if (sticks) return slip_now.norm() <= rub.rest;
    return held ? slip_now.norm() <= rub.slow : !led || c.way.dot(slip_now) >= -rub.rest;
}

bool Modes::still_fit(double t, double* y, const double* decided) {
    held_ = false, blamed_ = unsettled_ = -1;
    find_touches(t, y, {});
    for (const Touch& touch : touches_)
        if (std::abs(touch.rate) > system_.stops[touch.stop].rest) return false;
    for (std::size_t k = 0; k < was_closed_.size(); ++k) {
        const auto is_it = [&](const Touch& touch) { return touch.stop == static_cast<int>(k); };
        if (was_closed_[k] && std::none_of(touches_.begin(), touches_.end(), is_it)) return false;
    }
    find_choices(t, y, {});
    dynamics_.placement.load_velocities(y);
    for (Choice& c : choices_)
        if (!take_state(c, decided)) return false;
    return fits(t, y);
}

}  // namespace vincolo
