// Twelve coordinates per body (Oldani 2010): r and the three axes of the body as free vectors, kept of unit length and at right
// angles by six rows. Points and axes are linear in them, so the mass matrix is constant and nothing is gyroscopic.
#pragma once
#include "formulations/coordinates.hpp"

namespace vincolo {

class Natural : public RateCoordinates {
  public:
    explicit Natural(const System& system);
    void to_standard(const double* x, double* y) const override;
    void from_standard(const double* y, double* x) const override;
    void positions(double t, const double* x) override;
    void velocities(const double* x) override;
    void motion(double t, const double* x) override;
    void twist_accelerations(const double* x, Vector& out) const override;

  private:
    struct Place {  // a frame: point and axes as columns, and their rates
        Eigen::Matrix<double, 3, 4> now, rate;
    };
    void place(int frame, const double* x);
    double row(const Measure& m, int r, double factor);           // value; adds the gradient to J
    double bias(const Measure& m) const;                          // second derivative at zero acceleration
    void add(int r, int frame, int column, const Vec3& gradient); // d row / d (point or axis)
    void inner_rows(const double* x);

    std::vector<Place> places_;
    std::vector<double> y_;
};

}  // namespace vincolo
