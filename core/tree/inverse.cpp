#include "tree/inverse.hpp"

namespace vincolo::tree {

Inverse::Inverse(const System& system, const std::vector<double>& y, const std::vector<double>& turns, const std::vector<int>& quantities)
    : placement_(system), tree_(system, placement_.auxiliaries()), quantities_(placement_), loads_(tree_, placement_, quantities_), q_(tree_.positions(), 0.0),
      u_(tree_.velocities(), 0.0), du_(u_), pushes_(u_) {
    tree_.take_shape(y.data());
    placement_.turns.values() = turns;
    placement_.load_auxiliaries(0, y.data() + system.auxiliary_index());
    for (char open : tree_.left()) left_ = left_ || open;
    std::vector<char> taken(u_.size(), 0);
    for (int n : quantities) {
        const Quantity& quantity = system.quantities[n];
        const bool plain = quantity.count == 1 && quantity.formula < 0;
        const Measure& m = system.measures[system.terms[quantity.first].measure];
        double sign = 0;
        const int link = plain ? tree_.link_along(m, sign) : -1;
        const int place = link < 0 ? -1 : tree_.links()[link].u;
        places_.push_back(place);
        if (place < 0) continue;
        columns_.push_back({tree_.links()[link].q, place, m.turn, sign, sign / system.terms[quantity.first].factor});
        known_ += !taken[place];
        taken[place] = 1;
    }
}

void Inverse::find(double t, const double* x, const double* rates, const double* accelerations, double* forces) {
    placement_.turns.start(t);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
        const Column& c = columns_[k];
        q_[c.q] = c.factor * x[k], u_[c.u] = c.factor * rates[k], du_[c.u] = c.factor * accelerations[k];
        if (c.turn >= 0) placement_.turns.values()[c.turn] = c.sign * q_[c.q];
    }
    tree_.move_given(t, q_.data(), u_.data(), du_.data());
    if (loads_.need_bodies()) loads_.place_bodies(t);
    loads_.push(t, q_.data(), u_.data());
    tree_.collect(pushes_.data());
    for (std::size_t k = 0; k < columns_.size(); ++k) forces[k] = columns_[k].factor * pushes_[columns_[k].u];
}

}  // namespace vincolo::tree
