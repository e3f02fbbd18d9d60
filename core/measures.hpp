// The measures: scalar functions of two frames, each with value, gradient and bias (second derivative at zero acceleration), on plain
// numbers or on numbers with derivatives (T).
#pragma once
#include <cmath>
#include <type_traits>

#include "system.hpp"
#include "vectors.hpp"

namespace vincolo {

// A vector whose kind of numbers follows from the other arguments of a function, so that columns and sums can be given for it
template <class T>
using Given3 = Vec3Of<std::common_type_t<T>>;

template <class T>
struct FrameWorkOf {
    Vec3Of<T> s;     // lever from the centre of mass
    Vec3Of<T> p;     // world point
    Mat3Of<T> axes;  // columns x, y, z
    double room;
};
using FrameWork = FrameWorkOf<double>;

// rate = lin.(v_b - v_a) + on_a.w_a + on_b.w_b
template <class T>
struct GradientOf {
    T value;
    Vec3Of<T> lin, on_a, on_b;
};
using Gradient = GradientOf<double>;

// acceleration of a point at lever s of a body turning with w: w x (w x s)
template <class T>
VINCOLO_INLINE Vec3Of<T> centripetal(const Vec3Of<T>& w, const Given3<T>& s) { return w * w.dot(s) - s * w.squaredNorm(); }

template <class T>
GradientOf<T> point_gradient(const Given3<T>& e, const FrameWorkOf<T>& a, const FrameWorkOf<T>& b) {
    return {e.dot(b.p - a.p), e, e.cross(a.s), b.s.cross(e)};
}

template <class T>
GradientOf<T> cosine_gradient(const Vec3Of<T>& f, const Given3<T>& h) {
    const Vec3Of<T> n = f.cross(h);
    return {f.dot(h), Vec3Of<T>::Zero(), n, -n};
}

template <class T>
GradientOf<T> along_gradient(const Given3<T>& f, const FrameWorkOf<T>& a, const FrameWorkOf<T>& b) {
    const Vec3Of<T> d = b.p - a.p;
    return {f.dot(d), f, f.cross(d + a.s), b.s.cross(f)};
}

template <class T>
GradientOf<T> distance_gradient(const FrameWorkOf<T>& a, const FrameWorkOf<T>& b) {
    const Vec3Of<T> d = b.p - a.p;
    const T length = d.norm();
    return point_gradient(plain(length) > 0 ? Vec3Of<T>(d / length) : Vec3Of<T>(1, 0, 0), a, b);
}

// atan2(y_a . h, x_a . h)
template <class T>
GradientOf<T> angle_gradient(const FrameWorkOf<T>& a, const Given3<T>& h) {
    using std::atan2;
    const T c = a.axes.col(0).dot(h), s = a.axes.col(1).dot(h);
    const Vec3Of<T> n = (c * a.axes.col(1) - s * a.axes.col(0)).cross(h) / (c * c + s * s);
    return {atan2(s, c), Vec3Of<T>::Zero(), n, -n};
}

// atan2(y_a . d, x_a . d) with d the separation
template <class T>
GradientOf<T> azimuth_gradient(const FrameWorkOf<T>& a, const FrameWorkOf<T>& b) {
    using std::atan2;
    const GradientOf<T> x = along_gradient(a.axes.col(0), a, b), y = along_gradient(a.axes.col(1), a, b);
    const T q = x.value * x.value + y.value * y.value, cx = -y.value / q, cy = x.value / q;
    return {atan2(y.value, x.value), cx * x.lin + cy * y.lin, cx * x.on_a + cy * y.on_a, cx * x.on_b + cy * y.on_b};
}

// From the centre of a wheel or ball to where it touches a plane: down along the plane's normal, in the wheel's plane
template <class T>
Vec3Of<T> touching(const Measure& m, const Vec3Of<T>& normal, const Given3<T>& axle) {
    if (m.e[1] != 0) return -m.e[0] * normal;
    const Vec3Of<T> u = normal - normal.dot(axle) * axle;
    return -m.e[0] / u.norm() * u;
}

template <class T>
Vec3Of<T> touching_rate(const Measure& m, const Vec3Of<T>& n, const Given3<T>& n_rate, const Given3<T>& axle, const Given3<T>& axle_rate) {
    if (m.e[1] != 0) return -m.e[0] * n_rate;
    const Vec3Of<T> u = n - n.dot(axle) * axle;
    const Vec3Of<T> u_rate = n_rate - (n_rate.dot(axle) + n.dot(axle_rate)) * axle - n.dot(axle) * axle_rate;
    const T size = u.norm();
    return -m.e[0] / size * (u_rate - u * (u.dot(u_rate) / (size * size)));
}

// Velocity of b against a along e, both as they pass the point b.p + k; there is no value to hold
template <class T>
GradientOf<T> slip_gradient(const Given3<T>& e, const Given3<T>& k, const FrameWorkOf<T>& a, const FrameWorkOf<T>& b) {
    return {0, e, e.cross(b.p + k - a.p + a.s), (b.s + k).cross(e)};
}

template <class T>
T slip_bias(const Given3<T>& e, const Given3<T>& e_rate, const Given3<T>& k, const Given3<T>& k_rate, const FrameWorkOf<T>& a,
            const FrameWorkOf<T>& b, const TwistOf<T>& A, const TwistOf<T>& B) {
    const Vec3Of<T> lever_a = b.p + k - a.p + a.s, lever_b = b.s + k;
    const Vec3Of<T> slip = B.v + B.w.cross(lever_b) - A.v - A.w.cross(lever_a);
    const Vec3Of<T> point = B.v + B.w.cross(b.s) + k_rate;  // velocity of the point itself
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

template <class T>
GradientOf<T> gradient(const Measure& m, const FrameWorkOf<T>& a, const FrameWorkOf<T>& b) {
    switch (m.kind) {
        case MeasureKind::World: return point_gradient(m.e.cast<T>(), a, b);
        case MeasureKind::Pin: return point_gradient(a.axes.col(m.i), a, b);
        case MeasureKind::Along: return along_gradient(a.axes.col(m.i), a, b);
        case MeasureKind::Cosine: return cosine_gradient(Vec3Of<T>(a.axes.col(m.i)), b.axes.col(m.j));
        case MeasureKind::Distance: return distance_gradient(a, b);
        case MeasureKind::Azimuth: return azimuth_gradient(a, b);
        case MeasureKind::Skid: return slip_gradient(b.axes.col(m.j), Vec3Of<T>::Zero(), a, b);
        case MeasureKind::Roll: return slip_gradient(a.axes.col(m.i), touching(m, Vec3Of<T>(a.axes.col(2)), b.axes.col(2)), a, b);
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
        default: return std::atan2(a.axes.col(1).dot(b.axes.col(m.j)), a.axes.col(0).dot(b.axes.col(m.j)));
    }
}

template <class T>
T point_bias(const Given3<T>& e, const FrameWorkOf<T>& a, const FrameWorkOf<T>& b, const TwistOf<T>& A, const TwistOf<T>& B) {
    return e.dot(centripetal(B.w, b.s) - centripetal(A.w, a.s));
}

template <class T>
T cosine_bias(const Vec3Of<T>& f, const Given3<T>& h, const Given3<T>& wa, const Given3<T>& wb) {
    return wa.dot(f) * wa.dot(h) + wb.dot(f) * wb.dot(h) - 2 * wa.dot(h) * wb.dot(f) - f.dot(h) * (wa - wb).squaredNorm();
}

template <class T>
Vec3Of<T> separation_rate(const FrameWorkOf<T>& a, const FrameWorkOf<T>& b, const TwistOf<T>& A, const TwistOf<T>& B) {
    return B.v + B.w.cross(b.s) - A.v - A.w.cross(a.s);
}

template <class T>
T along_bias(const Given3<T>& f, const FrameWorkOf<T>& a, const FrameWorkOf<T>& b, const TwistOf<T>& A, const TwistOf<T>& B) {
    const Vec3Of<T> turning = A.w.cross(f);
    return A.w.cross(turning).dot(b.p - a.p) + 2 * turning.dot(separation_rate(a, b, A, B)) + point_bias(f, a, b, A, B);
}

template <class T>
T distance_bias(const FrameWorkOf<T>& a, const FrameWorkOf<T>& b, const TwistOf<T>& A, const TwistOf<T>& B) {
    const Vec3Of<T> d = b.p - a.p, rate = separation_rate(a, b, A, B);
    const T length = d.norm();
    if (length == 0) return 0;
    const Vec3Of<T> e = d / length;
    const T along = e.dot(rate);
    return (rate.squaredNorm() - along * along) / length + point_bias(e, a, b, A, B);
}

template <class T>
T angle_bias(const FrameWorkOf<T>& a, const Given3<T>& h, const Given3<T>& wa, const Given3<T>& wb) {
    const Vec3Of<T> x = a.axes.col(0), y = a.axes.col(1), w = wa - wb;
    const T c = x.dot(h), s = y.dot(h), q = c * c + s * s;
    const T c_rate = w.dot(x.cross(h)), s_rate = w.dot(y.cross(h));
    const T rate = (c * s_rate - s * c_rate) / q;
    return (c * cosine_bias(y, h, wa, wb) - s * cosine_bias(x, h, wa, wb)) / q - 2 * rate * (c * c_rate + s * s_rate) / q;
}

template <class T>
T azimuth_bias(const FrameWorkOf<T>& a, const FrameWorkOf<T>& b, const TwistOf<T>& A, const TwistOf<T>& B) {
    const Vec3Of<T> x = a.axes.col(0), y = a.axes.col(1), d = b.p - a.p, rate = separation_rate(a, b, A, B);
    const T c = x.dot(d), s = y.dot(d), q = c * c + s * s;
    const T c_rate = A.w.cross(x).dot(d) + x.dot(rate), s_rate = A.w.cross(y).dot(d) + y.dot(rate);
    const T turn = (c * s_rate - s * c_rate) / q;
    return (c * along_bias(y, a, b, A, B) - s * along_bias(x, a, b, A, B)) / q - 2 * turn * (c * c_rate + s * s_rate) / q;
}

template <class T>
T bias(const Measure& m, const FrameWorkOf<T>& a, const FrameWorkOf<T>& b, const TwistOf<T>& A, const TwistOf<T>& B) {
    switch (m.kind) {
        case MeasureKind::World: return point_bias(m.e.cast<T>(), a, b, A, B);
        case MeasureKind::Pin: return point_bias(a.axes.col(m.i), a, b, A, B);
        case MeasureKind::Along: return along_bias(a.axes.col(m.i), a, b, A, B);
        case MeasureKind::Cosine: return cosine_bias(Vec3Of<T>(a.axes.col(m.i)), b.axes.col(m.j), A.w, B.w);
        case MeasureKind::Distance: return distance_bias(a, b, A, B);
        case MeasureKind::Azimuth: return azimuth_bias(a, b, A, B);
        case MeasureKind::Skid: {
            const Vec3Of<T> e = b.axes.col(m.j), none = Vec3Of<T>::Zero();
            return slip_bias(e, B.w.cross(e), none, none, a, b, A, B);
        }
        case MeasureKind::Roll: {
            const Vec3Of<T> e = a.axes.col(m.i), n = a.axes.col(2), axle = b.axes.col(2);
            return slip_bias(e, A.w.cross(e), touching(m, n, axle), touching_rate(m, n, A.w.cross(n), axle, B.w.cross(axle)), a, b, A, B);
        }
        default: return angle_bias(a, b.axes.col(m.j), A.w, B.w);
    }
}

}  // namespace vincolo
