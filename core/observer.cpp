#include "observer.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

namespace {

constexpr double ridge_share = 1e-6;
// Outputs are refined, so that rows may be closer to dependence than those of a run
constexpr double refined_trace = 1e-13;

}  // namespace

Observer::Observer(const System& system)
    : system_(system), main_(system), all_(system), dy_(system.state_size()), phi_(system.rows.size()), phi_rate_(system.rows.size()) {
    rhs_ = sum_ = direction_ = given_ = main_.lam;
    units_.resize(system.rows.size());
}

void Observer::mask(double t) {
    if (system_.switches.empty()) return;
    const std::vector<char> before = holds_;
    system_.rows_at(t, holds_);
    if (before == holds_) return;
    main_.candidates = holds_;
    all_.activate(holds_);
}

void Observer::load(double t, const double* y, const double* turns) {
    mask(t);
    std::copy(turns, turns + system_.turns, main_.turns().begin());
    std::copy(turns, turns + system_.turns, all_.turns().begin());
    main_.load_positions(t, y);
    main_.load_velocities(y);
}

const std::vector<char>& Observer::independent(double t, const double* y, const double* turns, bool drives) {
    load(t, y, turns);
    for (std::size_t r = 0; r < system_.rows.size(); ++r) main_.candidates[r] = (drives || !system_.rows[r].drive) && (holds_.empty() || holds_[r]);
    main_.select(t, y);
    return main_.taken;
}

