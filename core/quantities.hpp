// Sums and formulas of measures: what rows hold and laws act along.
#pragma once
#include "placement.hpp"

namespace vincolo {

class Quantities {
  public:
    explicit Quantities(const Placement& placement);
    Quantities(const Quantities&) = delete;

    void refresh(double t);  // values and factors of formulas, at the loaded positions
    double value(int quantity) const;
    void read(int quantity, double& value, double& rate) const;
    double acceleration(int quantity, const Twists& accelerations);
    void push_along(int quantity, double force, Pushes& out) const;  // adds its row times a force, at the loaded positions
    double time_rate(int quantity) const;  // by time alone, bodies at rest
    double factor(int term) const { return factor_[term]; }  // derivative of its quantity, constant but in formulas
    const Gradient& formula_gradient(int term) const { return term_gradients_[term]; }
    double formula_value(int formula) const { return work_[formula].value; }
    double formula_rate(int formula) const;  // of a formula with its measures at rest
    // Value, rate and second derivative at the loaded velocities, without accelerations
    Jet formula_series(int formula);
    // The second derivative of a formula's quantity, whether or not it is a rate itself
    double formula_bias(int formula);

  private:
    struct Work {
        int quantity;
        double value;    // of a formula with rates: what is left without them
        double by_time;
    };
    const Placement& placement_;
    const System& system_;
    std::vector<double> factor_;
    std::vector<Work> work_;
    std::vector<Gradient> term_gradients_;  // of the measures in formulas, by term, at the loaded positions
    std::vector<double> numbers_, inputs_, adjoints_;
    std::vector<Jet> jets_, jet_inputs_;
};

}  // namespace vincolo
