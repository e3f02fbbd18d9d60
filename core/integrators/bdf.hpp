// Backward differentiation of variable order, 1 to 5, in backward differences (Shampine, Reichelt): one linear system per step.
#pragma once
#include "integrators/flow.hpp"

namespace vincolo {

class Bdf {
  public:
    using State = Flow::State;
    Bdf(Dynamics& dynamics, const Tolerances& tolerances);

    // Starts at y with steps of h
    void begin(double t, double h, const State& y);
    bool begun() const { return order_ > 0; }
    void forget() { order_ = 0; }
    // A step of size h (history is brought to it); the new state into y_new. Error as for Radau.
    double step(double t, double h, State& y_new);
    // The state that was taken in the end, on the constraints; chooses the next order and returns by how much the step may grow.
    double accept(const State& y);
    int order() const { return order_; }
    int passes() const { return passes_; }
    static constexpr int most_order = 5, most_passes = 6;

    long iterations = 0;

  private:
    void resize_steps(double factor);
    double correct(double t);
    Flow flow_;
    int order_ = 0, equal_steps_ = 0, passes_ = 0;
    double h_ = 0, error_ = 0;
    State D_[most_order + 3], mixed_[most_order + 1];  // backward differences
    State predicted_, psi_, d_, x_, f_, right_, change_;
};

}  // namespace vincolo
