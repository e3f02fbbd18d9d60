// The explicit Runge-Kutta methods: stages, error estimates, choice of steps.
#include "run.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/tableau.hpp"

namespace vincolo {

namespace {

double scaled_square(const double* e, const double* y0, const double* y1, int n, const double* atol, double rtol) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const double x = e[i] / (atol[i] + rtol * std::max(std::abs(y0[i]), std::abs(y1[i])));
        sum += x * x;
    }
    return sum;
}

}  // namespace

const tableau::Pair* pair_of(Method m) {
    switch (m) {
        case Method::BogackiShampine: return &tableau::bogacki_shampine;
        case Method::CashKarp: return &tableau::cash_karp;
        case Method::DormandPrince: return &tableau::dormand_prince;
        case Method::DOP853: return &tableau::dop853;
        default: return nullptr;
    }
}

void Run::combine(State& out, double h, const double* weights, int count) const {
    const double* k[most_slopes];
    double w[most_slopes] = {};
    int n = 0;
    for (int j = 0; j < count; ++j)
        if (weights[j] != 0) k[n] = slopes_[j].data(), w[n++] = h * weights[j];
    const double* y = y_.data();
    double* o = out.data();
    for (std::size_t i = 0; i < y_.size(); i += lanes) {
        double sum[lanes];
        for (int l = 0; l < lanes; ++l) sum[l] = y[i + l];
        for (int j = 0; j < n; ++j)
            for (int l = 0; l < lanes; ++l) sum[l] += w[j] * k[j][i + l];
        for (int l = 0; l < lanes; ++l) o[i + l] = sum[l];
    }
}

// All stages and the new state. Where its slope belongs to the error estimate, it is taken where the step lands; if the last
// stage stands at the end of the step, its factor serves the landing.
void Run::stages(double h, double t_new) {
    for (int s = 1; s < pair_->stages; ++s) {
        combine(new_, h, pair_->a + s * pair_->width, s);
        derivative(t_ + pair_->nodes[s] * h, new_, slopes_[s]);
    }
    combine(new_, h, pair_->b, pair_->stages);
    if (!pair_->lands) return;
    if (pair_->nodes[pair_->stages - 1] != 1 && !formulation_) dynamics_.place(t_new, new_.data());
    land(t_new, slopes_[pair_->stages]);
}

// sum_j w_j k_j over one group of lanes
template <int Count, int lanes>
static inline void weighted(double* sum, const std::vector<double>* slopes, const double* weights, std::size_t i) {
    for (int l = 0; l < lanes; ++l) sum[l] = 0;
    for (int s = 0; s < Count; ++s)
        for (int l = 0; l < lanes; ++l) sum[l] += weights[s] * slopes[s][i + l];
}

double Run::pair_error(double h) const {
    return std::max(state_error(h), work_error(h));
}

// Where drives leave nothing free only their work has an error. It is summed up for the balance alone, and need not be better
// than that: a share of the energies met so far, or of what the step itself does. Where drives set off from rest, as t^4, any
// step has the same error by its own measure: a share of a usual energy ends that; where nothing moves it is rounding.
double Run::work_error(double h) const {
    constexpr double looser = 100, rounding = 1e-13, rest = 1e-4;
    const auto sum = [&](const double* weights) {
        double e = 0;
        for (int s = 0; s < pair_->stages + pair_->lands; ++s) e += weights[s] * slopes_[s][size_];
        return e;
    };
    double e = std::abs(sum(pair_->e ? pair_->e : tableau::e8_5));
    if (e == 0) return 0;
    if (!pair_->e) e *= e / std::hypot(e, 0.1 * sum(tableau::e8_3));
    const double energy = std::max({statistics_.energy_range, std::abs(new_[size_] - y_[size_]), rest * usual_energy_});
    return std::abs(h) * e / (looser * options_.rtol * energy + rounding * statistics_.energy_size);
}

double Run::state_error(double h) const {
    if (options_.method == Method::DormandPrince) return error5(h);
    if (options_.method == Method::DOP853) return error8(h);
    const int count = pair_->stages + pair_->lands;
    double squares = 0;
    for (int i = 0; i < size_; ++i) {
        double e = 0;
        for (int s = 0; s < count; ++s) e += pair_->e[s] * slopes_[s][i];
        const double x = h * e / (atol_[i] + options_.rtol * std::max(std::abs(y_[i]), std::abs(new_[i])));
        squares += x * x;
    }
    return std::sqrt(squares / size_);
}

double Run::error5(double h) const {
    double squares = 0;
    for (int i = 0; i < size_; i += lanes) {
        double e[lanes];
        weighted<7, lanes>(e, slopes_, tableau::e5, i);
        for (int l = 0; l < lanes && i + l < size_; ++l) {
            const double x = h * e[l] / (atol_[i + l] + options_.rtol * std::max(std::abs(y_[i + l]), std::abs(new_[i + l])));
            squares += x * x;
        }
    }
    return std::sqrt(squares / size_);
}

