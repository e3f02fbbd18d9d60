// Expressions over the mechanism and a run, at the loaded state.
#pragma once
#include "quantities.hpp"

namespace vincolo {

class Readings {
  public:
    Readings(const Placement& placement, const Quantities& quantities);
    Readings(const Readings&) = delete;

    double value(const Expression& e, double t);
    // The same where value and rate of one quantity are known already
    struct Known {
        int quantity;
        double value, rate;
    };
    double value(const Expression& e, double t, const Known& known);
    // Slopes of an expression by what it reads, in its own order, at the loaded state; its slope by time is returned
    double slopes(const Expression& e, double t, double* out);
    void smooth_slopes(const Expression& e, double t, double* out);  // those by what it reads, none at a kink
    double read(const Reading& reading) const;
    const double* forces = nullptr;  // that follow from the motion, for expressions that may read them

  private:
    double found(const Expression& e, double t);  // at what is read
    double differences(const Expression& e, double t, double* out);
    const Placement& placement_;
    const Quantities& quantities_;
    std::vector<double> read_, numbers_, adjoints_;
    std::vector<Jet> jets_;
};

}  // namespace vincolo
