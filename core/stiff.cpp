#include "stiff.hpp"

#include <algorithm>
#include <cmath>

#include "elimination.hpp"

namespace vincolo {

StiffSolver::StiffSolver(Dynamics& dynamics)
    : dynamics_(dynamics), set_(dynamics.rows.set()), joints_(static_cast<int>(dynamics.rows.set().blocks.size())) {
    const System& system = dynamics.system();
    for (std::size_t n = 0; n < system.laws.size(); ++n) {
        if (system.laws[n].kind == LawKind::Timed) continue;  // does not depend on the motion
        const Quantity& q = system.quantities[system.laws[n].quantity];
        Block block{-1, 1, 1, static_cast<int>(set_.ends.size()), 0, q.count == 1, nullptr, holds_to_ground(system, q)};
        add_ends(set_, block, system, q);
        block.ends = static_cast<int>(set_.ends.size()) - block.first_end;
        if (block.ends == 0) continue;  // between points of the ground
        laws_.push_back({static_cast<int>(n), static_cast<int>(set_.blocks.size()), 0, 0});
        set_.blocks.push_back(block);
    }
    const std::vector<char> first(set_.blocks.size(), 0);
    solver_ = BlockSolver(set_, elimination(set_, first));
    z_.assign(set_.blocks.size(), Column{});
    least_.assign(set_.blocks.size(), Column{});
    for (Column& column : least_)
        for (int r = 0; r < block_rows; ++r) column[r] = singular_share;
    hubs_.resize(solver_.hubs());
    push_.resize(system.bodies.size());
    force_.assign(system.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    response_.resize(system.bodies.size() + 1);
    inverse_inertia_.assign(system.bodies.size(), Mat3::Zero());
}

void StiffSolver::copy_joints() {
    for (int k = 0; k < joints_; ++k) set_.blocks[k] = dynamics_.rows.set().blocks[k];
    std::copy(dynamics_.rows.set().ends.begin(), dynamics_.rows.set().ends.end(), set_.ends.begin());
}

void StiffSolver::prepare(double t) {
    const System& system = dynamics_.system();
    copy_joints();
    solver_.weigh_hubs(dynamics_.placement.inverse());
    std::copy_n(dynamics_.placement.inverse().inertia.begin(), inverse_inertia_.size(), inverse_inertia_.begin());
    for (LawRow& row : laws_) {
        const Law& law = system.laws[row.law];
        const Quantity& q = system.quantities[law.quantity];
        Block& block = set_.blocks[row.block];
        for (int e = block.first_end; e < block.first_end + block.ends; ++e)
            for (int c = 0; c < 3; ++c) set_.ends[e].lin[c].clear(), set_.ends[e].ang[c].clear();
        for (int k = q.first; k < q.first + q.count; ++k) {
            const Measure& m = system.measures[system.terms[k].measure];
            const Gradient g = gradient(m, dynamics_.placement.frames()[m.a], dynamics_.placement.frames()[m.b]);
            const double f = dynamics_.quantities.factor(k);
            for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
                End& end = set_.ends[e];
                const bool on_a = end.body == system.frames[m.a].body, on_b = end.body == system.frames[m.b].body;
                for (int c = 0; c < 3; ++c) {
                    end.lin[c][0] += f * ((on_b ? g.lin[c] : 0) - (on_a ? g.lin[c] : 0));
                    end.ang[c][0] += f * ((on_a ? g.on_a[c] : 0) + (on_b ? g.on_b[c] : 0));
                }
            }
        }
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            End& end = set_.ends[e];
            const Mat3& K = dynamics_.placement.inverse().inertia[end.body];
            for (int c = 0; c < 3; ++c) {
                end.weighed[c].clear();
                end.weighed[c][0] = K(c, 0) * end.ang[0][0] + K(c, 1) * end.ang[1][0] + K(c, 2) * end.ang[2][0];
            }
        }
        dynamics_.forces.law_slopes(row.law, t, row.stiffness, row.damping);
        row.stiffness = std::max(0.0, -law.sign * row.stiffness);  // what pushes outwards is not stiff
        row.damping = std::max(0.0, -law.sign * row.damping);
    }
}

