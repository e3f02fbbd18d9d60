// Functions of one variable with exact first and second derivatives.
#pragma once
#include <algorithm>
#include <string>

#include "tape.hpp"

namespace vincolo {

enum class FunctionKind : int { Constant, Ramp, Polynomial, Sine, SmoothStep, Spline, Tape, Count };
inline const char* const function_names[] = {"constant", "ramp", "polynomial", "sine", "smooth_step", "spline", "tape"};

struct Function {
    FunctionKind kind = FunctionKind::Constant;
    std::vector<double> p;
    Tape tape;

    // registers: scratch for the tape, at least tape.code.size() numbers
    Jet operator()(double t, Jet* registers) const {
        switch (kind) {
            case FunctionKind::Constant: return {p[0], 0, 0};
            case FunctionKind::Ramp: return ramp(t);
            case FunctionKind::Polynomial: return polynomial(t);
            case FunctionKind::Sine: return sine(t);
            case FunctionKind::SmoothStep: return smooth_step(t);
            case FunctionKind::Spline: return spline(t);
            default: return tape.run(Jet::variable(t), static_cast<const double*>(nullptr), registers);
        }
    }

    // integral of a spline from its first sample: the potential of a force curve
    double spline_integral(double x) const;
    Jet spline(double x) const;

  private:
    // p = slope, start, offset
    Jet ramp(double t) const {
        return t < p[1] ? Jet{p[2], 0, 0} : Jet{p[2] + p[0] * (t - p[1]), p[0], 0};
    }
    Jet polynomial(double t) const {
        Jet y{0, 0, 0};
        for (std::size_t k = p.size(); k-- > 0;) y = {y.f * t + p[k], y.d * t + y.f, y.dd * t + 2 * y.d};
        return y;
    }
    // p = amplitude, omega, phase, offset
    Jet sine(double t) const {
        const double s = std::sin(p[1] * t + p[2]), c = std::cos(p[1] * t + p[2]);
        return {p[3] + p[0] * s, p[0] * p[1] * c, -p[0] * p[1] * p[1] * s};
    }
    // p = start, end, low, high; low + (high - low) (6 x^5 - 15 x^4 + 10 x^3)
    Jet smooth_step(double t) const {
        const double h = p[1] - p[0], x = (t - p[0]) / h, rise = p[3] - p[2];
        if (x <= 0) return {p[2], 0, 0};
        if (x >= 1) return {p[3], 0, 0};
        return {p[2] + rise * x * x * x * (10 + x * (6 * x - 15)), rise / h * 30 * x * x * (1 - x) * (1 - x),
                rise / (h * h) * 60 * x * (1 - x) * (1 - 2 * x)};
    }
    int spline_interval(double x) const {
        const int n = static_cast<int>(p[0]);
        const double* knots = p.data() + 1;
        const int i = static_cast<int>(std::upper_bound(knots, knots + n, x) - knots) - 1;
        return std::clamp(i, 0, n - 2);
    }
    const double* spline_coefficients(int i) const { return p.data() + 1 + static_cast<int>(p[0]) + 4 * i; }
};

inline Jet Function::spline(double x) const {
    const int n = static_cast<int>(p[0]);
    const double first = p[1], last = p[n];
    const double inside = std::clamp(x, first, last);
    const int i = spline_interval(inside);
    const double *c = spline_coefficients(i), s = inside - p[1 + i];
    const Jet y{c[0] + s * (c[1] + s * (c[2] + s * c[3])), c[1] + s * (2 * c[2] + 3 * s * c[3]), 2 * c[2] + 6 * s * c[3]};
    if (x == inside) return y;
    return {y.f + y.d * (x - inside), y.d, 0};  // straight on beyond the ends
}

inline double Function::spline_integral(double x) const {
    const int n = static_cast<int>(p[0]);
    const double first = p[1], last = p[n];
    const double inside = std::clamp(x, first, last);
    const int at = spline_interval(inside);
    double sum = 0;
    for (int i = 0; i <= at; ++i) {
        const double *c = spline_coefficients(i), s = (i == at ? inside : p[2 + i]) - p[1 + i];
        sum += s * (c[0] + s * (c[1] / 2 + s * (c[2] / 3 + s * c[3] / 4)));
    }
    const Jet end = spline(inside);
    const double beyond = x - inside;
    return sum + beyond * (end.f + 0.5 * beyond * end.d);
}

}  // namespace vincolo
