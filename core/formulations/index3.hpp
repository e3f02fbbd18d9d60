// Augmented Lagrangian of index 3 with the trapezoidal rule (Bayo, Ledesma; Cuadrado): positions carry the multipliers,
// lam += alpha phi, and after each step velocities and accelerations are projected with the same tangent matrix. Twists only.
#pragma once
#include "formulations/coordinates.hpp"
#include "formulations/solver.hpp"

namespace vincolo {

class Index3 {
  public:
    Index3(Coordinates& coordinates, const Augmentation& options, double rank_tolerance);
    // From x with its velocities and accelerations over a step h; the new state into x_new, accelerations into e.acc
    Failure step(double t, double h, const double* x, const double* dx, double* x_new);
    int passes() const { return passes_; }  // of the last step

  private:
    void place(const double* x, double* x_new);
    void soften(double t, double h, const double* x);  // base_
    void factor();                                     // tangent_ with J of now
    template <class Open>
    bool project(Vector& x, const Open& open);

    Coordinates& c_;
    Augmentation o_;
    int passes_ = 0;
    double weight_ = 0;            // h^2 / 4
    Matrix base_, tangent_;        // M + h/2 C + h^2/4 K, and with h^2/4 alpha J^T J
    Matrix weighed_;
    Lu lu_;
    Reactions reactions_;
    Vector step_, rate_, acc_, rate_new_, acc_new_, wish_, lam_, open_, sum_, change_, force_, moved_;
    std::vector<double> x_;
};

}  // namespace vincolo
