// Products and triangular solves of dense matrices. They are compiled once for all formulations: each costs the compiler as much
// as a formulation.
#pragma once
#include "formulations/equations.hpp"

namespace vincolo {

using MatrixIn = const Eigen::Ref<const Matrix>&;
using VectorIn = const Eigen::Ref<const Vector>&;
using MatrixOut = Eigen::Ref<Matrix>;
using VectorOut = Eigen::Ref<Vector>;

void multiply(MatrixIn A, MatrixIn B, MatrixOut C);                 // C = A B
void multiply_transposed(MatrixIn A, MatrixIn B, MatrixOut C);      // C = A^T B
void subtract_product(MatrixIn A, MatrixIn B, MatrixOut C);         // C -= A B
void add_transposed_product(MatrixIn A, MatrixIn B, MatrixOut C);   // C += A^T B

void apply(MatrixIn A, VectorIn x, VectorOut y);                    // y = A x
void apply_transposed(MatrixIn A, VectorIn x, VectorOut y);         // y = A^T x
void add_applied(MatrixIn A, VectorIn x, VectorOut y);              // y += A x
void subtract_applied(MatrixIn A, VectorIn x, VectorOut y);         // y -= A x
void add_applied_transposed(MatrixIn A, VectorIn x, VectorOut y);   // y += A^T x
void subtract_applied_transposed(MatrixIn A, VectorIn x, VectorOut y);  // y -= A^T x

// With the upper triangle of R, or the lower one of L with ones on its diagonal
void solve_upper(MatrixIn R, VectorOut y);                // y <- R^-1 y
void solve_upper_transposed(MatrixIn R, VectorOut y);     // y <- R^-T y
void solve_unit_lower(MatrixIn L, VectorOut y);           // y <- L^-1 y
void solve_upper_columns(MatrixIn R, MatrixOut Y);        // Y <- R^-1 Y
void solve_unit_lower_columns(MatrixIn L, MatrixOut Y);   // Y <- L^-1 Y

// A = L L^T in the lower triangle of A; false if A is not positive definite
bool factor_positive(MatrixOut A);
void solve_lower(MatrixIn L, VectorOut y);                // y <- L^-1 y
void solve_lower_transposed(MatrixIn L, VectorOut y);     // y <- L^-T y
void solve_lower_columns(MatrixIn L, MatrixOut Y);        // Y <- L^-1 Y

}  // namespace vincolo
