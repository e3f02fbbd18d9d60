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
    bool resolve(double t, double* y, std::vector<Touch>& touches);
    // Hits that are wanted, all at once. Returns the first whose quantity the joints hold, so that no impulse changes its rate; -1; or
    // no_answer where the friction of joints has none
    static constexpr int no_answer = -2;
    int strike(double t, double* y, std::vector<Hit>& hits);
    // Impulses of friction in the last of them, along its rows: on stops, and in joints, which their impulses press
    Vec3 of_rub(int rub) const;
    bool rubbing() const { return !pressed_.empty(); }  // joints rub in it
    int rubbed_row() const { return system_.rubs[pressed_.front().rub].rows[0]; }
    int blocked() const { return blocked_; }  // the stop that cannot throw back what meets it, or -1

  private:
    struct Rubbed {
        int rub, touch;
        double rate, impulse = 0;
    };
    // Friction of a joint: its place among the responses
    struct Pressed {
        int rub, first;
        Vec3 rate, impulse = Vec3::Zero();
        double none = 0;  // its bound without impulses
    };
    using Vector = Eigen::VectorXd;
    void gather(double t, const std::vector<Touch>& touches);
    void gather_joints(double t, std::vector<int>& quantities);
    bool pass(double t, double* y, std::vector<Touch>& touches, bool all);
    void give(double* y, const Vector& impulses, std::vector<Touch>& touches);
    bool included(const Touch& touch, bool all) const;
    Vector rates(const std::vector<Touch>& touches) const;  // of all that has a response
    // Impulses of stops and of friction on them, at rates that those of joints have changed
    bool solve(const std::vector<int>& hit, const std::vector<int>& rubbed, const std::vector<Touch>& touches, double share, const Vector& now, Vector& impulses);
    bool solve_all(double t, const std::vector<int>& hit, const std::vector<int>& rubbed, const std::vector<Touch>& touches, double share, Vector& impulses);
    bool solve_hits(double t, const std::vector<Hit>& hits, const Vector& before, Vector& impulses);
    double least_change(const Vector& before, const Vector& impulses) const;
    double rub_joints(double t, const std::vector<Touch>& touches, const Vector& before, Vector& impulses);

    Dynamics& dynamics_;
    Blow& blow_;
    const System& system_;
    std::vector<Rubbed> rubbed_;
    std::vector<Pressed> pressed_;
    int blocked_ = -1;
    Eigen::MatrixXd W_;  // of gaps, of what rubs on them, then of what rubs in joints
};

}  // namespace vincolo
