#include "observer.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

Observer::Observer(const System& system)
    : system_(system), main_(system), all_(system), dy_(system.state_size()), phi_(system.rows.size()), phi_rate_(system.rows.size()) {
    rhs_ = sum_ = main_.lam;
}

void Observer::mask(double t) {
    if (system_.switches.empty()) return;
    const std::vector<char> before = holds_;
    system_.rows_at(t, holds_);
    if (before == holds_) return;
    main_.candidates = holds_;
    all_.activate(holds_);
    selected_ = false;
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
    selected_ = true;
    return main_.taken;
}

// Minimum of |lam| among all lam with the same f = J^T lam: (J W J^T + eps s) lam <- J W f + eps s lam, from zero. Any weights W
// do; those of the geometry alone keep small and large masses out of it.
void Observer::minimum_norm(double t, const double* y) {
    all_.load_positions(t, y);
    all_.evaluate_drives(t);
    all_.assemble_rows(all_.unit_inertia.data());
    main_.collect_reactions(main_.lam);
    for (int b = 0; b < system_.ground(); ++b) {
        all_.bodies[b].free_v = all_.unit_mass[b] * main_.bodies[b].reaction_f;
        all_.bodies[b].free_w = all_.unit_inertia[b] * main_.bodies[b].reaction_t;
    }
    all_.solver.assemble(all_.set, all_.unit_mass.data());
    double trace = 0;
    for (std::size_t k = 0; k < rhs_.size(); ++k)
        for (int r = 0; r < all_.set.blocks[k].n; ++r) trace += all_.solver.diagonal()[k][r];
    const double ridge = 1e-6 * trace / std::max<std::size_t>(1, system_.rows.size());
    all_.solver.add_ridge(all_.set, ridge);
    for (std::size_t k = 0; k < rhs_.size(); ++k) rhs_[k].clear(), all_.lam[k].clear(), sum_[k].clear();
    all_.solver.factor(all_.set, sum_);
    all_.add_rates(rhs_, 1, true);
    for (int iteration = 0; iteration < 12; ++iteration) {
        sum_ = rhs_;
        for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k].add(all_.lam[k], ridge);
        all_.solver.solve(all_.set, sum_);
        all_.lam = sum_;
    }
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

// Force and torque that the rows of a block put on its two bodies: -J^T lam, moved from the centres of mass to the frames
void Observer::wrenches(Observation& out) {
    out.wrenches.resize(system_.blocks.size());
    out.lam.resize(system_.rows.size());
    for (std::size_t k = 0; k < system_.blocks.size(); ++k) {
        Wrench w{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
        const BlockShape& shape = system_.blocks[k];
        for (int r = shape.first; r < shape.first + shape.count; ++r) {
            const double lam = out.lam[r] = all_.taken[r] ? all_.lam[k][all_.position[r]] : 0;
            const Quantity& q = system_.quantities[system_.rows[r].quantity];
            for (int n = q.first; n < q.first + q.count; ++n) {
                const Measure& m = system_.measures[system_.terms[n].measure];
                const bool swapped = system_.frames[m.a].body != system_.frames[shape.a].body;
                const Gradient g = gradient(m, all_.frames[m.a], all_.frames[m.b]);
                const double f = lam * all_.factor[n];
                (swapped ? w.force_b : w.force_a) += f * g.lin;
                (swapped ? w.force_a : w.force_b) -= f * g.lin;
                (swapped ? w.torque_b : w.torque_a) -= f * g.on_a;
                (swapped ? w.torque_a : w.torque_b) -= f * g.on_b;
            }
        }
        w.torque_a -= all_.frames[shape.a].s.cross(w.force_a);
        w.torque_b -= all_.frames[shape.b].s.cross(w.force_b);
        out.wrenches[k] = w;
    }
}

void Observer::observe(double t, const double* y, const double* turns, Observation& out) {
    load(t, y, turns);
    if (!selected_) independent(t, y, turns);
    else main_.select_if_richer(t, y);
    main_.place(t, y);
    main_.accelerate(t, y, dy_.data());
    if (main_.watch(t)) {
        main_.select(t, y);
        main_.accelerate(t, y, dy_.data());
    }
    out.acceleration.resize(6 * system_.bodies.size());
    for (int b = 0; b < system_.ground(); ++b)
        for (int c = 0; c < 3; ++c) {
            out.acceleration[6 * b + c] = main_.bodies[b].acc_v[c];
            out.acceleration[6 * b + 3 + c] = main_.bodies[b].acc_w[c];
        }
    out.seconds.resize(system_.quantities.size());
    for (std::size_t q = 0; q < out.seconds.size(); ++q) out.seconds[q] = main_.quantity_acceleration(static_cast<int>(q));
    minimum_norm(t, y);
    wrenches(out);
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

std::pair<double, int> Observer::ballast_share(double t, const double* y, const double* turns) {
    independent(t, y, turns);
    double share = 0;
    int worst = -1;
    std::vector<Vec3> x(system_.bodies.size(), Vec3(0.6, 0.5, 0.7));
    for (int iteration = 0; iteration < 40; ++iteration) {
        double before = 0, after = 0, largest = -1;
        for (int b = 0; b < system_.ground(); ++b) {
            const Vec3 e = system_.bodies[b].ballast;
            before += e.cwiseProduct(x[b]).dot(x[b]);
            main_.bodies[b].free_v.setZero();
            main_.bodies[b].free_w = main_.inverse_inertia[b] * (main_.bodies[b].A * e.cwiseProduct(x[b]));
        }
        if (before == 0) return {0, -1};
        for (Column& column : sum_) column.clear();
        main_.add_rates(sum_, 1, true);
        main_.solver.solve(main_.set, sum_);
        main_.collect_reactions(sum_);
        for (int b = 0; b < system_.ground(); ++b) {
            const BodyWork& body = main_.bodies[b];
            x[b] = body.A.transpose() * (body.free_w - main_.inverse_inertia[b] * body.reaction_t);
            const double part = system_.bodies[b].ballast.cwiseProduct(x[b]).dot(x[b]);
            after += part;
            if (part > largest) largest = part, worst = b;
        }
        share = std::sqrt(after / before);
        if (after < 1e-30 * before) return {share, worst};
        for (Vec3& v : x) v /= std::sqrt(after);
    }
    return {share, worst};
}

}  // namespace vincolo
