// Pivots of the rows in use along a motion: how near a singular position is, when it will be passed, and whether the choice of rows
// should be looked at again.
#pragma once
#include "solve.hpp"

namespace vincolo {

// A pivot below this share of the best it has been belongs to a singular position: its row carries no force there.
constexpr double singular_share = 3e-9;

class Watch {
  public:
    Watch(const Placement& placement, const Rows& rows, const Solve& solve);

    const BlockVector& least() const { return least_; }  // shares of the diagonals below which pivots carry no force
    // Rows were chosen anew: first without any history, then, factored, with their pivots as the ones to compare with
    void forget();
    void begin();
    // The same rows are as good as they were: their pivots of now are the ones to compare with
    void compare_anew();
    // Call at accepted states, positions placed and velocities loaded
    void look(double t);
    // Pivots of now are those to compare with, where they are larger
    void take_reference();
    // After look(): true if pivots have fallen so far that the choice of rows should be looked at; once for each such fall
    bool doubtful();
    // Time at which a pivot is about to reach zero, from its root now (last factor, at time t) and at the last look();
    // infinity if none is. The root passes a singular position in a straight line.
    double foresee(double t);

    double crossing = 0;      // as foreseen at the last look()
    double nearness = 1;      // smallest root of what couplings leave, over its best, at the last look(): 0 if singular
    double lowest_now = 1;    // smallest share at the last look()
    double lowest_share = 1;  // smallest pivot met, as a share of the best it has been
    double growth = 1;        // of the pivot that has grown most since rows were chosen

  private:
    void compare(std::size_t block, int row);
    double root_of(std::size_t block) const;

    const Placement& placement_;
    const Rows& rows_;
    const Solve& solve_;
    BlockVector least_, best_, first_;
    std::vector<double> root_, root_now_, best_root_;  // of what couplings leave of each block: at the last look(), now, at best
    double watched_ = 0;      // time of the last look()
    double doubt_ = 0.1;      // share of pivots below which the choice of rows is looked at again
    double foreseen_ = 0;
    std::int64_t foreseen_at_ = -1;  // number of factorisations then
};

}  // namespace vincolo
