// Bodies that are nodes of the elimination: y = M^-1/2 J^T lam of a hub, in axes in which its masses are one
#include "block_algebra.hpp"
#include "block_solver.hpp"

namespace vincolo {

void BlockSolver::weigh_hubs(const Metric& metric) {
    for (Hub& hub : hubs_) {
        hub.root_mass = std::sqrt(metric.mass[hub.body]);
        hub.root = metric.root(hub.body);
    }
}

Twist BlockSolver::hub_motion(int h) const {
    const Column& y = y_[h];
    return {hubs_[h].root_mass * Vec3(y[0], y[1], y[2]), hubs_[h].root * Vec3(y[3], y[4], y[5])};
}

// C = J M^-1/2 of a block's rows on a hub, a column for each of its six motions
void BlockSolver::couple(const End& end, const Hub& hub, Column* C) const {
    for (int c = 0; c < 3; ++c) {
        C[c] = end.lin[c];
        C[c].scale(hub.root_mass);
        Column turn = end.ang[0];
        turn.scale(hub.root(0, c));
        turn.add(end.ang[1], hub.root(1, c));
        turn.add(end.ang[2], hub.root(2, c));
        C[3 + c] = turn;
    }
}

// -1, and C of the blocks that come after it
void BlockSolver::assemble_hub(const BlockSet& set, const Step& step) {
    Column* X = inverse_[step.node].X;
    for (int r = 0; r < block_rows; ++r) X[r].clear(), X[r][r] = -1;
    for (int q = step.first_tile; q < step.first_tile + step.tiles; ++q) {
        Tile& tile = tiles_[q];
        if (tile.end >= 0) couple(set.ends[tile.end], hubs_[step.node - blocks_], tile.T);
        else
            for (Column& column : tile.T) column.clear();
    }
}

// X is minus a sum of one and squares: it has no pivots that could be small
void BlockSolver::invert_hub(int node) {
    constexpr int N = block_rows;
    Column* X = inverse_[node].X;
    Column none;
    none.clear();
    for (int r = 0; r < N; ++r) X[r].negate(X[r]);
    invert<Column, N>(X, none, pivots_[node], std::make_integer_sequence<int, N>());
    for (int r = 0; r < N; ++r) X[r].negate(X[r]);
}

}  // namespace vincolo