void StiffSolver::factor(double by_rate, double by_value) {
    weight_ = by_rate;
    const auto weight = [&](const LawRow& row) { return row.damping * by_rate + row.stiffness * by_value; };
    for (const LawRow& row : laws_) set_.blocks[row.block].n = weight(row) > 0 ? 1 : 0;
    solver_.assemble(set_, dynamics_.placement.inverse().mass.data());
    for (const LawRow& row : laws_)
        if (set_.blocks[row.block].n) solver_.add_to_diagonal(row.block, 0, 1 / weight(row));
    solver_.factor(set_, least_);
}

double StiffSolver::along(int k, const Twists& x) const {
    const Block& block = set_.blocks[k];
    double sum = 0;
    for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
        const End& end = set_.ends[e];
        for (int c = 0; c < 3; ++c) sum += end.lin[c][0] * x[end.body].v[c] + end.ang[c][0] * x[end.body].w[c];
    }
    return sum;
}

void StiffSolver::free_response(int l, Twists& x) const {
    const Block& block = set_.blocks[laws_[l].block];
    clear(x);
    for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
        const End& end = set_.ends[e];
        for (int c = 0; c < 3; ++c) {
            x[end.body].v[c] += dynamics_.placement.inverse().mass[end.body] * end.lin[c][0];
            x[end.body].w[c] += end.weighed[c][0];
        }
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

void StiffSolver::push(const Twists& moved) {
    for (Column& column : z_) column.clear();
    for (const LawRow& row : laws_)
        if (set_.blocks[row.block].n) z_[row.block][0] = weight_ * row.stiffness * along(row.block, moved);
    clear(force_);
    add_forces(z_, force_);
    for (std::size_t b = 0; b < push_.size(); ++b) push_[b] = {dynamics_.placement.inverse().mass[b] * force_[b].f, inverse_inertia_[b] * force_[b].t};
}

void StiffSolver::solve(const Twists& base, const Twists& moved, Twists& x) {
    push(moved);
    rates_of(push_, z_);
    for (const LawRow& row : laws_) z_[row.block][0] += along(row.block, base);
    for (std::size_t b = 0; b < push_.size(); ++b) x[b] = {base[b].v + push_[b].v, base[b].w + push_[b].w};
    hold(x);
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
    for (const LawRow& row : laws_) out[row.block].clear(), out[row.block][0] = along(row.block, x);
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

void StiffSolver::solve_given(const Twists& base, const Twists* moved, const BlockVector& given, Twists& x, BlockVector& mu) {
    if (moved) push(*moved);
    for (std::size_t b = 0; b < push_.size(); ++b) {
        x[b] = base[b];
        if (moved) x[b].v += push_[b].v, x[b].w += push_[b].w;
    }
    rates_of(x, z_);
    for (int k = 0; k < joints_; ++k) z_[k].add(given[k], -1);
    hold(x);
    for (int k = 0; k < joints_; ++k) mu[k] = z_[k];
}

double StiffSolver::quotient(Twists& x, bool stiffness) {
    const System& system = dynamics_.system();
    double power = 0, energy = 0;
    for (Column& column : z_) column.clear();
    for (const LawRow& row : laws_) {
        const double rate = along(row.block, x), weight = stiffness ? row.stiffness : row.damping;
        z_[row.block][0] = weight * rate;
        power += weight * rate * rate;
        set_.blocks[row.block].n = 1;
    }
    for (std::size_t b = 0; b < x.size(); ++b) {
        const Body& body = system.bodies[b];
        const Vec3 w = dynamics_.placement.bodies()[b].A.transpose() * x[b].w;
        energy += (body.mass + body.mass_ballast) * x[b].v.squaredNorm() + w.dot((body.inertia + body.ballast).cwiseProduct(w));
    }
    clear(force_);
    add_forces(z_, force_);
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
    return 0.5 * decay + std::sqrt(std::max(0.25 * decay * decay, swing));
}

}  // namespace vincolo
