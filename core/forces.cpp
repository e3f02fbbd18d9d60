#include "forces.hpp"

#include <algorithm>

#include "contact/contacts.hpp"

namespace vincolo {

Forces::Forces(const Placement& placement, Quantities& quantities)
    : placement_(placement), quantities_(quantities), system_(placement.system()), readings_(placement, quantities) {
    free_.assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    pushes_.assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    std::size_t terms = 1;
    for (const Load& load : system_.loads) loaded_.push_back(system_.frames[load.frame].body);
    for (const Law& law : system_.laws) {
        const Quantity& q = system_.quantities[law.quantity];
        terms = std::max(terms, static_cast<std::size_t>(q.count));
        for (int t = q.first; t < q.first + q.count; ++t) {
            const Measure& m = system_.measures[system_.terms[t].measure];
            for (int frame : {m.a, m.b}) loaded_.push_back(system_.frames[frame].body);
        }
    }
    if (system_.contact.any()) {
        contacts_ = std::make_unique<Contacts>(placement);
        yields_ = system_.contact.any(false);
        for (const ContactShape& shape : system_.contact.shapes) loaded_.push_back(shape.body);
    }
    std::sort(loaded_.begin(), loaded_.end());
    loaded_.erase(std::unique(loaded_.begin(), loaded_.end()), loaded_.end());
    gradients_.resize(terms);
    found_.assign(system_.laws.size(), 0);
    push_ = pushes_;
    jets_.resize(system_.scratch);
}

Forces::~Forces() = default;

Vec3 Forces::load_vector(const Load& load, double t) {
    if (!acts(load.gate)) return Vec3::Zero();
    Vec3 f;
    for (int c = 0; c < 3; ++c) f[c] = system_.functions[load.functions[c]](t, jets_.data(), placement_.auxiliaries()).f;
    return load.body_axes ? Vec3(placement_.frames()[load.frame].axes * f) : f;
}

double Forces::load_power(const Load& load, const Vec3& world) const {
    const Twist& u = placement_.velocities()[system_.frames[load.frame].body];
    return load.torque ? world.dot(u.w) : world.dot(u.v + u.w.cross(placement_.frames()[load.frame].s));
}

void Forces::apply_load(const Load& load, double t) {
    Push& push = pushes_[system_.frames[load.frame].body];
    const Vec3 world = load_vector(load, t);
    power_ += load_power(load, world);
    if (load.torque) {
        push.t += world;
    } else {
        push.f += world;
        push.t += placement_.frames()[load.frame].s.cross(world);
    }
}

void Forces::apply_law(int n, double t) {
    const Law& given = system_.laws[n];
    const Quantity& q = system_.quantities[given.quantity];
    double value = 0, rate = 0, force, spent;
    for (int k = q.first; k < q.first + q.count; ++k) {
        const int measure = system_.terms[k].measure;
        const Measure& m = system_.measures[measure];
        const Gradient& g = gradients_[k - q.first] = placement_.gradient_of(measure);
        value += quantities_.factor(k) * (m.turn < 0 ? g.value : placement_.unwrapped(m, g.value));
        rate += quantities_.factor(k) * placement_.rate_of(measure, g);
    }
    if (q.formula >= 0) value = quantities_.formula_value(q.formula), rate += quantities_.formula_rate(q.formula);
    law(n, t, value, rate, force, spent);
    power_ += spent - given.sign * force * quantities_.time_rate(given.quantity);  // what moves its frames takes its share
    for (int k = q.first; k < q.first + q.count; ++k) {
        const Measure& m = system_.measures[system_.terms[k].measure];
        const Gradient& g = gradients_[k - q.first];
        const double f = given.sign * force * quantities_.factor(k);
        Push &a = pushes_[system_.frames[m.a].body], &b = pushes_[system_.frames[m.b].body];
        a.f -= f * g.lin, a.t += f * g.on_a;
        b.f += f * g.lin, b.t += f * g.on_b;
    }
}

void Forces::find_pushes(double t) {
    power_ = 0;
    for (int b : loaded_) pushes_[b].f.setZero(), pushes_[b].t.setZero();
    for (const Load& load : system_.loads) apply_load(load, t);
    for (std::size_t n = 0; n < system_.laws.size(); ++n)
        if (!system_.laws[n].reacts) apply_law(static_cast<int>(n), t);
    if (yields_) power_ += contacts_->push(pushes_);
    if (told_ && contacts_) power_ += contacts_->push_told(pushes_);
}

void Forces::set_found(int n, double force) {
    const Law& law = system_.laws[n];
    found_[n] = force;
    if (force == 0) return;
    double value, rate;
    quantities_.read(law.quantity, value, rate);
    power_ += law.sign * force * (rate - quantities_.time_rate(law.quantity));
    clear(push_);
    quantities_.push_along(law.quantity, law.sign * force, push_);
    for (int b : loaded_) {
        pushes_[b].f += push_[b].f, pushes_[b].t += push_[b].t;
        free_[b].v += placement_.inverse().mass[b] * push_[b].f;
        if (b < system_.ground()) free_[b].w += placement_.turned(b, push_[b].t);
    }
}

// A body alone under gravity: w' = -A J^-1 (w x J w); then loads and laws
void Forces::apply(double t) {
    const Metric& inverse = placement_.inverse();
    for (int b = 0; b < system_.ground(); ++b) {
        if (inverse.is_flat(b)) {
            free_[b] = {inverse.moving_part(b, system_.gravity), Vec3::Zero()};
            continue;
        }
        const Mat3& A = placement_.bodies()[b].A;
        const Vec3 w = A.transpose() * placement_.velocities()[b].w;
        free_[b].v = placement_.weight_share(b) * system_.gravity;
        free_[b].w = A * placement_.inverse_moments(b).cwiseProduct(system_.bodies[b].inertia.cwiseProduct(w).cross(w));
    }
    find_pushes(t);
    for (int b : loaded_) {
        free_[b].v += inverse.mass[b] * inverse.moving_part(b, pushes_[b].f);
        if (b < system_.ground()) free_[b].w += placement_.turned(b, pushes_[b].t);
    }
}

// Free accelerations are those over inertias with ballast
Push Forces::on(int b) const {
    const Mat3& A = placement_.bodies()[b].A;
    const Body& body = system_.bodies[b];
    return {(body.mass + body.mass_ballast) * free_[b].v, A * (body.inertia + body.ballast).cwiseProduct(A.transpose() * free_[b].w)};
}

void Forces::law(int n, double t, double value, double rate, double& force, double& spent) {
    const Law& law = system_.laws[n];
    force = spent = 0;
    if (!acts(law.gate)) return;
    if (law.reacts) {
        force = found_[n];
    } else if (law.kind == LawKind::Spring) {
        force = law.k * (value - law.rest) + law.c * rate + law.preload;
    } else if (law.kind == LawKind::Curve) {
        force = system_.functions[law.function].spline(value).f;
    } else if (law.kind == LawKind::Timed) {
        force = system_.functions[law.function](t, jets_.data(), placement_.auxiliaries()).f;
    } else {
        force = readings_.value(law.formula, t, {law.quantity, value, rate});
    }
    spent = law.sign * (stores(law) ? law.c * rate : force) * rate;
}

// A quantity that is a velocity has no value that energy could be stored by
bool Forces::stores(const Law& law) const {
    const int formula = system_.quantities[law.quantity].formula;
    return (law.kind == LawKind::Spring || law.kind == LawKind::Curve) && !(formula >= 0 && system_.formulas[formula].rates);
}

void Forces::law_partials(int n, double t, double* out) {
    const Law& law = system_.laws[n];
    if (law.kind == LawKind::Spring) {
        out[0] = law.k, out[1] = law.c;
    } else if (law.kind == LawKind::Curve) {
        out[0] = system_.functions[law.function].spline(quantities_.value(law.quantity)).d;
    } else if (law.kind == LawKind::Tape) {
        readings_.smooth_slopes(law.formula, t, out);
    }
    if (!acts(law.gate)) std::fill(out, out + law.formula.readings.size(), 0.0);
}

// Energy stored by a law; zero where its work counts as power
double Forces::law_potential(int n) const {
    const Law& law = system_.laws[n];
    if (!stores(law) || !acts(law.gate)) return 0;
    const double x = quantities_.value(law.quantity);
    if (law.kind == LawKind::Curve) return -law.sign * system_.functions[law.function].spline_integral(x);
    return -law.sign * (0.5 * law.k * (x - law.rest) + law.preload) * (x - law.rest);
}

double Forces::potential_energy() const {
    double sum = 0;
    for (int b = 0; b < system_.ground(); ++b) sum -= system_.bodies[b].mass * system_.gravity.dot(placement_.bodies()[b].r);
    for (std::size_t n = 0; n < system_.laws.size(); ++n) sum += law_potential(static_cast<int>(n));
    return yields_ ? sum + contacts_->stored() : sum;
}

}  // namespace vincolo
