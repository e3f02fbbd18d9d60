// Motion of a body, and what acts on it, at its centre of mass and in world axes.
#pragma once
#include <Eigen/Dense>
#include <vector>

namespace vincolo {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

template <class T>
using Vec3Of = Eigen::Matrix<T, 3, 1>;
template <class T>
using Mat3Of = Eigen::Matrix<T, 3, 3>;

template <class T>
struct TwistOf {  // velocities or accelerations
    Vec3Of<T> v, w;
};
using Twist = TwistOf<double>;
struct Push {  // force and torque
    Vec3 f, t;
};
using Twists = std::vector<Twist>;
using Pushes = std::vector<Push>;

inline void clear(Twists& x) {
    for (Twist& u : x) u.v.setZero(), u.w.setZero();
}
inline void clear(Pushes& x) {
    for (Push& p : x) p.f.setZero(), p.t.setZero();
}
// x += c y, over the first so many bodies
inline void add_scaled(Twists& x, double c, const Twists& y, std::size_t bodies) {
    for (std::size_t b = 0; b < bodies; ++b) x[b].v += c * y[b].v, x[b].w += c * y[b].w;
}
inline double largest(const Vec3& x) { return x.cwiseAbs().maxCoeff(); }

}  // namespace vincolo
