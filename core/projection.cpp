#include "dynamics.hpp"

#include <algorithm>

namespace vincolo {

namespace {

using Map3 = Eigen::Map<const Vec3>;

}  // namespace

Dynamics::Metric Dynamics::metric(bool geometric) const {
    if (geometric) return {&geometer_, unit_mass.data(), unit_inertia.data()};
    return {&solver, inverse_mass.data(), inverse_inertia.data()};
}

void Dynamics::place_geometric(double t, const double* y) {
    load_positions(t, y);
    evaluate_drives(t);
    assemble_rows(unit_inertia.data());
    geometer_.assemble(set, unit_mass.data());
    geometer_.factor(set, least_);
    ++factorisations;
}

void Dynamics::correct_positions(double* y, bool geometric) {
    const Metric by = metric(geometric);
    lam_free = phi;
    by.solver->solve(set, lam_free);
    collect_reactions(lam_free);
    for (int b = 0; b < system_.ground(); ++b) {
        double* x = y + body_size * b;
        const Vec3 dr = by.mass[b] * bodies[b].reaction_f, theta = by.inertia[b] * bodies[b].reaction_t;
        for (int c = 0; c < 3; ++c) x[at_r + c] -= dr[c];
        turn_quaternion(x + at_p, -theta);
    }
}

double Dynamics::rate_residual(const double* y) {
    load_velocities(y);
    for (Column& column : lam_free) column.clear();
    add_rates(lam_free, 1, false);
    for (int r : driven_) {
        double& open = lam_free[system_.rows[r].block][position[r]];
        open = system_.rows[r].level == Level::Acceleration ? 0 : open - drive_values[r].d;
    }
    double largest = 0;
    for (std::size_t k = 0; k < lam_free.size(); ++k)
        for (int r = 0; r < set.blocks[k].n; ++r) largest = std::max(largest, std::abs(lam_free[k][r]));
    return largest;
}

double Dynamics::correct_velocities(double* y, bool geometric) {
    const Metric by = metric(geometric);
    const double largest = rate_residual(y);
    by.solver->solve(set, lam_free);
    collect_reactions(lam_free);
    for (int b = 0; b < system_.ground(); ++b) {
        double* x = y + body_size * b;
        const Vec3 dv = by.mass[b] * bodies[b].reaction_f, dw = by.inertia[b] * bodies[b].reaction_t;
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
                turn_quaternion(p, w);
                for (int k = 0; k < 4; ++k) d[at_p + k] = p[k] - y[body_size * b + at_p + k];
            }
            for (int c = 0; c < 3; ++c) {
                d[(velocities ? at_v : at_r) + c] = v[c];
                if (velocities) d[at_w + c] = w[c];
            }
        }
    }
}

}  // namespace vincolo
