// The measures: scalar functions of two frames, each with value, gradient and bias (second derivative at zero acceleration).
#pragma once
#include <cmath>

#include "system.hpp"

namespace vincolo {

struct FrameWork {
    Vec3 s;     // lever from the centre of mass
    Vec3 p;     // world point
    Mat3 axes;  // columns x, y, z
    double room;
};

// rate = lin.(v_b - v_a) + on_a.w_a + on_b.w_b
struct Gradient {
    double value;
    Vec3 lin, on_a, on_b;
};

// acceleration of a point at lever s of a body turning with w: w x (w x s)
inline Vec3 centripetal(const Vec3& w, const Vec3& s) { return w * w.dot(s) - s * w.squaredNorm(); }

inline Gradient point_gradient(const Vec3& e, const FrameWork& a, const FrameWork& b) {
    return {e.dot(b.p - a.p), e, e.cross(a.s), b.s.cross(e)};
}

inline Gradient cosine_gradient(const Vec3& f, const Vec3& h) {
    const Vec3 n = f.cross(h);
    return {f.dot(h), Vec3::Zero(), n, -n};
}

inline Gradient along_gradient(const Vec3& f, const FrameWork& a, const FrameWork& b) {
    const Vec3 d = b.p - a.p;
    return {f.dot(d), f, f.cross(d + a.s), b.s.cross(f)};
}

inline Gradient distance_gradient(const FrameWork& a, const FrameWork& b) {
    const Vec3 d = b.p - a.p;
    const double length = d.norm();
    return point_gradient(length > 0 ? Vec3(d / length) : Vec3(1, 0, 0), a, b);
}

// atan2(y_a . h, x_a . h)
inline Gradient angle_gradient(const FrameWork& a, const Vec3& h) {
    const double c = a.axes.col(0).dot(h), s = a.axes.col(1).dot(h);
    const Vec3 n = (c * a.axes.col(1) - s * a.axes.col(0)).cross(h) / (c * c + s * s);
    return {std::atan2(s, c), Vec3::Zero(), n, -n};
}

// atan2(y_a . d, x_a . d) with d the separation
inline Gradient azimuth_gradient(const FrameWork& a, const FrameWork& b) {
    const Gradient x = along_gradient(a.axes.col(0), a, b), y = along_gradient(a.axes.col(1), a, b);
    const double q = x.value * x.value + y.value * y.value, cx = -y.value / q, cy = x.value / q;
    return {std::atan2(y.value, x.value), cx * x.lin + cy * y.lin, cx * x.on_a + cy * y.on_a, cx * x.on_b + cy * y.on_b};
}

// From the centre of a wheel or ball to where it touches a plane: down along the plane's normal, in the wheel's plane
inline Vec3 touching(const Measure& m, const Vec3& normal, const Vec3& axle) {
    if (m.e[1] != 0) return -m.e[0] * normal;
    const Vec3 u = normal - normal.dot(axle) * axle;
    return -m.e[0] / u.norm() * u;
}

inline Vec3 touching_rate(const Measure& m, const Vec3& n, const Vec3& n_rate, const Vec3& axle, const Vec3& axle_rate) {
    if (m.e[1] != 0) return -m.e[0] * n_rate;
    const Vec3 u = n - n.dot(axle) * axle;
    const Vec3 u_rate = n_rate - (n_rate.dot(axle) + n.dot(axle_rate)) * axle - n.dot(axle) * axle_rate;
    const double size = u.norm();
    return -m.e[0] / size * (u_rate - u * (u.dot(u_rate) / (size * size)));
}

// Velocity of b against a along e, both as they pass the point b.p + k; there is no value to hold
inline Gradient slip_gradient(const Vec3& e, const Vec3& k, const FrameWork& a, const FrameWork& b) {
    return {0, e, e.cross(b.p + k - a.p + a.s), (b.s + k).cross(e)};
}

inline double slip_bias(const Vec3& e, const Vec3& e_rate, const Vec3& k, const Vec3& k_rate, const FrameWork& a, const FrameWork& b,
                        const Twist& A, const Twist& B) {
    const Vec3 lever_a = b.p + k - a.p + a.s, lever_b = b.s + k;
    const Vec3 slip = B.v + B.w.cross(lever_b) - A.v - A.w.cross(lever_a);
    const Vec3 point = B.v + B.w.cross(b.s) + k_rate;  // velocity of the point itself
    return e_rate.dot(slip) + e.dot(B.w.cross(point - B.v) - A.w.cross(point - A.v));
}

// A frame in time, to second order: its point, and its axes
struct FrameSeries {
    Vec3 p[3];
    Mat3 axes[3];
};

inline Jet dot(const Vec3& a, const Vec3& a1, const Vec3& a2, const Vec3& b, const Vec3& b1, const Vec3& b2) {
    return {a.dot(b), a1.dot(b) + a.dot(b1), a2.dot(b) + 2 * a1.dot(b1) + a.dot(b2)};
}

// Angular velocity of a frame (1), or its angular acceleration (2): half the sum of e x e' or e x e'' over its axes e
inline Vec3 turning(const FrameSeries& f, int order) {
    Vec3 sum = Vec3::Zero();
    for (int c = 0; c < 3; ++c) sum += f.axes[0].col(c).cross(f.axes[order].col(c));
    return 0.5 * sum;
}

// How fast what moves with frame b slips over what moves with frame a where they touch, and how that changes; there is no value
inline Jet slip_series(const Measure& m, const FrameSeries& a, const FrameSeries& b) {
    const bool rolls = m.kind == MeasureKind::Roll;
    const auto axis = [&](int order) { return Vec3(rolls ? a.axes[order].col(m.i) : b.axes[order].col(m.j)); };
    Vec3 k = Vec3::Zero(), k_rate = Vec3::Zero();
    if (rolls) {
        const Vec3 n = a.axes[0].col(2), axle = b.axes[0].col(2);
        k = touching(m, n, axle);
        k_rate = touching_rate(m, n, a.axes[1].col(2), axle, b.axes[1].col(2));
    }
    const Vec3 wa = turning(a, 1), wb = turning(b, 1), lever = b.p[0] - a.p[0] + k, lever_rate = b.p[1] - a.p[1] + k_rate;
    const Vec3 slip = b.p[1] - a.p[1] + wb.cross(k) - wa.cross(lever);
    const Vec3 change = b.p[2] - a.p[2] + turning(b, 2).cross(k) + wb.cross(k_rate) - turning(a, 2).cross(lever) - wa.cross(lever_rate);
    return {0, axis(0).dot(slip), axis(1).dot(slip) + axis(0).dot(change)};
}

// A measure along the motion of its two frames
inline Jet measure_series(const Measure& m, const FrameSeries& a, const FrameSeries& b) {
    const Vec3 d = b.p[0] - a.p[0], d1 = b.p[1] - a.p[1], d2 = b.p[2] - a.p[2], none = Vec3::Zero();
    const auto to_point = [&](int i) { return dot(a.axes[0].col(i), a.axes[1].col(i), a.axes[2].col(i), d, d1, d2); };
    const auto to_axis = [&](int i, int j) {
        return dot(a.axes[0].col(i), a.axes[1].col(i), a.axes[2].col(i), b.axes[0].col(j), b.axes[1].col(j), b.axes[2].col(j));
    };
    switch (m.kind) {
        case MeasureKind::World: return dot(m.e, none, none, d, d1, d2);
        case MeasureKind::Pin:
        case MeasureKind::Along: return to_point(m.i);
        case MeasureKind::Cosine: return to_axis(m.i, m.j);
        case MeasureKind::Distance: return sqrt(dot(d, d1, d2, d, d1, d2));
        case MeasureKind::Azimuth: return atan2(to_point(1), to_point(0));
        case MeasureKind::Skid:
        case MeasureKind::Roll: return slip_series(m, a, b);
        case MeasureKind::Angle:
        case MeasureKind::Count: break;
    }
    return atan2(to_axis(1, m.j), to_axis(0, m.j));
}

inline Gradient gradient(const Measure& m, const FrameWork& a, const FrameWork& b) {
    switch (m.kind) {
        case MeasureKind::World: return point_gradient(m.e, a, b);
        case MeasureKind::Pin: return point_gradient(a.axes.col(m.i), a, b);
        case MeasureKind::Along: return along_gradient(a.axes.col(m.i), a, b);
        case MeasureKind::Cosine: return cosine_gradient(a.axes.col(m.i), b.axes.col(m.j));
        case MeasureKind::Distance: return distance_gradient(a, b);
        case MeasureKind::Azimuth: return azimuth_gradient(a, b);
        case MeasureKind::Skid: return slip_gradient(b.axes.col(m.j), Vec3::Zero(), a, b);
        case MeasureKind::Roll: return slip_gradient(a.axes.col(m.i), touching(m, a.axes.col(2), b.axes.col(2)), a, b);
        default: return angle_gradient(a, b.axes.col(m.j));
    }
}

inline double measure_value(const Measure& m, const FrameWork& a, const FrameWork& b) {
    switch (m.kind) {
        case MeasureKind::World: return m.e.dot(b.p - a.p);
        case MeasureKind::Pin:
        case MeasureKind::Along: return a.axes.col(m.i).dot(b.p - a.p);
        case MeasureKind::Cosine: return a.axes.col(m.i).dot(b.axes.col(m.j));
        case MeasureKind::Distance: return (b.p - a.p).norm();
        case MeasureKind::Azimuth: return std::atan2(a.axes.col(1).dot(b.p - a.p), a.axes.col(0).dot(b.p - a.p));
        case MeasureKind::Skid:
        case MeasureKind::Roll: return 0;
        default: return angle_gradient(a, b.axes.col(m.j)).value;
    }
}

inline double point_bias(const Vec3& e, const FrameWork& a, const FrameWork& b, const Twist& A, const Twist& B) {
    return e.dot(centripetal(B.w, b.s) - centripetal(A.w, a.s));
}

inline double cosine_bias(const Vec3& f, const Vec3& h, const Vec3& wa, const Vec3& wb) {
    return wa.dot(f) * wa.dot(h) + wb.dot(f) * wb.dot(h) - 2 * wa.dot(h) * wb.dot(f) - f.dot(h) * (wa - wb).squaredNorm();
}

inline Vec3 separation_rate(const FrameWork& a, const FrameWork& b, const Twist& A, const Twist& B) {
    return B.v + B.w.cross(b.s) - A.v - A.w.cross(a.s);
}

inline double along_bias(const Vec3& f, const FrameWork& a, const FrameWork& b, const Twist& A, const Twist& B) {
    const Vec3 turning = A.w.cross(f);
    return A.w.cross(turning).dot(b.p - a.p) + 2 * turning.dot(separation_rate(a, b, A, B)) + point_bias(f, a, b, A, B);
}

inline double distance_bias(const FrameWork& a, const FrameWork& b, const Twist& A, const Twist& B) {
    const Vec3 d = b.p - a.p, rate = separation_rate(a, b, A, B);
    const double length = d.norm();
    if (length == 0) return 0;
    const Vec3 e = d / length;
    const double along = e.dot(rate);
    return (rate.squaredNorm() - along * along) / length + point_bias(e, a, b, A, B);
}

inline double angle_bias(const FrameWork& a, const Vec3& h, const Vec3& wa, const Vec3& wb) {
    const Vec3 x = a.axes.col(0), y = a.axes.col(1), w = wa - wb;
    const double c = x.dot(h), s = y.dot(h), q = c * c + s * s;
    const double c_rate = w.dot(x.cross(h)), s_rate = w.dot(y.cross(h));
    const double rate = (c * s_rate - s * c_rate) / q;
    return (c * cosine_bias(y, h, wa, wb) - s * cosine_bias(x, h, wa, wb)) / q - 2 * rate * (c * c_rate + s * s_rate) / q;
}

inline double azimuth_bias(const FrameWork& a, const FrameWork& b, const Twist& A, const Twist& B) {
    const Vec3 x = a.axes.col(0), y = a.axes.col(1), d = b.p - a.p, rate = separation_rate(a, b, A, B);
    const double c = x.dot(d), s = y.dot(d), q = c * c + s * s;
    const double c_rate = A.w.cross(x).dot(d) + x.dot(rate), s_rate = A.w.cross(y).dot(d) + y.dot(rate);
    const double turn = (c * s_rate - s * c_rate) / q;
    return (c * along_bias(y, a, b, A, B) - s * along_bias(x, a, b, A, B)) / q - 2 * turn * (c * c_rate + s * s_rate) / q;
}

inline double bias(const Measure& m, const FrameWork& a, const FrameWork& b, const Twist& A, const Twist& B) {
    switch (m.kind) {
        case MeasureKind::World: return point_bias(m.e, a, b, A, B);
        case MeasureKind::Pin: return point_bias(a.axes.col(m.i), a, b, A, B);
        case MeasureKind::Along: return along_bias(a.axes.col(m.i), a, b, A, B);
        case MeasureKind::Cosine: return cosine_bias(a.axes.col(m.i), b.axes.col(m.j), A.w, B.w);
        case MeasureKind::Distance: return distance_bias(a, b, A, B);
        case MeasureKind::Azimuth: return azimuth_bias(a, b, A, B);
        case MeasureKind::Skid: {
            const Vec3 e = b.axes.col(m.j), none = Vec3::Zero();
            return slip_bias(e, B.w.cross(e), none, none, a, b, A, B);
        }
        case MeasureKind::Roll: {
            const Vec3 e = a.axes.col(m.i), n = a.axes.col(2), axle = b.axes.col(2);
            return slip_bias(e, A.w.cross(e), touching(m, n, axle), touching_rate(m, n, A.w.cross(n), axle, B.w.cross(axle)), a, b, A, B);
        }
        default: return angle_bias(a, b.axes.col(m.j), A.w, B.w);
    }
}

}  // namespace vincolo
