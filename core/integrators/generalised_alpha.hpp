// Generalised-alpha of Chung and Hulbert on the group of rotations (Arnold, Bruls), with HHT and Newmark as cases, on positions
// (index 3) or velocities (index 2) of the constraints.
#pragma once
#include "formulations/equations.hpp"
#include "stiff.hpp"

namespace vincolo {

struct AlphaWeights {
    double mean_acceleration = 0, mean_force = 0, gamma = 0.5, beta = 0.25;  // alpha_m, alpha_f
    int index = 3;
    double tolerance = 1e-10;
    int iterations = 25;
};

class GeneralisedAlpha {
  public:
    using State = std::vector<double>;
    GeneralisedAlpha(Dynamics& dynamics, const AlphaWeights& weights);
    // From y with its slope; false if the iteration did not converge
    bool step(double t, double h, const State& y, const State& slope, State& y_new);
    void accept();
    void forget();
    long iterations = 0;

  private:
    void place(const State& y, double h, State& y_new);
    Dynamics& dynamics_;
    StiffSolver stiff_;
    AlphaWeights o_;
    bool begun_ = false;
    Twists first_, last_, mean_, mean_new_, base_, change_;  // accelerations at both ends, and the method's own
    BlockVector lam_, given_, mu_;
    Pushes reactions_;
};

}  // namespace vincolo