// Force and torque that a row puts on the two bodies of its block per unit of its multiplier: -J^T, at the block's frames
Wrench Observer::unit_wrench(int r) const {
    Wrench w{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    const BlockShape& shape = system_.blocks[system_.rows[r].block];
    const Quantity& q = system_.quantities[system_.rows[r].quantity];
    for (int n = q.first; n < q.first + q.count; ++n) {
        const Measure& m = system_.measures[system_.terms[n].measure];
        const bool swapped = system_.frames[m.a].body != system_.frames[shape.a].body;
        const Gradient g = gradient(m, all_.frames[m.a], all_.frames[m.b]);
        const double f = all_.factor[n];
        (swapped ? w.force_b : w.force_a) += f * g.lin;
        (swapped ? w.force_a : w.force_b) -= f * g.lin;
        (swapped ? w.torque_b : w.torque_a) -= f * g.on_a;
        (swapped ? w.torque_a : w.torque_b) -= f * g.on_b;
    }
    w.torque_a -= all_.frames[shape.a].s.cross(w.force_a);
    w.torque_b -= all_.frames[shape.b].s.cross(w.force_b);
    return w;
}

// What reactions are measured by: forces, and torques at both frames of a joint over the characteristic length. It is the same
// whichever body is written first.
void Observer::weigh_reactions() {
    const double per_length = 1 / main_.size();
    for (std::size_t k = 0; k < system_.blocks.size(); ++k) {
        const BlockShape& shape = system_.blocks[k];
        for (int r = shape.first; r < shape.first + shape.count; ++r) units_[r] = unit_wrench(r);
        for (int r = shape.first; r < shape.first + shape.count; ++r)
            for (int c = shape.first; c < shape.first + shape.count; ++c) {
                if (!all_.taken[r] || !all_.taken[c]) continue;
                const Wrench &x = units_[r], &y = units_[c];
                const double forces = x.force_a.dot(y.force_a) + x.force_b.dot(y.force_b);
                const double torques = x.torque_a.dot(y.torque_a) + x.torque_b.dot(y.torque_b);
                all_.solver.add_to_block(static_cast<int>(k), all_.position[r], all_.position[c], ridge_share * (forces + torques * per_length * per_length));
            }
    }
}

// The ridge serves as preconditioner only: small against J W J^T, so that few steps do
void Observer::factor_reactions(double t, const double* y) {
    all_.load_positions(t, y);
    all_.evaluate_drives(t);
    all_.own_inertia = main_.own_inertia;
    all_.assemble_rows(all_.own_inertia.data());
    all_.solver.assemble(all_.set, all_.unit_mass.data());
    weigh_reactions();
    for (Column& column : sum_) column.clear();
    all_.solver.factor(all_.set, sum_);
}

// The least of all lam with J^T lam = f, the forces on the bodies in total_v and total_w: conjugate gradients on J W J^T lam = J W f
// from zero, preconditioned by (J W J^T + ridge G)^-1, whose steps all lie where |lam| in the metric G is least. Returns what is
// left of f as a share of it.
double Observer::least_reactions() {
    const auto size = [&] {
        double largest = 0;
        for (int b = 0; b < system_.ground(); ++b) {
            const BodyWork& body = all_.bodies[b];
            largest = std::max(largest, std::max(body.total_v.cwiseAbs().maxCoeff(), body.total_w.cwiseAbs().maxCoeff() * std::sqrt(all_.own_inertia[b](0, 0))));
        }
        return largest;
    };
    const auto gradient_of_rest = [&] {  // J W (f - J^T lam), and its preconditioned form
        for (int b = 0; b < system_.ground(); ++b) {
            all_.bodies[b].free_v = all_.unit_mass[b] * all_.bodies[b].total_v;
            all_.bodies[b].free_w = all_.own_inertia[b] * all_.bodies[b].total_w;
        }
        for (Column& column : rhs_) column.clear();
        all_.add_rates(rhs_, 1, true);
        sum_ = rhs_;
        all_.solver.solve(all_.set, sum_);
        double rho = 0;
        for (std::size_t k = 0; k < rhs_.size(); ++k)
            for (int r = 0; r < all_.set.blocks[k].n; ++r) rho += rhs_[k][r] * sum_[k][r];
        return rho;
    };
    const double whole = size();
    for (Column& column : all_.lam) column.clear();
    double rho = gradient_of_rest(), rest = whole, least = whole;
    direction_ = sum_;
    for (int step = 0, idle = 0; step < 500 && idle < 20 && rest > 1e-15 * whole && rho > 0; ++step) {
        all_.collect_reactions(direction_);
        double curvature = 0;
        for (int b = 0; b < system_.ground(); ++b)
            curvature += all_.unit_mass[b] * all_.bodies[b].reaction_f.squaredNorm() + all_.own_inertia[b](0, 0) * all_.bodies[b].reaction_t.squaredNorm();
        if (!(curvature > 0)) break;
        const double alpha = rho / curvature;
        for (std::size_t k = 0; k < all_.lam.size(); ++k) all_.lam[k].add(direction_[k], alpha);
        for (int b = 0; b < system_.ground(); ++b) {
            all_.bodies[b].total_v -= alpha * all_.bodies[b].reaction_f;
            all_.bodies[b].total_w -= alpha * all_.bodies[b].reaction_t;
        }
        const double next = gradient_of_rest();
        rest = size();
        idle = rest < 0.9 * least ? 0 : idle + 1;
        least = std::min(least, rest);
        for (std::size_t k = 0; k < direction_.size(); ++k) {
            direction_[k].scale(next / rho);
            direction_[k].add(sum_[k], 1);
        }
        rho = next;
    }
    return whole > 0 ? rest / whole : 0;
}

// Reactions of all rows: the solved ones where none is left out, else the least that balance the same forces. If those could not
// be found the solved ones stand, with nothing in the rows left out: the bodies are in balance either way.
void Observer::reactions(double t, const double* y) {
    const bool all = main_.taken == all_.taken;
    factor_reactions(t, y);
    if (!all) {
        main_.collect_reactions(main_.lam);
        for (int b = 0; b < system_.ground(); ++b) {
            all_.bodies[b].total_v = main_.bodies[b].reaction_f;
            all_.bodies[b].total_w = main_.bodies[b].reaction_t;
        }
        if (least_reactions() < 1e-10) return;
    }
    for (std::size_t r = 0; r < system_.rows.size(); ++r)
        if (all_.taken[r]) {
            const int k = system_.rows[r].block;
            all_.lam[k][all_.position[r]] = main_.taken[r] ? main_.lam[k][main_.position[r]] : 0;
        }
}

// A state of stress without load, of no meaning but for where it is not zero: there reactions are not unique. It is what the
// least reactions leave of arbitrary ones.
void Observer::slack(double t, const double* y, const double* turns, std::vector<Wrench>& out) {
    load(t, y, turns);
    independent(t, y, turns);
    out.assign(system_.blocks.size(), Wrench{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()});
    if (main_.taken == all_.taken) return;
    factor_reactions(t, y);
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const Wrench& w = units_[r];
        const double size = std::sqrt(w.force_b.squaredNorm() + w.torque_b.squaredNorm() / (main_.size() * main_.size()));
        if (all_.taken[r]) given_[system_.rows[r].block][all_.position[r]] = size > 0 ? std::sin(2.3 * static_cast<double>(r) + 1.1) / size : 0;
    }
    all_.collect_reactions(given_);
    for (BodyWork& body : all_.bodies) body.total_v = body.reaction_f, body.total_w = body.reaction_t;
    least_reactions();
    for (std::size_t k = 0; k < given_.size(); ++k) {
        all_.lam[k].scale(-1);
        all_.lam[k].add(given_[k], 1);
    }
    wrenches(out);
}

