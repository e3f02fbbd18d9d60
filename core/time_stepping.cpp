#include "time_stepping.hpp"

#include <algorithm>
#include <cmath>

#include "displacement.hpp"

namespace vincolo {

namespace {

constexpr double share_of_motion = 1e-4;  // of the time in which bodies move by the extent of the mechanism

}  // namespace

TimeStepping::TimeStepping(Dynamics& dynamics, Blow& blow)
    : dynamics_(dynamics), blow_(blow), system_(dynamics.system()), observer_(system_), problem_(dynamics, blow),
      released_(system_.state_size()), slipping_(system_.state_size()) {}

// No stop holds, and nothing sticks or slips
void TimeStepping::release(double* y) const {
    system_.visit_contact_states([&](int state) { at(y, state) = 0; });
}

double TimeStepping::step_size(double t, const double* y) {
    std::copy(y, y + released_.size(), released_.begin());
    release(released_.data());
    observer_.observe(t, released_.data(), dynamics_.placement.turns.values().data(), base_);
    double fastest = 0;
    for (int b = 0; b < system_.ground(); ++b)
        for (int c = 0; c < 6; ++c) {
            const double length = c < 3 ? system_.extent : 1, rate = std::abs(y[body_size * b + (c < 3 ? at_v + c : at_w + c - 3)]) / length;
            const double gain = std::sqrt(std::abs(base_.acceleration[6 * b + c]) / length);
            fastest = std::max({fastest, rate, std::isfinite(gain) ? gain : 0});
        }
    return share_of_motion / std::max(fastest, 1e-3);
}

// Stops that are met within the step, and all friction on joints and on them
void TimeStepping::find_candidates(double t, double h) {
    candidates_.clear();
    for (std::size_t k = 0; k < system_.stops.size(); ++k) {
        const Row& row = system_.rows[system_.stops[k].row];
        const double gap = system_.stops[k].sign * (base_.values[row.quantity] - dynamics_.rows.held_at(row, t).f);
        const double rate = system_.stops[k].sign * base_.rates[row.quantity];
        if (gap + 2 * h * std::min(0.0, rate) <= 1e-9 * system_.extent) candidates_.push_back({Candidate::Kind::Stop, static_cast<int>(k)});
    }
    const std::vector<Candidate> met = candidates_;
    for (std::size_t k = 0; k < system_.rubs.size(); ++k) {
        const Rub& friction = system_.rubs[k];
        const auto on_it = [&](const Candidate& c) { return c.index == friction.stop; };
        if (friction.stop >= 0 && std::none_of(met.begin(), met.end(), on_it)) continue;
        Candidate next{Candidate::Kind::Resting, static_cast<int>(k)};
        double slip = 0;
        for (int row : friction.rows) slip += std::pow(base_.rates[system_.rows[row].quantity], 2);
        next.breaks = slip > friction.rest * friction.rest;
        candidates_.push_back(next);
    }
}

// Velocities by all forces of the step, then positions by these velocities, and both onto the joints
void TimeStepping::move(double t, double h, double* y) {
    for (int b = 0; b < system_.ground(); ++b)
        for (int c = 0; c < 6; ++c) y[body_size * b + (c < 3 ? at_v + c : at_w + c - 3)] += h * base_.acceleration[6 * b + c];
    for (const Candidate& c : candidates_) {
        const double sign = c.kind == Candidate::Kind::Stop ? system_.stops[c.index].sign : 1;
        for (int k = 0; k < c.parts; ++k)
            if (c.force[k] != 0) blow_.give(y, c.first + k, h * sign * c.force[k]);
    }
    for (int b = 0; b < system_.ground(); ++b) carry(y + body_size * b, &base_.acceleration[6 * b], h, 0);
    const int first = system_.auxiliary_index();
    for (std::size_t n = 0; n < system_.auxiliaries.size(); ++n) y[first + n] += h * dynamics_.placement.auxiliaries()[n].d;
    dynamics_.place(t + h, y);
    for (int pass = 0; pass < 12 && dynamics_.rows.residual() > 1e-14; ++pass) {
        dynamics_.solve.correct_positions(y);
        dynamics_.place(t + h, y);
    }
    blow_.meet_rows(y);
}

// What is recorded of a step: closed stops, and friction with the share of its force that it had
void TimeStepping::write_states(double* y) const {
    release(y);
    for (const Candidate& c : candidates_) {
        if (c.kind == Candidate::Kind::Stop) {
            at(y, system_.rows[system_.stops[c.index].row].gate) = c.force[0] > 0;
            continue;
        }
        const Rub& friction = system_.rubs[c.index];
        at(y, friction.held) = 1;
        const Vec3 share = c.slip_limit > 0 ? Vec3(-c.force / c.slip_limit) : Vec3(Vec3::Zero());
        const double most = c.breaks ? 1 : c.limit / c.slip_limit, size = share.norm();
        for (int k = 0; k < c.parts; ++k) at(y, friction.ways[k]) = size > most ? share[k] * most / size : share[k];
    }
}

// Stops that are met with more speed than they take without an impact
void TimeStepping::find_impacts(double h) {
    impacts_.clear();
    for (const Candidate& c : candidates_) {
        if (c.kind != Candidate::Kind::Stop || !(c.force[0] > 0)) continue;
        const Stop& stop = system_.stops[c.index];
        const double rate = stop.sign * base_.rates[system_.rows[stop.row].quantity];
        if (rate < -stop.rest) impacts_.push_back({c.index, stop.sign * rate, h * c.force[0]});
    }
}

// Whether a stop still closes although it should hold: joints and drives move it, whatever it pushes
bool TimeStepping::overrun(double t) {
    blocked_ = -1;
    for (const Candidate& c : candidates_) {
        if (c.kind != Candidate::Kind::Stop) continue;
        const Stop& stop = system_.stops[c.index];
        double gap, rate;
        dynamics_.rows.open(system_.rows[stop.row], t, gap, rate);
        const double before = stop.sign * (base_.values[system_.rows[stop.row].quantity] - dynamics_.rows.held_at(system_.rows[stop.row], t).f);
        if (stop.sign * gap < std::min(before, -1e-9 * system_.extent) && stop.sign * rate < -stop.rest) blocked_ = stop.row;
    }
    return blocked_ >= 0;
}

bool TimeStepping::step(double t, double h, double* y) {
    std::copy(y, y + released_.size(), released_.begin());
    release(released_.data());
    system_.rows_at(released_.data(), rows_);
    dynamics_.selection.candidates = rows_;
    dynamics_.select(t, released_.data());
    const double before = (dynamics_.placement.load_velocities(released_.data()), dynamics_.energy());
    observer_.observe(t, released_.data(), dynamics_.placement.turns.values().data(), base_);
    find_candidates(t, h);
    slipping_ = released_;
    for (const Candidate& c : candidates_)
        if (c.kind != Candidate::Kind::Stop) at(slipping_.data(), system_.rubs[c.index].ways[0]) = 1;
    blocked_ = -1;
    unsolved_ = !problem_.solve(t, slipping_.data(), base_, candidates_, h);
    if (unsolved_) return false;
    find_impacts(h);
    dynamics_.load_positions(t, released_.data());
    move(t, h, released_.data());
    dynamics_.load_positions(t + h, released_.data());
    dynamics_.placement.load_velocities(released_.data());
    released_[system_.work_index()] += dynamics_.energy() - before;
    if (overrun(t + h)) return false;
    write_states(released_.data());
    std::copy(released_.begin(), released_.end(), y);
    return std::all_of(released_.begin(), released_.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace vincolo
