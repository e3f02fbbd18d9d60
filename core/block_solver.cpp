#include "block_solver.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace vincolo {

namespace {

// y += A x over the first N columns of A
template <int N>
VINCOLO_INLINE void multiply_add(Column& y, const Column* A, const Column& x) {
    for (int r = 0; r < N; ++r) y.add(A[r], x[r]);
}

template <int N>
VINCOLO_INLINE void multiply_subtract(Column& y, const Column* A, const Column& x) {
    for (int r = 0; r < N; ++r) y.subtract(A[r], x[r]);
}

// Calls f with n as a compile-time constant
template <class F>
VINCOLO_INLINE void with_rows(int n, F&& f) {
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
VINCOLO_INLINE void sweep(Column* A, int p, double d) {
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

// Sweep on pivot P with everything in registers; false if the pivot is not above its floor
template <int N, int P, int... C>
VINCOLO_INLINE bool sweep_lane(Column (&A)[N], double floor, double& pivot, std::integer_sequence<int, C...>) {
    const Column column = A[P];
    const double d = lane<P>(column);
    pivot = d;
    if (__builtin_expect(!(d > floor), 0)) return false;
    const double inverse = 1 / d;
    Column scaled = column;
    scaled.scale(inverse);
    set_lane<P>(scaled, -inverse);
    const auto one = [&](auto c) __attribute__((always_inline)) {
        constexpr int K = decltype(c)::value;
        if constexpr (K != P) {
            set_lane<P>(A[K], 0);
            A[K].subtract(scaled, lane<K>(column));
        }
    };
    (one(std::integral_constant<int, C>()), ...);
    A[P] = scaled;
    return true;
}

// X <- generalised inverse of X: rows whose pivot is not above floor are left out
template <int N, int... P>
VINCOLO_INLINE int invert(Column* X, const Column& floor, Column& pivots, std::integer_sequence<int, P...> all) {
    Column A[N] = {X[P]...};
    bool kept[N] = {};
    ((kept[P] = sweep_lane<N, P>(A, floor[P], pivots[P], all)), ...);
    const auto store = [&](int c, const Column& a) __attribute__((always_inline)) {
        X[c].negate(a);
    };
    (store(P, A[P]), ...);
    if (__builtin_expect((kept[P] && ...), 1)) return 0;
    int zeroed = 0;
    for (int p = 0; p < N; ++p) {
        if (kept[p]) continue;
        zeroed += pivots[p] == pivots[p];  // not a number is another matter
        X[p].clear();
        for (int c = 0; c < N; ++c) X[c][p] = 0;
    }
    return zeroed;
}

// target (columns) -= T U
template <int N>
VINCOLO_INLINE void update(Column* target, const Column* T, const Column* U, int columns) {
    Column t[N];
    for (int r = 0; r < N; ++r) t[r] = T[r];
    const auto one = [&](int c) __attribute__((always_inline)) {
        Column sum = target[c];
        multiply_subtract<N>(sum, t, U[c]);
        target[c] = sum;
    };
    if (columns == N)  // the usual case, unrolled
        for (int c = 0; c < N; ++c) one(c);
    else
        for (int c = 0; c < columns; ++c) one(c);
}

// U = X T^T for the later block's rows
template <int N>
VINCOLO_INLINE void reduce(Column* U, const Column* X, const Column* T, int columns) {
    Column x[N];
    for (int r = 0; r < N; ++r) x[r] = X[r];
    const auto one = [&](int c) __attribute__((always_inline)) {
        Column u = x[0];
        u.scale(T[0][c]);
        for (int r = 1; r < N; ++r) u.add(x[r], T[r][c]);
        U[c] = u;
    };
    if (columns == N)
        for (int c = 0; c < N; ++c) one(c);
    else
        for (int c = 0; c < columns; ++c) one(c);
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
    const std::vector<std::set<int>> touching = near;
    const auto touches = [&](int a, int b) { return touching[a].count(b) > 0; };
    std::set<std::pair<std::pair<int, int>, int>> queue;
    for (int k = 0; k < n; ++k) queue.insert({cost(k), k});
    std::vector<int> order;
    while (!queue.empty()) {
        auto best = queue.begin();
        // among equals one that does not touch the last: neighbours in the order can then be worked on together
        for (auto other = best; !order.empty() && other != queue.end() && other->first == best->first; ++other)
            if (!touches(other->second, order.back())) {
                best = other;
                break;
            }
        const int k = best->second;
        queue.erase(best);
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
        Step step{order[s], static_cast<int>(tiles_.size()), static_cast<int>(column[s].size()), 0, 0, false};
        const bool second = s > 0 && steps_[s - 1].paired;
        step.paired = !second && s + 1 < n && column[s].count(s + 1) == 0;
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

// S_kk = sum over its bodies of (lin / m) lin^T + weighed ang^T
template <int N>
void BlockSolver::assemble_diagonal(const Block& block, const End* ends, const double* inverse_mass, Column* X) const {
    Column S[N];
    for (int r = 0; r < N; ++r) S[r].clear();
    double mass_sum = 0;
    for (int e = 0; e < block.ends; ++e) mass_sum += inverse_mass[ends[e].body];
    if (block.gram)
        for (int r = 0; r < N; ++r) S[r].add(block.gram[r], mass_sum);
    else
        for (int e = 0; e < (block.plain ? 1 : block.ends); ++e)  // opposite forces: one square with both masses
            for (int c = 0; c < 3; ++c) {
                Column light = ends[e].lin[c];
                light.scale(block.plain ? mass_sum : inverse_mass[ends[e].body]);
                for (int r = 0; r < N; ++r) S[r].add(light, ends[e].lin[c][r]);
            }
    for (int e = 0; e < block.ends; ++e)
        for (int c = 0; c < 3; ++c) {
            const Column heavy = ends[e].weighed[c];
            for (int r = 0; r < N; ++r) S[r].add(heavy, ends[e].ang[c][r]);
        }
    for (int r = 0; r < N; ++r) X[r] = S[r];
}

// S_jk = sum over shared bodies of (lin_j / m) lin_k^T + weighed_j ang_k^T
template <int N>
void BlockSolver::assemble_tile(const BlockSet& set, Tile& tile, const double* inverse_mass) const {
    if (tile.parts == 0)
        for (int r = 0; r < N; ++r) tile.T[r].clear();
    for (int p = tile.first_part; p < tile.first_part + tile.parts; ++p) {
        const End &later = set.ends[parts_[p].end_later], &early = set.ends[parts_[p].end_early];
        const double mass = inverse_mass[parts_[p].body];
        Column light[3], heavy[3];
        for (int c = 0; c < 3; ++c) {
            heavy[c] = later.weighed[c];
            light[c] = later.lin[c];
            light[c].scale(mass);
        }
        for (int r = 0; r < N; ++r) {
            Column sum;
            if (p == tile.first_part) sum.clear();
            else sum = tile.T[r];
            for (int c = 0; c < 3; ++c) {
                sum.add(light[c], early.lin[c][r]);
                sum.add(heavy[c], early.ang[c][r]);
            }
            tile.T[r] = sum;
        }
    }
}

void BlockSolver::assemble(const BlockSet& set, const double* inverse_mass) {
    for (const Step& step : steps_) {
        const Block& block = set.blocks[step.block];
        Column* X = inverse_[step.block].X;
        with_rows(block.n, [&](auto rows) __attribute__((always_inline)) {
            constexpr int N = decltype(rows)::value;
            assemble_diagonal<N>(block, &set.ends[block.first_end], inverse_mass, X);
            for (int r = 0; r < N; ++r) diagonal_[step.block][r] = X[r][r];
            for (int q = step.first_tile; q < step.first_tile + step.tiles; ++q) assemble_tile<N>(set, tiles_[q], inverse_mass);
        });
    }
}

double BlockSolver::remaining_share(const BlockSet& set, int k, const double* inverse_mass) const {
    const Block& block = set.blocks[k];
    double share = 1;
    with_rows(block.n, [&](auto rows) {
        constexpr int N = decltype(rows)::value;
        Column S[N];
        assemble_diagonal<N>(block, &set.ends[block.first_end], inverse_mass, S);
        for (int p = 0; p < N; ++p) {  // elimination of the block alone
            const double d = S[p][p];
            for (int c = p + 1; c < N; ++c) S[c].subtract(S[p], S[c][p] / d);
            share *= pivots_[k][p] / d;
        }
    });
    return share;
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

int BlockSolver::factor(const BlockSet& set, const BlockVector& least) {
    int zeroed = 0;
    const auto pivot = [&](const Step& step) __attribute__((always_inline)) {
        const int k = step.block;
        with_rows(set.blocks[k].n, [&](auto rows) __attribute__((always_inline)) {
            constexpr int N = decltype(rows)::value;
            Column floor = least[k];
            floor.multiply(diagonal_[k]);
            zeroed += invert<N>(inverse_[k].X, floor, pivots_[k], std::make_integer_sequence<int, N>());
        });
    };
    for (std::size_t s = 0; s < steps_.size(); ++s) {
        pivot(steps_[s]);
        if (steps_[s].paired) {  // two chains of divisions at once
            pivot(steps_[s + 1]);
            eliminate(set, steps_[s]);
            ++s;
        }
        eliminate(set, steps_[s]);
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
