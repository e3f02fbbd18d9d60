// What errors of a step are measured against
#pragma once
#include "system.hpp"

namespace vincolo {

struct Tolerances {
    double rtol;
    double positions, quaternions, velocities, turning;  // absolute
    bool by_extent[2];  // whether those of positions and of velocities are shares of the extent of the mechanism
    double absolute(int place) const {  // within a body
        return place < at_p ? positions : place < at_v ? quaternions : place < at_w ? velocities : turning;
    }
    Tolerances of(double extent) const {
        Tolerances out = *this;
        if (by_extent[0]) out.positions *= extent;
        if (by_extent[1]) out.velocities *= extent;
        return out;
    }
};

}  // namespace vincolo
