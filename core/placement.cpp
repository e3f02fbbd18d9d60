#include "placement.hpp"

#include <algorithm>

#include "columns.hpp"
#include "quaternion.hpp"

namespace vincolo {

Placement::Placement(const System& system) : turns(system.turns), system_(system) {
    prepare_bodies();
    moving_work_.resize(system.moving.size());
    moving_of_.assign(system.frames.size(), -1);
    for (std::size_t n = 0; n < system.moving.size(); ++n) moving_of_[system.moving[n].frame] = static_cast<int>(n);
    measure_time_.assign(system.measures.size(), 0);
    for (const Measure& m : system.measures) moving_measure_.push_back(moving_of_[m.a] >= 0 || moving_of_[m.b] >= 0);
    jets_.resize(system.scratch);
    auxiliaries_.resize(system.auxiliaries.size());
    find_flowing();
}

void Placement::prepare_bodies() {
    const int nb = system_.ground();
    bodies_.assign(nb + 1, {Mat3::Identity(), Vec3::Zero()});
    velocities_.assign(nb + 1, {Vec3::Zero(), Vec3::Zero()});
    frames_.resize(system_.frames.size());
    for (std::size_t f = 0; f < frames_.size(); ++f)
        if (system_.frames[f].body == nb) frames_[f] = {system_.frames[f].s, system_.frames[f].s, system_.frames[f].R, 0};
    inverse_ = {std::vector<double>(nb + 1, 0), std::vector<Mat3>(nb + 1, Mat3::Zero()), {}, &bodies_};
    weight_share_.assign(nb, 1);
    double longest = 0;
    for (int b = 0; b < nb; ++b) {
        const Body& body = system_.bodies[b];
        inverse_.mass[b] = 1 / (body.mass + body.mass_ballast);
        if (body.mass_ballast > 0) weight_share_[b] = body.mass * inverse_.mass[b];
        inverse_.moments.push_back((body.inertia + body.ballast).cwiseInverse());
        longest = std::max(longest, body.length);
    }
    first_frame_.assign(nb + 1, 0);
    for (std::size_t f = 0; f < frames_.size(); ++f)
        if (system_.frames[f].body < nb) ++first_frame_[system_.frames[f].body + 1], frames_by_body_.push_back(static_cast<int>(f));
    for (int b = 0; b < nb; ++b) first_frame_[b + 1] += first_frame_[b];
    std::stable_sort(frames_by_body_.begin(), frames_by_body_.end(),
                     [this](int f, int g) { return system_.frames[f].body < system_.frames[g].body; });
    size = longest > 0 ? longest : 1;
}

VINCOLO_INLINE void Placement::place_body(int b, const Mat3& A, const Vec3& at) {
    const Quad a0 = quad(A(0, 0), A(1, 0), A(2, 0)), a1 = quad(A(0, 1), A(1, 1), A(2, 1)), a2 = quad(A(0, 2), A(1, 2), A(2, 2));
    const Quad r = quad(at[0], at[1], at[2]);
    BodyPlace& body = bodies_[b];
    spill(&body.A(0, 0), a0), spill(&body.A(0, 1), a1), spill(&body.A(0, 2), a2);
    body.r = at;
    const Vec3& j = inverse_.moments[b];  // K = A diag(1/J) A^T
    if (inverse_.is_flat(b)) {
        inverse_.inertia[b] = inverse_.flat->inertia[b];
    } else {
        for (int c = 0; c < 3; ++c)
            spill(&inverse_.inertia[b](0, c), combined(a0, j[0] * A(c, 0), a1, j[1] * A(c, 1), a2, j[2] * A(c, 2)));
    }
    const Frame* frames = system_.frames.data();
    FrameWork* works = frames_.data();
    for (const int *f = frames_by_body_.data() + first_frame_[b], *end = frames_by_body_.data() + first_frame_[b + 1]; f != end; ++f) {
        const Frame& frame = frames[*f];
        FrameWork& out = works[*f];
        const Quad s = combined(a0, frame.s[0], a1, frame.s[1], a2, frame.s[2]);
        spill(&out.s[0], s);
        spill(&out.p[0], r + s);
        for (int c = 0; c < 3; ++c) spill(&out.axes(0, c), combined(a0, frame.R(0, c), a1, frame.R(1, c), a2, frame.R(2, c)));
    }
}

// Those that functions of time read, and what their rates read in turn. A rate that reads the mechanism is not known here.
void Placement::find_flowing() {
    std::vector<int> waiting;
    for (const Function& f : system_.functions)
        for (const Instruction& in : f.tape.code)
            if (f.kind == FunctionKind::Tape && in.op == Op::Input) waiting.push_back(in.a);
    std::size_t most = 1;
    while (!waiting.empty()) {
        const int n = waiting.back();
        const Expression& rate = system_.auxiliaries[n].rate;
        waiting.pop_back();
        const bool known = std::all_of(rate.readings.begin(), rate.readings.end(), [](const Reading& r) { return r.source == Source::Auxiliary; });
        if (rate.tape.code.empty() || !known || std::find(flowing_.begin(), flowing_.end(), n) != flowing_.end()) continue;
        flowing_.push_back(n);
        most = std::max(most, rate.readings.size());
        for (const Reading& r : rate.readings) waiting.push_back(r.index);
    }
    read_.resize(most);
}

// x' = f(t, others), and x'' from their own rates
Jet Placement::rate_of_state(int auxiliary, double t) {
    const Expression& rate = system_.auxiliaries[auxiliary].rate;
    for (std::size_t k = 0; k < rate.readings.size(); ++k) read_[k] = auxiliaries_[rate.readings[k].index];
    return rate.tape.run(Jet::variable(t), read_.data(), jets_.data());
}

void Placement::load_auxiliaries(double t, const double* values) {
    for (std::size_t k = 0; k < auxiliaries_.size(); ++k) {
        const int slope = system_.auxiliaries[k].slope;
        auxiliaries_[k] = {values[k], slope < 0 ? 0 : values[slope], 0};
    }
    for (int n : flowing_) auxiliaries_[n].d = rate_of_state(n, t).f;
    for (int n : flowing_) auxiliaries_[n].dd = rate_of_state(n, t).d;
}

void Placement::load_positions(double t, const double* y) {
    now_ = t;
    if (!auxiliaries_.empty()) load_auxiliaries(t, y + system_.auxiliary_index());
    for (int b = 0; b < system_.ground(); ++b) {
        const double* x = y + body_size * b;
        place_body(b, rotation_of(x + at_p), Vec3(x[0], x[1], x[2]));
    }
    if (!moving_work_.empty()) move_frames(t);
}

void Placement::load_places(double t, const std::vector<BodyPlace>& places, const Twists& velocities) {
    now_ = t;
    for (int b = 0; b < system_.ground(); ++b) {
        place_body(b, places[b].A, places[b].r);
        velocities_[b] = velocities[b];
    }
    if (!moving_work_.empty()) move_frames(t);
}

void Placement::load_velocities(const double* y) {
    using Map3 = Eigen::Map<const Vec3>;
    for (int b = 0; b < system_.ground(); ++b) velocities_[b] = {Map3(y + body_size * b + at_v), Map3(y + body_size * b + at_w)};
}

void Placement::move_frames(double t) {
    for (std::size_t n = 0; n < moving_work_.size(); ++n) {
        const MovingFrame& moving = system_.moving[n];
        const Frame& frame = system_.frames[moving.frame];
        const BodyPlace& body = bodies_[frame.body];
        const auto at = [&](int function) { return function < 0 ? Jet{} : system_.functions[function](t, jets_.data(), auxiliaries_.data()); };
        const Jet x = at(moving.along[0]), y = at(moving.along[1]), z = at(moving.along[2]), turn = at(moving.turn);
        const Mat3 axes = body.A * frame.R;
        FrameWork& out = frames_[moving.frame];
        out.s = body.A * frame.s + axes * Vec3(x.f, y.f, z.f);
        out.p = body.r + out.s;
        out.axes = axes * Eigen::AngleAxisd(turn.f, Vec3::Unit(moving.axis)).toRotationMatrix();
        const Vec3 about = axes.col(moving.axis);
        moving_work_[n] = {axes * Vec3(x.d, y.d, z.d), axes * Vec3(x.dd, y.dd, z.dd), about * turn.d, about * turn.dd};
    }
    for (std::size_t n = 0; n < measure_time_.size(); ++n) {
        const Measure& m = system_.measures[n];
        if (moving_measure_[n]) measure_time_[n] = measure_series(m, frame_series(m.a, false), frame_series(m.b, false)).d;
    }
}

FrameSeries Placement::frame_series(int f, bool with_bodies) const {
    const FrameWork& frame = frames_[f];
    const Twist& body = velocities_[system_.frames[f].body];
    const Vec3 v = with_bodies ? body.v : Vec3::Zero(), w = with_bodies ? body.w : Vec3::Zero();
    MovingWork own{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    if (moving_of_[f] >= 0) own = moving_work_[moving_of_[f]];
    FrameSeries out;
    out.p[0] = frame.p;
    out.p[1] = v + w.cross(frame.s) + own.v;
    out.p[2] = w.cross(w.cross(frame.s)) + 2 * w.cross(own.v) + own.a;
    const Vec3 turn = w + own.w, change = own.alpha + w.cross(own.w);
    for (int c = 0; c < 3; ++c) {
        const Vec3 e = frame.axes.col(c);
        out.axes[0].col(c) = e;
        out.axes[1].col(c) = turn.cross(e);
        out.axes[2].col(c) = change.cross(e) + turn.cross(turn.cross(e));
    }
    return out;
}

Gradient Placement::gradient_of(int n) const {
    const Measure& m = system_.measures[n];
    return gradient(m, frames_[m.a], frames_[m.b]);
}

double Placement::bias_of(int n) const {
    const Measure& m = system_.measures[n];
    if (moving_measure_[n]) return measure_series(m, frame_series(m.a, true), frame_series(m.b, true)).dd;
    return bias(m, frames_[m.a], frames_[m.b], velocities_[system_.frames[m.a].body], velocities_[system_.frames[m.b].body]);
}

double Placement::rate_of(int n, const Gradient& g) const {
    const Measure& m = system_.measures[n];
    const Twist &a = velocities_[system_.frames[m.a].body], &b = velocities_[system_.frames[m.b].body];
    return g.lin.dot(b.v - a.v) + g.on_a.dot(a.w) + g.on_b.dot(b.w) + measure_time_[n];
}

double Placement::value_of(int n) const {
    const Measure& m = system_.measures[n];
    const double value = measure_value(m, frames_[m.a], frames_[m.b]);
    return m.turn < 0 ? value : unwrapped(m, value);
}

double Placement::unwrapped(const Measure& m, double value) const { return Turns::branch_near(value, turns.expected(m.turn, now_)); }

void Placement::record_turns(double t) {
    if (!turns.any()) return;
    turns.begin_record();
    for (std::size_t n = 0; n < system_.measures.size(); ++n) {
        const Measure& m = system_.measures[n];
        if (m.turn < 0) continue;
        const Gradient g = gradient_of(static_cast<int>(n));
        const double rate = rate_of(static_cast<int>(n), g);
        turns.use_mean_rate(m.turn, t, rate);
        turns.record(m.turn, unwrapped(m, g.value), rate);
    }
    turns.end_record(t);
}

double Placement::speed() const {
    double fastest = 0;
    for (const Twist& u : velocities_) fastest = std::max(fastest, std::max(largest(u.v), size * largest(u.w)));
    return fastest;
}

double Placement::kinetic_energy() const {
    double sum = 0;
    for (int b = 0; b < system_.ground(); ++b) {
        const Vec3 w = bodies_[b].A.transpose() * velocities_[b].w;
        sum += 0.5 * system_.bodies[b].mass * velocities_[b].v.squaredNorm() + 0.5 * w.dot(system_.bodies[b].inertia.cwiseProduct(w));
    }
    return sum;
}

}  // namespace vincolo
