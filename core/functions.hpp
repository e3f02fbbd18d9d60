// Functions of one variable with exact first and second derivatives.
#pragma once
#include <algorithm>
#include <string>

#include "tape.hpp"

namespace vincolo {

enum class FunctionKind : int { Constant, Ramp, Polynomial, Sine, SmoothStep, Spline, Tape, PiecewisePolynomial, Pieces, Count };
inline const char* const function_names[] = {"constant", "ramp", "polynomial", "sine", "smooth_step", "spline", "tape", "piecewise_polynomial", "pieces"};

struct Function {
    FunctionKind kind = FunctionKind::Constant;
    std::vector<double> p;
    Tape tape;
    std::vector<Function> parts;  // called by the tape, or the pieces

    // registers: scratch for the tapes, at least scratch() numbers
    // A function of time may read auxiliary states, given as series in time; its parts may not.
    Jet operator()(double t, Jet* registers, const Jet* auxiliaries = nullptr) const {
        if (kind == FunctionKind::Tape) return tape.run(Jet::variable(t), auxiliaries, registers, parts.data());
        return at(Jet::variable(t), registers);
    }
    template <class T>
    T at(const T& x, T* registers) const {
        if (kind == FunctionKind::Tape) return tape.run(x, static_cast<const double*>(nullptr), registers, parts.data());
        if (kind == FunctionKind::Pieces) return parts[piece(plain(x))].at(x, registers);
        const Jet g = own(plain(x));
        if constexpr (std::is_same_v<T, double>) return g.f;
        else return x.chain(g.f, g.d, g.dd);
    }
    bool reads_auxiliaries() const {
        return kind == FunctionKind::Tape && std::any_of(tape.code.begin(), tape.code.end(), [](const Instruction& in) { return in.op == Op::Input; });
    }
    std::size_t scratch() const { return scratch_of(tape, parts); }
    // Registers that a tape and the parts it calls need
    static std::size_t scratch_of(const Tape& tape, const std::vector<Function>& parts) {
        std::size_t most = 0;
        for (const Function& part : parts) most = std::max(most, part.scratch());
        return tape.code.size() + most;
    }

    // integral of a spline from its first sample: the potential of a force curve
    double spline_integral(double x) const;
    Jet spline(double x) const;

  private:
    int piece(double x) const { return static_cast<int>(std::upper_bound(p.begin(), p.end(), x) - p.begin()); }
    Jet own(double t) const {
        switch (kind) {
            case FunctionKind::Constant: return {p[0], 0, 0};
            case FunctionKind::Ramp: return ramp(t);
            case FunctionKind::Polynomial: return polynomial(t);
            case FunctionKind::Sine: return sine(t);
            case FunctionKind::SmoothStep: return smooth_step(t);
            case FunctionKind::PiecewisePolynomial: return piecewise(t);
            default: return spline(t);
        }
    }
    Jet piecewise(double t) const;
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
    const double first = p[1], last = p[n];  // a rounding behind the last sample, which still belongs to the curve
    const double inside = std::clamp(x, first, std::nextafter(last, first));
    const int i = spline_interval(inside);
    const double *c = spline_coefficients(i), s = inside - p[1 + i];
    const Jet y{c[0] + s * (c[1] + s * (c[2] + s * c[3])), c[1] + s * (2 * c[2] + 3 * s * c[3]), 2 * c[2] + 6 * s * c[3]};
    if (x == inside && x < last) return y;
    return {y.f + y.d * (x - inside), y.d, 0};  // straight on beyond the ends
}

// p = pieces, degree, before, after, breaks, coefficients in rising powers from the left end of each piece. Before and after:
// 0 hold, 1 along the tangent, 2 extend, 3 repeat, 4 repeat and rise
inline Jet Function::piecewise(double t) const {
    const int n = static_cast<int>(p[0]), width = static_cast<int>(p[1]) + 1;
    const double *x = p.data() + 4, *c = x + n + 1, first = x[0], last = x[n];
    double inside = t, rise = 0;
    const auto value = [&](double at) {
        const int i = std::clamp(static_cast<int>(std::upper_bound(x, x + n + 1, at) - x) - 1, 0, n - 1);
        const double s = at - x[i];
        Jet y{0, 0, 0};
        for (int k = width; k-- > 0;) y = {y.f * s + c[width * i + k], y.d * s + y.f, y.dd * s + 2 * y.d};
        return y;
    };
    const bool outside = t < first || t >= last;  // at the end what comes behind counts
    const int mode = static_cast<int>(t < first ? p[2] : p[3]);
    if (mode >= 3 && !(t >= first && t < last)) {
        const double turns = std::floor((t - first) / (last - first));
        inside = std::min(std::max(t - turns * (last - first), first), last);
        if (mode == 4) rise = turns * (value(last).f - value(first).f);
    } else if (outside && mode < 2) {
        inside = t < first ? first : last;
    }
    Jet y = value(inside);
    y.f += rise;
    if (outside && mode == 0) return {y.f, 0, 0};
    if (outside && mode == 1) return {y.f + y.d * (t - inside), y.d, 0};
    return y;
}

inline double call(const Function& f, double x, double* registers) { return f.at(x, registers); }
inline Jet call(const Function& f, const Jet& x, Jet* registers) { return f.at(x, registers); }

template <class T>
T Tape::call_part(const Function* parts, int part, const T& x, T* registers) { return call(parts[part], x, registers); }

inline double Tape::gradient(const double* registers, double* adjoints, int inputs, double* out, const Function* parts, Jet* scratch) const {
    std::fill(adjoints, adjoints + code.size(), 0.0);
    std::fill(out, out + inputs, 0.0);
    adjoints[code.size() - 1] = 1;
    double by_time = 0;
    for (std::size_t k = code.size(); k-- > 0;) {
        const Instruction& in = code[k];
        const double a = adjoints[k];
        if (a == 0 || in.op == Op::Const) continue;
        if (in.op == Op::Time) {
            by_time += a;
        } else if (in.op == Op::Input) {
            out[in.a] += a;
        } else if (in.op == Op::Choose) {
            adjoints[chosen(in, registers[in.a])] += a;
        } else if (in.op == Op::Call) {
            adjoints[in.a] += a * parts[in.b](registers[in.a], scratch).d;
        } else {
            double by_x, by_y;
            partials(in.op, registers[in.a], registers[in.b], registers[k], by_x, by_y);
            adjoints[in.a] += a * by_x;
            if (in.op >= Op::Add) adjoints[in.b] += a * by_y;
        }
    }
    return by_time;
}

inline double Function::spline_integral(double x) const {
    const int n = static_cast<int>(p[0]);
    const double first = p[1], last = p[n];  // a rounding behind the last sample, which still belongs to the curve
    const double inside = std::clamp(x, first, std::nextafter(last, first));
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
