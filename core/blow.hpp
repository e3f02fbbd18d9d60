// Velocities that jump, with all joints holding: M du + J^T p = blows along quantities, J u = nu afterwards.
#pragma once
#include "dynamics.hpp"

namespace vincolo {

// Along a quantity: what its rate shall be afterwards, or an impulse that is given
struct Hit {
    int quantity, event;
    bool given;
    double rate;     // wanted
    double impulse;  // given, or found
};

class Blow {
  public:
    explicit Blow(Dynamics& dynamics);

    // Velocities of y onto the rows in use, where it was placed last
    void meet_rows(double* y);
    // All hits at once. Returns the first whose quantity the joints hold, so that no impulse changes its rate; or -1
    int strike(double* y, std::vector<Hit>& hits);

  private:
    void add(double* y, const Twists& change, double factor) const;
    double along(const Pushes& row, const Twists& change) const;

    Dynamics& dynamics_;
    const System& system_;
    Pushes none_;
    Twists change_;
};

}  // namespace vincolo