void Observer::forces(double t, Observation& out) {
    out.law_force.resize(system_.laws.size());
    out.law_power.resize(system_.laws.size());
    for (std::size_t n = 0; n < system_.laws.size(); ++n) {
        double value, rate, spent;
        main_.quantity(system_.laws[n].quantity, value, rate);
        main_.law_force(static_cast<int>(n), t, value, rate, out.law_force[n], spent);
        out.law_power[n] = system_.laws[n].sign * out.law_force[n] * rate;
    }
    out.load_power.resize(system_.loads.size());
    for (std::size_t n = 0; n < system_.loads.size(); ++n) out.load_power[n] = main_.load_power(static_cast<int>(n), t);
    out.drive_power.assign(system_.rows.size(), 0);
    for (std::size_t r = 0; r < system_.rows.size(); ++r)
        if (system_.rows[r].function >= 0 && all_.taken[r]) {
            double value, rate = all_.drive_values[r].d;
            if (system_.rows[r].level == Level::Acceleration) main_.quantity(system_.rows[r].quantity, value, rate);
            out.drive_power[r] = -all_.lam[system_.rows[r].block][all_.position[r]] * rate;
        }
}

// Force and torque that the rows of a block put on its two bodies
void Observer::wrenches(std::vector<Wrench>& out) const {
    out.assign(system_.blocks.size(), Wrench{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()});
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        if (!all_.taken[r]) continue;
        const double lam = all_.lam[system_.rows[r].block][all_.position[r]];
        Wrench& w = out[system_.rows[r].block];
        w.force_a += lam * units_[r].force_a, w.torque_a += lam * units_[r].torque_a;
        w.force_b += lam * units_[r].force_b, w.torque_b += lam * units_[r].torque_b;
    }
}

void Observer::observe(double t, const double* y, const double* turns, Observation& out) {
    main_.trace = refined_trace;
    independent(t, y, turns);
    main_.trace = trace_share;
    main_.accelerate(t, y, dy_.data());
    for (int pass = 0; pass < 20 && (main_.refine_accelerations() > 1e-14 || pass == 0); ++pass) {}
    out.acceleration.resize(6 * system_.bodies.size());
    for (int b = 0; b < system_.ground(); ++b)
        for (int c = 0; c < 3; ++c) {
            out.acceleration[6 * b + c] = main_.bodies[b].acc_v[c];
            out.acceleration[6 * b + 3 + c] = main_.bodies[b].acc_w[c];
        }
    out.seconds.resize(system_.quantities.size());
    for (std::size_t q = 0; q < out.seconds.size(); ++q) out.seconds[q] = main_.quantity_acceleration(static_cast<int>(q));
    reactions(t, y);
    wrenches(out.wrenches);
    out.lam.resize(system_.rows.size());
    for (std::size_t r = 0; r < out.lam.size(); ++r) out.lam[r] = all_.taken[r] ? all_.lam[system_.rows[r].block][all_.position[r]] : 0;
    forces(t, out);
    out.kinetic = main_.kinetic_energy();
    out.potential = main_.potential_energy();
    out.values.resize(system_.quantities.size());
    out.rates.resize(system_.quantities.size());
    main_.observe_quantities(out.values.data(), out.rates.data());
    main_.all_residuals(t, y, phi_.data(), phi_rate_.data());
    out.phi = out.phi_rate = 0;
    for (std::size_t r = 0; r < phi_.size(); ++r) {
        if (!all_.taken[r]) continue;
        out.phi = std::max(out.phi, std::abs(phi_[r]));
        out.phi_rate = std::max(out.phi_rate, std::abs(phi_rate_[r]));
    }
}

void Observer::rows(double t, const double* y, const double* turns, Jacobian& out) {
    load(t, y, turns);
    all_.load_positions(t, y);
    all_.load_velocities(y);
    all_.evaluate_drives(t);
    all_.assemble_rows(all_.inverse_inertia.data());
    all_.row_bias();
    out.phi.resize(phi_.size());
    out.rate.resize(phi_.size());
    out.gamma.resize(phi_.size());
    all_.all_residuals(t, y, out.phi.data(), out.rate.data());
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const int k = system_.rows[r].block, at = all_.position[r];
        const Block& block = all_.set.blocks[k];
        if (!all_.taken[r]) {
            out.phi[r] = out.rate[r] = out.gamma[r] = 0;
            continue;
        }
        out.gamma[r] = all_.gamma[k][at];
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            const End& end = all_.set.ends[e];
            for (int c = 0; c < 6; ++c) {
                out.row.push_back(static_cast<int>(r));
                out.column.push_back(6 * end.body + c);
                out.value.push_back(c < 3 ? end.lin[c][at] : end.ang[c - 3][at]);
            }
        }
    }
}

