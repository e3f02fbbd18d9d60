// Points of compliant contact between two convex bodies. Their forces are to be a continuous function of the positions, so that nothing
// is chosen that could be chosen otherwise a moment later: the direction is a mean of those that part the bodies almost as easily as the
// best, faces share the contact by how well they look along it, and the corners of what two faces have in common weigh by the angle that
// the boundary turns through there, four times a right angle in all: two corners that come out of one share what it had.
#include <algorithm>
#include <cmath>

#include "contact/pairs.hpp"

namespace vincolo {

namespace {

constexpr double nearly_best = 0.25;   // of the depth: directions that part bodies by so much more count
constexpr double nearly_parallel = 0.01;  // sine of the angle of two edges below which their direction counts less
constexpr double facing_alike = 0.01;  // difference of cosines
constexpr double right_angle = 1.5707963267948966;
constexpr double steepest = 0.1;       // cosine between a face and the direction of contact

}  // namespace

// The separation along the best direction, below zero, and the mean of those that are nearly as good, from a to b
double Narrow::blended_axis(const Convex& a, const Convex& b, Vec3& n) {
    double best = -HUGE_VAL;
    axes_.clear();
    const auto look = [&](const Vec3& axis, double sine) {
        double apart = -b.reach_along(-axis) - a.reach_along(axis);
        if (sine < nearly_parallel && apart < 0) apart *= nearly_parallel * nearly_parallel / (sine * sine);
        if (apart < 0 && apart < (1 + nearly_best) * best) return;
        best = std::max(best, apart);
        axes_.push_back({axis, apart});
    };
    for (int f = 0; f < a.faces(); ++f) look(a.normal(f), 1);
    for (int f = 0; f < b.faces(); ++f) look(-b.normal(f), 1);
    for (int i = 0; i < a.edges(); ++i)
        for (int j = 0; j < b.edges(); ++j) {
            const Vec3 p = a.edge(i), q = b.edge(j), axis = p.cross(q);
            const double length = axis.norm(), sine = length / (p.norm() * q.norm());
            if (sine < 1e-9) continue;
            look(axis / length, sine), look(-axis / length, sine);
        }
    n.setZero();
    Vec3 only = Vec3::UnitZ();
    for (const Axis& axis : axes_) {
        const double share = best < 0 ? std::max(0.0, 1 - (best - axis.apart) / (-nearly_best * best)) : axis.apart == best;
        n += share * share * axis.n;
        if (axis.apart == best) only = axis.n;
    }
    const double length = n.norm();
    n = length > 1e-3 ? Vec3(n / length) : only;
    return best;
}

// Faces that look along d; less those that the farthest corner is not on
void Narrow::share_faces(const Convex& x, const Vec3& d, double depth, std::vector<FaceShare>& out) const {
    out.clear();
    if (x.faces() == 0) return out.push_back({-1, 0, 1});
    const double farthest = x.reach_along(d);
    double best = -HUGE_VAL;
    for (int f = 0; f < x.faces(); ++f) {
        const double cosine = x.normal(f).dot(d);
        if (cosine < best - facing_alike) continue;
        double reach = -HUGE_VAL;
        const auto [first, end] = x.loop(f);
        for (int k = first; k < end; ++k) reach = std::max(reach, d.dot(x.corners[x.solid->loops[k]]));
        const double score = cosine - facing_alike * (farthest - reach) / std::max(depth, 1e-300);
        best = std::max(best, score);
        out.push_back({f, score, 0});
    }
    double sum = 0;
    for (FaceShare& face : out) sum += face.share = std::max(0.0, 1 - (best - face.score) / facing_alike);
    for (FaceShare& face : out) face.share /= sum;
    out.erase(std::remove_if(out.begin(), out.end(), [](const FaceShare& face) { return !(face.share > 0); }), out.end());
}

// The loop of a face, seen against n, or the corners of a body without faces
void Narrow::take_face(const Convex& x, int face, const Vec3& n) {
    common_.clear();
    if (face < 0) {
        for (std::size_t k = 0; k < x.corners.size(); ++k) common_.push_back({x.corners[k], static_cast<int>(k), -1, 1});
        return;
    }
    const auto [first, end] = x.loop(face);
    for (int k = first; k < end; ++k) common_.push_back({x.corners[x.solid->loops[k]], x.solid->loops[k], -1, 0});
    for (std::size_t k = 0; k < common_.size(); ++k) common_[k].turn = turned(k, -n);
}

// Leaves of a loop, or of a line, what is on the inner side of a plane
void Narrow::cut(const Vec3& outward, double limit, int edge, bool closed) {
    const std::size_t count = common_.size(), segments = count == 2 ? 1 : count;
    rest_.clear();
    for (std::size_t i = 0; i < count; ++i) {
        const LoopCorner& corner = common_[i];
        const double here = outward.dot(corner.p) - limit;
        const bool inside = here < 0 || (closed && here == 0);
        if (inside) rest_.push_back(corner);
        if (i >= segments) continue;
        const LoopCorner& after = common_[(i + 1) % count];
        const double next = outward.dot(after.p) - limit;
        if (!((here < 0 && next > 0) || (here > 0 && next < 0))) {
            if (here == 0 && inside && next > 0 && count > 2) rest_.back().edge = edge;
            continue;
        }
        const Vec3 p = corner.p + here / (here - next) * (after.p - corner.p);
        rest_.push_back({p, 256 * (edge + 1) + corner.name, count == 2 || here < 0 ? edge : corner.edge, 0});
    }
    common_.swap(rest_);
}

// What a face of one body, made wider by a length, has in common with a face of the other, seen along n
void Narrow::common(const Convex& own, int face, const Convex& other, int other_face, const Vec3& n, double widened) {
    take_face(other, other_face, n);
    const auto [first, end] = own.loop(face);
    for (int k = first; k < end && !common_.empty(); ++k) {
        const Vec3 &p = own.corners[own.solid->loops[k]], &q = own.corners[own.solid->loops[k + 1 < end ? k + 1 : first]];
        const Vec3 outward = (q - p).cross(n);
        const double length = outward.norm();
        if (length > 0) cut(outward / length, outward.dot(p) / length + widened, k - first);
    }
}

// The angle that the boundary turns through at a corner, seen along n, over a right angle
double Narrow::turned(std::size_t corner, const Vec3& n) const {
    const std::size_t count = common_.size();
    if (count < 3) return count == 2 ? 2 : 4;
    const auto flat = [&](const Vec3& d) { return Vec3(d - n.dot(d) * n); };
    const Vec3 in = flat(common_[corner].p - common_[(corner + count - 1) % count].p), out = flat(common_[(corner + 1) % count].p - common_[corner].p);
    const double angle = std::atan2(n.dot(in.cross(out)), in.dot(out));
    return angle / right_angle;
}

// Of what two faces have in common, seen along n: the length of a line, and twice the area over the boundary
double Narrow::width(const Vec3& n) const {
    const std::size_t count = common_.size();
    if (count < 3) return count == 2 ? (common_[1].p - common_[0].p).norm() : 0;
    double area = 0, boundary = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const Vec3 &p = common_[k].p, &q = common_[(k + 1) % count].p, d = q - p;
        area += 0.5 * std::abs(n.dot((p - common_[0].p).cross(d)));
        boundary += (d - n.dot(d) * n).norm();
    }
    return boundary > 0 ? 2 * area / boundary : 0;
}

