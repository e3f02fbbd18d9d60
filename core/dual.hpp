// A number with its derivatives by N variables: forward differentiation, exact to rounding.
#pragma once
#include <Eigen/Dense>
#include <cmath>

namespace vincolo {

template <int N>
struct Dual {
    using Slopes = Eigen::Array<double, N, 1>;
    double f;
    Slopes d;

    Dual(double value = 0) : f(value), d(Slopes::Zero()) {}
    Dual(double value, const Slopes& slopes) : f(value), d(slopes) {}
    Dual& operator+=(const Dual& x) { return f += x.f, d += x.d, *this; }
    Dual& operator-=(const Dual& x) { return f -= x.f, d -= x.d, *this; }
    Dual& operator*=(const Dual& x) { return *this = *this * x; }
    Dual operator-() const { return {-f, -d}; }
    friend Dual operator+(const Dual& a, const Dual& b) { return {a.f + b.f, a.d + b.d}; }
    friend Dual operator-(const Dual& a, const Dual& b) { return {a.f - b.f, a.d - b.d}; }
    friend Dual operator*(const Dual& a, const Dual& b) { return {a.f * b.f, a.f * b.d + b.f * a.d}; }
    friend Dual operator/(const Dual& a, const Dual& b) { return {a.f / b.f, (a.d - a.f / b.f * b.d) / b.f}; }
    friend bool operator==(const Dual& a, const Dual& b) { return a.f == b.f; }
    friend bool operator<(const Dual& a, const Dual& b) { return a.f < b.f; }
    friend Dual sqrt(const Dual& x) {
        const double root = std::sqrt(x.f);
        return {root, 0.5 / root * x.d};
    }
    friend Dual abs(const Dual& x) { return x.f < 0 ? -x : x; }
    friend Dual atan2(const Dual& y, const Dual& x) {
        return {std::atan2(y.f, x.f), (x.f * y.d - y.f * x.d) / (x.f * x.f + y.f * y.f)};
    }
    friend double plain(const Dual& x) { return x.f; }
};

}  // namespace vincolo

namespace Eigen {

template <int N>
struct NumTraits<vincolo::Dual<N>> : NumTraits<double> {
    using Real = vincolo::Dual<N>;
    using NonInteger = vincolo::Dual<N>;
    using Nested = vincolo::Dual<N>;
    enum { RequireInitialization = 1, ReadCost = N, AddCost = N, MulCost = 2 * N };
};
template <int N, class Operation>
struct ScalarBinaryOpTraits<vincolo::Dual<N>, double, Operation> {
    using ReturnType = vincolo::Dual<N>;
};
template <int N, class Operation>
struct ScalarBinaryOpTraits<double, vincolo::Dual<N>, Operation> {
    using ReturnType = vincolo::Dual<N>;
};

}  // namespace Eigen
