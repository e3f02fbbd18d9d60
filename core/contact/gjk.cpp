// The distance of two convex bodies: that of the origin from their difference, by simplices of it (Gilbert, Johnson, Keerthi 1988)
#include <cmath>

#include "contact/pairs.hpp"

namespace vincolo {

namespace {

// Up to four corners of the difference, with where they come from and their shares in the closest point
struct Simplex {
    Vec3 w[4];
    int from_a[4], from_b[4];
    double share[4];
    int n = 0;

    void keep(int count, const int* which, const double* shares) {
        Simplex old = *this;
        n = 0;
        for (int k = 0; k < count; ++k) {
            if (!(shares[k] > 0)) continue;
            w[n] = old.w[which[k]], from_a[n] = old.from_a[which[k]], from_b[n] = old.from_b[which[k]];
            share[n++] = shares[k];
        }
    }
    Vec3 point() const {
        Vec3 sum = Vec3::Zero();
        for (int k = 0; k < n; ++k) sum += share[k] * w[k];
        return sum;
    }
};

void line_shares(const Vec3& a, const Vec3& b, double* out) {
    const Vec3 d = b - a;
    const double square = d.squaredNorm(), t = square > 0 ? std::min(std::max(-a.dot(d) / square, 0.0), 1.0) : 0;
    out[0] = 1 - t, out[1] = t;
}

// Of the point of a triangle closest to the origin, by the regions of its corners, edges and face
void triangle_shares(const Vec3& a, const Vec3& b, const Vec3& c, double* out) {
    const Vec3 ab = b - a, ac = c - a, normal = ab.cross(ac);
    const double area = normal.squaredNorm();
    if (area > 0) {
        // shares by areas, each taken from the corner that is nearest to the origin's foot
        const double u = normal.dot(b.cross(c)), v = normal.dot(c.cross(a)), w = normal.dot(a.cross(b));
        if (u >= 0 && v >= 0 && w >= 0 && u + v + w > 0) {
            const double sum = u + v + w;
            out[0] = u / sum, out[1] = v / sum, out[2] = w / sum;
            return;
        }
    }
    const Vec3* corners[] = {&a, &b, &c};
    double least = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        double shares[2];
        const Vec3 &p = *corners[k], &q = *corners[(k + 1) % 3];
        line_shares(p, q, shares);
        const double square = (shares[0] * p + shares[1] * q).squaredNorm();
        if (square < least) {
            least = square;
            out[k] = shares[0], out[(k + 1) % 3] = shares[1], out[(k + 2) % 3] = 0;
        }
    }
}

// Whether the origin is inside a tetrahedron; else the simplex becomes that of its closest face
bool tetrahedron(Simplex& s) {
    static constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    double least = HUGE_VAL, best[3] = {1, 0, 0};
    const int* chosen = nullptr;
    for (const auto& f : faces) {
        const Vec3 normal = (s.w[f[1]] - s.w[f[0]]).cross(s.w[f[2]] - s.w[f[0]]);
        const double origin = -normal.dot(s.w[f[0]]), other = normal.dot(s.w[f[3]] - s.w[f[0]]);
        if (origin * other > 0) continue;
        double shares[3];
        triangle_shares(s.w[f[0]], s.w[f[1]], s.w[f[2]], shares);
        const double square = (shares[0] * s.w[f[0]] + shares[1] * s.w[f[1]] + shares[2] * s.w[f[2]]).squaredNorm();
        if (square < least) {
            least = square, chosen = f;
            std::copy_n(shares, 3, best);
        }
    }
    if (!chosen) return true;
    s.keep(3, chosen, best);
    return false;
}

bool reduce(Simplex& s) {
    static constexpr int order[] = {0, 1, 2};
    double shares[3] = {1, 0, 0};
    if (s.n == 4) return tetrahedron(s);
    if (s.n == 2) line_shares(s.w[0], s.w[1], shares);
    if (s.n == 3) triangle_shares(s.w[0], s.w[1], s.w[2], shares);
    s.keep(s.n, order, shares);
    return false;
}

}  // namespace

double closest(const Convex& a, const Convex& b, Vec3& on_a, Vec3& on_b) {
    constexpr int most = 100;
    Simplex s;
    const auto add = [&](const Vec3& d) {
        const int i = a.farthest(-d), j = b.farthest(d);
        s.w[s.n] = b.corners[j] - a.corners[i], s.from_a[s.n] = i, s.from_b[s.n] = j, s.share[s.n] = 1;
        ++s.n;
    };
    add(a.corners[0] - b.corners[0]);
    Vec3 v = s.w[0];
    for (int pass = 0; pass < most; ++pass) {
        const double square = v.squaredNorm();
        if (!(square > 0)) return 0;
        const Simplex before = s;
        add(-v);
        const Vec3& w = s.w[s.n - 1];
        bool known = false;
        for (int k = 0; k + 1 < s.n; ++k) known = known || (s.from_a[k] == s.from_a[s.n - 1] && s.from_b[k] == s.from_b[s.n - 1]);
        if (known || square - v.dot(w) <= 1e-15 * square) {
            s = before;
            break;
        }
        if (reduce(s)) return 0;
        const Vec3 next = s.point();
        if (!(next.squaredNorm() < square)) {
            s = before;
            break;
        }
        v = next;
    }
    on_a.setZero(), on_b.setZero();
    for (int k = 0; k < s.n; ++k) on_a += s.share[k] * a.corners[s.from_a[k]], on_b += s.share[k] * b.corners[s.from_b[k]];
    return (on_b - on_a).norm();
}

}  // namespace vincolo
