// The upper part of an elimination, where much is coupled with much: its blocks are put together in panels, dense columns over the
// rows in use alone. A tile of six rows by six has mostly empty places there, and there are too many of them.
#pragma once
#include <cstddef>
#include <vector>

#include "columns.hpp"

namespace vincolo {

struct BlockSet;
using BlockVector = std::vector<Column>;

// An order with its panels behind: which steps are the first of each, and, at the end, how many steps there are
struct Panelled {
    std::vector<int> order, first;
    int before;  // steps without panels
};

// The same elimination, its order changed where nothing depends on it. later: for each step those that it is coupled with, ascending
Panelled panelled(const std::vector<int>& order, const std::vector<std::vector<int>>& later);

class Panels {
  public:
    Panels() = default;
    // later: as above, in the new order
    Panels(const BlockSet& set, const Panelled& steps, const std::vector<std::vector<int>>& later);
    int count() const { return static_cast<int>(panels_.size()); }
    bool any() const { return !panels_.empty(); }
    double work() const;  // operations of factor() and a solution, with the rows in use

    // Number of the place where a step is coupled with itself or a later one; known before any rows are in use
    int place_of(int step, int later);
    // Where that is now: columns over the rows of the later one, one behind the other at a distance
    double* at(int place) { return data_.data() + places_[place].at; }
    int distance(int place) const { return panels_[places_[place].panel].height; }

    // All zero, laid out for the rows in use
    void begin(const BlockSet& set);
    // L D L^T: columns stay multiplied with their pivots. A pivot not above `least` times its diagonal is left out. Returns how many.
    int factor(const BlockVector& least, const BlockVector& diagonal, BlockVector& pivots);
    // The two passes of a solution
    void substitute_forward(BlockVector& x) const;
    void substitute_backward(BlockVector& x) const;

  private:
    struct Panel {
        int first_member, own, members;  // blocks eliminated in it, and those that they are coupled with behind
        int first_step;
        int columns, rows, height;       // as in use: own rows, all rows, rows as stored
        std::size_t at;
        int first_row;                   // among the rows of all panels
    };
    struct Run {  // members that stand side by side in another panel too
        int first, end;
        int place;  // of the first
    };
    struct Member {
        int step, block, row;
        int first_run, runs;  // of what its panel takes from its columns, in the panel where it is eliminated
    };
    struct Place {
        int panel, row, column;  // members
        std::size_t at;
    };
    int member_of(const Panel& panel, int step) const;
    void arrange(const BlockSet& set);
    bool fits(const BlockSet& set) const;
    int pivot(const Panel& panel, const BlockVector& least, const BlockVector& diagonal, BlockVector& pivots);
    void pass_on(const Panel& panel);
    template <int K>
    void add_up(const Panel& panel, int count, int from, int c);

    std::vector<Panel> panels_;
    std::vector<Member> members_;
    std::vector<Run> runs_;
    std::vector<Place> places_;
    std::vector<int> panel_of_;          // by step, from the first with a panel on
    std::vector<int> rows_;              // of each member, as arranged for
    std::vector<double> data_, inverse_;  // panels; inverse pivots
    std::vector<double> sums_;           // of four columns, and the weights in them
    mutable std::vector<double> x_;      // of one panel, while solving
    int before_ = 0;
};

}  // namespace vincolo
