// Bodies whose joints keep them in planes of one normal for ever. In their plane a body has three motions instead of six, and a
// hinge two rows instead of five: rows across the plane are met by every such motion, and have no part in it.
//
// A set of bodies that joints hold together is plane if a way of joints leads from the ground to each of them, each of which
// holds its two bodies against tilting and parting along the normal, and if every other row is either of that kind or of the
// plane alone. Then J u' = gamma across the plane reads u' = 0, whatever acts there, and what is left are the rows of the plane,
// masses, and moments of inertia about the normal: also for bodies of any inertia, at any height.
#pragma once
#include "metric.hpp"
#include "system.hpp"

namespace vincolo {

class Planes {
  public:
    explicit Planes(const System& system);  // what tables say; where reactions are part of the motion there are none

    bool any() const { return any_; }
    // Takes heights from a state; false, and nothing is known, if it does not lie and move in the planes
    bool meet(const double* y);
    const Flat& flat() const { return flat_; }
    const std::vector<char>& across() const { return across_; }  // by row: it holds a body in its plane, and does nothing else
    // What has left the planes by rounding is put back
    void flatten_positions(double* y) const;
    void flatten_velocities(double* y) const;

  private:
    enum class Side : char { In, Across, Neither };
    struct Cosine {
        Vec3 u, w;  // on a body that is known already, and on the other one; they are held at right angles
    };
    bool allowed() const;
    void find_sets();
    bool stays_in_plane(const std::vector<int>& blocks, const Vec3& normal);
    void spread(const std::vector<int>& blocks);
    bool hold(int block, int known, int other);
    bool held_normal(const std::vector<Cosine>& cosines, const BlockShape& shape, int known, Vec3& out) const;
    bool holds_height(const BlockShape& shape) const;
    bool classify(const std::vector<int>& blocks);
    Side side_of_row(const Row& row) const;
    Side side_of(const Measure& m) const;
    Side side_of(const Vec3& axis, int body) const;
    Vec3 axis(int frame, int i) const { return system_.frames[frame].R.col(i); }
    int body_of(int frame) const { return system_.frames[frame].body; }
    const Measure* single(const Row& row) const;  // of a row that holds one measure at zero
    bool meets(int body, const double* x);
    bool rows_meet(const double* y) const;
    Vec3 point(const double* y, int frame) const;

    const System& system_;
    Flat flat_;
    std::vector<Vec3> own_;      // normals on the bodies, in their axes; zero where none is known
    std::vector<char> across_;
    std::vector<double> heights_;
    std::vector<std::vector<int>> on_;  // by body: blocks
    bool any_ = false;
};

}  // namespace vincolo
