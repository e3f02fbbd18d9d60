#include "damped_schur.hpp"

#include <algorithm>
#include <limits>

namespace vincolo {

DampedSchur::DampedSchur(const Rows& rows)
    : rows_(rows), row_at_(rows.set().blocks.size()), diagonal_(rows.taken().size(), 0), b_(rows.taken().size()) {
    const BlockSet& set = rows.set();
    for (std::size_t k = 0; k < set.blocks.size(); ++k)
        for (int e = set.blocks[k].first_end; e < set.blocks[k].first_end + set.blocks[k].ends; ++e) {
            const std::size_t body = set.ends[e].body;
            if (body >= on_body_.size()) on_body_.resize(body + 1);
            on_body_[body].push_back({e, static_cast<int>(k)});
        }
    S_.resize(diagonal_.size(), diagonal_.size());
}

void DampedSchur::find_rows() {
    taken_ = rows_.taken();
    known_ = false;
    const BlockSet& set = rows_.set();
    for (std::size_t k = 0; k < set.blocks.size(); ++k)
        for (int r = set.blocks[k].first; r < set.blocks[k].first + set.blocks[k].all; ++r)
            if (taken_[r]) row_at_[k][rows_.position(r)] = r;
}

// What two ends on one body have to do with each other; the lower half
void DampedSchur::add(const Touch& x, const Touch& y, double inverse_mass) {
    const End &a = rows_.set().ends[x.end], &b = rows_.set().ends[y.end];
    for (int p = 0; p < rows_.set().blocks[x.block].n; ++p)
        for (int q = 0; q < (x.block == y.block ? p + 1 : rows_.set().blocks[y.block].n); ++q) {
            double sum = 0;
            for (int c = 0; c < 3; ++c) sum += inverse_mass * a.lin[c][p] * b.lin[c][q] + a.weighed[c][p] * b.ang[c][q];
            const int i = row_at_[x.block][p], j = row_at_[y.block][q];
            entries_.emplace_back(std::max(i, j), std::min(i, j), sum);
            if (i == j) diagonal_[i] += sum;
        }
}

void DampedSchur::assemble(const Metric& metric) {
    if (taken_ != rows_.taken()) find_rows();
    entries_.clear();
    std::fill(diagonal_.begin(), diagonal_.end(), 0);
    for (std::size_t body = 0; body < on_body_.size(); ++body)
        for (std::size_t n = 0; n < on_body_[body].size(); ++n)
            for (std::size_t m = 0; m <= n; ++m) add(on_body_[body][n], on_body_[body][m], metric.mass[body]);
}

void DampedSchur::factor(const std::vector<double>& damping) {
    for (std::size_t r = 0; r < damping.size(); ++r) entries_.emplace_back(r, r, taken_[r] ? damping[r] : 1);
    S_.setFromTriplets(entries_.begin(), entries_.end());
    if (!known_) factors_.analyzePattern(S_);
    known_ = true;
    factors_.factorize(S_);
}

void DampedSchur::solve(BlockVector& x) {
    b_.setZero();
    for (std::size_t k = 0; k < x.size(); ++k)
        for (int p = 0; p < rows_.set().blocks[k].n; ++p) b_[row_at_[k][p]] = x[k][p];
    if (factors_.info() == Eigen::Success) b_ = factors_.solve(b_);
    else b_.setConstant(std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < x.size(); ++k)
        for (int p = 0; p < rows_.set().blocks[k].n; ++p) x[k][p] = b_[row_at_[k][p]];
}

}  // namespace vincolo
