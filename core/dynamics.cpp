#include "dynamics.hpp"

#include <algorithm>

namespace vincolo {

Dynamics::Dynamics(const System& system) : system_(system) {
    prepare_bodies();
    for (const BlockShape& shape : system.blocks) add_block(shape);
    std::vector<char> first(set.blocks.size(), 0);
    solver = geometer_ = BlockSolver(set, elimination_order(set, first));
    for (std::size_t k = 0; k < first.size(); ++k) first[k] = system.rows[set.blocks[k].first].drive;
    selector_ = BlockSolver(set, elimination_order(set, first));
    prepare_rows();
    activate(candidates);
}

void Dynamics::prepare_bodies() {
    const int nb = system_.ground();
    bodies.resize(nb + 1);
    for (BodyWork& body : bodies) {
        body.A.setIdentity();
        for (Vec3* x : {&body.r, &body.v, &body.w, &body.force, &body.torque, &body.free_v, &body.free_w, &body.reaction_f,
                        &body.reaction_t, &body.acc_v, &body.acc_w, &body.total_v, &body.total_w}) x->setZero();
    }
    frames.resize(system_.frames.size());
    for (std::size_t f = 0; f < frames.size(); ++f)
        if (system_.frames[f].body == nb) frames[f] = {system_.frames[f].s, system_.frames[f].s, system_.frames[f].R, 0};
    inverse_mass.assign(nb + 1, 0);
    inverse_inertia.assign(nb + 1, Mat3::Zero());  // the ground's is room for the spilling of the last body's
    inverse_moments_.assign(nb, Vec3::Zero());
    weight_share_.assign(nb, 1);
    first_frame_.assign(nb + 1, 0);
    ballast_.resize(nb);
    double longest = 0;
    for (int b = 0; b < nb; ++b) {
        const Body& body = system_.bodies[b];
        inverse_mass[b] = 1 / (body.mass + body.mass_ballast);
        if (body.mass_ballast > 0) weight_share_[b] = body.mass * inverse_mass[b];
        inverse_moments_[b] = (body.inertia + body.ballast).cwiseInverse();
        longest = std::max(longest, body.length);
        if (body.ballast.maxCoeff() > 0 || body.mass_ballast > 0) ballasted_.push_back(b);
        first_frame_[b] = static_cast<int>(frames_by_body_.size());
        for (std::size_t f = 0; f < frames.size(); ++f)
            if (system_.frames[f].body == b) frames_by_body_.push_back(static_cast<int>(f));
    }
    first_frame_[nb] = static_cast<int>(frames_by_body_.size());
    drawn_ = scale_ = longest > 0 ? longest : 1;
    lengths_.assign(nb + 1, 0);
    unit_mass.assign(nb + 1, 1);
    unit_inertia.assign(nb + 1, Mat3::Identity() / (scale_ * scale_));
    own_inertia = unit_inertia;
}

// A block with one end for every moving body that its rows touch
void Dynamics::add_block(const BlockShape& shape) {
    Block block{shape.first, shape.count, shape.count, static_cast<int>(set.ends.size()), 0, true, nullptr};
    const auto touch = [&](int frame) {
        const int body = system_.frames[frame].body;
        bool known = body == system_.ground();
        for (std::size_t e = block.first_end; e < set.ends.size(); ++e) known = known || set.ends[e].body == body;
        if (known) return;
        End end{};
        end.body = body;
        set.ends.push_back(end);
    };
    for (int r = block.first; r < block.first + block.all; ++r) {
        const Quantity& q = system_.quantities[system_.rows[r].quantity];
        block.plain = block.plain && q.count == 1;
        for (int t = q.first; t < q.first + q.count; ++t) {
            const Measure& m = system_.measures[system_.terms[t].measure];
            touch(m.a);
            touch(m.b);
        }
    }
    block.ends = static_cast<int>(set.ends.size()) - block.first_end;
    set.blocks.push_back(block);
}

// All memory of a run; nothing is allocated after this
void Dynamics::prepare_rows() {
    const std::size_t blocks = set.blocks.size(), rows = system_.rows.size();
    for (BlockVector* x : {&phi, &gamma, &lam, &lam_free, &share_, &best_, &first_, &chosen_, &least_, &none_, &scales_}) x->assign(blocks, Column{});
    for (Column& column : least_)
        for (int r = 0; r < block_rows; ++r) column[r] = dependent_share;
    root_.assign(blocks, 0);
    root_now_.assign(blocks, 0);
    best_root_.assign(blocks, 0);
    independent_.assign(rows, 0);
    former_.assign(rows, 0);
    wanted_ = former_choice_ = former_;
    weights_.assign(rows, 0);
    for (const Row& row : system_.rows) drives_ += row.drive;
    candidates.assign(rows, 1);
    // residuals of lengths are judged by the extent of the whole
    const auto length = [](MeasureKind k) { return k != MeasureKind::Cosine && k != MeasureKind::Angle && k != MeasureKind::Azimuth; };
    for (const Row& row : system_.rows) {
        const Quantity& q = system_.quantities[row.quantity];
        double scale = 1;
        for (int n = q.first; n < q.first + q.count; ++n)
            if (length(system_.measures[system_.terms[n].measure].kind)) scale = 1 / system_.extent;
        row_scale.push_back(scale);
    }
    for (const Term& term : system_.terms) factor.push_back(term.factor);
    formula_work_.resize(system_.formulas.size());
    moving_work_.resize(system_.moving.size());
    moving_of_.assign(system_.frames.size(), -1);
    for (std::size_t n = 0; n < system_.moving.size(); ++n) moving_of_[system_.moving[n].frame] = static_cast<int>(n);
    measure_time_.assign(system_.measures.size(), 0);
    for (const Measure& m : system_.measures) moving_measure_.push_back(moving_of_[m.a] >= 0 || moving_of_[m.b] >= 0);
    for (std::size_t q = 0; q < system_.quantities.size(); ++q)
        if (system_.quantities[q].formula >= 0) formula_work_[system_.quantities[q].formula] = {static_cast<int>(q), 0, 0};
    adjoints_.resize(system_.scratch);
    if (!formula_work_.empty()) term_gradients_.resize(system_.terms.size());
    drive_values.assign(rows, Jet{});
    position.assign(rows, 0);
    turns_.assign(system_.turns, 0);
    turn_rates_.assign(system_.turns, 0);
    earlier_turns_.assign(system_.turns, 0);
    earlier_rates_.assign(system_.turns, 0);
    jets_.resize(system_.scratch);
    numbers_.resize(system_.scratch);
    for (const Load& load : system_.loads) loaded_.push_back(system_.frames[load.frame].body);
    for (const Law& law : system_.laws) {
        const Quantity& q = system_.quantities[law.quantity];
        for (int t = q.first; t < q.first + q.count; ++t) {
            const Measure& m = system_.measures[system_.terms[t].measure];
            for (int frame : {m.a, m.b}) loaded_.push_back(system_.frames[frame].body);
        }
    }
    std::sort(loaded_.begin(), loaded_.end());
    loaded_.erase(std::unique(loaded_.begin(), loaded_.end()), loaded_.end());
    std::size_t most = 1;
    for (const Law& law : system_.laws) most = std::max(most, law.inputs.size());
    for (const Quantity& q : system_.quantities) most = std::max(most, 2 * static_cast<std::size_t>(q.count));
    inputs_.resize(most);
    jet_inputs_.resize(most);
    int terms = 1;
    for (const Quantity& q : system_.quantities) terms = std::max(terms, q.count);
    gradients_.resize(terms);
    patterns_.reserve(blocks);
    joints_.reserve(blocks);
    directions_.resize(blocks);
    loose_ends_.reserve(set.ends.size());
    simple_.reserve(rows);
    combined_.reserve(system_.terms.size());
    driven_.reserve(rows);
    formulas_.reserve(rows);
}

int Dynamics::end_of(int block, int body) const {
    const Block& b = set.blocks[block];
    for (int e = b.first_end; e < b.first_end + b.ends; ++e)
        if (set.ends[e].body == body) return e;
    return -1;
}

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

}  // namespace

