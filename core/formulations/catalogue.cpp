// All formulations by their names
#include "formulations/dense.hpp"

namespace vincolo {

// One line each: the name of a function that makes the solver, which is also the name the outside knows it by. An exported
// project has only what it needs.
#ifdef VINCOLO_CHOSEN
#include "chosen.hpp"
#else
#define WITH_TREES 1
#define EVERY_FORMULATION(FORMULATION)   \
    FORMULATION(lagrange)                \
    FORMULATION(penalty)                 \
    FORMULATION(augmented_lagrangian)    \
    FORMULATION(udwadia_kalaba)          \
    FORMULATION(partitioning)            \
    FORMULATION(null_space)              \
    FORMULATION(qtz)                     \
    FORMULATION(own)
#endif

#ifdef EVERY_FORMULATION
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
#endif

std::unique_ptr<Formulation> joint_coordinates(const System&, const FormulationOptions&);

std::unique_ptr<Formulation> make_formulation([[maybe_unused]] const System& system, const FormulationOptions& options) {
    if (options.kind == "sparse") return nullptr;
#if WITH_TREES
    if (options.kind == "joint_coordinates") return joint_coordinates(system, options);
#endif
#ifdef EVERY_FORMULATION
    return std::make_unique<DenseFormulation>(system, options);
#else
    throw std::invalid_argument("this project was exported without the formulation '" + options.kind + "'");
#endif
}

}  // namespace vincolo
