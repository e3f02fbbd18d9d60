// RATTLE on the group of rotations: symplectic, of order 2, with one evaluation of forces per step. Rotations advance by
// Cayley's map, positions and velocities stay on the constraints.
#pragma once
#include "dynamics.hpp"
#include "quaternion.hpp"

namespace vincolo {

class Rattle {
  public:
    using State = std::vector<double>;
    explicit Rattle(Dynamics& dynamics);

    // From y with its slope: positions of y_new on the constraints and placed there, velocities still to be projected in the
    // metric of the masses. False if the joints did not close.
    bool step(double t, double h, const State& y, const State& slope, State& y_new);

    void forget() {
        for (Column& column : impulse_) column.clear();
        for (Motion& m : motion_) m.w.setZero();
    }

  private:
    struct Motion {
        Vec3 v, w;            // velocity over the step; angular velocity over it, in axes of the body at its start
        Vec3 push_v, push_w;  // velocity, and momentum in those axes, after half of the forces but before the joints
        Mat3 axes;            // at its start
    };
    void move(double h, const State& y, const BlockVector& impulse, State& y_new);
    void finish(double t, double h, const State& y, const State& slope, State& y_new);
    Vec3 turning(int body, const Vec3& momentum, double h, Vec3 w) const;
    Vec3 torque(int body) const;  // on a body at the loaded motion, in its axes
    Dynamics& dynamics_;
    std::vector<Motion> motion_;
    BlockVector impulse_, change_;
    Pushes reactions_;
};

}  // namespace vincolo
