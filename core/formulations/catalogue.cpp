// All formulations by their names
#include "formulations/dense.hpp"

namespace vincolo {

// One line each: the name of a function that makes the solver, which is also the name the outside knows it by
#define EVERY_FORMULATION(FORMULATION)   \
    FORMULATION(lagrange)                \
    FORMULATION(penalty)                 \
    FORMULATION(augmented_lagrangian)    \
    FORMULATION(udwadia_kalaba)          \
    FORMULATION(partitioning)            \
    FORMULATION(null_space)              \
    FORMULATION(qtz)                     \
    FORMULATION(own)

#define DECLARED(name) std::unique_ptr<DenseSolver> name(const Equations&, FormulationOptions&);
#define LISTED(name) {#name, name},
EVERY_FORMULATION(DECLARED)

std::unique_ptr<DenseSolver> make_solver(const Equations& e, FormulationOptions& o) {
    static constexpr struct {
        const char* name;
        std::unique_ptr<DenseSolver> (*make)(const Equations&, FormulationOptions&);
    } catalogue[] = {EVERY_FORMULATION(LISTED)};
    for (const auto& entry : catalogue)
        if (o.kind == entry.name) {
            if (e.m == 0 && entry.make != own) return lagrange(e, o);  // free bodies are all alike
            auto solver = entry.make(e, o);
            o.given.refuse_rest();
            return solver;
        }
    throw std::invalid_argument("there is no formulation called '" + o.kind + "'");
}

std::unique_ptr<Formulation> joint_coordinates(const System&, const FormulationOptions&);

std::unique_ptr<Formulation> make_formulation(const System& system, const FormulationOptions& options) {
    if (options.kind == "sparse") return nullptr;
    if (options.kind == "joint_coordinates") return joint_coordinates(system, options);
    return std::make_unique<DenseFormulation>(system, options);
}

}  // namespace vincolo
