// Penalty: constraints as stiff springs, dampers and masses, lam = alpha (J a - gamma + 2 Omega mu rate + Omega^2 phi).
#include "formulations/solver.hpp"

namespace vincolo {

namespace {

struct PenaltyOptions : Relaxation {
    std::string form = "saddle";
    template <class Fields>
    void fields(Fields& f) { Relaxation::fields(f), f("form", form); }
};

class Penalty : public DenseSolver {
  public:
    Penalty(const Equations& e, FormulationOptions& o)
        : o_(filled<PenaltyOptions>(o.given)), saddle_(o_.form == "saddle"), weighed_(Matrix::Zero(e.m, e.n)), held_(Vector::Zero(e.m)), llt_(saddle_ ? 0 : e.n),
          lu_(saddle_ ? e.n + e.m : 0) {
        const int size = saddle_ ? e.n + e.m : e.n;
        system_.setZero(size, size);
        x_.setZero(size);
        rhs_.setZero(size);
    }

    Failure solve(Equations& e) override {
        held_ = e.gamma - 2 * o_.omega * o_.mu * e.rate - o_.omega * o_.omega * e.phi;
        return saddle_ ? solve_saddle(e) : solve_normal(e);
    }

  private:
    // (M + J^T alpha J) a = Q + J^T alpha held: as in the books; loses digits as alpha grows
    Failure solve_normal(Equations& e) {
        weighed_ = o_.alpha * e.J;
        system_ = e.M;
        add_transposed_product(weighed_, e.J, system_);
        if (!llt_.factor(system_)) return Failure::SingularMass;
        x_ = e.Q;
        add_applied_transposed(weighed_, held_, x_);
        llt_.solve(x_);
        e.acc = x_;
        e.lam = -o_.alpha * held_;
        add_applied(weighed_, e.acc, e.lam);
        return Failure::None;
    }
    // The same with lam kept as an unknown: J a - lam / alpha = held
    Failure solve_saddle(Equations& e) {
        system_.topLeftCorner(e.n, e.n) = e.M;
        system_.bottomLeftCorner(e.m, e.n) = e.J;
        system_.topRightCorner(e.n, e.m) = e.J.transpose();
        system_.bottomRightCorner(e.m, e.m).setZero();
        system_.bottomRightCorner(e.m, e.m).diagonal().setConstant(-1 / o_.alpha);
        lu_.factor(system_);
        rhs_ << e.Q, held_;
        lu_.solve(rhs_, x_);
        e.acc = x_.head(e.n);
        e.lam = x_.tail(e.m);
        return Failure::None;
    }

    PenaltyOptions o_;
    bool saddle_;
    Matrix weighed_, system_;
    Vector held_, x_, rhs_;
    Cholesky llt_;
    Lu lu_;
};

}  // namespace

std::unique_ptr<DenseSolver> penalty(const Equations& e, FormulationOptions& o) { return std::make_unique<Penalty>(e, o); }

}  // namespace vincolo
