#include "block_solver.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace vincolo {

namespace {

// y += A x over the first N columns of A
template <int N>
inline __attribute__((always_inline)) void multiply_add(Column& y, const Column* A, const Column& x) {
    for (int r = 0; r < N; ++r) y.add(A[r], x[r]);
}

template <int N>
inline __attribute__((always_inline)) void multiply_subtract(Column& y, const Column* A, const Column& x) {
    for (int r = 0; r < N; ++r) y.subtract(A[r], x[r]);
}

// Calls f with n as a compile-time constant
template <class F>
inline __attribute__((always_inline)) void with_rows(int n, F&& f) {
    switch (n) {
        case 1: f(std::integral_constant<int, 1>()); break;
        case 2: f(std::integral_constant<int, 2>()); break;
        case 3: f(std::integral_constant<int, 3>()); break;
        case 4: f(std::integral_constant<int, 4>()); break;
        case 5: f(std::integral_constant<int, 5>()); break;
        case 6: f(std::integral_constant<int, 6>()); break;
        default: break;
    }
}

// One sweep of the symmetric matrix A (N columns) on pivot p with value d; after all sweeps A = -inverse
template <int N>
inline __attribute__((always_inline)) void sweep(Column* A, int p, double d) {
    const double inverse = 1 / d;
    const Column pivot = A[p];
    Column scaled = pivot;
    scaled.scale(inverse);
    scaled[p] = -inverse;
    for (int c = 0; c < N; ++c) {
        if (c == p) continue;
        A[c][p] = 0;
        A[c].subtract(scaled, pivot[c]);
    }
    A[p] = scaled;
}

// X <- generalised inverse of X: rows whose pivot is not above floor are left out
template <int N>
inline __attribute__((always_inline)) int invert(Column* X, const Column& floor, Column& pivots) {
    Column A[N];
    bool out[N];
    int zeroed = 0;
    for (int c = 0; c < N; ++c) A[c] = X[c];
#pragma GCC unroll 6
    for (int p = 0; p < N; ++p) {
        const double d = A[p][p];
        pivots[p] = d;
        out[p] = !(d > floor[p]);
        if (__builtin_expect(out[p], 0)) ++zeroed;
        else sweep<N>(A, p, d);
    }
    for (int c = 0; c < N; ++c) {
        X[c].clear();
        X[c].subtract(A[c], 1);
    }
    if (__builtin_expect(zeroed > 0, 0))
        for (int p = 0; p < N; ++p)
            if (out[p]) {
                X[p].clear();
                for (int c = 0; c < N; ++c) X[c][p] = 0;
            }
    return zeroed;
}

// target (columns) -= T U
template <int N>
inline __attribute__((always_inline)) void update(Column* target, const Column* T, const Column* U, int columns) {
    Column t[N];
    for (int r = 0; r < N; ++r) t[r] = T[r];
    for (int c = 0; c < columns; ++c) multiply_subtract<N>(target[c], t, U[c]);
}

// U = X T^T for the later block's rows
template <int N>
inline __attribute__((always_inline)) void reduce(Column* U, const Column* X, const Column* T, int columns) {
    Column x[N];
    for (int r = 0; r < N; ++r) x[r] = X[r];
    for (int c = 0; c < columns; ++c) {
        Column u;
        u.clear();
        for (int r = 0; r < N; ++r) u.add(x[r], T[r][c]);
        U[c] = u;
    }
}

}  // namespace

std::vector<int> elimination_order(const BlockSet& set, const std::vector<char>& first) {
    const int n = static_cast<int>(set.blocks.size());
    std::map<int, std::vector<int>> on_body;
    for (int k = 0; k < n; ++k)
        for (int e = 0; e < set.blocks[k].ends; ++e) on_body[set.ends[set.blocks[k].first_end + e].body].push_back(k);
    std::vector<std::set<int>> near(n);
    for (const auto& item : on_body)
        for (int a : item.second)
            for (int b : item.second)
                if (a != b) near[a].insert(b);

    const auto cost = [&](int k) {
        int rows = 0;
        for (int j : near[k]) rows += set.blocks[j].all;
        return std::make_pair(first[k] ? 0 : 1, rows);
    };
    std::set<std::pair<std::pair<int, int>, int>> queue;
    for (int k = 0; k < n; ++k) queue.insert({cost(k), k});
    std::vector<int> order;
    while (!queue.empty()) {
        const int k = queue.begin()->second;
        queue.erase(queue.begin());
        order.push_back(k);
        for (int a : near[k]) queue.erase({cost(a), a});
        for (int a : near[k]) {
            near[a].erase(k);
            for (int b : near[k])
                if (a != b) near[a].insert(b);
        }
        for (int a : near[k]) queue.insert({cost(a), a});
    }
    return order;
}

