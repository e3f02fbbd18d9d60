#include "motion.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

Motion::Motion(const System& system, const FormulationOptions& formulation, const Stabilisation& stabilisation, RunStatistics& statistics)
    : formulation_(make_formulation(system, formulation)), dynamics_(system),
      size_(formulation_ ? formulation_->state_size() : system.state_size() - 1),
      padded_((static_cast<std::size_t>(size_) + 1 + lanes - 1) / lanes * lanes), standard_(system.state_size(), 0.0),
      landing_(*this, stabilisation, statistics), statistics_(statistics) {
    dynamics_.alpha = stabilisation.baumgarte.alpha;
    dynamics_.beta = stabilisation.baumgarte.beta;
    if (formulation_) formulation_->alpha = dynamics_.alpha, formulation_->beta = dynamics_.beta;
}

void Motion::judge_by(const Tolerances& tolerances) {
    tolerances_ = tolerances.of(dynamics_.system().extent);
    atol_.assign(padded_, tolerances_.turning);
    rtol_.assign(padded_, tolerances_.rtol);
    if (formulation_) return formulation_->fill(tolerances_, atol_.data(), rtol_.data());
    for (int i = 0; i < size_; ++i) atol_[i] = tolerances_.absolute(i % body_size);
}

void Motion::derivative(double t, const State& y, State& dy) {
    if (formulation_) {
        ++dynamics_.evaluations;
        return formulation_->derivative(t, y.data(), dy.data());
    }
    dynamics_.place(t, y.data());
    dynamics_.accelerate(t, y.data(), dy.data());
}

void Motion::position_rates(const State& y, const State& x, State& k) {
    if (formulation_) return formulation_->position_rates(y.data(), x.data(), k.data());
    for (int n = 0; n < size_; n += body_size) {
        quaternion_rate(&y[n + at_p], Vec3(x[n + at_w], x[n + at_w + 1], x[n + at_w + 2]), &k[n + at_p]);
        for (int c = 0; c < 3; ++c) k[n + at_r + c] = x[n + at_v + c];
    }
}

double* Motion::standard(double t, State& x) {
    if (!formulation_ || formulation_->standard()) return x.data();
    formulation_->to_standard(x.data(), t, standard_.data());
    return standard_.data();
}

void Motion::from_standard(double t, const double* y, State& x) {
    if (formulation_) formulation_->from_standard(y, t, x.data());
    else std::copy(y, y + size_ + 1, x.begin());
}

bool Motion::finite(const State& y) const {
    double sum = 0;
    for (int i = 0; i <= size_; ++i) sum += 0 * y[i];
    return sum == 0;
}

double Motion::scaled(const State& e, const State& y0, const State& y1) const {
    double squares = 0;
    for (int i = 0; i < size_; ++i) {
        const double x = e[i] / allowed(i, y0[i], y1[i]);
        squares += x * x;
    }
    return std::sqrt(squares / std::max(1, size_));
}

double Motion::scaled_state(const State& y) const {
    double squares = 0;
    for (int i = 0; i < size_; ++i) {
        const double usual = rtol_[i] < tolerances_.rtol ? atol_[i] / tolerances_.rtol : 0;
        const double x = std::max(std::abs(y[i]), usual) / allowed(i, y[i], y[i]);
        squares += x * x;
    }
    return std::sqrt(squares / std::max(1, size_));
}

}  // namespace vincolo
