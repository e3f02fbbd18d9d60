// A plane net of hinges, seen as pins with bars between them. Where bodies meet in one point the motion of this point is the unknown,
// and a body with two such points has one row left: its length.
//
// In natural coordinates (the velocities of its two points, as complex numbers) the mass matrix of a bar is constant,
//     T = 1/2 (a |v|^2 + b |w|^2) + Re(v* k w),
// with a = m |1 - s|^2 + I/l^2, b = m |s|^2 + I/l^2, k = m (1 - s)* s - I/l^2, and s the place of the centre of mass between the points.
#pragma once
#include <cmath>
#include <vector>

#include "block_solver.hpp"
#include "metric.hpp"
#include "system.hpp"

namespace vincolo {

// A vector in the plane, multiplied and turned as a complex number
struct Flat2 {
    double x = 0, y = 0;

    Flat2 operator+(Flat2 b) const { return {x + b.x, y + b.y}; }
    Flat2 operator-(Flat2 b) const { return {x - b.x, y - b.y}; }
    Flat2 operator*(double c) const { return {x * c, y * c}; }
    Flat2 turned(Flat2 by) const { return {by.x * x - by.y * y, by.x * y + by.y * x}; }       // by times it
    Flat2 turned_back(Flat2 by) const { return {by.x * x + by.y * y, by.x * y - by.y * x}; }  // by* times it
    double dot(Flat2 b) const { return x * b.x + y * b.y; }
    double cross(Flat2 b) const { return x * b.y - y * b.x; }
    Flat2 left() const { return {-y, x}; }
    double norm() const { return std::hypot(x, y); }
};

struct PinBar {
    int body;
    int pin[2];       // -1: on the ground
    Vec3 along;       // from the first to the second, of unit length, on the body
    Flat2 drawn;      // the same in the plane where the net was found
    double own[2];    // a and b
    Flat2 both;       // k
};

// A joint of a pin: it leads from an end that is known to another. Ends are 2 bar + 0 or 1; -1 is the ground.
struct PinLink {
    int block, known, found;
    int turning;  // bar that its rows turn with, -1: none
    Flat2 e[2];   // its rows where the net was found, as motions of the end found
};

struct PinNet {
    std::vector<PinBar> bars;
    std::vector<PinLink> links;  // known ends first
    int pins = 0;                // that move
    Vec3 across = Vec3::Zero(), up = Vec3::Zero();  // the plane

    Flat2 flat(const Vec3& x) const { return {across.dot(x), up.dot(x)}; }
};

// Whether the rows in use, where they were last assembled, are a net of hinges and nothing else, between bodies that have them in one or
// two points
bool find_pins(const System& system, const BlockSet& set, const std::vector<char>& taken, const Metric& metric, PinNet& out);

}  // namespace vincolo
