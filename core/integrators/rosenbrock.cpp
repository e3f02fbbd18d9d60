// Linearly implicit steps, of a fixed cost whatever the stiffness: of order 2 (Verwer's ROS2) with two slopes and one linear system,
// whose order does not depend on how good the derivative is, and Euler's with one slope.
#include "integrators/flow.hpp"
#include "integrators/stepper.hpp"

namespace vincolo {

namespace {

class LinearlyImplicit : public Stepper {
  public:
    LinearlyImplicit(Motion& motion, Given& given, double order)
        : Stepper(motion, given, false), order_(order), flow_(motion.dynamics(), {1, 1, 1, 1, 1, {false, false}}, 1) {
        motion.landing().soften();
        for (State* x : {&start_, &at_, &f_, &k1_, &k2_}) x->assign(flow_.size(), 0);
    }
    Traits traits() const override {
        Traits traits;
        traits.order = order_;
        traits.soft = true;
        return traits;
    }
    bool moves_in_planes() const override { return true; }

  protected:
    // (1 - share h F) k1 = f(y)
    void first_slope(const Step& s, double share) {
        flow_.to_body(s.y, start_);
        flow_.slope(s.t, start_, f_);
        flow_.linearise(0, s.t, share * s.h);
        flow_.invert(0, start_, f_, k1_);
    }
    double order_;
    Flow flow_;
    State start_, at_, f_, k1_, k2_;
};

class Rosenbrock : public LinearlyImplicit {
  public:
    Rosenbrock(Motion& motion, Given& given) : LinearlyImplicit(motion, given, 2) {}
    Outcome step(const Step& step) override;
};

class LinearlyImplicitEuler : public LinearlyImplicit {
  public:
    LinearlyImplicitEuler(Motion& motion, Given& given) : LinearlyImplicit(motion, given, 1) {}
    // y_new = y + h k1
    Outcome step(const Step& s) override {
        first_slope(s, 1);
        for (std::size_t k = 0; k < f_.size(); ++k) at_[k] = start_[k] + s.h * k1_[k];
        flow_.to_world(at_, s.y_new);
        return {};
    }
};

// (1 - g h F) k1 = f(y), (1 - g h F) k2 = f(y + h k1) - 2 k1, y_new = y + h (3 k1 + k2) / 2
Outcome Rosenbrock::step(const Step& s) {
    constexpr double g = 0.29289321881345248;  // 1 - 1/sqrt 2: damps the stiffest motion at once
    first_slope(s, g);
    for (std::size_t k = 0; k < f_.size(); ++k) at_[k] = start_[k] + s.h * k1_[k];
    flow_.slope(s.t + s.h, at_, f_);
    for (std::size_t k = 0; k < f_.size(); ++k) f_[k] -= 2 * k1_[k];
    flow_.invert(0, start_, f_, k2_);
    for (std::size_t k = 0; k < f_.size(); ++k) at_[k] = start_[k] + s.h * (1.5 * k1_[k] + 0.5 * k2_[k]);
    flow_.to_world(at_, s.y_new);
    return {};
}

}  // namespace

std::unique_ptr<Stepper> rosenbrock(Motion& motion, Given& given) { return std::make_unique<Rosenbrock>(motion, given); }
std::unique_ptr<Stepper> linearly_implicit_euler(Motion& motion, Given& given) { return std::make_unique<LinearlyImplicitEuler>(motion, given); }

}  // namespace vincolo
