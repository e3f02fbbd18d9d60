#include "dynamics.hpp"

#include <algorithm>
#include <cstring>

namespace vincolo {

void Dynamics::activate(const std::vector<char>& wanted) {
    taken = wanted;
    for (End& end : set.ends)
        for (int c = 0; c < 3; ++c) end.lin[c].clear(), end.ang[c].clear(), end.weighed[c].clear();
    for (BlockVector* x : {&phi, &gamma, &lam, &lam_free})
        for (Column& column : *x) column.clear();
    for (Block& block : set.blocks) {
        block.n = 0;
        for (int r = block.first; r < block.first + block.all; ++r)
            if (taken[r]) position[r] = block.n++;
    }
    scale_rows();
    build_lists();
}

void Dynamics::build_lists() {
    patterns_.clear();
    joints_.clear();
    loose_ends_.clear();
    simple_.clear();
    combined_.clear();
    driven_.clear();
    formulas_.clear();
    int last = -1;
    bool whole = false;
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const Row& row = system_.rows[r];
        if (row.block != last) {
            JointRows joint;
            last = row.block;
            whole = joint_of(last, joint);
            if (whole) joints_.push_back(joint);
            else
                for (int e = 0; e < set.blocks[last].ends; ++e) loose_ends_.push_back(set.blocks[last].first_end + e);
        }
        if (!taken[r]) continue;
        const Quantity& q = system_.quantities[row.quantity];
        bool moving = false;
        for (int t = q.first; t < q.first + q.count; ++t) moving = moving || moving_measure_[system_.terms[t].measure];
        if (row.function >= 0 || q.formula >= 0 || row.level != Level::Position || moving) driven_.push_back(static_cast<int>(r));
        if (q.formula >= 0) formulas_.push_back(static_cast<int>(r));
        if (whole) continue;
        for (int t = q.first; t < q.first + q.count; ++t) {
            const Measure& m = system_.measures[system_.terms[t].measure];
            const ActiveRow active{system_.terms[t].measure, row.block, position[r], end_of(row.block, system_.frames[m.a].body),
                                   end_of(row.block, system_.frames[m.b].body), t, q.formula >= 0};
            (q.count == 1 && system_.terms[t].factor == 1 && q.formula < 0 ? simple_ : combined_).push_back(active);
        }
    }
    for (const JointRows& joint : joints_) set.blocks[joint.block].gram = patterns_[joint.pattern].gram;
    std::sort(simple_.begin(), simple_.end(), [this](const ActiveRow& x, const ActiveRow& y) {
        const MeasureKind first = system_.measures[x.measure].kind, second = system_.measures[y.measure].kind;
        return first != second ? first < second : x.measure < y.measure;
    });
}

// Whether the rows in use of a block can be evaluated together, and how
bool Dynamics::joint_of(int k, JointRows& joint) {
    Block& block = set.blocks[k];
    Pattern pattern{};
    joint = JointRows{};
    joint.block = k;
    block.gram = nullptr;
    bool first = true, pinned = false;
    for (int r = block.first; r < block.first + block.all; ++r) {
        if (!taken[r]) continue;
        const Quantity& q = system_.quantities[system_.rows[r].quantity];
        const Measure& m = system_.measures[system_.terms[q.first].measure];
        const bool joins = m.kind == MeasureKind::Pin || m.kind == MeasureKind::Along || m.kind == MeasureKind::Cosine;
        if (q.count != 1 || q.formula >= 0 || system_.terms[q.first].factor != 1 || !joins) return false;
        if (first) joint.a = m.a, joint.b = m.b;
        if (joint.a != m.a || joint.b != m.b || moving_measure_[system_.terms[q.first].measure]) return false;
        first = false;
        pinned = pinned || m.kind == MeasureKind::Pin;
        joint.along = joint.along || m.kind == MeasureKind::Along;
        if (m.kind == MeasureKind::Cosine) pattern.f[m.i][position[r]] = pattern.h[m.j][position[r]] = 1;
        else pattern.e[m.i][position[r]] = 1;
    }
    if (first || (pinned && joint.along)) return false;
    joint.body_a = system_.frames[joint.a].body;
    joint.body_b = system_.frames[joint.b].body;
    joint.end_a = end_of(k, joint.body_a);
    joint.end_b = end_of(k, joint.body_b);
    for (int r = 0; r < block.n; ++r)
        for (int c = 0; c < 3; ++c) pattern.gram[r].add(pattern.e[c], pattern.e[c][r]);
    joint.pattern = pattern_of(pattern);
    return true;
}

