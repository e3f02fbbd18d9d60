#include "dynamics.hpp"

namespace vincolo {

Vec3 Dynamics::load_vector(const Load& load, double t) {
    Vec3 f;
    for (int c = 0; c < 3; ++c) f[c] = system_.functions[load.functions[c]](t, jets_.data()).f;
    return load.body_axes ? Vec3(frames[load.frame].axes * f) : f;
}

void Dynamics::apply_forces(double t) {
    power = 0;
    for (int b : loaded_) bodies[b].force.setZero(), bodies[b].torque.setZero();
    for (const Load& load : system_.loads) {
        BodyWork& body = bodies[system_.frames[load.frame].body];
        const Vec3 world = load_vector(load, t);
        if (load.torque) {
            body.torque += world;
            power += world.dot(body.w);
        } else {
            body.force += world;
            body.torque += frames[load.frame].s.cross(world);
            power += world.dot(body.v + body.w.cross(frames[load.frame].s));
        }
    }
    for (std::size_t n = 0; n < system_.laws.size(); ++n) {
        const Law& law = system_.laws[n];
        const Quantity& q = system_.quantities[law.quantity];
        double value = 0, rate = 0, force, spent;
        for (int k = q.first; k < q.first + q.count; ++k) {
            const Measure& m = system_.measures[system_.terms[k].measure];
            const Gradient& g = gradients_[k - q.first] = gradient(m, frames[m.a], frames[m.b]);
            value += factor[k] * (m.turn < 0 ? g.value : unwrapped(m, g.value));
            rate += factor[k] * rate_of(system_.terms[k].measure, g);
        }
        if (q.formula >= 0) value = formula_work_[q.formula].value, rate += formula_rate(q.formula);
        law_force(static_cast<int>(n), t, value, rate, force, spent);
        power += spent - law.sign * force * time_rate(law.quantity);  // what moves its frames takes its share
        for (int k = q.first; k < q.first + q.count; ++k) {
            const Measure& m = system_.measures[system_.terms[k].measure];
            const Gradient& g = gradients_[k - q.first];
            const double f = law.sign * force * factor[k];
            BodyWork &a = bodies[system_.frames[m.a].body], &b = bodies[system_.frames[m.b].body];
            a.force -= f * g.lin, a.torque += f * g.on_a;
            b.force += f * g.lin, b.torque += f * g.on_b;
        }
    }
    for (int b : loaded_) {
        bodies[b].free_v += inverse_mass[b] * bodies[b].force;
        if (b < system_.ground()) bodies[b].free_w += bodies[b].by_axes(inverse_moments_[b], bodies[b].torque);
    }
}

double Dynamics::quantity_value(int n) const {
    const Quantity& q = system_.quantities[n];
    if (q.formula >= 0) return formula_work_[q.formula].value;
    double value = 0;
    for (int k = q.first; k < q.first + q.count; ++k) value += factor[k] * measured(system_.terms[k].measure);
    return value;
}

void Dynamics::quantity(int n, double& value, double& rate) const {
    const Quantity& q = system_.quantities[n];
    value = quantity_value(n);
    rate = 0;
    for (int k = q.first; k < q.first + q.count; ++k) {
        const Measure& m = system_.measures[system_.terms[k].measure];
        rate += factor[k] * rate_of(system_.terms[k].measure, gradient(m, frames[m.a], frames[m.b]));
    }
    if (q.formula >= 0) rate += formula_rate(q.formula);
}

double Dynamics::quantity_acceleration(int n) {
    const Quantity& q = system_.quantities[n];
    double sum = q.formula < 0 ? 0 : system_.formulas[q.formula].rates ? formula_series(q.formula).d : formula_series(q.formula).dd;
    for (int k = q.first; k < q.first + q.count; ++k) {
        const int m = system_.terms[k].measure;
        const Measure& measure = system_.measures[m];
        const Gradient g = gradient(measure, frames[measure.a], frames[measure.b]);
        const BodyWork &a = bodies[system_.frames[measure.a].body], &b = bodies[system_.frames[measure.b].body];
        sum += factor[k] * (g.lin.dot(b.acc_v - a.acc_v) + g.on_a.dot(a.acc_w) + g.on_b.dot(b.acc_w) + (q.formula < 0 ? bias_of(m) : 0));
    }
    return sum;
}

void Dynamics::observe_quantities(double* values, double* rates) {
    for (std::size_t q = 0; q < system_.quantities.size(); ++q) quantity(static_cast<int>(q), values[q], rates[q]);
}

void Dynamics::law_force(int n, double t, double value, double rate, double& force, double& spent) {
    const Law& law = system_.laws[n];
    if (law.kind == LawKind::Spring) {
        force = law.k * (value - law.rest) + law.c * rate + law.preload;
    } else if (law.kind == LawKind::Curve) {
        force = system_.functions[law.function].spline(value).f;
    } else if (law.kind == LawKind::Timed) {
        force = system_.functions[law.function](t, jets_.data()).f;
    } else {
        for (std::size_t k = 0; k < law.inputs.size(); ++k) {
            double x = value, v = rate;
            if (law.inputs[k].quantity != law.quantity) quantity(law.inputs[k].quantity, x, v);
            inputs_[k] = law.inputs[k].rate ? v : x;
        }
        force = law.tape.run(t, inputs_.data(), numbers_.data());
    }
    spent = law.sign * (stores(law) ? law.c * rate : force) * rate;
}

// A quantity that is a velocity has no value that energy could be stored by
bool Dynamics::stores(const Law& law) const {
    const int formula = system_.quantities[law.quantity].formula;
    return (law.kind == LawKind::Spring || law.kind == LawKind::Curve) && !(formula >= 0 && system_.formulas[formula].rates);
}

void Dynamics::law_slopes(int n, double t, double& by_value, double& by_rate) {
    const Law& law = system_.laws[n];
    by_value = by_rate = 0;
    if (law.kind == LawKind::Spring) {
        by_value = law.k, by_rate = law.c;
    } else if (law.kind == LawKind::Curve) {
        by_value = system_.functions[law.function].spline(quantity_value(law.quantity)).d;
    } else if (law.kind == LawKind::Tape) {
        for (const bool rates : {false, true}) {
            for (std::size_t k = 0; k < law.inputs.size(); ++k) {
                double value, rate;
                quantity(law.inputs[k].quantity, value, rate);
                const bool own = law.inputs[k].quantity == law.quantity && law.inputs[k].rate == rates;
                jet_inputs_[k] = {law.inputs[k].rate ? rate : value, own ? 1.0 : 0.0, 0};
            }
            (rates ? by_rate : by_value) = law.tape.run(constant<Jet>(t), jet_inputs_.data(), jets_.data()).d;
        }
        if (!std::isfinite(by_value)) by_value = 0;  // at a kink
        if (!std::isfinite(by_rate)) by_rate = 0;
    }
}

// Energy stored by a law; zero where its work counts as power
double Dynamics::law_potential(int n) const {
    const Law& law = system_.laws[n];
    if (!stores(law)) return 0;
    const double x = quantity_value(law.quantity);
    if (law.kind == LawKind::Curve) return -law.sign * system_.functions[law.function].spline_integral(x);
    return -law.sign * (0.5 * law.k * (x - law.rest) + law.preload) * (x - law.rest);
}

double Dynamics::load_power(int n, double t) {
    const Load& load = system_.loads[n];
    const Vec3 world = load_vector(load, t);
    const BodyWork& body = bodies[system_.frames[load.frame].body];
    return load.torque ? world.dot(body.w) : world.dot(body.v + body.w.cross(frames[load.frame].s));
}

double Dynamics::kinetic_energy() const {
    double sum = 0;
    for (int b = 0; b < system_.ground(); ++b) {
        const Vec3 w = bodies[b].A.transpose() * bodies[b].w;
        sum += 0.5 * system_.bodies[b].mass * bodies[b].v.squaredNorm() + 0.5 * w.dot(system_.bodies[b].inertia.cwiseProduct(w));
    }
    return sum;
}

double Dynamics::potential_energy() const {
    double sum = 0;
    for (int b = 0; b < system_.ground(); ++b) sum -= system_.bodies[b].mass * system_.gravity.dot(bodies[b].r);
    for (std::size_t n = 0; n < system_.laws.size(); ++n) sum += law_potential(static_cast<int>(n));
    return sum;
}

}  // namespace vincolo
