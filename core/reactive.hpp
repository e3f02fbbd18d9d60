// Laws that read reactions: their forces and the reactions depend on each other, and are found together. Reactions follow linearly
// from pushes, so that the laws alone are iterated: F = f(r_0 + sum of r_k F_k), by Newton's method.
#pragma once
#include <memory>

#include "formulations/factors.hpp"
#include "least_reactions.hpp"
#include "selection.hpp"

namespace vincolo {

class Reactive {
  public:
    Reactive(const Placement& placement, Quantities& quantities, Rows& rows, Forces& forces, Solve& solve, const Selection& selection);
    Reactive(const Reactive&) = delete;

    // After accelerations under all other forces were found: adds what these laws do. Where they have no solution, or one that
    // the laws would not come back to, accelerations are not a number.
    void settle(double t);
    // The same of impulses, with the rows in use: how reactions answer to a unit along each of some quantities; and what an expression
    // is that reads them, under so much of each
    void take_units(const std::vector<int>& quantities);
    void load_impulses(const double* along);
    // Of forces: the same beside reactions that act anyway; and the force of a row that is not among them
    void load_forces(const std::vector<Wrench>& wrenches, const std::vector<double>& lam, const std::vector<double>& laws, const double* along);
    void set_row_force(int row, double force) { table_[block_forces * system_.blocks.size() + row] = force; }
    double value(const Expression& e, double t) { return readings_.value(e, t); }
    int unsettled() const { return unsettled_; }  // the first law without a solution where it was last asked for, or -1

  private:
    // What one set of multipliers is for those who read it: rows by their numbers, and wrenches of blocks
    struct Reactions {
        std::vector<double> rows;
        std::vector<Wrench> blocks;
    };
    void match_rows();
    void add_units(const std::vector<Wrench>& wrenches, const std::vector<double>& lam, const double* along);
    void find_reactions(const BlockVector& lam, Reactions& out);
    void read(const std::vector<double>& F);         // the table of forces at given ones
    void read_slopes(int k);                         // how it changes with the force k
    bool iterate(double t);
    bool needed(int n, double t);

    const Placement& placement_;
    const Quantities& quantities_;
    Rows& rows_;
    Forces& forces_;
    Solve& solve_;
    const Selection& selection_;
    const System& system_;
    Readings readings_;
    Rows all_;  // all that hold, also those left out
    LeastReactions least_;
    std::vector<int> laws_, blocks_, rows_read_, others_;  // that read; that are read
    std::vector<int> active_;                              // of laws_
    Reactions base_;
    std::vector<Reactions> shares_, units_;
    std::vector<Twists> accelerations_;
    std::vector<BlockVector> multipliers_;
    std::vector<double> table_, slope_, forces_found_, values_;
    std::vector<std::vector<double>> partials_;
    BlockVector lam_;
    Pushes push_;
    Matrix matrix_;
    Vector open_, step_;
    Lu factors_;
    int unsettled_ = -1;
    double weight_ = 0, usual_ = 0;  // of the heaviest body; the largest force of now
};

}  // namespace vincolo
