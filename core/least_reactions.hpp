// Reactions where rows are redundant: the least that balance given forces, in a metric of forces and of torques over a length.
#pragma once
#include "solve.hpp"

namespace vincolo {

struct Wrench {
    Vec3 force_a, torque_a, force_b, torque_b;  // on the bodies of a block, at its frames, world axes
};

class LeastReactions {
  public:
    LeastReactions(const Placement& placement, const Quantities& quantities, Rows& rows);

    void find_units();  // of all rows, at the loaded positions
    // The same, and takes in the rows, weighed by a metric
    void factor(const Metric& metric, double length);
    // lam with J^T lam = forces; returns what is left of the forces as a share of them
    double find(const Pushes& forces, BlockVector& lam);
    // The same from multipliers of independent rows, as solved: less what reactions that balance each other add to them. For places next
    // to singular ones, which find() does not follow. False where bodies are moved by fewer rows than hold them.
    bool lessen(const Rows& chosen, Solve& solve, const BlockVector& solved, BlockVector& lam);
    // Force and torque that a row puts on the two bodies of its block per unit of its multiplier, as factored
    const Wrench& unit(int row) const { return units_[row]; }
    void wrenches(const BlockVector& lam, std::vector<Wrench>& out) const;  // of the blocks

  private:
    Wrench unit_wrench(int row) const;
    void add_ridge();
    double largest_left() const;
    bool find_balanced(const Rows& chosen, Solve& solve);
    void measure(const BlockVector& lam, double* out);  // its wrenches, as numbers whose squares add up to its size
    double gradient_of_rest();  // J W (f - J^T lam), and its preconditioned form; their product

    const Placement& placement_;
    const Quantities& quantities_;
    Rows& rows_;
    const System& system_;
    const Metric* metric_ = nullptr;
    double length_ = 1;  // by which torques are compared with forces
    BlockSolver solver_;
    BlockVector gradient_, step_, direction_, none_, kept_;
    Pushes left_, share_;
    Twists weighed_;
    std::vector<Wrench> units_;  // by row
    // Reactions that balance each other, one for each row that is left out, and their sizes
    std::vector<BlockVector> balanced_;
    Eigen::MatrixXd sizes_;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> shares_;
    Eigen::VectorXd whole_, share_of_;
    std::vector<Wrench> wrenches_;
    bool tried_ = false, balances_ = false;
    Twists moved_;
};

}  // namespace vincolo
