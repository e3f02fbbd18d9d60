// A column of up to six numbers, one per row of a block, and a quad for points and axes.
// With AVX a column is one vector of four and one of two, without it three of two; nothing outside this file knows.
#pragma once
#include "vectors.hpp"

namespace vincolo {

constexpr int block_rows = 6;  // most rows in one block

#ifdef __AVX__

using Quad = V4;

VINCOLO_INLINE Quad quad(double x, double y, double z) { return V4{x, y, z, 0}; }
// Writes x, y, z and one more number beyond them, to be overwritten or of no meaning
VINCOLO_INLINE void spill(double* to, Quad x) { *reinterpret_cast<V4*>(to) = x; }
// a x + b y + c z
VINCOLO_INLINE Quad combined(Quad a, double x, Quad b, double y, Quad c, double z) {
    return plus_product(plus_product(a * x, b, y), c, z);
}

struct VINCOLO_PACKED Column {
    V4 head;
    V2 tail;

    Column() = default;
    // copied as the vectors it is: other pieces would stall the loads that follow
    VINCOLO_INLINE Column(const Column& x) : head(x.head), tail(x.tail) {}
    VINCOLO_INLINE Column& operator=(const Column& x) {
        head = x.head, tail = x.tail;
        return *this;
    }
    VINCOLO_INLINE void clear() { head = V4{0, 0, 0, 0}, tail = V2{0, 0}; }
    VINCOLO_INLINE void negate(const Column& x) { head = -x.head, tail = -x.tail; }
    // this += c x, this -= c x, this *= c
    VINCOLO_INLINE void add(const Column& x, double c) {
        const V4 all{c, c, c, c};
        head = plus_product(head, x.head, all), tail = plus_product(tail, x.tail, half(all));
    }
    VINCOLO_INLINE void subtract(const Column& x, double c) {
        const V4 all{c, c, c, c};
        head = minus_product(head, x.head, all), tail = minus_product(tail, x.tail, half(all));
    }
    VINCOLO_INLINE void scale(double c) {
        const V4 all{c, c, c, c};
        head *= all, tail *= half(all);
    }
    // row by row: this *= x, this += x y, this -= x y
    VINCOLO_INLINE void multiply(const Column& x) { head *= x.head, tail *= x.tail; }
    VINCOLO_INLINE void add_product(const Column& x, const Column& y) {
        head = plus_product(head, x.head, y.head), tail = plus_product(tail, x.tail, y.tail);
    }
    VINCOLO_INLINE void subtract_product(const Column& x, const Column& y) {
        head = minus_product(head, x.head, y.head), tail = minus_product(tail, x.tail, y.tail);
    }

    double operator[](int i) const { return reinterpret_cast<const double*>(this)[i]; }
    double& operator[](int i) { return reinterpret_cast<double*>(this)[i]; }

  private:
    VINCOLO_INLINE static V2 half(V4 x) { return shuffle<0, 1>(x, x); }
};

// Row I of a column that lives in registers
template <int I>
VINCOLO_INLINE double lane(const Column& x) {
    if constexpr (I < 4) return x.head[I];
    else return x.tail[I - 4];
}
template <int I>
VINCOLO_INLINE void set_lane(Column& x, double value) {
    if constexpr (I < 4) x.head[I] = value;
    else x.tail[I - 4] = value;
}

// a[0] . b, a[1] . b, a[2] . b: products first, then sums across by a transposition in two steps
VINCOLO_INLINE Quad dots(const Column* a, const Column& b) {
    const V4 x = a[0].head * b.head, y = a[1].head * b.head, z = a[2].head * b.head;
    const V2 p = a[0].tail * b.tail, q = a[1].tail * b.tail, r = a[2].tail * b.tail;
    const V4 xy = shuffle<0, 4, 2, 6>(x, y) + shuffle<1, 5, 3, 7>(x, y);
    const V4 zz = shuffle<0, 0, 2, 2>(z, z) + shuffle<1, 1, 3, 3>(z, z);
    const V2 pq = shuffle<0, 2>(p, q) + shuffle<1, 3>(p, q);
    const V4 low = shuffle<0, 1, 4, 5>(xy, zz), high = shuffle<2, 3, 6, 7>(xy, zz);
    return low + high + V4{pq[0], pq[1], r[0] + r[1], 0};
}

#else

struct Quad {
    V2 low, high;
    double operator[](int i) const { return i < 2 ? low[i] : high[i - 2]; }
};
VINCOLO_INLINE Quad operator+(Quad x, Quad y) { return {x.low + y.low, x.high + y.high}; }
VINCOLO_INLINE Quad operator*(Quad x, double c) { return {x.low * c, x.high * c}; }
VINCOLO_INLINE Quad quad(double x, double y, double z) { return {V2{x, y}, V2{z, 0}}; }
VINCOLO_INLINE void spill(double* to, Quad x) {
    *reinterpret_cast<V2*>(to) = x.low;
    *reinterpret_cast<V2*>(to + 2) = x.high;
}
VINCOLO_INLINE Quad combined(Quad a, double x, Quad b, double y, Quad c, double z) {
    return {plus_product(plus_product(a.low * x, b.low, y), c.low, z), plus_product(plus_product(a.high * x, b.high, y), c.high, z)};
}

struct Column {
    V2 a, b, c;

