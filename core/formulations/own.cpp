// A formulation of the user's own, given as a function, and the choice among all.
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

constexpr std::pair<const char*, SolverMaker> makers[] = {
    {"lagrange", lagrange},         {"penalty", penalty},           {"augmented_lagrangian", augmented_lagrangian},
    {"udwadia_kalaba", udwadia_kalaba}, {"partitioning", partitioning}, {"null_space", null_space},
    {"qtz", qtz},                   {"own", own},
};

}  // namespace

std::unique_ptr<DenseSolver> own(const Equations&, FormulationOptions& o) { return std::make_unique<Own>(o); }

std::unique_ptr<DenseSolver> make_solver(const Equations& e, FormulationOptions& o) {
    for (const auto& [name, maker] : makers)
        if (o.kind == name) {
            if (e.m == 0 && maker != own) return lagrange(e, o);  // free bodies are all alike
            auto solver = maker(e, o);
            o.given.refuse_rest();
            return solver;
        }
    throw std::invalid_argument("the kernel knows no formulation called '" + o.kind + "'");
}

}  // namespace vincolo
