// Two and four doubles that are reckoned with together, and what compilers call differently. GCC and Clang have vectors of their
// own; for others, and with VINCOLO_PLAIN_VECTORS, the same is written out.
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define VINCOLO_INLINE inline __attribute__((always_inline))
#define VINCOLO_INLINED __attribute__((always_inline))  // of a lambda, behind its arguments
// on Windows vectors within a struct keep their own alignment, and leave gaps, unless it is packed
#if defined(_WIN32)
#define VINCOLO_PACKED __attribute__((packed, aligned(8)))
#else
#define VINCOLO_PACKED
#endif
#define VINCOLO_LIKELY(x) __builtin_expect(!!(x), 1)
#define VINCOLO_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define VINCOLO_INLINE __forceinline
#define VINCOLO_INLINED
#define VINCOLO_PACKED
#define VINCOLO_LIKELY(x) (x)
#define VINCOLO_UNLIKELY(x) (x)
#define VINCOLO_PLAIN_VECTORS
#endif

namespace vincolo {

#ifndef VINCOLO_PLAIN_VECTORS

// at any address of a double, and with any of its doubles read alone
typedef double V2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double V4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double AlignedV4 __attribute__((vector_size(32)));

// The lanes I of a and, counted on, of b; by value, since a deduced type would forget at which addresses they may be
template <int... I>
VINCOLO_INLINE auto shuffle(V2 a, V2 b) {
    return __builtin_shufflevector(a, b, I...);
}
template <int... I>
VINCOLO_INLINE auto shuffle(V4 a, V4 b) {
    return __builtin_shufflevector(a, b, I...);
}

#else

template <int N>
struct Lanes {
    double x[N];
    double operator[](int i) const { return x[i]; }
    double& operator[](int i) { return x[i]; }
    VINCOLO_INLINE Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
    VINCOLO_INLINE Lanes& operator-=(const Lanes& b) { return *this = *this - b; }
    VINCOLO_INLINE Lanes& operator*=(const Lanes& b) { return *this = *this * b; }
    VINCOLO_INLINE Lanes& operator*=(double c) { return *this = *this * c; }
    VINCOLO_INLINE Lanes operator-() const { return each(*this, *this, [](double a, double) { return -a; }); }
    VINCOLO_INLINE friend Lanes operator+(const Lanes& a, const Lanes& b) { return each(a, b, [](double p, double q) { return p + q; }); }
    VINCOLO_INLINE friend Lanes operator-(const Lanes& a, const Lanes& b) { return each(a, b, [](double p, double q) { return p - q; }); }
    VINCOLO_INLINE friend Lanes operator*(const Lanes& a, const Lanes& b) { return each(a, b, [](double p, double q) { return p * q; }); }
    VINCOLO_INLINE friend Lanes operator*(const Lanes& a, double c) { return each(a, a, [c](double p, double) { return p * c; }); }

  private:
    template <class F>
    VINCOLO_INLINE static Lanes each(const Lanes& a, const Lanes& b, F f) {
        Lanes out;
        for (int i = 0; i < N; ++i) out.x[i] = f(a.x[i], b.x[i]);
        return out;
    }
};

using V2 = Lanes<2>;
using V4 = Lanes<4>;
using AlignedV4 = V4;

template <int... I, int N>
VINCOLO_INLINE Lanes<sizeof...(I)> shuffle(const Lanes<N>& a, const Lanes<N>& b) {
    return {{(I < N ? a.x[I % N] : b.x[I % N])...}};
}

#endif

}  // namespace vincolo
