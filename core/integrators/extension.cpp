#include "integrators/extension.hpp"

#include <algorithm>

#include "motion.hpp"

namespace vincolo {

namespace {

// r'' and p'' = 1/2 (E^T w)' of a body
void second_derivatives(const double* y, const double* k, double* out) {
    double by_rate[4];
    quaternion_rate(k + at_p, Vec3(y[at_w], y[at_w + 1], y[at_w + 2]), by_rate);
    quaternion_rate(y + at_p, Vec3(k[at_w], k[at_w + 1], k[at_w + 2]), out + at_p);
    for (int c = 0; c < 3; ++c) out[c] = k[at_v + c];
    for (int c = 0; c < 4; ++c) out[at_p + c] += by_rate[c];
}

}  // namespace

void Extension::resize(const State& like) {
    for (State& d : terms_) d = like;
}

void Extension::cubic(const Step& s, int further) {
    count_ = 3 + further;
    for (std::size_t i = 0; i < s.y.size(); ++i) {
        const double dy = s.y_new[i] - s.y[i];
        terms_[0][i] = dy;
        terms_[1][i] = s.h * s.slope[i] - dy;
        terms_[2][i] = 2 * dy - s.h * (s.slope[i] + s.slope_new[i]);
    }
}

void Extension::by_ends(const Step& s, const Motion& motion, bool smooth) {
    cubic(s, 2);
    std::fill(terms_[3].begin(), terms_[3].end(), 0.0);
    std::fill(terms_[4].begin(), terms_[4].end(), 0.0);
    if (motion.formulation() && !motion.formulation()->coordinates().standard()) return;
    for (int n = 0; n < motion.size(); n += body_size) {
        add_positions(s, n);
        if (smooth) add_velocities(s, n);
    }
}

// x^2 (1-x)^2 (d3 + x d4) adds second derivatives at both ends to the cubic. Work stays cubic.
void Extension::add_positions(const Step& s, int n) {
    double first[at_v], last[at_v];
    second_derivatives(&s.y[n], &s.slope[n], first);
    second_derivatives(&s.y_new[n], &s.slope_new[n], last);
    for (int c = 0; c < at_v; ++c) {
        const double d1 = terms_[1][n + c], d2 = terms_[2][n + c];
        terms_[3][n + c] = 0.5 * s.h * s.h * first[c] + d1 - d2;
        terms_[4][n + c] = 0.5 * s.h * s.h * last[c] + d1 + 2 * d2 - terms_[3][n + c];
    }
}

// What the positions say of the velocities in the middle of the step makes the cubic a quartic
void Extension::add_velocities(const Step& s, int n) {
    const State *d = terms_, &y = s.y;
    double middle[at_v], rate[at_v];
    for (int c = 0; c < at_v; ++c) {
        const int i = n + c;
        middle[c] = y[i] + d[0][i] / 2 + d[1][i] / 4 + d[2][i] / 8 + (d[3][i] + d[4][i] / 2) / 16;
        rate[c] = (d[0][i] + d[2][i] / 4 + d[4][i] / 16) / s.h;
    }
    const double* p = middle + at_p;
    const Vec3 w = turning_of(p, rate + at_p) / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int c = 0; c < 6; ++c) {
        const int i = n + at_v + c;
        const double cubic = y[i] + d[0][i] / 2 + d[1][i] / 4 + d[2][i] / 8;
        terms_[3][i] = 16 * ((c < 3 ? rate[c] : w[c - 3]) - cubic);
    }
}

void Extension::at(double x, const State& y, State& out) const {
    constexpr int lanes = Motion::lanes;  // states are padded to whole ones
    double weights[most];                 // x, x (1-x), x^2 (1-x), ...
    double weight = 1;
    for (int d = 0; d < count_; ++d) weights[d] = weight *= d % 2 ? 1 - x : x;
    for (std::size_t i = 0; i < y.size(); i += lanes) {
        double sum[lanes];
        for (int l = 0; l < lanes; ++l) sum[l] = y[i + l];
        for (int d = 0; d < count_; ++d)
            for (int l = 0; l < lanes; ++l) sum[l] += weights[d] * terms_[d][i + l];
        for (int l = 0; l < lanes; ++l) out[i + l] = sum[l];
    }
}

}  // namespace vincolo
