// All integrators by their names
#include "integrators/stepper.hpp"

namespace vincolo {

// One line each: the name of a function that makes the stepper, which is also the name the outside knows it by. An exported
// project has only what it needs.
#ifdef VINCOLO_CHOSEN
#include "chosen.hpp"
#else
#define EVERY_METHOD(METHOD)      \
    METHOD(euler)                 \
    METHOD(modified_euler)        \
    METHOD(semi_implicit_euler)   \
    METHOD(heun)                  \
    METHOD(rk4)                   \
    METHOD(adams_moulton)         \
    METHOD(rattle)                \
    METHOD(moreau)                \
    METHOD(rosenbrock)            \
    METHOD(linearly_implicit_euler) \
    METHOD(generalised_alpha)     \
    METHOD(trapezoidal)           \
    METHOD(bogacki_shampine)      \
    METHOD(cash_karp)             \
    METHOD(dormand_prince)        \
    METHOD(verner)                \
    METHOD(dop853)                \
    METHOD(adams)                 \
    METHOD(radau)                 \
    METHOD(bdf)                   \
    METHOD(automatic)
#endif

#define DECLARED(name) std::unique_ptr<Stepper> name(Motion&, Given&);
#define LISTED(name) {#name, name},
EVERY_METHOD(DECLARED)

std::unique_ptr<Stepper> make_stepper(const std::string& method, Motion& motion, Given& given) {
    static constexpr struct {
        const char* name;
        std::unique_ptr<Stepper> (*make)(Motion&, Given&);
    } catalogue[] = {EVERY_METHOD(LISTED)};
    for (const auto& entry : catalogue)
        if (method == entry.name) {
            auto stepper = entry.make(motion, given);
            given.refuse_rest();
            return stepper;
        }
    throw std::invalid_argument("the kernel knows no integrator called '" + method + "'");
}

bool steps_momenta(const std::string& method) { return method == "rattle"; }

}  // namespace vincolo
