// QTZ with kernel-basis update (Vita, chapter 3): one decomposition C J = L Q1^T serves many states. With the bases Q1, Q2 of
// its rows and of its kernel kept, Q1h = Q1 (C J Q1)^-1 and Q2h = Q2 - Q1h C J Q2 follow the mechanism: C J Q1h = I,
// C J Q2h = 0.
#include <algorithm>

#include "formulations/solver.hpp"

namespace vincolo {

namespace {

struct QtzOptions {
    std::string renew = "alpha";
    double limit = 0.9;  // at which a decomposition is renewed
    template <class Fields>
    void fields(Fields& f) { f("renew", renew), f("limit", limit); }
};

class Qtz : public DenseSolver {
  public:
    Qtz(const Equations& e, FormulationOptions& o)
        : o_(filled<QtzOptions>(o.given)), rank_tolerance_(o.rank_tolerance), orthogonalised_(o.integrates == "orthogonalised"), motion_(e), held_(Vector::Zero(e.n)), part_(Vector::Zero(e.m)),
          force_(Vector::Zero(e.n)), q1h_(Matrix::Zero(e.n, e.n)), q2h_(Matrix::Zero(e.n, e.n)) {
        factors_.resize(e.m, e.n);
    }

    Failure reduce(const Equations& e) override {
        if (rank_ < 0) return decompose(e);
        return update(e);
    }

    Failure solve(Equations& e) override {
        auto part = part_.head(rank_);
        apply(factors_.C(), e.gamma, part);
        Failure failure;
        if (orthogonalised_) {
            failure = solve_orthogonalised(e);
        } else {
            apply(q1h_.leftCols(rank_), part, held_);
            failure = motion_.solve(q2h_.leftCols(e.n - rank_), held_, e);
        }
        if (failure != Failure::None) return failure;
        force_ = e.Q;
        subtract_applied(e.M, e.acc, force_);
        apply_transposed(q1h_.leftCols(rank_), force_, part);
        apply_transposed(factors_.C(), part, e.lam);
        return Failure::None;
    }

    Failure correct(const Equations&, const Vector& residual, Vector& change) override {
        auto part = part_.head(rank_);
        apply(factors_.C(), residual, part);
        apply(q1h_.leftCols(rank_), part, change);
        change = -change;
        return Failure::None;
    }

    Failure renew(const Equations& e) override { return due(e) ? decompose(e) : Failure::None; }

  private:
    Failure decompose(const Equations& e) {
        ++decompositions;
        const int r = factors_.factor(e.J, rank_tolerance_, e.drive.data());
        if (r != rank_) {  // the only place where memory is taken after the start
            rank_ = r;
            cj_.setZero(r, e.n);
            cjq_.setZero(r, r);
            turned_.setZero(r, e.n);
            solved_.setZero(r, e.n);
            lu_ = Lu(r);
            left_out_.setZero(e.m, e.n);
            if (orthogonalised_) {
                system_.setZero(e.n, e.n);
                whole_ = Lu(e.n);
            }
        }
        const Failure failure = update(e);
        fresh_ = condition();
        return failure;
    }

    Failure update(const Equations& e) {
        const auto q1 = factors_.Q().leftCols(rank_), q2 = factors_.Q().rightCols(e.n - rank_);
        auto q1h = q1h_.leftCols(rank_);
        auto q2h = q2h_.leftCols(e.n - rank_);
        q2h = q2;
        if (rank_ == 0) return Failure::None;
        multiply(factors_.C(), e.J, cj_);
        multiply(cj_, q1, cjq_);
        // (C J Q1)^T Q1h^T = Q1^T
        cjq_.transposeInPlace();
        lu_.factor(cjq_);
        turned_ = q1.transpose();
        lu_.solve(turned_, solved_);
        q1h = solved_.transpose();
        if (!q1h.allFinite()) return Failure::Singular;
        auto share = turned_.leftCols(e.n - rank_);
        multiply(cj_, q2, share);
        subtract_product(q1h, share, q2h);
        return Failure::None;
    }

    // Q2h^T M a = Q2h^T Q with C J a = C gamma
    Failure solve_orthogonalised(Equations& e) {
        const int f = e.n - rank_;
        multiply_transposed(q2h_.leftCols(f), e.M, system_.topRows(f));
        system_.bottomRows(rank_) = cj_;
        apply_transposed(q2h_.leftCols(f), e.Q, held_.head(f));
        held_.tail(rank_) = part_.head(rank_);
        whole_.factor(system_);
        whole_.solve(held_, e.acc);
        return e.acc.allFinite() ? Failure::None : Failure::Singular;
    }

    double condition() const { return rank_ == 0 ? 1 : cj_.norm() * q1h_.leftCols(rank_).norm(); }

    // By the growth of the condition of C J Q1 since it was decomposed, or by the share of the velocities that the old kernel
    // still holds (Vita, eq. 3.49); a lost or gained rank is always looked for.
    bool due(const Equations& e) {
        if (rank_ == 0) return e.m > 0 && e.J.norm() > 0;
        const double growth = condition() / fresh_;
        if (!(growth < 2) || gained(e)) return true;
        if (o_.renew == "condition") return growth > o_.limit;
        if (o_.renew == "alpha") {
            auto kept = held_.head(e.n - rank_);
            apply_transposed(factors_.Q().rightCols(e.n - rank_), e.u, kept);
            return kept.squaredNorm() < o_.limit * e.u.squaredNorm();
        }
        return false;
    }
    // rows that C leaves out must vanish on the kernel
    bool gained(const Equations& e) {
        const int f = e.n - rank_;
        if (f == 0) return false;
        multiply(e.J, q2h_.leftCols(f), left_out_.leftCols(f));
        return left_out_.leftCols(f).cwiseAbs().maxCoeff() > 1e-5 * e.J.cwiseAbs().maxCoeff();
    }

    QtzOptions o_;
    double rank_tolerance_;
    bool orthogonalised_;
    int rank_ = -1;
    double fresh_ = 1;  // condition after the last decomposition
    DoubleQR factors_;
    ReducedMotion motion_;
    Vector held_, part_, force_;
    Matrix q1h_, q2h_, cj_, cjq_, turned_, solved_, left_out_, system_;
    Lu lu_, whole_;
};

}  // namespace

std::unique_ptr<DenseSolver> qtz(const Equations& e, FormulationOptions& o) { return std::make_unique<Qtz>(e, o); }

}  // namespace vincolo
