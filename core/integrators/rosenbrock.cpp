// Linearly implicit steps of order 2 (Verwer's ROS2): two slopes and one linear system, whatever the stiffness. Its order does
// not depend on how good the derivative is.
#include "integrators/flow.hpp"
#include "integrators/stepper.hpp"

namespace vincolo {

namespace {

class Rosenbrock : public Stepper {
  public:
    Rosenbrock(Motion& motion, Given& given);
    Traits traits() const override;
    Outcome step(const Step& step) override;

  private:
    Flow flow_;
    State start_, at_, f_, k1_, k2_;
};

Rosenbrock::Rosenbrock(Motion& motion, Given& given)
    : Stepper(motion, given, false), flow_(motion.dynamics(), {1, 1, 1, 1, 1, {false, false}}, 1) {
    motion.landing().soften();
    for (State* x : {&start_, &at_, &f_, &k1_, &k2_}) x->assign(flow_.size(), 0);
}

Traits Rosenbrock::traits() const {
    Traits traits;
    traits.order = 2;
    traits.soft = true;
    return traits;
}

// (1 - g h F) k1 = f(y), (1 - g h F) k2 = f(y + h k1) - 2 k1, y_new = y + h (3 k1 + k2) / 2
Outcome Rosenbrock::step(const Step& s) {
    constexpr double g = 0.29289321881345248;  // 1 - 1/sqrt 2: damps the stiffest motion at once
    flow_.to_body(s.y, start_);
    flow_.slope(s.t, start_, f_);
    flow_.linearise(0, s.t, g * s.h);
    flow_.invert(0, start_, f_, k1_);
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

}  // namespace vincolo
