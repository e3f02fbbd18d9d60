#include "formulations/euler_parameters.hpp"

namespace vincolo {

namespace {

using Vec4 = Eigen::Vector4d;
using Map4 = Eigen::Map<const Vec4>;

Eigen::Matrix<double, 3, 4> E(const double* p) {
    Eigen::Matrix<double, 3, 4> e;
    e << -p[1], p[0], -p[3], p[2], -p[2], p[3], p[0], -p[1], -p[3], -p[2], p[1], p[0];
    return e;
}

}  // namespace

EulerParameters::EulerParameters(const System& system)
    : RateCoordinates(system, 7, 7, 1), map_(bodies_), y_(system.state_size()), twist_bias_(Vector::Zero(6 * bodies_)) {
    twist_.resize(6 * bodies_, rows_);
    bias_.setZero(rows_);
}

void EulerParameters::take_rows(const std::vector<int>& rows) {
    Coordinates::take_rows(rows);
    twist_.resize_rows(rows_);
    bias_.setZero(rows_);
}

void EulerParameters::to_standard(const double* x, double* y) const {
    for (int b = 0; b < bodies_; ++b) {
        const double* in = x + 14 * b;
        double* out = y + body_size * b;
        const Vec3 w = 2 / Map4(in + 3).squaredNorm() * (E(in + 3) * Map4(in + 10));
        for (int c = 0; c < 7; ++c) out[c] = in[c];
        for (int c = 0; c < 3; ++c) out[at_v + c] = in[7 + c], out[at_w + c] = w[c];
    }
    system.copy_tail(x + 14 * bodies_, y + system.work_index());
}

void EulerParameters::from_standard(const double* y, double* x) const {
    for (int b = 0; b < bodies_; ++b) {
        const double* in = y + body_size * b;
        double* out = x + 14 * b;
        const Vec4 p = Map4(in + at_p).normalized();
        const Vec4 rate = 0.5 * E(p.data()).transpose() * Eigen::Map<const Vec3>(in + at_w);
        for (int c = 0; c < 3; ++c) out[c] = in[c], out[7 + c] = in[at_v + c];
        for (int c = 0; c < 4; ++c) out[3 + c] = p[c], out[10 + c] = rate[c];
    }
    system.copy_tail(y + system.work_index(), x + 14 * bodies_);
}

void EulerParameters::positions(double t, const double* x) {
    to_standard(x, y_.data());
    all.load_positions(t, y_.data());
    fill_rows(twist_.J, twist_.phi);
    e.phi.head(rows_) = twist_.phi;
    for (int b = 0; b < bodies_; ++b) {
        const Map4 p(x + 14 * b + 3);
        map_[b] = 2 / p.squaredNorm() * E(p.data());
        e.J.block(0, 7 * b, rows_, 3) = twist_.J.block(0, 6 * b, rows_, 3);
        e.J.block(0, 7 * b + 3, rows_, 4).noalias() = twist_.J.block(0, 6 * b + 3, rows_, 3) * map_[b];
        e.phi[rows_ + b] = 0.5 * (p.squaredNorm() - 1);
        e.J.block<1, 4>(rows_ + b, 7 * b + 3) = p.transpose();
    }
}

void EulerParameters::velocities(const double* x) {
    load_rates(x);
    fill_rates(e.J, e.u, e.rate);
}

// w' = map p'' - w (p . p)' / (p . p)
void EulerParameters::motion(double t, const double* x) {
    to_standard(x, y_.data());
    all.load_motion(t, y_.data());
    all.rows.find_bias();
    fill_motion(twist_.M, twist_.Q, twist_.gamma);
    twist_bias_.setZero();
    for (int b = 0; b < bodies_; ++b) {
        const Map4 p(x + 14 * b + 3), rate(x + 14 * b + 10);
        twist_bias_.segment<3>(6 * b + 3) = -2 * p.dot(rate) / p.squaredNorm() * all.placement.velocities()[b].w;
        const Mat3 inertia = twist_.M.block<3, 3>(6 * b + 3, 6 * b + 3);
        e.M.block<3, 3>(7 * b, 7 * b) = twist_.M.block<3, 3>(6 * b, 6 * b);
        e.M.block<4, 4>(7 * b + 3, 7 * b + 3).noalias() = map_[b].transpose() * inertia * map_[b];
        e.Q.segment<3>(7 * b) = twist_.Q.segment<3>(6 * b);
        const Vec3 torque = twist_.Q.segment<3>(6 * b + 3) - inertia * twist_bias_.segment<3>(6 * b + 3);
        e.Q.segment<4>(7 * b + 3).noalias() = map_[b].transpose() * torque;
        e.gamma[rows_ + b] = -rate.squaredNorm();
    }
    bias_.noalias() = twist_.J * twist_bias_;
    e.gamma.head(rows_) = twist_.gamma - bias_;
}

void EulerParameters::twist_accelerations(const double*, Vector& out) const {
    for (int b = 0; b < bodies_; ++b) {
        out.segment<3>(6 * b) = e.acc.segment<3>(7 * b);
        out.segment<3>(6 * b + 3) = map_[b] * e.acc.segment<4>(7 * b + 3) + twist_bias_.segment<3>(6 * b + 3);
    }
}

}  // namespace vincolo
