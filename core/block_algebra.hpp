// What one block of up to six rows is multiplied and inverted with, in columns; the number of rows is known to the compiler.
#pragma once
#include <type_traits>
#include <utility>

#include "columns.hpp"

namespace vincolo {

// All of it in columns C: whole ones, or pairs where no block has more than two rows

// y += A x over the first N columns of A
template <int N, class C, class X>
VINCOLO_INLINE void multiply_add(C& y, const Column* A, const X& x) {
    for (int r = 0; r < N; ++r) y.add(A[r], x[r]);
}

template <int N, class C, class A, class X>
VINCOLO_INLINE void multiply_subtract(C& y, const A* a, const X& x) {
    for (int r = 0; r < N; ++r) y.subtract(a[r], x[r]);
}

// Calls f with n as a compile-time constant, as far as columns C reach
template <class C = Column, class F>
VINCOLO_INLINE void with_rows(int n, F&& f) {
    if constexpr (std::is_same_v<C, Pair>) {
        if (n == 2) f(std::integral_constant<int, 2>());
        else if (n == 1) f(std::integral_constant<int, 1>());
        return;
    } else {
        switch (n) {
            case 1: f(std::integral_constant<int, 1>()); break;
            case 2: f(std::integral_constant<int, 2>()); break;
            case 3: f(std::integral_constant<int, 3>()); break;
            case 4: f(std::integral_constant<int, 4>()); break;
            case 5: f(std::integral_constant<int, 5>()); break;
            case 6: f(std::integral_constant<int, 6>()); break;
            default: break;
        }
    }
}

// One sweep of the symmetric matrix A (N columns) on pivot p with value d; after all sweeps A = -inverse
template <int N>
VINCOLO_INLINE void sweep(Column* A, int p, double d) {
    const double inverse = 1 / d;
    const Column pivot = A[p];
    Column scaled = pivot;
    scaled.scale(inverse);
    scaled[p] = -inverse;
    for (int c = 0; c < N; ++c) {
        if (c == p) continue;
        A[c][p] = 0;
        A[c].subtract(scaled, pivot[c]);
    }
    A[p] = scaled;
}

// Sweep on pivot P with everything in registers; false if the pivot is not above its floor
template <class T, int N, int P, int... C>
VINCOLO_INLINE bool sweep_lane(T (&A)[N], double floor, double& pivot, std::integer_sequence<int, C...>) {
    const T column = A[P];
    const double d = lane<P>(column);
    pivot = d;
    if (VINCOLO_UNLIKELY(!(d > floor))) return false;
    const double inverse = 1 / d;
    T scaled = column;
    scaled.scale(inverse);
    set_lane<P>(scaled, -inverse);
    const auto one = [&](auto c) VINCOLO_INLINED {
        constexpr int K = decltype(c)::value;
        if constexpr (K != P) {
            set_lane<P>(A[K], 0);
            A[K].subtract(scaled, lane<K>(column));
        }
    };
    (one(std::integral_constant<int, C>()), ...);
    A[P] = scaled;
    return true;
}

// X <- generalised inverse of X: rows whose pivot is not above floor are left out
template <class C, int N, int... P>
VINCOLO_INLINE int invert(Column* X, const Column& floor, Column& pivots, std::integer_sequence<int, P...> all) {
    C A[N] = {C(X[P])...};
    bool kept[N] = {};
    ((kept[P] = sweep_lane<C, N, P>(A, floor[P], pivots[P], all)), ...);
    const auto store = [&](int c, const C& a) VINCOLO_INLINED {
        C x;
        x.negate(a);
        put(X[c], x);
    };
    (store(P, A[P]), ...);
    if (VINCOLO_LIKELY((kept[P] && ...))) return 0;
    int zeroed = 0;
    for (int p = 0; p < N; ++p) {
        if (kept[p]) continue;
        zeroed += pivots[p] == pivots[p];  // not a number is another matter
        X[p].clear();
        for (int c = 0; c < N; ++c) X[c][p] = 0;
    }
    return zeroed;
}

// target (columns) -= T U
template <class C, int N>
VINCOLO_INLINE void update(Column* target, const Column* T, const Column* U, int columns) {
    C t[N];
    for (int r = 0; r < N; ++r) t[r] = C(T[r]);
    const auto one = [&](int c) VINCOLO_INLINED {
        C sum = target[c];
        multiply_subtract<N>(sum, t, U[c]);
        put(target[c], sum);
    };
    if (columns == N)  // the usual case, unrolled
        for (int c = 0; c < N; ++c) one(c);
    else
        for (int c = 0; c < columns; ++c) one(c);
}

// The same with the columns of the target at a distance
template <class C, int N>
VINCOLO_INLINE void update_at(double* target, int distance, const Column* T, const Column* U, int columns) {
    C t[N];
    for (int r = 0; r < N; ++r) t[r] = C(T[r]);
    for (int c = 0; c < columns; ++c) {
        Column& to = *reinterpret_cast<Column*>(target + c * distance);
        C sum = to;
        multiply_subtract<N>(sum, t, U[c]);
        put(to, sum);
    }
}

// U = X T^T for the later block's rows
template <class C, int N>
VINCOLO_INLINE void reduce(Column* U, const Column* X, const Column* T, int columns) {
    C x[N];
    for (int r = 0; r < N; ++r) x[r] = C(X[r]);
    const auto one = [&](int c) VINCOLO_INLINED {
        C u = x[0];
        u.scale(T[0][c]);
        for (int r = 1; r < N; ++r) u.add(x[r], T[r][c]);
        put(U[c], u);
    };
    if (columns == N)
        for (int c = 0; c < N; ++c) one(c);
    else
        for (int c = 0; c < columns; ++c) one(c);
}

}  // namespace vincolo