BlockSolver::BlockSolver(const BlockSet& set, std::vector<int> order) {
    const int n = static_cast<int>(set.blocks.size());
    std::vector<int> place(n);
    for (int s = 0; s < n; ++s) place[order[s]] = s;
    std::map<int, std::vector<int>> ends_on_body;
    std::vector<int> owner(set.ends.size());
    for (int k = 0; k < n; ++k)
        for (int e = 0; e < set.blocks[k].ends; ++e) {
            owner[set.blocks[k].first_end + e] = k;
            ends_on_body[set.ends[set.blocks[k].first_end + e].body].push_back(set.blocks[k].first_end + e);
        }
    // structure with fill, block columns in order of elimination
    std::vector<std::map<int, std::vector<Part>>> column(n);  // by step: later step -> parts
    for (const auto& item : ends_on_body)
        for (int x : item.second)
            for (int y : item.second)
                if (place[owner[x]] < place[owner[y]]) column[place[owner[x]]][place[owner[y]]].push_back({y, x, item.first});
    for (int s = 0; s < n; ++s)
        for (auto a = column[s].begin(); a != column[s].end(); ++a)
            for (auto b = std::next(a); b != column[s].end(); ++b) column[a->first][b->first];

    std::map<std::pair<int, int>, int> tile_of;
    for (int s = 0; s < n; ++s) {
        Step step{order[s], static_cast<int>(tiles_.size()), static_cast<int>(column[s].size()), 0, 0};
        for (const auto& item : column[s]) {
            tile_of[{s, item.first}] = static_cast<int>(tiles_.size());
            Tile tile{};
            tile.later = order[item.first];
            tile.first_part = static_cast<int>(parts_.size());
            tile.parts = static_cast<int>(item.second.size());
            parts_.insert(parts_.end(), item.second.begin(), item.second.end());
            tiles_.push_back(tile);
        }
        steps_.push_back(step);
    }
    for (int s = 0; s < n; ++s) {
        steps_[s].first_update = static_cast<int>(updates_.size());
        for (auto i = column[s].begin(); i != column[s].end(); ++i)
            for (auto j = i; j != column[s].end(); ++j) {
                const int target = i == j ? -1 - order[i->first] : tile_of.at({i->first, j->first});
                updates_.push_back({tile_of.at({s, j->first}), tile_of.at({s, i->first}), target});
            }
        steps_[s].updates = static_cast<int>(updates_.size()) - steps_[s].first_update;
    }
    inverse_.resize(n);
    diagonal_.assign(n, Column{});
    pivots_.assign(n, Column{});
}

void BlockSolver::assemble_diagonal(const Block& block, const End* ends, const double* inverse_mass, Column* X) const {
    double mass_sum = 0;
    for (int e = 0; e < block.ends; ++e) mass_sum += inverse_mass[ends[e].body];
    for (int r = 0; r < block.n; ++r) {
        Column sum;
        sum.clear();
        if (block.plain)
            for (int c = 0; c < 3; ++c) sum.add(ends[0].lin[c], mass_sum * ends[0].lin[c][r]);
        else
            for (int e = 0; e < block.ends; ++e)
                for (int c = 0; c < 3; ++c) sum.add(ends[e].lin[c], inverse_mass[ends[e].body] * ends[e].lin[c][r]);
        for (int e = 0; e < block.ends; ++e)
            for (int c = 0; c < 3; ++c) sum.add(ends[e].weighed[c], ends[e].ang[c][r]);
        X[r] = sum;
    }
}

