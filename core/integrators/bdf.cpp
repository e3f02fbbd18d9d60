// Backward differentiation of variable order, 1 to 5, in backward differences (Shampine, Reichelt): one linear system per step.
#include <algorithm>
#include <cmath>
#include <limits>

#include "integrators/flow.hpp"
#include "integrators/stepper.hpp"

namespace vincolo {

namespace {

constexpr int most_order = 5, most_passes = 6;
constexpr double kappa[] = {0, -0.1850, -1.0 / 9, -0.0823, -0.0415, 0};  // numerical differentiation formulas

struct Coefficients {
    double gamma[most_order + 1], alpha[most_order + 1], error[most_order + 2];
    Coefficients() {
        gamma[0] = 0;
        for (int k = 1; k <= most_order; ++k) gamma[k] = gamma[k - 1] + 1.0 / k;
        for (int k = 0; k <= most_order; ++k) alpha[k] = (1 - kappa[k]) * gamma[k], error[k] = kappa[k] * gamma[k] + 1.0 / (k + 1);
        error[most_order + 1] = 1.0 / (most_order + 2);
    }
};
const Coefficients coefficients;

class Bdf : public Stepper {
  public:
    Bdf(Motion& motion, Given& given);
    Traits traits() const override;
    bool moves_in_planes() const override { return true; }
    // History is brought to the size of the step
    Outcome step(const Step& step) override;
    // The state that was taken in the end, on the constraints; chooses the next order
    double accept(const Step& step, const Outcome&) override;
    double reject(double error) override { return shrink(error, order_ + 1); }
    void forget() override { order_ = 0; }

