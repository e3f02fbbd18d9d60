// Velocities that jump, with all joints holding: M du + J^T p = blows along quantities, J u = nu afterwards.
#pragma once
#include <Eigen/Dense>

#include "dynamics.hpp"

namespace vincolo {

// Along a quantity: what its rate shall be afterwards, or an impulse that is given
struct Hit {
    int quantity, event;
    bool given;
    double rate;     // wanted
    double impulse;  // given, or found
};

class Blow {
  public:
    explicit Blow(Dynamics& dynamics);

    // Velocities of y onto the rows in use, where it was placed last
    void meet_rows(double* y);
    // Unit impulses along quantities, with the rows in use holding, where they were placed last: W_jk, what the rate of j gets by
    // one along k
    const Eigen::MatrixXd& respond(const std::vector<int>& quantities);
    bool moves(int k) const { return firm_[k]; }  // or joints hold it, and what is left is rounding
    // Size of the parts that add up to the acceleration along a quantity of the last response: 6 numbers a body
    double gross(int k, const double* accelerations) const;
    void give(double* y, int k, double impulse) const { add(y, responses_[k], impulse); }

  private:
    void add(double* y, const Twists& change, double factor) const;
    double along(const Pushes& row, const Twists& change) const;

    Dynamics& dynamics_;
    const System& system_;
    Pushes none_;
    Twists change_;
    std::vector<Pushes> rows_;
    std::vector<Twists> responses_;
    Eigen::MatrixXd mobility_;
    std::vector<double> free_;  // of bodies without joints
    std::vector<char> firm_;
    Twists again_;
};

}  // namespace vincolo
