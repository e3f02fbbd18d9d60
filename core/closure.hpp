// Closing a mechanism: positions, then velocities, that its rows and the values asked for allow, changed least by mass; wishes are
// met by least squares as far as that leaves room. Values asked for are rows like all others, in a copy of the system.
#pragma once
#include "damped_schur.hpp"

namespace vincolo {

// Values that quantities are to have; wishes have weights
struct Wanted {
    std::vector<int> quantities;
    std::vector<double> values, weights;
};

struct ClosureOptions {
    Wanted given, wishes;
    std::vector<int> kept;   // bodies that stay
    std::vector<int> asked;  // places in the record of turns that keep their branch
    bool drives = true;      // or released
    bool rates = false;      // velocities are closed, and values asked for are rates; else positions
};

// How far positions could be closed: what is open of every row and value given, and the largest gap of every iteration
struct Closed {
    std::vector<double> residual, history;
    bool accepted() const;
};

class Closure {
  public:
    Closure(System system, const ClosureOptions& options);
    Closure(const Closure&) = delete;

    void load(double t, const double* y, const double* turns);
    const std::vector<double>& state() const { return y_; }
    const std::vector<double>& turns() const { return placement_.turns.values(); }

    std::vector<double> residual();  // of rows and values given
    // Closes all gaps by damped Gauss-Newton steps as far as they can be closed from here; gives up after `patience` iterations in
    // which the gap shrank by less than a fifth
    Closed close(int patience);
    // Minimises the sum of weight (quantity - value)^2 over the closed positions, until steps [m and rad] are below `settled`
    void meet(double settled);
    void step();  // one such step, without damping
    // Velocities that all rows and given rates allow; what is left of each. Parts without mass follow the others: what is lent to
    // them is taken back by starting again from what was found for them and what was asked of the others.
    std::vector<double> close_velocities();
    void meet_rates();  // minimises the sum of weight (rate - value)^2 over the velocities allowed
    void along(Twists& motion);            // takes away what the rows do not allow
    void weigh(Twists& push);              // M^-1 push, also (f, t) in the places of (v, w)

  private:
    using Numbers = std::vector<double>;
    bool counts(const Row& row) const;
    void place(const std::vector<char>& rows);
    void find_rates();
    void factor_firm(double damping);
    void factor_all(double freely);
    void factor();
    void solve(const BlockVector& open);                  // into step_
    void move();                                          // by step_, but no body by more than is safe
    void count_turns();
    void add_to_velocities(const Twists& more);
    void allow_velocities();
    void come_to_rest(const Twists& before);
    Twists velocities() const;
    Twists light_part(const Twists& now, const Twists& before) const;
    double at(const BlockVector& x, int row) const { return rows_.taken()[row] ? x[system_.rows[row].block][rows_.position(row)] : 0; }
    double largest_open(const BlockVector& x) const;
    double sum_of_squares() const;                        // of what is open of positions
    double missed() const;                                // the weighted sum of squares of wishes
    Numbers by_row(const BlockVector& x) const;           // without wishes
    double largest_number() const;                        // of the state

    ClosureOptions options_;
    System system_;
    int firm_rows_;
    Placement placement_;
    Quantities quantities_;
    Rows rows_;
    DampedSchur schur_;
    Metric metric_;
    std::vector<char> firm_, all_;
    Numbers y_, damping_;
    BlockVector lam_;
    Pushes pushes_;
    Twists step_;
    double t_ = 0;
    bool factored_ = false;  // for velocities, at the placed positions
};

}  // namespace vincolo
