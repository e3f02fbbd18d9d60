#include "dynamics.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace vincolo {

namespace {

using Map3 = Eigen::Map<const Vec3>;

Mat3 rotation(const double* p) {
    const double s = 2 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    const double xx = s * p[1] * p[1], yy = s * p[2] * p[2], zz = s * p[3] * p[3];
    const double xy = s * p[1] * p[2], xz = s * p[1] * p[3], yz = s * p[2] * p[3];
    const double wx = s * p[0] * p[1], wy = s * p[0] * p[2], wz = s * p[0] * p[3];
    Mat3 A;
    A << 1 - yy - zz, xy - wz, xz + wy, xy + wz, 1 - xx - zz, yz - wx, xz - wy, yz + wx, 1 - xx - yy;
    return A;
}

// p += 1/2 (0, theta) p, theta a small rotation in world axes
void turn(double* p, const Vec3& theta) {
    const double e0 = p[0];
    const Vec3 e(p[1], p[2], p[3]);
    const Vec3 de = 0.5 * (e0 * theta + theta.cross(e));
    p[0] = e0 - 0.5 * theta.dot(e);
    for (int k = 0; k < 3; ++k) p[1 + k] = e[k] + de[k];
}

void normalise(double* p) {
    const double f = 1 / std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; ++k) p[k] *= f;
}

// a[0] . b, a[1] . b, a[2] . b: products first, then sums across by a transposition in two steps
inline __attribute__((always_inline)) V4 dots(const Column* a, const Column& b) {
    V4 x = a[0].head * b.head, y = a[1].head * b.head, z = a[2].head * b.head;
    const V2 p = a[0].tail * b.tail, q = a[1].tail * b.tail, r = a[2].tail * b.tail;
    const V4 xy = __builtin_shufflevector(x, y, 0, 4, 2, 6) + __builtin_shufflevector(x, y, 1, 5, 3, 7);
    const V4 zz = __builtin_shufflevector(z, z, 0, 0, 2, 2) + __builtin_shufflevector(z, z, 1, 1, 3, 3);
    const V2 pq = __builtin_shufflevector(p, q, 0, 2) + __builtin_shufflevector(p, q, 1, 3);
    const V4 low = __builtin_shufflevector(xy, zz, 0, 1, 4, 5), high = __builtin_shufflevector(xy, zz, 2, 3, 6, 7);
    return low + high + V4{pq[0], pq[1], r[0] + r[1], 0};
}

}  // namespace

