// Augmented Lagrangian, index 1: penalty with multipliers found by iteration (Bayo; Oldani 2010, eq. 2.98 and 2.99).
#include <algorithm>
#include <cmath>
#include <limits>

#include "formulations/solver.hpp"

namespace vincolo {

namespace {

class AugmentedLagrangian : public DenseSolver {
  public:
    AugmentedLagrangian(const Equations& e, FormulationOptions& o)
        : o_(filled<Augmentation>(o.given)), weighed_(Matrix::Zero(e.m, e.n)), system_(Matrix::Zero(e.n, e.n)), held_(Vector::Zero(e.m)), open_(Vector::Zero(e.m)),
          force_(Vector::Zero(e.m)), change_(Vector::Zero(e.n)), llt_(e.n) {}

    // (M + J^T alpha J) a_new = Q - J^T (lam - alpha held), then lam += alpha (J a_new - held). Written for the change of a,
    // so that a pass also takes back the rounding of the one before.
    Failure solve(Equations& e) override {
        held_ = e.gamma - 2 * o_.omega * o_.mu * e.rate - o_.omega * o_.omega * e.phi;
        weighed_ = o_.alpha * e.J;
        system_ = e.M;
        add_transposed_product(weighed_, e.J, system_);
        if (!llt_.factor(system_)) return Failure::SingularMass;
        e.acc.setZero();
        e.lam.setZero();
        double before = std::numeric_limits<double>::infinity();
        open_ = -held_;
        for (int pass = 1; pass <= o_.iterations; ++pass) {
            force_ = e.lam + o_.alpha * open_;
            change_ = e.Q;
            subtract_applied(e.M, e.acc, change_);
            subtract_applied_transposed(e.J, force_, change_);
            llt_.solve(change_);
            e.acc += change_;
            open_ = -held_;
            add_applied(e.J, e.acc, open_);
            e.lam += o_.alpha * open_;
            const double size = change_.norm(), whole = 1 + e.acc.norm();
            if (!std::isfinite(size)) return Failure::NotFinite;
            // rounding: what no pass can take away
            const bool still = pass > 2 && size < 1e-9 * whole && size > 0.95 * before;
            if ((pass > 1 && size <= o_.tolerance * whole) || still) return count(pass), Failure::None;
            before = size;
        }
        return count(o_.iterations), Failure::NotConverged;
    }

  private:
    Augmentation o_;
    Matrix weighed_, system_;
    Vector held_, open_, force_, change_;
    Cholesky llt_;
};

}  // namespace

std::unique_ptr<DenseSolver> augmented_lagrangian(const Equations& e, FormulationOptions& o) {
    return std::make_unique<AugmentedLagrangian>(e, o);
}

}  // namespace vincolo
