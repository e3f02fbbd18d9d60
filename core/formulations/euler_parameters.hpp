// Seven coordinates per body: r and the Euler parameters p, with p . p = 1 as one more row. w = 2 E(p) p' / (p . p).
#pragma once
#include "formulations/coordinates.hpp"

namespace vincolo {

class EulerParameters : public RateCoordinates {
  public:
    explicit EulerParameters(const System& system);
    void to_standard(const double* x, double* y) const override;
    void from_standard(const double* y, double* x) const override;
    void take_rows(const std::vector<int>& rows) override;
    void positions(double t, const double* x) override;
    void velocities(const double* x) override;
    void motion(double t, const double* x) override;
    void twist_accelerations(const double* x, Vector& out) const override;

  private:
    Equations twist_;  // the same in twists
    std::vector<Eigen::Matrix<double, 3, 4>> map_;  // w = map p'
    std::vector<double> y_;
    Vector bias_, twist_bias_;
};

}  // namespace vincolo
