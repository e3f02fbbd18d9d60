// The contact problem by a semismooth Newton method, where one force after the other does not converge: friction whose bounds grow
// with the forces of each other, close to singular positions.
#include <algorithm>
#include <cmath>

#include "acceleration_problem.hpp"

namespace vincolo {

namespace {

constexpr int most_iterations = 60, most_halvings = 20;
constexpr double difference = 1e-7;   // of the largest force: by which slopes are found
constexpr double least_descent = 1e-4;
constexpr double rank = 1e-6;         // share of a pivot below which directions depend on each other

}  // namespace

// x - f(x), where f fits each force to the acceleration and the bounds under all of them: zero in a solution
Eigen::VectorXd AccelerationProblem::residual(const Eigen::VectorXd& x, double t, const Observation& base, std::vector<Candidate>& candidates) {
    x_ = x;
    a_ = a0_ + W_ * x_;
    load(base, candidates);
    Eigen::VectorXd open = x;
    for (Candidate& c : candidates) {
        const Vec3 force = fitting_force(c, t, base);
        for (int k = 0; k < c.parts; ++k) open[c.first + k] -= force[k];
    }
    return open;
}

// What is left open, as a share of the largest force
double AccelerationProblem::open_share(const Eigen::VectorXd& open, const Observation& base) const {
    double size = x_.cwiseAbs().maxCoeff();
    for (double lam : base.lam) size = std::max(size, std::abs(lam));
    const double most = open.cwiseAbs().maxCoeff();
    return most <= least_ ? 0 : most / std::max(size, least_);
}

// Newton steps from the forces of now, of least size where directions depend on each other; damped: shortened until less is open.
// Returns what is left open in the end, as a share.
double AccelerationProblem::descend(double t, const Observation& base, std::vector<Candidate>& candidates, bool damped) {
    Eigen::VectorXd x = x_, open = residual(x, t, base, candidates), next;
    Eigen::MatrixXd slope(x.size(), x.size());
    for (int iteration = 0; iteration < most_iterations && open.allFinite() && open_share(open, base) > solved; ++iteration) {
        find_slope(x, open, t, base, candidates, slope);
        if (!slope.allFinite()) break;
        Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors(slope.rows(), slope.cols());
        factors.setThreshold(rank);
        const Eigen::VectorXd step = factors.compute(slope).solve(open);
        double share = 1;
        int halvings = 0;
        for (; halvings < most_halvings; ++halvings, share /= 2) {
            next = residual(x - share * step, t, base, candidates);
            if (!damped || next.norm() <= (1 - least_descent * share) * open.norm()) break;
        }
        if (halvings == most_halvings) break;
        x -= share * step, open = next;
    }
    open = residual(x, t, base, candidates);
    return open.allFinite() ? open_share(open, base) : HUGE_VAL;
}

void AccelerationProblem::find_slope(const Eigen::VectorXd& x, const Eigen::VectorXd& open, double t, const Observation& base,
                                     std::vector<Candidate>& candidates, Eigen::MatrixXd& slope) {
    const double by = difference * std::max({x.cwiseAbs().maxCoeff(), open.cwiseAbs().maxCoeff(), least_});
    for (Eigen::Index k = 0; k < x.size(); ++k) {
        Eigen::VectorXd moved = x;
        moved[k] += by;
        slope.col(k) = (residual(moved, t, base, candidates) - open) / by;
    }
}

// Forces that hold everything where they are, in proportion to what each can hold under them
Eigen::VectorXd AccelerationProblem::holding_forces(double t, const Observation& base, std::vector<Candidate>& candidates) {
    const Eigen::VectorXd least = -W_.completeOrthogonalDecomposition().solve(a0_);
    Eigen::VectorXd shares = Eigen::VectorXd::Constant(least.size(), std::max(least.cwiseAbs().maxCoeff(), least_));
    residual(least, t, base, candidates);
    for (const Candidate& c : candidates)
        for (int k = c.first; k < c.first + c.parts && c.kind == Candidate::Kind::Resting; ++k) shares[k] = std::max(c.breaks ? c.slip_limit : c.limit, least_);
    return -shares.cwiseProduct((W_ * shares.asDiagonal()).completeOrthogonalDecomposition().solve(a0_));
}

// From where the sweeps have led; from no force; and from the forces that hold everything. The best is left: friction that is just
// about to jam has solutions at any force, up to rounding.
double AccelerationProblem::solve_by_newton(double t, const Observation& base, std::vector<Candidate>& candidates) {
    if (x_.size() == 0 || !W_.allFinite() || !a0_.allFinite()) return HUGE_VAL;
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(x_.size()), swept = x_, holding = holding_forces(t, base, candidates);
    double least_open = HUGE_VAL;
    Eigen::VectorXd best = none;
    for (const bool damped : {false, true})
        for (const Eigen::VectorXd* start : {&swept, &none, &holding}) {
            x_ = *start;
            const double open = x_.allFinite() ? descend(t, base, candidates, damped) : HUGE_VAL;
            if (open < least_open) least_open = open, best = x_;
            if (open <= solved) return open;
        }
    residual(best, t, base, candidates);
    return least_open;
}

}  // namespace vincolo
