#include "least_reactions.hpp"

#include <algorithm>
#include <cmath>

#include "elimination.hpp"

namespace vincolo {

namespace {

constexpr double ridge_share = 1e-4;  // small, so that few steps do; but rounding over it is what least reactions are off by
constexpr double astray = 1e4;  // longest step; one into reactions that balance each other, led by rounding, is longer

constexpr double balanced = 1e-10;  // share of the forces; below it a step that does not halve what is left follows rounding

const Wrench no_wrench{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};

}  // namespace

LeastReactions::LeastReactions(const Placement& placement, const Quantities& quantities, Rows& rows)
    : placement_(placement), quantities_(quantities), rows_(rows), system_(placement.system()) {
    const std::size_t blocks = system_.blocks.size(), bodies = system_.bodies.size() + 1;
    solver_ = BlockSolver(rows.set(), elimination(rows.set(), std::vector<char>(blocks, 0)));
    for (BlockVector* x : {&gradient_, &step_, &direction_, &none_, &kept_}) x->assign(blocks, Column{});
    for (Pushes* x : {&left_, &share_}) x->assign(bodies, {Vec3::Zero(), Vec3::Zero()});
    weighed_.assign(bodies, {Vec3::Zero(), Vec3::Zero()});
    units_.assign(system_.rows.size(), no_wrench);
}

// -J^T of a row, at the block's frames
Wrench LeastReactions::unit_wrench(int r) const {
    Wrench w = no_wrench;
    const BlockShape& shape = system_.blocks[system_.rows[r].block];
    const Quantity& q = system_.quantities[system_.rows[r].quantity];
    for (int n = q.first; n < q.first + q.count; ++n) {
        const Measure& m = system_.measures[system_.terms[n].measure];
        const bool swapped = system_.frames[m.a].body != system_.frames[shape.a].body;
        const Gradient g = placement_.gradient_of(system_.terms[n].measure);
        const double f = quantities_.factor(n);
        (swapped ? w.force_b : w.force_a) += f * g.lin;
        (swapped ? w.force_a : w.force_b) -= f * g.lin;
        (swapped ? w.torque_b : w.torque_a) -= f * g.on_a;
        (swapped ? w.torque_a : w.torque_b) -= f * g.on_b;
    }
    w.torque_a -= placement_.frames()[shape.a].s.cross(w.force_a);
    w.torque_b -= placement_.frames()[shape.b].s.cross(w.force_b);
    return w;
}

// What reactions are measured by: forces, and torques at both frames of a joint over the characteristic length. It is the same
// whichever body is written first. The ridge serves as preconditioner only: small against J W J^T, so that few steps do.
void LeastReactions::add_ridge() {
    const double per_length = 1 / length_;
    for (std::size_t k = 0; k < system_.blocks.size(); ++k) {
        const BlockShape& shape = system_.blocks[k];
        for (int r = shape.first; r < shape.first + shape.count; ++r)
            for (int c = shape.first; c < shape.first + shape.count; ++c) {
                if (!rows_.taken()[r] || !rows_.taken()[c]) continue;
                const Wrench &x = units_[r], &y = units_[c];
                const double forces = x.force_a.dot(y.force_a) + x.force_b.dot(y.force_b);
                const double torques = x.torque_a.dot(y.torque_a) + x.torque_b.dot(y.torque_b);
                solver_.add_to_block(static_cast<int>(k), rows_.position(r), rows_.position(c), ridge_share * (forces + torques * per_length * per_length));
            }
    }
}

void LeastReactions::find_units() {
    for (std::size_t r = 0; r < units_.size(); ++r) units_[r] = unit_wrench(static_cast<int>(r));
}

void LeastReactions::factor(const Metric& metric, double length) {
    metric_ = &metric, length_ = length;
    tried_ = false;
    find_units();
    rows_.assemble(metric.inertia.data());
    solver_.assemble(rows_.set(), metric);
    add_ridge();
    solver_.factor(rows_.set(), none_);
}

double LeastReactions::largest_left() const {
    double most = 0;
    for (int b = 0; b < system_.ground(); ++b)
        most = std::max(most, std::max(largest(left_[b].f), largest(left_[b].t) * std::sqrt(metric_->inertia[b](0, 0))));
    return most;
}

double LeastReactions::gradient_of_rest() {
    for (int b = 0; b < system_.ground(); ++b) weighed_[b] = {metric_->mass[b] * left_[b].f, metric_->inertia[b] * left_[b].t};
    for (Column& column : gradient_) column.clear();
    rows_.add_rates(gradient_, weighed_, 1);
    step_ = gradient_;
    solver_.solve(rows_.set(), step_);
    double rho = 0;
    for (std::size_t k = 0; k < gradient_.size(); ++k)
        for (int r = 0; r < rows_.set().blocks[k].n; ++r) rho += gradient_[k][r] * step_[k][r];
    return rho;
}

// Conjugate gradients on J W J^T lam = J W f from zero, preconditioned by (J W J^T + ridge G)^-1, whose steps all lie where |lam|
// in the metric G is least
double LeastReactions::find(const Pushes& forces, BlockVector& lam) {
    left_ = forces;
    const double whole = largest_left();
    for (Column& column : lam) column.clear();
    double rho = gradient_of_rest(), rest = whole, least = whole;
    direction_ = step_;
    for (int step = 0, idle = 0; step < 500 && idle < 20 && rest > 1e-15 * whole && rho > 0; ++step) {
        rows_.collect(direction_, share_);
        double curvature = 0;
        for (int b = 0; b < system_.ground(); ++b)
            curvature += metric_->mass[b] * share_[b].f.squaredNorm() + metric_->inertia[b](0, 0) * share_[b].t.squaredNorm();
        if (!(astray * curvature > rho)) break;
        const double alpha = rho / curvature, before = rest;
        if (before < balanced * whole) kept_ = lam;
        for (std::size_t k = 0; k < lam.size(); ++k) lam[k].add(direction_[k], alpha);
        for (int b = 0; b < system_.ground(); ++b) {
            left_[b].f -= alpha * share_[b].f;
            left_[b].t -= alpha * share_[b].t;
        }
        const double next = gradient_of_rest();
        rest = largest_left();
        if (before < balanced * whole && !(rest < 0.5 * before)) {
            lam = kept_;
            return before / whole;
        }
        idle = rest < 0.9 * least ? 0 : idle + 1;
        least = std::min(least, rest);
        for (std::size_t k = 0; k < direction_.size(); ++k) {
            direction_[k].scale(next / rho);
            direction_[k].add(step_[k], 1);
        }
        rho = next;
    }
    return whole > 0 ? rest / whole : 0;
}

void LeastReactions::measure(const BlockVector& lam, double* out) {
    wrenches(lam, wrenches_);
    for (const Wrench& w : wrenches_)
        for (const Vec3& x : {w.force_a, w.force_b, Vec3(w.torque_a / length_), Vec3(w.torque_b / length_)})
            for (int c = 0; c < 3; ++c) *out++ = x[c];
}

// A row that is left out is a sum of others: J_r = sum c_k J_k. Multipliers of 1 in it and -c_k in the others move nothing.
bool LeastReactions::find_balanced(const Rows& chosen, Solve& solve) {
    std::size_t count = 0;
    moved_.resize(left_.size());
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        if (!rows_.taken()[r] || chosen.taken()[r]) continue;
        if (balanced_.size() <= count) balanced_.emplace_back(system_.blocks.size(), Column{});
        BlockVector& own = balanced_[count++];
        for (Column& column : own) column.clear();
        own[system_.rows[r].block][rows_.position(static_cast<int>(r))] = 1;
        rows_.collect(own, share_);
        for (Column& column : direction_) column.clear();
        solve.respond(share_, moved_, direction_);
        for (std::size_t k = 0; k < system_.rows.size(); ++k)
            if (chosen.taken()[k]) own[system_.rows[k].block][rows_.position(static_cast<int>(k))] = -direction_[system_.rows[k].block][chosen.position(static_cast<int>(k))];
        rows_.collect(own, left_);
        double open = 0, size = 0;
        for (int b = 0; b < system_.ground(); ++b) {
            open = std::max({open, largest(left_[b].f), largest(left_[b].t) / length_});
            size = std::max({size, largest(share_[b].f), largest(share_[b].t) / length_});
        }
        if (!(open <= 1e-7 * size)) return false;
    }
    sizes_.resize(12 * static_cast<Eigen::Index>(system_.blocks.size()), static_cast<Eigen::Index>(count));
    whole_.resize(sizes_.rows());
    for (std::size_t k = 0; k < count; ++k) measure(balanced_[k], sizes_.col(static_cast<Eigen::Index>(k)).data());
    shares_.compute(sizes_);
    return true;
}

