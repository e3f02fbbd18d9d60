// Corrections that put a state onto the rows
#include <algorithm>

#include "displacement.hpp"
#include "solve.hpp"

namespace vincolo {

void Solve::correct_positions(double* y, bool geometric) {
    const Metric& by = metric(geometric);
    other_ = rows_.phi();
    solver(geometric).solve(rows_.set(), other_);
    rows_.collect(other_, reactions_);
    for (int b = 0; b < system_.ground(); ++b) {
        const Vec3 dr = by.mass[b] * reactions_[b].f, theta = by.inertia[b] * reactions_[b].t;
        displace(y + body_size * b, -dr, -theta);
    }
}

void Solve::correct_velocities(double* y, bool geometric) {
    const Metric& by = metric(geometric);
    other_ = rows_.rate();
    solver(geometric).solve(rows_.set(), other_);
    rows_.collect(other_, reactions_);
    for (int b = 0; b < system_.ground(); ++b) {
        double* x = y + body_size * b;
        const Vec3 dv = by.mass[b] * reactions_[b].f, dw = by.inertia[b] * reactions_[b].t;
        for (int c = 0; c < 3; ++c) x[at_v + c] -= dv[c], x[at_w + c] -= dw[c];
    }
}

void Solve::keep_tangent(const double* y, double* change) {
    using Map3 = Eigen::Map<const Vec3>;
    for (const bool velocities : {false, true}) {
        for (int b = 0; b < system_.ground(); ++b) {
            const double *p = y + body_size * b + at_p, *d = change + body_size * b;
            free_[b].v = Map3(d + (velocities ? at_v : at_r));
            free_[b].w = velocities ? Vec3(Map3(d + at_w)) : turning_of(p, d + at_p);
        }
        constrained_response(free_, free_);
        for (int b = 0; b < system_.ground(); ++b) {
            double* d = change + body_size * b;
            const Twist& kept = free_[b];
            if (!velocities) {
                double p[4];
                std::copy(y + body_size * b + at_p, y + body_size * b + at_p + 4, p);
                turn_quaternion(p, kept.w);
                for (int k = 0; k < 4; ++k) d[at_p + k] = p[k] - y[body_size * b + at_p + k];
            }
            for (int c = 0; c < 3; ++c) {
                d[(velocities ? at_v : at_r) + c] = kept.v[c];
                if (velocities) d[at_w + c] = kept.w[c];
            }
        }
    }
}

}  // namespace vincolo
