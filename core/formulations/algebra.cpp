#include "formulations/algebra.hpp"

namespace vincolo {

void multiply(MatrixIn A, MatrixIn B, MatrixOut C) { C.noalias() = A * B; }
void multiply_transposed(MatrixIn A, MatrixIn B, MatrixOut C) { C.noalias() = A.transpose() * B; }
void subtract_product(MatrixIn A, MatrixIn B, MatrixOut C) { C.noalias() -= A * B; }
void add_transposed_product(MatrixIn A, MatrixIn B, MatrixOut C) { C.noalias() += A.transpose() * B; }

void apply(MatrixIn A, VectorIn x, VectorOut y) { y.noalias() = A * x; }
void apply_transposed(MatrixIn A, VectorIn x, VectorOut y) { y.noalias() = A.transpose() * x; }
void add_applied(MatrixIn A, VectorIn x, VectorOut y) { y.noalias() += A * x; }
void subtract_applied(MatrixIn A, VectorIn x, VectorOut y) { y.noalias() -= A * x; }
void add_applied_transposed(MatrixIn A, VectorIn x, VectorOut y) { y.noalias() += A.transpose() * x; }
void subtract_applied_transposed(MatrixIn A, VectorIn x, VectorOut y) { y.noalias() -= A.transpose() * x; }

void solve_upper(MatrixIn R, VectorOut y) { R.triangularView<Eigen::Upper>().solveInPlace(y); }
void solve_upper_transposed(MatrixIn R, VectorOut y) { R.transpose().triangularView<Eigen::Lower>().solveInPlace(y); }
void solve_unit_lower(MatrixIn L, VectorOut y) { L.triangularView<Eigen::UnitLower>().solveInPlace(y); }
void solve_upper_columns(MatrixIn R, MatrixOut Y) { R.triangularView<Eigen::Upper>().solveInPlace(Y); }
void solve_unit_lower_columns(MatrixIn L, MatrixOut Y) { L.triangularView<Eigen::UnitLower>().solveInPlace(Y); }

bool factor_positive(MatrixOut A) { return Eigen::LLT<MatrixOut>(A).info() == Eigen::Success; }
void solve_lower(MatrixIn L, VectorOut y) { L.triangularView<Eigen::Lower>().solveInPlace(y); }
void solve_lower_transposed(MatrixIn L, VectorOut y) { L.transpose().triangularView<Eigen::Upper>().solveInPlace(y); }
void solve_lower_columns(MatrixIn L, MatrixOut Y) { L.triangularView<Eigen::Lower>().solveInPlace(Y); }

}  // namespace vincolo
