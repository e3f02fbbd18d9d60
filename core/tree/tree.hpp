// A mechanism as a tree of links from the ground, each with the coordinates of one simple motion: a turn about z (which may
// travel as it turns), a slide along an axis, a ball, or none. Joints are short chains of them. Accelerations follow from the
// articulated-body recursion (Featherstone 1983), in world axes, with the point of the joint as reference.
#pragma once
#include "placement.hpp"
#include "tree/quads.hpp"

namespace vincolo::tree {

// How many velocities a motion has, and how many coordinates: a ball has a quaternion
constexpr int freedom_of(MoveKind kind) { return kind == MoveKind::Ball ? 3 : kind == MoveKind::Turn || kind == MoveKind::Slide; }
constexpr int coordinates_of(MoveKind kind) { return kind == MoveKind::Ball ? 4 : freedom_of(kind); }

// What stays the same of a link
struct Link {
    int parent = 0;             // number of its place; 0 is the ground's
    MoveKind kind = MoveKind::Turn;
    int axis = 2;               // of a slide
    double lead = 0;            // travel per radian of a turn
    int q = -1, u = -1;         // first of its coordinates and velocities; -1 where a drive gives them
    int freedom = 0;            // how many velocities are unknown: one of a turn or slide, three of a ball
    int row = -1, drive = -1;   // of the drive, its number among them,
    double sign = 1;            // and coordinate by value of it
    int body = -1;              // that it carries, if any
    bool turned = false;        // `pre` is not one
    Mat pre;                    // axes and point before the motion, in those of the parent
    Quad at;
    double mass = 0;
    Quad centre;                // of mass, in its axes
    Mat inertia;                // about its point, in its axes
    bool idle = false;          // something turns that has no inertia: there
    Mat ballast;                // it is given some, against accelerations alone
};

// Where a link is, how it moves, and what it weighs with everything that hangs on it
struct Place {
    Mat R;
    Quad p, d, v, w;            // point, from the parent's point; velocities
    Quad sigma, lambda;         // turning and travelling per unit of velocity
    Quad cw, cv;                // accelerations that come without those of the coordinates
    Mat A, H, M;                // torque = A a_w + H a_v + fa, force = H^T a_w + M a_v + fl
    Quad fa, fl, Ua, Ul;
    Quad aw, av;
    Mat F, by;                  // of a ball: axes before it; inverse of A
    double share = 0;           // 1 / (what a unit of acceleration takes)
    double push = 0;            // force on the coordinate, of a ball in pushed
    Quad pushed;
    Quad a;                     // acceleration of the coordinate; of a ball in world axes
    // Where bodies have no inertia: sizes of A and M before what joints let go was taken off, which rounding is measured by; and the
    // directions of a ball in which nothing resists, which get no acceleration
    double size_A = 0, size_M = 0;
    Mat missing;
    bool misses = false;
};

// A joint of the tree: links [first, first + count) between two frames of the system
struct Limb {
    int first, count;
    int parent_frame, child_frame;  // -1: the ground's own axes, a body's own axes
    bool backwards;                 // from the second frame of the joint to the first
    Mat3 offset = Mat3::Identity(); // axes of the joint's second frame behind its motions
    std::vector<Move> moves;        // in the order of the links, quarter turns among them

    int frame_a() const { return backwards ? child_frame : parent_frame; }  // of the joint
    int frame_b() const { return backwards ? parent_frame : child_frame; }
    Mat3 quarter() const {          // about y: takes z to x, or back
        const Mat3 turn = (Mat3() << 0, 0, 1, 0, 1, 0, -1, 0, 0).finished();
        return backwards ? Mat3(turn.transpose()) : turn;
    }
};

class Tree {
  public:
    // Drives may read auxiliary states
    explicit Tree(const System& system, const Jet* auxiliaries = nullptr);

    int positions() const { return positions_; }
    int velocities() const { return velocities_; }
    const std::vector<Link>& links() const { return links_; }
    const std::vector<Place>& places() const { return places_; }  // of link n at n + 1
    const std::vector<char>& left() const { return left_; }       // by row: 1 where the tree does not keep it
    int place_of(int body) const { return place_of_[body]; }
    // The link whose coordinate a measure is, up to its sign; -1 if there is none
    int link_along(const Measure& measure, double& sign) const;

