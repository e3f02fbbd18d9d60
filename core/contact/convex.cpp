// Contact points of two convex bodies with corners: the direction in which they are closest, or in which the least motion parts them,
// and the faces or edges that meet along it
#include <cmath>

#include "contact/pairs.hpp"

namespace vincolo {

namespace {

constexpr double aligned = 1 - 1e-6;

// The direction from a to b with the largest separation among faces and pairs of edges; below zero they overlap
struct Axes {
    const Convex &a, &b;
    Vec3 n = Vec3::UnitZ();
    double best = -HUGE_VAL;
    bool by_edges = false;

    void look(const Vec3& axis, bool edges) {
        const double apart = -b.reach_along(-axis) - a.reach_along(axis);
        const double slack = edges ? 1e-9 * (1 + std::abs(best)) : 0;  // faces go before edges that do as well
        if (apart > best + slack) best = apart, n = axis, by_edges = edges;
    }
    void find() {
        for (int f = 0; f < a.faces(); ++f) look(a.normal(f), false);
        for (int f = 0; f < b.faces(); ++f) look(-b.normal(f), false);
        for (int i = 0; i < a.edges(); ++i)
            for (int j = 0; j < b.edges(); ++j) {
                const Vec3 p = a.edge(i), q = b.edge(j), axis = p.cross(q);
                const double length = axis.norm();
                if (length < 1e-6 * p.norm() * q.norm()) continue;
                look(axis / length, true);
                look(-axis / length, true);
            }
    }
};

// The face of x that looks most along d; -1 where it has none
int facing(const Convex& x, const Vec3& d, double& cosine) {
    int best = -1;
    cosine = -2;
    for (int f = 0; f < x.faces(); ++f) {
        const double c = x.normal(f).dot(d);
        if (c > cosine) cosine = c, best = f;
    }
    return best;
}

}  // namespace

void Narrow::convex(int feature) {
    Vec3 on_a, on_b, n;
    const double size = std::max(A_.size(), B_.size());
    const double apart = closest(A_, B_, on_a, on_b), radii = A_.radius + B_.radius;
    const bool overlap = !(apart > nearly_zero * size);  // the search may end at a distance of rounding: then separating axes decide
    if (!overlap && apart - radii > margin_) return;
    bool edges = false;
    double gap = apart;
    if (overlap) {
        Axes axes{A_, B_};
        axes.find();
        n = axes.n, gap = axes.best, edges = axes.by_edges;
        if (A_.corners.size() == 1) on_a = A_.corners[0], on_b = on_a + gap * n;
    } else {
        n = (on_b - on_a) / apart;
    }
    if (A_.corners.size() == 1) return put(on_a + A_.radius * n, on_b - B_.radius * n, n, gap - radii, feature);
    double of_a, of_b;
    const int face_a = facing(A_, n, of_a), face_b = facing(B_, -n, of_b);
    if (of_a > aligned || of_b > aligned) clip(n, of_a >= of_b ? face_a : -1, of_a >= of_b ? -1 : face_b, feature);
    else if (edges) crossing_edges(n, gap, feature);
    else put(on_a + A_.radius * n, on_b - B_.radius * n, n, gap - radii, feature + 15);
}

void Narrow::clip(const Vec3& n, int face_a, int face_b, int feature) {
    if (face_a >= 0) clip_against(A_, face_a, B_, n, true, feature);
    else clip_against(B_, face_b, A_, -n, false, feature);
}

// What of the other's face, or edge, that meets a face stands over it; n leads out of the face
void Narrow::clip_against(const Convex& own, int face, const Convex& other, const Vec3& n, bool own_is_a, int feature) {
    const Vec3 normal = own.normal(face);
    double unused;
    const int meets = facing(other, -n, unused);
    loop_.clear(), names_.clear();
    const auto range = [](const Solid& s, int f) { return std::pair<int, int>(f ? s.loop_ends[f - 1] : 0, s.loop_ends[f]); };
    if (meets >= 0) {
        const auto [first, end] = range(*other.solid, meets);
        for (int k = first; k < end; ++k) loop_.push_back(other.corners[other.solid->loops[k]]), names_.push_back(other.solid->loops[k]);
    } else {
        for (std::size_t k = 0; k < other.corners.size(); ++k) loop_.push_back(other.corners[k]), names_.push_back(static_cast<int>(k));
    }
    const auto [first, end] = range(*own.solid, face);
    for (int k = first; k < end && loop_.size() > 1; ++k) {  // by the planes through the edges of the face
        const Vec3 &p = own.corners[own.solid->loops[k]], &q = own.corners[own.solid->loops[k + 1 < end ? k + 1 : first]];
        const Vec3 outward = (q - p).cross(normal);
        cut_.clear(), cut_names_.clear();
        const std::size_t count = loop_.size(), segments = count == 2 ? 1 : count;
        for (std::size_t i = 0; i < count; ++i) {
            const double here = outward.dot(loop_[i] - p);
            if (here <= 0) cut_.push_back(loop_[i]), cut_names_.push_back(names_[i]);
            if (i >= segments) continue;
            const std::size_t j = (i + 1) % count;
            const double next = outward.dot(loop_[j] - p);
            if ((here < 0 && next > 0) || (here > 0 && next < 0)) {
                cut_.push_back(loop_[i] + here / (here - next) * (loop_[j] - loop_[i]));
                cut_names_.push_back(256 * (k + 1) + names_[i]);
            }
        }
        loop_.swap(cut_), names_.swap(cut_names_);
    }
    const Vec3 anchor = own.corners[own.solid->loops[first]];
    for (std::size_t k = 0; k < loop_.size(); ++k) {
        const double height = normal.dot(loop_[k] - anchor);
        const Vec3 foot = loop_[k] - (height - own.radius) * normal, tip = loop_[k] - other.radius * normal;
        const double gap = height - own.radius - other.radius;
        const int name = feature + 1 + names_[k] + 65536 * (face + 1);
        own_is_a ? put(foot, tip, normal, gap, name) : put(tip, foot, -normal, gap, name);
    }
}

// The one edge of each body that lies farthest towards the other: where they pass each other
void Narrow::crossing_edges(const Vec3& n, double gap, int feature) {
    const auto edge_of = [](const Convex& x, const Vec3& d, Vec3& p, Vec3& q) {
        const int tip = x.farthest(d);
        p = q = x.corners[tip];
        double best = -HUGE_VAL;
        if (!x.solid) return void(q = x.corners[x.corners.size() - 1 - tip]);
        for (int f = 0; f < x.faces(); ++f) {
            const int first = f ? x.solid->loop_ends[f - 1] : 0, end = x.solid->loop_ends[f];
            for (int k = first; k < end; ++k) {
                if (x.solid->loops[k] != tip) continue;
                const Vec3& next = x.corners[x.solid->loops[k + 1 < end ? k + 1 : first]];
                const double slope = d.dot(next - p) / (next - p).norm();
                if (slope > best) best = slope, q = next;
            }
        }
    };
    Vec3 a0, a1, b0, b1;
    edge_of(A_, n, a0, a1), edge_of(B_, -n, b0, b1);
    double s, t;
    closest_on_lines(a0, a1, b0, b1, s, t);
    const Vec3 middle = 0.5 * (a0 + s * (a1 - a0) + b0 + t * (b1 - b0));
    const double total = gap - A_.radius - B_.radius;
    put(middle - 0.5 * total * n, middle + 0.5 * total * n, n, total, feature + 15);
}

}  // namespace vincolo
