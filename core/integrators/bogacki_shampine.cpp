// Bogacki and Shampine 3(2), 1989: three stages, the slope at the new state is the fourth and serves the error
#include "integrators/runge_kutta.hpp"

namespace vincolo {

namespace {

constexpr double c[4] = {0, 0.5, 0.75, 1};
constexpr double a[4][3] = {{0, 0, 0}, {0.5, 0, 0}, {0, 0.75, 0}, {2.0 / 9, 1.0 / 3, 4.0 / 9}};
constexpr double e[4] = {2.0 / 9 - 7.0 / 24, 1.0 / 3 - 1.0 / 4, 4.0 / 9 - 1.0 / 3, -1.0 / 8};

const Tableau tableau = [] {
    Tableau t{3, 3, c, &a[0][0], 3, a[3], e};
    t.lands = true, t.gap = 0.25;
    return t;
}();

}  // namespace

std::unique_ptr<Stepper> bogacki_shampine(Motion& motion, Given& given) { return std::make_unique<RungeKutta>(motion, given, tableau); }

}  // namespace vincolo
