// Block L D L^T of S = J M^-1 J^T: one block per joint, an elimination order found once, a flat program.
#pragma once
#include <vector>

#include "columns.hpp"
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
};

struct BlockSet {
    std::vector<Block> blocks;
    std::vector<End> ends;
};

// One column per block, in the order of the blocks
using BlockVector = std::vector<Column>;

class BlockSolver {
  public:
    BlockSolver() = default;
    // order: the blocks in the order of elimination
    BlockSolver(const BlockSet& set, std::vector<int> order);

    // S from the rows in set, already weighed, and the inverse masses; its diagonal is kept in diagonal()
    void assemble(const BlockSet& set, const double* inverse_mass);
    void add_to_block(int block, int row, int column, double x) { inverse_[block].X[column][row] += x; }
    void add_to_diagonal(int block, int row, double x) { add_to_block(block, row, row, x); }
    // Factors S. A pivot not above `least` times its diagonal carries no force: its inverse is zero. Returns how many.
    int factor(const BlockSet& set, const BlockVector& least);
    // As factor, choosing within each block the largest remaining pivot first; chosen is 1 for independent rows, else 0.
    void select(const BlockSet& set, double tolerance, BlockVector& chosen);
    // x <- S^-1 x
    void solve(const BlockSet& set, BlockVector& x) const;

    // Share of a block that its couplings have left: product of its pivots over the product it would have alone.
    // It falls to zero with the square of the distance to a singular position, whatever the masses.
    double remaining_share(const BlockSet& set, int block, const double* inverse_mass) const;

    const BlockVector& diagonal() const { return diagonal_; }
    const BlockVector& pivots() const { return pivots_; }

  private:
    struct Tile {  // between the block k of its step and a later block j
        int later;
        int first_part, parts;
        Column T[block_rows];  // S_jk: columns over the rows of k
        Column U[block_rows];  // X_k S_jk^T: columns over the rows of j
    };
    struct Part {
        int end_later, end_early, body;
    };
    struct Update {  // target -= T_a U_b
        int a, b;
        int target;  // tile, or -1 - block for its diagonal
    };
    struct Step {
        int block;
        int first_tile, tiles, first_update, updates;
        bool paired;  // the next step does not wait for this one
    };
    struct Diagonal {
        Column X[block_rows];
    };

    template <int N>
    void assemble_diagonal(const Block& block, const End* ends, const double* inverse_mass, Column* X) const;
    template <int N>
    void assemble_tile(const BlockSet& set, Tile& tile, const double* inverse_mass) const;
    void eliminate(const BlockSet& set, const Step& step);

    std::vector<Step> steps_;
    std::vector<Tile> tiles_;
    std::vector<Part> parts_;
    std::vector<Update> updates_;
    std::vector<Diagonal> inverse_;  // X_k, by block
    BlockVector diagonal_, pivots_;
};

// Minimum degree on the graph of blocks that share a body, weighted by rows; the blocks in `first` are eliminated first.
std::vector<int> elimination_order(const BlockSet& set, const std::vector<char>& first);

}  // namespace vincolo
