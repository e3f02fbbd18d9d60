// The motion of a mechanism as steppers see it: y' = f(t, y), whichever formulation finds the slopes, and the way back onto the
// constraints at the end of a step.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>

#include "formulations/formulation.hpp"
#include "integrators/flow.hpp"
#include "landing.hpp"

namespace vincolo {

class Motion {
  public:
    static constexpr int lanes = 8;  // states are padded to this, so that loops over them have no remainder

    Motion(const System& system, const FormulationOptions& formulation, const Stabilisation& stabilisation, RunStatistics& statistics);

    int size() const { return size_; }  // of a state without its tail: work, which is the entry behind, and auxiliary states
    int auxiliary_index() const { return size_ + 1; }
    // Entries up to here have a say in the error of a step; those of its tail that have none are allowed any
    int judged_end() const { return judged_end_; }
    int judged() const { return judged_; }  // how many have a say
    State state() const { return State(padded_, 0.0); }
    Dynamics& dynamics() { return dynamics_; }
    const Dynamics& dynamics() const { return dynamics_; }
    Formulation* formulation() { return formulation_.get(); }  // null: the kernel's own, sparse and on independent rows
    const Formulation* formulation() const { return formulation_.get(); }
    Landing& landing() { return landing_; }
    const RunStatistics& statistics() const { return statistics_; }  // of the run so far

    void derivative(double t, const State& y, State& dy);
    void auxiliary_rates(double t, const State& y, State& dy);  // the tail of it, with a formulation
    // Rates of the positions of y with the velocities of x, into k
    void position_rates(const State& y, const State& x, State& k);
    // Where a landing begins: with the factor of the state it starts from. A dense formulation finds its own.
    void stand_at(double t, const State& y) {
        if (!formulation_) dynamics_.place(t, y.data());
    }
    // Rows are chosen among dependent ones, unless a dense formulation deals with all of them
    bool rows_chosen() const { return !formulation_ || landing_.projects(); }
    double largest_residual() { return formulation_ ? formulation_->largest_residual() : dynamics_.rows.residual(); }

    double* standard(double t, State& x);  // in the kernel's own coordinates; x itself where it is so
    void from_standard(double t, const double* y, State& x);
    bool finite(const State& y) const;  // work among it

    // Errors are measured against these from now on
    void judge_by(const Tolerances& tolerances);
    const Tolerances& tolerances() const { return tolerances_; }
    // Of an entry of the state between two values
    double allowed(int i, double y0, double y1) const { return atol_[i] + rtol_[i] * std::max(std::abs(y0), std::abs(y1)); }
    double scaled(const State& e, const State& y0, const State& y1) const;  // root of the mean square in units of the tolerance
    double scaled_state(const State& y) const;  // the same of a state; what has no relative error counts by its usual size at least

  private:
    std::unique_ptr<Formulation> formulation_;
    Dynamics dynamics_;
    int size_, judged_end_, judged_;
    std::size_t padded_;
    State standard_, atol_, rtol_;
    Tolerances tolerances_{};
    Landing landing_;
    const RunStatistics& statistics_;
};

}  // namespace vincolo
