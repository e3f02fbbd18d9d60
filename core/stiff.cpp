#include "stiff.hpp"

#include <algorithm>
#include <cmath>

#include "elimination.hpp"

namespace vincolo {

namespace {

double size_of(const Twists& one, const Twists& other, const std::vector<double>& states) {
    double size = 0;
    for (double z : states) size = std::max(size, std::abs(z));
    for (const Twists* x : {&one, &other})
        for (const Twist& u : *x) size = std::max(size, std::max(largest(u.v), largest(u.w)));
    return size;
}

}  // namespace

StiffSolver::StiffSolver(Dynamics& dynamics, bool with_states)
    : dynamics_(dynamics), set_(dynamics.rows.set()), joints_(static_cast<int>(dynamics.rows.set().blocks.size())), 
      couplings_(dynamics, with_states) {
    const System& system = dynamics.system();
    for (int n = couplings_.joined(); n < couplings_.size(); ++n) {
        const Couplings::Line& line = couplings_.line(couplings_.answer(n).line);
        const Quantity& q = system.quantities[line.quantity];
        laws_.push_back({n, static_cast<int>(set_.blocks.size())});
        set_.blocks.push_back({-1, 1, 1, static_cast<int>(set_.ends.size()), line.count, false, nullptr, holds_to_ground(system, q)});
        for (int k = line.first; k < line.first + line.count; ++k) {
            set_.ends.push_back(End{});
            set_.ends.back().body = couplings_.touch(k).body;
        }
    }
    const std::vector<char> first(set_.blocks.size(), 0);
    solver_ = BlockSolver(set_, elimination(set_, first));
    for (BlockVector* x : {&z_, &least_, &none_}) x->assign(set_.blocks.size(), Column{});
    for (Column& column : least_)
        for (int r = 0; r < block_rows; ++r) column[r] = singular_share;
    hubs_.resize(solver_.hubs());
    push_.resize(system.bodies.size());
    force_.assign(system.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    response_.resize(system.bodies.size() + 1);
    inverse_inertia_.assign(system.bodies.size(), Mat3::Zero());
    complement_.resize(couplings_.joined());
    responses_.assign(couplings_.joined(), Twists(system.bodies.size()));
    reactions_.assign(couplings_.joined(), BlockVector(joints_, Column{}));
    P_.setZero(couplings_.lines(), couplings_.joined());
    for (std::vector<double>* x : {&along_, &moved_}) x->assign(couplings_.lines(), 0);
}

void StiffSolver::copy_joints() {
    for (int k = 0; k < joints_; ++k) set_.blocks[k] = dynamics_.rows.set().blocks[k];
    std::copy(dynamics_.rows.set().ends.begin(), dynamics_.rows.set().ends.end(), set_.ends.begin());
}

void StiffSolver::prepare(double t) {
    copy_joints();
    solver_.weigh_hubs(dynamics_.placement.inverse());
    std::copy_n(dynamics_.placement.inverse().inertia.begin(), inverse_inertia_.size(), inverse_inertia_.begin());
    couplings_.prepare(t);
    for (const LawRow& row : laws_) put_line(row);
}

void StiffSolver::put_line(const LawRow& row) {
    const Block& block = set_.blocks[row.block];
    const Couplings::Line& line = couplings_.line(couplings_.answer(row.answer).line);
    for (int e = 0; e < block.ends; ++e) {
        End& end = set_.ends[block.first_end + e];
        const Couplings::Touch& touch = couplings_.touch(line.first + e);
        const Vec3 weighed = inverse_inertia_[end.body] * touch.ang;
        for (int c = 0; c < 3; ++c) {
            for (Column* column : {&end.lin[c], &end.ang[c], &end.weighed[c]}) column->clear();
            end.lin[c][0] = touch.lin[c], end.ang[c][0] = touch.ang[c], end.weighed[c][0] = weighed[c];
        }
    }
}

void StiffSolver::factor(double by_rate, double by_value) {
    weight_ = by_rate;
    const auto weight = [&](const LawRow& row) { return couplings_.damping(row.answer) * by_rate + couplings_.stiffness(row.answer) * by_value; };
    for (const LawRow& row : laws_) set_.blocks[row.block].n = weight(row) > 0 ? 1 : 0;
    solver_.assemble(set_, dynamics_.placement.inverse().mass.data());
    for (const LawRow& row : laws_)
        if (set_.blocks[row.block].n) solver_.add_to_diagonal(row.block, 0, 1 / weight(row));
    solver_.factor(set_, least_);
    answering_ = false;
    if (couplings_.joined() > 0 && by_rate > 0) factor_complement(by_rate, by_value);
}

void StiffSolver::factor_complement(double by_rate, double by_value) {
    for (int n = 0; n < couplings_.joined(); ++n)
        if (!couplings_.is_state(n)) respond(n, responses_[n], reactions_[n], P_.col(n).data());
    complement_.factor(by_rate, by_value, couplings_, P_);
    answering_ = true;
}

void StiffSolver::respond(int n, Twists& x, BlockVector& mu, double* rates) {
    if (couplings_.line(couplings_.answer(n).line).count == 0) {  // a point of contact that is not there
        clear(x);
        for (int k = 0; k < joints_; ++k) mu[k].clear();
        std::fill_n(rates, couplings_.lines(), 0.0);
        return;
    }
    couplings_.free_response(couplings_.answer(n).line, push_);
    solve_given(push_, nullptr, none_, x, mu);
    couplings_.rates(x, rates);
}

void StiffSolver::answer(const Twists* moved, const double* right, Twists& x, BlockVector* mu) {
    couplings_.rates(x, along_.data());
    if (moved) couplings_.rates(*moved, moved_.data());
    complement_.solve(couplings_, along_.data(), moved ? moved_.data() : nullptr, right);
    for (int n = 0; n < couplings_.joined(); ++n) {
        if (couplings_.is_state(n)) continue;
        const double w = complement_[n];
        add_scaled(x, w, responses_[n], x.size());
        for (int k = 0; k < joints_ && mu; ++k) (*mu)[k].add(reactions_[n][k], w);
    }
}

void StiffSolver::add_forces(const BlockVector& z, Pushes& out) const {
    for (std::size_t k = 0; k < set_.blocks.size(); ++k) {
        const Block& block = set_.blocks[k];
        if (block.n == 0) continue;
        const Column lambda = z[k];
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            const Quad f = dots(set_.ends[e].lin, lambda), t = dots(set_.ends[e].ang, lambda);
            out[set_.ends[e].body].f += Vec3(f[0], f[1], f[2]);
            out[set_.ends[e].body].t += Vec3(t[0], t[1], t[2]);
        }
    }
}

void StiffSolver::put_states(double* changes) const {
    for (int n = 0; n < couplings_.joined(); ++n)
        if (couplings_.is_state(n)) changes[couplings_.answer(n).state] = complement_[n];
}

void StiffSolver::push(const Twists& moved) {
    for (Column& column : z_) column.clear();
    for (const LawRow& row : laws_)
        if (set_.blocks[row.block].n) z_[row.block][0] = weight_ * couplings_.stiffness(row.answer) * along(row, moved);
    clear(force_);
    add_forces(z_, force_);
    for (std::size_t b = 0; b < push_.size(); ++b) push_[b] = {dynamics_.placement.inverse().mass[b] * force_[b].f, inverse_inertia_[b] * force_[b].t};
}

void StiffSolver::solve(const Twists& base, const Twists& moved, Twists& x, const double* right) {
    push(moved);
    rates_of(push_, z_);
    for (const LawRow& row : laws_) z_[row.block][0] += along(row, base);
    for (std::size_t b = 0; b < push_.size(); ++b) x[b] = {base[b].v + push_[b].v, base[b].w + push_[b].w};
    hold(x);
    if (answering_) answer(&moved, right, x, nullptr);
}

// z_ <- the forces of all rows, and x as they leave it
void StiffSolver::hold(Twists& x) {
    solver_.solve(set_, z_);
    clear(force_);
    add_forces(z_, force_);
    for (int h = 0; h < solver_.hubs(); ++h) {
        const Twist &u = x[solver_.hub_body(h)], moved = solver_.hub_motion(h);
        hubs_[h] = {u.v - moved.v, u.w - moved.w};
    }
    for (std::size_t b = 0; b < x.size(); ++b) {
        x[b].v -= dynamics_.placement.inverse().mass[b] * force_[b].f;
        x[b].w -= inverse_inertia_[b] * force_[b].t;
    }
    for (int h = 0; h < solver_.hubs(); ++h) x[solver_.hub_body(h)] = hubs_[h];
}

void StiffSolver::rates_of(const Twists& x, BlockVector& out) const {
    joint_rates(x, out);
    for (const LawRow& row : laws_) out[row.block].clear(), out[row.block][0] = along(row, x);
}

void StiffSolver::joint_rates(const Twists& x, BlockVector& out) const {
    for (int k = 0; k < joints_; ++k) {
        const Block& block = set_.blocks[k];
        Column sum;
        sum.clear();
        for (int e = block.first_end; e < block.first_end + block.ends; ++e)
            for (int c = 0; c < 3; ++c) {
                sum.add(set_.ends[e].lin[c], x[set_.ends[e].body].v[c]);
                sum.add(set_.ends[e].ang[c], x[set_.ends[e].body].w[c]);
            }
        out[k] = sum;
    }
}

void StiffSolver::solve_given(const Twists& base, const Twists* moved, const BlockVector& given, Twists& x, BlockVector& mu, const double* right) {
    if (moved) push(*moved);
    for (std::size_t b = 0; b < push_.size(); ++b) {
        x[b] = base[b];
        if (moved) x[b].v += push_[b].v, x[b].w += push_[b].w;
    }
    rates_of(x, z_);
    for (int k = 0; k < joints_; ++k) z_[k].add(given[k], -1);
    hold(x);
    for (int k = 0; k < joints_; ++k) mu[k] = z_[k];
    if (answering_) answer(moved, right, x, &mu);
}

double StiffSolver::quotient(Twists& x, bool stiffness) {
    const System& system = dynamics_.system();
    double power = 0, energy = 0;
    clear(force_);
    for (const LawRow& row : laws_) {
        const double rate = along(row, x), weight = stiffness ? couplings_.stiffness(row.answer) : couplings_.damping(row.answer);
        couplings_.add_push(couplings_.answer(row.answer).line, weight * rate, force_);
        power += weight * rate * rate;
    }
    for (std::size_t b = 0; b < x.size(); ++b) {
        const Body& body = system.bodies[b];
        const Vec3 w = dynamics_.placement.bodies()[b].A.transpose() * x[b].w;
        energy += (body.mass + body.mass_ballast) * x[b].v.squaredNorm() + w.dot((body.inertia + body.ballast).cwiseProduct(w));
    }
    dynamics_.solve.respond(force_, response_);
    double size = 0;
    for (std::size_t b = 0; b < x.size(); ++b) {
        x[b] = response_[b];
        size = std::max(size, std::max(largest(x[b].v), largest(x[b].w)));
    }
    for (Twist& u : x) {
        if (size > 0) u.v /= size, u.w /= size;
    }
    if (!(size > 0)) stir(x);
    return energy > 0 ? power / energy : 0;
}

// A motion that has a share in all: no two bodies move alike, or laws between them would not be seen
void StiffSolver::stir(Twists& x) {
    for (Twist& u : x)
        for (Vec3* part : {&u.v, &u.w})
            for (int c = 0; c < 3; ++c) (*part)[c] = std::cos(2.4 * ++stirred_);
}

double StiffSolver::fastest() {
    if (decaying_.empty()) {
        decaying_.resize(push_.size());
        stir(decaying_);
        swinging_ = decaying_;
    }
    const double decay = quotient(decaying_, false), swing = quotient(swinging_, true);
    const double alone = 0.5 * decay + std::sqrt(std::max(0.25 * decay * decay, swing));
    return couplings_.joined() > 0 ? std::max(alone, fastest_joined()) : alone;
}

// Answers that are joined need not be symmetric: the iteration runs over positions and velocities, two rounds at a time, in which
// an oscillation comes back to itself
double StiffSolver::fastest_joined() {
    if (speed_.empty()) {
        for (Twists* x : {&place_, &speed_}) x->resize(push_.size()), stir(*x);
        states_.assign(couplings_.size(), 1), rates_ = states_;
        growth_ = -1;
    }
    const double before = size_of(place_, speed_, states_);
    grow();
    const double after = grow(), now = std::sqrt(after / before);
    if (!(after > 0) || !std::isfinite(after)) return speed_.clear(), 0;
    for (Twists* x : {&place_, &speed_})
        for (Twist& u : *x) u.v /= after, u.w /= after;
    for (double& z : states_) z /= after;
    growth_ = growth_ < 0 ? now : std::sqrt(growth_ * now);
    return growth_;
}

// (q, u, z) <- (u, u', z') of the answers to all of them
double StiffSolver::grow() {
    couplings_.rates(place_, moved_.data());
    couplings_.rates(speed_, along_.data());
    clear(force_);
    for (int n = 0; n < couplings_.size(); ++n) {
        const double found = couplings_.response(n, moved_.data(), along_.data(), states_.data());
        rates_[n] = couplings_.is_state(n) ? found : 0;
        if (!couplings_.is_state(n)) couplings_.add_push(couplings_.answer(n).line, found, force_);
    }
    dynamics_.solve.respond(force_, response_);
    place_.swap(speed_), states_.swap(rates_);
    std::copy_n(response_.begin(), speed_.size(), speed_.begin());
    return size_of(place_, speed_, states_);
}

}  // namespace vincolo
