// Dense equations of motion in three kinds of coordinates: positions with quaternions and twists (v, w), Euler parameters with
// their rates (7 per body), natural coordinates (12 per body).
#pragma once
#include <memory>

#include "dynamics.hpp"
#include "quaternion.hpp"
#include "formulations/equations.hpp"

namespace vincolo {

// State of one body: q_size positions, then u_size velocities. This class is the first kind: the kernel's own state.
class Coordinates {
  public:
    explicit Coordinates(const System& system, int q_size = 7, int u_size = 6, int inner_rows = 0);
    virtual ~Coordinates() = default;
    static std::unique_ptr<Coordinates> make(const std::string& kind, const System& system);

    int body_state() const { return q_size + u_size; }
    virtual bool standard() const { return true; }
    virtual void to_standard(const double* x, double* y) const;
    virtual void from_standard(const double* y, double* x) const;

    // J and phi at the positions of x; then u and rate at its velocities; then M, Q and gamma
    virtual void positions(double t, const double* x);
    virtual void velocities(const double* x);
    virtual void motion(double t, const double* x);
    // Change of positions by a small displacement, in place
    virtual void move(double* x, const Vector& change) const;
    // Rates of the positions of x at velocities u
    virtual void position_rates(const double* x, const Vector& u, double* dx) const;
    // Accelerations (v', w') of all bodies from those of the coordinates, e.acc, at x
    virtual void twist_accelerations(const double* x, Vector& out) const;
    void set_velocities(double* x, const Vector& u) const;
    // Only these rows of the system are there from now on
    virtual void take_rows(const std::vector<int>& rows);
    const std::vector<int>& taken() const { return taken_; }
    // Q alone, at a state near the one loaded
    void forces(double t, const double* x, Vector& Q);

    const System& system;
    Dynamics all;  // on all rows
    const int q_size, u_size;
    Equations e;

  protected:
    void fill_rows(Matrix& J, Vector& phi);
    void fill_rates(const Matrix& J, const Vector& u, Vector& rate);
    void fill_motion(Matrix& M, Vector& Q, Vector& gamma);
    void fill_forces(Vector& Q) const;
    int bodies_;
    int rows_;  // of the system that are there, those that are taken
    const int inner_rows_;  // of each body
    std::vector<int> taken_;
};

// Coordinates whose velocities are their own rates: no state of the kernel, but changes simply add up
class RateCoordinates : public Coordinates {
  public:
    using Coordinates::Coordinates;
    bool standard() const override { return false; }
    void move(double* x, const Vector& change) const override;
    void position_rates(const double* x, const Vector& u, double* dx) const override;

  protected:
    void load_rates(const double* x);  // e.u
};

}  // namespace vincolo
