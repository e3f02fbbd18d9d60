#include "integrators/generalised_alpha.hpp"

#include <algorithm>
#include <cmath>


namespace vincolo {

namespace {

Twist twist(const double* x) { return {Vec3(x[at_v], x[at_v + 1], x[at_v + 2]), Vec3(x[at_w], x[at_w + 1], x[at_w + 2])}; }

}  // namespace

GeneralisedAlpha::GeneralisedAlpha(Dynamics& dynamics, const AlphaWeights& weights) : dynamics_(dynamics), stiff_(dynamics), o_(weights) {
    for (Twists* x : {&first_, &last_, &mean_, &mean_new_, &base_, &change_}) x->resize(dynamics.system().bodies.size());
    reactions_.resize(first_.size() + 1);
    for (BlockVector* x : {&lam_, &given_, &mu_}) x->assign(dynamics.rows.set().blocks.size(), Column{});
}

// State at the end of the step from the accelerations there
void GeneralisedAlpha::place(const State& y, double h, State& y_new) {
    const double am = o_.mean_acceleration, af = o_.mean_force;
    std::copy(y.begin(), y.end(), y_new.begin());
    for (std::size_t b = 0; b < first_.size(); ++b) {
        const auto mix = [&](const Vec3& now, const Vec3& before, const Vec3& mean) {
            return Vec3(((1 - af) * now + af * before - am * mean) / (1 - am));
        };
        mean_new_[b] = {mix(last_[b].v, first_[b].v, mean_[b].v), mix(last_[b].w, first_[b].w, mean_[b].w)};
        double* x = y_new.data() + body_size * b;
        const Twist u = twist(x);
        const auto moved = [&](const Vec3& rate, const Vec3& a0, const Vec3& a1) { return Vec3(h * rate + h * h * ((0.5 - o_.beta) * a0 + o_.beta * a1)); };
        const auto faster = [&](const Vec3& rate, const Vec3& a0, const Vec3& a1) { return Vec3(rate + h * ((1 - o_.gamma) * a0 + o_.gamma * a1)); };
        const Vec3 dr = moved(u.v, mean_[b].v, mean_new_[b].v), v = faster(u.v, mean_[b].v, mean_new_[b].v);
        const Vec3 w = faster(u.w, mean_[b].w, mean_new_[b].w);
        rotate_quaternion(x + at_p, moved(u.w, mean_[b].w, mean_new_[b].w));
        for (int c = 0; c < 3; ++c) x[at_r + c] += dr[c], x[at_v + c] = v[c], x[at_w + c] = w[c];
    }
}

bool GeneralisedAlpha::step(double t, double h, const State& y, const State& slope, State& y_new) {
    const System& system = dynamics_.system();
    const double share = (1 - o_.mean_force) / (1 - o_.mean_acceleration);
    const double by_rate = o_.gamma * share * h, by_value = o_.beta * share * h * h;
    for (std::size_t b = 0; b < first_.size(); ++b) first_[b] = last_[b] = twist(slope.data() + body_size * b);
    if (!begun_) mean_ = first_;
    begun_ = true;
    double before = 0;
    for (int pass = 0; pass < o_.iterations; ++pass) {
        place(y, h, y_new);
        dynamics_.place_rows(t + h, y_new.data());
        dynamics_.rows.find_values();
        dynamics_.load_motion(t + h, y_new.data());
        ++dynamics_.evaluations;
        // residual in units of acceleration, joints' forces with the multipliers so far
        dynamics_.rows.collect(lam_, reactions_);
        for (std::size_t b = 0; b < first_.size(); ++b) {
            const Twist& free = dynamics_.forces.free()[b];
            const Body& given = system.bodies[b];
            const Vec3 lent = given.lent_torque(dynamics_.placement.bodies()[b].A, last_[b].w);
            base_[b].v = free.v + dynamics_.placement.inverse().mass[b] * (given.lent_force(last_[b].v) - reactions_[b].f) - last_[b].v;
            base_[b].w = free.w + dynamics_.placement.inverse().inertia[b] * (lent - reactions_[b].t) - last_[b].w;
        }
        if (o_.index == 3) {
            for (std::size_t k = 0; k < given_.size(); ++k) given_[k].clear(), given_[k].add(dynamics_.rows.phi()[k], -1 / by_value);
        } else {
            dynamics_.rate_residual(y_new.data());
            for (std::size_t k = 0; k < given_.size(); ++k) given_[k].clear(), given_[k].add(dynamics_.rows.rate()[k], -1 / by_rate);
        }
        stiff_.prepare(t + h);
        stiff_.factor(by_rate, by_value);
        stiff_.solve_given(base_, nullptr, given_, change_, mu_);
        ++iterations;
        double largest = 0, whole = 1;
        for (std::size_t b = 0; b < first_.size(); ++b) {
            last_[b].v += change_[b].v;
            last_[b].w += change_[b].w;
            largest = std::max(largest, std::max(change_[b].v.cwiseAbs().maxCoeff(), change_[b].w.cwiseAbs().maxCoeff()));
            whole = std::max(whole, std::max(last_[b].v.cwiseAbs().maxCoeff(), last_[b].w.cwiseAbs().maxCoeff()));
        }
        for (std::size_t k = 0; k < lam_.size(); ++k) lam_[k].add(mu_[k], 1);
        if (!std::isfinite(largest)) return false;
        const bool still = pass > 3 && largest < 1e-6 * whole && largest > 0.9 * before;
        if (largest * by_value < o_.tolerance * h * h * whole + 1e-15 || still) {
            place(y, h, y_new);
            return true;
        }
        before = largest;
    }
    return false;
}

void GeneralisedAlpha::forget() {
    begun_ = false;
    for (Column& column : lam_) column.clear();
}

void GeneralisedAlpha::accept() { mean_.swap(mean_new_); }

}  // namespace vincolo
