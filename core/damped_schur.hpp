// S = J M^-1 J^T of rows of which some may say the same, made definite by a little damping on its diagonal. Its pivots can then be
// as small as the damping: it is eliminated row by row, which stays accurate there, as inverses of blocks do not.
#pragma once
#include <Eigen/SparseCholesky>
#include <array>

#include "rows.hpp"

namespace vincolo {

class DampedSchur {
  public:
    explicit DampedSchur(const Rows& rows);

    void assemble(const Metric& metric);                     // from the rows in use, already weighed
    double diagonal(int row) const { return diagonal_[row]; }  // without damping; zero of rows not in use
    void factor(const std::vector<double>& damping);         // by row: what is added to the diagonal
    void solve(BlockVector& x);                              // x <- S^-1 x, not numbers where it could not be factored

  private:
    struct Touch {
        int end, block;
    };
    void find_rows();
    void add(const Touch& x, const Touch& y, double inverse_mass);
    const Rows& rows_;
    std::vector<std::vector<Touch>> on_body_;
    std::vector<std::array<int, block_rows>> row_at_;  // by block and place, of the rows in use
    std::vector<char> taken_;
    std::vector<Eigen::Triplet<double>> entries_;
    std::vector<double> diagonal_;
    Eigen::SparseMatrix<double> S_;
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower> factors_;
    Eigen::VectorXd b_;
    bool known_ = false;  // the pattern of the rows in use
};

}  // namespace vincolo