void BlockSolver::assemble(BlockSet& set, const double* inverse_mass, const Mat3* inverse_inertia) {
    for (End& end : set.ends) {
        const Mat3& K = inverse_inertia[end.body];
        for (int c = 0; c < 3; ++c) {
            Column sum;
            sum.clear();
            for (int k = 0; k < 3; ++k) sum.add(end.ang[k], K(k, c));
            end.weighed[c] = sum;
        }
    }
    for (std::size_t k = 0; k < set.blocks.size(); ++k) {
        const Block& block = set.blocks[k];
        assemble_diagonal(block, &set.ends[block.first_end], inverse_mass, inverse_[k].X);
        for (int r = 0; r < block.n; ++r) diagonal_[k][r] = inverse_[k].X[r][r];
    }
    for (const Step& step : steps_) {
        const int n = set.blocks[step.block].n;
        for (int q = step.first_tile; q < step.first_tile + step.tiles; ++q) {
            Tile& tile = tiles_[q];
            for (int r = 0; r < n; ++r) tile.T[r].clear();
            for (int p = tile.first_part; p < tile.first_part + tile.parts; ++p) {
                const End &later = set.ends[parts_[p].end_later], &early = set.ends[parts_[p].end_early];
                const double mass = inverse_mass[parts_[p].body];
                for (int r = 0; r < n; ++r)
                    for (int c = 0; c < 3; ++c) {
                        tile.T[r].add(later.lin[c], mass * early.lin[c][r]);
                        tile.T[r].add(later.weighed[c], early.ang[c][r]);
                    }
            }
        }
    }
}

void BlockSolver::add_ridge(const BlockSet& set, double ridge) {
    for (std::size_t k = 0; k < set.blocks.size(); ++k)
        for (int r = 0; r < set.blocks[k].n; ++r) inverse_[k].X[r][r] += ridge;
}

void BlockSolver::eliminate(const BlockSet& set, const Step& step) {
    with_rows(set.blocks[step.block].n, [&](auto rows) __attribute__((always_inline)) {
        constexpr int N = decltype(rows)::value;
        const Column* X = inverse_[step.block].X;
        for (int q = step.first_tile; q < step.first_tile + step.tiles; ++q)
            reduce<N>(tiles_[q].U, X, tiles_[q].T, set.blocks[tiles_[q].later].n);
        for (int q = step.first_update; q < step.first_update + step.updates; ++q) {
            const Update& u = updates_[q];
            Column* target = u.target < 0 ? inverse_[-1 - u.target].X : tiles_[u.target].T;
            update<N>(target, tiles_[u.a].T, tiles_[u.b].U, set.blocks[tiles_[u.b].later].n);
        }
    });
}

int BlockSolver::factor(const BlockSet& set, const BlockVector& floor) {
    int zeroed = 0;
    for (const Step& step : steps_) {
        const int k = step.block;
        with_rows(set.blocks[k].n, [&](auto rows) __attribute__((always_inline)) {
            zeroed += invert<decltype(rows)::value>(inverse_[k].X, floor[k], pivots_[k]);
        });
        eliminate(set, step);
    }
    return zeroed;
}

void BlockSolver::select(const BlockSet& set, double tolerance, BlockVector& chosen) {
    for (const Step& step : steps_) {
        const Block& block = set.blocks[step.block];
        Column* X = inverse_[step.block].X;
        bool done[block_rows] = {};
        for (int left = block.n; left > 0; --left) {
            int best = -1;
            double largest = tolerance;
            for (int r = 0; r < block.n; ++r) {
                const double ratio = done[r] ? 0 : X[r][r] / diagonal_[step.block][r];
                if (ratio > largest) best = r, largest = ratio;
            }
            if (best < 0) break;
            done[best] = true;
            with_rows(block.n, [&](auto rows) { sweep<decltype(rows)::value>(X, best, X[best][best]); });
        }
        for (int r = 0; r < block.n; ++r) {
            chosen[step.block][r] = done[r];
            for (int c = 0; c < block.n; ++c) X[c][r] = done[r] && done[c] ? -X[c][r] : 0;
        }
        eliminate(set, step);
    }
}

void BlockSolver::solve(const BlockSet& set, BlockVector& x) const {
    for (const Step& step : steps_) {
        if (set.blocks[step.block].n == 0) x[step.block].clear();
        with_rows(set.blocks[step.block].n, [&](auto rows) __attribute__((always_inline)) {
            constexpr int N = decltype(rows)::value;
            Column y;
            y.clear();
            multiply_add<N>(y, inverse_[step.block].X, x[step.block]);
            x[step.block] = y;
            for (int q = step.first_tile; q < step.first_tile + step.tiles; ++q)
                multiply_subtract<N>(x[tiles_[q].later], tiles_[q].T, y);
        });
    }
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
        if (set.blocks[step->block].n == 0) continue;
        Column y = x[step->block];
        for (int q = step->first_tile; q < step->first_tile + step->tiles; ++q) {
            const Tile& tile = tiles_[q];
            const Column later = x[tile.later];
            const int n = set.blocks[tile.later].n;
            for (int c = 0; c < n; ++c) y.subtract(tile.U[c], later[c]);
        }
        x[step->block] = y;
    }
}

}  // namespace vincolo
