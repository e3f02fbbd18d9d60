// Two and four doubles that are reckoned with together, and what compilers call differently. GCC and Clang have vectors of their
// own; for others, and with VINCOLO_PLAIN_VECTORS, the same is written out. Products are joined with sums where it is asked for here
// and nowhere else (-ffp-contract=off), so that all compilers give the same numbers.
#pragma once
#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_FMA)
#include <arm_neon.h>
#endif

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

// c + a b and c - a b, with one rounding where the processor joins them. Vectors go by value everywhere: Clang forgets behind a reference
// at which addresses they may be.
#if defined(__FMA__) && !defined(VINCOLO_PLAIN_VECTORS)

VINCOLO_INLINE V4 plus_product(V4 c, V4 a, V4 b) { return (V4)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
VINCOLO_INLINE V4 minus_product(V4 c, V4 a, V4 b) { return (V4)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
VINCOLO_INLINE V2 plus_product(V2 c, V2 a, V2 b) { return (V2)_mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c); }
VINCOLO_INLINE V2 minus_product(V2 c, V2 a, V2 b) { return (V2)_mm_fnmadd_pd((__m128d)a, (__m128d)b, (__m128d)c); }

#elif defined(__ARM_FEATURE_FMA) && !defined(VINCOLO_PLAIN_VECTORS)

VINCOLO_INLINE V2 plus_product(V2 c, V2 a, V2 b) { return (V2)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b); }
VINCOLO_INLINE V2 minus_product(V2 c, V2 a, V2 b) { return (V2)vfmsq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b); }
VINCOLO_INLINE V4 plus_product(V4 c, V4 a, V4 b) {
    return shuffle<0, 1, 2, 3>(plus_product(shuffle<0, 1>(c, c), shuffle<0, 1>(a, a), shuffle<0, 1>(b, b)),
                               plus_product(shuffle<2, 3>(c, c), shuffle<2, 3>(a, a), shuffle<2, 3>(b, b)));
}
VINCOLO_INLINE V4 minus_product(V4 c, V4 a, V4 b) {
    return shuffle<0, 1, 2, 3>(minus_product(shuffle<0, 1>(c, c), shuffle<0, 1>(a, a), shuffle<0, 1>(b, b)),
                               minus_product(shuffle<2, 3>(c, c), shuffle<2, 3>(a, a), shuffle<2, 3>(b, b)));
}

#else

VINCOLO_INLINE V4 plus_product(V4 c, V4 a, V4 b) { return c + a * b; }
VINCOLO_INLINE V4 minus_product(V4 c, V4 a, V4 b) { return c - a * b; }
VINCOLO_INLINE V2 plus_product(V2 c, V2 a, V2 b) { return c + a * b; }
VINCOLO_INLINE V2 minus_product(V2 c, V2 a, V2 b) { return c - a * b; }

#endif

VINCOLO_INLINE V4 plus_product(V4 c, V4 a, double b) { return plus_product(c, a, V4{b, b, b, b}); }
VINCOLO_INLINE V4 minus_product(V4 c, V4 a, double b) { return minus_product(c, a, V4{b, b, b, b}); }
VINCOLO_INLINE V2 plus_product(V2 c, V2 a, double b) { return plus_product(c, a, V2{b, b}); }
VINCOLO_INLINE V2 minus_product(V2 c, V2 a, double b) { return minus_product(c, a, V2{b, b}); }

// Numbers that stand one behind the other, at any address
VINCOLO_INLINE V2 two(const double* x) { return *reinterpret_cast<const V2*>(x); }
VINCOLO_INLINE V4 four(const double* x) { return *reinterpret_cast<const V4*>(x); }
VINCOLO_INLINE void put_two(double* to, V2 x) { *reinterpret_cast<V2*>(to) = x; }
VINCOLO_INLINE void put_four(double* to, V4 x) { *reinterpret_cast<V4*>(to) = x; }

}  // namespace vincolo