void Dynamics::load_positions(double t, const double* y) {
    now_ = t;
    const int nb = system_.ground();
    for (int b = 0; b < nb; ++b) {
        const double* x = y + body_size * b;
        BodyWork& body = bodies[b];
        const Mat3 A = rotation(x + at_p);
        const Quad a0 = quad(A(0, 0), A(1, 0), A(2, 0)), a1 = quad(A(0, 1), A(1, 1), A(2, 1)), a2 = quad(A(0, 2), A(1, 2), A(2, 2));
        const Quad r = quad(x[0], x[1], x[2]);
        body.A = A;
        body.r = Vec3(x[0], x[1], x[2]);
        const Vec3& j = inverse_moments_[b];  // K = A diag(1/J) A^T
        for (int c = 0; c < 3; ++c)
            spill(&inverse_inertia[b](0, c), a0 * (j[0] * A(c, 0)) + a1 * (j[1] * A(c, 1)) + a2 * (j[2] * A(c, 2)));
        for (int n = first_frame_[b]; n < first_frame_[b + 1]; ++n) {
            const Frame& frame = system_.frames[frames_by_body_[n]];
            FrameWork& out = frames[frames_by_body_[n]];
            const Quad s = a0 * frame.s[0] + a1 * frame.s[1] + a2 * frame.s[2];
            spill(&out.s[0], s);
            spill(&out.p[0], r + s);
            for (int c = 0; c < 3; ++c) spill(&out.axes(0, c), a0 * frame.R(0, c) + a1 * frame.R(1, c) + a2 * frame.R(2, c));
        }
    }
    if (!moving_work_.empty()) move_frames(t);
    if (!formula_work_.empty()) refresh_formulas(t);
}

