// Rates of the numbers that a run carries beside the motion.
#pragma once
#include "readings.hpp"

namespace vincolo {

class Auxiliaries {
  public:
    Auxiliaries(const Placement& placement, const Quantities& quantities)
        : system_(placement.system()), placement_(placement), readings_(placement, quantities) {}

    // At the loaded state, into the entries of a slope that belong to them
    void write_rates(double t, double* rates) {
        for (std::size_t k = 0; k < system_.auxiliaries.size(); ++k) rates[k] = rate(system_.auxiliaries[k], t);
    }
    // Slopes of the rate of one of them by what it reads, in its own order; none at a kink
    void partials(int n, double t, double* out) { readings_.smooth_slopes(system_.auxiliaries[n].rate, t, out); }

  private:
    double rate(const Auxiliary& state, double t) {
        if (state.slope >= 0) return placement_.auxiliaries()[state.slope].f;
        return state.moves() ? readings_.value(state.rate, t) : 0;
    }
    const System& system_;
    const Placement& placement_;
    Readings readings_;
};

}  // namespace vincolo
