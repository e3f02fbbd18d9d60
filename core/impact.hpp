// Impacts of one-sided rows, with all joints holding and friction on them.
#pragma once
#include "blow.hpp"

namespace vincolo {

// A stop that touches: what its gap does, and the impulse it has got
struct Touch {
    int stop;
    double rate;
    bool met = false;  // it was approached
    double impulse = 0;
};

class Impact {
  public:
    Impact(Dynamics& dynamics, Blow& blow) : dynamics_(dynamics), blow_(blow), system_(dynamics.system()) {}

    // Velocities after which no gap closes. Stops that are approached impact together, those that this makes others approach after
    // them; false where joints hold what would have to move
    bool resolve(double* y, std::vector<Touch>& touches);
    double of_rub(int rub) const;           // the impulse of friction on stops in the last of them
    int blocked() const { return blocked_; }  // the stop that cannot throw back what meets it, or -1

  private:
    struct Rubbed {
        int rub, touch;
        double rate, impulse = 0;
    };
    void gather(const std::vector<Touch>& touches);
    bool pass(double* y, std::vector<Touch>& touches, bool all);
    bool included(const Touch& touch, bool all) const;
    double solve(const std::vector<int>& hit, const std::vector<int>& rubbed, const std::vector<Touch>& touches, double share, Eigen::VectorXd& impulses);

    Dynamics& dynamics_;
    Blow& blow_;
    const System& system_;
    std::vector<Rubbed> rubbed_;
    int blocked_ = -1;
    Eigen::MatrixXd W_;  // of gaps, then of what rubs on them
};

}  // namespace vincolo
