#include "couplings.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

namespace {

constexpr int most_places = 16;

// Of a pair of shapes; where faces are cut against each other, as many as a box has corners
int most_points(ShapeKind a, ShapeKind b) {
    if (b == ShapeKind::Sphere || a == ShapeKind::Sphere) return 1;
    return b == ShapeKind::Capsule ? 2 : 8;
}

}  // namespace

Couplings::Couplings(Dynamics& dynamics, bool with_states)
    : dynamics_(dynamics), system_(dynamics.system()), with_states_(with_states), answer_of_(system_.auxiliaries.size(), -1) {
    add_laws(false);
    for (std::size_t k = 0; k < answer_of_.size() && with_states; ++k)
        if (system_.auxiliaries[k].moves()) answer_of_[k] = size(), answers_.push_back({-1, static_cast<int>(k), -1, 0, 0});
    add_contacts();
    joined_ = size();
    add_laws(true);
    std::size_t most = 1;
    for (Answer& answer : answers_) add_slopes(answer), most = std::max(most, static_cast<std::size_t>(answer.count));
    partials_.resize(most);
    unit_.assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
}

bool Couplings::changes(const Reading& r) const {
    if (r.source == Source::Force) return false;
    return r.source != Source::Auxiliary || (with_states_ && system_.auxiliaries[r.index].moves());
}

bool Couplings::alone(int n) const {
    const Law& law = system_.laws[n];
    return std::all_of(law.formula.readings.begin(), law.formula.readings.end(), [&](const Reading& r) {
        return !changes(r) || (r.source != Source::Auxiliary && r.index == law.quantity);
    });
}

// Nothing for what does not depend on the motion or acts between points of the ground
void Couplings::add_laws(bool those_alone) {
    for (int n = 0; n < static_cast<int>(system_.laws.size()); ++n) {
        const std::vector<Reading>& readings = system_.laws[n].formula.readings;
        if (alone(n) != those_alone || std::none_of(readings.begin(), readings.end(), [&](const Reading& r) { return changes(r); })) continue;
        const int line = line_of(system_.laws[n].quantity);
        if (lines_[line].count > 0) answers_.push_back({n, -1, line, 0, 0});
    }
}

const std::vector<Reading>& Couplings::readings(const Answer& answer) const {
    return answer.law >= 0 ? system_.laws[answer.law].formula.readings : system_.auxiliaries[answer.state].rate.readings;
}

void Couplings::add_slopes(Answer& answer) {
    answer.first = static_cast<int>(slopes_.size());
    if (answer.law < 0 && answer.state < 0) {  // by the depth of its point, and by all three rates there
        const int normal = answer.line - (answer.line - first_line_) % 3;
        answer.count = 4;
        slopes_.push_back({Source::Value, normal, 0});
        for (int c = 0; c < 3; ++c) slopes_.push_back({Source::Rate, normal + c, 0});
        return;
    }
    answer.count = static_cast<int>(readings(answer).size());
    for (const Reading& r : readings(answer)) slopes_.push_back({r.source, r.source == Source::Force ? -1 : r.source == Source::Auxiliary ? answer_of_[r.index] : line_of(r.index), 0});
}

// Room for some points: more than those that there is room for are left to the iterations of a step
void Couplings::add_contacts() {
    if (!system_.contact.any(false)) return;
    for (const ContactPair& pair : system_.contact.pairs)
        if (!system_.contact.laws[pair.contact].rigid) places_ += most_points(system_.contact.shapes[pair.a].kind, system_.contact.shapes[pair.b].kind);
    places_ = std::min(places_, most_places);
    first_place_ = size(), first_line_ = lines();
    for (int k = 0; k < 3 * places_; ++k) {
        answers_.push_back({-1, -1, lines(), 0, 0});
        lines_.push_back({-1, static_cast<int>(touches_.size()), 0});
        for (int side = 0; side < 2; ++side) touches_.push_back({0, Vec3::Zero(), Vec3::Zero()});
    }
}

void Couplings::clear_contact(int place) {
    for (int c = 0; c < 3; ++c) {
        lines_[first_line_ + 3 * place + c].count = 0;
        const Answer& answer = answers_[first_place_ + 3 * place + c];
        for (int k = answer.first; k < answer.first + answer.count; ++k) slopes_[k].value = 0;
    }
}

void Couplings::find_contacts() {
    if (places_ == 0) return;
    const std::vector<Spot>& touches = dynamics_.forces.contacts()->find(false);
    for (int place = 0; place < places_; ++place) {
        clear_contact(place);
        if (place < static_cast<int>(touches.size()) && touches[place].gap < 0) find_contact(touches[place], place);
    }
}