void Dynamics::scale_rows() {
    for (std::size_t r = 0; r < taken.size(); ++r)
        if (taken[r]) scales_[system_.rows[r].block][position[r]] = row_scale[r];
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
    return measure.turn < 0 ? value : unwrapped(measure, value);
}

double Dynamics::unwrapped(const Measure& measure, double value) const {
    return branch_near(value, turns_[measure.turn] + turn_rates_[measure.turn] * (now_ - turned_));
}

double Dynamics::branch_near(double angle, double expected) {
    constexpr double round = 6.283185307179586477;
    return angle + round * std::nearbyint((expected - angle) / round);
}

void Dynamics::start_turns(double t) {
    turned_ = earlier_ = t;
    std::fill(turn_rates_.begin(), turn_rates_.end(), 0);
}

double Dynamics::turn_at(int turn, double t) const {
    const double h = turned_ - earlier_, x = h > 0 ? (t - earlier_) / h : 1;
    if (x >= 1) return turns_[turn] + turn_rates_[turn] * (t - turned_);
    const double rise = turns_[turn] - earlier_turns_[turn], first = h * earlier_rates_[turn], last = h * turn_rates_[turn];
    return earlier_turns_[turn] + x * (rise + (1 - x) * (first - rise + x * (2 * rise - first - last)));
}

void Dynamics::follow_turns(const Dynamics& other) {
    turns_ = other.turns_, turn_rates_ = other.turn_rates_, turned_ = other.turned_;
    earlier_turns_ = other.earlier_turns_, earlier_rates_ = other.earlier_rates_, earlier_ = other.earlier_;
}

