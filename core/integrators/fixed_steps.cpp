// Explicit Runge-Kutta methods of fixed size: Euler, 1768; modified Euler and Heun, 1900; Kutta, 1901
#include "integrators/runge_kutta.hpp"

namespace vincolo {

namespace {

constexpr double zero[1] = {0}, one[1] = {1};
const Tableau euler_{1, 1, zero, zero, 1, one};

constexpr double middle[2] = {0, 0.5}, half_step[2][1] = {{0}, {0.5}}, last_slope[2] = {0, 1};
const Tableau modified_euler_{2, 2, middle, &half_step[0][0], 1, last_slope};

constexpr double ends[2] = {0, 1}, whole_step[2][1] = {{0}, {1}}, mean[2] = {0.5, 0.5};
const Tableau heun_{2, 2, ends, &whole_step[0][0], 1, mean};

constexpr double c[4] = {0, 0.5, 0.5, 1}, a[4][3] = {{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 1}};
constexpr double b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
const Tableau rk4_{4, 4, c, &a[0][0], 3, b};

}  // namespace

std::unique_ptr<Stepper> euler(Motion& motion, Given& given) { return std::make_unique<RungeKutta>(motion, given, euler_); }
std::unique_ptr<Stepper> modified_euler(Motion& motion, Given& given) { return std::make_unique<RungeKutta>(motion, given, modified_euler_); }
std::unique_ptr<Stepper> heun(Motion& motion, Given& given) { return std::make_unique<RungeKutta>(motion, given, heun_); }
std::unique_ptr<Stepper> rk4(Motion& motion, Given& given) { return std::make_unique<RungeKutta>(motion, given, rk4_); }

}  // namespace vincolo