double Run::error8(double h) const {
    double five = 0, three = 0;
    for (int i = 0; i < size_; i += lanes) {
        double e5[lanes], e3[lanes];
        weighted<12, lanes>(e5, slopes_, tableau::e8_5, i);
        weighted<12, lanes>(e3, slopes_, tableau::e8_3, i);
        for (int l = 0; l < lanes && i + l < size_; ++l) {
            const double scale = 1 / (atol_[i + l] + options_.rtol * std::max(std::abs(y_[i + l]), std::abs(new_[i + l])));
            five += e5[l] * e5[l] * scale * scale;
            three += e3[l] * e3[l] * scale * scale;
        }
    }
    const double both = five + 0.01 * three;
    return both > 0 ? std::abs(h) * five / std::sqrt(both * size_) : both == 0 ? 0 : std::nan("");
}

// Error of the part along the constraints, which projection leaves; the whole may be a thousandth of the state at most.
// Without freedom nothing is left to judge by.
double Run::error_to_keep(double h, double whole) {
    const auto rows = std::count(dynamics_.taken.begin(), dynamics_.taken.end(), 1);
    if (options_.stabilisation != Stabilisation::Projection || 6 * dynamics_.system().ground() <= rows) return whole;
    const double* weights = pair_->e ? pair_->e : tableau::e8_5;
    for (int i = 0; i < size_; ++i) {
        double e = 0;
        for (int s = 0; s < pair_->stages + pair_->lands; ++s) e += weights[s] * slopes_[s][i];
        sample_[i] = h * e;
    }
    dynamics_.keep_tangent(new_.data(), sample_.data());
    const double tangent = scaled_square(sample_.data(), y_.data(), new_.data(), size_, atol_.data(), options_.rtol);
    return std::max(std::sqrt(tangent / size_), whole * std::max(options_.rtol, options_.atol.positions) / 1e-3);
}

// Adams-Bashforth predicts, Adams-Moulton corrects, both of order 4 (Carvalho, eq. 3.33 and 3.34); Runge-Kutta starts. The slopes
// of the last three landings stand in slopes 13 to 15.
void Run::adams_step(double h) {
    const double back[] = {-59.0 / 24, 37.0 / 24, -9.0 / 24};
    State& predicted = slopes_[1];
    for (std::size_t i = 0; i < y_.size(); ++i) {
        double sum = 55.0 / 24 * slopes_[0][i];
        for (int k = 0; k < 3; ++k) sum += back[k] * slopes_[13 + k][i];
        new_[i] = y_[i] + h * sum;
    }
    derivative(t_ + h, new_, predicted);
    for (std::size_t i = 0; i < y_.size(); ++i)
        new_[i] = y_[i] + h / 24 * (9 * predicted[i] + 19 * slopes_[0][i] - 5 * slopes_[13][i] + slopes_[14][i]);
}

