#include "slopes.hpp"

#include <algorithm>
#include <cmath>

#include "contact/contacts.hpp"
#include "quaternion.hpp"

namespace vincolo {

namespace {

using Number = Dual<12>;

// Columns x -> e_k x x
Mat3 crossed(const Vec3& x) {
    Mat3 out;
    for (int k = 0; k < 3; ++k) out.col(k) = Vec3::Unit(k).cross(x);
    return out;
}

void seed(Vec3Of<Number>& x, const Mat3& slopes, int first) {
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k) x[c].d[first + k] = slopes(c, k);
}

// A frame that is displaced with its body by the six variables from `first` on; -1: it stays
FrameWorkOf<Number> displaced(const FrameWork& frame, int first) {
    FrameWorkOf<Number> out{frame.s.cast<Number>(), frame.p.cast<Number>(), frame.axes.cast<Number>(), 0};
    if (first < 0) return out;
    const Mat3 lever = crossed(frame.s);
    seed(out.s, lever, first + 3);
    seed(out.p, Mat3::Identity(), first);
    seed(out.p, lever, first + 3);
    for (int j = 0; j < 3; ++j) {
        Vec3Of<Number> axis = out.axes.col(j);
        seed(axis, crossed(frame.axes.col(j)), first + 3);
        out.axes.col(j) = axis;
    }
    return out;
}

TwistOf<Number> sped_up(const Twist& u, int first) {
    TwistOf<Number> out{u.v.cast<Number>(), u.w.cast<Number>()};
    if (first < 0) return out;
    seed(out.v, Mat3::Identity(), first);
    seed(out.w, Mat3::Identity(), first + 3);
    return out;
}

void add_block(Triplets& out, int row, int column, const Mat3& block) {
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) out.add(row + r, column + c, block(r, c));
}

}  // namespace

Slopes::Slopes(const System& system) : system_(system), all_(system), none_(system.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()}) {
    std::size_t most = 1;
    for (const Quantity& q : system.quantities) most = std::max(most, 2 * static_cast<std::size_t>(q.count));
    for (const Law& law : system.laws) most = std::max(most, law.formula.readings.size());
    for (const Auxiliary& state : system.auxiliaries) most = std::max(most, state.rate.readings.size());
    for (std::vector<double>* x : {&numbers_, &adjoints_}) x->resize(system.scratch);
    jets_.resize(system.scratch);
    for (std::vector<double>* x : {&inputs_, &partials_, &slopes_}) x->resize(most);
    jet_inputs_.resize(most);
}

void Slopes::load(double t, const double* y, const double* turns) {
    std::copy(turns, turns + system_.turns, all_.placement.turns.values().begin());
    y_.assign(y, y + system_.state_size());
    all_.load_positions(t, y);
    all_.load_motion(t, y);
    moving_ = all_.placement.speed() > 0;
}

void Slopes::forces(double t, const double* y, const double* turns, Triplets& mass, std::vector<double>& Q) {
    load(t, y, turns);
    Q.resize(6 * system_.bodies.size());
    for (int b = 0; b < system_.ground(); ++b) {
        const Push push = all_.forces.on(b);
        for (int c = 0; c < 3; ++c) Q[6 * b + c] = push.f[c], Q[6 * b + 3 + c] = push.t[c];
        for (int c = 0; c < 3; ++c) mass.add(6 * b + c, 6 * b + c, system_.bodies[b].mass);
        add_block(mass, 6 * b + 3, 6 * b + 3, inertia_of(b));
    }
}

Mat3 Slopes::inertia_of(int b) const {
    const Body& body = system_.bodies[b];
    const Mat3 &A = all_.placement.bodies()[b].A, idle = Mat3::Identity() - body.held;
    return A * (Mat3(body.inertia.asDiagonal()) + idle * body.ballast.asDiagonal()) * A.transpose();
}

