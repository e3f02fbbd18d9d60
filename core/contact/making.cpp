#include "contact/making.hpp"

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>

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

using Key = std::array<double, 3>;
Key key(const Vec3& p) { return {p[0] + 0.0, p[1] + 0.0, p[2] + 0.0}; }  // the same for both zeros

// An edge of a triangle with that of its only neighbour, or with none
MeshEdge mesh_edge(const Solid& triangle, int k, const Solid* neighbour, int other) {
    const Vec3 &p = triangle.corners[k], &q = triangle.corners[(k + 1) % 3], n = triangle.normals[0];
    MeshEdge out{HUGE_VAL, (q - p).cross(n).normalized(), Vec3::Zero(), p, true, 0, 0};
    out.border = out.across;
    if (!neighbour) return out;
    const bool same_way = key(neighbour->corners[other]) == key(p);  // the neighbour is wound the other way
    const Vec3 m = same_way ? Vec3(-neighbour->normals[0]) : neighbour->normals[0], apex = neighbour->corners[(other + 2) % 3];
    const double sine = n.cross(m).norm();
    out.turn = sine < 1e-9 && n.dot(m) > 0 ? 0 : (n.dot(apex - p) > 0 ? -1 : 1) * std::atan2(sine, n.dot(m));
    const bool forward = key(p) < key(q);
    const Vec3 &low = forward ? p : q, &high = forward ? q : p, between = (high - low).cross(n + m);
    if (!(between.norm() > 1e-6 * (high - low).norm())) return out;
    // a point on the plane is taken as if it were a little aside, in a direction that lies along no plane anybody draws
    static const Vec3 aside(0.3819660112501051, 0.6457513110645906, 0.8284271247461903);
    out.border = (between.dot(out.across) > 0 ? 1 : -1) * between.normalized(), out.anchor = low, out.owns = out.border.dot(aside) < 0;
    return out;
}

// Who is beside whom, by the places of corners
void add_edges(ContactShape& shape) {
    struct Side {
        int triangle, edge;
    };
    std::map<std::pair<Key, Key>, std::vector<Side>> sides;
    const int count = static_cast<int>(shape.solids.size());
    const auto ends = [&](int t, int k) {
        const Key p = key(shape.solids[t].corners[k]), q = key(shape.solids[t].corners[(k + 1) % 3]);
        return std::make_pair(std::min(p, q), std::max(p, q));
    };
    for (int t = 0; t < count; ++t)
        for (int k = 0; k < 3; ++k) sides[ends(t, k)].push_back({t, k});
    std::map<Key, std::pair<double, double>> peaks;
    for (int t = 0; t < count; ++t)
        for (int k = 0; k < 3; ++k) {
            const auto& both = sides[ends(t, k)];
            const Side* other = both.size() == 2 ? &both[both[0].triangle == t] : nullptr;
            const MeshEdge edge = mesh_edge(shape.solids[t], k, other ? &shape.solids[other->triangle] : nullptr, other ? other->edge : 0);
            shape.edges.push_back(edge);
            for (int end = k; end < k + 2; ++end) {
                auto& [front, back] = peaks[key(shape.solids[t].corners[end % 3])];
                const double turn = std::min(edge.turn, 1.0) / 0.1, behind = std::isinf(edge.turn) ? 1 : -turn;
                front = std::max(front, std::min(turn, 1.0)), back = std::max(back, std::min(behind, 1.0));
            }
        }
    for (int t = 0; t < count; ++t)
        for (int k = 0; k < 3; ++k) std::tie(shape.edges[3 * t + k].peak, shape.edges[3 * t + k].pit) = peaks[key(shape.solids[t].corners[k])];
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
    add_edges(shape);
}

void bound(ContactShape& shape, const std::vector<Vec3>& corners) {
    Vec3 low = corners[0], high = low;
    for (const Vec3& corner : corners) low = low.cwiseMin(corner), high = high.cwiseMax(corner);
    shape.middle = 0.5 * (low + high);
    shape.reach = 0;
    for (const Vec3& corner : corners) shape.reach = std::max(shape.reach, (corner - shape.middle).norm());
}

// Its smallest width, of a hull along the normals of its faces, and the box around it
void measure(ContactShape& shape) {
    const double r = shape.size[0], h = shape.size[1];
    if (shape.kind == ShapeKind::Sphere) shape.thin = r, shape.half.setConstant(r);
    if (shape.kind == ShapeKind::Capsule) shape.thin = r, shape.half << r, r, r + h;
    if (shape.kind == ShapeKind::Cylinder) shape.thin = std::min(r, h), shape.half << 1.01 * r, 1.01 * r, h;
    if (shape.kind == ShapeKind::Box) shape.thin = shape.size.minCoeff(), shape.half = shape.size;
    if (shape.kind != ShapeKind::Hull && shape.kind != ShapeKind::Mesh) return;
    shape.half.setZero();
    for (const Solid& solid : shape.solids)
        for (const Vec3& corner : solid.corners) shape.half = shape.half.cwiseMax((corner - shape.middle).cwiseAbs());
    if (shape.kind == ShapeKind::Mesh) return;
    for (const Vec3& normal : shape.solids[0].normals) {
        double low = HUGE_VAL, high = -low;
        for (const Vec3& corner : shape.solids[0].corners) low = std::min(low, normal.dot(corner)), high = std::max(high, normal.dot(corner));
        shape.thin = std::min(shape.thin, 0.5 * (high - low));
    }
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
    out.closed = closed, out.thin = HUGE_VAL, out.half.setConstant(HUGE_VAL);
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
    measure(out);
    return out;
}

}  // namespace vincolo