int Dynamics::pattern_of(const Pattern& pattern) {
    for (std::size_t n = 0; n < patterns_.size(); ++n)
        if (std::memcmp(&patterns_[n], &pattern, sizeof pattern) == 0) return static_cast<int>(n);
    patterns_.push_back(pattern);
    return static_cast<int>(patterns_.size()) - 1;
}

namespace {

// x = columns of selectors weighed with a component of three axes
VINCOLO_INLINE Column pick(const Column* selector, const Mat3& axes, int c) {
    Column x = selector[0];
    x.scale(axes(c, 0));
    x.add(selector[1], axes(c, 1));
    x.add(selector[2], axes(c, 2));
    return x;
}

// out = s x e, for a vector s and columns e
VINCOLO_INLINE void cross(Column* out, const Vec3& s, const Column* e) {
    for (int c = 0; c < 3; ++c) {
        const int i = (c + 1) % 3, j = (c + 2) % 3;
        out[c].clear();
        out[c].add(e[j], s[i]);
        out[c].subtract(e[i], s[j]);
    }
}

VINCOLO_INLINE Column dot(const Column* x, const Vec3& v) {
    Column sum = x[0];
    sum.scale(v[0]);
    sum.add(x[1], v[1]);
    sum.add(x[2], v[2]);
    return sum;
}

// ang K
VINCOLO_INLINE void weigh(Column* out, const Column* ang, const Mat3& K) {
    for (int c = 0; c < 3; ++c) {
        Column sum = ang[0];
        sum.scale(K(0, c));
        sum.add(ang[1], K(1, c));
        sum.add(ang[2], K(2, c));
        out[c] = sum;
    }
}

VINCOLO_INLINE void put(End& end, const Column* lin, const Column* ang, const Mat3& K) {
    for (int c = 0; c < 3; ++c) {
        end.lin[c] = lin[c];
        end.ang[c] = ang[c];
    }
    weigh(end.weighed, ang, K);
}

}  // namespace

void Dynamics::assemble_joint(const JointRows& joint, const Mat3* weights) {
    const FrameWork &a = frames[joint.a], &b = frames[joint.b];
    const Pattern& pattern = patterns_[joint.pattern];
    Directions& out = directions_[joint.block];
    Column e[3], f[3], h[3], turn[3], ang[3];
    for (int c = 0; c < 3; ++c) {
        out.e[c] = e[c] = pick(pattern.e, a.axes, c);
        out.f[c] = f[c] = pick(pattern.f, a.axes, c);
        out.h[c] = h[c] = pick(pattern.h, b.axes, c);
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
        put(set.ends[joint.end_b], e, ang, weights[joint.body_b]);
    }
    if (joint.end_a >= 0) {
        cross(ang, joint.along ? Vec3(a.p - b.p - a.s) : Vec3(-a.s), e);
        for (int c = 0; c < 3; ++c) {
            ang[c].add(turn[c], 1);
            e[c].scale(-1);
        }
        put(set.ends[joint.end_a], e, ang, weights[joint.body_a]);
    }
}

void Dynamics::joint_values(const JointRows& joint) {
    const FrameWork &a = frames[joint.a], &b = frames[joint.b];
    const Pattern& pattern = patterns_[joint.pattern];
    const Vec3 d = b.p - a.p;
    Column sum;
    sum.clear();
    for (int c = 0; c < 3; ++c) {
        sum.add(pick(pattern.e, a.axes, c), d[c]);
        sum.add_product(pick(pattern.f, a.axes, c), pick(pattern.h, b.axes, c));
    }
    phi[joint.block] = sum;
}

// gamma = -(e . (c_b - c_a + ...) + bias of the cosines)
void Dynamics::joint_bias(const JointRows& joint) {
    const FrameWork &a = frames[joint.a], &b = frames[joint.b];
    const BodyWork &A = bodies[joint.body_a], &B = bodies[joint.body_b];
    const Directions& d = directions_[joint.block];
    Vec3 v = centripetal(A.w, a.s) - centripetal(B.w, b.s);
    if (joint.along) v -= centripetal(A.w, b.p - a.p) + 2 * separation_rate(a, b, A, B).cross(A.w);
    const Column fa = dot(d.f, A.w), fb = dot(d.f, B.w), ha = dot(d.h, A.w), hb = dot(d.h, B.w);
    Column sum = dot(d.e, v), both;
    both.clear();
    for (int c = 0; c < 3; ++c) both.add_product(d.f[c], d.h[c]);
    sum.subtract_product(fa, ha);
    sum.subtract_product(fb, hb);
    sum.add_product(fb, ha);
    sum.add_product(fb, ha);
    sum.add(both, (A.w - B.w).squaredNorm());
    gamma[joint.block] = sum;
}

