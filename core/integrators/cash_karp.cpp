// Cash and Karp 5(4), 1990
#include "integrators/runge_kutta.hpp"

namespace vincolo {

namespace {

constexpr double c[6] = {0, 0.2, 0.3, 0.6, 1, 0.875};
constexpr double a[6][5] = {{0, 0, 0, 0, 0},
                                      {0.2, 0, 0, 0, 0},
                                      {3.0 / 40, 9.0 / 40, 0, 0, 0},
                                      {0.3, -0.9, 1.2, 0, 0},
                                      {-11.0 / 54, 2.5, -70.0 / 27, 35.0 / 27, 0},
                                      {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096}};
constexpr double b[6] = {37.0 / 378, 0, 250.0 / 621, 125.0 / 594, 0, 512.0 / 1771};
constexpr double e[6] = {37.0 / 378 - 2825.0 / 27648, 0, 250.0 / 621 - 18575.0 / 48384, 125.0 / 594 - 13525.0 / 55296,
                                   -277.0 / 14336, 512.0 / 1771 - 0.25};

const Tableau tableau = [] {
    Tableau t{6, 5, c, &a[0][0], 5, b, e};
    t.gap = 0.45;
    return t;
}();

}  // namespace

std::unique_ptr<Stepper> cash_karp(Motion& motion, Given& given) { return std::make_unique<RungeKutta>(motion, given, tableau); }

}  // namespace vincolo
