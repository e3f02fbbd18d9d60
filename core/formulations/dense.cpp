#include "formulations/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vincolo {

DenseFormulation::DenseFormulation(const System& system, const FormulationOptions& options)
    : Formulation(options.kind), options_(options), coordinates_(Coordinates::make(options.coordinates, system)) {
    const Equations& e = coordinates_->e;
    make_solvers();
    switched_ = system.switched();
    rows_.reserve(system.rows.size());
    velocities_follow_ = options.integrates == "velocities" || options.integrates == "coordinates";
    positions_follow_ = options.integrates == "coordinates";
    x_.assign(state_size() + system.tail_size(), 0);
    change_.setZero(e.n);
    coordinates_->e.reactions = coordinates_->all.rows.do_work();  // for the power of drives and of frames that are moved
}

void DenseFormulation::make_solvers() {
    const std::int64_t before[] = {solver_ ? solver_->iterations : 0, solver_ ? solver_->most_iterations : 0, solver_ ? solver_->decompositions : 0};
    solver_ = make_solver(coordinates_->e, options_);
    solver_->iterations = before[0], solver_->most_iterations = before[1], solver_->decompositions = before[2];
    const auto augmentation = options_.kind == "augmented_lagrangian" ? filled<Augmentation>(options_.given) : Augmentation();
    if (augmentation.index == 3) index3_ = std::make_unique<Index3>(*coordinates_, augmentation, options_.rank_tolerance);
}

// Where others hold than before the matrices are made anew: that happens at events, not in steps
void DenseFormulation::find_rows() {
    const System& system = coordinates_->system;
    rows_.clear();
    for (std::size_t r = 0; r < system.rows.size(); ++r)
        if (system.rows[r].gate < 0 || placement().auxiliaries()[system.rows[r].gate].f != 0) rows_.push_back(static_cast<int>(r));
    if (rows_ == coordinates_->taken()) return;
    coordinates_->take_rows(rows_);
    make_solvers();
}

void DenseFormulation::fill(const Tolerances& tolerances, double* absolute, double*) const {
    const int positions = coordinates_->q_size, whole = coordinates_->body_state();
    for (int i = 0; i < state_size(); ++i) {
        const int place = i % whole;
        absolute[i] = place < positions ? tolerances.absolute(std::min(place, at_v - 1))
                                        : place < positions + 3 ? tolerances.velocities : tolerances.turning;
    }
}

bool DenseFormulation::place(double t, const double* x) {
    placement().load_auxiliaries(t, x + state_size() + 1);
    if (switched_) find_rows();
    coordinates_->positions(t, x);
    return fail(solver_->reduce(equations()), t);
}

void DenseFormulation::set_moving(double t, const double* x) {
    coordinates_->velocities(x);
    coordinates_->motion(t, x);
    if (alpha != 0 || beta != 0) coordinates_->e.gamma -= 2 * alpha * equations().rate + beta * beta * equations().phi;
}

bool DenseFormulation::load(double t, const double* x) {
    if (!place(t, x)) return false;
    set_moving(t, x);
    return true;
}

bool DenseFormulation::follow(double t, double* x) {
    Coordinates& c = *coordinates_;
    constexpr int most = 12;
    if (!place(t, x)) return false;
    for (int k = 0; k <= most && positions_follow_; ++k) {
        const double left = largest_residual();
        if (!std::isfinite(left)) return fail(Failure::NotFinite, t);
        if (left < 1e-13) break;
        if (k == most) {
            if (left > 1e-9) return fail(Failure::NotConverged, t);
            break;
        }
        if (!fail(solver_->correct(c.e, c.e.phi, change_), t)) return false;
        if (k > 2 && change_.norm() < 1e-14) break;
        c.move(x, change_);
        if (!place(t, x)) return false;
    }
    c.velocities(x);
    if (!fail(solver_->correct(c.e, c.e.rate, change_), t)) return false;
    c.e.u += change_;
    c.set_velocities(x, c.e.u);
    return true;
}

// Numbers that are not finite make matrices singular: they are the cause
Failure DenseFormulation::solved() {
    Equations& e = coordinates_->e;
    const Failure failure = solver_->solve(e);
    const bool finite = failure == Failure::None || (e.M.allFinite() && e.J.allFinite() && e.Q.allFinite() && e.gamma.allFinite());
    return finite ? failure : Failure::NotFinite;
}

void DenseFormulation::derivative(double t, const double* x, double* dx) {
    const double* at = x;
    bool good;
    if (velocities_follow_) {
        std::copy(x, x + x_.size(), x_.begin());
        at = x_.data();
        good = follow(t, x_.data());
        if (good) set_moving(t, at);
    } else {
        good = load(t, at);
    }
    if (!good || !fail(solved(), t)) {
        std::fill(dx, dx + state_size() + 1, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    write(at, dx);
}

void DenseFormulation::position_rates(const double* x, const double* v, double* dx) {
    const Coordinates& c = *coordinates_;
    for (int b = 0; b < c.system.ground(); ++b)
        for (int k = 0; k < c.u_size; ++k) change_[c.u_size * b + k] = v[c.body_state() * b + c.q_size + k];
    c.position_rates(x, change_, dx);
}

void DenseFormulation::write(const double* x, double* dx) {
    Coordinates& c = *coordinates_;
    c.position_rates(x, c.e.u, dx);
    c.set_velocities(dx, c.e.acc);
    double power = c.all.forces.power();
    for (std::size_t r = 0; r < c.taken().size(); ++r) {
        const int row = c.taken()[r];
        power -= c.e.lam[r] * (c.system.rows[row].level == Level::Acceleration ? c.e.J.row(r).dot(c.e.u) : c.all.rows.held(row).d);
    }
    dx[state_size()] = power;
}

void DenseFormulation::trapezoidal(double t, double h, const double* x, const double* dx, double* x_new, double* dx_new) {
    const Failure failure = index3_->step(t, h, x, dx, x_new);
    solver_->iterations += index3_->passes();
    solver_->most_iterations = std::max<std::int64_t>(solver_->most_iterations, index3_->passes());
    if (!fail(failure, t + h)) {
        std::fill(x_new, x_new + state_size() + 1, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    write(x_new, dx_new);
    x_new[state_size()] = x[state_size()] + h / 2 * (dx[state_size()] + dx_new[state_size()]);
}

bool DenseFormulation::settle(double t, double* x) {
    if (velocities_follow_ ? !follow(t, x) : !place(t, x)) return false;
    coordinates_->velocities(x);
    return fail(solver_->renew(equations()), t);
}

}  // namespace vincolo
