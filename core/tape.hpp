// A tape: a user's formula as a flat list of operations, run on plain numbers or on Taylor series.
#pragma once
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "jet.hpp"

namespace vincolo {

enum class Op : int {
    Const, Time, Input,
    Neg, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Exp, Log, Sqrt, Abs, Sign, Step, Floor, Call,
    Add, Sub, Mul, Div, Pow, Atan2, Min, Max, Either, Choose,
    Count
};

inline const char* const op_names[] = {
    "const", "time", "input",
    "neg", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt",
    "abs", "sign", "step", "floor", "call",
    "add", "sub", "mul", "div", "pow", "atan2", "min", "max", "either", "choose"};

// Either names two registers; Choose reads the first of its Either's where its condition is not zero, else the second. What is
// not chosen does not count, whatever it is.
struct Instruction {
    Op op;
    int a, b;
};

template <class T>
T apply(Op op, const T& x, const T& y) {
    using std::abs; using std::acos; using std::asin; using std::atan; using std::atan2; using std::cos;
    using std::cosh; using std::exp; using std::log; using std::pow;
    using std::sin; using std::sinh; using std::sqrt; using std::tan; using std::tanh;
    switch (op) {
        case Op::Neg: return -x;
        case Op::Sin: return sin(x);
        case Op::Cos: return cos(x);
        case Op::Tan: return tan(x);
        case Op::Asin: return asin(x);
        case Op::Acos: return acos(x);
        case Op::Atan: return atan(x);
        case Op::Sinh: return sinh(x);
        case Op::Cosh: return cosh(x);
        case Op::Tanh: return tanh(x);
        case Op::Exp: return exp(x);
        case Op::Log: return log(x);
        case Op::Sqrt: return sqrt(x);
        case Op::Abs: return abs(x);
        case Op::Sign: return sign(x);
        case Op::Step: return step(x);
        case Op::Floor: return whole(x);
        case Op::Add: return x + y;
        case Op::Sub: return x - y;
        case Op::Mul: return x * y;
        case Op::Div: return x / y;
        case Op::Pow: return pow(x, y);
        case Op::Atan2: return atan2(x, y);
        case Op::Min: return smaller(x, y);
        case Op::Max: return larger(x, y);
        default: return x;
    }
}

// Derivatives of an operation by its operands
inline void partials(Op op, double x, double y, double result, double& by_x, double& by_y) {
    by_x = by_y = 0;
    switch (op) {
        case Op::Neg: by_x = -1; break;
        case Op::Sin: by_x = std::cos(x); break;
        case Op::Cos: by_x = -std::sin(x); break;
        case Op::Tan: by_x = 1 + result * result; break;
        case Op::Asin: by_x = 1 / std::sqrt(1 - x * x); break;
        case Op::Acos: by_x = -1 / std::sqrt(1 - x * x); break;
        case Op::Atan: by_x = 1 / (1 + x * x); break;
        case Op::Sinh: by_x = std::cosh(x); break;
        case Op::Cosh: by_x = std::sinh(x); break;
        case Op::Tanh: by_x = 1 - result * result; break;
        case Op::Exp: by_x = result; break;
        case Op::Log: by_x = 1 / x; break;
        case Op::Sqrt: by_x = 0.5 / result; break;
        case Op::Abs: by_x = x < 0 ? -1 : 1; break;
        case Op::Add: by_x = by_y = 1; break;
        case Op::Sub: by_x = 1, by_y = -1; break;
        case Op::Mul: by_x = y, by_y = x; break;
        case Op::Div: by_x = 1 / y, by_y = -result / y; break;
        case Op::Pow: by_x = y == 0 ? 0 : y * std::pow(x, y - 1), by_y = x > 0 ? result * std::log(x) : 0; break;
        case Op::Atan2: by_x = y / (x * x + y * y), by_y = -x / (x * x + y * y); break;
        case Op::Min: (y < x || std::isnan(y) ? by_y : by_x) = 1; break;
        case Op::Max: (y > x || std::isnan(y) ? by_y : by_x) = 1; break;
        default: break;
    }
}

struct Function;
// A function at x, with the chain rule for series; registers: scratch
double call(const Function& f, double x, double* registers);
Jet call(const Function& f, const Jet& x, Jet* registers);

struct Tape {
    std::vector<Instruction> code;
    std::vector<double> constants;

    // registers must hold code.size() numbers, and what its parts need behind them; nothing is allocated here
    template <class T, class Input>
    T run(const T& time, const Input* inputs, T* registers, const Function* parts = nullptr) const {
        for (std::size_t k = 0; k < code.size(); ++k) {
            const Instruction& in = code[k];
            switch (in.op) {
                case Op::Const: registers[k] = constant<T>(constants[in.a]); break;
                case Op::Time: registers[k] = time; break;
                case Op::Input:
                    if constexpr (std::is_same_v<T, Input>) registers[k] = inputs[in.a];
                    else registers[k] = constant<T>(inputs[in.a]);
                    break;
                case Op::Choose: registers[k] = registers[chosen(in, plain(registers[in.a]))]; break;
                case Op::Call: registers[k] = call_part(parts, in.b, registers[in.a], registers + code.size()); break;
                default: registers[k] = apply(in.op, registers[in.a], registers[in.b]);
            }
        }
        return registers[code.size() - 1];
    }

    // Derivatives by the inputs, into out, and by time (returned), after run() on plain numbers has filled the registers.
    // adjoints: code.size() numbers; scratch: for the parts
    double gradient(const double* registers, double* adjoints, int inputs, double* out, const Function* parts, Jet* scratch) const;

    // The register that a Choose reads: one of two, or its condition if that is undefined
    int chosen(const Instruction& choose, double condition) const {
        const Instruction& either = code[choose.b];
        if (std::isnan(condition)) return choose.a;
        if (either.op != Op::Either) return choose.b;
        return condition != 0 ? either.a : either.b;
    }

  private:
    template <class T>
    static T call_part(const Function* parts, int part, const T& x, T* registers);
};

}  // namespace vincolo
