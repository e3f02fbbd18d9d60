// Block L D L^T of S = J M^-1 J^T: one block per joint, an elimination order found once, a flat program.
#pragma once
#include <vector>

#include "columns.hpp"
#include "metric.hpp"
#include "panels.hpp"
#include "system.hpp"

namespace vincolo {

// Part of a block's rows on one moving body: J = (lin, ang), one column per component
struct End {
    int body;
    Column lin[3], ang[3];
    Column weighed[3];  // ang K
};

struct Block {
    int first, all;       // rows of the system
    int n;                // rows in use; they stand first in the columns
    int first_end, ends;  // bodies it touches
    bool plain;           // forces on its two bodies are equal and opposite
    const Column* gram;   // lin lin^T of a plain block where it is constant, else null
    bool grounded;        // holds its bodies to the ground or to axes of the world, not only to each other
};

struct BlockSet {
    std::vector<Block> blocks;
    std::vector<End> ends;
    bool narrow = false;  // no block has more than two rows in use
};

// One column per block, in the order of the blocks: a BlockVector

// Nodes in their order: block k, or the number of blocks + h for the body hubs[h]
struct Elimination {
    std::vector<int> hubs, order;
};

class BlockSolver {
  public:
    BlockSolver() = default;
    // With panels, where it has many couplings, it is faster; but select() and add_to_block() are not for it
    enum class Store { Tiles, Panels };
    BlockSolver(const BlockSet& set, const Elimination& elimination, Store store = Store::Tiles);

    // S from the rows in set, weighed with the same metric; its diagonal, as far as hubs do not count as held, is kept in diagonal()
    void assemble(const BlockSet& set, const Metric& metric);
    // The same in two: the hubs' part of a metric, and S from rows and inverse masses
    void weigh_hubs(const Metric& metric);
    void assemble(const BlockSet& set, const double* inverse_mass);
    void add_to_block(int block, int row, int column, double x) { inverse_[block].X[column][row] += x; }
    void add_to_diagonal(int block, int row, double x) { add_to_block(block, row, row, x); }
    // Factors S. A pivot not above `least` times its diagonal carries no force: its inverse is zero. Returns how many.
    int factor(const BlockSet& set, const BlockVector& least);
    // As factor, choosing within each block the largest remaining pivot first; chosen is 1 for independent rows, else 0.
    // Returns the least pivot it chose, as a share of its diagonal: any tolerance below gives the same choice.
    double select(const BlockSet& set, double tolerance, BlockVector& chosen);
    // x <- S^-1 x
    void solve(const BlockSet& set, BlockVector& x) const;

    // Hubs, and their motion M^-1 J^T x under the x of the last solve(): as the elimination finds it, so that rows are met to
    // rounding, where the small difference of large forces on a light hub would not do
    int hubs() const { return static_cast<int>(hubs_.size()); }
    int panels() const { return panels_.count(); }
    double work(const BlockSet& set) const;  // operations of factor() and solve(), with the rows in use
    int hub_body(int hub) const { return hubs_[hub].body; }
    Twist hub_motion(int hub) const;
    // Share of a block that its couplings have left: product of its pivots over the product it would have alone.
    // It falls to zero with the square of the distance to a singular position, whatever the masses.
    double remaining_share(const BlockSet& set, int block, const double* inverse_mass) const;

    const BlockVector& diagonal() const { return diagonal_; }
    const BlockVector& pivots() const { return pivots_; }

  private:
    enum class Role : char { Plain, Held, Moving };  // of the body of an end, for its block: no hub, one eliminated later, or earlier
    struct Tile {  // between the node k of its step and a later node j
        int later;
        int first_part, parts;
        int end;               // of a block on a hub, where the tile is between them, else -1
        Column T[block_rows];  // S_jk: columns over the rows of k
        Column U[block_rows];  // X_k S_jk^T: columns over the rows of j
    };
    struct Part {
        int end_later, end_early, body;
    };
    struct Update {  // target -= T_a U_b
        int a, b;
        int target;  // tile, or -1 - node for its diagonal
    };
    struct Outward {  // the same, with a place in a panel as its target
        int a, b, place;
    };
    struct Coupling {  // of a block in a panel with itself or a later one
        int early, later, first_part, parts, place;
    };
    struct Step {
        int node;
        int first_tile, tiles, first_update, updates, first_outward, outwards;
        bool paired;  // the next step does not wait for this one
        bool plain;   // a block without ends on hubs
    };
    struct Diagonal {
        Column X[block_rows];
    };
    struct Hub {
        int body;
        double root_mass;  // of the inverse mass
        Mat3 root;         // of the inverse inertia
    };

    void lay_out(const BlockSet& set, const Elimination& elimination, Store store);
    void add_updates(int step, const std::vector<std::vector<int>>& later);
    bool is_hub(int node) const { return node >= blocks_; }
    int rows(const BlockSet& set, int node) const { return is_hub(node) ? block_rows : set.blocks[node].n; }
    void assemble_beside_hubs(const BlockSet& set, const Step& step, const double* inverse_mass);
    void assemble_hub(const BlockSet& set, const Step& step);
    template <class C>
    void assemble_steps(const BlockSet& set, const double* inverse_mass);
    template <class C>
    void assemble_panels(const BlockSet& set, const double* inverse_mass);
    void couple(const End& end, const Hub& hub, Column* C) const;
    void invert_hub(int node);
    bool narrow(const BlockSet& set) const { return quick_ && set.narrow; }  // pairs are enough
    template <class C, int N, class Counts>
    void assemble_diagonal(const Block& block, const End* ends, const double* inverse_mass, Column* X, Counts counts) const;
    template <class C, int N>
    void assemble_tile(const BlockSet& set, Tile& tile, const double* inverse_mass) const;
    template <class C>
    void eliminate(const BlockSet& set, const Step& step);
    template <class C>
    double share_of(const BlockSet& set, int block, const double* inverse_mass) const;
    template <class C>
    int factor_steps(const BlockSet& set, const BlockVector& least);
    template <bool Hubs, class C>
    void substitute(const BlockSet& set, BlockVector& x) const;

    int blocks_ = 0;
    bool quick_ = false;  // without hubs, and for factor() and solve() alone
    std::vector<Step> steps_;
    std::vector<Tile> tiles_;
    std::vector<Part> parts_;
    std::vector<Update> updates_;
    std::vector<Outward> outwards_;
    Panels panels_;
    std::vector<Coupling> couplings_;  // in the panels
    std::vector<Diagonal> inverse_;  // X_k, by node; of a hub its negative
    BlockVector diagonal_, pivots_;
    std::vector<Hub> hubs_;
    std::vector<Role> roles_;        // by end
    std::vector<char> untouched_;    // by block: no other one changes its pivots
    mutable BlockVector y_;          // of the hubs, while solving
};

}  // namespace vincolo
