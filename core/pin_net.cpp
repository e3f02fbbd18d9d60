#include "pin_net.hpp"

#include <algorithm>
#include <map>

namespace vincolo {

namespace {

constexpr double skew = 1e-9;  // rows are of unit length, points are one point, up to this

// A body on a joint
struct Seat {
    int block;
    Flat2 arm;  // from the centre of mass
};

struct Found {
    const System& system;
    const BlockSet& set;
    const std::vector<char>& taken;  // rows in use
    const Metric& metric;
    PinNet& net;
    std::map<int, int> bar_of;             // by body
    std::vector<std::vector<Seat>> seats;  // by bar
    std::vector<std::vector<int>> ends;    // by block: one or two
};

Flat2 row_of(const PinNet& net, const End& end, int r) { return net.flat(Vec3(end.lin[0][r], end.lin[1][r], end.lin[2][r])); }

// Body whose axes the rows of a block turn with; -1 if it is no hinge
int leader_of(const Found& f, const Block& block) {
    int r = block.first;
    while (!f.taken[r]) ++r;
    const Measure& m = f.system.measures[f.system.terms[f.system.quantities[f.system.rows[r].quantity].first].measure];
    const End& end = f.set.ends[block.first_end];
    const Flat2 e = row_of(f.net, end, 0), h = row_of(f.net, end, 1);
    const bool square = std::abs(e.dot(e) - 1) < skew && std::abs(h.dot(h) - 1) < skew && std::abs(e.dot(h)) < skew;
    return block.n == 2 && block.gram && square ? f.system.frames[m.a].body : -1;
}

// The arm s with n . (s x e) = n . ang for both rows
Flat2 arm_of(const Found& f, const End& end, const Vec3& normal) {
    Flat2 left;
    for (int r = 0; r < 2; ++r) left = left + row_of(f.net, end, r) * normal.dot(Vec3(end.ang[0][r], end.ang[1][r], end.ang[2][r]));
    return {left.y, -left.x};
}

bool find_seats(Found& f, const Vec3& normal) {
    for (std::size_t k = 0; k < f.set.blocks.size(); ++k) {
        const Block& block = f.set.blocks[k];
        if (block.n == 0) continue;
        if (leader_of(f, block) < 0) return false;
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            const End& end = f.set.ends[e];
            if (!f.metric.is_flat(end.body) || f.metric.flat->normal[end.body] != normal) return false;
            const int bar = f.bar_of.emplace(end.body, static_cast<int>(f.bar_of.size())).first->second;
            if (bar == static_cast<int>(f.seats.size())) f.seats.emplace_back();
            f.seats[bar].push_back({static_cast<int>(k), arm_of(f, end, normal)});
        }
    }
    return !f.seats.empty();
}

// Of a bar with its ends at two points, seen from its centre of mass
void weigh(PinBar& bar, Flat2 from, Flat2 to, double mass, double inertia) {
    const Flat2 d = to - from, s = (from * -1).turned_back(d) * (1 / d.dot(d)), rest{1 - s.x, -s.y};
    const double turning = inertia / d.dot(d);
    bar.own[0] = mass * rest.dot(rest) + turning;
    bar.own[1] = mass * s.dot(s) + turning;
    bar.both = s.turned_back(rest) * mass - Flat2{turning, 0};
    bar.drawn = d * (1 / d.norm());
}

// Points of a body where joints are: one or two. Where there is one, another moves freely.
bool make_bar(Found& f, int body, const std::vector<Seat>& seats, const Vec3& normal) {
    const double mass = 1 / f.metric.mass[body], inertia = 1 / normal.dot(f.metric.inertia[body] * normal);
    const double radius = std::sqrt(inertia / mass), bar = static_cast<double>(f.net.bars.size());
    std::vector<Flat2> points;
    for (const Seat& seat : seats) {
        std::size_t at = 0;
        while (at < points.size() && (points[at] - seat.arm).norm() > skew * (radius + seat.arm.norm())) ++at;
        if (at == points.size()) points.push_back(seat.arm);
        f.ends[seat.block].push_back(static_cast<int>(2 * bar + at));
    }
    if (points.size() > 2) return false;
    const double size = points[0].norm();
    if (points.size() == 1) points.push_back(size > skew * radius ? points[0] * (-radius / size) : Flat2{radius, 0});
    if ((points[1] - points[0]).norm() < 1e-3 * (radius + size)) return false;
    PinBar made{body, {-2, -2}, Vec3::Zero(), {}, {}, {}};
    weigh(made, points[0], points[1], mass, inertia);
    made.along = (*f.metric.places)[body].A.transpose() * (f.net.across * made.drawn.x + f.net.up * made.drawn.y);
    f.net.bars.push_back(made);
    return true;
}

int& pin_at(PinNet& net, int end) { return net.bars[end / 2].pin[end % 2]; }

PinLink link(const Found& f, int block, int known, int found) {
    const Block& b = f.set.blocks[block];
    PinLink out{block, known, found, -1, {}};
    const auto leader = f.bar_of.find(leader_of(f, b));
    if (leader != f.bar_of.end()) out.turning = leader->second;
    for (int e = b.first_end; e < b.first_end + b.ends; ++e)
        for (int r = 0; r < 2 && f.set.ends[e].body == f.net.bars[found / 2].body; ++r) out.e[r] = row_of(f.net, f.set.ends[e], r);
    return out;
}

// From one end to all that joints pin to it; false where they close a ring
bool spread(Found& f, const std::vector<std::vector<int>>& at, std::vector<char>& used, int end) {
    std::vector<int> reached{end};
    for (std::size_t n = 0; n < reached.size(); ++n)
        for (int block : at[reached[n]]) {
            if (used[block]) continue;
            used[block] = 1;
            const int other = f.ends[block][0] == reached[n] ? f.ends[block][1] : f.ends[block][0];
            if (pin_at(f.net, other) != -2) return false;
            pin_at(f.net, other) = pin_at(f.net, end);
            f.net.links.push_back(link(f, block, reached[n], other));
            reached.push_back(other);
        }
    return true;
}

// Which ends are one pin: from the ground, then from each that is not reached yet
bool join_ends(Found& f) {
    std::vector<std::vector<int>> at(2 * f.net.bars.size());
    std::vector<char> used(f.ends.size(), 0);
    for (std::size_t k = 0; k < f.ends.size(); ++k)
        for (int end : f.ends[k]) at[end].push_back(static_cast<int>(k));
    for (std::size_t k = 0; k < f.ends.size(); ++k) {
        if (f.ends[k].size() != 1) continue;
        used[k] = 1;
        const int end = f.ends[k][0];
        if (pin_at(f.net, end) != -2) return false;
        pin_at(f.net, end) = -1;
        f.net.links.push_back(link(f, static_cast<int>(k), -1, end));
        if (!spread(f, at, used, end)) return false;
    }
    for (int end = 0; end < static_cast<int>(at.size()); ++end) {
        if (pin_at(f.net, end) != -2) continue;
        pin_at(f.net, end) = f.net.pins++;
        if (!spread(f, at, used, end)) return false;
    }
    return std::none_of(f.net.bars.begin(), f.net.bars.end(), [](const PinBar& bar) { return bar.pin[0] == bar.pin[1]; });
}

}  // namespace

bool find_pins(const System& system, const BlockSet& set, const std::vector<char>& taken, const Metric& metric, PinNet& out) {
    out = PinNet{};
    if (!metric.flat || !metric.places || set.ends.empty() || !metric.is_flat(set.ends[0].body)) return false;
    const Vec3 normal = metric.flat->normal[set.ends[0].body];
    out.across = normal.unitOrthogonal();
    out.up = normal.cross(out.across);
    Found f{system, set, taken, metric, out, {}, {}, std::vector<std::vector<int>>(set.blocks.size())};
    if (!find_seats(f, normal)) return false;
    std::vector<int> bodies(f.seats.size());
    for (const auto& item : f.bar_of) bodies[item.second] = item.first;
    for (std::size_t b = 0; b < bodies.size(); ++b)
        if (!make_bar(f, bodies[b], f.seats[b], normal)) return false;
    return join_ends(f);
}

}  // namespace vincolo