void Dynamics::store(const ActiveRow& row, const Gradient& g, bool add) {
    const auto put = [&](double& slot, double x) { slot = add ? slot + factor[row.term] * x : x; };
    for (int c = 0; c < 3; ++c) {
        if (row.end_b >= 0) {
            put(set.ends[row.end_b].lin[c][row.place], g.lin[c]);
            put(set.ends[row.end_b].ang[c][row.place], g.on_b[c]);
        }
        if (row.end_a >= 0) {
            put(set.ends[row.end_a].lin[c][row.place], -g.lin[c]);
            put(set.ends[row.end_a].ang[c][row.place], g.on_a[c]);
        }
    }
}

void Dynamics::assemble_rows(const Mat3* weights) {
    for (const JointRows& joint : joints_) assemble_joint(joint, weights);
    for (const ActiveRow& row : simple_) {
        const Measure& m = system_.measures[row.measure];
        store(row, gradient(m, frames[m.a], frames[m.b]), false);
    }
    for (const ActiveRow& row : combined_)
        for (int end : {row.end_a, row.end_b})
            if (end >= 0)
                for (int c = 0; c < 3; ++c) set.ends[end].lin[c][row.place] = set.ends[end].ang[c][row.place] = 0;
    for (const ActiveRow& row : combined_) {
        const Measure& m = system_.measures[row.measure];
        store(row, row.formula ? term_gradients_[row.term] : gradient(m, frames[m.a], frames[m.b]), true);
    }
    for (int e : loose_ends_) weigh(set.ends[e].weighed, set.ends[e].ang, weights[set.ends[e].body]);
}

void Dynamics::values_of_rows() {
    for (const JointRows& joint : joints_) joint_values(joint);
    for (const ActiveRow& row : simple_) phi[row.block][row.place] = measured(row.measure);
    for (const ActiveRow& row : combined_) phi[row.block][row.place] = 0;
    for (const ActiveRow& row : combined_)
        if (!row.formula) phi[row.block][row.place] += factor[row.term] * measured(row.measure);
    for (int r : formulas_) phi[system_.rows[r].block][position[r]] = formula_work_[system_.quantities[system_.rows[r].quantity].formula].value;
    for (int r : driven_) {
        double& open = phi[system_.rows[r].block][position[r]];
        open = system_.rows[r].level == Level::Position ? open - drive_values[r].f : 0;
    }
}

void Dynamics::row_bias() {
    for (const JointRows& joint : joints_) joint_bias(joint);
    for (const ActiveRow& row : simple_) gamma[row.block][row.place] = -bias_of(row.measure);
    for (const ActiveRow& row : combined_) gamma[row.block][row.place] = 0;
    for (const ActiveRow& row : combined_)
        if (!row.formula) gamma[row.block][row.place] -= factor[row.term] * bias_of(row.measure);
    for (int r : formulas_) {
        const int formula = system_.quantities[system_.rows[r].quantity].formula;
        const Jet g = formula_series(formula);
        gamma[system_.rows[r].block][position[r]] = system_.formulas[formula].rates ? -g.d : -g.dd;
    }
    for (int r : driven_) gamma[system_.rows[r].block][position[r]] += drive_values[r].dd;
}

void Dynamics::add_rates(BlockVector& x, double factor, bool accelerations) const {
    for (std::size_t k = 0; k < set.blocks.size(); ++k) {
        const Block& block = set.blocks[k];
        Column sum = x[k];
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            const End& end = set.ends[e];
            const BodyWork& body = bodies[end.body];
            const Vec3 &v = accelerations ? body.free_v : body.v, &w = accelerations ? body.free_w : body.w;
            for (int c = 0; c < 3; ++c) {
                sum.add(end.lin[c], factor * v[c]);
                sum.add(end.ang[c], factor * w[c]);
            }
        }
        x[k] = sum;
    }
}

void Dynamics::collect_reactions(const BlockVector& x) {
    for (BodyWork& body : bodies) body.reaction_f.setZero(), body.reaction_t.setZero();
    for (std::size_t k = 0; k < set.blocks.size(); ++k) {
        const Block& block = set.blocks[k];
        const Column lambda = x[k];
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            BodyWork& body = bodies[set.ends[e].body];
            const Quad f = dots(set.ends[e].lin, lambda), t = dots(set.ends[e].ang, lambda);
            body.reaction_f += Vec3(f[0], f[1], f[2]);
            body.reaction_t += Vec3(t[0], t[1], t[2]);
        }
    }
}

}  // namespace vincolo
