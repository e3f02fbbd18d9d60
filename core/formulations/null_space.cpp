// Null space: motion within the kernel of J, found anew at every evaluation by SVD (Mani, Haug) or QR (Kim, Vanderploeg).
#include "formulations/solver.hpp"

namespace vincolo {

namespace {

class NullSpaceSvd : public DenseSolver {
  public:
    NullSpaceSvd(const Equations& e, FormulationOptions& o)
        : tolerance_(o.rank_tolerance), motion_(e), held_(Vector::Zero(e.n)), part_(Vector::Zero(std::max(e.n, e.m))),
          force_(Vector::Zero(e.n)), transposed_(Matrix::Zero(e.n, e.m)), svd_(e.n, e.m) {}

    Failure solve(Equations& e) override {
        transposed_ = e.J.transpose();
        const int r = svd_.factor(transposed_, tolerance_);
        ++decompositions;
        auto part = part_.head(r);
        apply_transposed(svd_.V(), e.gamma, part);
        part.array() /= svd_.S().array();
        apply(svd_.U().leftCols(r), part, held_);
        const Failure failure = motion_.solve(svd_.U().rightCols(e.n - r), held_, e);
        if (failure != Failure::None) return failure;
        force_ = e.Q;
        subtract_applied(e.M, e.acc, force_);
        apply_transposed(svd_.U().leftCols(r), force_, part);
        part.array() /= svd_.S().array();
        apply(svd_.V(), part, e.lam);
        return Failure::None;
    }

  private:
    double tolerance_;
    ReducedMotion motion_;
    Vector held_, part_, force_;
    Matrix transposed_;
    Svd svd_;
};

class NullSpaceQr : public DenseSolver {
  public:
    NullSpaceQr(const Equations& e, FormulationOptions& o)
        : tolerance_(o.rank_tolerance), motion_(e), reactions_(e, o.rank_tolerance), q_(Matrix::Zero(e.n, e.n)),
          transposed_(Matrix::Zero(e.n, e.m)), held_(Vector::Zero(e.n)), part_(Vector::Zero(e.m)) {
        qr_.resize(e.n, e.m);
    }

    Failure solve(Equations& e) override {
        transposed_ = e.J.transpose();
        const int r = qr_.factor(transposed_, tolerance_, e.drive.data());
        ++decompositions;
        qr_.form(q_);
        auto part = part_.head(r);
        for (int k = 0; k < r; ++k) part[k] = e.gamma[qr_.column(k)];
        solve_upper_transposed(qr_.R().leftCols(r), part);
        apply(q_.leftCols(r), part, held_);
        const Failure failure = motion_.solve(q_.rightCols(e.n - r), held_, e);
        if (failure == Failure::None && e.reactions) reactions_.find(e);
        return failure;
    }

  private:
    double tolerance_;
    ReducedMotion motion_;
    Reactions reactions_;
    PivotedQR qr_;
    Matrix q_, transposed_;
    Vector held_, part_;
};

}  // namespace

std::unique_ptr<DenseSolver> null_space(const Equations& e, FormulationOptions& o) {
    if (filled<Decomposition>(o.given).by == "svd") return std::make_unique<NullSpaceSvd>(e, o);
    return std::make_unique<NullSpaceQr>(e, o);
}

}  // namespace vincolo
