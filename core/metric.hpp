// By what motions and forces are measured: masses and inertias, or what stands in for them.
#pragma once
#include <cmath>
#include <vector>

#include "twist.hpp"

namespace vincolo {

struct BodyPlace {
    Mat3 A;  // world <- body
    Vec3 r;
};

// Bodies that stay in planes: they turn about the normal alone
struct Flat {
    std::vector<char> on;       // by body
    std::vector<Vec3> normal;
    std::vector<Mat3> inertia;  // inverse, about the normal
};

// Inverse masses and inertias in world axes, by which motions are measured
struct Metric {
    std::vector<double> mass;
    std::vector<Mat3> inertia;  // the ground's, at the end, is room for the spilling of the last body's
    std::vector<Vec3> moments;  // the same in the axes of the bodies; none where inertias are alike about all axes
    const std::vector<BodyPlace>* places = nullptr;
    const Flat* flat = nullptr;  // null where no body stays in a plane

    bool is_flat(int body) const { return flat && flat->on[body]; }
    // What of a force moves a body
    Vec3 moving_part(int body, const Vec3& force) const {
        return is_flat(body) ? Vec3(force - flat->normal[body] * flat->normal[body].dot(force)) : force;
    }
    // What of a torque turns it
    Vec3 turning_part(int body, const Vec3& torque) const {
        return is_flat(body) ? Vec3(flat->normal[body] * flat->normal[body].dot(torque)) : torque;
    }
    // Inertias that are alike about all axes a body can turn about
    void set_inertia(int body, double inverse) {
        inertia[body] = is_flat(body) ? Mat3(flat->normal[body] * flat->normal[body].transpose() * inverse) : Mat3(Mat3::Identity() * inverse);
    }

    // R with inertia = R R^T, axis by axis
    Mat3 root(int body) const {
        if (is_flat(body)) return inertia[body] / std::sqrt(inertia[body].trace());
        if (!places) return Mat3::Identity() * std::sqrt(inertia[body](0, 0));
        return (*places)[body].A * moments[body].cwiseSqrt().asDiagonal();
    }
};

}  // namespace vincolo
