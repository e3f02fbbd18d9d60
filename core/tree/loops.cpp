#include "tree/loops.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo::tree {

namespace {

constexpr double vanished = 1e-9;  // share of the pivot it began with below which a row carries no force

}  // namespace

Loops::Loops(Tree& tree, const Placement& placement, Rows& rows) : tree_(tree), response_(tree), light_(tree), placement_(placement), rows_(rows), system_(placement.system()) {
    const std::vector<char>& left = tree.left();
    rows.activate(left);
    for (std::size_t r = 0; r < left.size(); ++r)
        if (left[r]) all_.push_back({static_cast<int>(r), system_.rows[r].block});
    for (const Left& row : all_) {
        const Block& block = rows.set().blocks[row.block];
        std::vector<int> bodies;
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) bodies.push_back(rows.set().ends[e].body);
        paths_.push_back(response_.path_of(bodies));
    }
    count_ = static_cast<int>(all_.size());
    switched_ = system_.switched();
    holds_ = left;
    const int n = response_.size();
    Z_.setZero(n, count_), weighed_.setZero(n, count_), S_.setZero(count_, count_), L_.setZero(count_, count_);
    for (Eigen::VectorXd* x : {&pivots_, &first_, &lam_}) x->setZero(count_);
    pushes_.setZero(n), sizes_.setZero(n), change_.setZero(n);
    on_.resize(tree.places().size());
    accelerations_.assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    by_block_.assign(system_.blocks.size(), Column{});
}

void Loops::put_on(int k) {
    const BlockSet& set = rows_.set();
    const Block& block = set.blocks[all_[k].block];
    const int at = rows_.position(all_[k].row);
    for (int n : paths_[k]) on_[n + 1].f.setZero(), on_[n + 1].t.setZero();
    for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
        const End& end = set.ends[e];
        const int place = tree_.place_of(end.body);
        const Vec3 f(end.lin[0][at], end.lin[1][at], end.lin[2][at]), torque(end.ang[0][at], end.ang[1][at], end.ang[2][at]);
        const Vec3 r = vec(tree_.places()[place].R * tree_.links()[place - 1].centre);
        on_[place].f += f, on_[place].t += torque + r.cross(f);
    }
}

void Loops::find_rows() {
    bool changed = false;
    for (const Left& left : all_) {
        const int gate = system_.rows[left.row].gate;
        if (gate < 0) continue;
        const char now = placement_.auxiliaries()[gate].f != 0;
        changed = changed || now != holds_[left.row];
        holds_[left.row] = now;
    }
    if (!changed) return;
    rows_.activate(holds_);
    chosen_ = false;
}

void Loops::place(double t) {
    if (switched_) find_rows();
    rows_.evaluate_drives(t);
    rows_.assemble(placement_.inverse().inertia.data());
    rows_.find_values();
    if (chosen_) factor();
}

// Z: what each row kept does to the coordinates, as far as the inertias hand it on; S = Z^T D^-1 Z
void Loops::couple() {
    const int n = static_cast<int>(kept_.size());
    for (int k = 0; k < n; ++k) {
        double *z = Z_.col(k).data(), *weighed = weighed_.col(k).data();
        put_on(kept_[k]);
        response_.push_back(on_, paths_[kept_[k]], z);
        response_.divide(z, paths_[kept_[k]], weighed);
    }
    for (int k = 0; k < n; ++k)
        for (int j = 0; j <= k; ++j) S_(k, j) = Z_.col(j).dot(weighed_.col(k));
}

// J J^T of the coordinates, turning measured by the size of bodies, and what rows would have there on bodies that are free
Eigen::MatrixXd Loops::geometry(Eigen::VectorXd& sizes) {
    const double size = placement_.size;
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(Z_.rows(), count_);
    for (int k = 0; k < count_; ++k) {
        sizes[k] = 0;
        if (!holds_[all_[k].row]) continue;
        put_on(k);
        for (int n : paths_[k]) sizes[k] += on_[n + 1].f.squaredNorm() + on_[n + 1].t.squaredNorm() / (size * size);
        response_.push_through(on_, paths_[k], J.data() + static_cast<std::ptrdiff_t>(k) * J.rows());
    }
    for (const Link& link : tree_.links())
        if (link.kind != MoveKind::Slide)
            for (int c = 0; c < link.freedom; ++c) J.row(link.u + c) /= size;
    return J.transpose() * J;
}