void Run::fixed_step(double h) {
    if (options_.method == Method::AdamsMoulton) {
        if (statistics_.steps - step_offset_ >= 3) {
            adams_step(h);
        } else {
            options_.method = Method::RK4;
            fixed_step(h);
            options_.method = Method::AdamsMoulton;
        }
        slopes_[15].swap(slopes_[14]);
        slopes_[14].swap(slopes_[13]);
        slopes_[13] = slopes_[0];
        return;
    }
    static constexpr double half[] = {0.5}, half2[] = {0, 0.5}, one[] = {1}, one3[] = {0, 0, 1};
    static constexpr double heun[] = {0.5, 0.5}, rk4[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    if (options_.method == Method::RK4) {
        combine(new_, h, half, 1);
        derivative(t_ + h / 2, new_, slopes_[1]);
        combine(new_, h, half2, 2);
        derivative(t_ + h / 2, new_, slopes_[2]);
        combine(new_, h, one3, 3);
        derivative(t_ + h, new_, slopes_[3]);
        combine(new_, h, rk4, 4);
    } else if (options_.method == Method::Euler) {
        combine(new_, h, one, 1);
        if (!formulation_) dynamics_.place(t_ + h, new_.data());
    } else if (options_.method == Method::ModifiedEuler) {  // a half step for the slope
        static constexpr double middle[] = {0, 1};
        combine(new_, h, half, 1);
        derivative(t_ + h / 2, new_, slopes_[1]);
        combine(new_, h, middle, 2);
        if (!formulation_) dynamics_.place(t_ + h, new_.data());
    } else if (options_.method == Method::Heun) {
        combine(new_, h, one, 1);
        derivative(t_ + h, new_, slopes_[1]);
        combine(new_, h, heun, 2);
    } else if (options_.method == Method::GeneralisedAlpha) {
        stopped_ = !alpha_->step(t_, h, y_, slopes_[0], new_);
        dynamics_.place(t_ + h, new_.data());
    } else if (options_.method == Method::Rattle) {
        stopped_ = !rattle_->step(t_, h, y_, slopes_[0], new_);
    } else if (options_.method == Method::Rosenbrock) {
        rosenbrock_->step(t_, h, y_, new_);
        dynamics_.place(t_ + h, new_.data());
    } else if (options_.method == Method::Trapezoidal) {
        State& slope = slopes_[12];
        formulation_->trapezoidal(t_, h, y_.data(), slopes_[0].data(), new_.data(), slope.data());
        ++dynamics_.evaluations;
        landed_position_ = formulation_->largest_residual();
        landed_velocity_ = formulation_->largest_rate();
    } else {  // velocities first, positions with the new velocities
        combine(new_, h, one, 1);
        slopes_[1] = slopes_[0];
        position_rates(y_, new_, slopes_[1]);
        static constexpr double second[] = {0, 1};
        combine(new_, h, second, 2);
        if (!formulation_) dynamics_.place(t_ + h, new_.data());  // no stage stands there, but projection wants its factor
    }
}

// Rates of the positions of y with the velocities of x, into k
void Run::position_rates(const State& y, const State& x, State& k) {
    if (formulation_) return formulation_->position_rates(y.data(), x.data(), k.data());
    for (int n = 0; n < size_; n += body_size) {
        const Vec3 w(x[n + at_w], x[n + at_w + 1], x[n + at_w + 2]), e(y[n + at_p + 1], y[n + at_p + 2], y[n + at_p + 3]);
        const Vec3 de = 0.5 * (y[n + at_p] * w + w.cross(e));
        k[n + at_p] = -0.5 * w.dot(e);
        for (int c = 0; c < 3; ++c) k[n + at_r + c] = x[n + at_v + c], k[n + at_p + 1 + c] = de[c];
    }
}

// After Hairer, Norsett and Wanner; needs the slope at the present state
double Run::first_step() {
    const double n = size_, rtol = options_.rtol, *atol = atol_.data();
    const double order = pair_ ? pair_->order : 5;
    const double d0 = std::sqrt(scaled_square(y_.data(), y_.data(), y_.data(), size_, atol, rtol) / n);
    const double d1 = std::sqrt(scaled_square(slopes_[0].data(), y_.data(), y_.data(), size_, atol, rtol) / n);
    double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h = std::min(h, stop_ - t_);
    static constexpr double one[] = {1};
    combine(new_, h, one, 1);
    derivative(t_ + h, new_, slopes_[1]);
    for (int i = 0; i < size_; ++i) sample_[i] = slopes_[1][i] - slopes_[0][i];
    const double d2 = std::sqrt(scaled_square(sample_.data(), y_.data(), y_.data(), size_, atol, rtol) / n) / h;
    const double largest = std::max(d1, d2);
    const double next = largest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / largest, 1 / order);
    // an implicit step need not follow the fastest motion: what is too long will be repeated
    const double least = options_.method == Method::Radau || options_.method == Method::BDF ? 1e-9 * (stop_ - t_) : 0;
    return std::max(least, std::min(100 * h, next));
}

// Stages close to a singular position spoil a step, and steps that end just before it creep. A step that would do so is
// shortened: it crosses where its stages leave the widest gap, or ends early enough for the next one to do so.
double Run::fitted_step(double h) {
    const double gap = dynamics_.crossing - t_;
    if (!(gap > 0 && gap < 1.5 * h)) return h;
    const double middle = pair_->gap, at = gap / h;
    double nearest = std::abs(at - 1);
    for (int s = 1; s < pair_->stages; ++s) nearest = std::min(nearest, std::abs(at - pair_->nodes[s]));
    const bool clear = at < 1 ? nearest > 0.04 : at - 1 > 0.3 * middle;
    if (clear) return h;
    ++statistics_.fitted;
    return at <= middle ? gap / middle : gap / (1 + middle);
}

// An implicit step of fixed size that does not converge where the joints are singular is made explicitly: at the position itself
// its equations have no unique solution. False if the position is not to blame.
bool Run::cross(double h, double t_new) {
    const bool near = dynamics_.nearness < 0.2 || (dynamics_.crossing > t_ - h && dynamics_.crossing < t_new + h);
    if (!near || options_.stabilisation != Stabilisation::Projection) return false;
    if (alpha_) alpha_->forget();
    if (rattle_) rattle_->forget();
    const Method method = options_.method;
    options_.method = Method::RK4;
    fixed_step(h);
    options_.method = method;
    ++statistics_.fitted;
    stopped_ = false;
    return true;
}

// Of steps of one size, one that would end close to a singular position ends beyond it, and the next one makes up for that.
void Run::fit_fixed_step(double& h, double& t_new) {
    if (off_grid_) h = t_new - t_;
    const double behind = dynamics_.crossing - t_new;
    off_grid_ = !formulation_ && options_.method != Method::AdamsMoulton && std::abs(behind) < 0.25 * h_;
    if (!off_grid_) return;
    ++statistics_.fitted;
    t_new += behind + 0.35 * h_;
    h = t_new - t_;
}

}  // namespace vincolo
