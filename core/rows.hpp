// The rows of the joints and drives in use: Phi, J, J u - nu and gamma, block by block, and what they are held at.
#pragma once
#include "block_solver.hpp"
#include "quantities.hpp"

namespace vincolo {

// An end at the back of the set for each moving body that a quantity touches and the block, the last one, does not have yet
void add_ends(BlockSet& set, const Block& block, const System& system, const Quantity& quantity);

// A row is dependent if its pivot in the geometric metric falls below this share of its diagonal.
constexpr double dependent_share = 1e-8;

class Rows {
  public:
    Rows(const Placement& placement, Quantities& quantities);
    Rows(const Rows&) = delete;

    // Uses the given rows (all of them: pass ones)
    void activate(const std::vector<char>& wanted);
    const std::vector<char>& taken() const { return taken_; }
    int position(int row) const { return position_[row]; }  // within its block's columns, if in use
    const BlockSet& set() const { return set_; }

    // At the loaded positions: what drives are held at; J, weighed with inverse inertias; Phi; and what is open
    void evaluate_drives(double t);
    void assemble(const Mat3* weights);
    void find_values();
    double residual();            // largest |Phi|, lengths by the extent; finds Phi first
    double sum_of_residuals();    // |Phi| of all rows, also those not in use
    // At the loaded velocities: J u - nu, and the largest of it; gamma
    double find_rates();
    void find_bias();
    const BlockVector& phi() const { return phi_; }
    const BlockVector& rate() const { return rate_; }
    const BlockVector& gamma() const { return gamma_; }

    // One row, in use or not: its value, rate and acceleration as they are given
    Jet held_at(const Row& row, double t);
    const Jet& held(int row) const { return held_[row]; }  // as evaluate_drives() found it; zero where nothing is given
    // What is open of it at the loaded state, and how fast; zero where its level leaves that free
    void open(const Row& row, double t, double& value, double& rate);
    // The widest of the rows that count, in use or not, lengths by the extent; `worst` is its number
    template <class Counts>
    double widest(double t, Counts counts, int* worst = nullptr) {
        double largest = 0;
        for (int r = 0; r < static_cast<int>(system_.rows.size()); ++r) {
            if (!counts(r)) continue;
            double value, rate;
            open(system_.rows[r], t, value, rate);
            value = std::abs(value) * scale_[r];
            if (value <= largest) continue;
            largest = value;
            if (worst) *worst = r;
        }
        return largest;
    }
    double scale(int row) const { return scale_[row]; }  // 1 over the extent for lengths, 1 for angles and cosines

    void add_rates(BlockVector& x, const Twists& u, double factor) const;  // x += factor J u
    void add_held_rates(BlockVector& x, double factor) const;              // x += factor nu
    void collect(const BlockVector& x, Pushes& out) const;                 // out = J^T x
    bool do_work() const { return !driven_.empty(); }
    // With what drives, and what moves frames, put in under these multipliers
    double add_power(double power, const BlockVector& lam) const;

  private:
    struct ActiveRow {
        int measure, block, place, end_a, end_b, term;
        bool formula;  // one of the terms of a formula
    };
    // Which axes of its frames each row of a joint uses, f of the first and h of the second: 1 where it does; shared by all joints of the
    // same make
    struct Pattern {
        Column f[3], h[3];
        Column apart;             // 1 where f is a direction on the separation
        Column gram[block_rows];  // f . f of these
    };
    // All rows of a joint between one pair of frames, evaluated together: per row either a direction f on the separation
    // (pin, along), and no h, or two axes f on a and h on b (cosine)
    enum class Kind : char { Pairs, Points, Whole };  // one or two directions on the separation; more of them; cosines too
    struct JointRows {
        int block, a, b, end_a, end_b, body_a, body_b;
        int pattern;
        bool along;  // e turns with frame a
        Kind kind;
    };
    // The axes of a joint's rows in the world
    struct Directions {
        Column f[3], h[3];
    };
    Jet given(const Row& row, double t);
    void add_block(const BlockShape& shape);
    void scale_rows();
    void build_lists();
    void list_row(int row, bool whole);
    bool joint_of(int block, JointRows& joint);
    int pattern_of(const Pattern& pattern);
    int end_of(int block, int body) const;
    void assemble_joint(const JointRows& joint, const Mat3* weights);
    template <class C>
    void assemble_points(const JointRows& joint, const Mat3* weights);
    void joint_values(const JointRows& joint);
    void joint_bias(const JointRows& joint);
    template <class C>
    void points_bias(const JointRows& joint);
    template <class C>
    void add_rates_in(BlockVector& x, const Twists& u, double factor) const;
    void collect_pairs(const BlockVector& x, Pushes& out) const;
    void store(const ActiveRow& row, const Gradient& g, bool add);
    double rate_of(int row) const;  // J u of a row in use
    double& of(BlockVector& x, int row) const { return x[system_.rows[row].block][position_[row]]; }

    const Placement& placement_;
    Quantities& quantities_;
    const System& system_;
    BlockSet set_;
    BlockVector phi_, rate_, gamma_, scales_;
    std::vector<char> taken_;
    std::vector<int> position_;
    std::vector<double> scale_;
    std::vector<Jet> held_, jets_;
    std::vector<Pattern> patterns_;
    std::vector<JointRows> joints_;
    std::vector<Directions> directions_;
    std::vector<int> loose_ends_;  // of blocks that are not evaluated whole
    std::vector<ActiveRow> simple_, combined_;
    std::vector<int> driven_;    // rows in use with a function or formula, or not held at the level of positions
    std::vector<int> formulas_;  // rows in use with a formula
};

}  // namespace vincolo