void Observer::quantity_rows(double t, const double* y, const double* turns, const std::vector<int>& quantities, Jacobian& out) {
    load(t, y, turns);
    out.phi.resize(quantities.size());
    out.rate.resize(quantities.size());
    for (std::size_t n = 0; n < quantities.size(); ++n) {
        main_.quantity(quantities[n], out.phi[n], out.rate[n]);
        const Quantity& q = system_.quantities[quantities[n]];
        for (int k = q.first; k < q.first + q.count; ++k) {
            const Measure& m = system_.measures[system_.terms[k].measure];
            const Gradient g = gradient(m, main_.frames[m.a], main_.frames[m.b]);
            const int bodies[] = {system_.frames[m.a].body, system_.frames[m.b].body};
            for (int side = 0; side < 2; ++side) {
                if (bodies[side] == system_.ground()) continue;
                const Vec3 lin = side == 0 ? Vec3(-g.lin) : g.lin, ang = side == 0 ? g.on_a : g.on_b;
                for (int c = 0; c < 6; ++c) {
                    out.row.push_back(static_cast<int>(n));
                    out.column.push_back(6 * bodies[side] + c);
                    out.value.push_back(main_.factor[k] * (c < 3 ? lin[c] : ang[c - 3]));
                }
            }
        }
    }
}

std::vector<std::vector<std::pair<int, double>>> Observer::dependencies(double t, const double* y) {
    std::vector<std::vector<std::pair<int, double>>> out;
    all_.load_positions(t, y);
    all_.evaluate_drives(t);
    all_.assemble_rows(all_.inverse_inertia.data());
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        if (main_.taken[r] || !main_.candidates[r]) continue;
        for (BodyWork& body : main_.bodies) body.free_v.setZero(), body.free_w.setZero();
        const int k = system_.rows[r].block, at = all_.position[r];
        const Block& block = all_.set.blocks[k];
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            const End& end = all_.set.ends[e];
            const Vec3 lin(end.lin[0][at], end.lin[1][at], end.lin[2][at]), ang(end.ang[0][at], end.ang[1][at], end.ang[2][at]);
            main_.bodies[end.body].free_v = main_.inverse_mass[end.body] * lin;
            main_.bodies[end.body].free_w = main_.inverse_inertia[end.body] * ang;
        }
        for (Column& column : sum_) column.clear();
        main_.add_rates(sum_, 1, true);
        main_.solver.solve(main_.set, sum_);
        std::vector<std::pair<int, double>> vector{{static_cast<int>(r), -1.0}};
        for (std::size_t j = 0; j < system_.rows.size(); ++j) {
            const double c = main_.taken[j] ? sum_[system_.rows[j].block][main_.position[j]] : 0;
            if (std::abs(c) > 1e-7) vector.push_back({static_cast<int>(j), c});
        }
        out.push_back(vector);
    }
    return out;
}

// Power iteration on E P, from an arbitrary start
std::pair<double, int> Observer::ballast_share(double t, const double* y, const double* turns) {
    independent(t, y, turns);
    double share = 0;
    int worst = -1;
    std::vector<Vec3> x(system_.bodies.size(), Vec3(0.6, 0.5, 0.7)), v(system_.bodies.size(), Vec3(0.4, 0.7, 0.5));
    for (int b = 0; b < system_.ground(); ++b) x[b] /= system_.bodies[b].length;
    for (int iteration = 0; iteration < 40; ++iteration) {
        double before = 0, after = 0, largest = -1;
        for (int b = 0; b < system_.ground(); ++b) {
            const Body& given = system_.bodies[b];
            x[b] = given.held * x[b];
            before += given.ballast.cwiseProduct(x[b]).dot(x[b]) + given.mass_ballast * v[b].squaredNorm();
            main_.bodies[b].free_v = main_.inverse_mass[b] * given.mass_ballast * v[b];
            main_.bodies[b].free_w = main_.inverse_inertia[b] * (main_.bodies[b].A * given.ballast.cwiseProduct(x[b]));
        }
        if (before == 0) return {0, -1};
        for (Column& column : sum_) column.clear();
        main_.add_rates(sum_, 1, true);
        main_.solver.solve(main_.set, sum_);
        main_.collect_reactions(sum_);
        for (int b = 0; b < system_.ground(); ++b) {
            const BodyWork& body = main_.bodies[b];
            const Body& given = system_.bodies[b];
            x[b] = given.held * (body.A.transpose() * (body.free_w - main_.inverse_inertia[b] * body.reaction_t));
            v[b] = body.free_v - main_.inverse_mass[b] * body.reaction_f;
            const double part = given.ballast.cwiseProduct(x[b]).dot(x[b]) + given.mass_ballast * v[b].squaredNorm();
            after += part;
            if (part > largest) largest = part, worst = b;
        }
        share = std::sqrt(after / before);
        if (after < 1e-30 * before) return {share, worst};
        for (int b = 0; b < system_.ground(); ++b) x[b] /= std::sqrt(after), v[b] /= std::sqrt(after);
    }
    return {share, worst};
}

}  // namespace vincolo
