#include "acceleration_problem.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

namespace {

constexpr int most_sweeps = 1000;
constexpr double settled = 1e-13;    // of the largest force: what may still change in a sweep
constexpr double rounding = 1e-11;   // of the parts of an acceleration that cancel
constexpr double nothing = 1e-15;    // 1/s^2: forces that accelerate the mechanism by no more are none
constexpr double closing_share = 0.2;  // of a gap that is overlapped, in a step
constexpr double dependent = 1e-9;   // share of its mobility that others leave a direction that follows from them

}  // namespace

AccelerationProblem::AccelerationProblem(Dynamics& dynamics, Blow& blow)
    : dynamics_(dynamics), blow_(blow), system_(dynamics.system()), readings_(dynamics.placement, dynamics.quantities),
      table_(system_.forces_read(), 0) {
    readings_.forces = table_.data();
    for (const Body& body : system_.bodies) least_ = std::max(least_, nothing * body.mass * system_.extent);
    for (const Rub& friction : system_.rubs) {
        laws_.emplace_back();
        for (int way : friction.ways)
            for (std::size_t n = 0; n < system_.laws.size(); ++n) {
                const std::vector<Reading>& reads = system_.laws[n].formula.readings;
                const auto is_way = [&](const Reading& r) { return r.source == Source::Auxiliary && r.index == way; };
                if (std::any_of(reads.begin(), reads.end(), is_way)) laws_.back().push_back(static_cast<int>(n));
            }
    }
}

// Directions, mobilities and accelerations without these forces
void AccelerationProblem::gather(double t, const Observation& base, std::vector<Candidate>& candidates, double h) {
    quantities_.clear();
    for (Candidate& c : candidates) {
        c.first = static_cast<int>(quantities_.size());
        const bool stop = c.kind == Candidate::Kind::Stop;
        c.parts = stop ? 1 : system_.rubs[c.index].parts();
        for (int k = 0; k < c.parts; ++k) quantities_.push_back(system_.rows[stop ? system_.stops[c.index].row : system_.rubs[c.index].rows[k]].quantity);
    }
    const int n = static_cast<int>(quantities_.size());
    W_ = blow_.respond(quantities_);
    if (dynamics_.reactive) dynamics_.reactive->take_units(quantities_);
    a0_.resize(n), x_ = Eigen::VectorXd::Zero(n);
    for (int k = 0; k < n; ++k) a0_[k] = base.seconds[quantities_[k]] + (h > 0 ? base.rates[quantities_[k]] / h : 0);
    for (Candidate& c : candidates) {
        bool moves = false;
        c.noise = 0;
        for (int k = c.first; k < c.first + c.parts; ++k) {
            moves = moves || blow_.moves(k);
            c.noise = std::max({c.noise, rounding * blow_.gross(k, base.acceleration.data()), least_ * W_(k, k)});
        }
        c.prescribed = !moves;
        if (c.kind != Candidate::Kind::Stop) continue;
        const Stop& stop = system_.stops[c.index];
        const Jet bound = dynamics_.rows.held_at(system_.rows[stop.row], t);
        a0_[c.first] -= bound.dd + (h > 0 ? bound.d / h : 0);
        a0_[c.first] *= stop.sign;
        const double gap = stop.sign * (base.values[quantities_[c.first]] - bound.f);
        if (h > 0) a0_[c.first] += (gap > 0 ? gap : closing_share * gap) / (h * h);
        W_.row(c.first) *= stop.sign, W_.col(c.first) *= stop.sign;
    }
    a_ = a0_;
}

// What expressions read under the forces of now
void AccelerationProblem::load(const Observation& base, const std::vector<Candidate>& candidates) {
    if (!dynamics_.reactive) return;
    Eigen::VectorXd along = x_;
    for (const Candidate& c : candidates)
        if (c.kind == Candidate::Kind::Stop) along[c.first] *= system_.stops[c.index].sign;
    dynamics_.reactive->load_forces(base.wrenches, base.lam, base.law_force, along.data());
    for (const Candidate& c : candidates)
        if (c.kind == Candidate::Kind::Stop) dynamics_.reactive->set_row_force(system_.stops[c.index].row, along[c.first]);
}

double AccelerationProblem::change(const Candidate& c, const Vec3& force) {
    double largest = 0;
    for (int k = 0; k < c.parts; ++k) {
        const double by = force[k] - x_[c.first + k];
        if (by == 0) continue;
        x_[c.first + k] = force[k];
        a_ += by * W_.col(c.first + k);
        largest = std::max(largest, std::abs(by));
    }
    return largest;
}

