#include "observer.hpp"

#include <algorithm>
#include <cmath>

#include "contact/contacts.hpp"

namespace vincolo {

namespace {

// Outputs are refined, so that rows may be closer to dependence than those of a run
constexpr double refined_trace = 1e-13;

}  // namespace

Observer::Observer(const System& system)
    : system_(system), main_(system), readings_(main_.placement, main_.quantities), all_(main_.placement, main_.quantities), least_(main_.placement, main_.quantities, all_),
      dy_(system.state_size()), phi_(system.rows.size()), phi_rate_(system.rows.size()) {
    main_.solve.balanced = true;
    main_.forces.take_told();
    for (BlockVector* x : {&lam_, &given_}) x->assign(system.blocks.size(), Column{});
    pushes_.assign(system.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    twists_.assign(system.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
}

void Observer::mask(const double* y) {
    if (!system_.switched()) return;
    system_.rows_at(y, now_);
    if (now_ == holds_) return;
    holds_ = now_;
    main_.selection.candidates = holds_;
    all_.activate(holds_);
}

void Observer::load(double t, const double* y, const double* turns) {
    mask(y);
    std::copy(turns, turns + system_.turns, main_.placement.turns.values().begin());
    main_.load_positions(t, y);
    main_.placement.load_velocities(y);
}

const std::vector<char>& Observer::independent(double t, const double* y, const double* turns, bool drives) {
    load(t, y, turns);
    for (std::size_t r = 0; r < system_.rows.size(); ++r)
        main_.selection.candidates[r] = (drives || !system_.rows[r].drive) && (holds_.empty() || holds_[r]);
    main_.select(t, y);
    return main_.rows.taken();
}

// Reactions of all rows: the solved ones where none is left out, else the least that balance the same forces. If those could not
// be found the solved ones stand, with nothing in the rows left out: the bodies are in balance either way.
void Observer::find_reactions(double t) {
    const BlockVector& solved = main_.solve.multipliers();
    all_.evaluate_drives(t);
    least_.factor(main_.selection.metric(), main_.selection.size());
    if (!complete()) {
        main_.rows.collect(solved, pushes_);
        if (least_.find(pushes_, lam_) < 1e-10 || least_.lessen(main_.rows, main_.solve, solved, lam_)) return;
    }
    for (std::size_t r = 0; r < system_.rows.size(); ++r)
        if (all_.taken()[r]) of(lam_, r) = main_.rows.taken()[r] ? solved[system_.rows[r].block][main_.rows.position(static_cast<int>(r))] : 0;
}

// A state of stress without load, of no meaning but for where it is not zero: there reactions are not unique. It is what the
// least reactions leave of arbitrary ones.
void Observer::slack(double t, const double* y, const double* turns, std::vector<Wrench>& out) {
    independent(t, y, turns);
    for (Column& column : lam_) column.clear();
    if (complete()) return least_.wrenches(lam_, out);
    all_.evaluate_drives(t);
    least_.factor(main_.selection.metric(), main_.selection.size());
    const double size = main_.placement.size;
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const Wrench& w = least_.unit(static_cast<int>(r));
        const double norm = std::sqrt(w.force_b.squaredNorm() + w.torque_b.squaredNorm() / (size * size));
        if (all_.taken()[r]) of(given_, r) = norm > 0 ? std::sin(2.3 * static_cast<double>(r) + 1.1) / norm : 0;
    }
    all_.collect(given_, pushes_);
    least_.find(pushes_, lam_);
    for (std::size_t k = 0; k < given_.size(); ++k) {
        lam_[k].scale(-1);
        lam_[k].add(given_[k], 1);
    }
    least_.wrenches(lam_, out);
}

void Observer::report_forces(double t, Observation& out) {
    for (std::vector<double>* x : {&out.law_force, &out.law_power, &out.law_energy, &out.law_loss}) x->resize(system_.laws.size());
    for (std::size_t n = 0; n < system_.laws.size(); ++n) {
        double value, rate, spent;
        main_.quantities.read(system_.laws[n].quantity, value, rate);
        main_.forces.law(static_cast<int>(n), t, value, rate, out.law_force[n], spent);
        out.law_power[n] = system_.laws[n].sign * out.law_force[n] * rate;
        out.law_energy[n] = main_.forces.law_potential(static_cast<int>(n)), out.law_loss[n] = -spent;
    }
    out.load_power.clear();
    for (const Load& load : system_.loads) out.load_power.push_back(main_.forces.load_power(load, main_.forces.load_vector(load, t)));
    out.drive_power.assign(system_.rows.size(), 0);
    for (std::size_t r = 0; r < system_.rows.size(); ++r)
        if (system_.rows[r].function >= 0 && all_.taken()[r]) {
            double value, rate = all_.held(static_cast<int>(r)).d;
            if (system_.rows[r].level == Level::Acceleration) main_.quantities.read(system_.rows[r].quantity, value, rate);
            out.drive_power[r] = -of(lam_, r) * rate;
        }
}

// Forces of rigid contact are told by the state
void Observer::report_contacts(const double* y, Observation& out) {
    if (!main_.forces.contacts()) return;
    main_.forces.contacts()->sum(out.contacts);
    const ContactScene& scene = system_.contact;
    for (std::size_t n = 0; n < scene.laws.size() && scene.wrenches >= 0; ++n) {
        if (!scene.laws[n].rigid) continue;
        const double* told = y + system_.auxiliary_index() + scene.sums() + told_by_law * n;
        ContactSum& sum = out.contacts[n];
        sum.normal = told[0], sum.points = told[1], sum.sliding = told[2], sum.power = told[9], sum.lost = -told[9];
        sum.force = Vec3(told[3], told[4], told[5]), sum.centre = Vec3(told[6], told[7], told[8]);
    }
}

void Observer::observe(double t, const double* y, const double* turns, Observation& out) {
    main_.selection.trace = refined_trace;
    independent(t, y, turns);
    main_.selection.trace = trace_share;
    main_.accelerate(t, y, dy_.data());
    for (int pass = 0; pass < 20 && (main_.solve.refine() > 1e-14 || pass == 0); ++pass) {}
    const Twists& acc = main_.solve.accelerations();
    out.acceleration.resize(6 * system_.bodies.size());
    for (int b = 0; b < system_.ground(); ++b)
        for (int c = 0; c < 3; ++c) out.acceleration[6 * b + c] = acc[b].v[c], out.acceleration[6 * b + 3 + c] = acc[b].w[c];
    const std::size_t quantities = system_.quantities.size();
    for (std::vector<double>* x : {&out.values, &out.rates, &out.seconds}) x->resize(quantities);
    for (std::size_t q = 0; q < quantities; ++q) {
        out.seconds[q] = main_.quantities.acceleration(static_cast<int>(q), acc);
        main_.quantities.read(static_cast<int>(q), out.values[q], out.rates[q]);
    }
    find_reactions(t);
    least_.wrenches(lam_, out.wrenches);
    out.lam.resize(system_.rows.size());
    for (std::size_t r = 0; r < out.lam.size(); ++r) out.lam[r] = all_.taken()[r] ? of(lam_, r) : 0;
    report_forces(t, out);
    report_contacts(y, out);
    out.outputs.clear();
    for (const Expression& output : system_.outputs) out.outputs.push_back(readings_.value(output, t));
    out.kinetic = main_.placement.kinetic_energy();
    out.potential = main_.forces.potential_energy();
    main_.all_residuals(t, y, phi_.data(), phi_rate_.data());
    out.phi = out.phi_rate = 0;
    for (std::size_t r = 0; r < phi_.size(); ++r) {
        if (!all_.taken()[r]) continue;
        out.phi = std::max(out.phi, std::abs(phi_[r]));
        out.phi_rate = std::max(out.phi_rate, std::abs(phi_rate_[r]));
    }
}

void Observer::rows(double t, const double* y, const double* turns, Jacobian& out) {
    load(t, y, turns);
    all_.evaluate_drives(t);
    all_.assemble(main_.placement.inverse().inertia.data());
    all_.find_bias();
    for (std::vector<double>* x : {&out.phi, &out.rate, &out.gamma}) x->assign(system_.rows.size(), 0);
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const int k = system_.rows[r].block, at = all_.position(static_cast<int>(r));
        const Block& block = all_.set().blocks[k];
        if (!all_.taken()[r]) continue;
        all_.open(system_.rows[r], t, out.phi[r], out.rate[r]);
        out.gamma[r] = all_.gamma()[k][at];
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            const End& end = all_.set().ends[e];
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
        main_.quantities.read(quantities[n], out.phi[n], out.rate[n]);
        const Quantity& q = system_.quantities[quantities[n]];
        for (int k = q.first; k < q.first + q.count; ++k) {
            const Measure& m = system_.measures[system_.terms[k].measure];
            const Gradient g = main_.placement.gradient_of(system_.terms[k].measure);
            const int bodies[] = {system_.frames[m.a].body, system_.frames[m.b].body};
            for (int side = 0; side < 2; ++side) {
                if (bodies[side] == system_.ground()) continue;
                const Vec3 lin = side == 0 ? Vec3(-g.lin) : g.lin, ang = side == 0 ? g.on_a : g.on_b;
                for (int c = 0; c < 6; ++c) {
                    out.row.push_back(static_cast<int>(n));
                    out.column.push_back(6 * bodies[side] + c);
                    out.value.push_back(main_.quantities.factor(k) * (c < 3 ? lin[c] : ang[c - 3]));
                }
            }
        }
    }
}

std::vector<std::vector<std::pair<int, double>>> Observer::dependencies(double t) {
    std::vector<std::vector<std::pair<int, double>>> out;
    const Metric& inverse = main_.placement.inverse();
    BlockVector shares(system_.blocks.size());
    all_.evaluate_drives(t);
    all_.assemble(inverse.inertia.data());
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        if (main_.rows.taken()[r] || !main_.selection.candidates[r]) continue;
        clear(twists_);
        const int k = system_.rows[r].block, at = all_.position(static_cast<int>(r));
        const Block& block = all_.set().blocks[k];
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            const End& end = all_.set().ends[e];
            const Vec3 lin(end.lin[0][at], end.lin[1][at], end.lin[2][at]), ang(end.ang[0][at], end.ang[1][at], end.ang[2][at]);
            twists_[end.body] = {inverse.mass[end.body] * lin, inverse.inertia[end.body] * ang};
        }
        for (Column& column : shares) column.clear();
        main_.rows.add_rates(shares, twists_, 1);
        main_.solve.solve(shares);
        std::vector<std::pair<int, double>> vector{{static_cast<int>(r), -1.0}};
        for (std::size_t j = 0; j < system_.rows.size(); ++j) {
            const double c = main_.rows.taken()[j] ? shares[system_.rows[j].block][main_.rows.position(static_cast<int>(j))] : 0;
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
    std::vector<Vec3> x(system_.bodies.size()), v(system_.bodies.size());
    for (int b = 0; b < system_.ground(); ++b)  // round numbers could balance each other
        for (int c = 0; c < 3; ++c) x[b][c] = std::cos(2.4 * (6 * b + c) + 0.7) / system_.bodies[b].length, v[b][c] = std::cos(2.4 * (6 * b + c + 3) + 0.7);
    for (int iteration = 0; iteration < 40; ++iteration) {
        double before = 0, after = 0, largest = -1;
        for (int b = 0; b < system_.ground(); ++b) {
            const Body& given = system_.bodies[b];
            x[b] = given.held * x[b];
            before += given.ballast.cwiseProduct(x[b]).dot(x[b]) + given.mass_ballast * v[b].squaredNorm();
            pushes_[b] = {given.mass_ballast * v[b], main_.placement.bodies()[b].A * given.ballast.cwiseProduct(x[b])};
        }
        if (before == 0) return {0, -1};
        main_.solve.respond(pushes_, twists_);
        for (int b = 0; b < system_.ground(); ++b) {
            const Body& given = system_.bodies[b];
            x[b] = given.held * (main_.placement.bodies()[b].A.transpose() * twists_[b].w);
            v[b] = twists_[b].v;
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
