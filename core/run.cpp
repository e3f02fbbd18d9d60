#include "run.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/tableau.hpp"

namespace vincolo {

namespace {

constexpr int lanes = 8;  // states are padded to this, so that loops over them have no remainder

// Middle of the widest gap between the nodes of a method, as a share of the step
double widest_gap(Method m) { return m == Method::DormandPrince ? 0.55 : 0.47; }

bool adaptive(Method m) { return m == Method::DormandPrince || m == Method::DOP853; }

double scaled_square(const double* e, const double* y0, const double* y1, int n, double atol, double rtol) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const double x = e[i] / (atol + rtol * std::max(std::abs(y0[i]), std::abs(y1[i])));
        sum += x * x;
    }
    return sum;
}

}  // namespace

Run::Run(const System& system, const RunOptions& options, double t0, const std::vector<double>& y0,
         const std::vector<double>& turns, const std::vector<double>& outputs)
    : dynamics_(system), options_(options), t_(t0), end_(outputs.back()), size_(system.state_size() - 1), t0_(t0), outputs_(outputs) {
    const std::size_t padded = (static_cast<std::size_t>(size_) + 1 + lanes - 1) / lanes * lanes;
    y_.assign(padded, 0);
    std::copy(y0.begin(), y0.end(), y_.begin());
    new_ = sample_ = old_slope_ = y_;
    for (State& k : slopes_) k.assign(padded, 0);
    for (State& d : dense_) d.assign(padded, 0);
    samples_.assign(outputs.size() * system.state_size(), 0);
    sample_turns_.assign(outputs.size() * system.turns, 0);
    dynamics_.turns() = turns;
    if (options.stabilisation == Stabilisation::Baumgarte) {
        dynamics_.alpha = options.alpha;
        dynamics_.beta = options.beta;
    }
}

void Run::derivative(double t, const State& y, State& dy) {
    dynamics_.place(t, y.data());
    dynamics_.accelerate(t, y.data(), dy.data());
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

void Run::stages5(double h) {
    for (int s = 1; s < 7; ++s) {
        combine(new_, h, tableau::a5[s], s);
        derivative(t_ + tableau::c5[s] * h, new_, slopes_[s]);
    }
}

void Run::stages8(double h) {
    for (int s = 1; s < 12; ++s) {
        combine(new_, h, tableau::a8[s], s);
        derivative(t_ + tableau::c8[s] * h, new_, slopes_[s]);
    }
    combine(new_, h, tableau::b8, 12);
}

// sum_j w_j k_j over one group of lanes
template <int Count>
static inline void weighted(double* sum, const std::vector<double>* slopes, const double* weights, std::size_t i) {
    for (int l = 0; l < lanes; ++l) sum[l] = 0;
    for (int s = 0; s < Count; ++s)
        for (int l = 0; l < lanes; ++l) sum[l] += weights[s] * slopes[s][i + l];
}

double Run::error5(double h) const {
    double squares = 0;
    for (int i = 0; i < size_; i += lanes) {
        double e[lanes];
        weighted<7>(e, slopes_, tableau::e5, i);
        for (int l = 0; l < lanes && i + l < size_; ++l) {
            const double x = h * e[l] / (options_.atol + options_.rtol * std::max(std::abs(y_[i + l]), std::abs(new_[i + l])));
            squares += x * x;
        }
    }
    return std::sqrt(squares / size_);
}

double Run::error8(double h) const {
    double five = 0, three = 0;
    for (int i = 0; i < size_; i += lanes) {
        double e5[lanes], e3[lanes];
        weighted<12>(e5, slopes_, tableau::e8_5, i);
        weighted<12>(e3, slopes_, tableau::e8_3, i);
        for (int l = 0; l < lanes && i + l < size_; ++l) {
            const double scale = 1 / (options_.atol + options_.rtol * std::max(std::abs(y_[i + l]), std::abs(new_[i + l])));
            five += e5[l] * e5[l] * scale * scale;
            three += e3[l] * e3[l] * scale * scale;
        }
    }
    const double both = five + 0.01 * three;
    return both > 0 ? std::abs(h) * five / std::sqrt(both * size_) : both == 0 ? 0 : std::nan("");
}

double Run::tangent_error(double h) {
    const bool five = options_.method == Method::DormandPrince;
    for (int i = 0; i < size_; ++i) {
        double e = 0;
        for (int s = 0; s < (five ? 7 : 12); ++s) e += (five ? tableau::e5[s] : tableau::e8_5[s]) * slopes_[s][i];
        sample_[i] = h * e;
    }
    dynamics_.keep_tangent(new_.data(), sample_.data());
    return std::sqrt(scaled_square(sample_.data(), y_.data(), new_.data(), size_, options_.atol, options_.rtol) / size_);
}

void Run::fixed_step(double h) {
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
    } else if (options_.method == Method::Heun) {
        combine(new_, h, one, 1);
        derivative(t_ + h, new_, slopes_[1]);
        combine(new_, h, heun, 2);
    } else {  // velocities first, positions with the new velocities
        State& k = slopes_[1];
        combine(new_, h, one, 1);
        for (int b = 0; b < size_ / body_size; ++b) {
            const double *y = &y_[body_size * b], *x = &new_[body_size * b];
            const Vec3 w(x[at_w], x[at_w + 1], x[at_w + 2]), e(y[at_p + 1], y[at_p + 2], y[at_p + 3]);
            const Vec3 de = 0.5 * (y[at_p] * w + w.cross(e));
            k[body_size * b + at_p] = -0.5 * w.dot(e);
            for (int c = 0; c < 3; ++c) {
                k[body_size * b + at_r + c] = x[at_v + c];
                k[body_size * b + at_p + 1 + c] = de[c];
                k[body_size * b + at_v + c] = slopes_[0][body_size * b + at_v + c];
                k[body_size * b + at_w + c] = slopes_[0][body_size * b + at_w + c];
            }
        }
        k[size_] = slopes_[0][size_];
        static constexpr double second[] = {0, 1};
        combine(new_, h, second, 2);
    }
}

