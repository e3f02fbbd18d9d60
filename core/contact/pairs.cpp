#include "contact/pairs.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

namespace {

Vec3 direction(const Vec3& d, const Vec3& otherwise) {
    const double length = d.norm();
    return length > 1e-300 ? Vec3(d / length) : otherwise;
}

Vec3 axis_end(const PlacedShape& x, double side) { return x.c + side * x.shape->size[1] * x.R.col(2); }

double clamped(double x, double low, double high) { return std::min(std::max(x, low), high); }

}  // namespace

// Ericson's form (Real-Time Collision Detection, 2005, section 5.1.9), as formula
void closest_on_lines(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, double& s, double& t) {
    const Vec3 u = a1 - a0, v = b1 - b0, r = a0 - b0;
    const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v), ur = u.dot(r), vr = v.dot(r);
    const double cross = uu * vv - uv * uv;
    s = cross > 1e-14 * uu * vv ? clamped((uv * vr - ur * vv) / cross, 0, 1) : 0.5;
    t = vv > 0 ? (uv * s + vr) / vv : 0;
    if (t < 0 || t > 1) {
        t = clamped(t, 0, 1);
        s = uu > 0 ? clamped((uv * t - ur) / uu, 0, 1) : 0;
    }
}

// Where there is no more room, the deeper point stays
void Narrow::put(const Vec3& on_a, const Vec3& on_b, const Vec3& n, double gap, int feature, double weight) {
    if (!(gap <= margin_) || (soft_ && !(gap < 0 && weight != 0))) return;
    if (nearest_) {
        margin_ = std::max(0.0, gap);
        if (gap > 0) count_ = 0;
    }
    int place = count_;
    if (count_ < most) ++count_;
    else {
        const auto deeper = [](const ContactPoint& x, const ContactPoint& y) { return x.gap < y.gap; };
        place = static_cast<int>(std::max_element(points_, points_ + most, deeper) - points_);
        if (!(gap < points_[place].gap)) return;
    }
    points_[place] = {on_a, on_b, n, gap, feature, weight};
}

void Narrow::balls(const Vec3& a, double ra, const Vec3& b, double rb, int feature, double weight) {
    const Vec3 d = b - a, n = direction(d, Vec3::UnitZ());
    put(a + ra * n, b - rb * n, n, d.norm() - ra - rb, feature, weight);
}

void Narrow::plane_ball(const PlacedShape& a, const Vec3& b, double radius, int feature) {
    const Vec3 n = a.R.col(2);
    const double height = n.dot(b - a.c);
    put(b - height * n, b - radius * n, n, height - radius, feature);
}

void Narrow::plane_other(const PlacedShape& a, const PlacedShape& b) {
    const ContactShape& other = *b.shape;
    if (other.kind == ShapeKind::Sphere) return plane_ball(a, b.c, other.size[0], 0);
    if (other.kind == ShapeKind::Capsule) {
        for (int k = 0; k < 2; ++k) plane_ball(a, axis_end(b, 2 * k - 1), other.size[0], k);
        return;
    }
    if (other.kind == ShapeKind::Cylinder) return plane_cylinder(a, b);
    int feature = 0;
    for (const Solid& solid : other.solids)
        for (const Vec3& corner : solid.corners) {
            const int first = count_;
            plane_ball(a, b.c + b.R * corner, 0, feature++);
            for (int k = 0; other.kind == ShapeKind::Mesh && k < first && count_ > first; ++k)
                if ((points_[k].on_b - points_[first].on_b).squaredNorm() == 0) count_ = first;  // corners that triangles share
        }
}

// Each rim has its lowest point and three more at quarters of it, so that a standing cylinder has ground under it
void Narrow::plane_cylinder(const PlacedShape& a, const PlacedShape& b) {
    const Vec3 n = a.R.col(2), u = b.R.col(2), down = u * u.dot(n) - n;
    const double slope = down.norm();
    const Vec3 first = slope > 1e-6 ? Vec3(down / slope) : Vec3(b.R.col(0)), second = u.cross(first);
    for (int k = 0; k < 2; ++k) {
        const Vec3 end = axis_end(b, 2 * k - 1);
        for (int quarter = 0; quarter < 4; ++quarter) {
            const Vec3 spoke = quarter == 0 ? first : quarter == 1 ? second : quarter == 2 ? Vec3(-first) : Vec3(-second);
            plane_ball(a, end + b.shape->size[0] * spoke, 0, 4 * k + quarter);
        }
    }
}

void Narrow::sphere_capsule(const PlacedShape& a, const PlacedShape& b) {
    const double along = clamped(b.R.col(2).dot(a.c - b.c), -b.shape->size[1], b.shape->size[1]);
    balls(a.c, a.shape->size[0], b.c + along * b.R.col(2), b.shape->size[0], 0);
}

// The ball's centre is inside: out by the shortest way. n leads from the ball into b, in the axes of b
void Narrow::from_inside(const PlacedShape& a, const PlacedShape& b, const Vec3& local, const Vec3& n, double depth) {
    const Vec3 world = b.R * n;
    put(a.c + a.shape->size[0] * world, b.c + b.R * (local - depth * n), world, -depth - a.shape->size[0], 0);
}

void Narrow::sphere_cylinder(const PlacedShape& a, const PlacedShape& b) {
    const double r = b.shape->size[0], h = b.shape->size[1];
    const Vec3 x = b.R.transpose() * (a.c - b.c);
    const double out = std::hypot(x[0], x[1]);
    const Vec3 spoke = out > 1e-300 ? Vec3(x[0] / out, x[1] / out, 0) : Vec3::UnitX();
    if (out <= r && std::abs(x[2]) <= h) {
        const bool side = r - out < h - std::abs(x[2]);
        return from_inside(a, b, x, side ? Vec3(-spoke) : Vec3(0, 0, x[2] > 0 ? -1 : 1), side ? r - out : h - std::abs(x[2]));
    }
    const Vec3 near = std::min(out, r) * spoke + Vec3(0, 0, clamped(x[2], -h, h));
    balls(a.c, a.shape->size[0], b.c + b.R * near, 0, 0);
}

