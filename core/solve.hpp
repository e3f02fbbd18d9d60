// The linear systems of the placed rows: M u' + J^T lam = Q, J u' = gamma; responses to forces; projections onto the rows.
#pragma once
#include <cstdint>
#include <memory>

#include "ballast.hpp"
#include "forces.hpp"
#include "planes.hpp"
#include "rows.hpp"

namespace vincolo {

class Pins;

class Solve {
  public:
    Solve(const Placement& placement, Rows& rows, Forces& forces);
    Solve(const Solve&) = delete;
    ~Solve();

    // Factors S = J M^-1 J^T of the assembled rows; a pivot not above `least` times its diagonal carries no force
    void factor(const BlockVector& least);
    // The same with all masses one and all inertias one square of the characteristic length
    void factor_geometric();
    void solve(BlockVector& x) const;  // x <- S^-1 x
    // Those of S, found when they are asked for where pins and bars are eliminated in its place
    const BlockSolver& factors() const;
    // After rows have been chosen, placed and factored in planes: from now on by pins and bars, as long as these rows are in use, where
    // they are a net and it is less work. True if it is so. Looked for where steps begin, and not within them: it allocates.
    bool find_pins();
    void forget_pins();
    int pins() const;  // 0 if there are none
    BlockSolver& geometric() { return geometer_; }

    // Accelerations and multipliers under the forces of now and Baumgarte's terms 2 alpha (J u - nu) + beta^2 Phi
    void accelerate(double alpha, double beta);
    // One step of iterative refinement of them: what J u' misses of gamma is solved for again.
    // Returns the change of the multipliers as a share of them.
    double refine();
    // Accelerations under given multipliers; zero inertias are made up for with the accelerations of `before`, a slope
    void accelerate_given(const BlockVector& multipliers, const double* before);
    void accelerate_least();  // that fit the rows, least by mass
    void write_slope(const double* y, double* dy) const;
    const Twists& accelerations() const { return acc_; }
    const BlockVector& multipliers() const { return lam_; }

    // Accelerations from free ones under the joints: J acc = -given, where `lam` holds `given` and becomes the multipliers
    void constrain(const Twists& free, BlockVector& lam, Twists& acc);
    void respond(const Pushes& push, Twists& out);                  // of the bodies in their joints to forces
    void constrained_response(const Twists& free, Twists& out);     // of what would move freely
    // The same to one push, as it adds to accelerations and multipliers; zero inertias are made up for
    void respond(const Pushes& push, Twists& acc, BlockVector& lam);
    void add(const Twists& acc, const BlockVector& lam, double factor);  // to those found
    void reload();  // forces have been added to

    // Change of velocities by impulses, with what rates of rows are off taken out: M du + J^T p = push, J du = -open
    void jump(const Pushes& push, const BlockVector& open, Twists& out);

    void lay_flat(const Planes* planes);  // bodies that stay in planes: corrections put them there

    // One Newton step q -= M^-1 J^T S^-1 Phi with the last factor, orthogonal in the metric of the masses or of the geometry;
    // quaternions are normalised
    void correct_positions(double* y, bool geometric = false);
    // Projection of the velocities onto J u = nu in the same metric; rows' rates must have been found
    void correct_velocities(double* y, bool geometric = false);
    // Takes from a change of state its part across the constraints: what projection will remove
    void keep_tangent(const double* y, double* change);

    // Accelerations of hubs too are those of the forces on them, to the last digit, and it is left to refine() to meet the rows
    bool balanced = false;
    std::int64_t factorisations = 0;
    mutable std::int64_t zeroed_pivots = 0;

  private:
    const Metric& metric(bool geometric) const { return geometric ? unit_ : placement_.inverse(); }
    void factor_rows() const;
    void refine_response(Twists& acc, BlockVector& lam);  // one step of iterative refinement of a response to one push
    void find_corrections(bool geometric);  // free_ = M^-1 J^T S^-1 other_

    const Placement& placement_;
    Rows& rows_;
    Forces& forces_;
    const System& system_;
    mutable BlockSolver solver_;
    BlockSolver geometer_;
    Ballast ballast_;
    std::unique_ptr<Pins> pins_;
    bool by_pins_ = false;         // the last factor
    mutable bool behind_ = false;  // that of S has not been found there
    const BlockVector* shares_ = nullptr;
    Metric unit_;
    const Planes* planes_ = nullptr;
    Twists acc_, free_, hubs_;
    Pushes reactions_;
    BlockVector lam_, other_, least_;
};

}  // namespace vincolo