bool Run::finite(const State& y) const {
    double sum = 0;
    for (int i = 0; i < size_; ++i) sum += 0 * y[i];
    return sum == 0;
}

void Run::project(double t, State& y, double& position, double& velocity) {
    // the last stage stands at the end of the step: its factor serves the first correction
    position = dynamics_.residual(t, y.data());
    dynamics_.correct_positions(y.data());
    dynamics_.place(t, y.data());
    for (int i = 0; i < 4; ++i) {
        position = dynamics_.residual(t, y.data());
        // near a singular position what is left of Phi is magnified: go on to rounding
        const double wanted = dynamics_.lowest_now < 1e-2 && i == 0 ? 1e-15 : options_.tolerance;
        if (!(position > wanted)) break;
        dynamics_.correct_positions(y.data());
        dynamics_.place(t, y.data());
    }
    velocity = dynamics_.correct_velocities(y.data());
}

void Run::settle(double t) {
    double position = 0, velocity = 0;
    old_slope_.swap(slopes_[0]);
    if (options_.stabilisation == Stabilisation::Projection) {
        project(t, new_, position, velocity);
        dynamics_.load_velocities(new_.data());
        if (dynamics_.watch(t)) {
            dynamics_.select(t, new_.data());
            project(t, new_, position, velocity);
        }
        dynamics_.accelerate(t, new_.data(), slopes_[0].data());
    } else {
        if (options_.method == Method::DormandPrince) slopes_[0] = slopes_[6];  // the last stage stands there
        else derivative(t, new_, slopes_[0]);
        if (dynamics_.watch(t)) {
            dynamics_.select(t, new_.data());
            dynamics_.accelerate(t, new_.data(), slopes_[0].data());
        }
        position = dynamics_.residual(t, new_.data());
    }
    statistics_.position_residual = std::max(statistics_.position_residual, position);
    statistics_.velocity_residual = std::max(statistics_.velocity_residual, velocity);
    balance(new_[size_]);
    dynamics_.record_turns();
}

void Run::balance(double work) {
    const double kinetic = dynamics_.kinetic_energy(), potential = dynamics_.potential_energy();
    const double imbalance = std::abs(kinetic + potential - energy_ - (work - work_));
    statistics_.energy_imbalance = std::max(statistics_.energy_imbalance, imbalance);
    statistics_.energy_range = std::max(statistics_.energy_range, kinetic + std::abs(potential - potential_));
}

double Run::first_step() {
    const double n = size_, atol = options_.atol, rtol = options_.rtol;
    const double order = options_.method == Method::DormandPrince ? 5 : 8;
    const double d0 = std::sqrt(scaled_square(y_.data(), y_.data(), y_.data(), size_, atol, rtol) / n);
    const double d1 = std::sqrt(scaled_square(slopes_[0].data(), y_.data(), y_.data(), size_, atol, rtol) / n);
    double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h = std::min(h, end_ - t_);
    static constexpr double one[] = {1};
    combine(new_, h, one, 1);
    derivative(t_ + h, new_, slopes_[1]);
    for (int i = 0; i < size_; ++i) sample_[i] = slopes_[1][i] - slopes_[0][i];
    const double d2 = std::sqrt(scaled_square(sample_.data(), y_.data(), y_.data(), size_, atol, rtol) / n) / h;
    const double largest = std::max(d1, d2);
    const double next = largest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / largest, 1 / order);
    return std::min(100 * h, next);
}

