#include "ballast.hpp"

#include <algorithm>

#include "solve.hpp"

namespace vincolo {

Ballast::Ballast(const Placement& placement) : placement_(placement), system_(placement.system()) {
    for (int b = 0; b < system_.ground(); ++b) {
        const Body& body = system_.bodies[b];
        if (body.ballast.maxCoeff() > 0 || body.mass_ballast > 0) bodies_.push_back(b);
    }
    if (!any()) return;
    work_.resize(system_.bodies.size());
    for (Twists* x : {&free_, &response_}) x->assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    shares_.assign(system_.blocks.size(), Column{});
}

double Ballast::size_of(const Twists& acc) const {
    double size = 0;
    for (int b : bodies_) size = std::max({size, largest(acc[b].v), system_.bodies[b].length * largest(acc[b].w)});
    return size;
}

void Ballast::unload(Solve& solve, BlockVector& lam, Twists& acc) {
    const double size = size_of(acc);
    double rho = begin(acc), first = 0;
    for (int iteration = 0; iteration < 40 && rho > 0; ++iteration) {
        for (int b : bodies_) {
            free_[b].v = placement_.inverse().mass[b] * work_[b].direction_v;
            free_[b].w = placement_.inverse().inertia[b] * (placement_.bodies()[b].A * work_[b].direction);
        }
        for (Column& column : shares_) column.clear();
        solve.constrain(free_, shares_, response_);
        double whole = 0, next = 0, left = 0;
        const double curvature = respond(response_, whole);
        if (!(curvature > 1e-13 * whole)) break;  // nothing else moves there
        const double alpha = rho / curvature;
        for (int b = 0; b < system_.ground(); ++b) {
            acc[b].v += alpha * response_[b].v;
            acc[b].w += alpha * response_[b].w;
        }
        for (std::size_t k = 0; k < lam.size(); ++k) lam[k].add(shares_[k], alpha);
        for (int b : bodies_) {
            const Body& given = system_.bodies[b];
            Work& work = work_[b];
            work.residual -= alpha * work.response;
            work.residual_v -= alpha * work.response_v;
            left = std::max({left, given.length * largest(work.residual), largest(work.residual_v)});
            next += work.residual.dot(given.ballast.cwiseProduct(work.residual)) + given.mass_ballast * work.residual_v.squaredNorm();
        }
        if (iteration == 0) first = left;
        if (!(left > 1e-14 * size) || (iteration > 2 && left > first)) break;
        for (int b : bodies_) {
            const Body& given = system_.bodies[b];
            work_[b].direction = given.ballast.cwiseProduct(work_[b].residual) + (next / rho) * work_[b].direction;
            work_[b].direction_v = given.mass_ballast * work_[b].residual_v + (next / rho) * work_[b].direction_v;
        }
        rho = next;
    }
}

// The accelerations of what has ballast, and its forces
double Ballast::begin(const Twists& acc) {
    double rho = 0;
    for (int b : bodies_) {
        const Body& given = system_.bodies[b];
        Work& work = work_[b];
        work.residual = given.held * given.ballast.cwiseSign().cwiseProduct(placement_.bodies()[b].A.transpose() * acc[b].w);
        work.residual_v = given.mass_ballast > 0 ? acc[b].v : Vec3(0, 0, 0);
        work.direction = given.ballast.cwiseProduct(work.residual);
        work.direction_v = given.mass_ballast * work.residual_v;
        rho += work.direction.dot(work.residual) + work.direction_v.dot(work.residual_v);
    }
    return rho;
}

// (E^-1 - P) direction, from the accelerations P direction; returns its product with the direction, and that of E^-1 alone
double Ballast::respond(const Twists& acc, double& whole) {
    double curvature = 0;
    for (int b : bodies_) {
        const Body& given = system_.bodies[b];
        Work& work = work_[b];
        for (int c = 0; c < 3; ++c) work.response[c] = given.ballast[c] > 0 ? work.direction[c] / given.ballast[c] : 0;
        work.response_v = given.mass_ballast > 0 ? Vec3(work.direction_v / given.mass_ballast) : Vec3(0, 0, 0);
        whole += work.direction.dot(work.response) + work.direction_v.dot(work.response_v);
        work.response -= given.held * given.ballast.cwiseSign().cwiseProduct(placement_.bodies()[b].A.transpose() * acc[b].w);
        if (given.mass_ballast > 0) work.response_v -= acc[b].v;
        curvature += work.direction.dot(work.response) + work.direction_v.dot(work.response_v);
    }
    return curvature;
}

}  // namespace vincolo
