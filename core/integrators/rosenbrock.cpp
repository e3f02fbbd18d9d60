#include "integrators/rosenbrock.hpp"

namespace vincolo {

Rosenbrock::Rosenbrock(Dynamics& dynamics) : flow_(dynamics, {1, 1, 1, 1, 1, {false, false}}, 1) {
    for (State* x : {&start_, &at_, &f_, &k1_, &k2_}) x->assign(flow_.size(), 0);
}

// (1 - g h F) k1 = f(y), (1 - g h F) k2 = f(y + h k1) - 2 k1, y_new = y + h (3 k1 + k2) / 2
void Rosenbrock::step(double t, double h, const State& y, State& y_new) {
    constexpr double g = 0.29289321881345248;  // 1 - 1/sqrt 2: damps the stiffest motion at once
    flow_.to_body(y, start_);
    flow_.slope(t, start_, f_);
    flow_.linearise(0, t, g * h);
    flow_.invert(0, start_, f_, k1_);
    for (std::size_t k = 0; k < f_.size(); ++k) at_[k] = start_[k] + h * k1_[k];
    flow_.slope(t + h, at_, f_);
    for (std::size_t k = 0; k < f_.size(); ++k) f_[k] -= 2 * k1_[k];
    flow_.invert(0, start_, f_, k2_);
    for (std::size_t k = 0; k < f_.size(); ++k) at_[k] = start_[k] + h * (1.5 * k1_[k] + 0.5 * k2_[k]);
    flow_.to_world(at_, y_new);
}

}  // namespace vincolo
