// Rotations as quaternions (scalar first), with angular velocities and small rotations in world axes.
#pragma once
#include <cmath>

#include "twist.hpp"

namespace vincolo {

// Rotation of a quaternion of any length
inline Mat3 rotation_of(const double* p) {
    const double s = 2 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    const double xx = s * p[1] * p[1], yy = s * p[2] * p[2], zz = s * p[3] * p[3];
    const double xy = s * p[1] * p[2], xz = s * p[1] * p[3], yz = s * p[2] * p[3];
    const double wx = s * p[0] * p[1], wy = s * p[0] * p[2], wz = s * p[0] * p[3];
    Mat3 A;
    A << 1 - yy - zz, xy - wz, xz + wy, xy + wz, 1 - xx - zz, yz - wx, xz - wy, yz + wx, 1 - xx - yy;
    return A;
}

// p' = 1/2 (0, w) p
inline void quaternion_rate(const double* p, const Vec3& w, double* rate) {
    const Vec3 e(p[1], p[2], p[3]), de = 0.5 * (p[0] * w + w.cross(e));
    rate[0] = -0.5 * w.dot(e);
    for (int c = 0; c < 3; ++c) rate[1 + c] = de[c];
}

// w = 2 p' p*, of a quaternion of unit length
inline Vec3 turning_of(const double* p, const double* rate) {
    const Vec3 e(p[1], p[2], p[3]), de(rate[1], rate[2], rate[3]);
    return 2 * (p[0] * de - rate[0] * e + e.cross(de));
}

// The same of a quaternion of any length
inline Vec3 turning_at(const double* p, const double* rate) {
    return turning_of(p, rate) / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
}

// p'' = 1/2 ((0, w) p)', from p', w and w'
inline void quaternion_acceleration(const double* p, const double* rate, const Vec3& w, const Vec3& dw, double* out) {
    double by_rate[4];
    quaternion_rate(rate, w, by_rate);
    quaternion_rate(p, dw, out);
    for (int c = 0; c < 4; ++c) out[c] += by_rate[c];
}

// p <- p + 1/2 (0, theta) p, of unit length: theta is a small rotation
inline void turn_quaternion(double* p, const Vec3& theta) {
    const Vec3 e(p[1], p[2], p[3]), turned = e + 0.5 * (p[0] * theta + theta.cross(e));
    const double first = p[0] - 0.5 * theta.dot(e), size = std::sqrt(first * first + turned.squaredNorm());
    p[0] = first / size;
    for (int k = 0; k < 3; ++k) p[1 + k] = turned[k] / size;
}

// p <- exp(theta) p, for a rotation of any size
inline void rotate_quaternion(double* p, const Vec3& theta) {
    const double angle = theta.norm(), s = angle > 1e-8 ? std::sin(angle / 2) / angle : 0.5;
    const Eigen::Quaterniond turned = (Eigen::Quaterniond(std::cos(angle / 2), s * theta[0], s * theta[1], s * theta[2]) *
                                       Eigen::Quaterniond(p[0], p[1], p[2], p[3])).normalized();
    p[0] = turned.w(), p[1] = turned.x(), p[2] = turned.y(), p[3] = turned.z();
}

}  // namespace vincolo
