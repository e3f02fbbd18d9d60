// Ballast E stands in for a mass or inertia that is missing; the force z = E a it takes is given back: (E^-1 - P) z = a, with P
// the response of the constrained system.
#pragma once
#include "rows.hpp"

namespace vincolo {

class Solve;

class Ballast {
  public:
    Ballast(const Placement& placement, const Rows& rows);
    bool any() const { return !bodies_.empty(); }
    bool on(int body) const { return has_[body]; }
    void load(const Twists& free);  // accelerations without joints, with the ballast in them
    // Takes the ballast out of accelerations and multipliers; after load(). A first time, to the size of the accelerations, or once
    // more, force by force.
    void unload(Solve& solve, BlockVector& lam, Twists& acc, bool anew);

  private:
    struct Work {
        Vec3 residual, direction, response;  // of turning
        Vec3 residual_v, direction_v, response_v;
        Vec3 acting, acting_v;  // what acts without joints, in body axes, and in the world
    };
    double begin(const BlockVector& lam, const Twists& acc, double& largest);
    double open_share() const;
    void iterate(Solve& solve, BlockVector& lam, Twists& acc, double rho, double wanted);
    double take(double alpha, double& left);
    double respond(double& whole);
    double size_of(const Twists& acc) const;

    const Placement& placement_;
    const Rows& rows_;
    const System& system_;
    std::vector<int> bodies_;  // that have ballast
    std::vector<char> has_;    // by body
    std::vector<Work> work_;
    Pushes reactions_;
    Twists free_, response_;
    BlockVector shares_;
};

}  // namespace vincolo
