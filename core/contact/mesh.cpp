// Points between a convex body and the triangles of a mesh. A triangle is part of a surface: the direction of contact stays among the
// normals that the surface has there. Across an edge in a plane or in a valley that is the normal of the triangle, across a ridge it
// may turn as far as the normal of the neighbour. So nothing is felt of edges within a flat surface.
#include <cmath>

#include "contact/pairs.hpp"

namespace vincolo {

namespace {

constexpr double sharp = 0.1;       // rad: a ridge that turns by more is an edge, by less part of a smooth surface
constexpr double sideways = 1e-10;  // sine: directions this close to the limit are within it
constexpr double beside = 0.1;      // of the size of a body: triangles this close are looked at
constexpr double edge_on = 0.3;     // cosine between a triangle and the direction of contact

double ramp(double x) { return std::min(std::max(x, 0.0), 1.0); }

}  // namespace

struct Narrow::Facet {
    const PlacedShape& mesh;
    const MeshEdge* edges;
    double side;  // -1: seen from behind
    Vec3 normal;  // towards the other body
    int feature;
    bool closed;

    double turn(int k) const { return std::isinf(edges[k].turn) ? HUGE_VAL : side * edges[k].turn; }
    Vec3 across(int k) const { return mesh.R * edges[k].across; }
    double sharpness(int k) const { return std::isinf(turn(k)) ? 1 : ramp(turn(k) / sharp); }  // of an edge
    double peak(int k) const { return side > 0 ? edges[k].peak : edges[k].pit; }               // of a corner
    bool is_sharp(int k) const { return turn(k) >= sharp; }
    // Whether the surface has this normal at the triangle or at one of its edges
    bool allows(const Vec3& v) const {
        if (leans_over_border(v)) return true;  // what is beyond the border of a surface meets its corners from any side
        for (int k = 0; k < 3; ++k) {
            const double lean = v.dot(across(k)), angle = turn(k);
            if (lean <= sideways || std::isinf(angle)) continue;
            if (!(angle > 0) || lean * std::cos(angle) - v.dot(normal) * std::sin(angle) > sideways) return false;
        }
        return true;
    }
    bool leans_over_border(const Vec3& v) const {
        for (int k = 0; k < 3; ++k)
            if (std::isinf(turn(k)) && v.dot(across(k)) > sideways) return true;
        return false;
    }
    // Whether a direction leans over sharp edges only: what lies there decides between this triangle and its neighbour
    bool leans_over_ridges(const Vec3& v) const {
        for (int k = 0; k < 3; ++k)
            if (!is_sharp(k) && v.dot(across(k)) > sideways) return false;
        return true;
    }
    // Of a direction between the normals of two triangles that meet at a ridge, the share of this one; none beyond
    double share(const Vec3& v) const {
        double out = 1;
        for (int k = 0; k < 3; ++k) {
            const double lean = v.dot(across(k));
            if (lean > sideways && is_sharp(k) && !std::isinf(turn(k))) out = std::min(out, ramp(1 - std::atan2(lean, v.dot(normal)) / turn(k)));
        }
        return out;
    }
};

// Down the tree of boxes; `at` is the middle of the other shape in the axes of the mesh
void Narrow::mesh_box(const PlacedShape& a, const PlacedShape& b, int n, const Vec3& at) {
    const MeshBox& box = b.shape->boxes[n];
    const double reach = a.shape->reach + margin_;
    if (((at - box.middle).cwiseAbs() - box.half).cwiseMax(0.0).squaredNorm() > reach * reach) return;
    if (box.second > 0) {
        const auto far = [&](int k) { return ((at - b.shape->boxes[k].middle).cwiseAbs() - b.shape->boxes[k].half).cwiseMax(0.0).squaredNorm(); };
        const bool swapped = nearest_ && far(box.second) < far(n + 1);  // the closer one first, so that less is left to look at
        mesh_box(a, b, swapped ? box.second : n + 1, at), mesh_box(a, b, swapped ? n + 1 : box.second, at);
        return;
    }
    for (int k = box.first; k < box.first + box.count; ++k) {
        const int first = count_;
        facet(a, b, k);
        if (A_.corners.size() == 1 || !soft_) drop_repeated(first, a.shape->reach);
    }
}

// Points that triangles share: of their edges and corners
void Narrow::drop_repeated(int first, double size) {
    for (int n = first; n < count_; ++n)
        for (int old = 0; old < first; ++old)
            if ((points_[old].on_b - points_[n].on_b).squaredNorm() < 1e-18 * size * size && points_[old].n.dot(points_[n].n) > 1 - 1e-9) {
                points_[n--] = points_[--count_];
                break;
            }
}

void Narrow::with_mesh(const PlacedShape& a, const PlacedShape& b) {
    load(a, A_);
    mesh_box(a, b, 0, b.R.transpose() * (a.middle - b.c));
}

// Corners of a body can be below a triangle that the body itself does not reach, where its sides lean inward
void Narrow::facet(const PlacedShape& a, const PlacedShape& b, int k) {
    Vec3 on_a, on_b;
    B_.load(b.shape->solids[k], b.c, b.R, 0);
    const bool ball = A_.corners.size() == 1;
    const double apart = closest(A_, B_, on_a, on_b), size = a.shape->reach;
    if (apart - A_.radius > std::max(margin_, (ball ? nearly_zero : beside) * size)) return;
    const Vec3 front = B_.normal(0);
    const double side = b.shape->closed || front.dot(a.middle - B_.corners[0]) >= 0 ? 1 : -1;
    const Facet t{b, &b.shape->edges[3 * k], side, side * front, 16 * k, b.shape->closed};
    if (ball) return ball_on_facet(t, on_b, apart);
    if (t.closed && A_.reach_along(t.normal) + A_.radius <= t.normal.dot(B_.corners[0])) return;  // all of it is behind
    body_on_facet(t, on_a, on_b, apart, size);
}

// Behind the face of a closed mesh a ball comes out through the face, as long as it still reaches it
void Narrow::ball_on_facet(const Facet& t, const Vec3& on_b, double apart) {
    const Vec3 &c = A_.corners[0], d = c - on_b;
    const double r = A_.radius;
    const bool behind = t.closed && d.dot(t.normal) < 0;
    Vec3 v = apart > 1e-12 * r ? Vec3(d / apart) : t.normal;
    if (behind) {
        if (v.dot(t.normal) > -1 + 1e-9 || apart >= r) return;
        v = -v;
    }
    if (!t.allows(v)) return;
    double weight = 1;
    for (int k = 0; k < 3 && soft_; ++k) {  // in a valley two faces share a ball that turns from one to the other
        const double angle = t.turn(k);
        if (!(angle < 0)) continue;
        const double inside = t.across(k).dot(B_.corners[k] - on_b), width = r * (angle > -M_PI / 2 ? -std::sin(angle) : 1);
        weight = std::min(weight, ramp(inside / width));
    }
    put(c - r * v, on_b, -v, (behind ? -apart : apart) - r, t.feature, weight);
}

// The least separation along the normals that the surface has there, v towards the other body
double Narrow::facet_axis(const Facet& t, Vec3& v) {
    double best = -HUGE_VAL;
    axes_.clear();
    const auto look = [&](const Vec3& axis) {
        const double apart = -A_.reach_along(-axis) - B_.reach_along(axis);
        if (apart < 0 && apart < 1.25 * best) return;
        best = std::max(best, apart);
        axes_.push_back({axis, apart});
    };
    look(t.normal);
    const bool round = t.is_sharp(0) || t.is_sharp(1) || t.is_sharp(2);
    for (int f = 0; f < A_.faces() && round; ++f)
        if (const Vec3 axis = -A_.normal(f); t.leans_over_ridges(axis)) look(axis);
    for (int i = 0; i < A_.edges() && round; ++i)
        for (int j = 0; j < B_.edges(); ++j) {
            Vec3 axis = A_.edge(i).cross(B_.edge(j));
            const double length = axis.norm();
            if (length < 0.01 * A_.edge(i).norm() * B_.edge(j).norm()) continue;
            axis /= length;
            if (t.leans_over_ridges(axis)) look(axis);
            if (t.leans_over_ridges(-axis)) look(-axis);
        }
    // the normal of the triangle as long as it is nearly the best: others are slight turns of it where a face lies flat on the surface
    const double behind = best < 0 ? ramp((best - axes_[0].apart) / (-0.25 * best)) : axes_[0].apart < best;
    v = (1 - behind) * t.normal;
    for (const Axis& axis : axes_) {
        const double share = best < 0 ? ramp(1 - (best - axis.apart) / (-0.25 * best)) : axis.apart == best;
        v += behind * share * share * axis.n;
    }
    v.normalize();
    return best;
}

void Narrow::body_on_facet(const Facet& t, const Vec3& on_a, const Vec3& on_b, double apart, double size) {
    const bool overlap = !(apart > nearly_zero * size);
    Vec3 v = overlap ? t.normal : Vec3((on_a - on_b) / apart);
    double separation = apart;
    const bool ridge = !overlap && t.leans_over_ridges(v);
    if (!ridge) separation = facet_axis(t, v);
    const double gap = separation - A_.radius, part = t.share(v);
    if (gap > margin_ || !(part > 1e-9)) return;
    if (v.dot(t.normal) < edge_on) {  // beside the rim of a surface
        if (ridge) put(on_a - A_.radius * v, on_b, -v, gap, t.feature + 15, part);
        return;
    }
    if (!soft_ && !overlap && v.dot(t.normal) < 1 - 1e-9 && separation == apart) put(on_a - A_.radius * v, on_b, -v, gap, t.feature + 15);
    share_faces(A_, -v, std::max(-gap, 1e-6 * size), faces_a_);
    if (faces_a_.empty()) return;  // a place that is not finite
    const FaceShare* best = &faces_a_[0];
    for (const FaceShare& face : faces_a_) best = face.share > best->share ? &face : best;
    for (const FaceShare& face : faces_a_)
        if (soft_ ? face.share > 0 : &face == best) put_facet(t, face.face, v, std::max(-gap, 0.0), soft_ ? part * face.share : 1);
}

// By planes through the edges: that halve the angle to the neighbour, moved out by what both sides share, or along v at an edge that is sharp
void Narrow::cut_facet(const Facet& t, const Vec3& v, double depth) {
    for (int k = 0; k < 3 && !common_.empty(); ++k) {
        const MeshEdge& edge = t.edges[k];
        const double angle = t.turn(k);
        if (t.is_sharp(k)) {
            Vec3 outward = (B_.corners[(k + 1) % 3] - B_.corners[k]).cross(v).normalized();
            if (outward.dot(t.across(k)) < 0) outward = -outward;
            cut(outward, outward.dot(B_.corners[k]) + (std::isinf(angle) ? 0 : depth), k);
        } else {
            const Vec3 outward = t.mesh.R * edge.border;
            const double level = outward.dot(t.mesh.c + t.mesh.R * edge.anchor), shared = soft_ ? depth * std::abs(std::sin(angle)) : 0;
            cut(outward, level + shared, k, edge.owns || shared > 0);
        }
    }
}

// Corners of the body count as they do on a plane; where its edges cross edges of the mesh, and at corners of the mesh, how sharp these are
double Narrow::facet_weight(const Facet& t, std::size_t n, const Vec3& v, double depth) const {
    const std::size_t count = common_.size();
    const bool line = A_.faces() == 0;
    const int out = common_[n].edge, in = line || count < 3 ? -1 : common_[(n + count - 1) % count].edge;
    double weight = line ? 1 : turned(n, -v);
    if (weight < -1) weight += 4;
    if (common_[n].name < 256) {
        weight = common_[n].turn;
    } else if (out >= 0 && in >= 0 && in != out) {
        const int corner = (in + 1) % 3 == out ? out : in;
        const double both = 2 - t.sharpness(in) - t.sharpness(out);
        weight = t.peak(corner) * std::max(0.0, weight - both);
    } else if (out >= 0 || in >= 0) {
        weight *= t.sharpness(out >= 0 ? out : in);
    }
    for (int k = 0; k < 3; ++k) {  // what two triangles share
        const double angle = t.turn(k), width = 2 * depth * std::abs(std::sin(angle));
        if (t.is_sharp(k) || !(width > 0) || (common_[n].name >= 256 && (out == k || in == k))) continue;
        const Vec3 outward = t.mesh.R * t.edges[k].border;
        const double beyond = outward.dot(common_[n].p - t.mesh.c - t.mesh.R * t.edges[k].anchor);
        weight *= ramp(0.5 - beyond / width);
    }
    return weight;
}

void Narrow::put_facet(const Facet& t, int face, const Vec3& v, double depth, double share) {
    take_face(A_, face, v);
    cut_facet(t, v, depth);
    const double cosine = t.normal.dot(v);
    for (std::size_t n = 0; n < common_.size(); ++n) {
        const Vec3& p = common_[n].p;
        const double height = t.normal.dot(p - B_.corners[0]) / cosine, gap = height - A_.radius;
        const double weight = facet_weight(t, n, v, soft_ ? std::max(-gap, 1e-300) : 0);
        if (soft_ ? weight != 0 : weight > 1e-9) put(p - A_.radius * v, p - height * v, -v, gap, t.feature + 1 + common_[n].name, share * weight);
    }
}

}  // namespace vincolo
