// A column of up to six numbers, one per row of a block, held as one 4- and one 2-vector.
#pragma once

namespace vincolo {

typedef double V4 __attribute__((vector_size(32), aligned(8)));
typedef double V2 __attribute__((vector_size(16), aligned(8)));

constexpr int block_rows = 6;  // most rows in one block

struct Column {
    V4 head;
    V2 tail;

    double operator[](int i) const { return reinterpret_cast<const double*>(this)[i]; }
    double& operator[](int i) { return reinterpret_cast<double*>(this)[i]; }

    void clear() {
        head = V4{0, 0, 0, 0};
        tail = V2{0, 0};
    }
    // this += c * x
    __attribute__((always_inline)) void add(const Column& x, double c) {
        head += x.head * c;
        tail += x.tail * c;
    }
    // this -= c * x
    __attribute__((always_inline)) void subtract(const Column& x, double c) {
        head -= x.head * c;
        tail -= x.tail * c;
    }
    __attribute__((always_inline)) void scale(double c) {
        head *= c;
        tail *= c;
    }
};
static_assert(sizeof(Column) == 48, "a column is six doubles");

}  // namespace vincolo
