// Forces of closed stops and of friction at vanishing gap rate and slip: one mixed complementarity problem on accelerations for all
// candidates together (Pfeiffer and Glocker 1996), with friction bounds that depend on the joint reactions.
#pragma once
#include "blow.hpp"
#include "observer.hpp"

namespace vincolo {

// A stop that touches, or friction; friction that slips enters with its force against the slip
struct Candidate {
    enum class Kind : int { Stop, Resting, Slipping };
    Kind kind;
    int index;              // of the stop, or of the friction
    bool breaks = false;    // resting friction that is bounded by its coefficient of slip
    bool due = false;       // its force grows beyond what it can hold; of a stop: vanishes, and it is left out
    // the solution
    bool prescribed = false;        // joints and drives determine its slip, or its gap, whatever its force
    Vec3 force = Vec3::Zero();      // along its rows; of a stop, its push
    Vec3 acceleration = Vec3::Zero();
    double limit = 0, slip_limit = 0;  // of resting friction: what it can hold, and its force once it slips
    double noise = 0;               // rounding of the acceleration
    int first = 0, parts = 1;       // its place among the directions
};

class AccelerationProblem {
  public:
    AccelerationProblem(Dynamics& dynamics, Blow& blow);
    AccelerationProblem(const AccelerationProblem&) = delete;

    // At a state without any of these forces, where it was placed last, with what was observed there; `slipping`: the same state
    // with the directions of friction that slips, and the first direction of friction that rests.
    // False where the iteration does not converge.
    // With a step h the forces are those that leave velocities at its end that fit: a gap or slip counts over h in place of its rate.
    bool solve(double t, const double* slipping, const Observation& base, std::vector<Candidate>& candidates, double h = 0);
    double least() const { return least_; }  // forces below it are none
    // Of closed stops and resting friction: which friction holds, and which follows because others hold it
    void select_independent(std::vector<Candidate>& candidates, std::vector<char>& holds) const;

  private:
    // Of the largest force: what Newton's method may leave open; in a step more, as friction just about to jam has no other answer
    static constexpr double solved = 1e-11, solved_in_step = 1e-4;
    void gather(double t, const Observation& base, std::vector<Candidate>& candidates, double h);
    void load(const Observation& base, const std::vector<Candidate>& candidates);
    Vec3 slipping_force(const Candidate& c, double t, const Observation& base);
    Vec3 projected(const Candidate& c, const Vec3& force) const;
    void find_limits(Candidate& c, double t, const Observation& base);
    Vec3 fitting_force(Candidate& c, double t, const Observation& base);
    bool sweep_candidates(double t, const Observation& base, std::vector<Candidate>& candidates);
    Eigen::VectorXd holding_forces(double t, const Observation& base, std::vector<Candidate>& candidates);
    double solve_by_newton(double t, const Observation& base, std::vector<Candidate>& candidates);
    double descend(double t, const Observation& base, std::vector<Candidate>& candidates, bool damped);
    void find_slope(const Eigen::VectorXd& x, const Eigen::VectorXd& open, double t, const Observation& base,
                    std::vector<Candidate>& candidates, Eigen::MatrixXd& slope);
    Eigen::VectorXd residual(const Eigen::VectorXd& x, double t, const Observation& base, std::vector<Candidate>& candidates);
    double open_share(const Eigen::VectorXd& open, const Observation& base) const;
    double change(const Candidate& c, const Vec3& force);

    Dynamics& dynamics_;
    Blow& blow_;
    const System& system_;
    Readings readings_;
    std::vector<double> table_;            // forces that expressions read
    std::vector<std::vector<int>> laws_;   // of each friction, by direction
    std::vector<int> quantities_;
    Eigen::MatrixXd W_;                    // accelerations by unit forces along the directions
    Eigen::VectorXd x_, a_, a0_;
    double least_ = 0;
};

}  // namespace vincolo
