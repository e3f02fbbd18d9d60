// Steps with error control of the methods that are not explicit Runge-Kutta pairs, and the choice between explicit and implicit.
#include <algorithm>
#include <cmath>

#include "integrators/tableau.hpp"
#include "run.hpp"

namespace vincolo {

Status Run::retry(double h, double error, double order) {
    ++statistics_.rejected;
    was_rejected_ = true;
    undefined_ = !std::isfinite(error);
    h_ = h * (undefined_ ? 0.4 : std::max(0.2, 0.9 * std::pow(error, -1 / order)));
    return Status::Running;
}

Status Run::attempt_other() {
    const bool last = t_ + 1.01 * h_ >= stop_;
    const double h = last ? stop_ - t_ : h_, t_new = last ? stop_ : t_ + h;
    if (too_small(h)) return undefined_ ? Status::NotFinite : Status::StepTooSmall;
    switch (options_.method) {
        case Method::Radau: return attempt_radau(h, t_new, last);
        case Method::BDF: return attempt_bdf(h, t_new, last);
        default: return attempt_adams(h, t_new, last);
    }
}

Status Run::attempt_adams(double h, double t_new, bool last) {
    if (!adams_->begun()) adams_->begin(t_, slopes_[0]);
    adams_->predict(h, y_, new_);
    derivative(t_new, new_, slopes_[1]);
    const double error = adams_->correct(slopes_[1], y_, new_);
    if (!(error <= 1)) {
        retry(h, error, adams_->order() + 1);
        h_ = h * adams_->reject(error);
        return Status::Running;
    }
    was_rejected_ = undefined_ = open_ = false;
    step_ = h;
    land(t_new, slopes_[12]);
    return accept(h, t_new, last, slopes_[12]);
}

Status Run::attempt_radau(double h, double t_new, bool last) {
    const double error = radau_->step(t_, h, y_, slopes_[0], new_, statistics_.steps == step_offset_ || was_rejected_);
    if (!(error <= 1)) return retry(h, error, 4);
    radau_->accept(h);
    // Gustafsson: the errors of two steps foretell the third
    const double e = std::max(error, 1e-4);
    double grow = 0.9 * (2 * Radau::most_passes + 1.0) / (2 * Radau::most_passes + radau_->passes()) * std::pow(e, -0.25);
    if (accepted_step_ > 0) grow = std::min(grow, 0.9 * h / accepted_step_ * std::pow(accepted_error_ / (e * e), 0.25));
    accepted_step_ = h;
    accepted_error_ = std::max(e, 1e-2);
    h_ = h * std::min(was_rejected_ ? 1.0 : 8.0, std::max(0.2, grow));
    was_rejected_ = undefined_ = open_ = false;
    step_ = h;
    if (!radau_->stands_at_end()) dynamics_.place(t_new, new_.data());  // where projection begins
    land(t_new, slopes_[12]);
    return accept(h, t_new, last, slopes_[12]);
}

Status Run::attempt_bdf(double h, double t_new, bool last) {
    if (!bdf_->begun()) bdf_->begin(t_, h, y_);
    const double error = bdf_->step(t_, h, new_);
    if (!(error <= 1)) return retry(h, error, bdf_->order() + 1);
    was_rejected_ = undefined_ = open_ = false;
    step_ = h;
    dynamics_.place(t_new, new_.data());
    land(t_new, slopes_[12]);
    return accept(h, t_new, last, slopes_[12]);
}

// Explicit steps near the fastest rate of the mechanism may be bound by stability or by what they have to follow. Only trying
// tells: some implicit steps are made, and whichever gets on with fewer evaluations stays. A failed trial is repeated later
// and later. An implicit run goes back once explicit steps, bound by stability, would be cheaper.
void Run::watch_stiffness(double h) {
    constexpr double implicit_price = 1.7;  // of an evaluation, linear algebra included
    const bool implicit = options_.method == Method::Radau;
    if (implicit) statistics_.implicit_time += h;
    if (!probe_->any()) return;
    if (implicit && ++trial_steps_ == 8) trial_start_ = t_ + h, trial_evaluations_ = dynamics_.evaluations;
    if (implicit && trial_steps_ == 16)
        implicit_cost_ = implicit_price * (dynamics_.evaluations - trial_evaluations_) / (t_ + h - trial_start_);
    if (implicit && trial_steps_ == 16 && implicit_cost_ > explicit_cost_) {
        patience_ = std::min(4 * patience_, 100000L);
        next_method_ = Method::DormandPrince;
        return;
    }
    if ((statistics_.steps - step_offset_) % 4 != 0) return;
    probe_->prepare(t_ + h);
    const double fastest = probe_->fastest();
    statistics_.fastest = std::max(statistics_.fastest, fastest);
    stiff_steps_ = !implicit && h * fastest > 0.5 ? stiff_steps_ + 1 : 0;
    const double explicit_step = std::min(explicit_reach_ / fastest, h), cost = implicit_price * 3 * (radau_->passes() + 1) / h;
    easy_steps_ = implicit && trial_steps_ > 16 && 6 / explicit_step < 0.8 * cost ? easy_steps_ + 1 : 0;
    if (!implicit) explicit_cost_ = 6 / h, explicit_reach_ = h * fastest;
    if (stiff_steps_ >= patience_) next_method_ = Method::Radau;
    if (easy_steps_ >= 5) next_method_ = Method::DormandPrince;
}

void Run::begin_stiff() {
    if (!probe_->any()) return;
    probe_->prepare(t_);
    double fastest = 0;
    for (int k = 0; k < 8; ++k) fastest = probe_->fastest();
    if (!(fastest * (stop_ - t_) > 1e7)) return;
    statistics_.fastest = std::max(statistics_.fastest, fastest);
    explicit_cost_ = 6 * fastest / explicit_reach_;
    change_to(next_method_ = Method::Radau);
}

void Run::change_to(Method method) {
    if (statistics_.changes++ == 0) statistics_.first_change = t_;
    options_.method = method;
    pair_ = pair_of(method);
    stiff_steps_ = easy_steps_ = trial_steps_ = 0;
    radau_->forget();
    accepted_step_ = 0;
    last_error_ = 1e-4;
}

}  // namespace vincolo
