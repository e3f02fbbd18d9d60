// Factors of dense matrices, with room taken once: LU and Cholesky, and those that reveal the rank: Householder QR with
// column pivoting, QR twice, SVD. Compiled here once for all formulations.
#pragma once
#include <Eigen/SVD>
#include <vector>

#include "formulations/algebra.hpp"

namespace vincolo {

class Lu {
  public:
    explicit Lu(int n = 0) : lu_(n) {}
    void factor(const Eigen::Ref<const Matrix>& A);
    void solve(const Vector& b, Vector& x) const;
    void solve(const Eigen::Ref<const Matrix>& B, Matrix& X) const;
    double pivot_share() const;  // smallest pivot over the largest
    double determinant() const;

  private:
    Eigen::PartialPivLU<Matrix> lu_;
};

// A = L L^T
class Cholesky {
  public:
    explicit Cholesky(int n = 0) : l_(n, n) {}
    bool factor(const Matrix& A);  // false if A is not positive definite
    void solve(Vector& x) const;   // x <- A^-1 x
    void solve_lower(Matrix& X) const;  // X <- L^-1 X
    void solve_upper(Vector& x) const;  // x <- L^-T x

  private:
    Matrix l_;
};

// A = U S V^T, with the rank by a share of the largest singular value; all columns of U.
class Svd {
  public:
    Svd(int rows, int columns) : svd_(rows, columns, Eigen::ComputeFullU | Eigen::ComputeThinV) {}
    int factor(const Matrix& A, double tolerance);
    int rank() const { return rank_; }
    const Matrix& U() const { return svd_.matrixU(); }
    auto V() const { return svd_.matrixV().leftCols(rank_); }
    auto S() const { return svd_.singularValues().head(rank_); }

  private:
    Eigen::JacobiSVD<Matrix> svd_;
    int rank_ = 0;
};

// A P = Q R. Columns of priority are taken first, each as long as it is independent; a column is dependent if what is
// left of it falls below tolerance times the longest column.
class PivotedQR {
  public:
    void resize(int rows, int columns);
    int factor(const Eigen::Ref<const Matrix>& A, double tolerance, const char* priority = nullptr);
    int rank() const { return rank_; }
    int column(int k) const { return order_[k]; }  // of A, at place k of A P
    auto R() const { return a_.topRows(rank_); }   // upper triangle of the first rank columns, and the rest
    void apply_transposed(Eigen::Ref<Matrix> x) const;  // x <- Q^T x
    void apply(Eigen::Ref<Matrix> x) const;             // x <- Q x
    void form(Matrix& q) const;                         // the whole of Q

  private:
    void reflect(int k, Eigen::Ref<Matrix> x) const;
    int next_pivot(int k, double least, const char* priority) const;
    Matrix a_;      // R, with the reflectors below it
    Vector tau_, left_;
    std::vector<int> order_;
    int rank_ = 0;
};

// J = C^T L Q1^T with C C^T = I, Q1^T Q1 = I and L triangular: rank, kernel and pseudoinverse of J in one.
class DoubleQR {
  public:
    void resize(int rows, int columns);
    int factor(const Matrix& J, double tolerance, const char* priority = nullptr);
    int rank() const { return first_.rank(); }
    const Matrix& Q() const { return q_; }                        // Q1 in its first rank columns, a basis of the kernel behind
    auto C() const { return c_.topRows(rank()); }                 // C J = L Q1^T
    void least_norm(const Vector& b, Vector& x);                  // J^+ b
    void least_norm_transposed(const Vector& f, Vector& lam);     // (J^T)^+ f

  private:
    PivotedQR first_, second_;
    Matrix q_, c_, rt_, transposed_;
    Vector work_, short_;
};

}  // namespace vincolo