  private:
    void begin_at(double t, double h, const State& y);
    void resize_steps(double factor);
    double correct(double t);
    Flow flow_;
    int order_ = 0, equal_steps_ = 0, passes_ = 0;
    double h_ = 0, error_ = 0;
    State D_[most_order + 3], mixed_[most_order + 1];  // backward differences
    State predicted_, psi_, d_, x_, f_, right_, change_;
};

Bdf::Bdf(Motion& motion, Given& given) : Stepper(motion, given, true), flow_(motion.dynamics(), motion.tolerances(), 1) {
    motion.landing().soften();
    for (State& x : D_) x.assign(flow_.size(), 0);
    for (State& x : mixed_) x.assign(flow_.size(), 0);
    for (State* x : {&predicted_, &psi_, &d_, &x_, &f_, &right_, &change_}) x->assign(flow_.size(), 0);
}

Traits Bdf::traits() const {
    Traits traits;
    traits.implicit = traits.soft = true;
    return traits;
}

void Bdf::begin_at(double t, double h, const State& y) {
    order_ = 1, equal_steps_ = 0, h_ = h;
    for (State& x : D_) std::fill(x.begin(), x.end(), 0.0);
    flow_.to_body(y, D_[0]);
    flow_.slope(t, D_[0], f_);
    for (std::size_t k = 0; k < f_.size(); ++k) D_[1][k] = h * f_[k];
}

// D <- (R U)^T D for a step that is `factor` times as long
void Bdf::resize_steps(double factor) {
    double R[most_order + 1][most_order + 1], U[most_order + 1][most_order + 1];
    const int n = order_ + 1;
    const auto fill = [&](double (&m)[most_order + 1][most_order + 1], double q) {
        for (int j = 0; j < n; ++j) {
            m[0][j] = 1;
            for (int i = 1; i < n; ++i) m[i][j] = j == 0 ? 0 : m[i - 1][j] * (i - 1 - q * j) / i;
        }
        m[0][0] = 1;
    };
    fill(R, factor);
    fill(U, 1);
    for (int j = 0; j < n; ++j) {
        std::fill(mixed_[j].begin(), mixed_[j].end(), 0.0);
        for (int i = 0; i < n; ++i) {
            double w = 0;
            for (int k = 0; k < n; ++k) w += R[i][k] * U[k][j];
            if (w == 0) continue;
            for (std::size_t k = 0; k < f_.size(); ++k) mixed_[j][k] += w * D_[i][k];
        }
    }
    for (int j = 0; j < n; ++j) D_[j].swap(mixed_[j]);
    h_ *= factor;
    equal_steps_ = 0;
}

Outcome Bdf::step(const Step& s) {
    if (order_ == 0) begin_at(s.t, s.h, s.y);
    if (s.h != h_) resize_steps(s.h / h_);
    predicted_ = D_[0];
    std::fill(psi_.begin(), psi_.end(), 0.0);
    for (int j = 1; j <= order_; ++j)
        for (std::size_t k = 0; k < f_.size(); ++k) {
            predicted_[k] += D_[j][k];
            psi_[k] += coefficients.gamma[j] / coefficients.alpha[order_] * D_[j][k];
        }
    flow_.scale_by(predicted_);
    Outcome out;
    out.error = correct(s.t + s.h);
    if (!std::isfinite(out.error)) return out;
    out.error = error_ = coefficients.error[order_] * flow_.measure(d_);
    flow_.to_world(x_, s.y_new);
    return out;
}

// Newton on d = y - predicted: s f - psi - d = 0 with s = h / alpha
double Bdf::correct(double t) {
    const double s = h_ / coefficients.alpha[order_];
    x_ = predicted_;
    std::fill(d_.begin(), d_.end(), 0.0);
    double before = 0, rate = 0;
    for (passes_ = 0; passes_ < most_passes; ++passes_) {
        flow_.slope(t, x_, f_);
        if (passes_ == 0) flow_.linearise(0, t, s);
        for (std::size_t k = 0; k < f_.size(); ++k) right_[k] = s * f_[k] - psi_[k] - d_[k];
        flow_.invert(0, predicted_, right_, change_);
        const double size = flow_.measure(change_);
        if (!std::isfinite(size)) break;
        for (std::size_t k = 0; k < f_.size(); ++k) d_[k] += change_[k], x_[k] += change_[k];
        if (passes_ > 0) {
            rate = size / before;
            if (rate >= 1 && size > 1e-10) break;
        }
        const double left = passes_ == 0 ? size : size * rate / std::max(1e-3, 1 - rate);
        if (left < 0.02 || size < 1e-10) return ++passes_, left;
        before = std::max(size, 1e-300);
    }
    return std::numeric_limits<double>::quiet_NaN();
}

double Bdf::accept(const Step& step, const Outcome&) {
    flow_.to_body(step.y_new, x_);
    for (std::size_t k = 0; k < f_.size(); ++k) d_[k] = x_[k] - predicted_[k];
    for (std::size_t k = 0; k < f_.size(); ++k) D_[order_ + 2][k] = d_[k] - D_[order_ + 1][k];
    D_[order_ + 1] = d_;
    for (int j = order_; j >= 0; --j)
        for (std::size_t k = 0; k < f_.size(); ++k) D_[j][k] += D_[j + 1][k];
    const double safety = 0.9 * (2 * most_passes + 1.0) / (2 * most_passes + passes_);
    if (++equal_steps_ < order_ + 1) return 1;
    // the order that allows the largest step
    const double lower = order_ > 1 ? coefficients.error[order_ - 1] * flow_.measure(D_[order_]) : -1;
    const double higher = order_ < most_order ? coefficients.error[order_ + 1] * flow_.measure(D_[order_ + 2]) : -1;
    const auto growth = [](double error, int order) { return error < 0 ? 0 : std::pow(std::max(error, 1e-12), -1.0 / (order + 1)); };
    const double factors[] = {growth(lower, order_ - 1), growth(error_, order_), growth(higher, order_ + 1)};
    const int best = static_cast<int>(std::max_element(factors, factors + 3) - factors);
    order_ += best - 1;
    return std::min(10.0, std::max(0.2, safety * factors[best]));
}

}  // namespace

std::unique_ptr<Stepper> bdf(Motion& motion, Given& given) { return std::make_unique<Bdf>(motion, given); }

}  // namespace vincolo
