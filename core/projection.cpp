// Corrections that put a state onto the rows
#include <algorithm>

#include "displacement.hpp"
#include "solve.hpp"

namespace vincolo {

void Solve::find_corrections(bool geometric) {
    const Metric& by = metric(geometric);
    const BlockSolver& factors = geometric ? geometer_ : solver_;
    if (geometric) geometer_.solve(rows_.set(), other_);
    else solve(other_);
    rows_.collect(other_, reactions_);
    for (int b = 0; b < system_.ground(); ++b) free_[b] = {by.mass[b] * reactions_[b].f, by.inertia[b] * reactions_[b].t};
    for (int h = 0; h < factors.hubs(); ++h) free_[factors.hub_body(h)] = factors.hub_motion(h);
}

void Solve::correct_positions(double* y, bool geometric) {
    other_ = rows_.phi();
    find_corrections(geometric);
    for (int b = 0; b < system_.ground(); ++b) displace(y + body_size * b, -free_[b].v, -free_[b].w);
    if (planes_) planes_->flatten_positions(y);
}

void Solve::correct_velocities(double* y, bool geometric) {
    other_ = rows_.rate();
    find_corrections(geometric);
    for (int b = 0; b < system_.ground(); ++b) {
        double* x = y + body_size * b;
        for (int c = 0; c < 3; ++c) x[at_v + c] -= free_[b].v[c], x[at_w + c] -= free_[b].w[c];
    }
    if (planes_) planes_->flatten_velocities(y);
}

void Solve::jump(const Pushes& push, const BlockVector& open, Twists& out) {
    for (int b = 0; b < system_.ground(); ++b) free_[b] = {placement_.inverse().mass[b] * push[b].f, placement_.turned(b, push[b].t)};
    lam_ = open;
    constrain(free_, lam_, out);
    if (!ballast_.any()) return;
    ballast_.load(free_);
    ballast_.unload(*this, lam_, out, true);
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
