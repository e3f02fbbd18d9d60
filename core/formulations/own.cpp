// A formulation of the user's own, given as a function.
#include <stdexcept>
#include <utility>

#include "formulations/solver.hpp"

namespace vincolo {

namespace {

class Own : public DenseSolver {
  public:
    explicit Own(const FormulationOptions& o) : function_(o.own) {}
    Failure solve(Equations& e) override {
        if (!e.J.allFinite() || !e.Q.allFinite() || !e.gamma.allFinite()) return Failure::NotFinite;
        const Failure failure = function_(e);
        if (failure == Failure::None && !(e.acc.allFinite() && e.lam.allFinite())) return Failure::NotFinite;
        return failure;
    }

  private:
    std::function<Failure(Equations&)> function_;
};

}  // namespace

std::unique_ptr<DenseSolver> own(const Equations&, FormulationOptions& o) { return std::make_unique<Own>(o); }

}  // namespace vincolo
