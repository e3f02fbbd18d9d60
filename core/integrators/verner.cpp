// Verner 6(5), the efficient pair of his family of nine stages (Numerically optimal Runge-Kutta pairs with interpolants, 2010): eight
// stages and the slope at the new state, which serves the error
#include "integrators/runge_kutta.hpp"

namespace vincolo {

namespace {

constexpr double c[8] = {0, 0.06, 0.09593333333333333, 0.1439, 0.4973, 0.9725, 0.9995, 1.0};
constexpr double a[9][8] = {
    {0, 0, 0, 0, 0, 0, 0, 0},
    {0.06, 0, 0, 0, 0, 0, 0, 0},
    {0.019239962962962962, 0.07669337037037037, 0, 0, 0, 0, 0, 0},
    {0.035975, 0, 0.107925, 0, 0, 0, 0, 0},
    {1.3186834152331484, 0, -5.042058063628562, 4.220674648395414, 0, 0, 0, 0},
    {-41.872591664327516, 0, 159.4325621631375, -122.11921356501003, 5.531743066200054, 0, 0, 0},
    {-54.430156935316504, 0, 207.06725136501848, -158.61081378459, 6.991816585950242, -0.018597231062203234, 0, 0},
    {-54.66374178728198, 0, 207.95280625538936, -159.2889574744995, 7.018743740796944, -0.018338785905045722, -0.0005119484997882099, 0},
    {0.03438957868357036, 0, 0, 0.2582624555633503, 0.4209371189673537, 4.40539646966931, -176.48311902429865, 172.36413340141507}};
constexpr double e[9] = {0.008623404282200852, 0, 0, -0.019434029953152708, 0.028450072588037983, -2.109711061065291, 103.45854289996399, -101.39980461914911, 0.03333333333333333};

const Tableau tableau = [] {
    Tableau t{8, 6, c, &a[0][0], 8, a[8], e};
    t.lands = true, t.gap = 0.735;
    return t;
}();

}  // namespace

std::unique_ptr<Stepper> verner(Motion& motion, Given& given) { return std::make_unique<RungeKutta>(motion, given, tableau); }

}  // namespace vincolo