// f = N n - mu N s / sqrt(s^2 + creep^2) with N = k d^m (1 + chi d') + c d': slopes by the way along n, and by the rates along n, t1, t2
void Couplings::find_contact(const Spot& touch, int place) {
    const Contacts& contacts = *dynamics_.forces.contacts();
    const ContactLaw& law = contacts.law(touch);
    Vec3 D[3] = {touch.n, touch.n.unitOrthogonal(), Vec3::Zero()};
    D[2] = touch.n.cross(D[1]);
    for (int c = 0; c < 3; ++c) {
        Line& line = lines_[first_line_ + 3 * place + c];
        for (int body : {touch.a, touch.b}) {
            if (body == system_.ground()) continue;
            const double sign = body == touch.b ? 1 : -1;
            const Vec3 arm = touch.p - dynamics_.placement.bodies()[body].r;
            touches_[line.first + line.count++] = {body, sign * D[c], sign * arm.cross(D[c])};
        }
    }
    const Vec3 u = contacts.rate(touch);
    const double depth = -touch.gap, closing = -touch.n.dot(u);
    const double elastic = touch.weight * law.k * std::pow(depth, law.exponent), stiffness = law.exponent * elastic / depth * (1 + law.chi * closing);
    const double damping = elastic * law.chi + touch.weight * law.c, normal = elastic * (1 + law.chi * closing) + touch.weight * law.c * closing;
    if (!(normal > 0)) return;
    const double slip[] = {0, D[1].dot(u), D[2].dot(u)}, smooth = std::sqrt(slip[1] * slip[1] + slip[2] * slip[2] + law.creep * law.creep);
    for (int c = 0; c < 3; ++c) {
        AnswerSlope* slope = &slopes_[answers_[first_place_ + 3 * place + c].first];
        const double share = c == 0 ? 1 : law.friction > 0 ? -law.friction * slip[c] / smooth : 0;
        slope[0].value = -share * stiffness, slope[1].value = -share * damping;
        for (int t = 1; t < 3 && c > 0 && law.friction > 0; ++t)
            slope[1 + t].value = -law.friction * normal / smooth * ((c == t) - slip[c] * slip[t] / (smooth * smooth));
    }
}

int Couplings::line_of(int quantity) {
    for (std::size_t k = 0; k < lines_.size(); ++k)
        if (lines_[k].quantity == quantity) return static_cast<int>(k);
    const Quantity& q = system_.quantities[quantity];
    const int first = static_cast<int>(touches_.size());
    for (int k = q.first; k < q.first + q.count; ++k) {
        const Measure& m = system_.measures[system_.terms[k].measure];
        for (int frame : {m.a, m.b}) add_touch(first, system_.frames[frame].body);
    }
    lines_.push_back({quantity, first, static_cast<int>(touches_.size()) - first});
    return lines() - 1;
}

// One for each moving body
void Couplings::add_touch(int first, int body) {
    const bool known = std::any_of(touches_.begin() + first, touches_.end(), [&](const Touch& touch) { return touch.body == body; });
    if (!known && body != system_.ground()) touches_.push_back({body, Vec3::Zero(), Vec3::Zero()});
}

void Couplings::prepare(double t) {
    find_contacts();
    for (const Line& line : lines_)
        if (line.quantity >= 0) find_line(line);
    for (int n = 0; n < size(); ++n)
        if (answers_[n].law >= 0 || answers_[n].state >= 0) find_slopes(answers_[n], n >= joined_, t);
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
    const Metric& inverse = dynamics_.placement.inverse();
    for (int k = line.first; k < line.first + line.count && inverse.flat; ++k) {  // rows left out carry what acts across a plane
        Touch& touch = touches_[k];
        touch.lin = inverse.moving_part(touch.body, touch.lin), touch.ang = inverse.turning_part(touch.body, touch.ang);
    }
}

void Couplings::find_slopes(const Answer& answer, bool alone, double t) {
    const double sign = answer.law >= 0 ? system_.laws[answer.law].sign : 1;
    if (answer.law >= 0) dynamics_.forces.law_partials(answer.law, t, partials_.data());
    else if (answer.count > 0) dynamics_.auxiliaries.partials(answer.state, t, partials_.data());
    for (int k = 0; k < answer.count; ++k) {
        AnswerSlope& slope = slopes_[answer.first + k];
        const double value = slope.index < 0 ? 0 : sign * partials_[k];
        slope.value = alone ? std::min(0.0, value) : value;  // what pushes outwards is not stiff
    }
}

double Couplings::resistance(int n, Source source) const {
    double sum = 0;
    for (int k = answers_[n].first; k < answers_[n].first + answers_[n].count; ++k)
        if (slopes_[k].source == source) sum -= slopes_[k].value;
    return sum;
}

double Couplings::response(int n, const double* values, const double* rates, const double* states) const {
    double sum = 0;
    for (int k = answers_[n].first; k < answers_[n].first + answers_[n].count; ++k) {
        const AnswerSlope& slope = slopes_[k];
        if (slope.index >= 0) sum += slope.value * (slope.source == Source::Auxiliary ? states : slope.source == Source::Rate ? rates : values)[slope.index];
    }
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

void Couplings::respond(int n, Twists& x, double* found) {
    clear(unit_);
    add_push(answers_[n].line, 1, unit_);
    dynamics_.solve.respond(unit_, x);
    rates(x, found);
}

}  // namespace vincolo
