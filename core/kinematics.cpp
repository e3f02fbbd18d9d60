#include "kinematics.hpp"

#include <algorithm>
#include <cmath>

#include "displacement.hpp"

namespace vincolo {

namespace {

constexpr double smallest_step = 1e-12;  // as a share of the way to the next time
constexpr double longest_roll = 0.02;    // of a step where velocities lead positions, as a share of the size
constexpr double roughness = 2e-3;       // of a step, as a share of its way
constexpr double short_way = 0.01;        // of a step, as a share of the size
constexpr int passes = 3;

// One Newton step after the other until the rows are closed; the largest residual that is left
double close(Dynamics& dynamics, double t, double* y, double tolerance, int most, long& corrections) {
    dynamics.place(t, y);
    double open = dynamics.rows.residual(), before = HUGE_VAL;
    for (int i = 0; i < most && open > tolerance && !(i > 2 && open > 0.5 * before && open < 1e3 * tolerance); ++i) {
        ++corrections;
        before = open;
        dynamics.solve.correct_positions(y);
        dynamics.place(t, y);
        open = dynamics.rows.residual();
        if (!std::isfinite(open)) break;
    }
    return open;
}

}  // namespace

Kinematics::Kinematics(const System& system, double t0, const std::vector<double>& y0, const std::vector<double>& turns,
                       const std::vector<double>& times, double tolerance)
    : dynamics_(system), scout_(dynamics_), readings_(dynamics_.placement, dynamics_.quantities), settings_(dynamics_), t_(t0), tolerance_(tolerance), y_(y0), next_(y0), foretold_(y0), acceleration_(6 * system.bodies.size(), 0), times_(times) {
    dynamics_.placement.turns.values() = turns;
    passages.reserve(100);
    samples_.assign(times.size() * y0.size(), 0);
    turns_.assign(times.size() * turns.size(), 0);
}

// Positions after h with the velocities and accelerations of now
void Kinematics::predict(double h) {
    next_ = y_;
    for (int b = 0; b < dynamics_.system().ground(); ++b) carry(next_.data() + body_size * b, acceleration_.data() + 6 * b, h, 0.5 * h * h);
}

// Whether rows of velocities, such as those of rolling, lead positions: then these are integrated
bool Kinematics::rolls() const {
    const std::vector<Row>& rows = dynamics_.system().rows;
    for (std::size_t r = 0; r < rows.size(); ++r)
        if (rows[r].level == Level::Velocity && dynamics_.rows.taken()[r]) return true;
    return false;
}

// Positions after h, into foretold_, from the velocities and accelerations at both ends, to the fourth order; rotations in world
// axes with the commutator of Magnus
void Kinematics::hermite(double h) {
    const State now = acceleration_;
    motion(next_);
    for (int b = 0; b < dynamics_.system().ground(); ++b) {
        const double *u0 = y_.data() + body_size * b + at_v, *u1 = next_.data() + body_size * b + at_v;
        Vec3 move[2];
        for (int i = 0; i < 6; ++i)
            move[i / 3][i % 3] = 0.5 * h * (u0[i] + u1[i]) + h * h / 12 * (now[6 * b + i] - acceleration_[6 * b + i]);
        const Vec3 w0(u0[3], u0[4], u0[5]), w1(u1[3], u1[4], u1[5]);
        std::copy_n(y_.data() + body_size * b, static_cast<int>(at_v), foretold_.data() + body_size * b);
        carry(foretold_.data() + body_size * b, move[0], move[1] + h * h / 12 * w1.cross(w0));
    }
    acceleration_ = now;
}

// What was foretold lies in next_, and is closed again
bool Kinematics::integrate(double h) {
    for (int pass = 0; pass < passes; ++pass) {
        hermite(h);
        for (int b = 0; b < dynamics_.system().ground(); ++b)
            std::copy_n(foretold_.data() + body_size * b, static_cast<int>(at_v), next_.data() + body_size * b);
        if (!close_all(t_ + h)) return false;
    }
    return true;
}

// How far positions, velocities and accelerations at both ends of a step are from one smooth motion [m]. Another branch of the
// mechanism may be near, but its velocities are others.
double Kinematics::smooth(double h) {
    hermite(h);
    double off = 0;
    for (int b = 0; b < dynamics_.system().ground(); ++b)
        for (int c = 0; c < at_v; ++c) {
            const int i = body_size * b + c;
            off = std::max(off, (c < at_p ? 1 : 2 * dynamics_.placement.size) * std::abs(next_[i] - foretold_[i]));
        }
    return off;
}

void Kinematics::motion(State& y) {
    for (int b = 0; b < dynamics_.system().ground(); ++b)
        for (int c = at_v; c < body_size; ++c) y[body_size * b + c] = 0;
    dynamics_.correct_velocities(y.data());
    dynamics_.least_accelerations(y.data());
    for (int b = 0; b < dynamics_.system().ground(); ++b)
        for (int c = 0; c < 3; ++c) acceleration_[6 * b + c] = dynamics_.solve.accelerations()[b].v[c], acceleration_[6 * b + 3 + c] = dynamics_.solve.accelerations()[b].w[c];
}

bool Kinematics::begin() {
    begun_ = true;
    dynamics_.placement.turns.start(t_);
    const System& system = dynamics_.system();
    if (system.switched()) system.rows_at(y_.data(), dynamics_.selection.candidates);
    dynamics_.select(t_, y_.data());
    if (!(close(dynamics_, t_, y_.data(), tolerance_, 20, corrections) < 1e3 * tolerance_)) return false;
    motion(y_);
    dynamics_.placement.load_velocities(y_.data());
    dynamics_.placement.record_turns(t_);
    h_ = times_.back() - t_;
    while (recorded_ < static_cast<int>(times_.size()) && times_[recorded_] <= t_) record();
    return true;
}

// Rows left out follow from the others, or the choice no longer fits and is made where the step led to
bool Kinematics::close_all(double t) {
    const double allowed = std::max(30 * tolerance_, 1e-9);
    if (!(close(dynamics_, t, next_.data(), tolerance_, 12, corrections) <= 30 * tolerance_)) return false;
    if (dynamics_.selection.left_out(t, false) <= allowed) return true;
    dynamics_.select(t, next_.data());
    const bool closed = close(dynamics_, t, next_.data(), tolerance_, 12, corrections) <= 30 * tolerance_ && dynamics_.selection.left_out(t, false) <= allowed;
    if (!closed) dynamics_.select(t_, y_.data());
    return closed;
}

// A step is good if it closes, and if closing moved bodies by less than a share of what was foretold: otherwise it may
// have landed on another branch.
bool Kinematics::step(double h) {
    predict(h);
    foretold_ = next_;
    if (!close_all(t_ + h)) return false;
    double way = 0, off = 0;
    for (int b = 0; b < dynamics_.system().ground(); ++b)
        for (int c = 0; c < at_v; ++c) {
            const int i = body_size * b + c;
            const double size = c < at_p ? 1 : 2 * dynamics_.placement.size;
            way = std::max(way, size * std::abs(foretold_[i] - y_[i]));
            off = std::max(off, size * std::abs(next_[i] - foretold_[i]));
        }
    const double size = dynamics_.placement.size;
    if (!(off <= std::max(0.25 * way, 1e-3 * size) && way < 0.5 * size)) return false;
    if (rolls() && !(way < longest_roll * size && integrate(h))) return false;
    // short steps keep to their branch by themselves, also across a change point, where velocities are not defined
    return way < short_way * size || smooth(h) <= roughness * way;
}

double Kinematics::next_stop() const {
    double next = times_[recorded_];
    for (const Event& event : dynamics_.system().events) {
        double k = event.every > 0 ? std::floor((t_ - event.times[0]) / event.every) + 1 : 0;
        if (event.every > 0) next = std::min(next, event.time(event.time(k) > t_ ? k : k + 1));
        for (double t : event.times)
            if (t > t_) next = std::min(next, t);
    }
    return next;
}

bool Kinematics::switch_rows() {
    const System& system = dynamics_.system();
    settings_.clear();
    for (const Event& event : system.events)
        for (const Action& action : event.actions)
            if (event.is_at(t_)) settings_.plan(action, action.kind == ActionKind::Set ? readings_.value(action.value, t_) : 0);
    if (!settings_.any()) return true;
    settings_.apply(t_, y_.data());
    if (system.switched()) system.rows_at(y_.data(), dynamics_.selection.candidates);
    dynamics_.select(t_, y_.data());
    for (std::size_t r = 0; r < system.rows.size(); ++r) {
        double value, rate;
        dynamics_.rows.open(system.rows[r], t_, value, rate);
        if (dynamics_.selection.candidates[r] && !(std::abs(value) < 1e-6 * dynamics_.placement.size)) return false;
    }
    close(dynamics_, t_, y_.data(), tolerance_, 12, corrections);
    motion(y_);
    dynamics_.placement.load_velocities(y_.data());
    dynamics_.placement.record_turns(t_);
    before_ = last_ = {t_, 1};
    return true;
}

void Kinematics::take(double t) {
    motion(next_);
    y_.swap(next_);
    t_ = t;
    ++steps;
    dynamics_.placement.load_velocities(y_.data());
    bool spare = false;  // drives beyond the freedom: the best of them is taken at every position
    for (std::size_t r = 0; r < dynamics_.rows.taken().size(); ++r)
        spare = spare || (dynamics_.system().rows[r].drive && dynamics_.selection.candidates[r] && !dynamics_.rows.taken()[r]);
    dynamics_.watch.look(t_);
    if (spare || (dynamics_.watch.doubtful() && scout_.renew(t_, y_.data()))) {
        dynamics_.select(t_, y_.data());
        motion(y_);
        dynamics_.placement.load_velocities(y_.data());
        dynamics_.watch.look(t_);
    }
    watch_passages();
    dynamics_.placement.record_turns(t_);
}

// What is left of the weakest row falls to zero and rises again in straight lines
void Kinematics::watch_passages() {
    const Passage now{t_, dynamics_.watch.nearness};
    lowest = std::min(lowest, now.nearness);
    if (last_.nearness < 0.05 && last_.nearness <= before_.nearness && last_.nearness < now.nearness && passages.size() < 100) {
        const Passage &a = before_.nearness < now.nearness ? before_ : last_, &b = before_.nearness < now.nearness ? last_ : now;
        passages.push_back({a.t + (b.t - a.t) * a.nearness / (a.nearness + b.nearness), last_.nearness});
    }
    before_ = last_;
    last_ = now;
}

void Kinematics::record() {
    std::copy(y_.begin(), y_.end(), samples_.begin() + static_cast<std::ptrdiff_t>(recorded_ * y_.size()));
    std::copy(dynamics_.placement.turns.values().begin(), dynamics_.placement.turns.values().end(), turns_.begin() + static_cast<std::ptrdiff_t>(recorded_ * dynamics_.placement.turns.values().size()));
    ++recorded_;
}

Closing Kinematics::advance(long positions) {
    if (!begun_ && !begin()) return Closing::Locked;
    for (long n = 0; n < positions && recorded_ < static_cast<int>(times_.size()); ++n) {
        const double target = next_stop(), rest = target - t_;
        double h = std::min(rest, 2 * h_);
        while (!step(h)) {
            ++halvings;
            h *= 0.5;
            if (!(h > smallest_step * std::max(rest, 1e-3))) return std::isfinite(next_[0]) ? Closing::Locked : Closing::NotFinite;
        }
        h_ = h;
        take(h == rest ? target : t_ + h);
        if (t_ == target && !switch_rows()) return Closing::Open;
        if (t_ == times_[recorded_]) record();
    }
    return recorded_ == static_cast<int>(times_.size()) ? Closing::Done : Closing::Running;
}

Drag::Drag(const System& system, double t, const std::vector<double>& y, const std::vector<double>& turns)
    : dynamics_(system), t_(t), y_(y), before_(y), push_(system.bodies.size() + 1) {
    for (Twists& x : responses_) x.resize(system.bodies.size() + 1);
    dynamics_.placement.turns.values() = turns;
    dynamics_.placement.turns.start(t);
    if (system.switched()) system.rows_at(y_.data(), dynamics_.selection.candidates);
    dynamics_.select(t, y_.data());
}

// Unit forces at the point, held back by the joints, give its mobility (3x3); the displacement of least motion that takes the
// point to its target follows from its inverse, damped where the point cannot go.
double Drag::move(int frame, const Vec3& target, int iterations) {
    const System& system = dynamics_.system();
    const int nb = system.ground(), body = system.frames[frame].body;
    long corrections = 0;
    double share = 1;  // of the step that would lead there on a straight path
    dynamics_.place(t_, y_.data());
    for (int pass = 0; pass < iterations; ++pass) {
        const Vec3 away = target - dynamics_.placement.frames()[frame].p, lever = dynamics_.placement.frames()[frame].s;
        const double before = away.norm();
        if (before < 1e-12 * dynamics_.placement.size || share < 1e-6) break;
        before_ = y_;
        Mat3 mobility;
        for (int c = 0; c < 3; ++c) {
            clear(push_);
            push_[body] = {Vec3::Unit(c), lever.cross(Vec3::Unit(c))};
            dynamics_.solve.respond(push_, responses_[c]);
            mobility.col(c) = responses_[c][body].v + responses_[c][body].w.cross(lever);
        }
        const double damping = 1e-4 * mobility.trace() + 1e-300;
        Vec3 push = (mobility + damping * Mat3::Identity()).ldlt().solve(away);
        double turn = 0;
        for (int b = 0; b < nb; ++b) turn = std::max(turn, (push[0] * responses_[0][b].w + push[1] * responses_[1][b].w + push[2] * responses_[2][b].w).norm());
        push *= std::min(share, turn > 0 ? 0.3 / turn : 1);
        for (int b = 0; b < nb; ++b) {
            Vec3 dr = Vec3::Zero(), theta = Vec3::Zero();
            for (int c = 0; c < 3; ++c) dr += push[c] * responses_[c][b].v, theta += push[c] * responses_[c][b].w;
            carry(y_.data() + body_size * b, dr, theta);
        }
        const double open = close(dynamics_, t_, y_.data(), 1e-11, 8, corrections);
        if (open < 1e-9 && (target - dynamics_.placement.frames()[frame].p).norm() < before) {
            share = std::min(1.0, 2 * share);
        } else {  // too far: the path bends
            share *= 0.25;
            y_ = before_;
            dynamics_.place(t_, y_.data());
        }
    }
    dynamics_.placement.load_velocities(y_.data());
    dynamics_.placement.record_turns(t_);
    return (target - dynamics_.placement.frames()[frame].p).norm();
}

}  // namespace vincolo
