// Linearly implicit steps of order 2 (Verwer's ROS2): two slopes and one linear system, whatever the stiffness. Its order does
// not depend on how good the derivative is.
#pragma once
#include "integrators/flow.hpp"

namespace vincolo {

class Rosenbrock {
  public:
    using State = Flow::State;
    explicit Rosenbrock(Dynamics& dynamics);
    void step(double t, double h, const State& y, State& y_new);

  private:
    Flow flow_;
    State start_, at_, f_, k1_, k2_;
};

}  // namespace vincolo
