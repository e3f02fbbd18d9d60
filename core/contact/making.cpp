#include "contact/making.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace vincolo {

namespace {

constexpr int prism_sides = 32;   // of a cylinder where it meets what has corners
constexpr int leaf_triangles = 4;

void add_edge(Solid& solid, const Vec3& d) {
    const Vec3 e = d.normalized();
    for (const Vec3& known : solid.edges)
        if (known.cross(e).squaredNorm() < 1e-16) return;
    solid.edges.push_back(e);
}

void add_face(Solid& solid, const std::vector<int>& loop) {
    Vec3 normal = Vec3::Zero();  // by the area of the loop, whatever its first corners are (Newell)
    const std::size_t n = loop.size();
    for (std::size_t k = 0; k < n; ++k) normal += solid.corners[loop[k]].cross(solid.corners[loop[(k + 1) % n]]);
    if (!(normal.squaredNorm() > 0)) throw std::invalid_argument("a face without area");
    solid.loops.insert(solid.loops.end(), loop.begin(), loop.end());
    solid.loop_ends.push_back(static_cast<int>(solid.loops.size()));
    solid.normals.push_back(normal.normalized());
    for (std::size_t k = 0; k < n; ++k) add_edge(solid, solid.corners[loop[(k + 1) % n]] - solid.corners[loop[k]]);
}

Solid solid_of(const std::vector<Vec3>& corners, const Loops& faces) {
    Solid out;
    out.corners = corners;
    for (const auto& loop : faces) {
        for (int k : loop)
            if (k < 0 || k >= static_cast<int>(corners.size())) throw std::out_of_range("a face names a corner that is not there");
        if (loop.size() < 3) throw std::invalid_argument("a face has at least three corners");
        add_face(out, loop);
    }
    return out;
}

Solid box_solid(const Vec3& half) {
    std::vector<Vec3> corners;
    for (int k = 0; k < 8; ++k) corners.push_back(half.cwiseProduct(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
    return solid_of(corners, {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}

// As far inside the cylinder as outside of it
Solid prism(double radius, double half) {
    const double pi = std::acos(-1.0), r = radius * 2 / (1 + std::cos(pi / prism_sides));
    std::vector<Vec3> corners;
    std::vector<int> bottom, top;
    Loops faces;
    for (int k = 0; k < prism_sides; ++k)
        for (int side = -1; side < 2; side += 2) corners.push_back({r * std::cos(2 * pi * k / prism_sides), r * std::sin(2 * pi * k / prism_sides), side * half});
    for (int k = 0; k < prism_sides; ++k) {
        const int next = (k + 1) % prism_sides;
        faces.push_back({2 * k, 2 * next, 2 * next + 1, 2 * k + 1});
        bottom.push_back(2 * (prism_sides - 1 - k)), top.push_back(2 * k + 1);
    }
    faces.push_back(bottom), faces.push_back(top);
    return solid_of(corners, faces);
}

int add_box(ContactShape& shape, std::vector<Solid>& triangles, int first, int count) {
    Vec3 low = Vec3::Constant(HUGE_VAL), high = -low;
    for (int k = first; k < first + count; ++k)
        for (const Vec3& corner : triangles[k].corners) low = low.cwiseMin(corner), high = high.cwiseMax(corner);
    const int here = static_cast<int>(shape.boxes.size());
    shape.boxes.push_back({0.5 * (low + high), 0.5 * (high - low), first, count, 0});
    if (count <= leaf_triangles) return here;
    int axis;
    (high - low).maxCoeff(&axis);
    const auto middle = [&](const Solid& s) { return s.corners[0][axis] + s.corners[1][axis] + s.corners[2][axis]; };
    const auto begin = triangles.begin() + first;
    std::nth_element(begin, begin + count / 2, begin + count, [&](const Solid& a, const Solid& b) { return middle(a) < middle(b); });
    add_box(shape, triangles, first, count / 2);
    shape.boxes[here].second = add_box(shape, triangles, first + count / 2, count - count / 2);
    return here;
}

void make_mesh(ContactShape& shape, const std::vector<Vec3>& corners, const Loops& faces) {
    for (const auto& loop : faces) {
        if (loop.size() != 3) throw std::invalid_argument("a mesh is made of triangles");
        std::vector<Vec3> three;
        for (int k : loop) three.push_back(corners.at(k));
        shape.solids.push_back(solid_of(three, {{0, 1, 2}, {2, 1, 0}}));
    }
    if (shape.solids.empty()) throw std::invalid_argument("a mesh without triangles");
    add_box(shape, shape.solids, 0, static_cast<int>(shape.solids.size()));
}

void bound(ContactShape& shape, const std::vector<Vec3>& corners) {
    Vec3 low = corners[0], high = low;
    for (const Vec3& corner : corners) low = low.cwiseMin(corner), high = high.cwiseMax(corner);
    shape.middle = 0.5 * (low + high);
    shape.reach = 0;
    for (const Vec3& corner : corners) shape.reach = std::max(shape.reach, (corner - shape.middle).norm());
}

}  // namespace

ContactShape make_shape(const std::string& kind, const std::vector<double>& size, const std::vector<Vec3>& corners, const Loops& faces, bool closed) {
    static constexpr std::size_t numbers[] = {0, 1, 2, 2, 3, 0, 0};
    ContactShape out{};
    out.kind = ShapeKind::Count, out.middle.setZero(), out.size.setZero();
    for (int k = 0; k < static_cast<int>(ShapeKind::Count); ++k)
        if (kind == shape_names[k]) out.kind = static_cast<ShapeKind>(k);
    if (out.kind == ShapeKind::Count) throw std::invalid_argument("there is no shape called '" + kind + "'");
    if (size.size() != numbers[static_cast<int>(out.kind)]) throw std::invalid_argument("another number of sizes");
    for (std::size_t k = 0; k < size.size(); ++k) {
        if (!(size[k] > 0 && std::isfinite(size[k]))) throw std::invalid_argument("sizes are positive");
        out.size[k] = size[k];
    }
    out.closed = closed;
    const double r = out.size[0], h = out.size[1];
    switch (out.kind) {
        case ShapeKind::Plane: out.reach = HUGE_VAL; break;
        case ShapeKind::Sphere: out.reach = r; break;
        case ShapeKind::Capsule: out.reach = r + h; break;
        case ShapeKind::Cylinder: out.solids.push_back(prism(r, h)), out.reach = 1.01 * std::hypot(r, h); break;
        case ShapeKind::Box: out.solids.push_back(box_solid(out.size)), out.reach = out.size.norm(); break;
        case ShapeKind::Hull:
            if (corners.size() < 4) throw std::invalid_argument("a hull has at least four corners");
            out.solids.push_back(solid_of(corners, faces)), bound(out, corners);
            break;
        default:
            if (corners.empty()) throw std::invalid_argument("a mesh without corners");
            make_mesh(out, corners, faces), bound(out, corners);
    }
    return out;
}

}  // namespace vincolo