void Slopes::measure(int n, Row& row, Change& change) const {
    const Measure& m = system_.measures[n];
    const auto place = [&](int frame, int first) {
        return displaced(all_.placement.frames()[frame], system_.frames[frame].body == system_.ground() ? -1 : first);
    };
    const GradientOf<Number> g = gradient(m, place(m.a, 0), place(m.b, 6));
    for (int c = 0; c < 3; ++c) {
        const Number* parts[] = {&g.lin[c], &g.on_a[c], &g.lin[c], &g.on_b[c]};
        for (int part = 0; part < 4; ++part) {
            const double sign = part == 0 ? -1 : 1;
            row[3 * part + c] = sign * parts[part]->f;
            change.row(3 * part + c) = sign * parts[part]->d.matrix().transpose();
        }
    }
}

// Whether its rate and bias have no slope by positions and no first order in the velocities where nothing moves
bool Slopes::smooth_at_rest(const Quantity& q) const {
    for (int k = q.first; k < q.first + q.count; ++k)
        if (all_.placement.moves(system_.terms[k].measure)) return false;
    if (q.formula < 0) return true;
    const Formula& formula = system_.formulas[q.formula];
    const auto timed = [](const Instruction& in) { return in.op == Op::Time; };
    return !formula.rates && std::none_of(formula.tape.code.begin(), formula.tape.code.end(), timed);
}

void Slopes::find_local(int n, double t, Local& out) {
    const Quantity& q = system_.quantities[n];
    const int size = sides * q.count;
    out.first.clear();
    for (Eigen::VectorXd* x : {&out.row, &out.rate_by_position, &out.bias_by_position, &out.bias_by_velocity}) x->setZero(size);
    out.change.setZero(size, size);
    const bool smooth = smooth_at_rest(q);
    Row row;
    Change change;
    for (int k = 0; k < q.count; ++k) {
        const Measure& m = system_.measures[system_.terms[q.first + k].measure];
        const double factor = all_.quantities.factor(q.first + k);
        for (int frame : {m.a, m.b}) {
            const int body = system_.frames[frame].body;
            out.first.push_back(body == system_.ground() ? -1 : 6 * body);
        }
        measure(system_.terms[q.first + k].measure, row, change);
        out.row.segment<sides>(sides * k) = factor * row;
        out.change.block<sides, sides>(sides * k, sides * k) = factor * change;
        if (smooth && q.formula < 0 && moving_) move_measure(q.first + k, sides * k, out);
    }
    out.value_by_position = out.row;
    if (q.formula >= 0) add_curvature(n, t, out);
    if (!smooth || (q.formula >= 0 && moving_)) differ(n, t, out);
}

// Rate and bias of one measure of a sum, at the velocities of its bodies
void Slopes::move_measure(int term, int place, Local& out) const {
    const Measure& m = system_.measures[system_.terms[term].measure];
    const double factor = all_.quantities.factor(term);
    const int bodies[] = {system_.frames[m.a].body, system_.frames[m.b].body}, ground = system_.ground();
    const Twist u[] = {all_.placement.velocities()[bodies[0]], all_.placement.velocities()[bodies[1]]};
    const FrameWork &a = all_.placement.frames()[m.a], &b = all_.placement.frames()[m.b];
    const int at_a = bodies[0] == ground ? -1 : 0, at_b = bodies[1] == ground ? -1 : 6;
    const Number by_position = bias(m, displaced(a, at_a), displaced(b, at_b), sped_up(u[0], -1), sped_up(u[1], -1));
    const Number by_velocity = bias(m, displaced(a, -1), displaced(b, -1), sped_up(u[0], at_a), sped_up(u[1], at_b));
    out.bias_by_position.segment<sides>(place) = factor * by_position.d.matrix();
    out.bias_by_velocity.segment<sides>(place) = factor * by_velocity.d.matrix();
    Row speeds;
    speeds << u[0].v, u[0].w, u[1].v, u[1].w;
    out.rate_by_position.segment<sides>(place) = out.change.block<sides, sides>(place, place).transpose() * speeds;
}

