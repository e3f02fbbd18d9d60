// Adams-Bashforth-Moulton of variable order, 1 to 12, and variable step: predicted, evaluated, corrected, evaluated, in modified
// divided differences of slopes (Krogh; Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, III.5).
#include <algorithm>
#include <cmath>

#include "integrators/stepper.hpp"

namespace vincolo {

namespace {

constexpr int most_order = 12;

class Adams : public Stepper {
  public:
    Adams(Motion& motion, Given& given);
    Traits traits() const override { return {}; }
    bool moves_in_planes() const override { return true; }
    Outcome step(const Step& step) override;
    // The slope that was taken in the end; chooses the next order
    double accept(const Step& step, const Outcome&) override;
    double reject(double error) override;
    void forget() override { order_ = 0; }
    void extend(const Step&) override {}
    void interpolate(const Step& step, double t, State& out) const override;

  private:
    void begin_at(double t, const State& slope);
    void predict(double h, const State& y, State& y_new);  // the state at t + h, foretold
    double correct(const State& slope, const State& y, State& y_new);  // by the slope there; the error in units of the tolerance
    double measure(const State& difference, double weight) const;
    int choose_order();
    const std::size_t size_;  // entries whose error counts
    State slope_;             // of the prediction
    int order_ = 0, used_ = 0, known_ = 0;  // used_: of the last step; known_: the highest difference in the record
    int equal_steps_ = 0, failures_ = 0;
    bool starting_ = true;
    double h_ = 0, last_h_ = 0, error_ = 0, lower_ = -1, lowest_ = -1, next_error_ = 0;  // errors of this order, one less, two less
    double times_[most_order + 3];   // of the record, newest first
    double g_[most_order + 2], equal_[most_order + 2];  // g for equal steps
    State phi_[most_order + 2];      // modified divided differences of slopes at the newest time
    State star_[most_order + 2];     // the same, scaled to the step being made
    State ahead_[most_order + 2];    // at its end, with the slope of the prediction
    State scale_;
};

Adams::Adams(Motion& motion, Given& given) : Stepper(motion, given, true), size_(motion.judged_end()), slope_(motion.state()), scale_(motion.state()) {
    for (int j = 0; j < most_order + 2; ++j) {
        for (State* x : {&phi_[j], &star_[j], &ahead_[j]}) *x = motion.state();
        equal_[j] = 1;
        for (int i = 0; i < j; ++i) equal_[j] -= equal_[i] / (j + 1 - i);
    }
}

void Adams::begin_at(double t, const State& slope) {
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
    return std::abs(weight) * std::sqrt(squares / std::max(1, motion_.judged()));
}

Outcome Adams::step(const Step& s) {
    if (order_ == 0) begin_at(s.t, s.slope);
    predict(s.h, s.y, s.y_new);
    motion_.derivative(s.t_new, s.y_new, slope_);
    Outcome out;
    out.error = correct(slope_, s.y, s.y_new);
    out.stands = true;
    return out;
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
        scale_[i] = 1 / motion_.allowed(static_cast<int>(i), y[i], y_new[i]);
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

double Adams::accept(const Step& step, const Outcome&) {
    const State& slope = step.slope_new;
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
void Adams::interpolate(const Step& step, double t, State& out) const {
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
    out = step.y_new;
    for (int j = 0; j <= terms; ++j)
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += share[j] * phi_[j][i];
}

}  // namespace

std::unique_ptr<Stepper> adams(Motion& motion, Given& given) { return std::make_unique<Adams>(motion, given); }

}  // namespace vincolo