void Dynamics::record_turns(double t) {
    if (turns_.empty()) return;
    earlier_turns_ = turns_;
    earlier_rates_ = turn_rates_;
    earlier_ = turned_;
    for (std::size_t n = 0; n < system_.measures.size(); ++n) {
        const Measure& m = system_.measures[n];
        if (m.turn < 0) continue;
        const Gradient g = gradient(m, frames[m.a], frames[m.b]);
        const double rate = rate_of(static_cast<int>(n), g);
        turn_rates_[m.turn] = t > turned_ ? 0.5 * (turn_rates_[m.turn] + rate) : rate;  // mean over the step
        const double angle = measured(static_cast<int>(n));
        if (std::isfinite(angle)) turns_[m.turn] = angle;
        turn_rates_[m.turn] = std::isfinite(rate) ? rate : 0;
    }
    turned_ = t;
}

void Dynamics::evaluate_drives(double t) {
    for (int r : driven_) drive_values[r] = held_at(system_.rows[r], t);
}

Jet Dynamics::held_at(const Row& row, double t) {
    const Jet f = row.function < 0 ? Jet{} : system_.functions[row.function](t, jets_.data());
    if (row.level == Level::Acceleration) return {0, 0, f.f};
    if (row.level == Level::Velocity) return {0, f.f - time_rate(row.quantity), f.d};
    return {f.f, f.d - time_rate(row.quantity), f.dd};
}

void Dynamics::open_row(const Row& row, double t, double& value, double& rate) {
    quantity(row.quantity, value, rate);
    const Jet f = row.function < 0 ? Jet{} : system_.functions[row.function](t, jets_.data());
    rate -= row.level == Level::Position ? f.d : f.f;
    value -= f.f;
    if (row.level != Level::Position) value = 0;
    if (row.level == Level::Acceleration) rate = 0;
}

double Dynamics::row_rate(int r) const {
    const Block& block = set.blocks[system_.rows[r].block];
    const int at = position[r];
    double sum = 0;
    for (int e = block.first_end; e < block.first_end + block.ends; ++e)
        for (int c = 0; c < 3; ++c)
            sum += set.ends[e].lin[c][at] * bodies[set.ends[e].body].v[c] + set.ends[e].ang[c][at] * bodies[set.ends[e].body].w[c];
    return sum;
}

double Dynamics::residual(double t, const double* y) {
    load_positions(t, y);
    evaluate_drives(t);
    return placed_residual();
}

double Dynamics::placed_residual() {
    values_of_rows();
    double largest = 0;
    for (std::size_t k = 0; k < phi.size(); ++k)
        for (int r = 0; r < set.blocks[k].n; ++r) {
            const double x = std::abs(phi[k][r]) * scales_[k][r];
            if (!(x <= largest)) largest = x;  // also takes NaN
        }
    return largest;
}

double Dynamics::placed_sum() {
    double sum = 0;
    for (const Row& row : system_.rows)
        if (row.level == Level::Position) sum += std::abs(quantity_value(row.quantity) - held_at(row, now_).f);
    return sum;
}

void Dynamics::place_rows(double t, const double* y) {
    load_positions(t, y);
    evaluate_drives(t);
    assemble_rows(inverse_inertia.data());
}

void Dynamics::least_accelerations(const double* y) {
    load_velocities(y);
    for (BodyWork& body : bodies) body.free_v.setZero(), body.free_w.setZero();
    row_bias();
    for (std::size_t k = 0; k < lam.size(); ++k) lam[k].negate(gamma[k]);
    solve_accelerations(lam);
}

void Dynamics::hold_back() {
    for (Column& column : lam_free) column.clear();
    solve_accelerations(lam_free);
}

void Dynamics::place(double t, const double* y) {
    place_rows(t, y);
    solver.assemble(set, inverse_mass.data());
    zeroed_pivots += solver.factor(set, share_);
    ++factorisations;
}

// Velocities of y, and the accelerations of bodies alone under gravity: w' = -A J^-1 (w x J w)
void Dynamics::load_motion(const double* y) {
    for (int b = 0; b < system_.ground(); ++b) {
        BodyWork& body = bodies[b];
        body.v = Map3(y + body_size * b + at_v);
        body.w = Map3(y + body_size * b + at_w);
        const Vec3 w = body.A.transpose() * body.w;
        body.free_v = weight_share_[b] * system_.gravity;
        body.free_w = body.A * inverse_moments_[b].cwiseProduct(system_.bodies[b].inertia.cwiseProduct(w).cross(w));
    }
}

