// Where two shapes are closest or overlap, by closed forms, and for bodies with corners by the search of Gilbert, Johnson and Keerthi
// (1988), by separating axes and by clipping of faces.
#pragma once
#include "contact/scene.hpp"

namespace vincolo {

// A shape in the world
struct PlacedShape {
    const ContactShape* shape;
    Vec3 c;   // its origin
    Mat3 R;
    Vec3 middle;
};

// The gap between the points on a and on b is along n, which leads from a to b; below zero they overlap by so much
struct ContactPoint {
    Vec3 on_a, on_b, n;
    double gap;
    int feature;  // the same from one moment to the next as long as the same corners and faces meet
    double weight = 1;  // of its force
};

constexpr double nearly_zero = 1e-7;  // distances below this, over the size of the bodies, may be none

// A convex body in the world: corners with a radius around them
struct Convex {
    const Solid* solid = nullptr;
    std::vector<Vec3> corners;
    Mat3 R = Mat3::Identity();
    double radius = 0;
    void load(const Solid& given, const Vec3& c, const Mat3& axes, double around);
    void load(const Vec3* points, int count, double around);  // a point or a line
    Vec3 normal(int face) const { return R * solid->normals[face]; }
    int faces() const { return solid ? static_cast<int>(solid->normals.size()) : 0; }
    int edges() const { return solid ? static_cast<int>(solid->edges.size()) : static_cast<int>(corners.size()) - 1; }
    Vec3 edge(int k) const { return solid ? Vec3(R * solid->edges[k]) : Vec3(corners[1] - corners[0]); }
    double size() const;
    int farthest(const Vec3& d) const;
    double reach_along(const Vec3& d) const { return d.dot(corners[farthest(d)]); }
    std::pair<int, int> loop(int face) const { return {face ? solid->loop_ends[face - 1] : 0, solid->loop_ends[face]}; }
};

// A face of a convex body that looks along a direction, and its share among those that do
struct FaceShare {
    int face;  // -1: a body without faces, all its corners
    double score, share;
};

// A corner of what two faces have in common, and the edge of the first face along which the boundary goes on from there; -1: of the second
struct LoopCorner {
    Vec3 p;
    int name, edge;
    double turn = 0;  // of a corner of the second face itself: that of its boundary there, over a right angle
};

// Finds points of pairs; it keeps its room from one call to the next
class Narrow {
  public:
    static constexpr int most = 64;  // points of one pair
    // Points with a gap up to `margin`; their number. Of those that only measure the distance, `nearest`, no more are sought than
    // one that is the closest.
    int find(const PlacedShape& a, const PlacedShape& b, double margin, bool nearest = false);
    // Points that overlap, with weights: the sum of the forces of all points is a continuous function of the positions
    int find_soft(const PlacedShape& a, const PlacedShape& b);
    const ContactPoint& operator[](int k) const { return points_[k]; }

  private:
    void put(const Vec3& on_a, const Vec3& on_b, const Vec3& n, double gap, int feature, double weight = 1);
    int dispatch(const PlacedShape& a, const PlacedShape& b);
    void balls(const Vec3& a, double ra, const Vec3& b, double rb, int feature, double weight = 1);
    void plane_ball(const PlacedShape& a, const Vec3& b, double radius, int feature);
    void plane_other(const PlacedShape& a, const PlacedShape& b);
    void plane_cylinder(const PlacedShape& a, const PlacedShape& b);
    void sphere_capsule(const PlacedShape& a, const PlacedShape& b);
    void sphere_cylinder(const PlacedShape& a, const PlacedShape& b);
    void sphere_box(const PlacedShape& a, const PlacedShape& b);
    void capsules(const PlacedShape& a, const PlacedShape& b);
    void from_inside(const PlacedShape& a, const PlacedShape& b, const Vec3& local, const Vec3& n, double depth);
    void load(const PlacedShape& shape, Convex& out) const;
    // In convex.cpp
    void convex(int feature);
    void clip(const Vec3& n, int face_a, int face_b, int feature);
    void clip_against(const Convex& own, int face, const Convex& other, const Vec3& n, bool own_is_a, int feature);
    void crossing_edges(const Vec3& n, double gap, int feature);
    // In patch.cpp
    struct Axis {
        Vec3 n;
        double apart;
    };
    void patch();
    double blended_axis(const Convex& a, const Convex& b, Vec3& n);
    void share_faces(const Convex& x, const Vec3& d, double depth, std::vector<FaceShare>& out) const;
    void take_face(const Convex& x, int face, const Vec3& n);
    void cut(const Vec3& outward, double limit, int edge, bool closed = true);
    void common(const Convex& own, int face, const Convex& other, int other_face, const Vec3& n, double widened);
    double turned(std::size_t corner, const Vec3& n) const;
    double width(const Vec3& n) const;
    void put_common(const Convex& own, int face, const Convex& other, const Vec3& n, bool own_is_a, double share);
    // In mesh.cpp
    struct Facet;
    void with_mesh(const PlacedShape& a, const PlacedShape& b);
    void mesh_box(const PlacedShape& a, const PlacedShape& b, int box, const Vec3& at);
    void drop_repeated(int first, double size);
    void facet(const PlacedShape& a, const PlacedShape& b, int triangle);
    void ball_on_facet(const Facet& t, const Vec3& on_b, double apart);
    void body_on_facet(const Facet& t, const Vec3& on_a, const Vec3& on_b, double apart, double size);
    double facet_axis(const Facet& t, Vec3& v);
    void put_facet(const Facet& t, int face, const Vec3& v, double depth, double share);
    void cut_facet(const Facet& t, const Vec3& v, double depth);
    double facet_weight(const Facet& t, std::size_t corner, const Vec3& v, double depth) const;
    ContactPoint points_[most];
    int count_ = 0;
    double margin_ = 0;
    bool soft_ = false, nearest_ = false;
    Convex A_, B_;
    std::vector<Vec3> loop_, cut_;
    std::vector<int> names_, cut_names_;  // of the corners of the loop
    std::vector<LoopCorner> common_, rest_;
    std::vector<FaceShare> faces_a_, faces_b_;
    std::vector<Axis> axes_;
};

// Distance of two convex bodies without their radii, and the closest points; zero where they overlap
double closest(const Convex& a, const Convex& b, Vec3& on_a, Vec3& on_b);
// The points of two lines a0 a1 and b0 b1 that are closest, as shares of them
void closest_on_lines(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, double& s, double& t);

}  // namespace vincolo
