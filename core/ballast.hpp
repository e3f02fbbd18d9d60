// Ballast E stands in for a mass or inertia that is missing; the force z = E a it takes is given back: (E^-1 - P) z = a, with P
// the response of the constrained system.
#pragma once
#include "block_solver.hpp"
#include "placement.hpp"

namespace vincolo {

class Solve;

class Ballast {
  public:
    explicit Ballast(const Placement& placement);
    bool any() const { return !bodies_.empty(); }
    // Takes the ballast out of accelerations and multipliers: conjugate gradients with E as preconditioner, one step for each
    // distinct share of ballast
    void unload(Solve& solve, BlockVector& lam, Twists& acc);

  private:
    struct Work {
        Vec3 residual, direction, response;  // of turning
        Vec3 residual_v, direction_v, response_v;
    };
    double begin(const Twists& acc);
    double respond(const Twists& acc, double& whole);
    double size_of(const Twists& acc) const;

    const Placement& placement_;
    const System& system_;
    std::vector<int> bodies_;  // that have ballast
    std::vector<Work> work_;   // by body
    Twists free_, response_;
    BlockVector shares_;
};

}  // namespace vincolo
