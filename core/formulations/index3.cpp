#include "formulations/index3.hpp"

#include <algorithm>
#include <cmath>

#include "displacement.hpp"

namespace vincolo {

Index3::Index3(Coordinates& coordinates, const Augmentation& options, double rank_tolerance)
    : c_(coordinates), o_(options), lu_(coordinates.e.n), reactions_(coordinates.e, rank_tolerance), x_(coordinates.system.state_size()) {
    const int n = c_.e.n, m = c_.e.m;
    base_.setZero(n, n), tangent_.setZero(n, n), weighed_.setZero(m, n);
    for (Vector* v : {&step_, &rate_, &acc_, &rate_new_, &acc_new_, &wish_, &change_, &force_, &moved_}) v->setZero(n);
    for (Vector* v : {&lam_, &open_, &sum_}) v->setZero(m);
}

// Damping and stiffness of the forces by differences; without laws there is only the gyroscopic part, which needs none
void Index3::soften(double t, double h, const double* x) {
    const int n = c_.e.n;
    base_ = c_.e.M;
    if (!c_.system.laws.empty() || c_.system.contact.any(false)) {
        constexpr double dq = 1e-7, du = 1e-6;
        c_.forces(t, x, force_);
        for (int k = 0; k < n; ++k) {
            std::copy(x, x + x_.size(), x_.begin());
            change_.setZero();
            change_[k] = dq;
            c_.move(x_.data(), change_);
            c_.forces(t, x_.data(), moved_);
            base_.col(k) -= weight_ / dq * (moved_ - force_);
            std::copy(x, x + x_.size(), x_.begin());
            x_[body_size * (k / 6) + c_.q_size + k % 6] += du;
            c_.forces(t, x_.data(), moved_);
            base_.col(k) -= h / 2 / du * (moved_ - force_);
        }
        c_.positions(t, x);  // as it was
        c_.velocities(x);
        c_.motion(t, x);
    }
}

void Index3::factor() {
    tangent_ = base_;
    weighed_ = weight_ * o_.alpha * c_.e.J;
    add_transposed_product(c_.e.J, weighed_, tangent_);
    lu_.factor(tangent_);
}

// The x nearest to wish_ where open() vanishes, by augmented multipliers
template <class Open>
bool Index3::project(Vector& x, const Open& open) {
    x = wish_;
    sum_.setZero();
    double before = 0;
    for (int pass = 0; pass < o_.iterations; ++pass) {
        open();
        if (pass > 0) sum_ += o_.alpha * open_;
        open_ = sum_ + o_.alpha * open_;
        apply(base_, wish_, change_);
        subtract_applied(base_, x, change_);
        open_ *= weight_;
        subtract_applied_transposed(c_.e.J, open_, change_);
        lu_.solve(change_, force_);
        change_ = force_;
        x += change_;
        const double size = change_.norm(), whole = 1 + x.norm();
        if (!std::isfinite(size)) return false;
        if (size <= o_.tolerance * whole || (pass > 2 && size < 1e-9 * whole && size > 0.95 * before)) return true;
        before = size;
    }
    return false;
}

void Index3::place(const double* x, double* x_new) {
    std::copy(x, x + x_.size(), x_new);
    for (int b = 0; b < c_.system.ground(); ++b) carry(x_new + body_size * b, step_.segment<3>(6 * b), step_.segment<3>(6 * b + 3));
}

Failure Index3::step(double t, double h, const double* x, const double* dx, double* x_new) {
    Equations& e = c_.e;
    const double end = t + h;
    weight_ = h * h / 4;
    lam_.setZero();
    for (int b = 0; b < c_.system.ground(); ++b)
        for (int k = 0; k < 6; ++k) rate_[6 * b + k] = x[body_size * b + 7 + k], acc_[6 * b + k] = dx[body_size * b + 7 + k];
    step_ = h * rate_ + h * h / 2 * acc_;
    bool done = false;
    double before = 0;
    for (passes_ = 0; passes_ < o_.iterations && !done; ++passes_) {
        rate_new_ = 2 / h * step_ - rate_;
        acc_new_ = 1 / weight_ * step_ - 4 / h * rate_ - acc_;
        place(x, x_new);
        c_.set_velocities(x_new, rate_new_);
        c_.positions(end, x_new);
        c_.velocities(x_new);
        c_.motion(end, x_new);
        if (passes_ == 0) soften(end, h, x_new);
        factor();
        if (passes_ > 0) lam_ += o_.alpha * e.phi;
        open_ = lam_ + o_.alpha * e.phi;
        change_ = e.Q;
        subtract_applied(e.M, acc_new_, change_);
        subtract_applied_transposed(e.J, open_, change_);
        change_ *= weight_;
        lu_.solve(change_, force_);
        change_ = force_;
        step_ += change_;
        const double size = change_.norm(), whole = 1 + step_.norm();
        if (!std::isfinite(size)) return Failure::NotFinite;
        done = size <= o_.tolerance * whole || (passes_ > 2 && size < 1e-9 * whole && size > 0.95 * before);
        before = size;
    }
    if (!done) return Failure::NotConverged;
    wish_ = 2 / h * step_ - rate_;
    const auto speed = [&] {
        apply(e.J, rate_new_, open_);
        for (std::size_t r = 0; r < c_.taken().size(); ++r) open_[r] -= c_.all.rows.held(c_.taken()[r]).d;
    };
    if (!project(rate_new_, speed)) return Failure::NotConverged;
    c_.set_velocities(x_new, rate_new_);
    c_.velocities(x_new);
    c_.motion(end, x_new);
    wish_ = 1 / weight_ * step_ - 4 / h * rate_ - acc_;
    const auto pull = [&] {
        open_ = -e.gamma;
        add_applied(e.J, acc_new_, open_);
    };
    if (!project(acc_new_, pull)) return Failure::NotConverged;
    e.acc = acc_new_;
    e.lam = lam_;
    if (e.reactions) reactions_.find(e);  // those that belong to the projected accelerations
    return Failure::None;
}

}  // namespace vincolo
