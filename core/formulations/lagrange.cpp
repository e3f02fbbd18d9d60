// Lagrange index 1: accelerations and multipliers from one system, M a + J^T lam = Q, J a = gamma.
#include <cmath>

#include "formulations/solver.hpp"

namespace vincolo {

namespace {

class Lagrange : public DenseSolver {
  public:
    Lagrange(const Equations& e, FormulationOptions& o)
        : tolerance_(o.rank_tolerance * o.rank_tolerance), system_(Matrix::Zero(e.n + e.m, e.n + e.m)), scale_(Vector::Zero(e.n + e.m)),
          x_(Vector::Zero(e.n + e.m)), rhs_(x_), lu_(e.n + e.m) {}

    // Rows and columns are scaled to the size of one, so that a pivot can be told from rounding.
    Failure solve(Equations& e) override {
        const int n = e.n, m = e.m;
        system_.topLeftCorner(n, n) = e.M;
        system_.bottomLeftCorner(m, n) = e.J;
        system_.topRightCorner(n, m) = e.J.transpose();
        system_.bottomRightCorner(m, m).setZero();
        const double heaviest = e.M.diagonal().maxCoeff();
        for (int k = 0; k < n; ++k) scale_[k] = 1 / std::sqrt(std::max(e.M(k, k), 1e-8 * heaviest));
        for (int k = 0; k < m; ++k) {
            const double size = e.J.row(k).cwiseProduct(scale_.head(n).transpose()).norm();
            scale_[n + k] = size > 0 ? 1 / size : 1;
        }
        system_ = scale_.asDiagonal() * system_ * scale_.asDiagonal();
        lu_.factor(system_);
        if (m > 0 && !(lu_.pivot_share() > tolerance_)) return Failure::Singular;
        rhs_ << e.Q, e.gamma;
        rhs_ = scale_.cwiseProduct(rhs_);
        lu_.solve(rhs_, x_);
        x_ = scale_.cwiseProduct(x_);
        e.acc = x_.head(n);
        e.lam = x_.tail(m);
        return Failure::None;
    }

  private:
    double tolerance_;
    Matrix system_;
    Vector scale_, x_, rhs_;
    Lu lu_;
};

}  // namespace

std::unique_ptr<DenseSolver> lagrange(const Equations& e, FormulationOptions& o) { return std::make_unique<Lagrange>(e, o); }

}  // namespace vincolo