// Second derivative of a formula by two of its inputs: d^2/ds^2 along x + s (e_i + e_j) has it twice
double Slopes::second(const Formula& formula, double t, int i, int j) {
    const auto along = [&](int a, int b) {
        for (std::size_t k = 0; k < jet_inputs_.size(); ++k) jet_inputs_[k] = {inputs_[k], 0, 0};
        jet_inputs_[a].d += 1;
        if (b >= 0) jet_inputs_[b].d += 1;
        return formula.tape.run(constant<Jet>(t), jet_inputs_.data(), jets_.data(), formula.parts.data()).dd;
    };
    return i == j ? along(i, -1) : 0.5 * (along(i, j) - along(i, -1) - along(j, -1));
}

// Of g(m_1, m_2, ...): dJ has J_k^T g_kl J_l besides what the measures have; of one with rates the factors g_k are those of rates
void Slopes::add_curvature(int n, double t, Local& out) {
    const Quantity& q = system_.quantities[n];
    const Formula& formula = system_.formulas[q.formula];
    std::vector<Row> rows(q.count);
    Change unused;
    for (int k = 0; k < q.count; ++k) {
        const Term& term = system_.terms[q.first + k];
        inputs_[k] = term.factor * all_.quantities.formula_gradient(q.first + k).value;
        inputs_[q.count + k] = 0;
        measure(term.measure, rows[k], unused);
        rows[k] *= term.factor;
    }
    for (int k = 0; k < q.count; ++k)
        for (int l = 0; l < q.count; ++l) {
            const double curvature = second(formula, t, formula.rates ? q.count + k : k, l);
            out.change.block<sides, sides>(sides * k, sides * l) += curvature * rows[k] * rows[l].transpose();
        }
    if (!formula.rates) return;
    formula.tape.run(t, inputs_.data(), numbers_.data(), formula.parts.data());
    formula.tape.gradient(numbers_.data(), adjoints_.data(), 2 * q.count, partials_.data(), formula.parts.data(), jets_.data());
    for (int k = 0; k < q.count; ++k) out.value_by_position.segment<sides>(sides * k) = partials_[k] * rows[k];
}

// Displacements 0 to 5 of the body whose columns begin at `first`, or its velocities 6 to 11
void Slopes::displace(int direction, int first, double h) {
    double* x = at_.data() + body_size * (first / 6);
    if (direction >= 6) x[at_v + direction - 6] += h;
    else if (direction < 3) x[at_r + direction] += h;
    else rotate_quaternion(x + at_p, h * Vec3::Unit(direction - 3));
}

// Rate and bias by central differences, improved by those of twice the step
void Slopes::differ(int n, double t, Local& out) {
    const double length = all_.placement.size, speed = std::max(1.0, all_.placement.speed());
    for (std::size_t side = 0; side < out.first.size(); ++side) {
        if (out.first[side] < 0) continue;
        if (std::find(out.first.begin(), out.first.begin() + side, out.first[side]) != out.first.begin() + side) continue;  // done
        for (int direction = 0; direction < 12; ++direction) {
            const double h = 1e-4 * (direction < 3 ? length : direction < 6 ? 1 : speed);
            double rates[4], biases[4], value;
            const double steps[] = {h, -h, 2 * h, -2 * h};
            for (int k = 0; k < 4; ++k) {
                at_ = y_;
                displace(direction, out.first[side], steps[k]);
                all_.load_positions(t, at_.data());
                all_.placement.load_velocities(at_.data());
                all_.quantities.read(n, value, rates[k]);
                biases[k] = all_.quantities.acceleration(n, none_);
            }
            const auto slope = [&](const double* f) { return (8 * (f[0] - f[1]) - (f[2] - f[3])) / (12 * h); };
            const int place = 6 * static_cast<int>(side) + direction % 6;
            if (direction < 6) out.rate_by_position[place] = slope(rates);
            (direction < 6 ? out.bias_by_position : out.bias_by_velocity)[place] = slope(biases);
        }
    }
    all_.load_positions(t, y_.data());
    all_.placement.load_velocities(y_.data());
}

void Slopes::find(double t, const double* y, const double* turns, const double* lam, const double* acceleration, SlopesFound& out) {
    load(t, y, turns);
    add_inertia(acceleration, out);
    add_loads(t, out);
    add_states(t, out);
    add_laws(t, out);
    add_rows(t, lam, acceleration, out);
}

