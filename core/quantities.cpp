#include "quantities.hpp"

#include <algorithm>

namespace vincolo {

Quantities::Quantities(const Placement& placement) : placement_(placement), system_(placement.system()) {
    for (const Term& term : system_.terms) factor_.push_back(term.factor);
    work_.resize(system_.formulas.size());
    std::size_t most = 1;
    for (std::size_t q = 0; q < system_.quantities.size(); ++q) {
        const Quantity& quantity = system_.quantities[q];
        most = std::max(most, 2 * static_cast<std::size_t>(quantity.count));
        if (quantity.formula >= 0) work_[quantity.formula] = {static_cast<int>(q), 0, 0};
    }
    if (work_.empty()) return;
    term_gradients_.resize(system_.terms.size());
    for (std::vector<double>* x : {&numbers_, &adjoints_}) x->resize(system_.scratch);
    jets_.resize(system_.scratch);
    inputs_.resize(most);
    jet_inputs_.resize(most);
}

double Quantities::value(int n) const {
    const Quantity& q = system_.quantities[n];
    if (q.formula >= 0) return work_[q.formula].value;
    double value = 0;
    for (int k = q.first; k < q.first + q.count; ++k) value += factor_[k] * placement_.value_of(system_.terms[k].measure);
    return value;
}

void Quantities::read(int n, double& out, double& rate) const {
    const Quantity& q = system_.quantities[n];
    out = value(n);
    rate = 0;
    for (int k = q.first; k < q.first + q.count; ++k) {
        const int m = system_.terms[k].measure;
        rate += factor_[k] * placement_.rate_of(m, placement_.gradient_of(m));
    }
    if (q.formula >= 0) rate += formula_rate(q.formula);
}

double Quantities::acceleration(int n, const Twists& acc) {
    const Quantity& q = system_.quantities[n];
    double sum = q.formula < 0 ? 0 : formula_bias(q.formula);
    for (int k = q.first; k < q.first + q.count; ++k) {
        const int m = system_.terms[k].measure;
        const Gradient g = placement_.gradient_of(m);
        const Twist &a = acc[system_.frames[system_.measures[m].a].body], &b = acc[system_.frames[system_.measures[m].b].body];
        const double own = q.formula < 0 ? placement_.bias_of(m) : 0;
        sum += factor_[k] * (g.lin.dot(b.v - a.v) + g.on_a.dot(a.w) + g.on_b.dot(b.w) + own);
    }
    return sum;
}

void Quantities::push_along(int n, double force, Pushes& out) const {
    const Quantity& q = system_.quantities[n];
    for (int k = q.first; k < q.first + q.count; ++k) {
        const Measure& m = system_.measures[system_.terms[k].measure];
        const Gradient g = q.formula >= 0 ? term_gradients_[k] : placement_.gradient_of(system_.terms[k].measure);
        const double f = force * factor_[k];
        Push &a = out[system_.frames[m.a].body], &b = out[system_.frames[m.b].body];
        a.f -= f * g.lin, a.t += f * g.on_a;
        b.f += f * g.lin, b.t += f * g.on_b;
    }
}

double Quantities::formula_rate(int n) const { return system_.formulas[n].rates ? work_[n].value : work_[n].by_time; }

double Quantities::time_rate(int n) const {
    const Quantity& q = system_.quantities[n];
    double sum = 0;
    if (q.formula >= 0) sum = formula_rate(q.formula);
    if (!system_.moving.empty())
        for (int k = q.first; k < q.first + q.count; ++k) sum += factor_[k] * placement_.time_rate_of(system_.terms[k].measure);
    return sum;
}

// A formula's row is that of a sum whose factors are its derivatives
void Quantities::refresh(double t) {
    for (std::size_t n = 0; n < work_.size(); ++n) {
        const Formula& formula = system_.formulas[n];
        Work& work = work_[n];
        const Quantity& q = system_.quantities[work.quantity];
        for (int k = 0; k < q.count; ++k) {
            const Term& term = system_.terms[q.first + k];
            const Measure& m = system_.measures[term.measure];
            Gradient& g = term_gradients_[q.first + k] = placement_.gradient_of(term.measure);
            if (m.turn >= 0) g.value = placement_.unwrapped(m, g.value);
            inputs_[k] = term.factor * g.value;
            inputs_[q.count + k] = 0;
        }
        work.value = formula.tape.run(t, inputs_.data(), numbers_.data(), formula.parts.data());
        work.by_time = formula.tape.gradient(numbers_.data(), adjoints_.data(), formula.rates ? 2 * q.count : q.count, inputs_.data(),
                                             formula.parts.data(), jets_.data());
        for (int k = 0; k < q.count; ++k)
            factor_[q.first + k] = system_.terms[q.first + k].factor * inputs_[formula.rates ? q.count + k : k];
    }
}

// What a measure's series is without accelerations: its value, rate and bias
Jet Quantities::formula_series(int n) {
    const Formula& formula = system_.formulas[n];
    const Quantity& q = system_.quantities[work_[n].quantity];
    for (int k = 0; k < q.count; ++k) {
        const Term& term = system_.terms[q.first + k];
        const Gradient& g = term_gradients_[q.first + k];
        const double rate = placement_.rate_of(term.measure, g), second = placement_.bias_of(term.measure);
        jet_inputs_[k] = {term.factor * g.value, term.factor * rate, term.factor * second};
        jet_inputs_[q.count + k] = {term.factor * rate, term.factor * second, 0};
    }
    return formula.tape.run(Jet::variable(placement_.time()), jet_inputs_.data(), jets_.data(), formula.parts.data());
}

double Quantities::formula_bias(int n) {
    const Jet g = formula_series(n);
    return system_.formulas[n].rates ? g.d : g.dd;
}

}  // namespace vincolo
