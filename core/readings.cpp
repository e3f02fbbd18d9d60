#include "readings.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

Readings::Readings(const Placement& placement, const Quantities& quantities) : placement_(placement), quantities_(quantities) {
    const System& system = placement.system();
    std::size_t most = 1;
    for (const Law& law : system.laws) most = std::max(most, law.formula.readings.size());
    for (const Auxiliary& state : system.auxiliaries) most = std::max({most, state.rate.readings.size(), state.sensed.readings.size()});
    for (const Expression& output : system.outputs) most = std::max(most, output.readings.size());
    for (const Rub& rub : system.rubs) most = std::max(most, rub.bound.readings.size());
    for (const Event& event : system.events) {
        most = std::max(most, event.when.readings.size());
        for (const Action& action : event.actions) most = std::max(most, action.value.readings.size());
    }
    read_.resize(most);
    for (std::vector<double>* x : {&numbers_, &adjoints_}) x->resize(system.scratch);
    jets_.resize(system.scratch);
}

double Readings::read(const Reading& reading) const {
    if (reading.source == Source::Auxiliary) return placement_.auxiliaries()[reading.index].f;
    if (reading.source == Source::Force) return forces[reading.index];
    if (reading.source == Source::Value) return quantities_.value(reading.index);
    double value, rate;
    quantities_.read(reading.index, value, rate);
    return rate;
}

double Readings::value(const Expression& e, double t) {
    for (std::size_t k = 0; k < e.readings.size(); ++k) read_[k] = read(e.readings[k]);
    return found(e, t);
}

double Readings::found(const Expression& e, double t) {
    if (e.called) return e.called->value(t, read_.data(), static_cast<int>(e.readings.size()));
    return e.tape.run(t, read_.data(), numbers_.data());
}

double Readings::value(const Expression& e, double t, const Known& known) {
    for (std::size_t k = 0; k < e.readings.size(); ++k) {
        const Reading& r = e.readings[k];
        const bool own = (r.source == Source::Value || r.source == Source::Rate) && r.index == known.quantity;
        read_[k] = !own ? read(r) : r.source == Source::Rate ? known.rate : known.value;
    }
    return found(e, t);
}

double Readings::slopes(const Expression& e, double t, double* out) {
    value(e, t);
    if (e.called) return differences(e, t, out);
    return e.tape.gradient(numbers_.data(), adjoints_.data(), static_cast<int>(e.readings.size()), out, nullptr, jets_.data());
}

// What is called is no formula: its slopes are taken by central differences
double Readings::differences(const Expression& e, double t, double* out) {
    const auto slope = [&](double& x) {
        const double at = x, h = 1e-6 * std::max(1e-2, std::abs(at));
        x = at + h;
        const double above = found(e, t);
        x = at - h;
        const double below = found(e, t);
        x = at;
        return (above - below) / (2 * h);
    };
    for (std::size_t k = 0; k < e.readings.size(); ++k) out[k] = slope(read_[k]);
    return slope(t);
}

void Readings::smooth_slopes(const Expression& e, double t, double* out) {
    slopes(e, t, out);
    for (std::size_t k = 0; k < e.readings.size(); ++k)
        if (!std::isfinite(out[k])) out[k] = 0;
}

}  // namespace vincolo
