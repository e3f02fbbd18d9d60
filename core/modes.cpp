#include "modes.hpp"

#include <algorithm>
#include <cmath>

#include "force_table.hpp"

namespace vincolo {

namespace {

// Of the extent, or rad: nearer than this a stop touches that did not hold, where a run begins and at events
constexpr double near_at_start = 1e-10, near = 1e-12;

}  // namespace

// The direction of a slip or force; any where there is none
Vec3 Modes::direction_of(const Vec3& x, bool one) {
    if (one) return Vec3(x[0] > 0 ? 1 : -1, 0, 0);
    return x.squaredNorm() > 0 ? Vec3(x.normalized()) : Vec3(-1, 0, 0);
}

Modes::Modes(Dynamics& dynamics, Blow& blow)
    : dynamics_(dynamics), blow_(blow), system_(dynamics.system()), impact_(dynamics, blow), problem_(dynamics, blow), readings_(dynamics.placement, dynamics.quantities) {
    one_sided_.assign(system_.rows.size(), 0);
    for (const Stop& stop : system_.stops) one_sided_[stop.row] = 1;
    was_closed_.assign(system_.stops.size(), 0);
    was_stuck_.assign(system_.rubs.size(), 0);
    was_resting_ = was_stuck_;
    state_.assign(system_.state_size(), 0);
    if (!any()) return;
    observed_.lam.assign(system_.rows.size(), 0);
    observer_ = std::make_unique<Observer>(system_);
    forces_.assign(system_.forces_read(), 0);
    readings_.forces = forces_.data();
}

void Modes::release(double t, double* y) {
    for (const Rub& rub : system_.rubs) {  // what carried how much
        if (gate(y, rub.rows[0]) == 0) continue;
        observer_->observe(t, y, dynamics_.placement.turns.values().data(), observed_);
        break;
    }
    for (std::size_t k = 0; k < was_closed_.size(); ++k) {
        double& on = gate(y, system_.stops[k].row);
        was_closed_[k] = on != 0, on = 0;
    }
    for (std::size_t k = 0; k < was_stuck_.size(); ++k) {
        double& on = gate(y, system_.rubs[k].rows[0]);
        was_stuck_[k] = on != 0, on = 0;
        double& held = at(y, system_.rubs[k].held);
        was_resting_[k] = was_stuck_[k] || held != 0, held = 0;
    }
}

bool Modes::hold_met(double* y, const std::vector<char>& due) const {
    bool any = false;
    for (const Stop& stop : system_.stops)
        if (due[stop.closes]) gate(y, stop.row) = 1, any = true;
    return any;
}

void Modes::let_go(double* y) const {
    for (const Stop& stop : system_.stops) gate(y, stop.row) = 0;
}

void Modes::follow(double* y) const {
    dynamics_.placement.load_velocities(y);
    for (const Rub& rub : system_.rubs) {
        const Vec3 slip_now = slip_of(rub);
        Vec3 way = Vec3::Zero();
        for (int k = 0; k < rub.parts(); ++k) way[k] = at(y, rub.ways[k]);
        if (at(y, rub.held) != 0) continue;
        const bool slips = way.squaredNorm() > 0 || (!rub.one() && at(y, rub.loose) != 0);
        if (slips && slip_now.norm() > rub.rest && (!rub.one() || way.dot(slip_now) < 0))
            slip(y, rub, slipping(rub, slip_now.norm()), direction_of(slip_now, rub.one()));
    }
}

Vec3 Modes::slip_of(const Rub& rub) const {
    Vec3 found = Vec3::Zero();
    for (int k = 0; k < rub.parts(); ++k) {
        double value;
        dynamics_.quantities.read(system_.rows[rub.rows[k]].quantity, value, found[k]);
    }
    return found;
}

Vec3 Modes::carried_by(const Rub& rub) const {
    Vec3 found = Vec3::Zero();
    for (int k = 0; k < rub.parts(); ++k) found[k] = observed_.lam[rub.rows[k]];
    return found;
}

Vec3 Modes::way_of(const Rub& rub) const {
    Vec3 found = Vec3::Zero();
    for (int k = 0; k < rub.parts(); ++k) found[k] = dynamics_.placement.auxiliaries()[rub.ways[k]].f;
    return found;
}

void Modes::slip(double* y, const Rub& rub, Mode mode, const Vec3& way) const {
    for (int k = 0; k < rub.parts(); ++k) at(y, rub.ways[k]) = mode == Mode::Led || mode == Mode::Held ? way[k] : 0;
    at(y, rub.held) = mode == Mode::Held;
    at(y, rub.led) = mode == Mode::Led;
    if (!rub.one()) at(y, rub.loose) = mode == Mode::Loose;
}

void Modes::find_touches(double t, double* y, const std::vector<char>& due) {
    touches_.clear();
    dynamics_.placement.load_velocities(y);
    for (std::size_t k = 0; k < system_.stops.size(); ++k) {
        const Stop& stop = system_.stops[k];
        double gap, rate;
        dynamics_.rows.open(system_.rows[stop.row], t, gap, rate);
        const double distance = stop.sign * gap * dynamics_.rows.scale(stop.row);
        const bool meets = was_closed_[k] || (!due.empty() && due[stop.closes]) || distance <= (due.empty() ? near_at_start : near);
        if (meets) touches_.push_back({static_cast<int>(k), stop.sign * rate});
    }
}

// What touches and does not move away: it holds if it did before, unless it is just opening
void Modes::add_stops(const std::vector<char>& due) {
    for (const Touch& touch : touches_) {
        const Stop& stop = system_.stops[touch.stop];
        if (touch.rate > stop.rest) continue;
        const bool stays = was_closed_[touch.stop] && (due.empty() || !due[stop.opens]);
        Choice choice{false, touch.stop, stays || touch.met ? Mode::Closed : Mode::Free, 0};
        choice.due = !due.empty() && due[stop.opens];
        choices_.push_back(choice);
    }
}

bool Modes::holds_stop(int stop) const {
    return stop < 0 || std::any_of(choices_.begin(), choices_.end(), [&](const Choice& c) { return !c.rub && c.index == stop && c.mode == Mode::Closed; });
}

// Friction that is slow: it goes on as it was. Where it has just come to rest, or nothing is known of it, it sticks at first;
// where it breaks loose it goes the way the force that it carried pushed it.
void Modes::add_rubs(const std::vector<char>& due) {
    for (std::size_t k = 0; k < system_.rubs.size(); ++k) {
        const Rub& rub = system_.rubs[k];
        const Vec3 rate = slip_of(rub), way = way_of(rub);
        const bool slips = !due.empty() && due[rub.slips], halts = !due.empty() && due[rub.sticks];
        const bool slow = halts || rate.norm() <= (due.empty() && was_resting_[k] ? rub.slow : rub.rest);
        Choice choice{true, static_cast<int>(k), Mode::Sticks, slow ? 0.0 : -1.0};
        choice.slow = slow, choice.due = slow && slips;
        if (!slow) choice.mode = slipping(rub, rate.norm()), choice.way = direction_of(rate, rub.one());
        else if (slips) choice.mode = Mode::Led, choice.way = direction_of(carried_by(rub), rub.one());
        else if (!was_stuck_[k] && way.squaredNorm() > 0 && !halts) choice.mode = Mode::Led, choice.way = way;
        choices_.push_back(choice);
    }
}

void Modes::measure_mobilities() {
    std::vector<int> quantities;
    for (const Choice& c : choices_) {
        if (!c.rub) quantities.push_back(system_.rows[system_.stops[c.index].row].quantity);
        else for (int row : system_.rubs[c.index].rows) quantities.push_back(system_.rows[row].quantity);
    }
    const Eigen::MatrixXd& W = blow_.respond(quantities);
    int at = 0;
    for (Choice& c : choices_) {
        const int parts = c.rub ? system_.rubs[c.index].parts() : 1;
        double most = -1;
        for (int k = at; k < at + parts; ++k)
            if (blow_.moves(k)) most = std::max(most, W(k, k));
        if (c.mobility >= 0) c.mobility = most;
        at += parts;
    }
    for (Choice& c : choices_)
        if (!c.rub && c.mobility < 0) c.mode = Mode::Free;  // joints hold it where it is
}

void Modes::find_choices(double, double* y, const std::vector<char>& due) {
    choices_.clear();
    dynamics_.placement.load_velocities(y);
    add_stops(due);
    add_rubs(due);
    measure_mobilities();
}

void Modes::apply(double* y) const {
    for (const Stop& stop : system_.stops) gate(y, stop.row) = 0;
    for (const Choice& c : choices_) {
        if (!c.rub) {
            gate(y, system_.stops[c.index].row) = c.mode == Mode::Closed;
            continue;
        }
        const Rub& rub = system_.rubs[c.index];
        const bool there = holds_stop(rub.stop);
        gate(y, rub.rows[0]) = there && c.mode == Mode::Sticks;  // all of them have the same
        slip(y, rub, there ? c.mode : Mode::Sticks, c.way);
    }
}

// By how much a choice contradicts the accelerations and reactions it leads to, as a share of usual forces: a stop that pulls or
// gives way, friction that carries more than its bound, that moves where it rests, or slips back
double Modes::violation(const Choice& c, double t) {
    if (c.mobility < 0) return 0;
    return c.rub ? of_rub(c, t) : of_stop(c, t);
}

double Modes::of_stop(const Choice& c, double t) const {
    const Stop& stop = system_.stops[c.index];
    const Row& row = system_.rows[stop.row];
    if (c.mode == Mode::Closed) return stop.sign * observed_.lam[stop.row] / usual_;
    return -stop.sign * (observed_.seconds[row.quantity] - dynamics_.rows.held_at(row, t).dd) / (usual_ * c.mobility);
}

double Modes::of_rub(const Choice& c, double t) {
    const Rub& rub = system_.rubs[c.index];
    if (!holds_stop(rub.stop)) return 0;
    if (c.mode == Mode::Sticks) return (carried_by(rub).norm() - readings_.value(rub.bound, t)) / usual_;
    Vec3 gain = Vec3::Zero();
    for (int k = 0; k < rub.parts(); ++k) gain[k] = observed_.seconds[system_.rows[rub.rows[k]].quantity];
    return (c.mode == Mode::Held ? gain.norm() : -c.way.dot(gain)) / (usual_ * c.mobility);
}

// Accelerations and reactions if these rows hold; whether friction has an answer to them
bool Modes::consistent(double t, double* y) {
    apply(y);
    ++dynamics_.evaluations;
    observer_->observe(t, y, dynamics_.placement.turns.values().data(), observed_);
    dynamics_.load_positions(t, y);
    dynamics_.placement.load_velocities(y);
    write_forces(dynamics_.placement, observed_, forces_.data());
    usual_ = std::max(1e-300, problem_.least());
    double undefined = 0;
    for (const std::vector<double>* found : {&observed_.lam, &observed_.law_force})
        for (double force : *found) usual_ = std::max(usual_, std::abs(force)), undefined += 0 * force;
    for (const Body& body : system_.bodies) usual_ = std::max(usual_, body.mass * system_.gravity.norm());
    const auto& reactive = observer_->dynamics().reactive;
    if (reactive && reactive->unsettled() >= 0) unsettled_ = reactive->unsettled();
    return undefined == 0;
}

// The row to name where nothing fits: of friction or a stop that asked for the decision, or of the first one
int Modes::row_to_blame(const std::vector<char>& due) const {
    const auto row_of = [&](const Choice& c) { return c.rub ? system_.rubs[c.index].rows[0] : system_.stops[c.index].row; };
    const auto asked = [&](const Choice& c) {
        return !due.empty() && (c.rub ? due[system_.rubs[c.index].slips] || due[system_.rubs[c.index].sticks] : due[system_.stops[c.index].opens] || due[system_.stops[c.index].closes]);
    };
    const auto found = std::find_if(choices_.begin(), choices_.end(), asked);
    return found != choices_.end() ? row_of(*found) : choices_.empty() ? -1 : row_of(choices_.front());
}

bool Modes::settle(double t, double* y, const std::vector<char>& due) {
    held_ = false, blamed_ = unsettled_ = -1;
    find_touches(t, y, due);
    if (!impact_.resolve(t, y, touches_)) {
        held_ = !impact_.rubbing();  // or friction of joints has no answer to it
        blamed_ = held_ ? system_.stops[impact_.blocked()].row : impact_.rubbed_row();
        return false;
    }
    find_choices(t, y, due);
    if (solve_together(t, y)) return true;
    blamed_ = row_to_blame(due);
    return false;
}

}  // namespace vincolo