void Narrow::sphere_box(const PlacedShape& a, const PlacedShape& b) {
    const Vec3& half = b.shape->size;
    const Vec3 x = b.R.transpose() * (a.c - b.c), near = x.cwiseMax(-half).cwiseMin(half);
    if (near != x) return balls(a.c, a.shape->size[0], b.c + b.R * near, 0, 0);
    int face;
    const double depth = (half - x.cwiseAbs()).minCoeff(&face);
    from_inside(a, b, x, (x[face] > 0 ? -1 : 1) * Vec3::Unit(face), depth);
}

// Of lines that are nearly parallel the ends of what they have in common are two points
void Narrow::capsules(const PlacedShape& a, const PlacedShape& b) {
    const Vec3 a0 = axis_end(a, -1), a1 = axis_end(a, 1), b0 = axis_end(b, -1), b1 = axis_end(b, 1), u = a1 - a0, v = b1 - b0;
    const double ra = a.shape->size[0], rb = b.shape->size[0];
    double s, t;
    closest_on_lines(a0, a1, b0, b1, s, t);
    const Vec3 p = a0 + s * u, q = b0 + t * v;
    const double s0 = u.dot(b0 - a0) / u.squaredNorm(), s1 = u.dot(b1 - a0) / u.squaredNorm();
    const double low = std::max(0.0, std::min(s0, s1)), high = std::min(1.0, std::max(s0, s1));
    double line = 0;  // share of the two ends
    if (high > low) {
        const double sine2 = u.cross(v).squaredNorm() / (u.squaredNorm() * v.squaredNorm());
        line = sine2 < 1e-6;
        if (soft_) {  // a pressed line is sqrt(r d) wide: it is a line as long as it turns by less over its length
            const double length = (high - low) * u.norm(), depth = ra + rb - (q - p).norm();
            const double turn = length * length * sine2 / ((ra + rb) * std::max(depth, 1e-300)), long_enough = std::min(1.0, length / (ra + rb));
            line = long_enough * long_enough * (3 - 2 * long_enough) / (1 + turn * turn);
        }
    }
    for (int k = 0; k < 2 && line > 0; ++k) {
        const Vec3 end = a0 + (k ? high : low) * u;
        balls(end, ra, b0 + clamped(v.dot(end - b0) / v.squaredNorm(), 0, 1) * v, rb, 1 + k, line);
    }
    if (line < 1) balls(p, ra, q, rb, 0, 1 - line);
}

void Convex::load(const Solid& given, const Vec3& c, const Mat3& axes, double around) {
    solid = &given, R = axes, radius = around;
    corners.resize(given.corners.size());
    for (std::size_t k = 0; k < corners.size(); ++k) corners[k] = c + axes * given.corners[k];
}

void Convex::load(const Vec3* points, int count, double around) {
    solid = nullptr, radius = around;
    corners.assign(points, points + count);
}

int Convex::farthest(const Vec3& d) const {
    int best = 0;
    double most = d.dot(corners[0]);
    for (std::size_t k = 1; k < corners.size(); ++k) {
        const double x = d.dot(corners[k]);
        if (x > most) most = x, best = static_cast<int>(k);
    }
    return best;
}

double Convex::size() const {
    double out = radius;
    for (const Vec3& corner : corners) out = std::max(out, (corner - corners[0]).cwiseAbs().maxCoeff());
    return out;
}

void Narrow::load(const PlacedShape& x, Convex& out) const {
    if (x.shape->kind == ShapeKind::Sphere) return out.load(&x.c, 1, x.shape->size[0]);
    if (x.shape->kind == ShapeKind::Capsule) {
        const Vec3 ends[] = {axis_end(x, -1), axis_end(x, 1)};
        return out.load(ends, 2, x.shape->size[0]);
    }
    out.load(x.shape->solids[0], x.c, x.R, 0);
}

int Narrow::find(const PlacedShape& a, const PlacedShape& b, double margin, bool nearest) {
    margin_ = margin, soft_ = false, nearest_ = nearest;
    return dispatch(a, b);
}

int Narrow::find_soft(const PlacedShape& a, const PlacedShape& b) {
    margin_ = 0, soft_ = true, nearest_ = false;
    return dispatch(a, b);
}

int Narrow::dispatch(const PlacedShape& a, const PlacedShape& b) {
    count_ = 0;
    const ShapeKind first = a.shape->kind, second = b.shape->kind;
    if (first == ShapeKind::Plane) plane_other(a, b);
    else if (second == ShapeKind::Mesh) with_mesh(a, b);
    else if (second == ShapeKind::Sphere) balls(a.c, a.shape->size[0], b.c, b.shape->size[0], 0);
    else if (first == ShapeKind::Sphere && second == ShapeKind::Capsule) sphere_capsule(a, b);
    else if (first == ShapeKind::Sphere && second == ShapeKind::Cylinder) sphere_cylinder(a, b);
    else if (first == ShapeKind::Sphere && second == ShapeKind::Box) sphere_box(a, b);
    else if (second == ShapeKind::Capsule) capsules(a, b);
    else {
        load(a, A_), load(b, B_);
        soft_ ? patch() : convex(0);
    }
    return count_;
}

}  // namespace vincolo
