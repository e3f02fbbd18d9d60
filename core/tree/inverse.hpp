// Inverse dynamics of a tree: what drives along its coordinates must push for a motion that is given, by the recursion of Newton and
// Euler (Luh, Walker and Paul 1980).
#pragma once
#include "tree/loads.hpp"

namespace vincolo::tree {

class Inverse {
  public:
    // Along these quantities, at states near y; those that are no coordinate of a link are in place -1
    Inverse(const System& system, const std::vector<double>& y, const std::vector<double>& turns, const std::vector<int>& quantities);

    const std::vector<int>& places() const { return places_; }        // of the quantities among the unknown velocities
    std::size_t found() const { return columns_.size(); }
    bool complete() const { return known_ == tree_.velocities(); }  // nothing else moves
    bool closes_loops() const { return left_; }
    // From positions, rates and accelerations of the quantities to the forces along them
    void find(double t, const double* x, const double* rates, const double* accelerations, double* forces);

  private:
    struct Column {
        int q, u, turn;
        double sign, factor;  // coordinate by measure, coordinate by quantity
    };
    Placement placement_;
    Tree tree_;
    Quantities quantities_;
    Loads loads_;
    std::vector<Column> columns_;
    std::vector<int> places_;
    std::vector<double> q_, u_, du_, pushes_;
    int known_ = 0;
    bool left_ = false;
};

}  // namespace vincolo::tree
