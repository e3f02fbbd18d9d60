// A second look at the choice of independent rows, beside a run.
#pragma once
#include "dynamics.hpp"

namespace vincolo {

class Scout {
  public:
    explicit Scout(Dynamics& main);
    // Whether the rows in use are better chosen anew at y; leaves the dynamics as they stand
    bool renew(double t, const double* y);
    // Whether more rows are independent at y than are in use
    bool richer(double t, const double* y);

  private:
    void follow(double t, const double* y);
    Dynamics& main_;
    Dynamics own_;
};

}  // namespace vincolo
