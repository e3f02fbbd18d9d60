// Which shapes of which bodies may touch, and what happens where they do. Nothing here changes during a run.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "twist.hpp"

namespace vincolo {

// In the order in which pairs are looked up: the first of two shapes is the one that stands first here
enum class ShapeKind : int { Plane, Sphere, Capsule, Cylinder, Box, Hull, Mesh, Count };
inline const char* const shape_names[] = {"plane", "sphere", "capsule", "cylinder", "box", "hull", "mesh"};

// A convex body by its corners, faces as loops of corners that turn to the left seen from outside, and edges; flat or a line if it has
// no faces. Triangles have two faces.
struct Solid {
    std::vector<Vec3> corners;
    std::vector<int> loops, loop_ends;  // face f: loops[loop_ends[f - 1]] up to loop_ends[f]
    std::vector<Vec3> normals;          // of faces, outward
    std::vector<Vec3> edges;            // directions, none twice
};

// A box around triangles [first, first + count) of a mesh, or around two smaller ones, the second of which begins at `second`
struct MeshBox {
    Vec3 middle, half;
    int first, count, second;
};

// An edge of a triangle of a mesh, in the axes of the mesh. The turn is the angle from the normal of the triangle to that of its neighbour:
// positive at a ridge, negative in a valley, zero in a plane, infinite where there is no neighbour.
struct MeshEdge {
    double turn;
    Vec3 across;          // in the plane of the triangle, outward
    Vec3 border, anchor;  // plane that halves the angle between the two triangles, outward; the same numbers on both sides but for the sign
    bool owns;            // points on that plane belong to this triangle
    double peak, pit;     // of the corner at which the edge begins: sharpest ridge there, seen from the front and from behind
};

// Size: radius (sphere); radius and half length along z (capsule, cylinder); half edges (box). A plane is the half-space below z = 0.
struct ContactShape {
    ShapeKind kind;
    int body;
    Vec3 s;  // from the centre of mass, in principal axes, as of frames
    Mat3 R;
    Vec3 size;
    double reach;          // from its middle to its farthest point; of a plane infinite
    Vec3 middle;           // of what reach is measured from, in its own axes
    double thin;           // half of its smallest width; of what has none, or only one side, infinite
    Vec3 half;             // of a box around it, about the middle; of a plane infinite
    std::vector<Solid> solids;    // of a box, cylinder, hull: one; of a mesh: its triangles
    std::vector<MeshBox> boxes;   // of a mesh, the first around all
    std::vector<MeshEdge> edges;  // of a mesh, three for each triangle
    bool closed = false;          // of a mesh: it has an inside
};

// F = max(0, k d^n (1 + chi d') + c d') at the depth d, times the weight of the point; friction along the surfaces -mu F v / sqrt(v^2 + creep^2). Rigid: impulses,
// with Newton's restitution and dry friction, by steppers that know them.
struct ContactLaw {
    bool rigid;
    double k, exponent, chi, c;
    double friction, creep, restitution;
};

struct ContactPair {
    int a, b;     // shapes, in the order of their kinds
    int contact;  // the law, and the name by which it is known outside
    double sign;  // -1 where a and b changed places
};

constexpr int told_by_law = 10;

struct ContactScene {
    std::vector<ContactShape> shapes;
    std::vector<ContactLaw> laws;
    std::vector<ContactPair> pairs;
    int wrenches = -1;               // auxiliary states in which rigid contact tells its mean forces: 6 for each of these bodies,
    std::vector<int> pushed;         // then so many for each law: normal force, points that press and that slide, force and its centre, power
    int sums() const { return wrenches + 6 * static_cast<int>(pushed.size()); }  // where those of laws begin
    std::size_t room() const { return 6 * pushed.size() + told_by_law * laws.size(); }  // of auxiliary states, from `wrenches` on
    bool any() const { return !pairs.empty(); }
    bool any(bool rigid) const {
        return std::any_of(laws.begin(), laws.end(), [&](const ContactLaw& law) { return law.rigid == rigid; });
    }
};

// All points of one law together
struct ContactSum {
    double gap = HUGE_VAL;                     // the smallest
    double normal = 0, points = 0, sliding = 0;  // sum of normal forces; points that press, and that slide
    Vec3 force = Vec3::Zero(), centre = Vec3::Zero();  // on the second body; middle of the points, weighed by normal forces
    double power = 0, stored = 0, lost = 0;    // of the force; energy; power that is taken and not stored
};

}  // namespace vincolo
