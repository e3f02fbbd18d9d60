#include "dynamics.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

// Ballast E stands in for a mass or inertia that is missing; the force z = E a it takes is given back: (E^-1 - P) z = a, with P
// the response of the constrained system. Conjugate gradients with E as preconditioner: one step per distinct share of ballast.
// Where hardly anything but ballast turns about an axis, E^-1 - P is a difference of equals: what forces leave of Newton's and
// Euler's equations without ballast is looked at anew, and taken as another right side, until it is rounding.
void Dynamics::unload_ballast(bool anew) {
    double size = 0, left = HUGE_VAL;
    for (int b : ballasted_) {
        size = std::max({size, bodies[b].acc_v.cwiseAbs().maxCoeff(), system_.bodies[b].length * bodies[b].acc_w.cwiseAbs().maxCoeff()});
        if (!anew) continue;
        const Body& given = system_.bodies[b];
        ballast_[b].acting = (given.inertia + given.ballast).cwiseProduct(bodies[b].A.transpose() * bodies[b].free_w);
        ballast_[b].acting_v = (given.mass + given.mass_ballast) * bodies[b].free_v;
    }
    for (int pass = 0; pass < 6; ++pass) {
        double largest = 0, open = 0;
        const double rho = begin_unloading(largest);
        for (int b : ballasted_) {  // force by force: where little is lent, accelerations may be large
            const double moment = ballast_[b].acting.norm() + bodies[b].reaction_t.norm(), force = ballast_[b].acting_v.norm() + bodies[b].reaction_f.norm();
            if (moment > 0) open = std::max(open, ballast_[b].direction.norm() / moment);
            if (force > 0) open = std::max(open, ballast_[b].direction_v.norm() / force);
        }
        if (!(open > 4e-16 && open < 0.3 * left) || (anew && !(largest > 1e-14 * size))) return;
        left = open;
        unload(rho, anew ? 1e-14 * size : 0);
    }
}

// Conjugate gradients from the residual of begin_unloading(), added to accelerations and multipliers
void Dynamics::unload(double rho, double wanted) {
    double first = 0;
    for (BodyWork& body : bodies) {
        body.total_v = body.acc_v;
        body.total_w = body.acc_w;
        body.free_v.setZero();
        body.free_w.setZero();
    }
    lam_free = lam;
    for (int iteration = 0; iteration < 40 && rho > 0; ++iteration) {
        for (int b : ballasted_) {
            bodies[b].free_v = inverse_mass[b] * ballast_[b].direction_v;
            bodies[b].free_w = bodies[b].A * inverse_moments_[b].cwiseProduct(ballast_[b].direction);
        }
        for (Column& column : lam) column.clear();
        solve_accelerations(lam);
        double whole = 0, next = 0, largest = 0;
        const double curvature = response_to_unloading(whole);
        if (!(curvature > 1e-13 * whole)) break;  // nothing else moves there
        const double alpha_step = rho / curvature;
        for (std::size_t b = 0; b + 1 < bodies.size(); ++b) {
            bodies[b].total_v += alpha_step * bodies[b].acc_v;
            bodies[b].total_w += alpha_step * bodies[b].acc_w;
        }
        for (std::size_t k = 0; k < lam.size(); ++k) lam_free[k].add(lam[k], alpha_step);
        for (int b : ballasted_) {
            const Body& given = system_.bodies[b];
            BallastWork& work = ballast_[b];
            work.residual -= alpha_step * work.response;
            work.residual_v -= alpha_step * work.response_v;
            largest = std::max({largest, given.length * work.residual.cwiseAbs().maxCoeff(), work.residual_v.cwiseAbs().maxCoeff()});
            next += work.residual.dot(given.ballast.cwiseProduct(work.residual)) + given.mass_ballast * work.residual_v.squaredNorm();
        }
        if (iteration == 0) first = largest;
        if (!(largest > wanted) || (iteration > 2 && largest > first)) break;
        for (int b : ballasted_) {
            const Body& given = system_.bodies[b];
            ballast_[b].direction = given.ballast.cwiseProduct(ballast_[b].residual) + (next / rho) * ballast_[b].direction;
            ballast_[b].direction_v = given.mass_ballast * ballast_[b].residual_v + (next / rho) * ballast_[b].direction_v;
        }
        rho = next;
    }
    lam = lam_free;
    for (BodyWork& body : bodies) {
        body.acc_v = body.total_v;
        body.acc_w = body.total_w;
    }
}

// E^-1 (Q - M a - J^T lam) of what has ballast, and the first direction
double Dynamics::begin_unloading(double& largest) {
    double rho = 0;
    collect_reactions(lam);
    for (int b : ballasted_) {
        const BodyWork& body = bodies[b];
        const Body& given = system_.bodies[b];
        BallastWork& work = ballast_[b];
        work.residual = work.acting - given.inertia.cwiseProduct(body.A.transpose() * body.acc_w) - body.A.transpose() * body.reaction_t;
        for (int c = 0; c < 3; ++c) work.residual[c] = given.ballast[c] > 0 ? work.residual[c] / given.ballast[c] : 0;
        work.residual = given.held * work.residual;
        work.residual_v.setZero();
        if (given.mass_ballast > 0) work.residual_v = (work.acting_v - given.mass * body.acc_v - body.reaction_f) / given.mass_ballast;
        largest = std::max({largest, given.length * work.residual.cwiseAbs().maxCoeff(), work.residual_v.cwiseAbs().maxCoeff()});
        work.direction = given.ballast.cwiseProduct(work.residual);
        work.direction_v = given.mass_ballast * work.residual_v;
        rho += work.direction.dot(work.residual) + work.direction_v.dot(work.residual_v);
    }
    return rho;
}

// (E^-1 - P) direction, from the accelerations P direction; returns its product with the direction, and that of E^-1 alone
double Dynamics::response_to_unloading(double& whole) {
    double curvature = 0;
    for (int b : ballasted_) {
        const BodyWork& body = bodies[b];
        const Body& given = system_.bodies[b];
        BallastWork& work = ballast_[b];
        for (int c = 0; c < 3; ++c) work.response[c] = given.ballast[c] > 0 ? work.direction[c] / given.ballast[c] : 0;
        work.response_v = given.mass_ballast > 0 ? Vec3(work.direction_v / given.mass_ballast) : Vec3(0, 0, 0);
        whole += work.direction.dot(work.response) + work.direction_v.dot(work.response_v);
        work.response -= given.held * given.ballast.cwiseSign().cwiseProduct(body.A.transpose() * body.acc_w);
        if (given.mass_ballast > 0) work.response_v -= body.acc_v;
        curvature += work.direction.dot(work.response) + work.direction_v.dot(work.response_v);
    }
    return curvature;
}

}  // namespace vincolo