    // Axes behind the joints, which rows leave open up to quarter or half turns, as they are in a state
    void take_shape(const double* y);
    bool shaped() const { return shaped_; }
    void read(const double* y, double* q, double* u);  // coordinates of a state; take_shape() first
    void write(double* y) const;                        // the state where it was moved last, without work
    void write_places(std::vector<BodyPlace>& places, Twists& velocities) const;

    void move(double t, const double* q, const double* u);  // everything that does not depend on forces
    bool finite() const;                                    // whether drives ask for what there is
    void load(int body, const Push& push);
    void push_along(int link, double force);                // its coordinate, against the parent
    bool articulate();                                      // false where something can move that has no inertia: see Light
    void accelerate();
    void rates(const double* q, const double* u, double* dq) const;
    void accelerations(double* du) const;
    Twist acceleration_of(int body) const;                  // of its centre of mass
    double drive_power() const;                             // of the drives in the tree, after accelerate()

    // Inverse dynamics: motion with given accelerations in place of move(), loads, then what pushes on the coordinates it takes
    void move_given(double t, const double* q, const double* u, const double* du);
    void collect(double* pushes);

    void displace(double* q, const double* dq) const;

  private:
    friend class Response;
    friend class Light;
    void choose_limbs();
    void add_limb(const Freedom& freedom, bool backwards);
    void add_free(int body);
    void find_drives();
    void ask_drives(double t);
    void weigh(int link);           // sizes, where bodies are light
    void read_limb(const Limb& limb, const double* y, double* q, double* u);

    const System& system_;
    std::vector<Link> links_;
    std::vector<Place> places_;
    std::vector<Limb> limbs_;
    std::vector<int> place_of_;
    std::vector<char> left_;
    std::vector<Mat3> body_axes_;   // of the bodies in the axes of their links
    std::vector<Vec3> centres_;
    const Jet* auxiliaries_;
    std::vector<Jet> given_, jets_; // what drives ask for, by link
    std::vector<int> driven_;       // links
    std::vector<double> taken_off_; // from the pushes of drives
    int positions_ = 0, velocities_ = 0;
    bool shaped_ = false;
    bool light_ = false;            // a body has no inertia about some axis, or no mass
    bool misses_ = false;
    int idle_ = -1;                 // link that can move without inertia
};

// What forces alone do to a tree that stands articulated
class Response {
  public:
    explicit Response(Tree& tree) : tree_(tree) {}
    int size() const { return tree_.velocities_ + static_cast<int>(tree_.driven_.size()); }  // of pushes on coordinates: drives stand last
    // Links on the way from bodies to the ground, those farthest out first
    std::vector<int> path_of(const std::vector<int>& bodies) const;
    // What pushes on bodies do to the coordinates on their way, in z
    void push_back(Pushes& on, const std::vector<int>& path, double* z) const;
    void push_through(Pushes& on, const std::vector<int>& path, double* z) const;   // without inertias: J^T of the coordinates
    void divide(const double* z, const std::vector<int>& path, double* out) const;  // by the inertias of the coordinates alone
    void respond(const double* z, double* du);                                      // velocities that such pushes lead to
    void take_off(const double* z);  // from the pushes on the coordinates, before accelerate()

  private:
    Tree& tree_;
};

// What a tree that stands articulated cannot move as it should, since bodies have no inertia: bodies, or -1
class Light {
  public:
    explicit Light(const Tree& tree) : tree_(tree) {}
    // Whether there is a body without inertia; otherwise articulate() is false only for numbers so large that digits are lost
    bool any() const { return tree_.light_; }
    bool misses() const { return tree_.misses_; }       // whether there is a direction of a ball in which nothing resists
    int idle() const { return tree_.idle_ < 0 ? -1 : body_beyond(tree_.idle_); }  // where articulate() was false
    // After accelerate(): something pushes a body along such a direction. `others` are the sizes of what rows push on the coordinates.
    int unmoved(const double* others) const;
    int missed_by(const double* z) const;               // pushes on the coordinates push it so

  private:
    int body_beyond(int link) const;
    const Tree& tree_;
};

}  // namespace vincolo::tree
