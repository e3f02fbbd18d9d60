// From a state to accelerations and reactions: M u' + J^T lam = Q, J u' = gamma, on an independent set of rows. Each part of the
// work has a room of its own; here they are put together.
#pragma once
#include <memory>

#include "auxiliaries.hpp"
#include "reactive.hpp"
#include "selection.hpp"
#include "watch.hpp"

namespace vincolo {

class Dynamics {
  public:
    explicit Dynamics(const System& system);
    Dynamics(const Dynamics&) = delete;

    const System& system() const { return placement.system(); }

    void load_positions(double t, const double* y);  // bodies, frames and formulas only
    void load_rows(double t, const double* y);       // the same, and what drives are held at
    void load_motion(double t, const double* y);     // velocities, and the forces at the state
    void place_rows(double t, const double* y);      // positions, drives and J, without the factor of S
    void place(double t, const double* y);           // the same with it
    // J and the factor of S where rows have been loaded, in the metric of the masses or of the geometry
    void place_loaded(bool geometric = false);
    // Accelerations at the velocities of y, into dy; place() must have seen the same positions
    void accelerate(double t, const double* y, double* dy);
    // Accelerations under given multipliers, into dy; zero inertias are made up for with the accelerations of `before`
    void accelerate_given(double t, const double* y, const BlockVector& multipliers, const double* before, double* dy);
    void least_accelerations(const double* y);  // that fit the rows at the velocities of y, least by mass; after place()
    // Largest |Phi| of the rows in use at the positions of y, lengths by the extent; keeps Phi for corrections
    double residual(double t, const double* y);
    double rate_residual(const double* y);  // largest |J u - nu| at the last place()
    // Projection of the velocities onto J u = nu, in the metric of the masses or of the geometry; the largest residual before
    double correct_velocities(double* y, bool geometric = false);
    // For motion alone: bodies that joints keep in planes are moved there, by the rows of the plane. Reactions are then not those
    // of all rows.
    void allow_planes();
    void share_planes(const Dynamics& other);
    const Planes* in_planes() const { return placement.inverse().flat ? planes.get() : nullptr; }  // null where no body is moved so
    int motions() const;                     // of all bodies without joints
    // Chooses independent rows at the positions of y, drives first, and takes their pivots as reference
    void select(double t, const double* y);
    void select_anew(double t, const double* y);  // at states that come from outside: with the planes and pins they show
    // Phi and J u - nu of every row (also those not in use) at y
    void all_residuals(double t, const double* y, double* phi, double* rates);
    void write_auxiliary_rates(double t, double* dy) { auxiliaries.write_rates(t, dy + system().auxiliary_index()); }
    double energy() const { return placement.kinetic_energy() + forces.potential_energy(); }

    Placement placement;
    Quantities quantities;
    Rows rows;
    Forces forces;
    Solve solve;
    Watch watch;
    Selection selection;
    Auxiliaries auxiliaries;
    std::unique_ptr<Planes> planes;      // null where no body stays in one, or none was asked for
    std::unique_ptr<Reactive> reactive;  // null where no law reads reactions
    double alpha = 0, beta = 0;  // Baumgarte: gamma - 2 alpha (J u - nu) - beta^2 Phi
    std::int64_t evaluations = 0, selections = 0;
    bool refines = false;  // accelerations: their rounding bounds the steps, as where levers are long against radii of gyration

  private:
    void meet_planes(const double* y);
};

}  // namespace vincolo
