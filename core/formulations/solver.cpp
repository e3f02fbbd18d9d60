#include "formulations/solver.hpp"

namespace vincolo {

Reactions::Reactions(const Equations& e, double tolerance)
    : tolerance_(tolerance), rows_(Matrix::Zero(e.m, e.n)), force_(Vector::Zero(e.n)) {
    factors_.resize(e.m, e.n);
}

// Coordinates are scaled alike, metres and radians, so that the rank does not hang on their units; lam does not change by that
void Reactions::find(Equations& e) {
    force_ = e.Q;
    subtract_applied(e.M, e.acc, force_);
    rows_ = e.J;
    for (int k = 0; k < e.n; ++k) {
        const double size = rows_.col(k).norm();
        if (size > 0) rows_.col(k) /= size, force_[k] /= size;
    }
    factors_.factor(rows_, tolerance_);
    factors_.least_norm_transposed(force_, e.lam);
}

ReducedMotion::ReducedMotion(const Equations& e)
    : mass_(Matrix::Zero(e.n, e.n)), moved_(Matrix::Zero(e.n, e.n)), force_(Vector::Zero(e.n)), z_(Vector::Zero(e.n)) {}

Failure ReducedMotion::solve(MatrixIn V, const Vector& a0, Equations& e) {
    const auto f = V.cols();
    e.acc = a0;
    if (f == 0) return Failure::None;
    auto moved = moved_.leftCols(f);
    auto mass = mass_.topLeftCorner(f, f);
    auto z = z_.head(f);
    multiply(e.M, V, moved);
    multiply_transposed(V, moved, mass);
    force_ = e.Q;
    subtract_applied(e.M, a0, force_);
    apply_transposed(V, force_, z);
    if (!factor_positive(mass)) return Failure::SingularMass;
    solve_lower(mass, z);
    solve_lower_transposed(mass, z);
    add_applied(V, z, e.acc);
    return Failure::None;
}

}  // namespace vincolo
