// What a tree leaves over: rows that close its loops, on an independent set of them. S = J T^-1 J^T is dense and small.
#pragma once
#include <Eigen/Dense>

#include "forces.hpp"
#include "rows.hpp"
#include "tree/tree.hpp"

namespace vincolo::tree {

class Loops {
  public:
    Loops(Tree& tree, const Placement& placement, Rows& rows);

    bool any() const { return count_ > 0; }
    bool chosen() const { return chosen_; }
    void place(double t);      // J and S, where the tree was articulated and the bodies are placed
    void choose();             // independent rows; place() first
    // With the tree accelerating freely: multipliers, and accelerations that fit the rows. Returns power with that of drives.
    double accelerate(double power);
    // Where the tree misses inertias: sizes of what rows push on the coordinates, and a body that does not follow the rows, or -1
    const double* sizes() const { return sizes_.data(); }
    int unmoved_body() const { return unmoved_; }
    double residual() const { return residual_; }  // of the rows chosen
    double rate_residual();
    const double* closing();   // a change of coordinates that closes the rows chosen, and
    const double* following(); // one of velocities, after rate_residual()
    bool doubtful() const { return lowest_ < 1e-6; }  // a pivot has fallen far since the rows were chosen

  private:
    void find_rows();    // that hold, where rows are switched
    void put_on(int k);  // the forces of a row, in on_
    Eigen::MatrixXd geometry(Eigen::VectorXd& sizes);
    void couple();
    void factor();
    void solve(Eigen::VectorXd& x) const;
    void find_rates();       // J u of the accelerations, by block
    int left_behind();       // a body that should turn as rows without a pivot say, or -1
    const double* closing_change(const BlockVector& open);  // -T^-1 J^T S^-1 open
    double of(const BlockVector& x, int k) const { return x[all_[k].block][rows_.position(all_[k].row)]; }
    Tree& tree_;
    Response response_;
    Light light_;
    const Placement& placement_;
    Rows& rows_;
    const System& system_;
    int count_ = 0;
    struct Left {
        int row, block;
    };
    std::vector<Left> all_;
    std::vector<std::vector<int>> paths_;  // from the bodies of each row to the ground
    std::vector<int> kept_;                // of all_
    Eigen::MatrixXd Z_, weighed_, S_, L_;
    Eigen::VectorXd pivots_, first_, lam_, pushes_, sizes_, change_;
    Pushes on_;
    Twists accelerations_;
    BlockVector by_block_;
    double residual_ = 0, lowest_ = 1;
    int unmoved_ = -1;
    bool chosen_ = false, switched_ = false;
    std::vector<char> holds_;  // by row of the system
};

}  // namespace vincolo::tree
