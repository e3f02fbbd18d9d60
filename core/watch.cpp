#include "watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vincolo {

Watch::Watch(const Placement& placement, const Rows& rows, const Solve& solve) : placement_(placement), rows_(rows), solve_(solve) {
    const std::size_t blocks = rows.set().blocks.size();
    for (BlockVector* x : {&least_, &best_, &first_}) x->assign(blocks, Column{});
    for (std::vector<double>* x : {&root_, &root_now_, &best_root_}) x->assign(blocks, 0);
}

double Watch::root_of(std::size_t k) const {
    const double share = solve_.factors().remaining_share(rows_.set(), static_cast<int>(k), placement_.inverse().mass.data());
    return std::sqrt(std::max(0.0, share));
}

void Watch::forget() {
    doubt_ = 0.1;
    growth = 1;
    for (Column& column : least_) column.clear();
}

void Watch::begin() {
    const BlockSolver& solver = solve_.factors();
    for (std::size_t k = 0; k < best_.size(); ++k)
        for (int r = 0; r < rows_.set().blocks[k].n; ++r) {
            first_[k][r] = best_[k][r] = solver.pivots()[k][r] / solver.diagonal()[k][r];
            least_[k][r] = singular_share * best_[k][r];
        }
    for (std::size_t k = 0; k < root_.size(); ++k) best_root_[k] = root_[k] = 0;  // no trend yet
    crossing = std::numeric_limits<double>::infinity();
}

void Watch::compare_anew() {
    doubt_ = 0.1;
    growth = 1;
    begin();
}

double Watch::foresee(double t) {
    if (foreseen_at_ == solve_.factorisations) return foreseen_;  // nothing has moved since
    double soonest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < root_.size(); ++k) {
        const double root = root_now_[k] = root_of(k);
        if (root < root_[k] && root < 0.5 * best_root_[k]) soonest = std::min(soonest, t + root * (t - watched_) / (root_[k] - root));
    }
    foreseen_at_ = solve_.factorisations;
    return foreseen_ = soonest;
}

void Watch::compare(std::size_t k, int r) {
    const double share = solve_.factors().pivots()[k][r] / solve_.factors().diagonal()[k][r];
    lowest_now = std::min(lowest_now, share / best_[k][r]);
    if (!(share > best_[k][r])) return;
    growth = std::max(growth, share / first_[k][r]);
    best_[k][r] = share;
    least_[k][r] = singular_share * share;
}

void Watch::take_reference() {
    for (std::size_t k = 0; k < best_.size(); ++k) {
        for (int r = 0; r < rows_.set().blocks[k].n; ++r) compare(k, r);
        best_root_[k] = std::max(best_root_[k], root_of(k));
    }
    lowest_now = 1;
}

void Watch::look(double t) {
    crossing = foresee(t);
    lowest_now = nearness = 1;
    for (std::size_t k = 0; k < best_.size(); ++k) {
        for (int r = 0; r < rows_.set().blocks[k].n; ++r) compare(k, r);
        root_[k] = root_now_[k];
        best_root_[k] = std::max(best_root_[k], root_[k]);
        nearness = std::min(nearness, root_[k] / best_root_[k]);
    }
    watched_ = t;
    lowest_share = std::min(lowest_share, lowest_now);
}

bool Watch::doubtful() {
    const double share = std::min(lowest_now, nearness);
    if (share > 0.3) doubt_ = 0.1;  // left behind
    if (!(share < doubt_)) return false;
    doubt_ = 0.03 * share;
    return true;
}

}  // namespace vincolo