void Dynamics::solve_accelerations(BlockVector& multipliers) {
    add_rates(multipliers, 1, true);
    solver.solve(set, multipliers);
    collect_reactions(multipliers);
    for (int b = 0; b < system_.ground(); ++b) {
        BodyWork& body = bodies[b];
        body.acc_v = body.free_v - inverse_mass[b] * body.reaction_f;
        body.acc_w = body.free_w - inverse_inertia[b] * body.reaction_t;
    }
    // with little ballast, A diag(1/J) A^T loses in its small entries what the large one rounds off: axis by axis it does not
    for (int b : ballasted_) bodies[b].acc_w = bodies[b].free_w - bodies[b].by_axes(inverse_moments_[b], bodies[b].reaction_t);
}

void Dynamics::accelerate(double t, const double* y, double* dy) {
    ++evaluations;
    load_motion(y);
    apply_forces(t);
    row_bias();
    // S lam = J a_free - gamma
    for (std::size_t k = 0; k < lam.size(); ++k) lam[k].negate(gamma[k]);
    if (alpha != 0 || beta != 0) {
        values_of_rows();
        for (std::size_t k = 0; k < lam.size(); ++k) lam[k].add(phi[k], beta * beta);
        add_rates(lam, 2 * alpha, false);
        for (int r : driven_) lam[system_.rows[r].block][position[r]] -= 2 * alpha * drive_values[r].d;
    }
    solve_accelerations(lam);
    if (!ballasted_.empty()) unload_ballast(true);

    write_slope(y, dy);
}

double Dynamics::refine_accelerations() {
    for (BodyWork& body : bodies) body.free_v = body.acc_v, body.free_w = body.acc_w;
    for (std::size_t k = 0; k < lam_free.size(); ++k) lam_free[k].negate(gamma[k]);
    solve_accelerations(lam_free);
    double change = 0, whole = 0;
    for (std::size_t k = 0; k < lam.size(); ++k) {
        lam[k].add(lam_free[k], 1);
        for (int r = 0; r < set.blocks[k].n; ++r) change = std::max(change, std::abs(lam_free[k][r])), whole = std::max(whole, std::abs(lam[k][r]));
    }
    if (!ballasted_.empty()) unload_ballast(false);
    return whole > 0 ? change / whole : 0;
}

void Dynamics::accelerate_given(double t, const double* y, const BlockVector& multipliers, const double* before, double* dy) {
    ++evaluations;
    place_rows(t, y);
    values_of_rows();
    load_motion(y);
    apply_forces(t);
    lam = multipliers;
    collect_reactions(lam);
    for (int b = 0; b < system_.ground(); ++b) {
        BodyWork& body = bodies[b];
        const Body& given = system_.bodies[b];
        const double* last = before + body_size * b;
        body.acc_v = body.free_v + inverse_mass[b] * (given.lent_force(Map3(last + at_v)) - body.reaction_f);
        body.acc_w = body.free_w + inverse_inertia[b] * (given.lent_torque(body.A, Map3(last + at_w)) - body.reaction_t);
    }
    write_slope(y, dy);
}

void Dynamics::write_slope(const double* y, double* dy) {
    for (int r : driven_) {
        const double rate = system_.rows[r].level == Level::Acceleration ? row_rate(r) : drive_values[r].d;
        power -= lam[system_.rows[r].block][position[r]] * rate;
    }
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

void Dynamics::all_residuals(double t, const double* y, double* values, double* rates) {
    load_positions(t, y);
    load_velocities(y);
    for (std::size_t r = 0; r < system_.rows.size(); ++r) open_row(system_.rows[r], t, values[r], rates[r]);
}

}  // namespace vincolo