void Slopes::add_rows(double t, const double* lam, const double* acceleration, SlopesFound& out) {
    system_.rows_at(y_.data(), holds_);
    for (int r = 0; r < static_cast<int>(system_.rows.size()); ++r) {
        if (!holds_[r]) continue;
        find_local(system_.rows[r].quantity, t, own_);
        Eigen::VectorXd du = Eigen::VectorXd::Zero(own_.row.size());
        for (std::size_t s = 0; s < own_.first.size(); ++s)
            for (int c = 0; c < 6 && own_.first[s] >= 0; ++c) du[6 * s + c] = acceleration[own_.first[s] + c];
        const Eigen::VectorXd gamma = -own_.bias_by_position - own_.change.transpose() * du;
        const bool has_rate = system_.rows[r].level != Level::Acceleration;
        for (int k = 0; k < own_.row.size(); ++k) {
            if (own_.first[k / 6] < 0) continue;
            const int column = own_.first[k / 6] + k % 6;
            out.gamma_by_position.add(r, column, gamma[k]);
            out.gamma_by_velocity.add(r, column, -own_.bias_by_velocity[k]);
            if (has_rate) out.rate_by_position.add(r, column, own_.rate_by_position[k]);
            for (int c = 0; c < own_.row.size(); ++c)
                if (own_.first[c / 6] >= 0) out.force_by_position.add(own_.first[c / 6] + c % 6, column, -lam[r] * own_.change(c, k));
        }
    }
}

void Slopes::add_laws(double t, SlopesFound& out) {
    for (std::size_t n = 0; n < system_.laws.size(); ++n) add_law(static_cast<int>(n), t, out);
    // Points of contact wander over shapes, and their number changes: by central differences
    Contacts* contacts = all_.forces.contacts();
    if (!contacts || contacts->find(false).empty()) return;
    std::vector<char> touched(system_.bodies.size() + 1, 0);
    for (const Spot& touch : contacts->find(false)) touched[touch.a] = touched[touch.b] = 1;
    Pushes ahead(touched.size(), {Vec3::Zero(), Vec3::Zero()}), behind = ahead;
    for (int b = 0; b < system_.ground(); ++b)
        for (int direction = 0; direction < 12 && touched[b]; ++direction) {
            const double h = 1e-7 * (direction < 3 ? all_.placement.size : 1);
            for (Pushes* push : {&ahead, &behind}) {
                at_ = y_;
                displace(direction, 6 * b, push == &ahead ? h : -h);
                all_.load_positions(t, at_.data());
                all_.placement.load_velocities(at_.data());
                clear(*push);
                contacts->push(*push);
            }
            Triplets& by = direction < 6 ? out.force_by_position : out.force_by_velocity;
            for (int k = 0; k < system_.ground(); ++k)
                for (int c = 0; c < 6 && touched[k]; ++c) {
                    const double change = c < 3 ? ahead[k].f[c] - behind[k].f[c] : ahead[k].t[c - 3] - behind[k].t[c - 3];
                    by.add(6 * k + c, 6 * b + direction % 6, change / (2 * h));
                }
        }
    all_.load_positions(t, y_.data());
    all_.placement.load_velocities(y_.data());
}

// Of sign F J^T: sign (F dJ^T + J^T dF), with dF from all that the law reads
void Slopes::add_law(int n, double t, SlopesFound& out) {
    const Law& law = system_.laws[n];
    double value, rate, force, spent;
    find_local(law.quantity, t, own_);
    all_.quantities.read(law.quantity, value, rate);
    all_.forces.law(n, t, value, rate, force, spent);
    push_.clear();
    each(own_, [&](int c, int row) {
        push_.push_back({row, law.sign * own_.row[c]});
        each(own_, [&](int k, int column) { out.force_by_position.add(row, column, law.sign * force * own_.change(c, k)); });
    });
    all_.forces.law_partials(n, t, slopes_.data());
    add_readings(law.formula.readings, t, law.quantity, {out.force_by_position, out.force_by_velocity, out.force_by_state});
    if (is_closed(system_, law.quantity, value)) add_across(n, out);
}