// Seen against n the loop of the other turns to the left
void Narrow::put_common(const Convex& own, int face, const Convex& other, const Vec3& n, bool own_is_a, double share) {
    const Vec3 normal = own.normal(face), anchor = own.corners[own.solid->loops[own.loop(face).first]];
    const double cosine = normal.dot(n), radii = own.radius + other.radius;
    if (!(cosine > steepest)) return;
    const bool line = other.faces() == 0;
    double size = 0;
    for (const LoopCorner& corner : common_) size = std::max(size, (corner.p - common_[0].p).cwiseAbs().maxCoeff());
    for (std::size_t k = common_.size(); k-- > 0 && common_.size() > 1;)  // corners that are one
        if ((common_[k].p - common_[(k + 1) % common_.size()].p).cwiseAbs().maxCoeff() <= 1e-13 * size) common_.erase(common_.begin() + static_cast<std::ptrdiff_t>(k));
    for (std::size_t k = 0; k < common_.size(); ++k) {
        const double height = normal.dot(common_[k].p - anchor) / cosine, gap = height - radii;
        if (!(gap < 0)) continue;
        double weight = line ? (common_.size() == 2 ? 1 : 2) : turned(k, -n);
        if (weight < -1) weight += 4;  // of a sliver: half a turn the other way round
        const Vec3 foot = common_[k].p - (height - own.radius) * n, tip = common_[k].p - other.radius * n;
        own_is_a ? put(foot, tip, n, gap, common_[k].name, share * weight) : put(tip, foot, -n, gap, common_[k].name, share * weight);
    }
}

void Narrow::patch() {
    Vec3 on_a, on_b, n;
    const double apart = closest(A_, B_, on_a, on_b), radii = A_.radius + B_.radius;
    const bool inside = !(apart > nearly_zero * std::max(A_.size(), B_.size()));
    if (!inside && apart >= radii) return;
    double separation = apart;
    if (inside) separation = blended_axis(A_, B_, n);
    else n = (on_b - on_a) / apart;
    const double depth = radii - separation;
    if (!(depth > 0)) return;
    if (A_.corners.size() == 1) {
        if (inside) on_a = A_.corners[0], on_b = on_a + separation * n;
        return put(on_a + A_.radius * n, on_b - B_.radius * n, n, -depth, 0);
    }
    const bool own_is_a = A_.faces() > 0;
    const Convex &own = own_is_a ? A_ : B_, &other = own_is_a ? B_ : A_;
    if (!own_is_a) n = -n;
    share_faces(own, n, depth, faces_a_), share_faces(other, -n, depth, faces_b_);
    // faces that hardly meet, seen along n, leave the contact to those that do
    double sum = 0;
    const auto each = [&](auto&& act) {
        for (const FaceShare& one : faces_a_)
            for (const FaceShare& two : faces_b_) {
                if (!(one.share * two.share > 0)) continue;
                common(own, one.face, other, two.face, n, depth);
                act(one, one.share * two.share * std::min(1.0, width(n) / depth));
            }
    };
    if (faces_a_.size() == 1 && faces_b_.size() == 1) {
        common(own, faces_a_[0].face, other, faces_b_[0].face, n, depth);
        return put_common(own, faces_a_[0].face, other, n, own_is_a, 1);
    }
    each([&](const FaceShare&, double share) { sum += share; });
    if (!(sum > 0)) return;
    each([&](const FaceShare& one, double share) { put_common(own, one.face, other, n, own_is_a, share / sum); });
}

}  // namespace vincolo
