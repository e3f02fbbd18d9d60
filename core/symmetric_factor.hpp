// L D L^T of a sparse symmetric matrix that may be indefinite, without pivoting, in a given order of elimination. D tells how many
// eigenvalues are negative (Sylvester's law of inertia): so statics knows a stable position without any eigenvalue.
#pragma once
#include <Eigen/SparseCholesky>
#include <vector>

namespace vincolo {

// Order of elimination of (6 for each body, then rows): bodies by least degree, each row behind the first of its bodies. Pairs are
// bodies that a matrix couples; a row's bodies are row_body of each of its entries
std::vector<int> saddle_order(int bodies, int rows, const std::vector<int>& pair_a, const std::vector<int>& pair_b, const std::vector<int>& row,
                              const std::vector<int>& row_body);

class SymmetricFactor {
  public:
    // Entries (row, column, value) of the whole matrix; those of the same place add up. What is factored has `give` besides on its
    // diagonal, one for each unknown, which solutions are freed of by refining
    SymmetricFactor(const std::vector<int>& order, const int* row, const int* column, const double* value, std::size_t count, const double* give);
    bool good() const { return good_; }  // no pivot was zero or undefined
    int size() const { return static_cast<int>(order_.size()); }
    int negative() const;
    void solve(const double* right, double* out) const;

  private:
    using Matrix = Eigen::SparseMatrix<double>;
    Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int>> factor_;
    Matrix lower_;  // without the give
    std::vector<int> order_;
    bool good_;
};

}  // namespace vincolo