bool LeastReactions::lessen(const Rows& chosen, Solve& solve, const BlockVector& solved, BlockVector& lam) {
    if (!tried_) tried_ = true, balances_ = find_balanced(chosen, solve);
    if (!balances_) return false;
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const int block = system_.rows[r].block, n = static_cast<int>(r);
        if (rows_.taken()[r]) lam[block][rows_.position(n)] = chosen.taken()[r] ? solved[block][chosen.position(n)] : 0;
    }
    for (int pass = 0; pass < 2; ++pass) {  // the second takes back rounding of the first
        measure(lam, whole_.data());
        share_of_ = shares_.solve(whole_);
        for (Eigen::Index k = 0; k < share_of_.size(); ++k)
            for (std::size_t b = 0; b < lam.size(); ++b) lam[b].add(balanced_[static_cast<std::size_t>(k)][b], -share_of_[k]);
    }
    return true;
}

void LeastReactions::wrenches(const BlockVector& lam, std::vector<Wrench>& out) const {
    out.assign(system_.blocks.size(), no_wrench);
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        if (!rows_.taken()[r]) continue;
        const int block = system_.rows[r].block;
        const double x = lam[block][rows_.position(static_cast<int>(r))];
        Wrench& w = out[block];
        w.force_a += x * units_[r].force_a, w.torque_a += x * units_[r].torque_a;
        w.force_b += x * units_[r].force_b, w.torque_b += x * units_[r].torque_b;
    }
}

}  // namespace vincolo
