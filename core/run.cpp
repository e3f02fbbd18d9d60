#include "run.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

namespace {

bool adaptive(Method m) { return m == Method::DormandPrince || m == Method::DOP853; }

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
        position = dynamics_.placed_residual();
        // near a singular position what is left of Phi is magnified: go on to rounding
        const double wanted = dynamics_.lowest_now < 1e-2 && i == 0 ? 1e-15 : options_.tolerance;
        if (!(position > wanted)) break;
        dynamics_.correct_positions(y.data());
        dynamics_.place(t, y.data());
    }
    velocity = dynamics_.correct_velocities(y.data());
}

// The end of a step: onto the constraints, and the slope there
void Run::land(double t, State& slope) {
    if (options_.stabilisation == Stabilisation::Projection) {
        project(t, new_, landed_position_, landed_velocity_);
        dynamics_.accelerate(t, new_.data(), slope.data());
    } else {
        derivative(t, new_, slope);
        landed_position_ = dynamics_.placed_residual();
    }
}

// Takes the landed state with its slope as the new one: choice of rows, records
void Run::settle(double t, State& slope) {
    if (dynamics_.watch(t)) {
        dynamics_.select(t, new_.data());
        land(t, slope);
    }
    old_slope_.swap(slopes_[0]);
    slopes_[0].swap(slope);
    statistics_.position_residual = std::max(statistics_.position_residual, landed_position_);
    statistics_.velocity_residual = std::max(statistics_.velocity_residual, landed_velocity_);
    balance(new_[size_]);
    dynamics_.record_turns(t);
}

void Run::balance(double work) {
    const double kinetic = dynamics_.kinetic_energy(), potential = dynamics_.potential_energy();
    const double imbalance = std::abs(kinetic + potential - energy_ - (work - work_));
    statistics_.energy_imbalance = std::max(statistics_.energy_imbalance, imbalance);
    statistics_.energy_range = std::max(statistics_.energy_range, kinetic + std::abs(potential - potential_));
}

Status Run::begin() {
    begun_ = true;
    dynamics_.start_turns(t_);
    dynamics_.select(t_, y_.data());
    dynamics_.load_velocities(y_.data());
    dynamics_.record_turns(t_);
    dynamics_.accelerate(t_, y_.data(), slopes_[0].data());
    statistics_.position_residual = dynamics_.placed_residual();
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
        fixed_steps_ = std::max(1L, std::lround(std::min(1e15, std::ceil((end_ - t_) / options_.step - 1e-9))));
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
    if (!(h > 1e-14 * std::max(std::abs(t_), std::abs(end_)))) return undefined_ ? Status::NotFinite : Status::StepTooSmall;
    const double t_new = last ? end_ : adapt ? t_ + h : t0_ + (statistics_.steps + 1) * h_;

    if (adapt) {
        const bool five = options_.method == Method::DormandPrince;
        five ? stages5(h, t_new) : stages8(h);
        double error = five ? error5(h) : error8(h);
        // near a singular position forces lose digits, but only in what projection takes away
        const bool crosses = dynamics_.crossing > t_ && dynamics_.crossing < t_new;
        if (error > 1 && (crosses || dynamics_.nearness < 0.05)) error = std::min(error, error_to_keep(h, error));
        if (!(error <= 1)) {
            ++statistics_.rejected;
            was_rejected_ = true;
            undefined_ = !std::isfinite(error);
            h_ = h * (std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, five ? -0.2 : -0.125)) : 0.1);
            return Status::Running;
        }
        const double near = dynamics_.foresee(t_new) - t_new;
        if (!last && near < 0.15 * h && relanded_ < 3) {  // ends too close to a singular position
            ++relanded_;
            ++statistics_.fitted;
            h_ = (h + near) / (1 + widest_gap());
            dynamics_.crossing = t_new + near;
            return Status::Running;
        }
        const double e = std::max(error, 1e-10);
        const double grow = five ? 0.9 * std::pow(e, -0.17) * std::pow(last_error_, 0.04) : 0.9 * std::pow(e, -0.125);
        h_ = h * std::min(was_rejected_ ? 1.0 : five ? 10.0 : 6.0, std::max(0.2, grow));
        was_rejected_ = undefined_ = false;
        last_error_ = std::max(error, 1e-4);
    } else {
        fixed_step(h);
    }
    State& slope = slopes_[options_.method == Method::DormandPrince ? 6 : 12];
    if (options_.method != Method::DormandPrince) land(t_new, slope);
    settle(t_new, slope);
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

Status Run::advance(long evaluations) {
    Status status = Status::Running;
    const long until = dynamics_.evaluations + evaluations;
    if (!begun_) status = begin();
    while (status == Status::Running && dynamics_.evaluations < until) status = attempt();
    return status;
}

}  // namespace vincolo