Dynamics::Dynamics(const System& system) : system_(system) {
    const int nb = system.ground();
    const std::size_t blocks = system.blocks.size();
    bodies.resize(nb + 1);
    for (BodyWork& b : bodies) b = BodyWork{Mat3::Identity(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero(),
                                            Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    frames.resize(system.frames.size());
    for (std::size_t f = 0; f < frames.size(); ++f)
        if (system.frames[f].body == nb) frames[f] = {system.frames[f].s, system.frames[f].s, system.frames[f].R, 0};
    inverse_mass.assign(nb + 1, 0);
    inverse_inertia.assign(nb + 1, Mat3::Zero());  // the ground's is room for the spilling of the last body's
    for (int b = 0; b < nb; ++b) {
        inverse_mass[b] = 1 / system.bodies[b].mass;
        scale_ = b == 0 ? system.bodies[b].length : std::max(scale_, system.bodies[b].length);
        if (system.bodies[b].ballast.maxCoeff() > 0) ballasted_.push_back(b);
    }
    ballast_.resize(nb);
    if (!(scale_ > 0)) scale_ = 1;
    inverse_moments_.assign(nb, Vec3::Zero());
    first_frame_.assign(nb + 1, 0);
    for (int b = 0; b < nb; ++b) {
        inverse_moments_[b] = (system.bodies[b].inertia + system.bodies[b].ballast).cwiseInverse();
        first_frame_[b] = static_cast<int>(frames_by_body_.size());
        for (std::size_t f = 0; f < frames.size(); ++f)
            if (system.frames[f].body == b) frames_by_body_.push_back(static_cast<int>(f));
    }
    first_frame_[nb] = static_cast<int>(frames_by_body_.size());
    unit_mass_.assign(nb + 1, 1);
    unit_inertia_.assign(nb + 1, Mat3::Identity() / (scale_ * scale_));
    unit_mass_[nb] = 0;
    unit_inertia_[nb].setZero();

    for (std::size_t k = 0; k < blocks; ++k) {
        Block block{system.blocks[k].first, system.blocks[k].count, system.blocks[k].count, static_cast<int>(set.ends.size()), 0, true, nullptr};
        for (int r = block.first; r < block.first + block.all; ++r) {
            const Quantity& q = system.quantities[system.rows[r].quantity];
            if (q.count != 1) block.plain = false;
            for (int t = q.first; t < q.first + q.count; ++t) {
                const Measure& m = system.measures[system.terms[t].measure];
                for (int frame : {m.a, m.b}) {
                    const int body = system.frames[frame].body;
                    bool known = body == nb;
                    for (std::size_t e = block.first_end; e < set.ends.size(); ++e) known = known || set.ends[e].body == body;
                    if (!known) {
                        End end{};
                        end.body = body;
                        set.ends.push_back(end);
                    }
                }
            }
        }
        block.ends = static_cast<int>(set.ends.size()) - block.first_end;
        set.blocks.push_back(block);
    }
    std::vector<char> first(blocks, 0);
    solver = BlockSolver(set, elimination_order(set, first));
    for (std::size_t k = 0; k < blocks; ++k) first[k] = system.rows[set.blocks[k].first].drive;
    selector_ = BlockSolver(set, elimination_order(set, first));

    for (BlockVector* x : {&phi, &gamma, &lam, &lam_free, &floor_, &share_, &best_}) x->assign(blocks, Column{});
    low_.assign(blocks, 0);
    root_.assign(blocks, 0);
    best_root_.assign(blocks, 0);
    chosen_.assign(blocks, Column{});
    independent_.assign(system.rows.size(), 0);
    drive_values.assign(system.rows.size(), Jet{});
    position.assign(system.rows.size(), 0);
    turns_.assign(system.turns, 0);
    jets_.resize(system.scratch);
    numbers_.resize(system.scratch);
    std::size_t most = 1;
    for (const Law& law : system.laws) most = std::max(most, law.inputs.size());
    inputs_.resize(most);
    patterns_.reserve(blocks);
    joints_.reserve(blocks);
    directions_.resize(blocks);
    loose_ends_.reserve(set.ends.size());
    simple_.reserve(system.rows.size());
    combined_.reserve(system.terms.size());
    driven_.reserve(system.rows.size());
    candidates.assign(system.rows.size(), 1);
    activate(candidates);
}

int Dynamics::end_of(int block, int body) const {
    const Block& b = set.blocks[block];
    for (int e = b.first_end; e < b.first_end + b.ends; ++e)
        if (set.ends[e].body == body) return e;
    return -1;
}

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
    build_lists();
}

void Dynamics::build_lists() {
    patterns_.clear();
    joints_.clear();
    loose_ends_.clear();
    simple_.clear();
    combined_.clear();
    driven_.clear();
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
        if (row.function >= 0) driven_.push_back(static_cast<int>(r));
        if (whole) continue;
        for (int t = q.first; t < q.first + q.count; ++t) {
            const Measure& m = system_.measures[system_.terms[t].measure];
            const ActiveRow active{system_.terms[t].measure, row.block, position[r], end_of(row.block, system_.frames[m.a].body),
                                   end_of(row.block, system_.frames[m.b].body), system_.terms[t].factor};
            (q.count == 1 && active.factor == 1 ? simple_ : combined_).push_back(active);
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
        if (q.count != 1 || system_.terms[q.first].factor != 1 || !joins) return false;
        if (first) joint.a = m.a, joint.b = m.b;
        if (joint.a != m.a || joint.b != m.b) return false;
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
inline __attribute__((always_inline)) Column pick(const Column* selector, const Mat3& axes, int c) {
    Column x = selector[0];
    x.scale(axes(c, 0));
    x.add(selector[1], axes(c, 1));
    x.add(selector[2], axes(c, 2));
    return x;
}

// out = s x e, for a vector s and columns e
inline __attribute__((always_inline)) void cross(Column* out, const Vec3& s, const Column* e) {
    for (int c = 0; c < 3; ++c) {
        const int i = (c + 1) % 3, j = (c + 2) % 3;
        out[c].clear();
        out[c].add(e[j], s[i]);
        out[c].subtract(e[i], s[j]);
    }
}

inline __attribute__((always_inline)) Column dot(const Column* x, const Vec3& v) {
    Column sum = x[0];
    sum.scale(v[0]);
    sum.add(x[1], v[1]);
    sum.add(x[2], v[2]);
    return sum;
}

// ang K
inline __attribute__((always_inline)) void weigh(Column* out, const Column* ang, const Mat3& K) {
    for (int c = 0; c < 3; ++c) {
        Column sum = ang[0];
        sum.scale(K(0, c));
        sum.add(ang[1], K(1, c));
        sum.add(ang[2], K(2, c));
        out[c] = sum;
    }
}

inline __attribute__((always_inline)) void put(End& end, const Column* lin, const Column* ang, const Mat3& K) {
    for (int c = 0; c < 3; ++c) {
        end.lin[c] = lin[c];
        end.ang[c] = ang[c];
    }
    weigh(end.weighed, ang, K);
}

inline __attribute__((always_inline)) void multiply_add(Column& sum, const Column& a, const Column& b) {
    sum.head += a.head * b.head;
    sum.tail += a.tail * b.tail;
}

inline __attribute__((always_inline)) void multiply_subtract(Column& sum, const Column& a, const Column& b) {
    sum.head -= a.head * b.head;
    sum.tail -= a.tail * b.tail;
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
        multiply_add(turn[c], f[i], h[j]);
        multiply_subtract(turn[c], f[j], h[i]);
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
        multiply_add(sum, pick(pattern.f, a.axes, c), pick(pattern.h, b.axes, c));
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
    for (int c = 0; c < 3; ++c) multiply_add(both, d.f[c], d.h[c]);
    multiply_subtract(sum, fa, ha);
    multiply_subtract(sum, fb, hb);
    multiply_add(sum, fb, ha);
    multiply_add(sum, fb, ha);
    sum.add(both, (A.w - B.w).squaredNorm());
    gamma[joint.block] = sum;
}

namespace {

V4 vector4(const Vec3& x) { return V4{x[0], x[1], x[2], 0}; }

// Writes three numbers and one more beyond them, to be overwritten or of no meaning
void spill(double* to, const V4& x) { *reinterpret_cast<V4*>(to) = x; }

}  // namespace

void Dynamics::load_positions(const double* y) {
    const int nb = system_.ground();
    for (int b = 0; b < nb; ++b) {
        const double* x = y + body_size * b;
        BodyWork& body = bodies[b];
        const Mat3 A = rotation(x + at_p);
        const V4 a0 = vector4(A.col(0)), a1 = vector4(A.col(1)), a2 = vector4(A.col(2)), r{x[0], x[1], x[2], 0};
        body.A = A;
        body.r = Vec3(x[0], x[1], x[2]);
        const Vec3& j = inverse_moments_[b];  // K = A diag(1/J) A^T
        for (int c = 0; c < 3; ++c)
            spill(&inverse_inertia[b](0, c), a0 * (j[0] * A(c, 0)) + a1 * (j[1] * A(c, 1)) + a2 * (j[2] * A(c, 2)));
        for (int n = first_frame_[b]; n < first_frame_[b + 1]; ++n) {
            const Frame& frame = system_.frames[frames_by_body_[n]];
            FrameWork& out = frames[frames_by_body_[n]];
            const V4 s = a0 * frame.s[0] + a1 * frame.s[1] + a2 * frame.s[2];
            spill(&out.s[0], s);
            spill(&out.p[0], r + s);
            for (int c = 0; c < 3; ++c) spill(&out.axes(0, c), a0 * frame.R(0, c) + a1 * frame.R(1, c) + a2 * frame.R(2, c));
        }
    }
}

void Dynamics::load_velocities(const double* y) {
    const int nb = system_.ground();
    for (int b = 0; b < nb; ++b) {
        bodies[b].v = Map3(y + body_size * b + at_v);
        bodies[b].w = Map3(y + body_size * b + at_w);
    }
}

double Dynamics::measured(int m) const {
    const Measure& measure = system_.measures[m];
    const double value = measure_value(measure, frames[measure.a], frames[measure.b]);
    if (measure.turn < 0) return value;
    constexpr double round = 6.283185307179586477;
    return value + round * std::nearbyint((turns_[measure.turn] - value) / round);
}

void Dynamics::record_turns() {
    if (turns_.empty()) return;
    for (std::size_t m = 0; m < system_.measures.size(); ++m)
        if (system_.measures[m].turn >= 0) turns_[system_.measures[m].turn] = measured(static_cast<int>(m));
}

void Dynamics::store(const ActiveRow& row, const Gradient& g, bool add) {
    const auto put = [&](double& slot, double x) { slot = add ? slot + row.factor * x : x; };
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
        store(row, gradient(m, frames[m.a], frames[m.b]), true);
    }
    for (int e : loose_ends_) weigh(set.ends[e].weighed, set.ends[e].ang, weights[set.ends[e].body]);
}

void Dynamics::evaluate_drives(double t) {
    for (int r : driven_) drive_values[r] = system_.functions[system_.rows[r].function](t, jets_.data());
}

void Dynamics::values_of_rows() {
    for (const JointRows& joint : joints_) joint_values(joint);
    for (const ActiveRow& row : simple_) phi[row.block][row.place] = measured(row.measure);
    for (const ActiveRow& row : combined_) phi[row.block][row.place] = 0;
    for (const ActiveRow& row : combined_) phi[row.block][row.place] += row.factor * measured(row.measure);
    for (int r : driven_) phi[system_.rows[r].block][position[r]] -= drive_values[r].f;
}

double Dynamics::residual(double t, const double* y) {
    load_positions(y);
    evaluate_drives(t);
    values_of_rows();
    double largest = 0;
    for (std::size_t k = 0; k < phi.size(); ++k)
        for (int r = 0; r < set.blocks[k].n; ++r) {
            const double x = std::abs(phi[k][r]);
            if (!(x <= largest)) largest = x;  // also takes NaN
        }
    return largest;
}

void Dynamics::place(double t, const double* y) {
    load_positions(y);
    evaluate_drives(t);
    assemble_rows(inverse_inertia.data());
    solver.assemble(set, inverse_mass.data());
    const BlockVector& diagonal = solver.diagonal();
    for (std::size_t k = 0; k < floor_.size(); ++k) {
        floor_[k].head = share_[k].head * diagonal[k].head;
        floor_[k].tail = share_[k].tail * diagonal[k].tail;
    }
    zeroed_pivots += solver.factor(set, floor_);
    ++factorisations;
}

void Dynamics::apply_forces(double t) {
    power = 0;
    for (int b = 0; b < system_.ground(); ++b) {
        BodyWork& body = bodies[b];
        body.force.setZero();
        const Vec3 w = body.A.transpose() * body.w;
        body.torque = -(body.A * w.cross(system_.bodies[b].inertia.cwiseProduct(w)));  // -w x I w
    }
    for (const Load& load : system_.loads) {
        Vec3 f;
        for (int c = 0; c < 3; ++c) f[c] = system_.functions[load.functions[c]](t, jets_.data()).f;
        BodyWork& body = bodies[system_.frames[load.frame].body];
        const Vec3 world = load.body_axes ? Vec3(frames[load.frame].axes * f) : f;
        if (load.torque) {
            body.torque += world;
            power += world.dot(body.w);
        } else {
            body.force += world;
            body.torque += frames[load.frame].s.cross(world);
            power += world.dot(body.v + body.w.cross(frames[load.frame].s));
        }
    }
    for (std::size_t n = 0; n < system_.laws.size(); ++n) {
        const Law& law = system_.laws[n];
        double value, rate, force, spent;
        quantity(law.quantity, value, rate);
        law_force(static_cast<int>(n), t, value, rate, force, spent);
        power += spent;
        const Quantity& q = system_.quantities[law.quantity];
        for (int k = q.first; k < q.first + q.count; ++k) {
            const Measure& m = system_.measures[system_.terms[k].measure];
            const Gradient g = gradient(m, frames[m.a], frames[m.b]);
            const double f = law.sign * force * system_.terms[k].factor;
            BodyWork &a = bodies[system_.frames[m.a].body], &b = bodies[system_.frames[m.b].body];
            a.force -= f * g.lin, a.torque += f * g.on_a;
            b.force += f * g.lin, b.torque += f * g.on_b;
        }
    }
}

double Dynamics::quantity_value(int n) const {
    const Quantity& q = system_.quantities[n];
    double value = 0;
    for (int k = q.first; k < q.first + q.count; ++k) value += system_.terms[k].factor * measured(system_.terms[k].measure);
    return value;
}

void Dynamics::quantity(int n, double& value, double& rate) const {
    const Quantity& q = system_.quantities[n];
    value = quantity_value(n);
    rate = 0;
    for (int k = q.first; k < q.first + q.count; ++k) {
        const Measure& m = system_.measures[system_.terms[k].measure];
        const Gradient g = gradient(m, frames[m.a], frames[m.b]);
        const BodyWork &a = bodies[system_.frames[m.a].body], &b = bodies[system_.frames[m.b].body];
        rate += system_.terms[k].factor * (g.lin.dot(b.v - a.v) + g.on_a.dot(a.w) + g.on_b.dot(b.w));
    }
}

void Dynamics::observe_quantities(double* values, double* rates) {
    for (std::size_t q = 0; q < system_.quantities.size(); ++q) quantity(static_cast<int>(q), values[q], rates[q]);
}

void Dynamics::law_force(int n, double t, double value, double rate, double& force, double& spent) {
    const Law& law = system_.laws[n];
    if (law.kind == LawKind::Spring) {
        force = law.k * (value - law.rest) + law.c * rate + law.preload;
        spent = law.sign * law.c * rate * rate;
    } else if (law.kind == LawKind::Curve) {
        force = system_.functions[law.function].spline(value).f;
        spent = 0;
    } else {
        for (std::size_t k = 0; k < law.inputs.size(); ++k) {
            double x, v;
            quantity(law.inputs[k].quantity, x, v);
            inputs_[k] = law.inputs[k].rate ? v : x;
        }
        force = law.tape.run(t, inputs_.data(), numbers_.data());
        spent = law.sign * force * rate;
    }
}

// energy stored by a law; zero for formulas, whose work counts as power
double Dynamics::law_potential(int n) const {
    const Law& law = system_.laws[n];
    if (law.kind == LawKind::Tape) return 0;
    const double x = quantity_value(law.quantity);
    if (law.kind == LawKind::Curve) return -law.sign * system_.functions[law.function].spline_integral(x);
    return -law.sign * (0.5 * law.k * (x - law.rest) + law.preload) * (x - law.rest);
}

double Dynamics::kinetic_energy() const {
    double sum = 0;
    for (int b = 0; b < system_.ground(); ++b) {
        const Vec3 w = bodies[b].A.transpose() * bodies[b].w;
        sum += 0.5 * system_.bodies[b].mass * bodies[b].v.squaredNorm() + 0.5 * w.dot(system_.bodies[b].inertia.cwiseProduct(w));
    }
    return sum;
}

double Dynamics::potential_energy() const {
    double sum = 0;
    for (int b = 0; b < system_.ground(); ++b) sum -= system_.bodies[b].mass * system_.gravity.dot(bodies[b].r);
    for (std::size_t n = 0; n < system_.laws.size(); ++n) sum += law_potential(static_cast<int>(n));
    return sum;
}

double Dynamics::load_power(int n, double t) {
    const Load& load = system_.loads[n];
    Vec3 f;
    for (int c = 0; c < 3; ++c) f[c] = system_.functions[load.functions[c]](t, jets_.data()).f;
    const BodyWork& body = bodies[system_.frames[load.frame].body];
    const Vec3 world = load.body_axes ? Vec3(frames[load.frame].axes * f) : f;
    return load.torque ? world.dot(body.w) : world.dot(body.v + body.w.cross(frames[load.frame].s));
}

void Dynamics::free_accelerations() {
    for (int b = 0; b < system_.ground(); ++b) {
        bodies[b].free_v = system_.gravity + inverse_mass[b] * bodies[b].force;
        bodies[b].free_w = inverse_inertia[b] * bodies[b].torque;
    }
}

void Dynamics::row_bias() {
    for (const JointRows& joint : joints_) joint_bias(joint);
    for (const ActiveRow& row : simple_) {
        const Measure& m = system_.measures[row.measure];
        const int a = system_.frames[m.a].body, b = system_.frames[m.b].body;
        gamma[row.block][row.place] = -bias(m, frames[m.a], frames[m.b], bodies[a], bodies[b]);
    }
    for (const ActiveRow& row : combined_) gamma[row.block][row.place] = 0;
    for (const ActiveRow& row : combined_) {
        const Measure& m = system_.measures[row.measure];
        const int a = system_.frames[m.a].body, b = system_.frames[m.b].body;
        gamma[row.block][row.place] -= row.factor * bias(m, frames[m.a], frames[m.b], bodies[a], bodies[b]);
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
            const V4 f = dots(set.ends[e].lin, lambda), t = dots(set.ends[e].ang, lambda);
            body.reaction_f += Vec3(f[0], f[1], f[2]);
            body.reaction_t += Vec3(t[0], t[1], t[2]);
        }
    }
}

void Dynamics::solve_accelerations() {
    add_rates(lam, 1, true);
    solver.solve(set, lam);
    collect_reactions(lam);
    for (int b = 0; b < system_.ground(); ++b) {
        BodyWork& body = bodies[b];
        body.acc_v = body.free_v - inverse_mass[b] * body.reaction_f;
        body.acc_w = body.free_w - inverse_inertia[b] * body.reaction_t;
    }
}

// Ballast E stands in for a zero inertia; the torque z = E w' it takes is given back: (E^-1 - P) z = w', with P the
// response of the constrained system. Conjugate gradients with E as preconditioner: one step per distinct share of ballast.
void Dynamics::unload_ballast() {
    double rho = 0, size = 0, first = 0;
    for (int b : ballasted_) {
        BodyWork& body = bodies[b];
        const Vec3 &e = system_.bodies[b].ballast, r = body.A.transpose() * body.acc_w;
        ballast_[b].residual = e.cwiseSign().cwiseProduct(r);
        ballast_[b].direction = e.cwiseProduct(r);
        rho += ballast_[b].direction.dot(r);
        size = std::max(size, body.acc_w.cwiseAbs().maxCoeff());
    }
    for (BodyWork& body : bodies) {
        body.total_v = body.acc_v;
        body.total_w = body.acc_w;
        body.free_v.setZero();
        body.free_w.setZero();
    }
    lam_free = lam;
    for (int iteration = 0; iteration < 20 && rho > 0; ++iteration) {
        for (int b : ballasted_) bodies[b].free_w = inverse_inertia[b] * (bodies[b].A * ballast_[b].direction);
        for (Column& column : lam) column.clear();
        solve_accelerations();
        double curvature = 0, next = 0, largest = 0;
        for (int b : ballasted_) {
            const Vec3& e = system_.bodies[b].ballast;
            BallastWork& work = ballast_[b];
            for (int c = 0; c < 3; ++c) work.response[c] = e[c] > 0 ? work.direction[c] / e[c] : 0;
            work.response -= e.cwiseSign().cwiseProduct(bodies[b].A.transpose() * bodies[b].acc_w);
            curvature += work.direction.dot(work.response);
        }
        if (!(curvature > 0)) break;
        const double alpha_step = rho / curvature;
        for (std::size_t b = 0; b + 1 < bodies.size(); ++b) {
            bodies[b].total_v += alpha_step * bodies[b].acc_v;
            bodies[b].total_w += alpha_step * bodies[b].acc_w;
        }
        for (std::size_t k = 0; k < lam.size(); ++k) lam_free[k].add(lam[k], alpha_step);
        for (int b : ballasted_) {
            BallastWork& work = ballast_[b];
            work.residual -= alpha_step * work.response;
            largest = std::max(largest, work.residual.cwiseAbs().maxCoeff());
            next += work.residual.dot(system_.bodies[b].ballast.cwiseProduct(work.residual));
        }
        if (iteration == 0) first = largest;
        if (!(largest > 1e-14 * size) || (iteration > 2 && largest > first)) break;
        for (int b : ballasted_)
            ballast_[b].direction = system_.bodies[b].ballast.cwiseProduct(ballast_[b].residual) + (next / rho) * ballast_[b].direction;
        rho = next;
    }
    lam = lam_free;
    for (BodyWork& body : bodies) {
        body.acc_v = body.total_v;
        body.acc_w = body.total_w;
    }
}

void Dynamics::accelerate(double t, const double* y, double* dy) {
    ++evaluations;
    load_velocities(y);
    apply_forces(t);
    free_accelerations();
    row_bias();
    // S lam = J a_free - gamma
    for (std::size_t k = 0; k < lam.size(); ++k) {
        lam[k].clear();
        lam[k].subtract(gamma[k], 1);
    }
    if (alpha != 0 || beta != 0) {
        values_of_rows();
        for (std::size_t k = 0; k < lam.size(); ++k) lam[k].add(phi[k], beta * beta);
        add_rates(lam, 2 * alpha, false);
        for (int r : driven_) lam[system_.rows[r].block][position[r]] -= 2 * alpha * drive_values[r].d;
    }
    solve_accelerations();
    if (!ballasted_.empty()) unload_ballast();

    for (int r : driven_) power -= lam[system_.rows[r].block][position[r]] * drive_values[r].d;
    for (int b = 0; b < system_.ground(); ++b) {
        const double* x = y + body_size * b;
        double* d = dy + body_size * b;
        const BodyWork& body = bodies[b];
        const Vec3 e(x[at_p + 1], x[at_p + 2], x[at_p + 3]);
        const Vec3 de = 0.5 * (x[at_p] * body.w + body.w.cross(e));
        d[at_p] = -0.5 * body.w.dot(e);
        for (int c = 0; c < 3; ++c) {
            d[at_r + c] = body.v[c];
            d[at_p + 1 + c] = de[c];
            d[at_v + c] = body.acc_v[c];
            d[at_w + c] = body.acc_w[c];
        }
    }
    dy[system_.work_index()] = power;
}

void Dynamics::correct_positions(double* y) {
    lam_free = phi;
    solver.solve(set, lam_free);
    collect_reactions(lam_free);
    for (int b = 0; b < system_.ground(); ++b) {
        double* x = y + body_size * b;
        const Vec3 dr = inverse_mass[b] * bodies[b].reaction_f, theta = inverse_inertia[b] * bodies[b].reaction_t;
        for (int c = 0; c < 3; ++c) x[at_r + c] -= dr[c];
        turn(x + at_p, -theta);
        normalise(x + at_p);
    }
}

double Dynamics::correct_velocities(double* y) {
    load_velocities(y);
    for (Column& column : lam_free) column.clear();
    add_rates(lam_free, 1, false);
    for (int r : driven_) lam_free[system_.rows[r].block][position[r]] -= drive_values[r].d;
    double largest = 0;
    for (std::size_t k = 0; k < lam_free.size(); ++k)
        for (int r = 0; r < set.blocks[k].n; ++r) largest = std::max(largest, std::abs(lam_free[k][r]));
    solver.solve(set, lam_free);
    collect_reactions(lam_free);
    for (int b = 0; b < system_.ground(); ++b) {
        double* x = y + body_size * b;
        const Vec3 dv = inverse_mass[b] * bodies[b].reaction_f, dw = inverse_inertia[b] * bodies[b].reaction_t;
        for (int c = 0; c < 3; ++c) x[at_v + c] -= dv[c], x[at_w + c] -= dw[c];
    }
    return largest;
}

void Dynamics::keep_tangent(const double* y, double* change) {
    for (const bool velocities : {false, true}) {
        for (int b = 0; b < system_.ground(); ++b) {
            const double *p = y + body_size * b + at_p, *d = change + body_size * b;
            BodyWork& body = bodies[b];
            const Vec3 e(p[1], p[2], p[3]), de(d[at_p + 1], d[at_p + 2], d[at_p + 3]);
            body.free_v = Map3(d + (velocities ? at_v : at_r));
            // rotation of a change of quaternion: 2 dp p*
            body.free_w = velocities ? Vec3(Map3(d + at_w)) : Vec3(2 * (p[0] * de - d[at_p] * e + e.cross(de)));
        }
        for (Column& column : lam_free) column.clear();
        add_rates(lam_free, 1, true);
        solver.solve(set, lam_free);
        collect_reactions(lam_free);
        for (int b = 0; b < system_.ground(); ++b) {
            double* d = change + body_size * b;
            BodyWork& body = bodies[b];
            const Vec3 v = body.free_v - inverse_mass[b] * body.reaction_f;
            const Vec3 w = body.free_w - inverse_inertia[b] * body.reaction_t;
            if (!velocities) {
                double p[4];
                std::copy(y + body_size * b + at_p, y + body_size * b + at_p + 4, p);
                turn(p, w);
                for (int k = 0; k < 4; ++k) d[at_p + k] = p[k] - y[body_size * b + at_p + k];
            }
            for (int c = 0; c < 3; ++c) {
                d[(velocities ? at_v : at_r) + c] = v[c];
                if (velocities) d[at_w + c] = w[c];
            }
        }
    }
}

void Dynamics::select_geometric(double t, const double* y) {
    activate(candidates);
    load_positions(y);
    evaluate_drives(t);
    assemble_rows(unit_inertia_.data());
    selector_.assemble(set, unit_mass_.data());
    selector_.select(set, dependent_share, chosen_);
    for (std::size_t r = 0; r < independent_.size(); ++r)
        independent_[r] = candidates[r] && chosen_[system_.rows[r].block][position[r]] != 0;
    activate(independent_);
}

void Dynamics::select(double t, const double* y) {
    ++selections;
    select_geometric(t, y);
    for (Column& column : share_) column.clear();
    place(t, y);
    std::fill(low_.begin(), low_.end(), 0);
    for (std::size_t k = 0; k < best_.size(); ++k)
        for (int r = 0; r < set.blocks[k].n; ++r) {
            best_[k][r] = solver.pivots()[k][r] / solver.diagonal()[k][r];
            share_[k][r] = singular_share * best_[k][r];
        }
    for (std::size_t k = 0; k < root_.size(); ++k) best_root_[k] = root_[k] = 0;  // no trend yet
    crossing = std::numeric_limits<double>::infinity();
}

double Dynamics::foresee(double t) const {
    double soonest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < root_.size(); ++k) {
        const double root = std::sqrt(std::max(0.0, solver.left(set, static_cast<int>(k), inverse_mass.data())));
        if (root < root_[k] && root < 0.5 * best_root_[k]) soonest = std::min(soonest, t + root * (t - watched_) / (root_[k] - root));
    }
    return soonest;
}

