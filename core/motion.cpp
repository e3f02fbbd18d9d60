#include "motion.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

Motion::Motion(const System& system, const FormulationOptions& formulation, const Stabilisation& stabilisation, RunStatistics& statistics)
    : formulation_(make_formulation(system, formulation)), dynamics_(system),
      size_(formulation_ ? formulation_->state_size() : system.work_index()), judged_end_(size_), judged_(size_),
      padded_((static_cast<std::size_t>(size_) + system.tail_size() + lanes - 1) / lanes * lanes), standard_(system.state_size(), 0.0),
      landing_(*this, stabilisation, statistics), statistics_(statistics) {
    dynamics_.alpha = stabilisation.baumgarte.alpha;
    dynamics_.beta = stabilisation.baumgarte.beta;
    if (formulation_) formulation_->alpha = dynamics_.alpha, formulation_->beta = dynamics_.beta;
    for (std::size_t k = 0; k < system.auxiliaries.size(); ++k)
        if (!system.auxiliaries[k].rate.tape.code.empty()) ++judged_, judged_end_ = auxiliary_index() + static_cast<int>(k) + 1;
}

void Motion::judge_by(const Tolerances& tolerances) {
    tolerances_ = tolerances.of(dynamics_.system().extent);
    atol_.assign(padded_, tolerances_.turning);
    rtol_.assign(padded_, tolerances_.rtol);
    const auto& auxiliaries = dynamics_.system().auxiliaries;
    std::fill(atol_.begin() + size_, atol_.end(), HUGE_VAL);
    for (std::size_t k = 0; k < auxiliaries.size(); ++k)
        if (!auxiliaries[k].rate.tape.code.empty()) atol_[auxiliary_index() + k] = tolerances_.quaternions * auxiliaries[k].size;
    if (formulation_) return formulation_->fill(tolerances_, atol_.data(), rtol_.data());
    for (int i = 0; i < size_; ++i) atol_[i] = tolerances_.absolute(i % body_size);
}

void Motion::derivative(double t, const State& y, State& dy) {
    if (formulation_) {
        ++dynamics_.evaluations;
        formulation_->derivative(t, y.data(), dy.data());
        return auxiliary_rates(t, y, dy);
    }
    dynamics_.place(t, y.data());
    dynamics_.accelerate(t, y.data(), dy.data());
}

// They read the mechanism in the kernel's own coordinates
void Motion::auxiliary_rates(double t, const State& y, State& dy) {
    if (dynamics_.system().auxiliaries.empty()) return;
    const double* now = y.data();
    if (!formulation_->standard()) {
        formulation_->to_standard(now, t, standard_.data());
        now = standard_.data();
    }
    dynamics_.load_positions(t, now);
    dynamics_.placement.load_velocities(now);
    dynamics_.auxiliaries.write_rates(t, dy.data() + auxiliary_index());
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
    else std::copy(y, y + dynamics_.system().state_size(), x.begin());
}

bool Motion::finite(const State& y) const {
    double sum[lanes] = {};  // that do not wait for each other; padding is zero
    for (std::size_t i = 0; i < padded_; i += lanes)
        for (int l = 0; l < lanes; ++l) sum[l] += 0 * y[i + l];
    return std::all_of(sum, sum + lanes, [](double x) { return x == 0; });
}

double Motion::scaled(const State& e, const State& y0, const State& y1) const {
    double squares = 0;
    for (int i = 0; i < judged_end_; ++i) {
        const double x = e[i] / allowed(i, y0[i], y1[i]);
        squares += x * x;
    }
    return std::sqrt(squares / std::max(1, judged_));
}

double Motion::scaled_state(const State& y) const {
    double squares = 0;
    for (int i = 0; i < judged_end_; ++i) {
        const double usual = rtol_[i] < tolerances_.rtol ? atol_[i] / tolerances_.rtol : 0;
        const double x = std::max(std::abs(y[i]), usual) / allowed(i, y[i], y[i]);
        squares += x * x;
    }
    return std::sqrt(squares / std::max(1, judged_));
}

}  // namespace vincolo
