// Dormand and Prince 5(4), 1980, with the continuous extension of Hairer, Norsett and Wanner, Solving Ordinary Differential
// Equations I, 1993
#include "integrators/runge_kutta.hpp"

namespace vincolo {

namespace {

constexpr double c[7] = {0, 0.2, 0.3, 0.8, 0.8888888888888888, 1.0, 1.0};
constexpr double a[7][6] = {
    {0, 0, 0, 0, 0, 0},
    {0.2, 0, 0, 0, 0, 0},
    {0.075, 0.225, 0, 0, 0, 0},
    {0.9777777777777777, -3.7333333333333334, 3.5555555555555554, 0, 0, 0},
    {2.9525986892242035, -11.595793324188385, 9.822892851699436, -0.2908093278463649, 0, 0},
    {2.8462752525252526, -10.757575757575758, 8.906422717743473, 0.2784090909090909, -0.2735313036020583, 0},
    {0.09114583333333333, 0, 0.44923629829290207, 0.6510416666666666, -0.322376179245283, 0.13095238095238096}};
constexpr double e[7] = {-0.0012326388888888888, 0, 0.0042527702905061394, -0.03697916666666667, 0.05086379716981132, -0.0419047619047619, 0.025};
constexpr double d[7] = {-1.1270175653862835, 2.382468931778144, 0, 2.675424484351598, -5.685526961588504, 3.5219323679207912, -1.7672812570757455};
constexpr int in_turn[7] = {0, 6, 1, 2, 3, 4, 5};

const Tableau tableau = [] {
    Tableau t{6, 5, c, &a[0][0], 6, a[6], e};
    t.lands = true, t.gap = 0.55;
    t.dense = {1, d, in_turn, 7, 0};
    return t;
}();

}  // namespace

std::unique_ptr<Stepper> dormand_prince(Motion& motion, Given& given) { return std::make_unique<RungeKutta>(motion, given, tableau); }

}  // namespace vincolo
