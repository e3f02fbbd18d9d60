#include "integrators/extension.hpp"

#include <algorithm>

#include "integrators/lanes.hpp"
#include "motion.hpp"

namespace vincolo {

namespace {

// r'' and p'' = 1/2 (E^T w)' of a body
void second_derivatives(const double* y, const double* k, double* out) {
    quaternion_acceleration(y + at_p, k + at_p, Vec3(y[at_w], y[at_w + 1], y[at_w + 2]), Vec3(k[at_w], k[at_w + 1], k[at_w + 2]), out + at_p);
    for (int c = 0; c < 3; ++c) out[c] = k[at_v + c];
}

}  // namespace

void Extension::resize(const State& like) {
    for (State& d : terms_) d = like;
    for (State* x : {&first_, &last_}) *x = like;
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
    if (motion.formulation() && !motion.formulation()->standard()) return by_joints(s, motion, smooth);
    for (int n = 0; n < motion.size(); n += body_size) {
        add_positions(s, n);
        if (smooth) add_velocities(s, n);
    }
}

void Extension::by_nodes(const Step& s, const Motion& motion, double first, double second) {
    cubic(s, 2);
    const int end = static_cast<int>(s.y.size()), bodies = motion.size();
    for (int n = 0; n < bodies; n += body_size) {
        for (int c = 0; c < at_v; ++c) bend_through(n + c, s.y[n + c], first, second);
        for (int c = at_v; c < body_size; ++c) pass_through(n + c, s.y[n + c], first, second);
        add_velocities(s, n);
    }
    terms_[3][bodies] = terms_[4][bodies] = 0;
    for (int i = bodies + 1; i < end; ++i) pass_through(i, s.y[i], first, second);
}

// x^2 (1-x)^2 (d3 + x d4) leads the cubic through two more values
void Extension::bend_through(int i, double y, double first, double second) {
    const double nodes[] = {first, second};
    double left[2];
    for (int k = 0; k < 2; ++k) {
        const double x = nodes[k], weight = x * (1 - x);
        left[k] = (terms_[3 + k][i] - y - x * (terms_[0][i] + (1 - x) * (terms_[1][i] + x * terms_[2][i]))) / (weight * weight);
    }
    terms_[4][i] = (left[1] - left[0]) / (second - first);
    terms_[3][i] = left[0] - first * terms_[4][i];
}

void Extension::pass_through(int i, double y, double first, double second) {
    const double left = ((terms_[3][i] - y) / first - terms_[0][i]) / (1 - first), right = ((terms_[4][i] - y) / second - terms_[0][i]) / (1 - second);
    terms_[2][i] = (right - left) / (second - first);
    terms_[1][i] = left - first * terms_[2][i];
    terms_[3][i] = terms_[4][i] = 0;
}

// x^2 (1-x)^2 (d3 + x d4) adds second derivatives at both ends to the cubic. Work stays cubic.
void Extension::add_positions(const Step& s, int n) {
    double first[at_v], last[at_v];
    second_derivatives(&s.y[n], &s.slope[n], first);
    second_derivatives(&s.y_new[n], &s.slope_new[n], last);
    for (int c = 0; c < at_v; ++c) bend(n + c, s.h, first[c], last[c]);
}

void Extension::bend(int i, double h, double first, double last) {
    const double d1 = terms_[1][i], d2 = terms_[2][i];
    terms_[3][i] = 0.5 * h * h * first + d1 - d2;
    terms_[4][i] = 0.5 * h * h * last + d1 + 2 * d2 - terms_[3][i];
}

void Extension::middle(int i, double h, double y, double& value, double& rate) const {
    const State* d = terms_;
    value = y + d[0][i] / 2 + d[1][i] / 4 + d[2][i] / 8 + (d[3][i] + d[4][i] / 2) / 16;
    rate = (d[0][i] + d[2][i] / 4 + d[4][i] / 16) / h;
}

void Extension::pass(int i, double y, double middle) {
    const State* d = terms_;
    terms_[3][i] = 16 * (middle - (y + d[0][i] / 2 + d[1][i] / 4 + d[2][i] / 8));
}

// The same where all positions stand before all velocities
void Extension::by_joints(const Step& s, const Motion& motion, bool smooth) {
    const Formulation& formulation = *motion.formulation();
    const int positions = formulation.positions();
    if (positions == 0) return;
    formulation.second_derivatives(s.y.data(), s.slope.data(), first_.data());
    formulation.second_derivatives(s.y_new.data(), s.slope_new.data(), last_.data());
    for (int i = 0; i < positions; ++i) bend(i, s.h, first_[i], last_[i]);
    if (!smooth) return;
    for (int i = 0; i < positions; ++i) middle(i, s.h, s.y[i], first_[i], last_[i]);
    formulation.velocities_of(first_.data(), last_.data(), first_.data() + positions);
    for (int i = positions; i < motion.size(); ++i) pass(i, s.y[i], first_[i]);
}

// What the positions say of the velocities in the middle of the step makes the cubic a quartic
void Extension::add_velocities(const Step& s, int n) {
    double half[at_v], rate[at_v];
    for (int c = 0; c < at_v; ++c) middle(n + c, s.h, s.y[n + c], half[c], rate[c]);
    const Vec3 w = turning_at(half + at_p, rate + at_p);
    for (int c = 0; c < 6; ++c) pass(n + at_v + c, s.y[n + at_v + c], c < 3 ? rate[c] : w[c - 3]);
}

void Extension::at(double x, const State& y, State& out) const {
    static_assert(Motion::lanes == 8);  // states are padded to whole ones
    double weights[most];               // x, x (1-x), x^2 (1-x), ...
    const double* terms[most];
    double weight = 1;
    for (int d = 0; d < count_; ++d) weights[d] = weight *= d % 2 ? 1 - x : x, terms[d] = terms_[d].data();
    for (std::size_t i = 0; i < y.size(); i += 8) {
        V4 sum[2] = {four(&y[i]), four(&y[i + 4])};
        add_weighed(sum, weights, count_, [&](int d) VINCOLO_INLINED { return terms[d] + i; });
        put_four(&out[i], sum[0]), put_four(&out[i + 4], sum[1]);
    }
}

}  // namespace vincolo
