#include "block_solver.hpp"

#include <algorithm>

#include "block_algebra.hpp"

namespace vincolo {

BlockSolver::BlockSolver(const BlockSet& set, const Elimination& elimination, Store store)
    : blocks_(static_cast<int>(set.blocks.size())), roles_(set.ends.size(), Role::Plain), untouched_(set.blocks.size(), 0) {
    const int nodes = static_cast<int>(elimination.order.size());
    for (int body : elimination.hubs) hubs_.push_back({body, 0, Mat3::Zero()});
    lay_out(set, elimination, store);
    quick_ = store == Store::Panels && hubs_.empty();
    inverse_.resize(nodes);
    diagonal_.assign(blocks_, Column{});
    pivots_.assign(nodes, Column{});
    y_.assign(hubs_.size(), Column{});
}

// S_kk = sum over its bodies, those that count, of (lin / m) lin^T + weighed ang^T
template <class C, int N, class Counts>
VINCOLO_INLINE void BlockSolver::assemble_diagonal(const Block& block, const End* ends, const double* inverse_mass, Column* X, Counts counts) const {
    C S[N];
    for (int r = 0; r < N; ++r) S[r].clear();
    double mass_sum = 0;
    for (int e = 0; e < block.ends; ++e)
        if (counts(e)) mass_sum += inverse_mass[ends[e].body];
    if (block.gram)
        for (int r = 0; r < N; ++r) S[r].add(block.gram[r], mass_sum);
    else
        for (int e = 0; e < (block.plain ? 1 : block.ends); ++e)  // opposite forces: one square with both masses
            for (int c = 0; c < 3 && (block.plain || counts(e)); ++c) {
                C light = ends[e].lin[c];
                light.scale(block.plain ? mass_sum : inverse_mass[ends[e].body]);
                for (int r = 0; r < N; ++r) S[r].add(light, ends[e].lin[c][r]);
            }
    for (int e = 0; e < block.ends; ++e)
        for (int c = 0; c < 3 && counts(e); ++c) {
            const C heavy = ends[e].weighed[c];
            for (int r = 0; r < N; ++r) S[r].add(heavy, ends[e].ang[c][r]);
        }
    for (int r = 0; r < N; ++r) put(X[r], S[r]);
}

// S_jk = sum over shared bodies of (lin_j / m) lin_k^T + weighed_j ang_k^T
template <class C, int N>
void BlockSolver::assemble_tile(const BlockSet& set, Tile& tile, const double* inverse_mass) const {
    if (tile.parts == 0)
        for (int r = 0; r < N; ++r) tile.T[r].clear();
    for (int p = tile.first_part; p < tile.first_part + tile.parts; ++p) {
        const End &later = set.ends[parts_[p].end_later], &early = set.ends[parts_[p].end_early];
        const double mass = inverse_mass[parts_[p].body];
        C light[3], heavy[3];
        for (int c = 0; c < 3; ++c) {
            heavy[c] = later.weighed[c];
            light[c] = later.lin[c];
            light[c].scale(mass);
        }
        for (int r = 0; r < N; ++r) {
            C sum;
            if (p == tile.first_part) sum.clear();
            else sum = tile.T[r];
            for (int c = 0; c < 3; ++c) {
                sum.add(light[c], early.lin[c][r]);
                sum.add(heavy[c], early.ang[c][r]);
            }
            put(tile.T[r], sum);
        }
    }
}

void BlockSolver::assemble(const BlockSet& set, const Metric& metric) {
    weigh_hubs(metric);
    assemble(set, metric.mass.data());
}

void BlockSolver::assemble(const BlockSet& set, const double* inverse_mass) {
    if (narrow(set)) assemble_steps<Pair>(set, inverse_mass);
    else assemble_steps<Column>(set, inverse_mass);
}

template <class C>
void BlockSolver::assemble_steps(const BlockSet& set, const double* inverse_mass) {
    for (const Step& step : steps_) {
        if (is_hub(step.node)) {
            assemble_hub(set, step);
            continue;
        }
        const Block& block = set.blocks[step.node];
        Column* X = inverse_[step.node].X;
        with_rows<C>(block.n, [&](auto rows) VINCOLO_INLINED {
            constexpr int N = decltype(rows)::value;
            if (step.plain) assemble_diagonal<C, N>(block, &set.ends[block.first_end], inverse_mass, X, [](int) { return true; });
            else assemble_beside_hubs(set, step, inverse_mass);
            for (int r = 0; r < N && step.plain; ++r) diagonal_[step.node][r] = X[r][r];
            for (int q = step.first_tile; q < step.first_tile + step.tiles; ++q)
                if (tiles_[q].end < 0) assemble_tile<C, N>(set, tiles_[q], inverse_mass);
        });
    }
    if (panels_.any()) assemble_panels<C>(set, inverse_mass);
}

template <class C>
void BlockSolver::assemble_panels(const BlockSet& set, const double* inverse_mass) {
    Tile tile{};
    panels_.begin(set);
    for (const Coupling& coupling : couplings_) {
        const Block& block = set.blocks[coupling.early];
        double* to = panels_.at(coupling.place);
        const int distance = panels_.distance(coupling.place);
        tile.first_part = coupling.first_part, tile.parts = coupling.parts;
        with_rows<C>(block.n, [&](auto rows) VINCOLO_INLINED {
            constexpr int N = decltype(rows)::value;
            const bool diagonal = coupling.early == coupling.later;
            if (diagonal) assemble_diagonal<C, N>(block, &set.ends[block.first_end], inverse_mass, tile.T, [](int) { return true; });
            else assemble_tile<C, N>(set, tile, inverse_mass);
            for (int c = 0; c < N; ++c) {
                if (diagonal) diagonal_[coupling.early][c] = tile.T[c][c];
                for (int r = 0; r < set.blocks[coupling.later].n; ++r) to[c * distance + r] = tile.T[c][r];
            }
        });
    }
}

// X without the masses of hubs, the diagonal with those of hubs that are eliminated before, and the couplings with the others
void BlockSolver::assemble_beside_hubs(const BlockSet& set, const Step& step, const double* inverse_mass) {
    const Block& block = set.blocks[step.node];
    const End* ends = &set.ends[block.first_end];
    const Role* roles = &roles_[block.first_end];
    Column* X = inverse_[step.node].X;
    with_rows(block.n, [&](auto rows) {
        constexpr int N = decltype(rows)::value;
        Column whole[N];
        bool moving = false;
        for (int e = 0; e < block.ends; ++e) moving = moving || roles[e] == Role::Moving;
        assemble_diagonal<Column, N>(block, ends, inverse_mass, X, [&](int e) { return roles[e] == Role::Plain; });
        if (moving) assemble_diagonal<Column, N>(block, ends, inverse_mass, whole, [&](int e) { return roles[e] != Role::Held; });
        for (int r = 0; r < N; ++r) diagonal_[step.node][r] = moving ? whole[r][r] : X[r][r];
    });
    for (int q = step.first_tile; q < step.first_tile + step.tiles; ++q) {
        if (tiles_[q].end < 0) continue;
        Column C[block_rows];
        couple(set.ends[tiles_[q].end], hubs_[tiles_[q].later - blocks_], C);
        for (int r = 0; r < block.n; ++r)
            for (int c = 0; c < block_rows; ++c) tiles_[q].T[r][c] = C[c][r];
    }
}

double BlockSolver::remaining_share(const BlockSet& set, int k, const double* inverse_mass) const {
    if (untouched_[k]) return 1;
    return narrow(set) ? share_of<Pair>(set, k, inverse_mass) : share_of<Column>(set, k, inverse_mass);
}

template <class C>
double BlockSolver::share_of(const BlockSet& set, int k, const double* inverse_mass) const {
    const Block& block = set.blocks[k];
    const Role* roles = &roles_[block.first_end];
    double share = 1;
    with_rows<C>(block.n, [&](auto rows) {
        constexpr int N = decltype(rows)::value;
        Column S[N]{};  // pairs leave the rest of it alone
        assemble_diagonal<C, N>(block, &set.ends[block.first_end], inverse_mass, S, [&](int e) { return roles[e] != Role::Held; });
        for (int p = 0; p < N; ++p) {  // elimination of the block alone
            const double inverse = 1 / S[p][p];
            share *= pivots_[k][p] * inverse;
            for (int c = p + 1; c < N; ++c) S[c].subtract(S[p], S[c][p] * inverse);
        }
    });
    return share;
}

template <class C>
VINCOLO_INLINE void BlockSolver::eliminate(const BlockSet& set, const Step& step) {
    with_rows<C>(rows(set, step.node), [&](auto count) VINCOLO_INLINED {
        constexpr int N = decltype(count)::value;
        const Column* X = inverse_[step.node].X;
        for (int q = step.first_tile; q < step.first_tile + step.tiles; ++q)
            reduce<C, N>(tiles_[q].U, X, tiles_[q].T, rows(set, tiles_[q].later));
        for (int q = step.first_update; q < step.first_update + step.updates; ++q) {
            const Update& u = updates_[q];
            Column* target = u.target < 0 ? inverse_[-1 - u.target].X : tiles_[u.target].T;
            update<C, N>(target, tiles_[u.a].T, tiles_[u.b].U, rows(set, tiles_[u.b].later));
        }
        for (int q = step.first_outward; q < step.first_outward + step.outwards; ++q) {
            const Outward& u = outwards_[q];
            update_at<C, N>(panels_.at(u.place), panels_.distance(u.place), tiles_[u.a].T, tiles_[u.b].U, rows(set, tiles_[u.b].later));
        }
    });
}

int BlockSolver::factor(const BlockSet& set, const BlockVector& least) {
    const int zeroed = narrow(set) ? factor_steps<Pair>(set, least) : factor_steps<Column>(set, least);
    return panels_.any() ? zeroed + panels_.factor(least, diagonal_, pivots_) : zeroed;
}

template <class C>
int BlockSolver::factor_steps(const BlockSet& set, const BlockVector& least) {
    int zeroed = 0;
    const auto pivot = [&](const Step& step) VINCOLO_INLINED {
        const int k = step.node;
        if (is_hub(k)) return invert_hub(k);
        with_rows<C>(set.blocks[k].n, [&](auto rows) VINCOLO_INLINED {
            constexpr int N = decltype(rows)::value;
            Column floor = least[k];
            floor.multiply(diagonal_[k]);
            zeroed += invert<C, N>(inverse_[k].X, floor, pivots_[k], std::make_integer_sequence<int, N>());
        });
    };
    for (std::size_t s = 0; s < steps_.size(); ++s) {
        pivot(steps_[s]);
        if (steps_[s].paired) {  // two chains of divisions at once
            pivot(steps_[s + 1]);
            eliminate<C>(set, steps_[s]);
            ++s;
        }
        eliminate<C>(set, steps_[s]);
    }
    return zeroed;
}

double BlockSolver::select(const BlockSet& set, double tolerance, BlockVector& chosen) {
    double least = 1;
    for (const Step& step : steps_) {
        if (is_hub(step.node)) {
            invert_hub(step.node);
            eliminate<Column>(set, step);
            continue;
        }
        const Block& block = set.blocks[step.node];
        Column* X = inverse_[step.node].X;
        bool done[block_rows] = {};
        for (int left = block.n; left > 0; --left) {
            int best = -1;
            double largest = tolerance;
            for (int r = 0; r < block.n; ++r) {
                const double ratio = done[r] ? 0 : X[r][r] / diagonal_[step.node][r];
                if (ratio > largest) best = r, largest = ratio;
            }
            if (best < 0) break;
            done[best] = true;
            least = std::min(least, largest);
            with_rows(block.n, [&](auto rows) { sweep<decltype(rows)::value>(X, best, X[best][best]); });
        }
        for (int r = 0; r < block.n; ++r) {
            chosen[step.node][r] = done[r];
            for (int c = 0; c < block.n; ++c) X[c][r] = done[r] && done[c] ? -X[c][r] : 0;
        }
        eliminate<Column>(set, step);
    }
    return least;
}

template <bool Hubs, class C>
void BlockSolver::substitute(const BlockSet& set, BlockVector& x) const {
    const auto of = [&](int node) VINCOLO_INLINED -> Column& { return Hubs && is_hub(node) ? y_[node - blocks_] : x[node]; };
    const auto rows_of = [&](int node) VINCOLO_INLINED { return Hubs ? rows(set, node) : set.blocks[node].n; };
    for (Column& y : y_) y.clear();
    for (const Step& step : steps_) {
        if (rows_of(step.node) == 0) of(step.node).clear();
        with_rows<C>(rows_of(step.node), [&](auto count) VINCOLO_INLINED {
            constexpr int N = decltype(count)::value;
            C y;
            y.clear();
            multiply_add<N>(y, inverse_[step.node].X, of(step.node));
            put(of(step.node), y);
            for (int q = step.first_tile; q < step.first_tile + step.tiles; ++q) {
                C later = of(tiles_[q].later);
                multiply_subtract<N>(later, tiles_[q].T, y);
                put(of(tiles_[q].later), later);
            }
        });
    }
    if (!Hubs && panels_.any()) {
        panels_.substitute_forward(x);
        panels_.substitute_backward(x);
    }
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
        if (rows_of(step->node) == 0) continue;
        C y = of(step->node);
        for (int q = step->first_tile; q < step->first_tile + step->tiles; ++q) {
            const Tile& tile = tiles_[q];
            const C later = of(tile.later);
            const int n = rows_of(tile.later);
            for (int c = 0; c < n; ++c) y.subtract(tile.U[c], later[c]);
        }
        put(of(step->node), y);
    }
}

void BlockSolver::solve(const BlockSet& set, BlockVector& x) const {
    if (narrow(set)) substitute<false, Pair>(set, x);
    else if (hubs_.empty()) substitute<false, Column>(set, x);
    else substitute<true, Column>(set, x);
}

}  // namespace vincolo
