#include "couplings.hpp"

#include <algorithm>

namespace vincolo {

Couplings::Couplings(Dynamics& dynamics) : dynamics_(dynamics), system_(dynamics.system()) {
    const auto alone = [&](int n) {
        const Law& law = system_.laws[n];
        const std::vector<Reading> readings = Forces::readings_of(law);
        return std::all_of(readings.begin(), readings.end(), [&](const Reading& r) { return r.source != Source::Auxiliary && r.index == law.quantity; });
    };
    const int laws = static_cast<int>(system_.laws.size());
    for (int n = 0; n < laws; ++n)
        if (!alone(n)) add_answer(n);
    joined_ = size();
    for (int n = 0; n < laws; ++n)
        if (alone(n)) add_answer(n);
    std::size_t most = 1;
    for (const Answer& answer : answers_) most = std::max(most, static_cast<std::size_t>(answer.count));
    partials_.resize(most);
}

// Nothing for what does not depend on the motion or acts between points of the ground
void Couplings::add_answer(int n) {
    const std::vector<Reading> readings = Forces::readings_of(system_.laws[n]);
    if (readings.empty()) return;
    const int line = line_of(system_.laws[n].quantity);
    if (lines_[line].count == 0) return;
    const int first = static_cast<int>(slopes_.size());
    for (const Reading& r : readings) slopes_.push_back({r.source, line_of(r.index), 0});
    answers_.push_back({n, line, first, static_cast<int>(readings.size())});
}

int Couplings::line_of(int quantity) {
    for (std::size_t k = 0; k < lines_.size(); ++k)
        if (lines_[k].quantity == quantity) return static_cast<int>(k);
    const int first = static_cast<int>(touches_.size());
    add_touches(system_.quantities[quantity]);
    lines_.push_back({quantity, first, static_cast<int>(touches_.size()) - first});
    return static_cast<int>(lines_.size()) - 1;
}

void Couplings::add_touches(const Quantity& q) {
    const int first = static_cast<int>(touches_.size());
    for (int k = q.first; k < q.first + q.count; ++k) {
        const Measure& m = system_.measures[system_.terms[k].measure];
        for (int frame : {m.a, m.b})
            if (system_.frames[frame].body != system_.ground() && touch_of(first, frame) < 0)
                touches_.push_back({system_.frames[frame].body, Vec3::Zero(), Vec3::Zero()});
    }
}

// From `first` on, that of the body of a frame; -1: there is none
int Couplings::touch_of(int first, int frame) const {
    for (std::size_t k = first; k < touches_.size(); ++k)
        if (touches_[k].body == system_.frames[frame].body) return static_cast<int>(k);
    return -1;
}

void Couplings::prepare(double t) {
    for (const Line& line : lines_) find_line(line);
    for (int n = 0; n < size(); ++n) find_slopes(answers_[n], n >= joined_, t);
}

void Couplings::find_line(const Line& line) {
    const Quantity& q = system_.quantities[line.quantity];
    const auto of = [&](int frame) -> Touch* {
        for (int k = line.first; k < line.first + line.count; ++k)
            if (touches_[k].body == system_.frames[frame].body) return &touches_[k];
        return nullptr;
    };
    for (int k = line.first; k < line.first + line.count; ++k) touches_[k].lin.setZero(), touches_[k].ang.setZero();
    for (int k = q.first; k < q.first + q.count; ++k) {
        const int measure = system_.terms[k].measure;
        const Gradient g = dynamics_.placement.gradient_of(measure);
        const double f = dynamics_.quantities.factor(k);
        if (Touch* a = of(system_.measures[measure].a)) a->lin -= f * g.lin, a->ang += f * g.on_a;
        if (Touch* b = of(system_.measures[measure].b)) b->lin += f * g.lin, b->ang += f * g.on_b;
    }
}

void Couplings::find_slopes(const Answer& answer, bool alone, double t) {
    const double sign = system_.laws[answer.law].sign;
    dynamics_.forces.law_partials(answer.law, t, partials_.data());
    for (int k = 0; k < answer.count; ++k) {
        const double slope = sign * partials_[k];
        slopes_[answer.first + k].value = alone ? std::min(0.0, slope) : slope;  // what pushes outwards is not stiff
    }
}

double Couplings::resistance(int n, Source source) const {
    double sum = 0;
    for (int k = answers_[n].first; k < answers_[n].first + answers_[n].count; ++k)
        if (slopes_[k].source == source) sum -= slopes_[k].value;
    return sum;
}

double Couplings::along(int n, const Twists& x) const {
    double sum = 0;
    for (int k = lines_[n].first; k < lines_[n].first + lines_[n].count; ++k)
        sum += touches_[k].lin.dot(x[touches_[k].body].v) + touches_[k].ang.dot(x[touches_[k].body].w);
    return sum;
}

void Couplings::rates(const Twists& x, double* out) const {
    for (int n = 0; n < lines(); ++n) out[n] = along(n, x);
}

void Couplings::free_response(int n, Twists& x) const {
    const Metric& inverse = dynamics_.placement.inverse();
    clear(x);
    for (int k = lines_[n].first; k < lines_[n].first + lines_[n].count; ++k) {
        const Touch& touch = touches_[k];
        x[touch.body] = {inverse.mass[touch.body] * touch.lin, inverse.inertia[touch.body] * touch.ang};
    }
}

void Couplings::add_push(int n, double force, Pushes& out) const {
    for (int k = lines_[n].first; k < lines_[n].first + lines_[n].count; ++k) {
        out[touches_[k].body].f += force * touches_[k].lin;
        out[touches_[k].body].t += force * touches_[k].ang;
    }
}

double Couplings::force(int n, const double* values, const double* rates) const {
    double sum = 0;
    for (int k = answers_[n].first; k < answers_[n].first + answers_[n].count; ++k)
        sum += slopes_[k].value * (slopes_[k].source == Source::Rate ? rates : values)[slopes_[k].index];
    return sum;
}

}  // namespace vincolo
