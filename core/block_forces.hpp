// What can be read of the force F and torque M that a block puts on its second body: F, M, |F|, |M|; then about the axis z of its
// first frame and of its second: along it F . z, across it |F - (F . z) z|, M . z, |M - (M . z) z|.
#pragma once
#include "dynamics.hpp"

namespace vincolo {

struct Axes {
    Vec3 a, b;  // z of both frames of a block
};

inline Axes axes_of_block(const Placement& placement, const BlockShape& block) {
    return {placement.frames()[block.a].axes.col(2), placement.frames()[block.b].axes.col(2)};
}

inline void write_block_forces(const Vec3& F, const Vec3& M, const Axes& axes, double* out) {
    for (int c = 0; c < 3; ++c) out[c] = F[c], out[3 + c] = M[c];
    out[6] = F.norm(), out[7] = M.norm();
    out += 8;
    for (const Vec3& z : {axes.a, axes.b}) {
        const double axial = F.dot(z), twist = M.dot(z);
        out[0] = axial, out[1] = (F - axial * z).norm(), out[2] = twist, out[3] = (M - twist * z).norm();
        out += 4;
    }
}

// How they change with F and M; sizes of what is zero do not
inline void write_block_slopes(const Vec3& F, const Vec3& M, const Vec3& dF, const Vec3& dM, const Axes& axes, double* out) {
    const auto size = [](const Vec3& x, const Vec3& dx) { return x.squaredNorm() > 0 ? x.dot(dx) / x.norm() : 0; };
    for (int c = 0; c < 3; ++c) out[c] = dF[c], out[3 + c] = dM[c];
    out[6] = size(F, dF), out[7] = size(M, dM);
    out += 8;
    for (const Vec3& z : {axes.a, axes.b}) {
        out[0] = dF.dot(z), out[1] = size(F - F.dot(z) * z, dF - dF.dot(z) * z);
        out[2] = dM.dot(z), out[3] = size(M - M.dot(z) * z, dM - dM.dot(z) * z);
        out += 4;
    }
}

}  // namespace vincolo
