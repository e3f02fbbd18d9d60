#include "ballast.hpp"

#include <algorithm>
#include <cmath>

#include "solve.hpp"

namespace vincolo {

Ballast::Ballast(const Placement& placement, const Rows& rows) : placement_(placement), rows_(rows), system_(placement.system()) {
    const std::size_t count = system_.bodies.size();
    for (const Body& body : system_.bodies) {
        has_.push_back(body.ballast.maxCoeff() > 0 || body.mass_ballast > 0);
        if (has_.back()) bodies_.push_back(static_cast<int>(has_.size()) - 1);
    }
    if (!any()) return;
    work_.resize(count);
    reactions_.assign(count + 1, {Vec3::Zero(), Vec3::Zero()});
    for (Twists* x : {&free_, &response_}) x->assign(count + 1, {Vec3::Zero(), Vec3::Zero()});
    shares_.assign(system_.blocks.size(), Column{});
}

double Ballast::size_of(const Twists& acc) const {
    double size = 0;
    for (int b : bodies_) size = std::max({size, largest(acc[b].v), system_.bodies[b].length * largest(acc[b].w)});
    return size;
}

void Ballast::load(const Twists& free) {
    for (int b : bodies_) {
        const Body& given = system_.bodies[b];
        work_[b].acting = (given.inertia + given.ballast).cwiseProduct(placement_.bodies()[b].A.transpose() * free[b].w);
        work_[b].acting_v = (given.mass + given.mass_ballast) * free[b].v;
    }
}

// Where hardly anything but ballast turns about an axis, E^-1 - P is a difference of equals: what forces leave of Newton's and
// Euler's equations without ballast is looked at anew, and taken as another right side, until it is rounding.
void Ballast::unload(Solve& solve, BlockVector& lam, Twists& acc, bool anew) {
    const double size = size_of(acc);
    double left = HUGE_VAL;
    for (int pass = 0; pass < 6; ++pass) {
        double most = 0;
        const double rho = begin(lam, acc, most), open = open_share();
        if (!(open > 4e-16 && open < 0.3 * left) || (anew && !(most > 1e-14 * size))) return;
        left = open;
        iterate(solve, lam, acc, rho, anew ? 1e-14 * size : 0);
    }
}

// Largest share of what acts on a body that is lent; force by force, since accelerations may be large where little is lent
double Ballast::open_share() const {
    double open = 0;
    for (int b : bodies_) {
        const Work& work = work_[b];
        const double moment = work.acting.norm() + reactions_[b].t.norm(), force = work.acting_v.norm() + reactions_[b].f.norm();
        if (moment > 0) open = std::max(open, work.direction.norm() / moment);
        if (force > 0) open = std::max(open, work.direction_v.norm() / force);
    }
    return open;
}

// E^-1 (Q - M a - J^T lam) of what has ballast, and the first direction
double Ballast::begin(const BlockVector& lam, const Twists& acc, double& most) {
    double rho = 0;
    rows_.collect(lam, reactions_);
    for (int b : bodies_) {
        const Mat3& A = placement_.bodies()[b].A;
        const Body& given = system_.bodies[b];
        Work& work = work_[b];
        work.residual = work.acting - given.inertia.cwiseProduct(A.transpose() * acc[b].w) - A.transpose() * reactions_[b].t;
        for (int c = 0; c < 3; ++c) work.residual[c] = given.ballast[c] > 0 ? work.residual[c] / given.ballast[c] : 0;
        work.residual = given.held * work.residual;
        work.residual_v.setZero();
        if (given.mass_ballast > 0) work.residual_v = (work.acting_v - given.mass * acc[b].v - reactions_[b].f) / given.mass_ballast;
        most = std::max({most, given.length * largest(work.residual), largest(work.residual_v)});
        work.direction = given.ballast.cwiseProduct(work.residual);
        work.direction_v = given.mass_ballast * work.residual_v;
        rho += work.direction.dot(work.residual) + work.direction_v.dot(work.residual_v);
    }
    return rho;
}

// Conjugate gradients with E as preconditioner, one step for each distinct share of ballast
void Ballast::iterate(Solve& solve, BlockVector& lam, Twists& acc, double rho, double wanted) {
    double first = 0;
    for (int iteration = 0; iteration < 40 && rho > 0; ++iteration) {
        for (int b : bodies_) {
            free_[b].v = placement_.inverse().mass[b] * work_[b].direction_v;
            free_[b].w = placement_.bodies()[b].A * placement_.inverse_moments(b).cwiseProduct(work_[b].direction);
        }
        for (Column& column : shares_) column.clear();
        solve.constrain(free_, shares_, response_);
        double whole = 0, left = 0;
        const double curvature = respond(whole);
        if (!(curvature > 1e-13 * whole)) break;  // nothing else moves there
        const double alpha = rho / curvature;
        for (int b = 0; b < system_.ground(); ++b) {
            acc[b].v += alpha * response_[b].v;
            acc[b].w += alpha * response_[b].w;
        }
        for (std::size_t k = 0; k < lam.size(); ++k) lam[k].add(shares_[k], alpha);
        const double next = take(alpha, left);
        if (iteration == 0) first = left;
        if (!(left > wanted) || (iteration > 2 && left > first)) break;
        for (int b : bodies_) {
            const Body& given = system_.bodies[b];
            work_[b].direction = given.ballast.cwiseProduct(work_[b].residual) + (next / rho) * work_[b].direction;
            work_[b].direction_v = given.mass_ballast * work_[b].residual_v + (next / rho) * work_[b].direction_v;
        }
        rho = next;
    }
}

// A step along the direction; what is left, and its square in the metric of the ballast
double Ballast::take(double alpha, double& left) {
    double next = 0;
    for (int b : bodies_) {
        const Body& given = system_.bodies[b];
        Work& work = work_[b];
        work.residual -= alpha * work.response;
        work.residual_v -= alpha * work.response_v;
        left = std::max({left, given.length * largest(work.residual), largest(work.residual_v)});
        next += work.residual.dot(given.ballast.cwiseProduct(work.residual)) + given.mass_ballast * work.residual_v.squaredNorm();
    }
    return next;
}

// (E^-1 - P) direction, from the accelerations P direction; returns its product with the direction, and that of E^-1 alone
double Ballast::respond(double& whole) {
    double curvature = 0;
    for (int b : bodies_) {
        const Body& given = system_.bodies[b];
        Work& work = work_[b];
        for (int c = 0; c < 3; ++c) work.response[c] = given.ballast[c] > 0 ? work.direction[c] / given.ballast[c] : 0;
        work.response_v = given.mass_ballast > 0 ? Vec3(work.direction_v / given.mass_ballast) : Vec3(0, 0, 0);
        whole += work.direction.dot(work.response) + work.direction_v.dot(work.response_v);
        work.response -= given.held * given.ballast.cwiseSign().cwiseProduct(placement_.bodies()[b].A.transpose() * response_[b].w);
        if (given.mass_ballast > 0) work.response_v -= response_[b].v;
        curvature += work.direction.dot(work.response) + work.direction_v.dot(work.response_v);
    }
    return curvature;
}

}  // namespace vincolo