Status Run::begin() {
    begun_ = true;
    dynamics_.select(t_, y_.data());
    dynamics_.record_turns();
    dynamics_.accelerate(t_, y_.data(), slopes_[0].data());
    statistics_.position_residual = dynamics_.residual(t_, y_.data());
    potential_ = dynamics_.potential_energy();
    energy_ = dynamics_.kinetic_energy() + potential_;
    work_ = y_[size_];
    if (!finite(slopes_[0])) return Status::NotFinite;
    while (recorded_ < static_cast<int>(outputs_.size()) && outputs_[recorded_] <= t_) {
        sample_ = y_;
        record(sample_);
    }
    if (adaptive(options_.method)) {
        h_ = options_.step > 0 ? options_.step : first_step();
    } else {
        fixed_steps_ = std::max(1L, std::lround(std::ceil((end_ - t_) / options_.step - 1e-9)));
        h_ = (end_ - t_) / fixed_steps_;
    }
    return Status::Running;
}

Status Run::attempt() {
    if (options_.max_steps > 0 && statistics_.steps + statistics_.rejected >= options_.max_steps) return Status::TooManySteps;
    const bool adapt = adaptive(options_.method);
    if (adapt && options_.max_step > 0) h_ = std::min(h_, options_.max_step);
    if (adapt) h_ = fitted_step(h_);
    const bool last = adapt ? t_ + 1.01 * h_ >= end_ : statistics_.steps + 1 >= fixed_steps_;
    const double h = last ? end_ - t_ : h_;
    if (!(h > 1e-14 * std::max(std::abs(t_), std::abs(end_)))) return Status::StepTooSmall;
    const double t_new = last ? end_ : adapt ? t_ + h : t0_ + (statistics_.steps + 1) * h_;

    if (adapt) {
        const bool five = options_.method == Method::DormandPrince;
        five ? stages5(h) : stages8(h);
        double error = five ? error5(h) : error8(h);
        // across a singular position forces lose digits, but only in what projection takes away
        const bool crosses = dynamics_.crossing > t_ && dynamics_.crossing < t_new;
        if (error > 1 && crosses && options_.stabilisation == Stabilisation::Projection) error = std::min(error, tangent_error(h));
        if (!(error <= 1)) {
            ++statistics_.rejected;
            was_rejected_ = true;
            h_ = h * (std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, five ? -0.2 : -0.125)) : 0.1);
            return Status::Running;
        }
        const double near = dynamics_.foresee(t_new) - t_new;
        if (!last && near < 0.15 * h && relanded_ < 3) {  // ends too close to a singular position
            ++relanded_;
            ++statistics_.fitted;
            h_ = (h + near) / (1 + widest_gap(options_.method));
            dynamics_.crossing = t_new + near;
            return Status::Running;
        }
        const double e = std::max(error, 1e-10);
        const double grow = five ? 0.9 * std::pow(e, -0.17) * std::pow(last_error_, 0.04) : 0.9 * std::pow(e, -0.125);
        h_ = h * std::min(was_rejected_ ? 1.0 : five ? 10.0 : 6.0, std::max(0.2, grow));
        was_rejected_ = false;
        last_error_ = std::max(error, 1e-4);
    } else {
        fixed_step(h);
    }
    settle(t_new);
    if (!finite(new_) || !finite(slopes_[0])) {
        slopes_[0].swap(old_slope_);
        if (!adapt) return Status::NotFinite;
        ++statistics_.rejected;
        h_ = 0.1 * h;
        return Status::Running;
    }
    relanded_ = 0;
    ++statistics_.steps;
    statistics_.smallest_step = statistics_.steps == 1 ? h : std::min(statistics_.smallest_step, h);
    statistics_.largest_step = std::max(statistics_.largest_step, h);
    emit(t_new, h);
    y_.swap(new_);
    t_ = t_new;
    return last ? Status::Done : Status::Running;
}

