#include "dynamics.hpp"

#include <algorithm>

namespace vincolo {

// Ballast E stands in for a zero inertia; the torque z = E w' it takes is given back: (E^-1 - P) z = w', with P the
// response of the constrained system. Conjugate gradients with E as preconditioner: one step per distinct share of ballast.
void Dynamics::unload_ballast() {
    double rho = 0, size = 0, first = 0;
    for (int b : ballasted_) {
        BodyWork& body = bodies[b];
        const Vec3 &e = system_.bodies[b].ballast, r = body.A.transpose() * body.acc_w;
        ballast_[b].residual = e.cwiseSign().cwiseProduct(r);
        ballast_[b].direction = e.cwiseProduct(r);
        rho += ballast_[b].direction.dot(r);
        size = std::max(size, body.acc_w.cwiseAbs().maxCoeff());
    }
    for (BodyWork& body : bodies) {
        body.total_v = body.acc_v;
        body.total_w = body.acc_w;
        body.free_v.setZero();
        body.free_w.setZero();
    }
    lam_free = lam;
    for (int iteration = 0; iteration < 20 && rho > 0; ++iteration) {
        for (int b : ballasted_) bodies[b].free_w = inverse_inertia[b] * (bodies[b].A * ballast_[b].direction);
        for (Column& column : lam) column.clear();
        solve_accelerations(lam);
        double curvature = 0, next = 0, largest = 0;
        for (int b : ballasted_) {
            const Vec3& e = system_.bodies[b].ballast;
            BallastWork& work = ballast_[b];
            for (int c = 0; c < 3; ++c) work.response[c] = e[c] > 0 ? work.direction[c] / e[c] : 0;
            work.response -= e.cwiseSign().cwiseProduct(bodies[b].A.transpose() * bodies[b].acc_w);
            curvature += work.direction.dot(work.response);
        }
        if (!(curvature > 0)) break;
        const double alpha_step = rho / curvature;
        for (std::size_t b = 0; b + 1 < bodies.size(); ++b) {
            bodies[b].total_v += alpha_step * bodies[b].acc_v;
            bodies[b].total_w += alpha_step * bodies[b].acc_w;
        }
        for (std::size_t k = 0; k < lam.size(); ++k) lam_free[k].add(lam[k], alpha_step);
        for (int b : ballasted_) {
            BallastWork& work = ballast_[b];
            work.residual -= alpha_step * work.response;
            largest = std::max(largest, work.residual.cwiseAbs().maxCoeff());
            next += work.residual.dot(system_.bodies[b].ballast.cwiseProduct(work.residual));
        }
        if (iteration == 0) first = largest;
        if (!(largest > 1e-14 * size) || (iteration > 2 && largest > first)) break;
        for (int b : ballasted_)
            ballast_[b].direction = system_.bodies[b].ballast.cwiseProduct(ballast_[b].residual) + (next / rho) * ballast_[b].direction;
        rho = next;
    }
    lam = lam_free;
    for (BodyWork& body : bodies) {
        body.acc_v = body.total_v;
        body.acc_w = body.total_w;
    }
}

}  // namespace vincolo
