// Points, axes and 3 x 3 matrices as vectors of four doubles, of which the last one has no meaning.
#pragma once
#include "twist.hpp"
#include "vectors.hpp"

namespace vincolo::tree {

#define VINCOLO_TREE static VINCOLO_INLINE

using Quad = AlignedV4;

struct Mat {  // by columns
    Quad c[3];
};

VINCOLO_TREE Quad quad(double x, double y, double z) { return Quad{x, y, z, 0}; }
VINCOLO_TREE Quad turn_lanes(Quad a) { return shuffle<1, 2, 0, 3>(a, a); }
VINCOLO_TREE Quad cross(Quad a, Quad b) {
    const Quad turned = minus_product(a * turn_lanes(b), turn_lanes(a), b);
    return turn_lanes(turned);
}
VINCOLO_TREE double dot(Quad a, Quad b) {
    const Quad p = a * b;
    return p[0] + p[1] + p[2];
}
VINCOLO_TREE Quad operator*(const Mat& m, Quad x) {
    return plus_product(plus_product(m.c[0] * x[0], m.c[1], x[1]), m.c[2], x[2]);
}
VINCOLO_TREE Quad back(const Mat& m, Quad x) { return quad(dot(m.c[0], x), dot(m.c[1], x), dot(m.c[2], x)); }  // m^T x
VINCOLO_TREE Mat operator*(const Mat& a, const Mat& b) { return {{a * b.c[0], a * b.c[1], a * b.c[2]}}; }
VINCOLO_TREE Mat transposed(const Mat& m) {
    return {{quad(m.c[0][0], m.c[1][0], m.c[2][0]), quad(m.c[0][1], m.c[1][1], m.c[2][1]), quad(m.c[0][2], m.c[1][2], m.c[2][2])}};
}
// m [d]x
VINCOLO_TREE Mat times_cross(const Mat& m, Quad d) {
    return {{minus_product(m.c[1] * d[2], m.c[2], d[1]), minus_product(m.c[2] * d[0], m.c[0], d[2]),
             minus_product(m.c[0] * d[1], m.c[1], d[0])}};
}
// [d]x
VINCOLO_TREE Mat crossing(Quad d) { return {{quad(0, d[2], -d[1]), quad(-d[2], 0, d[0]), quad(d[1], -d[0], 0)}}; }
VINCOLO_TREE Quad point(const Vec3& x) { return quad(x[0], x[1], x[2]); }
VINCOLO_TREE Vec3 vec(Quad x) { return Vec3(x[0], x[1], x[2]); }
VINCOLO_TREE Mat mat(const Mat3& m) { return {{point(m.col(0)), point(m.col(1)), point(m.col(2))}}; }
VINCOLO_TREE Mat3 matrix(const Mat& m) {
    Mat3 out;
    for (int c = 0; c < 3; ++c) out.col(c) = vec(m.c[c]);
    return out;
}
VINCOLO_TREE Mat scaled(double x) { return {{quad(x, 0, 0), quad(0, x, 0), quad(0, 0, x)}}; }

}  // namespace vincolo::tree
