// A second look at the choice of independent rows, beside a run.
#pragma once
#include "dynamics.hpp"

namespace vincolo {

class Scout {
  public:
    explicit Scout(Dynamics& main);
    // Whether the rows in use are better chosen anew at y; where they are as good as they were, pivots are compared anew. The
    // factors of the dynamics are those of y, and stay.
    bool renew(double t, const double* y);
    // Whether more rows are independent at y than are in use
    bool richer(double t, const double* y);

  private:
    void follow(double t, const double* y);
    Dynamics& main_;
    Dynamics own_;
};

}  // namespace vincolo