// The force of slip of a law, at the reactions of now, beyond what of it is there without friction (viscous damping)
Vec3 AccelerationProblem::slipping_force(const Candidate& c, double t, const Observation& base) {
    Vec3 force = Vec3::Zero();
    for (int k = 0; k < c.parts; ++k) {
        const Law& law = system_.laws[laws_[c.index][k]];
        const Expression& formula = law.formula;
        force[k] = dynamics_.reactive ? dynamics_.reactive->value(formula, t) : readings_.value(formula, t);
        force[k] = law.sign * (force[k] - base.law_force[laws_[c.index][k]]);
    }
    return force;
}

Vec3 AccelerationProblem::projected(const Candidate& c, const Vec3& force) const {
    const double most = std::max(0.0, c.breaks ? c.slip_limit : c.limit), size = force.norm();
    return size > most ? Vec3(force * (most / size)) : force;
}

void AccelerationProblem::find_limits(Candidate& c, double t, const Observation& base) {
    const Expression &bound = system_.rubs[c.index].bound, &law = system_.laws[laws_[c.index][0]].formula;
    c.limit = dynamics_.reactive ? dynamics_.reactive->value(bound, t) : readings_.value(bound, t);
    c.slip_limit = dynamics_.reactive ? dynamics_.reactive->value(law, t) : readings_.value(law, t);
    c.slip_limit = std::abs(c.slip_limit - base.law_force[laws_[c.index][0]]);
}

// The force of one candidate that fits its acceleration, all others as they are
Vec3 AccelerationProblem::fitting_force(Candidate& c, double t, const Observation& base) {
    if (c.kind == Candidate::Kind::Slipping) return slipping_force(c, t, base);
    Vec3 force = Vec3::Zero();
    double mobility = 0;
    for (int k = 0; k < c.parts; ++k) {
        if (blow_.moves(c.first + k)) mobility = std::max(mobility, W_(c.first + k, c.first + k));
        force[k] = x_[c.first + k], c.acceleration[k] = a_[c.first + k];
    }
    if (c.kind == Candidate::Kind::Stop) {
        if (!c.prescribed && !c.due) force[0] = std::max(0.0, force[0] - c.acceleration[0] / mobility);
        return force;
    }
    find_limits(c, t, base);
    if (c.prescribed) {  // against the slip that will be
        const double speed = c.acceleration.norm();
        return speed > c.noise ? Vec3(-c.slip_limit / speed * c.acceleration) : Vec3(Vec3::Zero());
    }
    for (int k = 0; k < c.parts; ++k)
        if (blow_.moves(c.first + k)) force[k] -= c.acceleration[k] / mobility;
    return projected(c, force);
}

// By what forces change in the largest, one candidate after the other (projected Gauss-Seidel)
bool AccelerationProblem::sweep_candidates(double t, const Observation& base, std::vector<Candidate>& candidates) {
    double size = 0;
    for (double lam : base.lam) size = std::max(size, std::abs(lam));
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        load(base, candidates);
        double changed = 0;
        for (Candidate& c : candidates) changed = std::max(changed, change(c, fitting_force(c, t, base)));
        if (!(changed < HUGE_VAL)) return false;
        const double forces = x_.size() > 0 ? x_.cwiseAbs().maxCoeff() : 0;
        if (changed <= std::max(least_, settled * std::max(size, forces))) return true;
    }
    return false;
}

bool AccelerationProblem::solve(double t, const double* slipping, const Observation& base, std::vector<Candidate>& candidates, double h) {
    dynamics_.load_positions(t, slipping);
    dynamics_.placement.load_velocities(slipping);
    gather(t, base, candidates, h);
    const bool converged = sweep_candidates(t, base, candidates) || solve_by_newton(t, base, candidates) <= (h > 0 ? solved_in_step : solved);
    for (Candidate& c : candidates)
        for (int k = 0; k < c.parts; ++k) c.force[k] = x_[c.first + k], c.acceleration[k] = a_[c.first + k];
    return converged;
}

// Pivots of the mobilities, closed stops first, then resting friction, the one with most in reserve first: what is left of the
// others' mobility while these hold
void AccelerationProblem::select_independent(std::vector<Candidate>& candidates, std::vector<char>& holds) const {
    Eigen::MatrixXd S = W_;
    const auto reserve = [](const Candidate& c) {
        return c.kind == Candidate::Kind::Stop ? 2 : c.limit > 0 ? 1 - c.force.norm() / c.limit : 0;
    };
    std::vector<int> order;
    for (std::size_t k = 0; k < candidates.size(); ++k)
        if (holds[k]) order.push_back(static_cast<int>(k));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return reserve(candidates[a]) > reserve(candidates[b]) + 1e-6; });
    for (int n : order) {
        const Candidate& c = candidates[n];
        bool independent = false;
        for (int k = c.first; k < c.first + c.parts; ++k) {
            if (!(S(k, k) > dependent * W_(k, k))) continue;
            independent = true;
            const Eigen::VectorXd column = S.col(k) / S(k, k);
            S -= column * S.row(k).eval();
        }
        if (c.kind != Candidate::Kind::Stop) holds[n] = independent;
    }
}

}  // namespace vincolo
