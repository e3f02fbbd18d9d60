// J, Phi and gamma of the rows in use; those of a joint between one pair of frames together, six at once in columns
#include <algorithm>

#include "rows.hpp"

namespace vincolo {

namespace {

// x = columns of selectors weighed with a component of three axes
template <class C = Column>
VINCOLO_INLINE C pick(const Column* selector, const Mat3& axes, int c) {
    C x = selector[0];
    x.scale(axes(c, 0));
    x.add(selector[1], axes(c, 1));
    x.add(selector[2], axes(c, 2));
    return x;
}

// out = s x e, for a vector s and columns e
template <class C>
VINCOLO_INLINE void cross(C* out, const Vec3& s, const C* e) {
    for (int c = 0; c < 3; ++c) {
        const int i = (c + 1) % 3, j = (c + 2) % 3;
        out[c].clear();
        out[c].add(e[j], s[i]);
        out[c].subtract(e[i], s[j]);
    }
}

template <class C = Column>
VINCOLO_INLINE C dot(const Column* x, const Vec3& v) {
    C sum = x[0];
    sum.scale(v[0]);
    sum.add(x[1], v[1]);
    sum.add(x[2], v[2]);
    return sum;
}

// ang K
template <class C>
VINCOLO_INLINE void weigh(Column* out, const C* ang, const Mat3& K) {
    for (int c = 0; c < 3; ++c) {
        C sum = ang[0];
        sum.scale(K(0, c));
        sum.add(ang[1], K(1, c));
        sum.add(ang[2], K(2, c));
        put(out[c], sum);
    }
}

template <class C>
VINCOLO_INLINE void put_end(End& end, const C* lin, const C* ang, const Mat3& K) {
    for (int c = 0; c < 3; ++c) {
        put(end.lin[c], lin[c]);
        put(end.ang[c], ang[c]);
    }
    weigh(end.weighed, ang, K);
}

}  // namespace

void Rows::assemble_joint(const JointRows& joint, const Mat3* weights) {
    const FrameWork &a = placement_.frames()[joint.a], &b = placement_.frames()[joint.b];
    const Pattern& pattern = patterns_[joint.pattern];
    Directions& out = directions_[joint.block];
    Column e[3], f[3], h[3], turn[3], ang[3];
    for (int c = 0; c < 3; ++c) {
        out.f[c] = e[c] = f[c] = pick(pattern.f, a.axes, c);
        out.h[c] = h[c] = pick(pattern.h, b.axes, c);
        e[c].multiply(pattern.apart);
    }
    for (int c = 0; c < 3; ++c) {  // f x h
        const int i = (c + 1) % 3, j = (c + 2) % 3;
        turn[c].clear();
        turn[c].add_product(f[i], h[j]);
        turn[c].subtract_product(f[j], h[i]);
    }
    if (joint.end_b >= 0) {
        cross(ang, b.s, e);
        for (int c = 0; c < 3; ++c) ang[c].subtract(turn[c], 1);
        put_end(set_.ends[joint.end_b], e, ang, weights[joint.body_b]);
    }
    if (joint.end_a >= 0) {
        cross(ang, joint.along ? Vec3(a.p - b.p - a.s) : Vec3(-a.s), e);
        for (int c = 0; c < 3; ++c) {
            ang[c].add(turn[c], 1);
            e[c].scale(-1);
        }
        put_end(set_.ends[joint.end_a], e, ang, weights[joint.body_a]);
    }
}

// Directions on the separation alone, as a spherical joint has, and a hinge in its plane
template <class C>
VINCOLO_INLINE void Rows::assemble_points(const JointRows& joint, const Mat3* weights) {
    const FrameWork &a = placement_.frames()[joint.a], &b = placement_.frames()[joint.b];
    const Pattern& pattern = patterns_[joint.pattern];
    Directions& out = directions_[joint.block];
    C e[3], ang[3];
    for (int c = 0; c < 3; ++c) {
        e[c] = pick<C>(pattern.f, a.axes, c);
        put(out.f[c], e[c]);
    }
    if (joint.end_b >= 0) {
        cross(ang, b.s, e);
        put_end(set_.ends[joint.end_b], e, ang, weights[joint.body_b]);
    }
    if (joint.end_a >= 0) {
        cross(ang, joint.along ? Vec3(a.p - b.p - a.s) : Vec3(-a.s), e);
        for (int c = 0; c < 3; ++c) e[c].scale(-1);
        put_end(set_.ends[joint.end_a], e, ang, weights[joint.body_a]);
    }
}

template <class C>
VINCOLO_INLINE void Rows::points_bias(const JointRows& joint) {
    const FrameWork &a = placement_.frames()[joint.a], &b = placement_.frames()[joint.b];
    const Twist &A = placement_.velocities()[joint.body_a], &B = placement_.velocities()[joint.body_b];
    Vec3 v = centripetal(A.w, a.s) - centripetal(B.w, b.s);
    if (joint.along) v -= centripetal(A.w, b.p - a.p) + 2 * separation_rate(a, b, A, B).cross(A.w);
    put(gamma_[joint.block], dot<C>(directions_[joint.block].f, v));
}

void Rows::joint_values(const JointRows& joint) {
    const FrameWork &a = placement_.frames()[joint.a], &b = placement_.frames()[joint.b];
    const Pattern& pattern = patterns_[joint.pattern];
    const Vec3 d = b.p - a.p;
    Column f[3];
    for (int c = 0; c < 3; ++c) f[c] = pick(pattern.f, a.axes, c);
    Column sum = dot(f, d);
    if (joint.kind == Kind::Whole) {
        sum.multiply(pattern.apart);
        for (int c = 0; c < 3; ++c) sum.add_product(f[c], pick(pattern.h, b.axes, c));
    }
    phi_[joint.block] = sum;
}

// gamma = -(e . (c_b - c_a + ...) + bias of the cosines); where there is no cosine, h is zero
void Rows::joint_bias(const JointRows& joint) {
    const FrameWork &a = placement_.frames()[joint.a], &b = placement_.frames()[joint.b];
    const Twist &A = placement_.velocities()[joint.body_a], &B = placement_.velocities()[joint.body_b];
    const Directions& d = directions_[joint.block];
    Vec3 v = centripetal(A.w, a.s) - centripetal(B.w, b.s);
    if (joint.along) v -= centripetal(A.w, b.p - a.p) + 2 * separation_rate(a, b, A, B).cross(A.w);
    const Column fa = dot(d.f, A.w), fb = dot(d.f, B.w), ha = dot(d.h, A.w), hb = dot(d.h, B.w);
    Column sum = dot(d.f, v), both;
    sum.multiply(patterns_[joint.pattern].apart);
    both.clear();
    for (int c = 0; c < 3; ++c) both.add_product(d.f[c], d.h[c]);
    sum.subtract_product(fa, ha);
    sum.subtract_product(fb, hb);
    sum.add_product(fb, ha);
    sum.add_product(fb, ha);
    sum.add(both, (A.w - B.w).squaredNorm());
    gamma_[joint.block] = sum;
}

void Rows::store(const ActiveRow& row, const Gradient& g, bool add) {
    const auto put = [&](double& slot, double x) { slot = add ? slot + quantities_.factor(row.term) * x : x; };
    for (int c = 0; c < 3; ++c) {
        if (row.end_b >= 0) {
            put(set_.ends[row.end_b].lin[c][row.place], g.lin[c]);
            put(set_.ends[row.end_b].ang[c][row.place], g.on_b[c]);
        }
        if (row.end_a >= 0) {
            put(set_.ends[row.end_a].lin[c][row.place], -g.lin[c]);
            put(set_.ends[row.end_a].ang[c][row.place], g.on_a[c]);
        }
    }
}

void Rows::assemble(const Mat3* weights) {
    for (const JointRows& joint : joints_)
        if (joint.kind == Kind::Whole) assemble_joint(joint, weights);
        else joint.kind == Kind::Pairs ? assemble_points<Pair>(joint, weights) : assemble_points<Column>(joint, weights);
    for (const ActiveRow& row : simple_) store(row, placement_.gradient_of(row.measure), false);
    for (const ActiveRow& row : combined_)
        for (int end : {row.end_a, row.end_b})
            if (end >= 0)
                for (int c = 0; c < 3; ++c) set_.ends[end].lin[c][row.place] = set_.ends[end].ang[c][row.place] = 0;
    for (const ActiveRow& row : combined_)
        store(row, row.formula ? quantities_.formula_gradient(row.term) : placement_.gradient_of(row.measure), true);
    for (int e : loose_ends_) weigh(set_.ends[e].weighed, set_.ends[e].ang, weights[set_.ends[e].body]);
}

void Rows::find_values() {
    for (const JointRows& joint : joints_) joint_values(joint);
    for (const ActiveRow& row : simple_) phi_[row.block][row.place] = placement_.value_of(row.measure);
    for (const ActiveRow& row : combined_) phi_[row.block][row.place] = 0;
    for (const ActiveRow& row : combined_)
        if (!row.formula) phi_[row.block][row.place] += quantities_.factor(row.term) * placement_.value_of(row.measure);
    for (int r : formulas_) of(phi_, r) = quantities_.formula_value(system_.quantities[system_.rows[r].quantity].formula);
    for (int r : driven_) {
        double& open = of(phi_, r);
        open = system_.rows[r].level == Level::Position ? open - held_[r].f : 0;
    }
}

void Rows::find_bias() {
    for (const JointRows& joint : joints_)
        if (joint.kind == Kind::Whole) joint_bias(joint);
        else joint.kind == Kind::Pairs ? points_bias<Pair>(joint) : points_bias<Column>(joint);
    for (const ActiveRow& row : simple_) gamma_[row.block][row.place] = -placement_.bias_of(row.measure);
    for (const ActiveRow& row : combined_) gamma_[row.block][row.place] = 0;
    for (const ActiveRow& row : combined_)
        if (!row.formula) gamma_[row.block][row.place] -= quantities_.factor(row.term) * placement_.bias_of(row.measure);
    for (int r : formulas_) of(gamma_, r) = -quantities_.formula_bias(system_.quantities[system_.rows[r].quantity].formula);
    for (int r : driven_) of(gamma_, r) += held_[r].dd;
}

double Rows::find_rates() {
    for (Column& column : rate_) column.clear();
    add_rates(rate_, placement_.velocities(), 1);
    for (int r : driven_) {
        double& open = of(rate_, r);
        open = system_.rows[r].level == Level::Acceleration ? 0 : open - held_[r].d;
    }
    double largest = 0;
    for (std::size_t k = 0; k < rate_.size(); ++k)
        for (int r = 0; r < set_.blocks[k].n; ++r) largest = std::max(largest, std::abs(rate_[k][r]));
    return largest;
}

void Rows::add_rates(BlockVector& x, const Twists& u, double factor) const {
    if (set_.narrow) add_rates_in<Pair>(x, u, factor);
    else add_rates_in<Column>(x, u, factor);
}

template <class C>
VINCOLO_INLINE void Rows::add_rates_in(BlockVector& x, const Twists& u, double factor) const {
    for (std::size_t k = 0; k < set_.blocks.size(); ++k) {
        const Block& block = set_.blocks[k];
        C sum = x[k];
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            const End& end = set_.ends[e];
            const Twist& body = u[end.body];
            for (int c = 0; c < 3; ++c) {
                sum.add(end.lin[c], factor * body.v[c]);
                sum.add(end.ang[c], factor * body.w[c]);
            }
        }
        put(x[k], sum);
    }
}

void Rows::collect_pairs(const BlockVector& x, Pushes& out) const {
    for (std::size_t k = 0; k < set_.blocks.size(); ++k) {
        const Block& block = set_.blocks[k];
        const double one = x[k][0], two = x[k][1];
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            const End& end = set_.ends[e];
            Push& push = out[end.body];
            for (int c = 0; c < 3; ++c) push.f[c] += end.lin[c][0] * one + end.lin[c][1] * two, push.t[c] += end.ang[c][0] * one + end.ang[c][1] * two;
        }
    }
}

void Rows::collect(const BlockVector& x, Pushes& out) const {
    clear(out);
    if (set_.narrow) return collect_pairs(x, out);
    for (std::size_t k = 0; k < set_.blocks.size(); ++k) {
        const Block& block = set_.blocks[k];
        const Column lambda = x[k];
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            Push& push = out[set_.ends[e].body];
            const Quad f = dots(set_.ends[e].lin, lambda), t = dots(set_.ends[e].ang, lambda);
            push.f += Vec3(f[0], f[1], f[2]);
            push.t += Vec3(t[0], t[1], t[2]);
        }
    }
}

}  // namespace vincolo
