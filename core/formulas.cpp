// Frames that move on their bodies, and formulas of measures
#include "dynamics.hpp"

namespace vincolo {

void Dynamics::move_frames(double t) {
    for (std::size_t n = 0; n < moving_work_.size(); ++n) {
        const MovingFrame& moving = system_.moving[n];
        const Frame& frame = system_.frames[moving.frame];
        const BodyWork& body = bodies[frame.body];
        const auto at = [&](int function) { return function < 0 ? Jet{} : system_.functions[function](t, jets_.data()); };
        const Jet x = at(moving.along[0]), y = at(moving.along[1]), z = at(moving.along[2]), turn = at(moving.turn);
        const Mat3 axes = body.A * frame.R;
        FrameWork& out = frames[moving.frame];
        out.s = body.A * frame.s + axes * Vec3(x.f, y.f, z.f);
        out.p = body.r + out.s;
        out.axes = axes * Eigen::AngleAxisd(turn.f, Vec3::Unit(moving.axis)).toRotationMatrix();
        const Vec3 about = axes.col(moving.axis);
        moving_work_[n] = {axes * Vec3(x.d, y.d, z.d), axes * Vec3(x.dd, y.dd, z.dd), about * turn.d, about * turn.dd};
    }
    for (std::size_t m = 0; m < measure_time_.size(); ++m)
        if (moving_measure_[m])
            measure_time_[m] = measure_series(system_.measures[m], frame_series(system_.measures[m].a, false), frame_series(system_.measures[m].b, false)).d;
}

FrameSeries Dynamics::frame_series(int f, bool with_bodies) const {
    const FrameWork& frame = frames[f];
    const BodyWork& body = bodies[system_.frames[f].body];
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

double Dynamics::bias_of(int n) const {
    const Measure& m = system_.measures[n];
    if (moving_measure_[n]) return measure_series(m, frame_series(m.a, true), frame_series(m.b, true)).dd;
    return bias(m, frames[m.a], frames[m.b], bodies[system_.frames[m.a].body], bodies[system_.frames[m.b].body]);
}

double Dynamics::rate_of(int n, const Gradient& g) const {
    const Measure& m = system_.measures[n];
    const BodyWork &a = bodies[system_.frames[m.a].body], &b = bodies[system_.frames[m.b].body];
    return g.lin.dot(b.v - a.v) + g.on_a.dot(a.w) + g.on_b.dot(b.w) + measure_time_[n];
}

double Dynamics::formula_rate(int n) const { return system_.formulas[n].rates ? formula_work_[n].value : formula_work_[n].by_time; }

double Dynamics::time_rate(int n) const {
    const Quantity& q = system_.quantities[n];
    double sum = 0;
    if (q.formula >= 0) sum = formula_rate(q.formula);
    if (!moving_work_.empty())
        for (int k = q.first; k < q.first + q.count; ++k) sum += factor[k] * measure_time_[system_.terms[k].measure];
    return sum;
}

// A formula's row is that of a sum whose factors are its derivatives
void Dynamics::refresh_formulas(double t) {
    for (std::size_t n = 0; n < formula_work_.size(); ++n) {
        const Formula& formula = system_.formulas[n];
        FormulaWork& work = formula_work_[n];
        const Quantity& q = system_.quantities[work.quantity];
        for (int k = 0; k < q.count; ++k) {
            const Measure& m = system_.measures[system_.terms[q.first + k].measure];
            Gradient& g = term_gradients_[q.first + k] = gradient(m, frames[m.a], frames[m.b]);
            if (m.turn >= 0) g.value = unwrapped(m, g.value);
            inputs_[k] = system_.terms[q.first + k].factor * g.value;
            inputs_[q.count + k] = 0;
        }
        work.value = formula.tape.run(t, inputs_.data(), numbers_.data(), formula.parts.data());
        work.by_time = formula.tape.gradient(numbers_.data(), adjoints_.data(), formula.rates ? 2 * q.count : q.count, inputs_.data(),
                                             formula.parts.data(), jets_.data());
        for (int k = 0; k < q.count; ++k)
            factor[q.first + k] = system_.terms[q.first + k].factor * inputs_[formula.rates ? q.count + k : k];
    }
}

// What a measure's series is without accelerations: its value, rate and bias
Jet Dynamics::formula_series(int n) {
    const Formula& formula = system_.formulas[n];
    const Quantity& q = system_.quantities[formula_work_[n].quantity];
    for (int k = 0; k < q.count; ++k) {
        const Term& term = system_.terms[q.first + k];
        const Gradient& g = term_gradients_[q.first + k];
        const double rate = rate_of(term.measure, g), second = bias_of(term.measure);
        jet_inputs_[k] = {term.factor * g.value, term.factor * rate, term.factor * second};
        jet_inputs_[q.count + k] = {term.factor * rate, term.factor * second, 0};
    }
    return formula.tape.run(Jet::variable(now_), jet_inputs_.data(), jets_.data(), formula.parts.data());
}

}  // namespace vincolo
