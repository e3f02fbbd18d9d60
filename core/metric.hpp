// By what motions and forces are measured: masses and inertias, or what stands in for them.
#pragma once
#include <vector>

#include "twist.hpp"

namespace vincolo {

struct BodyPlace {
    Mat3 A;  // world <- body
    Vec3 r;
};

// Inverse masses and inertias in world axes, by which motions are measured
struct Metric {
    std::vector<double> mass;
    std::vector<Mat3> inertia;  // the ground's, at the end, is room for the spilling of the last body's
    std::vector<Vec3> moments;  // the same in the axes of the bodies; none where inertias are alike about all axes
    const std::vector<BodyPlace>* places = nullptr;

    // R with inertia = R R^T, axis by axis
    Mat3 root(int body) const {
        if (!places) return Mat3::Identity() * std::sqrt(inertia[body](0, 0));
        return (*places)[body].A * moments[body].cwiseSqrt().asDiagonal();
    }
};

}  // namespace vincolo
