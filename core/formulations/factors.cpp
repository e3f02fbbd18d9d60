#include "formulations/factors.hpp"

#include <cmath>
#include <numeric>

namespace vincolo {

void Lu::factor(const Eigen::Ref<const Matrix>& A) { lu_.compute(A); }
void Lu::solve(const Vector& b, Vector& x) const {
    x.noalias() = lu_.permutationP() * b;
    solve_unit_lower(lu_.matrixLU(), x);
    solve_upper(lu_.matrixLU(), x);
}
void Lu::solve(const Eigen::Ref<const Matrix>& B, Matrix& X) const {
    X.noalias() = lu_.permutationP() * B;
    solve_unit_lower_columns(lu_.matrixLU(), X);
    solve_upper_columns(lu_.matrixLU(), X);
}
double Lu::pivot_share() const {
    const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
    return pivots.minCoeff() / pivots.maxCoeff();
}
double Lu::determinant() const { return lu_.determinant(); }

bool Cholesky::factor(const Matrix& A) {
    l_ = A;
    return factor_positive(l_);
}
void Cholesky::solve(Vector& x) const {
    vincolo::solve_lower(l_, x);
    solve_lower_transposed(l_, x);
}
void Cholesky::solve_lower(Matrix& X) const { solve_lower_columns(l_, X); }
void Cholesky::solve_upper(Vector& x) const { solve_lower_transposed(l_, x); }

int Svd::factor(const Matrix& A, double tolerance) {
    svd_.compute(A);
    const auto& s = svd_.singularValues();
    rank_ = 0;
    while (rank_ < s.size() && s[rank_] > tolerance * s[0]) ++rank_;
    return rank_;
}

void PivotedQR::resize(int rows, int columns) {
    a_.setZero(rows, columns);
    tau_.setZero(std::min(rows, columns));
    left_.setZero(columns);
    order_.resize(columns);
}

int PivotedQR::next_pivot(int k, double least, const char* priority) const {
    int best = -1;
    for (const bool preferred : {true, false}) {
        if (preferred && !priority) continue;
        for (int j = k; j < a_.cols(); ++j)
            if (left_[j] > least && (!preferred || priority[order_[j]]) && (best < 0 || left_[j] > left_[best])) best = j;
        if (best >= 0) break;
    }
    return best;
}

int PivotedQR::factor(const Eigen::Ref<const Matrix>& A, double tolerance, const char* priority) {
    a_ = A;
    std::iota(order_.begin(), order_.end(), 0);
    const int rows = static_cast<int>(a_.rows()), columns = static_cast<int>(a_.cols()), most = std::min(rows, columns);
    double least = 0;
    rank_ = 0;
    for (int k = 0; k < most; ++k) {
        for (int j = k; j < columns; ++j) left_[j] = a_.col(j).tail(rows - k).norm();
        if (k == 0) least = tolerance * left_.maxCoeff();
        const int pivot = next_pivot(k, least, priority);
        if (pivot < 0) break;
        std::swap(order_[k], order_[pivot]);
        if (pivot != k) a_.col(k).swap(a_.col(pivot));
        auto x = a_.col(k).tail(rows - k);
        const double norm = pivot == k ? left_[k] : left_[pivot], beta = x[0] > 0 ? -norm : norm;
        tau_[k] = (beta - x[0]) / beta;
        x.tail(rows - k - 1) /= x[0] - beta;
        x[0] = beta;
        ++rank_;
        if (k + 1 < columns) reflect(k, a_.rightCols(columns - k - 1));
    }
    return rank_;
}

// x <- (I - tau v v^T) x with v = (1, reflector)
void PivotedQR::reflect(int k, Eigen::Ref<Matrix> x) const {
    const int below = static_cast<int>(a_.rows()) - k - 1;
    const auto v = a_.col(k).tail(below);
    for (int j = 0; j < x.cols(); ++j) {
        const double s = tau_[k] * (x(k, j) + v.dot(x.col(j).tail(below)));
        x(k, j) -= s;
        x.col(j).tail(below) -= s * v;
    }
}

void PivotedQR::apply_transposed(Eigen::Ref<Matrix> x) const {
    for (int k = 0; k < rank_; ++k) reflect(k, x);
}

void PivotedQR::apply(Eigen::Ref<Matrix> x) const {
    for (int k = rank_; k-- > 0;) reflect(k, x);
}

void PivotedQR::form(Matrix& q) const {
    q.setIdentity();
    apply(q);
}

void DoubleQR::resize(int rows, int columns) {
    first_.resize(columns, rows);
    second_.resize(rows, rows);
    q_.setZero(columns, columns);
    c_.setZero(rows, rows);
    rt_.setZero(rows, rows);
    transposed_.setZero(columns, rows);
    work_.setZero(std::max(rows, columns));
    short_.setZero(std::max(rows, columns));
}

// J^T P = Q (R; 0), R^T = Y (L; 0); C = (P Y)^T. Columns of R^T past the rank are zero, so its QR ends there by itself.
int DoubleQR::factor(const Matrix& J, double tolerance, const char* priority) {
    transposed_ = J.transpose();
    const int r = first_.factor(transposed_, tolerance, priority), m = static_cast<int>(J.rows());
    first_.form(q_);
    rt_.setZero();
    for (int k = 0; k < r; ++k) rt_.col(k).tail(m - k) = first_.R().row(k).tail(m - k).transpose();
    second_.factor(rt_, 0);
    c_.setIdentity();
    second_.apply(c_);
    rt_ = c_;
    for (int k = 0; k < m; ++k)
        for (int j = 0; j < m; ++j) c_(j, first_.column(k)) = rt_(k, j);
    return r;
}

// the second factor pivots too: its columns are R's rows in another order
void DoubleQR::least_norm(const Vector& b, Vector& x) {
    const int r = rank();
    auto y = short_.head(r);
    apply(C(), b, y);
    solve_upper(second_.R().leftCols(r), y);
    for (int k = 0; k < r; ++k) work_[second_.column(k)] = y[k];
    apply(q_.leftCols(r), work_.head(r), x);
}

void DoubleQR::least_norm_transposed(const Vector& f, Vector& lam) {
    const int r = rank();
    auto y = short_.head(r);
    apply_transposed(q_.leftCols(r), f, work_.head(r));
    for (int k = 0; k < r; ++k) y[k] = work_[second_.column(k)];
    solve_upper_transposed(second_.R().leftCols(r), y);
    apply_transposed(C(), y, lam);
}

}  // namespace vincolo
