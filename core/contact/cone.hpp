// All points of rigid contact of one step, with the joints: impulses P and velocities U = W P + q along n, t1, t2 of each point, with
//     0 <= U_n - target  complementary to  P_n >= 0,   |P_t| <= mu P_n,   and U_t against P_t where they are equal.
// Dry friction as it is: sliding does not lift bodies off, as in the convex relaxation. Solved point by point, each exactly (nonlinear
// Gauss-Seidel: Jourdan, Alart, Jean 1998), and all at once where that does not settle (newton.cpp); impulses of the joints are within the response of the mechanism to each impulse.
#pragma once
#include <Eigen/LU>

#include "contact/contacts.hpp"
#include "dynamics.hpp"

namespace vincolo {

class Cone {
  public:
    struct Options {
        double tolerance = 1e-10;  // change of impulses in one round, over the largest
        double rounds = 2000;      // at most; 20 times as many where more than 300 points meet
    };
    struct Point {
        Spot touch;
        Mat3 D;          // columns n, t1, t2
        double friction, target, rebound;  // rebound: the target at first
        Vec3 P;          // impulse on body b along D
        Vec3 before;     // U at the beginning of the step
        Mat3 W, inverse; // its own part of W; the inverse
        double softest;  // 1 / the largest eigenvalue of its tangential part, from below
        int first, count;  // of its responses
        double out = 0;  // of a push that parts overlapping bodies
        Vec3 by, last;   // change of P in this round; P after the round before
    };

    explicit Cone(Dynamics& dynamics);
    void clear() { points_.clear(), responses_.clear(); }
    // Adds a point where the dynamics is placed, with its impulse of the last step as a guess
    void add(const Spot& touch, double friction, double target, const Vec3& before);
    const std::vector<Point>& points() const { return points_; }
    // Velocities u become those after the step. Returns the rounds it took.
    long solve(Twists& u, const Options& options);
    bool solved() const { return solved_; }  // whether the residual was within the tolerance then
    // Newton's restitution may bring energy in where friction turns the motion around (Kane 1984): then an eighth of it is taken back
    // from the points that are connected with each other. False where nothing was.
    bool take_back(const Twists& u);
    double residual(const Twists& u) const;  // largest violation of the conditions, as an impulse over the largest
    // Displacements that part what overlaps by more than `slack`, least by mass; false if nothing does
    bool part(double slack, Twists& moved);
    void remember();  // impulses, for the next step
    void forget() { memory_.clear(); }
    Vec3 rate(const Point& point, const Twists& u) const;  // along D

  private:
    static constexpr std::size_t most_together = 300;  // points that are tried at once
    struct Response {
        int body;
        Eigen::Matrix<double, 3, 3> v, w;  // columns: by an impulse along n, t1, t2
    };
    struct Kept {
        std::int64_t key;
        Vec3 impulse;  // in the world
    };
    struct Round {
        double change = 0, largest = 0;  // of impulses
    };
    struct Island {
        int next = 0;  // of bodies that impulses connect: one of them, or itself
        double work = 0, usual = 0;
    };
    // Room of Newton's method on all points at once: U = W P + q
    struct Dense {
        Eigen::MatrixXd W, J;
        Eigen::VectorXd P, q, U, open, step, trial;
        Eigen::PartialPivLU<Eigen::MatrixXd> factors;
        std::vector<int> active;  // points
        void gather(const Cone& cone);
        double equations(const Cone& cone, const Eigen::VectorXd& x, double ridge);
        void iterate(const Cone& cone, double tolerance);
    };
    // The points that press, by Newton's method from the impulses of now; false where that makes nothing better
    bool polish(Twists& u, double tolerance);
    int island(int body);
    Round sweep(double share, Twists& u);
    void carry_on(double& momentum, Twists& u);
    void respond(Point& point);
    void respond_alone(const Point& point, int body, double sign);
    long settle(Twists& u, const Options& options);
    void respond_joined(const Point& point);
    void move(const Point& point, const Vec3& change, Twists& u) const;
    Vec3 local(const Point& point, const Vec3& q) const;  // the impulse of one point at the velocities q without it
    Vec3 slide(const Point& point, const Vec3& q) const;
    Vec3 turn(const Point& point, const Vec3& q, const Vec3& otherwise) const;
    Vec3 arm(int body, const Vec3& p) const { return p - dynamics_.placement.bodies()[body].r; }

    Dynamics& dynamics_;
    std::vector<char> jointed_;  // by body
    std::vector<Island> islands_;
    std::vector<Point> points_;
    std::vector<Response> responses_;
    std::vector<Kept> memory_;
    Pushes push_;
    Twists answer_;
    BlockVector none_;
    Dense dense_;
    bool solved_ = true;
};

}  // namespace vincolo
