// What a run records: states at the asked times, and the branches of angles counted over turns
#pragma once
#include "integrators/stepper.hpp"

namespace vincolo {

class Samples {
  public:
    Samples(Motion& motion, const std::vector<double>& times);

    // The present state, for all times up to now
    void record_due(double t, const State& y);
    // Those within a taken step, its end among them unless the state there will change once more
    void record(const Step& step, Stepper& stepper, bool end_too);

    int count() const { return count_; }
    const std::vector<double>& states() const { return states_; }
    std::vector<double> turns();          // angles at the samples, counted over turns
    double position_residual() const { return residual_; }  // largest of samples between steps

  private:
    bool due(double t, bool too) const;
    void between(const Step& step, Stepper& stepper, double t);
    void store();
    Motion& motion_;
    std::vector<double> times_, states_, turns_;
    State sample_;
    int count_ = 0;
    double residual_ = 0;
};

}  // namespace vincolo