bool Dynamics::watch(double t) {
    bool renew = false;
    crossing = foresee(t);
    lowest_now = 1;
    for (std::size_t k = 0; k < best_.size(); ++k) {
        bool low = false;
        for (int r = 0; r < set.blocks[k].n; ++r) {
            const double share = solver.pivots()[k][r] / solver.diagonal()[k][r];
            lowest_now = std::min(lowest_now, share / best_[k][r]);
            lowest_share = std::min(lowest_share, lowest_now);
            low = low || share < 1e-6 * best_[k][r];
            if (share > best_[k][r]) {
                best_[k][r] = share;
                share_[k][r] = singular_share * share;
            }
        }
        low_[k] = low ? low_[k] + 1 : 0;
        root_[k] = std::sqrt(std::max(0.0, solver.left(set, static_cast<int>(k), inverse_mass.data())));
        best_root_[k] = std::max(best_root_[k], root_[k]);
        renew = renew || low_[k] > 10;
    }
    watched_ = t;
    // rows left out must follow from the others; if not, the choice no longer fits
    double speed = 0;
    for (const BodyWork& body : bodies)
        speed = std::max(speed, std::max(body.v.cwiseAbs().maxCoeff(), scale_ * body.w.cwiseAbs().maxCoeff()));
    for (std::size_t r = 0; r < taken.size() && !renew; ++r) {
        if (taken[r] || !candidates[r]) continue;
        double value, rate;
        quantity(system_.rows[r].quantity, value, rate);
        const Jet f = system_.rows[r].function < 0 ? Jet{} : system_.functions[system_.rows[r].function](t, jets_.data());
        renew = std::abs(value - f.f) > 1e-6 * scale_ || std::abs(rate - f.d) > 1e-5 * (speed + 1e-3);
    }
    return renew;
}

void Dynamics::all_residuals(double t, const double* y, double* values, double* rates) {
    load_positions(y);
    load_velocities(y);
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const Row& row = system_.rows[r];
        const Jet f = row.function < 0 ? Jet{} : system_.functions[row.function](t, jets_.data());
        quantity(row.quantity, values[r], rates[r]);
        values[r] -= f.f;
        rates[r] -= f.d;
    }
}

}  // namespace vincolo