    Column() = default;
    VINCOLO_INLINE Column(const Column& x) : a(x.a), b(x.b), c(x.c) {}
    VINCOLO_INLINE Column& operator=(const Column& x) {
        a = x.a, b = x.b, c = x.c;
        return *this;
    }
    VINCOLO_INLINE void clear() { a = b = c = V2{0, 0}; }
    VINCOLO_INLINE void negate(const Column& x) { a = -x.a, b = -x.b, c = -x.c; }
    VINCOLO_INLINE void add(const Column& x, double f) {
        a = plus_product(a, x.a, f), b = plus_product(b, x.b, f), c = plus_product(c, x.c, f);
    }
    VINCOLO_INLINE void subtract(const Column& x, double f) {
        a = minus_product(a, x.a, f), b = minus_product(b, x.b, f), c = minus_product(c, x.c, f);
    }
    VINCOLO_INLINE void scale(double f) { a *= f, b *= f, c *= f; }
    VINCOLO_INLINE void multiply(const Column& x) { a *= x.a, b *= x.b, c *= x.c; }
    VINCOLO_INLINE void add_product(const Column& x, const Column& y) {
        a = plus_product(a, x.a, y.a), b = plus_product(b, x.b, y.b), c = plus_product(c, x.c, y.c);
    }
    VINCOLO_INLINE void subtract_product(const Column& x, const Column& y) {
        a = minus_product(a, x.a, y.a), b = minus_product(b, x.b, y.b), c = minus_product(c, x.c, y.c);
    }

    double operator[](int i) const { return reinterpret_cast<const double*>(this)[i]; }
    double& operator[](int i) { return reinterpret_cast<double*>(this)[i]; }
};

template <int I>
VINCOLO_INLINE double lane(const Column& x) {
    if constexpr (I < 2) return x.a[I];
    else if constexpr (I < 4) return x.b[I - 2];
    else return x.c[I - 4];
}
template <int I>
VINCOLO_INLINE void set_lane(Column& x, double value) {
    if constexpr (I < 2) x.a[I] = value;
    else if constexpr (I < 4) x.b[I - 2] = value;
    else x.c[I - 4] = value;
}

VINCOLO_INLINE Quad dots(const Column* x, const Column& y) {
    const auto product = [&y](const Column& z) VINCOLO_INLINED {
        return plus_product(plus_product(z.a * y.a, z.b, y.b), z.c, y.c);
    };
    const V2 p = product(x[0]), q = product(x[1]), r = product(x[2]);
    return {V2{p[0], q[0]} + V2{p[1], q[1]}, V2{r[0] + r[1], 0}};
}

#endif

static_assert(sizeof(Column) == 48, "a column is six doubles");

// The first two rows of a column, where no block has more
struct Pair {
    V2 x;

    Pair() = default;
    VINCOLO_INLINE Pair(const Column& column) : x(*reinterpret_cast<const V2*>(&column)) {}
    VINCOLO_INLINE void clear() { x = V2{0, 0}; }
    VINCOLO_INLINE void negate(const Pair& y) { x = -y.x; }
    VINCOLO_INLINE void add(const Pair& y, double c) { x = plus_product(x, y.x, V2{c, c}); }
    VINCOLO_INLINE void subtract(const Pair& y, double c) { x = minus_product(x, y.x, V2{c, c}); }
    VINCOLO_INLINE void scale(double c) { x *= V2{c, c}; }
    double operator[](int i) const { return x[i]; }
};

template <int I>
VINCOLO_INLINE double lane(const Pair& y) {
    return y.x[I];
}
template <int I>
VINCOLO_INLINE void set_lane(Pair& y, double value) {
    y.x[I] = value;
}

// Into the rows that there are
VINCOLO_INLINE void put(Column& to, const Column& from) { to = from; }
VINCOLO_INLINE void put(Column& to, const Pair& from) { *reinterpret_cast<V2*>(&to) = from.x; }

}  // namespace vincolo
