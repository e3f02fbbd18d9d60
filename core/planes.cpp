#include "planes.hpp"

#include <algorithm>
#include <set>

#include "displacement.hpp"

namespace vincolo {

namespace {

using Map3 = Eigen::Map<Vec3>;
using ConstMap3 = Eigen::Map<const Vec3>;

constexpr double skew = 1e-12;  // axes are along or across the normal up to this
constexpr double astray = 1e-9;  // states lie and move in the planes up to this

bool parallel(const Vec3& a, const Vec3& b) { return a.cross(b).norm() < skew; }
bool normal_to(const Vec3& a, const Vec3& b) { return std::abs(a.dot(b)) < skew; }

}  // namespace

Planes::Planes(const System& system) : system_(system) {
    const std::size_t bodies = system.bodies.size() + 1;
    flat_.on.assign(bodies, 0);
    for (std::vector<Vec3>* x : {&flat_.normal, &own_}) x->assign(bodies, Vec3::Zero());
    flat_.inertia.assign(bodies, Mat3::Zero());
    heights_.assign(bodies, 0);
    across_.assign(system.rows.size(), 0);
    if (allowed()) find_sets();
}

// Where forces across the plane have a say in the motion, or rows come and go, all rows stay
bool Planes::allowed() const {
    const System& s = system_;
    if (s.switched() || s.decides() || s.contact.any() || !s.moving.empty()) return false;
    for (const Law& law : s.laws)
        if (law.reacts) return false;
    for (const Event& event : s.events)
        for (const Action& action : event.actions)
            if (action.kind != ActionKind::Set) return false;
    for (const Body& body : s.bodies)
        if (body.mass_ballast != 0 || !body.ballast.isZero(0)) return false;
    return true;
}

// Sets of blocks that moving bodies hold together; the ground is in all of them
void Planes::find_sets() {
    const std::size_t ground = system_.bodies.size();
    std::vector<std::set<int>> bodies(system_.blocks.size());
    on_.resize(ground + 1);
    for (std::size_t k = 0; k < system_.blocks.size(); ++k) {
        const BlockShape& shape = system_.blocks[k];
        for (int r = shape.first; r < shape.first + shape.count; ++r) {
            const Quantity& q = system_.quantities[system_.rows[r].quantity];
            for (int t = q.first; t < q.first + q.count; ++t)
                for (int frame : {system_.measures[system_.terms[t].measure].a, system_.measures[system_.terms[t].measure].b}) bodies[k].insert(body_of(frame));
        }
        for (int b : bodies[k]) on_[b].push_back(static_cast<int>(k));
    }
    std::vector<char> seen(system_.blocks.size(), 0);
    for (int first : on_[ground]) {
        if (seen[first]) continue;
        std::vector<int> blocks{first};
        seen[first] = 1;
        for (std::size_t n = 0; n < blocks.size(); ++n)
            for (int b : bodies[blocks[n]])
                for (int other : on_[b])
                    if (b != static_cast<int>(ground) && !seen[other]) seen[other] = 1, blocks.push_back(other);
        const BlockShape& shape = system_.blocks[first];
        for (int frame : {shape.a, shape.b})
            for (int c = 0; c < 3 && body_of(frame) == static_cast<int>(ground); ++c)
                if (stays_in_plane(blocks, axis(frame, c))) {
                    any_ = true;
                    break;
                }
    }
}

// Whether all bodies of some blocks stay in planes with a normal; then they are marked, with the rows across
bool Planes::stays_in_plane(const std::vector<int>& blocks, const Vec3& normal) {
    own_.back() = normal;
    spread(blocks);
    bool all = classify(blocks);
    for (int k : blocks) {
        const BlockShape& shape = system_.blocks[k];
        for (int r = shape.first; r < shape.first + shape.count; ++r) {
            const Quantity& q = system_.quantities[system_.rows[r].quantity];
            if (!all) across_[r] = 0;
            for (int t = q.first; t < q.first + q.count; ++t)
                for (int frame : {system_.measures[system_.terms[t].measure].a, system_.measures[system_.terms[t].measure].b}) {
                    const int b = body_of(frame);
                    if (b == system_.ground()) continue;
                    if (!all) own_[b].setZero();
                    else flat_.on[b] = 1, flat_.normal[b] = normal;
                }
        }
    }
    return all;
}

// From the ground to all bodies that are held in the plane
void Planes::spread(const std::vector<int>& blocks) {
    for (bool more = true; more;) {
        more = false;
        for (int k : blocks) {
            const BlockShape& shape = system_.blocks[k];
            const int a = body_of(shape.a), b = body_of(shape.b);
            if (own_[a].isZero(0) != own_[b].isZero(0)) more = (own_[a].isZero(0) ? hold(k, b, a) : hold(k, a, b)) || more;
        }
    }
}

const Measure* Planes::single(const Row& row) const {
    const Quantity& q = system_.quantities[row.quantity];
    if (q.count != 1 || q.formula >= 0 || row.function >= 0 || row.latch >= 0 || row.gate >= 0 || row.drive || row.level != Level::Position) return nullptr;
    return &system_.measures[system_.terms[q.first].measure];
}

// Whether a joint holds the other of its bodies against tilting and along the normal
bool Planes::hold(int block, int known, int other) {
    const BlockShape& shape = system_.blocks[block];
    std::vector<Cosine> cosines;
    for (int r = shape.first; r < shape.first + shape.count; ++r) {
        const Measure* m = single(system_.rows[r]);
        if (!m || m->kind != MeasureKind::Cosine) continue;
        if (body_of(m->a) == known && body_of(m->b) == other) cosines.push_back({axis(m->a, m->i), axis(m->b, m->j)});
        if (body_of(m->b) == known && body_of(m->a) == other) cosines.push_back({axis(m->b, m->j), axis(m->a, m->i)});
    }
    Vec3 normal;
    if (!held_normal(cosines, shape, known, normal)) return false;
    own_[other] = normal;
    if (holds_height(shape)) return true;
    own_[other].setZero();
    return false;
}

// The direction on the other body that stays along the normal: across two axes that are held across it; or held across two axes
// of the plane; or, where all three rotations are held, the axis of the same name
bool Planes::held_normal(const std::vector<Cosine>& cosines, const BlockShape& shape, int known, Vec3& out) const {
    const Vec3& n = own_[known];
    for (std::size_t i = 0; i < cosines.size(); ++i)
        for (std::size_t j = i + 1; j < cosines.size(); ++j) {
            const Cosine &c = cosines[i], &d = cosines[j];
            if (parallel(c.u, n) && parallel(d.u, n) && normal_to(c.w, d.w)) return out = c.w.cross(d.w).normalized(), true;
            if (normal_to(c.u, n) && normal_to(d.u, n) && normal_to(c.u, d.u) && parallel(c.w, d.w)) return out = c.w, true;
        }
    if (cosines.size() != 3) return false;
    const bool first = body_of(shape.a) == known;
    const int mine = first ? shape.a : shape.b, its = first ? shape.b : shape.a;
    for (int c = 0; c < 3; ++c) {
        if (!parallel(axis(mine, c), n)) continue;
        bool pairs[3] = {};  // by the axis that is in none
        for (const Cosine& x : cosines)
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    if (i != j && parallel(x.u, axis(mine, i)) && parallel(x.w, axis(its, j))) pairs[3 - i - j] = true;
        if (pairs[0] && pairs[1] && pairs[2]) return out = axis(its, c), true;
    }
    return false;
}

bool Planes::holds_height(const BlockShape& shape) const {
    for (int r = shape.first; r < shape.first + shape.count; ++r) {
        const Measure* m = single(system_.rows[r]);
        if (m && m->kind != MeasureKind::Cosine && side_of(*m) == Side::Across) return true;
    }
    return false;
}

bool Planes::classify(const std::vector<int>& blocks) {
    for (int k : blocks)
        for (int r = system_.blocks[k].first; r < system_.blocks[k].first + system_.blocks[k].count; ++r) {
            const Side side = side_of_row(system_.rows[r]);
            if (side == Side::Neither) return false;
            across_[r] = side == Side::Across;
        }
    return true;
}

Planes::Side Planes::side_of_row(const Row& row) const {
    const Quantity& q = system_.quantities[row.quantity];
    if (q.formula >= 0) return Side::Neither;
    const Measure* m = single(row);
    if (m && side_of(*m) == Side::Across) return Side::Across;
    for (int t = q.first; t < q.first + q.count; ++t)
        if (side_of(system_.measures[system_.terms[t].measure]) != Side::In) return Side::Neither;
    return Side::In;
}

Planes::Side Planes::side_of(const Vec3& axis, int body) const {
    if (own_[body].isZero(0)) return Side::Neither;
    return parallel(axis, own_[body]) ? Side::Across : normal_to(axis, own_[body]) ? Side::In : Side::Neither;
}

// A measure that only sees motion in the plane, or only motion across it
Planes::Side Planes::side_of(const Measure& m) const {
    const int a = body_of(m.a), b = body_of(m.b);
    if (own_[a].isZero(0) || own_[b].isZero(0)) return Side::Neither;
    switch (m.kind) {
        case MeasureKind::World: return side_of(m.e, system_.ground());
        case MeasureKind::Pin:
        case MeasureKind::Along: return side_of(axis(m.a, m.i), a);
        case MeasureKind::Distance: return Side::In;  // of points at one height, which states must show
        case MeasureKind::Azimuth: return side_of(axis(m.a, 2), a) == Side::Across ? Side::In : Side::Neither;
        case MeasureKind::Angle:
            return side_of(axis(m.a, 2), a) == Side::Across && side_of(axis(m.b, m.j), b) == Side::In ? Side::In : Side::Neither;
        case MeasureKind::Cosine: {
            const Side f = side_of(axis(m.a, m.i), a), h = side_of(axis(m.b, m.j), b);
            if (f == Side::In && h == Side::In) return Side::In;
            const bool one = (f == Side::Across && h == Side::In) || (f == Side::In && h == Side::Across);
            return one ? Side::Across : Side::Neither;
        }
        default: return Side::Neither;
    }
}

bool Planes::meet(const double* y) {
    for (int b = 0; b < system_.ground(); ++b)
        if (flat_.on[b] && !meets(b, y + body_size * b)) return false;
    return rows_meet(y);
}

bool Planes::meets(int b, const double* x) {
    const Vec3 &n = flat_.normal[b], moments = system_.bodies[b].inertia;
    const ConstMap3 r(x + at_r), v(x + at_v), w(x + at_w);
    const double size = system_.extent, speed = std::max({v.norm(), size * w.norm(), size});
    Vec3 own = rotation_of(x + at_p) * own_[b];
    if (own.dot(n) < 0) own_[b] = -own_[b], own = -own;
    heights_[b] = n.dot(r);
    flat_.inertia[b] = n * n.transpose() / own_[b].dot(moments.cwiseProduct(own_[b]));
    return (own - n).norm() < astray && std::abs(n.dot(v)) < astray * speed && size * (w - n * n.dot(w)).norm() < astray * speed;
}

Vec3 Planes::point(const double* y, int f) const {
    const Frame& frame = system_.frames[f];
    if (frame.body == system_.ground()) return frame.s;
    const double* x = y + body_size * frame.body;
    return ConstMap3(x + at_r) + rotation_of(x + at_p) * frame.s;
}

// Points at one height where they are held so, and where distances between them are held
bool Planes::rows_meet(const double* y) const {
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const Quantity& q = system_.quantities[system_.rows[r].quantity];
        for (int t = q.first; t < q.first + q.count; ++t) {
            const Measure& m = system_.measures[system_.terms[t].measure];
            const int b = body_of(m.a) == system_.ground() ? body_of(m.b) : body_of(m.a);
            const bool level = m.kind == MeasureKind::Distance || (across_[r] && m.kind != MeasureKind::Cosine);
            if (!flat_.on[b] || !level) continue;
            const double allowed = m.kind == MeasureKind::Distance ? skew : 0.01 * astray;
            if (!(std::abs(flat_.normal[b].dot(point(y, m.b) - point(y, m.a))) < allowed * system_.extent)) return false;
        }
    }
    return true;
}

void Planes::flatten_positions(double* y) const {
    for (int b = 0; b < system_.ground(); ++b) {
        if (!flat_.on[b]) continue;
        double* x = y + body_size * b;
        const Vec3& n = flat_.normal[b];
        displace(x, n * (heights_[b] - n.dot(Map3(x + at_r))), (rotation_of(x + at_p) * own_[b]).cross(n));
    }
}

void Planes::flatten_velocities(double* y) const {
    for (int b = 0; b < system_.ground(); ++b) {
        if (!flat_.on[b]) continue;
        double* x = y + body_size * b;
        const Vec3& n = flat_.normal[b];
        Map3 v(x + at_v), w(x + at_w);
        v -= n * n.dot(v);
        w = Vec3(n * n.dot(w));
    }
}

}  // namespace vincolo
