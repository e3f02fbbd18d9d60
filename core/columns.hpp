// A column of up to six numbers, one per row of a block, held as one 4- and one 2-vector.
#pragma once

namespace vincolo {

typedef double V4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double V2 __attribute__((vector_size(16), aligned(8), may_alias));

constexpr int block_rows = 6;  // most rows in one block

struct Column {
    V4 head;
    V2 tail;

    Column() = default;
    // copied as the two vectors it is: other pieces would stall the loads that follow
    Column(const Column& x) : head(x.head), tail(x.tail) {}
    Column& operator=(const Column& x) {
        head = x.head;
        tail = x.tail;
        return *this;
    }

    double operator[](int i) const { return reinterpret_cast<const double*>(this)[i]; }
    double& operator[](int i) { return reinterpret_cast<double*>(this)[i]; }

    void clear() {
        head = V4{0, 0, 0, 0};
        tail = V2{0, 0};
    }
    // this += c * x
    __attribute__((always_inline)) void add(const Column& x, double c) {
        const V4 all{c, c, c, c};
        head += x.head * all;
        tail += x.tail * half(all);
    }
    // this -= c * x
    __attribute__((always_inline)) void subtract(const Column& x, double c) {
        const V4 all{c, c, c, c};
        head -= x.head * all;
        tail -= x.tail * half(all);
    }
    __attribute__((always_inline)) void scale(double c) {
        const V4 all{c, c, c, c};
        head *= all;
        tail *= half(all);
    }

  private:
    __attribute__((always_inline)) static V2 half(const V4& x) { return __builtin_shufflevector(x, x, 0, 1); }
};
// Row I of a column that lives in registers
template <int I>
inline __attribute__((always_inline)) double lane(const Column& x) {
    if constexpr (I < 4) return x.head[I];
    else return x.tail[I - 4];
}
template <int I>
inline __attribute__((always_inline)) void set_lane(Column& x, double value) {
    if constexpr (I < 4) x.head[I] = value;
    else x.tail[I - 4] = value;
}

static_assert(sizeof(Column) == 48, "a column is six doubles");

}  // namespace vincolo
