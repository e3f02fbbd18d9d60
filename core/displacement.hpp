// Bodies of a state moved to other positions
#pragma once
#include "quaternion.hpp"
#include "system.hpp"

namespace vincolo {

// By small displacements and rotations, to first order
inline void displace(double* body, const Vec3& way, const Vec3& turn) {
    for (int c = 0; c < 3; ++c) body[at_r + c] += way[c];
    turn_quaternion(body + at_p, turn);
}

// By any rotation
inline void carry(double* body, const Vec3& way, const Vec3& turn) {
    for (int c = 0; c < 3; ++c) body[at_r + c] += way[c];
    rotate_quaternion(body + at_p, turn);
}

// By h times its velocities and g times its accelerations
inline void carry(double* body, const double* accelerations, double h, double g) {
    Vec3 way, turn;
    for (int c = 0; c < 3; ++c) {
        way[c] = h * body[at_v + c] + g * accelerations[c];
        turn[c] = h * body[at_w + c] + g * accelerations[3 + c];
    }
    carry(body, way, turn);
}

}  // namespace vincolo
