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
    Neg, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Exp, Log, Sqrt, Abs, Sign, Step,
    Add, Sub, Mul, Div, Pow, Atan2, Min, Max,
    Count
};

inline const char* const op_names[] = {
    "const", "time", "input",
    "neg", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt",
    "abs", "sign", "step",
    "add", "sub", "mul", "div", "pow", "atan2", "min", "max"};

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

struct Tape {
    std::vector<Instruction> code;
    std::vector<double> constants;

    // registers must hold code.size() numbers; nothing is allocated here
    template <class T, class Input>
    T run(const T& time, const Input* inputs, T* registers) const {
        for (std::size_t k = 0; k < code.size(); ++k) {
            const Instruction& in = code[k];
            switch (in.op) {
                case Op::Const: registers[k] = constant<T>(constants[in.a]); break;
                case Op::Time: registers[k] = time; break;
                case Op::Input:
                    if constexpr (std::is_same_v<T, Input>) registers[k] = inputs[in.a];
                    else registers[k] = constant<T>(inputs[in.a]);
                    break;
                default: registers[k] = apply(in.op, registers[in.a], registers[in.b]);
            }
        }
        return registers[code.size() - 1];
    }
};

}  // namespace vincolo
