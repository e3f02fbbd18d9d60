#include "symmetric_factor.hpp"

#include <Eigen/OrderingMethods>
#include <limits>

namespace vincolo {

std::vector<int> saddle_order(int bodies, int rows, const std::vector<int>& pair_a, const std::vector<int>& pair_b, const std::vector<int>& row,
                              const std::vector<int>& row_body) {
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<std::vector<int>> bodies_of(rows), rows_of(bodies);
    for (int b = 0; b < bodies; ++b) entries.emplace_back(b, b, 1.0);
    for (std::size_t k = 0; k < pair_a.size(); ++k) entries.emplace_back(pair_a[k], pair_b[k], 1.0);
    for (std::size_t k = 0; k < row.size(); ++k) {
        for (int other : bodies_of[row[k]])
            if (other != row_body[k]) entries.emplace_back(other, row_body[k], 1.0);
        if (bodies_of[row[k]].empty() || bodies_of[row[k]].back() != row_body[k]) {
            bodies_of[row[k]].push_back(row_body[k]);
            rows_of[row_body[k]].push_back(row[k]);
        }
    }
    Eigen::SparseMatrix<double> graph(bodies, bodies);
    graph.setFromTriplets(entries.begin(), entries.end());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> found;
    Eigen::AMDOrdering<int>()(graph, found);
    std::vector<int> order;
    std::vector<char> placed(rows, 0);
    for (int k = 0; k < bodies; ++k) {
        const int b = found.indices()[k];
        for (int c = 0; c < 6; ++c) order.push_back(6 * b + c);
        for (int r : rows_of[b])
            if (!placed[r]) order.push_back(6 * bodies + r), placed[r] = 1;
    }
    for (int r = 0; r < rows; ++r)
        if (!placed[r]) order.push_back(6 * bodies + r);
    return order;
}

SymmetricFactor::SymmetricFactor(const std::vector<int>& order, const int* row, const int* column, const double* value, std::size_t count,
                                 const double* give)
    : order_(order) {
    std::vector<int> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<int>(k);
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(count + order.size());
    for (std::size_t k = 0; k < count; ++k) {
        const int r = place[row[k]], c = place[column[k]];
        if (r >= c) entries.emplace_back(r, c, value[k]);
    }
    for (int k = 0; k < size(); ++k) entries.emplace_back(k, k, 0.0);
    lower_.resize(size(), size());
    lower_.setFromTriplets(entries.begin(), entries.end());
    Matrix soft = lower_;
    for (int k = 0; k < size(); ++k) soft.coeffRef(k, k) += give[order[k]];
    factor_.compute(soft);
    good_ = factor_.info() == Eigen::Success && factor_.vectorD().allFinite();
}

int SymmetricFactor::negative() const { return static_cast<int>((factor_.vectorD().array() < 0).count()); }

void SymmetricFactor::solve(const double* right, double* out) const {
    constexpr int rounds = 3;
    Eigen::VectorXd b(size()), x, left;
    for (int k = 0; k < size(); ++k) b[k] = right[order_[k]];
    x = factor_.solve(b);
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0; k < rounds; ++k) {
        left = b - lower_.selfadjointView<Eigen::Lower>() * x;
        const double now = left.norm();
        if (!(now > 1e-16 * b.norm() && now < 0.5 * before)) break;
        x += factor_.solve(left);
        before = now;
    }
    for (int k = 0; k < size(); ++k) out[order_[k]] = x[k];
}

}  // namespace vincolo