// Stages close to a singular position spoil a step, and steps that end just before it creep. A step that would do so is
// shortened: it crosses where its stages leave the widest gap, or ends early enough for the next one to do so.
double Run::fitted_step(double h) {
    const double gap = dynamics_.crossing - t_;
    if (!(gap > 0 && gap < 1.5 * h)) return h;
    const bool five = options_.method == Method::DormandPrince;
    const double middle = widest_gap(options_.method);
    const double at = gap / h;
    double nearest = 1;
    for (int s = 1; s < (five ? 7 : 12); ++s) nearest = std::min(nearest, std::abs(at - (five ? tableau::c5[s] : tableau::c8[s])));
    const bool clear = at < 1 ? nearest > 0.04 : at - 1 > 0.3 * middle;
    if (clear) return h;
    ++statistics_.fitted;
    return at <= middle ? gap / middle : gap / (1 + middle);
}

void Run::prepare_dense(double h) {
    const State &k0 = old_slope_, &k1 = slopes_[0];
    const std::size_t n = y_.size();
    if (options_.method == Method::DOP853)
        for (int s = 13; s < 16; ++s) {
            // slopes 0 and 12 are the ones at the two ends of the step
            slopes_[0].swap(old_slope_);
            slopes_[12] = old_slope_;
            combine(sample_, h, tableau::a8[s], s);
            slopes_[0].swap(old_slope_);
            derivative(t_ + tableau::c8[s] * h, sample_, slopes_[s]);
        }
    for (std::size_t i = 0; i < n; ++i) {
        const double dy = new_[i] - y_[i];
        dense_[0][i] = dy;
        dense_[1][i] = h * k0[i] - dy;
        dense_[2][i] = 2 * dy - h * (k0[i] + k1[i]);
    }
    if (options_.method == Method::DormandPrince)
        for (std::size_t i = 0; i < n; ++i) {
            double sum = tableau::d5[0] * k0[i] + tableau::d5[6] * k1[i];
            for (int s = 1; s < 6; ++s) sum += tableau::d5[s] * slopes_[s][i];
            dense_[3][i] = h * sum;
        }
    if (options_.method == Method::DOP853)
        for (int d = 0; d < 4; ++d)
            for (std::size_t i = 0; i < n; ++i) {
                double sum = tableau::d8[d][0] * k0[i];
                for (int s = 1; s < 16; ++s) sum += tableau::d8[d][s] * slopes_[s][i];
                dense_[3 + d][i] = h * sum;
            }
}

// y = y0 + x (d0 + (1-x) (d1 + x (d2 + (1-x) (d3 + ...))))
void Run::interpolate(double x, State& out) const {
    const int terms = options_.method == Method::DOP853 ? 7 : options_.method == Method::DormandPrince ? 4 : 3;
    for (std::size_t i = 0; i < y_.size(); ++i) {
        double sum = 0;
        for (int d = terms; d-- > 0;) sum = (sum + dense_[d][i]) * (d % 2 ? 1 - x : x);
        out[i] = y_[i] + sum;
    }
}

void Run::emit(double t_new, double h) {
    bool ready = false;
    while (recorded_ < static_cast<int>(outputs_.size()) && outputs_[recorded_] <= t_new) {
        const double t = outputs_[recorded_];
        if (t == t_new) {
            sample_ = new_;
        } else {
            if (!ready) prepare_dense(h);
            ready = true;
            interpolate((t - t_) / h, sample_);
            if (options_.stabilisation == Stabilisation::Projection && options_.project_outputs) {
                double position, velocity;
                dynamics_.place(t, sample_.data());
                project(t, sample_, position, velocity);
                statistics_.position_residual = std::max(statistics_.position_residual, position);
            }
        }
        record(sample_);
    }
}

void Run::record(const State& y) {
    const System& system = dynamics_.system();
    if (system.turns > 0) {
        dynamics_.load_positions(y.data());
        for (std::size_t m = 0; m < system.measures.size(); ++m)
            if (system.measures[m].turn >= 0)
                sample_turns_[static_cast<std::size_t>(recorded_) * system.turns + system.measures[m].turn] = dynamics_.measured(static_cast<int>(m));
    }
    std::copy(y.begin(), y.begin() + system.state_size(), samples_.begin() + static_cast<std::size_t>(recorded_) * system.state_size());
    ++recorded_;
}

Status Run::advance(long evaluations) {
    Status status = Status::Running;
    const long until = dynamics_.evaluations + evaluations;
    if (!begun_) status = begin();
    while (status == Status::Running && dynamics_.evaluations < until) status = attempt();
    return status;
}

}  // namespace vincolo
