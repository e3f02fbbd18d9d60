// Truncated Taylor series in time: a value with its first and second derivative.
#pragma once
#include <cmath>

namespace vincolo {

struct Jet {
    double f = 0, d = 0, dd = 0;

    static Jet constant(double c) { return {c, 0, 0}; }
    static Jet variable(double t) { return {t, 1, 0}; }
    // g(f(t)) from g, g', g'' at f
    Jet chain(double g, double g1, double g2) const { return {g, g1 * d, g2 * d * d + g1 * dd}; }
};

inline Jet operator+(const Jet& a, const Jet& b) { return {a.f + b.f, a.d + b.d, a.dd + b.dd}; }
inline Jet operator-(const Jet& a, const Jet& b) { return {a.f - b.f, a.d - b.d, a.dd - b.dd}; }
inline Jet operator-(const Jet& a) { return {-a.f, -a.d, -a.dd}; }
inline Jet operator*(const Jet& a, const Jet& b) {
    return {a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd};
}
inline Jet reciprocal(const Jet& a) {
    const double r = 1 / a.f;
    return a.chain(r, -r * r, 2 * r * r * r);
}
inline Jet operator/(const Jet& a, const Jet& b) { return a * reciprocal(b); }

inline Jet sin(const Jet& a) {
    const double s = std::sin(a.f), c = std::cos(a.f);
    return a.chain(s, c, -s);
}
inline Jet cos(const Jet& a) {
    const double s = std::sin(a.f), c = std::cos(a.f);
    return a.chain(c, -s, -c);
}
inline Jet tan(const Jet& a) {
    const double x = std::tan(a.f), g = 1 + x * x;
    return a.chain(x, g, 2 * x * g);
}
inline Jet asin(const Jet& a) {
    const double q = 1 - a.f * a.f, r = 1 / std::sqrt(q);
    return a.chain(std::asin(a.f), r, a.f * r / q);
}
inline Jet acos(const Jet& a) {
    const double q = 1 - a.f * a.f, r = 1 / std::sqrt(q);
    return a.chain(std::acos(a.f), -r, -a.f * r / q);
}
inline Jet atan(const Jet& a) {
    const double q = 1 / (1 + a.f * a.f);
    return a.chain(std::atan(a.f), q, -2 * a.f * q * q);
}
inline Jet sinh(const Jet& a) {
    const double s = std::sinh(a.f), c = std::cosh(a.f);
    return a.chain(s, c, s);
}
inline Jet cosh(const Jet& a) {
    const double s = std::sinh(a.f), c = std::cosh(a.f);
    return a.chain(c, s, c);
}
inline Jet tanh(const Jet& a) {
    const double x = std::tanh(a.f), g = 1 - x * x;
    return a.chain(x, g, -2 * x * g);
}
inline Jet exp(const Jet& a) {
    const double x = std::exp(a.f);
    return a.chain(x, x, x);
}
inline Jet log(const Jet& a) {
    const double r = 1 / a.f;
    return a.chain(std::log(a.f), r, -r * r);
}
inline Jet sqrt(const Jet& a) {
    if (a.f == 0 && a.d == 0 && a.dd == 0) return a;  // the constant zero has no slope to lose
    const double x = std::sqrt(a.f), g = 0.5 / x;
    return a.chain(x, g, -0.5 * g / a.f);
}
inline Jet abs(const Jet& a) { return a.f < 0 ? -a : a; }
// what is undefined stays so through every choice
inline double sign(double a) { return std::isnan(a) ? a : (a > 0) - (a < 0); }
inline double step(double a) { return std::isnan(a) ? a : a >= 0; }
inline double whole(double a) { return std::floor(a); }
inline double smaller(double a, double b) { return b < a || std::isnan(b) ? b : a; }
inline double larger(double a, double b) { return b > a || std::isnan(b) ? b : a; }
inline Jet sign(const Jet& a) { return Jet::constant(sign(a.f)); }
inline Jet step(const Jet& a) { return Jet::constant(step(a.f)); }
inline Jet whole(const Jet& a) { return Jet::constant(std::floor(a.f)); }
inline Jet smaller(const Jet& a, const Jet& b) { return b.f < a.f || std::isnan(b.f) ? b : a; }
inline Jet larger(const Jet& a, const Jet& b) { return b.f > a.f || std::isnan(b.f) ? b : a; }
inline Jet atan2(const Jet& y, const Jet& x) {
    const double q = x.f * x.f + y.f * y.f;
    const double rate = (x.f * y.d - y.f * x.d) / q;
    const double growth = 2 * (x.f * x.d + y.f * y.d) / q;
    return {std::atan2(y.f, x.f), rate, (x.f * y.dd - y.f * x.dd) / q - growth * rate};
}
inline Jet pow(const Jet& a, const Jet& b) {
    if (b.d == 0 && b.dd == 0) {  // constant exponent, also for a negative base
        const double n = b.f;
        if (n == 2) return a * a;
        if (n == 3) return a * a * a;
        const double g1 = n == 0 ? 0 : n * std::pow(a.f, n - 1);
        const double g2 = n == 0 || n == 1 ? 0 : n * (n - 1) * std::pow(a.f, n - 2);
        return a.chain(std::pow(a.f, n), g1, g2);
    }
    return exp(b * log(a));
}

inline double plain(double x) { return x; }
inline double plain(const Jet& x) { return x.f; }
template <class T> T constant(double c);
template <> inline double constant<double>(double c) { return c; }
template <> inline Jet constant<Jet>(double c) { return Jet::constant(c); }

}  // namespace vincolo
