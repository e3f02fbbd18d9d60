// Plane nets by pins and bars: K x + A^T l = f, A x = g, with the motions x of the pins, one force l along each bar, the constant K of
// pin_net.hpp, and the directions u of the bars in A. A pin goes out together with the bars still on it, two at most. Two bars fix it,
//     x_p = v_1 (u_1 . x_1) + v_2 (u_2 . x_2),   v_i . u_j = 1 where i = j, else 0,
// and K of what is left changes only in the two pins at their other ends: work that grows with the front, not with its square. What
// bars leave free is eliminated by its pivot in K. S lam = b of all rows is solved so, as BlockSolver does it.
#pragma once
#include <cstddef>
#include <vector>

#include "pin_net.hpp"

namespace vincolo {

// A pin that comes into the front, and those there that bars join it to
struct PinEntry {
    int pin, slot;
    double own;
    int first_coupling, couplings;
};
struct PinCoupling {
    int slot;
    Flat2 k;
};

struct PinStep {
    int pin, slot;
    int first_entry, entries;
    int bars, bar[2], target[2];  // slots of the other ends, -1: on the ground
    double side[2];               // -1: first end of the bar
    double own;                   // mass of the pin, before any other is out
    int width;                    // numbers of the front, in fours
    std::size_t at;               // of the rows kept
    int free;
    // found by factor()
    double K[3];                  // xx, xy, yy
    Flat2 u[2], v[2], n[2];
    double inverse[2];            // of the pivots of what is free
};

struct PinOrder {
    std::vector<PinStep> steps;
    std::vector<PinEntry> entries;
    std::vector<PinCoupling> couplings;
    int width = 0;
    std::size_t kept = 0;
    double work = 0;  // operations of factor() and solve()
};

// Sweeps over the net with a front that stays narrow, pins with two bars nearly in line last; false if there are only such
bool order_pins(const PinNet& net, PinOrder& out);

class Pins {
  public:
    // For the rows in use; false where they are no such net, or eliminating rows takes little more work. Allocates.
    bool find(const System& system, const BlockSet& set, const std::vector<char>& taken, const Metric& metric, double work_of_rows);
    bool any() const { return !order_.steps.empty(); }
    int count() const { return static_cast<int>(order_.steps.size()); }
    void forget() { if (any()) order_ = PinOrder{}; }

    // At the places of the bodies; false where two bars that fix a pin are nearly in line, or other rows are in use
    bool factor(const std::vector<BodyPlace>& places, const std::vector<char>& taken);
    void solve(BlockVector& x) const;  // x <- S^-1 x

  private:
    void enter(const PinEntry& entry);
    void keep(PinStep& step);
    bool fix(PinStep& step);
    bool release(PinStep& step);
    void pass_on(const PinStep& step, int b);
    double* row(int i) { return front_.data() + static_cast<std::size_t>(i) * order_.width; }
    void find_offsets(const BlockVector& x) const;
    void load_bars() const;
    void eliminate() const;
    void substitute() const;
    void find_forces() const;
    void find_multipliers(BlockVector& x) const;

    PinNet net_;
    PinOrder order_;
    std::vector<char> taken_;  // rows in use
    std::vector<double> front_, kept_, sum_;
    std::vector<Flat2> u_, turn_;                  // of the bars: directions, and by how much they have turned
    mutable std::vector<Flat2> ends_, f_, x_;      // while solving: of the ends, of the pins
    mutable std::vector<double> slots_, l_, g_;    // in the front; of the bars
    mutable std::vector<Flat2> given_, start_, y_; // of the steps: f_p, x_p without the others, and of what is free
};

}  // namespace vincolo
