#include "integrators/adams.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

Adams::Adams(double rtol, const State& atol, std::size_t size) : rtol_(rtol), atol_(atol), size_(size), scale_(atol.size(), 0) {
    for (int j = 0; j < most_order + 2; ++j) {
        for (State* x : {&phi_[j], &star_[j], &ahead_[j]}) x->assign(atol.size(), 0);
        equal_[j] = 1;
        for (int i = 0; i < j; ++i) equal_[j] -= equal_[i] / (j + 1 - i);
    }
}

void Adams::begin(double t, const State& slope) {
    order_ = 1, known_ = 0, equal_steps_ = failures_ = 0, starting_ = true, last_h_ = 0;
    times_[0] = t;
    phi_[0] = slope;
}

double Adams::measure(const State& difference, double weight) const {
    double squares = 0;
    for (std::size_t i = 0; i < size_; ++i) {
        const double x = difference[i] * scale_[i];
        squares += x * x;
    }
    return std::abs(weight) * std::sqrt(squares / size_);
}

void Adams::predict(double h, const State& y, State& y_new) {
    h_ = h;
    const double t = times_[0] + h;
    double c[most_order + 3];
    for (int q = 0; q < order_ + 2; ++q) c[q] = 1.0 / (q + 1);
    g_[0] = 1;
    for (int j = 1; j <= order_; ++j) {
        const double share = h / (t - times_[j - 1]);
        for (int q = 0; q < order_ + 2 - j; ++q) c[q] -= share * c[q + 1];
        g_[j] = c[0];
    }
    double beta = 1;
    for (int j = 0; j <= known_; ++j) {
        if (j > 0) beta *= (t - times_[j - 1]) / (times_[0] - times_[j]);
        for (std::size_t i = 0; i < y.size(); ++i) star_[j][i] = beta * phi_[j][i];
    }
    y_new = y;
    for (int j = 0; j < order_; ++j)
        for (std::size_t i = 0; i < y.size(); ++i) y_new[i] += h * g_[j] * star_[j][i];
}

double Adams::correct(const State& slope, const State& y, State& y_new) {
    const int k = order_;
    ahead_[0] = slope;
    for (int j = 0; j < k; ++j)
        for (std::size_t i = 0; i < y.size(); ++i) ahead_[j + 1][i] = ahead_[j][i] - star_[j][i];
    for (std::size_t i = 0; i < y.size(); ++i) {
        y_new[i] += h_ * g_[k] * ahead_[k][i];
        scale_[i] = 1 / (atol_[i] + rtol_ * std::max(std::abs(y[i]), std::abs(y_new[i])));
    }
    const auto error = [&](int order) { return order < 1 ? -1 : measure(ahead_[order], h_ * (g_[order] - g_[order - 1])); };
    lowest_ = error(k - 2), lower_ = error(k - 1);
    return error_ = error(k);
}

double Adams::reject(double error) {
    starting_ = false;
    if (!std::isfinite(error)) return 0.1;
    if (++failures_ < 3) return 0.5;
    order_ = 1, known_ = std::min(known_, 1);
    return std::min(0.5, std::sqrt(0.5 / error));
}

// The order whose error is least, by one more or less; a higher one only where equal steps tell its error
int Adams::choose_order() {
    const int k = order_;
    next_error_ = error_;
    const bool less = k > 2 ? std::max(lower_, lowest_) <= error_ : k == 2 && lower_ <= 0.5 * error_;
    if (less) return next_error_ = lower_, starting_ = false, k - 1;
    if (starting_) return k < most_order ? k + 1 : k;
    if (equal_steps_ <= k || k >= most_order || known_ <= k) return k;
    const double higher = measure(phi_[k + 1], h_ * (equal_[k + 1] - equal_[k]));
    if (k > 1 && lower_ <= std::min(error_, higher)) return next_error_ = lower_, k - 1;
    if (k > 1 ? higher < error_ : higher < 0.5 * error_) return next_error_ = higher, k + 1;
    return k;
}

double Adams::accept(const State& slope) {
    const int highest = std::min(known_ + 1, std::min(order_ + 1, most_order + 1));
    phi_[0] = slope;
    for (int j = 1; j <= highest; ++j)
        for (std::size_t i = 0; i < slope.size(); ++i) phi_[j][i] = phi_[j - 1][i] - star_[j - 1][i];
    known_ = highest;
    for (int j = most_order + 2; j > 0; --j) times_[j] = times_[j - 1];
    times_[0] += h_;
    equal_steps_ = h_ == last_h_ ? equal_steps_ + 1 : 1;
    last_h_ = h_;
    failures_ = 0;
    used_ = order_;
    order_ = std::min(choose_order(), known_ + 1);
    if (starting_) return 2;
    const double doubled = next_error_ * std::pow(2.0, order_ + 1);
    if (doubled <= 0.5) return 2;
    if (next_error_ <= 0.5) return 1;
    return std::max(0.5, std::min(0.9, std::pow(0.5 / next_error_, 1.0 / (order_ + 1))));
}

// Integral of the polynomial of slopes, Newton's form, by Gauss' rule: exact for its degree
void Adams::interpolate(double t, const State& y_end, State& out) const {
    static constexpr double node[7] = {-0.9491079123427585, -0.7415311855993945, -0.4058451513773972, 0,
                                       0.4058451513773972, 0.7415311855993945, 0.9491079123427585};
    static constexpr double weight[7] = {0.1294849661688697, 0.27970539148927664, 0.3818300505051189, 0.4179591836734694,
                                         0.3818300505051189, 0.27970539148927664, 0.1294849661688697};
    const int terms = std::min(used_, known_);
    const double half = (t - times_[0]) / 2;
    double share[most_order + 2] = {};
    for (int n = 0; n < 7; ++n) {
        const double s = times_[0] + half * (1 + node[n]);
        double basis = 1;
        for (int j = 0; j <= terms; ++j) {
            share[j] += half * weight[n] * basis;
            if (j < terms) basis *= (s - times_[j]) / (times_[0] - times_[j + 1]);
        }
    }
    out = y_end;
    for (int j = 0; j <= terms; ++j)
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += share[j] * phi_[j][i];
}

}  // namespace vincolo
