#include "solve.hpp"

#include <algorithm>

#include "elimination.hpp"
#include "pins.hpp"
#include "quaternion.hpp"

namespace vincolo {

Solve::Solve(const Placement& placement, Rows& rows, Forces& forces)
    : placement_(placement), rows_(rows), forces_(forces), system_(placement.system()), ballast_(placement, rows),
      pins_(std::make_unique<Pins>()) {
    const std::size_t bodies = system_.bodies.size() + 1, blocks = rows.set().blocks.size();
    solver_ = geometer_ = BlockSolver(rows.set(), elimination(rows.set(), std::vector<char>(blocks, 0)), BlockSolver::Store::Panels);
    hubs_.resize(solver_.hubs());
    unit_ = {std::vector<double>(bodies, 1), std::vector<Mat3>(bodies, Mat3::Identity() / (placement.size * placement.size)), {}, nullptr};
    for (Twists* x : {&acc_, &free_}) x->assign(bodies, {Vec3::Zero(), Vec3::Zero()});
    reactions_.assign(bodies, {Vec3::Zero(), Vec3::Zero()});
    for (BlockVector* x : {&lam_, &other_, &least_}) x->assign(blocks, Column{});
    for (Column& column : least_)
        for (int r = 0; r < block_rows; ++r) column[r] = dependent_share;
}

Solve::~Solve() = default;

void Solve::factor(const BlockVector& least) {
    shares_ = &least;
    behind_ = by_pins_ = placement_.inverse().flat && pins_->factor(placement_.bodies(), rows_.taken());
    if (!by_pins_) factor_rows();
    ++factorisations;
}

void Solve::factor_rows() const {
    solver_.assemble(rows_.set(), placement_.inverse());
    zeroed_pivots += solver_.factor(rows_.set(), *shares_);
    behind_ = false;
}

const BlockSolver& Solve::factors() const {
    if (behind_) factor_rows();
    return solver_;
}

bool Solve::find_pins() {
    if (!placement_.inverse().flat || solver_.hubs() > 0 || ballast_.any() || rows_.do_work()) return false;
    return pins_->find(system_, rows_.set(), rows_.taken(), placement_.inverse(), solver_.work(rows_.set()));
}

void Solve::forget_pins() { pins_->forget(); }

int Solve::pins() const { return pins_->count(); }

void Solve::solve(BlockVector& x) const { by_pins_ ? pins_->solve(x) : solver_.solve(rows_.set(), x); }

void Solve::lay_flat(const Planes* planes) {
    planes_ = planes;
    unit_.flat = planes ? &planes->flat() : nullptr;
    for (int b = 0; b < system_.ground(); ++b) unit_.set_inertia(b, unit_.inertia.back()(0, 0));
}

void Solve::factor_geometric() {
    if (behind_) factor_rows();  // while the rows are still those of the last factor
    rows_.assemble(unit_.inertia.data());
    geometer_.assemble(rows_.set(), unit_);
    geometer_.factor(rows_.set(), least_);
    ++factorisations;
}

void Solve::constrain(const Twists& free, BlockVector& lam, Twists& acc) {
    rows_.add_rates(lam, free, 1);
    solve(lam);
    rows_.collect(lam, reactions_);
    const Metric& inverse = placement_.inverse();
    const bool ballast = ballast_.any();
    for (std::size_t h = 0; h < hubs_.size(); ++h) {
        const Twist &u = free[solver_.hub_body(h)], moved = solver_.hub_motion(h);
        hubs_[h] = {u.v - moved.v, u.w - moved.w};
    }
    for (int b = 0; b < system_.ground(); ++b) {
        acc[b].v = free[b].v - inverse.mass[b] * reactions_[b].f;
        if (ballast && ballast_.on(b)) acc[b].w = free[b].w - placement_.turned(b, reactions_[b].t);
        else acc[b].w = free[b].w - inverse.inertia[b] * reactions_[b].t;
    }
    for (std::size_t h = 0; h < hubs_.size() && !balanced; ++h) {
        const int b = solver_.hub_body(h);
        if (!ballast || !ballast_.on(b)) acc[b] = hubs_[h];
    }
}

void Solve::constrained_response(const Twists& free, Twists& out) {
    for (Column& column : other_) column.clear();
    constrain(free, other_, out);
}

void Solve::respond(const Pushes& push, Twists& out) {
    const Metric& inverse = placement_.inverse();
    for (int b = 0; b < system_.ground(); ++b) free_[b] = {inverse.mass[b] * push[b].f, inverse.inertia[b] * push[b].t};
    constrained_response(free_, out);
}

void Solve::respond(const Pushes& push, Twists& acc, BlockVector& lam) {
    for (int b = 0; b < system_.ground(); ++b) free_[b] = {placement_.inverse().mass[b] * push[b].f, placement_.turned(b, push[b].t)};
    for (Column& column : lam) column.clear();
    constrain(free_, lam, acc);
    for (int pass = 0; balanced && pass < 2; ++pass) refine_response(acc, lam);
    if (!ballast_.any()) return;
    ballast_.load(free_);
    ballast_.unload(*this, lam, acc, true);
}

void Solve::add(const Twists& acc, const BlockVector& lam, double factor) {
    add_scaled(acc_, factor, acc, system_.ground());
    for (std::size_t k = 0; k < lam.size(); ++k) lam_[k].add(lam[k], factor);
}

void Solve::reload() {
    if (ballast_.any()) ballast_.load(forces_.free());
}

void Solve::accelerate(double alpha, double beta) {
    rows_.find_bias();
    // S lam = J a_free - gamma
    for (std::size_t k = 0; k < lam_.size(); ++k) lam_[k].negate(rows_.gamma()[k]);
    if (alpha != 0 || beta != 0) {
        rows_.find_values();
        for (std::size_t k = 0; k < lam_.size(); ++k) lam_[k].add(rows_.phi()[k], beta * beta);
        rows_.add_rates(lam_, placement_.velocities(), 2 * alpha);
        rows_.add_held_rates(lam_, -2 * alpha);
    }
    constrain(forces_.free(), lam_, acc_);
    if (!ballast_.any()) return;
    ballast_.load(forces_.free());
    ballast_.unload(*this, lam_, acc_, true);
}

void Solve::accelerate_least() {
    clear(free_);
    rows_.find_bias();
    for (std::size_t k = 0; k < lam_.size(); ++k) lam_[k].negate(rows_.gamma()[k]);
    constrain(free_, lam_, acc_);
}

double Solve::refine() {
    for (std::size_t k = 0; k < other_.size(); ++k) other_[k].negate(rows_.gamma()[k]);
    constrain(acc_, other_, acc_);
    double change = 0, whole = 0;
    for (std::size_t k = 0; k < lam_.size(); ++k) {
        lam_[k].add(other_[k], 1);
        for (int r = 0; r < rows_.set().blocks[k].n; ++r)
            change = std::max(change, std::abs(other_[k][r])), whole = std::max(whole, std::abs(lam_[k][r]));
    }
    if (ballast_.any()) ballast_.unload(*this, lam_, acc_, false);
    return whole > 0 ? change / whole : 0;
}

void Solve::refine_response(Twists& acc, BlockVector& lam) {
    for (Column& column : other_) column.clear();
    constrain(acc, other_, acc);
    for (std::size_t k = 0; k < lam.size(); ++k) lam[k].add(other_[k], 1);
}

void Solve::accelerate_given(const BlockVector& multipliers, const double* before) {
    using Map3 = Eigen::Map<const Vec3>;
    const Metric& inverse = placement_.inverse();
    const Twists& free = forces_.free();
    lam_ = multipliers;
    rows_.collect(lam_, reactions_);
    for (int b = 0; b < system_.ground(); ++b) {
        const Body& given = system_.bodies[b];
        const double* last = before + body_size * b;
        acc_[b].v = free[b].v + inverse.mass[b] * (given.lent_force(Map3(last + at_v)) - reactions_[b].f);
        acc_[b].w = free[b].w + inverse.inertia[b] * (given.lent_torque(placement_.bodies()[b].A, Map3(last + at_w)) - reactions_[b].t);
    }
}

void Solve::write_slope(const double* y, double* dy) const {
    for (int b = 0; b < system_.ground(); ++b) {
        double* d = dy + body_size * b;
        const Twist &u = placement_.velocities()[b], &a = acc_[b];
        quaternion_rate(y + body_size * b + at_p, u.w, d + at_p);
        for (int c = 0; c < 3; ++c) {
            d[at_r + c] = u.v[c];
            d[at_v + c] = a.v[c];
            d[at_w + c] = a.w[c];
        }
    }
    dy[system_.work_index()] = rows_.add_power(forces_.power(), lam_);
}

}  // namespace vincolo
