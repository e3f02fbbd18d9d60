// The choice of independent rows.
#pragma once
#include "solve.hpp"

namespace vincolo {

// A row is dependent below this share where it is found by solving for it instead of by pivots
constexpr double trace_share = 1e-11;

class Selection {
  public:
    Selection(Placement& placement, const Quantities& quantities, Rows& rows, Solve& solve);
    Selection(const Selection&) = delete;

    // Chooses independent rows at the loaded positions, drives first, and uses them
    void choose();
    // Smallest pivot of some rows as a share of its diagonal, in the metric of the geometry; they are in use afterwards
    double weakest(const std::vector<char>& rows);
    // Largest |Phi| of the rows left out, with or without those of drives, lengths by the extent, at the loaded state; whose it is
    double left_out(double t, bool drives, int* worst = nullptr);
    double size() const;  // the largest lever where bodies now stand, as reactions of redundant rows are shared by
    const Metric& metric() const { return own_; }  // unit masses, inertias by each body's own length when rows were last chosen

    std::vector<char> candidates;  // rows that may be chosen
    double trace = trace_share;    // of a row that is looked at again, below which it is dependent
    double weakest_chosen = 1;     // pivot of the rows in use when they were chosen

  private:
    void choose_from(const std::vector<char>& from);
    int pass(const std::vector<char>& from, double tolerance);
    void add_overlooked(const std::vector<char>& from);
    template <class Reach>
    void visit_levers(Reach reach) const;  // of bodies, to what rows hold
    void measure_lengths();
    void place(const std::vector<char>& rows);
    void factor();
    void add_to_sum(int row, double c);
    double apart();
    double weakest_pivot() const;

    Placement& placement_;
    const Quantities& quantities_;
    Rows& rows_;
    Solve& solve_;
    const System& system_;
    BlockSolver selector_;
    Metric own_;
    BlockVector chosen_, none_, sum_rates_;
    Pushes sum_, reactions_;
    Twists weighed_;
    std::vector<double> lengths_;  // of the bodies, where they now stand
    double drawn_;                 // largest as drawn
    std::vector<char> independent_, wanted_, former_;
    std::vector<double> weights_;  // of the rows, squares of their sizes in the metric of the geometry
    double least_taken_ = 1;       // pivot of the rows that the last pass took, as a share of its diagonal
    int drives_ = 0;               // rows of drives
};

}  // namespace vincolo