// The largest remaining pivot first, drives before all others
void Loops::choose() {
    Eigen::VectorXd sizes(count_);
    Eigen::MatrixXd rest = geometry(sizes);
    sizes = sizes.cwiseMax(rest.diagonal());
    std::vector<char> used(count_, 0);
    kept_.clear();
    for (const bool drives : {true, false})
        for (;;) {
            int best = -1;
            double share = dependent_share;
            for (int k = 0; k < count_; ++k) {
                if (used[k] || !holds_[all_[k].row] || system_.rows[all_[k].row].drive != drives || !(sizes[k] > 0)) continue;
                if (rest(k, k) / sizes[k] > share) best = k, share = rest(k, k) / sizes[k];
            }
            if (best < 0) break;
            used[best] = 1;
            kept_.push_back(best);
            const Eigen::VectorXd column = rest.col(best) / std::sqrt(rest(best, best));
            rest.noalias() -= column * column.transpose();
        }
    chosen_ = true;
    Z_.setZero(), weighed_.setZero(), first_.setZero();
    factor();
    first_ = pivots_;
    lowest_ = 1;
}

// L D L^T of the rows kept, in the order they were chosen
void Loops::factor() {
    const int n = static_cast<int>(kept_.size());
    couple();
    lowest_ = 1;
    for (int j = 0; j < n; ++j) {
        double d = S_(j, j);
        for (int k = 0; k < j; ++k) d -= L_(j, k) * L_(j, k) * pivots_[k];
        const double least = std::max(vanished * first_[j], 0.0);
        if (first_[j] > 0) lowest_ = std::min(lowest_, d / first_[j]);
        pivots_[j] = d > least ? d : 0;
        for (int i = j + 1; i < n; ++i) {
            double x = S_(i, j);
            for (int k = 0; k < j; ++k) x -= L_(i, k) * L_(j, k) * pivots_[k];
            L_(i, j) = pivots_[j] > 0 ? x / pivots_[j] : 0;
        }
    }
    residual_ = 0;
    for (int k : kept_) {
        const double x = std::abs(of(rows_.phi(), k)) * rows_.scale(all_[k].row);
        if (!(x <= residual_)) residual_ = x;
    }
}

void Loops::solve(Eigen::VectorXd& x) const {
    const int n = static_cast<int>(kept_.size());
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < i; ++k) x[i] -= L_(i, k) * x[k];
    for (int i = 0; i < n; ++i) x[i] = pivots_[i] > 0 ? x[i] / pivots_[i] : 0;
    for (int i = n; i-- > 0;)
        for (int k = i + 1; k < n; ++k) x[i] -= L_(k, i) * x[k];
}

void Loops::find_rates() {
    for (int b = 0; b < system_.ground(); ++b) accelerations_[b] = tree_.acceleration_of(b);
    for (Column& column : by_block_) column.clear();
    rows_.add_rates(by_block_, accelerations_, 1);
}

// A row that moves nothing but what has no inertia has no pivot, and no force can make it hold.
int Loops::left_behind() {
    find_rates();
    double most = 0;
    for (int k : kept_) most = std::max({most, std::abs(of(by_block_, k)), std::abs(of(rows_.gamma(), k))});
    for (std::size_t k = 0; k < kept_.size(); ++k) {
        if (pivots_[k] > 0 || !(std::abs(of(by_block_, kept_[k]) - of(rows_.gamma(), kept_[k])) > 1e-9 * most)) continue;
        const int body = light_.missed_by(Z_.col(static_cast<Eigen::Index>(k)).data());
        if (body >= 0) return body;
    }
    return -1;
}

double Loops::accelerate(double power) {
    rows_.find_bias();
    find_rates();
    const int n = static_cast<int>(kept_.size());
    for (int k = 0; k < n; ++k) {
        lam_[k] = of(by_block_, kept_[k]) - of(rows_.gamma(), kept_[k]);
    }
    solve(lam_);
    pushes_.setZero(), sizes_.setZero();
    for (Column& column : by_block_) column.clear();
    for (int k = 0; k < n; ++k) {
        pushes_.noalias() += lam_[k] * Z_.col(k);
        if (light_.misses()) sizes_.array() += (lam_[k] * Z_.col(k)).array().abs();
        by_block_[all_[kept_[k]].block][rows_.position(all_[kept_[k]].row)] = lam_[k];
    }
    response_.take_off(pushes_.data());
    tree_.accelerate();
    const double spent = rows_.add_power(power, by_block_);
    unmoved_ = light_.misses() ? left_behind() : -1;
    return spent;
}

const double* Loops::closing_change(const BlockVector& open) {
    for (std::size_t k = 0; k < kept_.size(); ++k) lam_[k] = of(open, kept_[k]);
    solve(lam_);
    pushes_.setZero();
    for (std::size_t k = 0; k < kept_.size(); ++k) pushes_.noalias() -= lam_[k] * Z_.col(k);
    response_.respond(pushes_.data(), change_.data());
    return change_.data();
}

const double* Loops::closing() {
    return closing_change(rows_.phi());
}

double Loops::rate_residual() { return rows_.find_rates(); }

const double* Loops::following() {
    return closing_change(rows_.rate());
}

}  // namespace vincolo::tree
