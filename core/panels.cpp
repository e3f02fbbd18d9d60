#include "panels.hpp"

#include <algorithm>
#include <type_traits>

#include "block_solver.hpp"

namespace vincolo {

namespace {

using Steps = std::vector<int>;

constexpr std::size_t dense_from = 8;  // couplings of a step from which on it and what follows is worth a panel
constexpr int least_steps = 24;        // in panels
constexpr double most_zeros = 0.25;    // share of places in a panel that may be empty

VINCOLO_INLINE int in_fours(int n) { return (n + 3) / 4 * 4; }

// x . y; both go on for up to three numbers that are zero in one of them
VINCOLO_INLINE double dot(const double* x, const double* y, int n) {
    V4 sum{};
    for (int i = 0; i < n; i += 4) sum = plus_product(sum, four(x + i), four(y + i));
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// y -= c x, up to three numbers further
VINCOLO_INLINE void subtract(double* y, const double* x, double c, int n) {
    for (int i = 0; i < n; i += 4) *reinterpret_cast<V4*>(y + i) = minus_product(four(y + i), four(x + i), c);
}

// Steps that belong into panels: with many couplings, or after such a one
std::vector<char> dense(const std::vector<Steps>& later) {
    std::vector<char> out(later.size(), 0);
    for (std::size_t s = 0; s < later.size(); ++s) {
        out[s] = out[s] || later[s].size() >= dense_from;
        if (out[s] && !later[s].empty()) out[later[s][0]] = 1;
    }
    return out;
}

// Of members with so many rows, those from one on that take their turn with it: four rows at most, unless it has more alone
int end_of_turn(const std::vector<int>& rows, int member, int last) {
    int sum = rows[member], next = member + 1;
    while (next < last && sum + rows[next] <= 4) sum += rows[next++];
    return next;
}

// Steps eliminated together, in their order
struct Group {
    Steps steps;
    double behind = 0, zeros = 0;  // steps coupled with all of them; empty places

    double places() const { return steps.size() * (0.5 * (steps.size() + 1) + behind); }
    // Takes in a group that is eliminated before it, if few places are empty then
    bool take(Group& child) {
        Group both;
        both.behind = behind;
        both.zeros = zeros + child.zeros + child.steps.size() * (steps.size() + behind - child.behind);
        both.steps = child.steps;
        both.steps.insert(both.steps.end(), steps.begin(), steps.end());
        if (both.zeros > most_zeros * both.places()) return false;
        *this = both;
        child.steps.clear();
        return true;
    }
};

}  // namespace

Panelled panelled(const std::vector<int>& order, const std::vector<Steps>& later) {
    const std::vector<char> inside = dense(later);
    Panelled out{{}, {}, 0};
    std::vector<Group> groups(order.size());  // by their last step
    std::vector<Steps> children(order.size());
    for (std::size_t s = 0; s < order.size(); ++s) {
        if (!inside[s]) {
            out.order.push_back(order[s]);
            continue;
        }
        groups[s].steps = {static_cast<int>(s)};
        groups[s].behind = static_cast<double>(later[s].size());
        for (auto child = children[s].rbegin(); child != children[s].rend(); ++child) groups[s].take(groups[*child]);
        if (!later[s].empty()) children[later[s][0]].push_back(static_cast<int>(s));
    }
    out.before = static_cast<int>(out.order.size());
    if (static_cast<int>(order.size()) - out.before < least_steps) return {order, {}, static_cast<int>(order.size())};
    for (const Group& group : groups) {
        if (group.steps.empty()) continue;
        out.first.push_back(static_cast<int>(out.order.size()));
        for (int s : group.steps) out.order.push_back(order[s]);
    }
    out.first.push_back(static_cast<int>(out.order.size()));
    return out;
}

Panels::Panels(const BlockSet& set, const Panelled& steps, const std::vector<Steps>& later) : before_(steps.before) {
    for (std::size_t p = 0; p + 1 < steps.first.size(); ++p) {
        const int first = steps.first[p], end = steps.first[p + 1];
        const Steps& behind = later[end - 1];
        Panel panel{};
        panel.first_member = static_cast<int>(members_.size());
        panel.first_step = first;
        panel.own = end - first;
        panel.members = panel.own + static_cast<int>(behind.size());
        for (int s = first; s < end; ++s) members_.push_back({s, steps.order[s], 0, 0, 0}), panel_of_.push_back(static_cast<int>(p));
        for (int s : behind) members_.push_back({s, steps.order[s], 0, 0, 0});
        panels_.push_back(panel);
    }
    for (const Panel& panel : panels_)
        for (int m = panel.own; m < panel.members; ++m) {  // what it takes from the columns of this member, rows from there on
            Member& column = members_[panel.first_member + m];
            const Panel& target = panels_[panel_of_[column.step - before_]];
            column.first_run = static_cast<int>(runs_.size());
            for (int r = m, last = -2; r < panel.members; ++r) {
                const int step = members_[panel.first_member + r].step, at = member_of(target, step);
                if (at == last + 1) runs_.back().end = r + 1;
                else runs_.push_back({r, r + 1, place_of(column.step, step)});
                last = at;
            }
            column.runs = static_cast<int>(runs_.size()) - column.first_run;
        }
    rows_.assign(members_.size(), -1);
    std::size_t size = 0, tallest = 0, columns = 0;
    for (const Panel& panel : panels_) {
        std::size_t own = 0, all = 0;
        for (int m = 0; m < panel.members; ++m) {
            const std::size_t rows = set.blocks[members_[panel.first_member + m].block].all;
            all += rows;
            if (m < panel.own) own += rows;
        }
        size += own * (all + 4), columns += own;
        tallest = std::max(tallest, all + 8);
    }
    data_.assign(size + 8, 0);  // columns of a tile are written six rows at once
    inverse_.assign(columns, 0);
    sums_.assign(8 * tallest, 0);
    x_.assign(tallest, 0);
}

int Panels::member_of(const Panel& panel, int step) const {
    const auto first = members_.begin() + panel.first_member;
    return static_cast<int>(std::lower_bound(first, first + panel.members, step, [](const Member& m, int s) { return m.step < s; }) - first);
}

int Panels::place_of(int step, int later) {
    const int p = panel_of_[step - before_];
    places_.push_back({p, member_of(panels_[p], later), step - panels_[p].first_step, 0});
    return static_cast<int>(places_.size()) - 1;
}

bool Panels::fits(const BlockSet& set) const {
    for (std::size_t m = 0; m < members_.size(); ++m)
        if (rows_[m] != set.blocks[members_[m].block].n) return false;
    return true;
}

void Panels::arrange(const BlockSet& set) {
    std::size_t at = 0;
    int first_row = 0;
    for (Panel& panel : panels_) {
        int row = 0;
        for (int m = panel.first_member; m < panel.first_member + panel.members; ++m) {
            if (m == panel.first_member + panel.own) panel.columns = row;
            members_[m].row = row;
            row += rows_[m] = set.blocks[members_[m].block].n;
        }
        if (panel.own == panel.members) panel.columns = row;
        panel.rows = row;
        panel.height = in_fours(row);
        panel.at = at;
        panel.first_row = first_row;
        at += static_cast<std::size_t>(panel.columns) * panel.height;
        first_row += panel.columns;
    }
    for (Place& place : places_) {
        const Panel& panel = panels_[place.panel];
        const Member* members = &members_[panel.first_member];
        place.at = panel.at + static_cast<std::size_t>(members[place.column].row) * panel.height + members[place.row].row;
    }
}

double Panels::work() const {
    double sum = 0;
    for (const Panel& panel : panels_)
        for (double behind = panel.rows - 1; behind >= panel.rows - panel.columns; --behind) sum += behind * (behind + 5);
    return sum;
}

void Panels::begin(const BlockSet& set) {
    if (!fits(set)) arrange(set);
    std::fill(data_.begin(), data_.begin() + panels_.back().at + static_cast<std::size_t>(panels_.back().columns) * panels_.back().height, 0.0);
}

// Sums of K columns of U D^-1 U^T from a row on, over the first `count` columns of the panel; the columns are those of rows c and next
template <int K>
VINCOLO_INLINE void Panels::add_up(const Panel& panel, int count, int from, int c) {
    const double *P = data_.data() + panel.at, *inverse = &inverse_[panel.first_row];
    const int height = panel.height;
    double *sums = sums_.data(), *weights = sums + sums_.size() / 2;
    for (int k = 0; k < count; ++k)
        for (int j = 0; j < K; ++j) weights[K * k + j] = P[k * height + c + j] * inverse[k];
    const auto rows = [&](auto fours, int i) VINCOLO_INLINED {
        constexpr int V = decltype(fours)::value;
        V4 sum[K][V] = {};
        for (int k = 0; k < count; ++k)
            for (int v = 0; v < V; ++v) {
                const V4 u = four(P + k * height + i + 4 * v);
                for (int j = 0; j < K; ++j) sum[j][v] = plus_product(sum[j][v], u, weights[K * k + j]);
            }
        for (int j = 0; j < K; ++j)
            for (int v = 0; v < V; ++v) *reinterpret_cast<V4*>(sums + j * height + i + 4 * v) = sum[j][v];
    };
    constexpr int most = K == 4 ? 2 : 4;
    int i = from / 4 * 4;
    for (; i + 4 * most <= height; i += 4 * most) rows(std::integral_constant<int, most>(), i);
    for (; i < height; i += 4) rows(std::integral_constant<int, 1>(), i);
}

// Calls f with the first column and their number, as a constant, until all columns of a member have had their turn
template <class F>
VINCOLO_INLINE void in_turns(int columns, F&& f) {
    int c = 0;
    for (; c + 4 <= columns; c += 4) f(c, std::integral_constant<int, 4>());
    for (; c + 2 <= columns; c += 2) f(c, std::integral_constant<int, 2>());
    if (c < columns) f(c, std::integral_constant<int, 1>());
}

int Panels::pivot(const Panel& panel, const BlockVector& least, const BlockVector& diagonal, BlockVector& pivots) {
    double* P = data_.data() + panel.at;
    int zeroed = 0;
    for (int m = panel.first_member, next; m < panel.first_member + panel.own; m = next) {
        next = end_of_turn(rows_, m, panel.first_member + panel.own);
        const int first = members_[m].row, end = members_[next - 1].row + rows_[next - 1];
        if (first > 0)
            in_turns(end - first, [&](int c, auto count) {  // what the members before take
                constexpr int K = decltype(count)::value;
                add_up<K>(panel, first, first, first + c);
                for (int j = 0; j < K; ++j)
                    for (int i = first / 4 * 4; i < panel.height; i += 4)
                        *reinterpret_cast<V4*>(P + (first + c + j) * panel.height + i) -= four(sums_.data() + j * panel.height + i);
            });
        for (int k = first, member = m; k < end; ++k) {
            while (k >= members_[member].row + rows_[member]) ++member;
            const double* column = P + k * panel.height;
            const int block = members_[member].block, r = k - members_[member].row;
            const double d = pivots[block][r] = column[k];
            const bool kept = d > least[block][r] * diagonal[block][r];
            const double inverse = inverse_[panel.first_row + k] = kept ? 1 / d : 0;
            zeroed += !kept && d == d;  // not a number is another matter
            for (int q = k + 1; q < end; ++q) {
                const int from = q / 4 * 4;
                subtract(P + q * panel.height + from, column + from, column[q] * inverse, panel.height - from);
            }
        }
    }
    return zeroed;
}

// What the columns of the members behind lose to the panel
void Panels::pass_on(const Panel& panel) {
    const int last = panel.first_member + panel.members;
    const Member* members = &members_[panel.first_member];
    const auto subtract_sum = [&](const Member& member, int column, const double* sum) VINCOLO_INLINED {
        for (int n = member.first_run; n < member.first_run + member.runs; ++n) {
            const Run& run = runs_[n];
            const int first = members[run.first].row, end = run.end < panel.members ? members[run.end].row : panel.rows;
            double* target = at(run.place) + (column - member.row) * distance(run.place) - first;
            for (int i = first; i < end; ++i) target[i] -= sum[i];
        }
    };
    for (int m = panel.first_member + panel.own, next; m < last; m = next) {
        next = end_of_turn(rows_, m, last);
        const int from = members_[m].row;
        in_turns(members_[next - 1].row + rows_[next - 1] - from, [&](int c, auto count) {
            constexpr int K = decltype(count)::value;
            add_up<K>(panel, panel.columns, from, from + c);
            for (int j = 0, member = m; j < K; ++j) {
                while (from + c + j >= members_[member].row + rows_[member]) ++member;
                subtract_sum(members_[member], from + c + j, sums_.data() + j * panel.height);
            }
        });
    }
}


int Panels::factor(const BlockVector& least, const BlockVector& diagonal, BlockVector& pivots) {
    int zeroed = 0;
    for (const Panel& panel : panels_) {
        zeroed += pivot(panel, least, diagonal, pivots);
        pass_on(panel);
    }
    return zeroed;
}

void Panels::substitute_forward(BlockVector& x) const {
    for (const Panel& panel : panels_) {
        const Member* members = &members_[panel.first_member];
        const int* rows = &rows_[panel.first_member];
        for (int m = 0; m < panel.own; ++m)
            for (int r = 0; r < rows[m]; ++r) x_[members[m].row + r] = x[members[m].block][r];
        std::fill(x_.begin() + panel.columns, x_.begin() + panel.height, 0.0);
        for (int k = 0; k < panel.columns; ++k) {
            const double* column = data_.data() + panel.at + static_cast<std::size_t>(k) * panel.height;
            const double z = x_[k] * inverse_[panel.first_row + k];
            const int from = k / 4 * 4;
            const double before[4] = {x_[from], x_[from + 1], x_[from + 2], x_[from + 3]};
            subtract(x_.data() + from, column + from, z, panel.rows - from);
            for (int i = from; i < k; ++i) x_[i] = before[i - from];  // those before are done
            x_[k] = z;
        }
        for (int m = 0; m < panel.members; ++m)
            for (int r = 0; r < rows[m]; ++r) {
                double& own = x[members[m].block][r];
                own = m < panel.own ? x_[members[m].row + r] : own + x_[members[m].row + r];
            }
        for (int m = 0; m < panel.own; ++m)
            for (int r = rows[m]; r < block_rows; ++r) x[members[m].block][r] = 0;
    }
}

void Panels::substitute_backward(BlockVector& x) const {
    for (auto panel = panels_.rbegin(); panel != panels_.rend(); ++panel) {
        const Member* members = &members_[panel->first_member];
        const int* rows = &rows_[panel->first_member];
        for (int m = 0; m < panel->members; ++m)
            for (int r = 0; r < rows[m]; ++r) x_[members[m].row + r] = x[members[m].block][r];
        std::fill(x_.begin() + panel->rows, x_.begin() + panel->height, 0.0);
        for (int k = panel->columns - 1; k >= 0; --k) {
            const double* column = data_.data() + panel->at + static_cast<std::size_t>(k) * panel->height;
            const double z = x_[k];
            double sum = 0;
            int i = k + 1;
            for (; i < panel->rows && i % 4 != 0; ++i) sum += column[i] * x_[i];
            if (i < panel->rows) sum += dot(column + i, x_.data() + i, panel->rows - i);
            x_[k] = z - inverse_[panel->first_row + k] * sum;
        }
        for (int m = 0; m < panel->own; ++m)
            for (int r = 0; r < rows[m]; ++r) x[members[m].block][r] = x_[members[m].row + r];
    }
}

}  // namespace vincolo