template <class Use>
void Slopes::each(const Local& x, const Use& use) {
    for (int k = 0; k < x.row.size(); ++k)
        if (x.first[k / 6] >= 0) use(k, x.first[k / 6] + k % 6);
}

// push_ times the slopes of what is read, as slopes_ has them; own_ is that of the quantity `known`
void Slopes::add_readings(const std::vector<Reading>& readings, double t, int known, const By& out) {
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const auto [source, read] = readings[i];
        if (slopes_[i] == 0 || source == Source::Force) continue;  // reactions are found by whoever solves with these slopes
        if (source == Source::Auxiliary) {
            for (const auto& [row, share] : push_) out.state.add(row, read, share * slopes_[i]);
            continue;
        }
        if (read != known) find_local(read, t, other_);
        const Local& input = read == known ? own_ : other_;
        const bool by_rate = source == Source::Rate;
        for (const auto& [row, share] : push_)
            each(input, [&, row = row, slope = share * slopes_[i]](int k, int column) {
                out.position.add(row, column, slope * (by_rate ? input.rate_by_position[k] : input.value_by_position[k]));
                if (by_rate) out.velocity.add(row, column, slope * input.row[k]);
            });
    }
}

void Slopes::add_states(double t, SlopesFound& out) {
    for (int n = 0; n < static_cast<int>(system_.auxiliaries.size()); ++n) {
        const Auxiliary& state = system_.auxiliaries[n];
        if (state.slope >= 0) out.state_by_state.add(n, state.slope, 1);
        if (state.rate.tape.code.empty()) continue;
        push_.assign(1, {n, 1.0});
        all_.auxiliaries.partials(n, t, slopes_.data());
        add_readings(state.rate.readings, t, -1, {out.state_by_position, out.state_by_velocity, out.state_by_state});
    }
}

// A lever, and what is given in body axes, turn with the body: f' = dtheta x f, (s x f)' = (dtheta x s) x f + s x f'
void Slopes::add_loads(double t, SlopesFound& out) {
    for (const Load& load : system_.loads) {
        const int body = system_.frames[load.frame].body;
        if (body == system_.ground()) continue;
        const Vec3 f = all_.forces.load_vector(load, t), s = all_.placement.frames()[load.frame].s;
        for (int k = 0; k < 3; ++k) {
            const Vec3 turned = load.body_axes ? Vec3(Vec3::Unit(k).cross(f)) : Vec3(Vec3::Zero());
            const Vec3 torque = load.torque ? turned : Vec3(Vec3::Unit(k).cross(s).cross(f) + s.cross(turned));
            for (int c = 0; c < 3; ++c) {
                if (!load.torque) out.force_by_position.add(6 * body + c, 6 * body + 3 + k, turned[c]);
                out.force_by_position.add(6 * body + 3 + c, 6 * body + 3 + k, torque[c]);
            }
        }
    }
}

// Of (I w) x w - I w': inertias turn with the body, I' x = dtheta x I x - I (dtheta x x)
void Slopes::add_inertia(const double* acceleration, SlopesFound& out) {
    for (int b = 0; b < system_.ground(); ++b) {
        const Mat3& A = all_.placement.bodies()[b].A;
        const Mat3 I = A * system_.bodies[b].inertia.asDiagonal() * A.transpose(), whole = inertia_of(b);
        const Vec3 w = all_.placement.velocities()[b].w, alpha(acceleration[6 * b + 3], acceleration[6 * b + 4], acceleration[6 * b + 5]);
        const Vec3 spin = I * w, moment = whole * alpha;
        Mat3 by_position, by_velocity;
        for (int k = 0; k < 3; ++k) {
            const Vec3 e = Vec3::Unit(k);
            const Vec3 turned = e.cross(spin) - I * e.cross(w);
            by_position.col(k) = turned.cross(w) - e.cross(moment) + whole * e.cross(alpha);
            by_velocity.col(k) = Vec3(I.col(k)).cross(w) + spin.cross(e);
        }
        add_block(out.force_by_position, 6 * b + 3, 6 * b + 3, by_position);
        add_block(out.force_by_velocity, 6 * b + 3, 6 * b + 3, by_velocity);
    }
}

}  // namespace vincolo
