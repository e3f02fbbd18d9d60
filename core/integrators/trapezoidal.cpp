// The implicit trapezoidal rule on positions, of the augmented Lagrangian formulation of index 3, which solves it
#include "integrators/stepper.hpp"

namespace vincolo {

namespace {

class Trapezoidal : public Stepper {
  public:
    Trapezoidal(Motion& motion, Given& given) : Stepper(motion, given, false) {
        if (!motion.formulation() || !motion.formulation()->steps_implicitly())
            throw std::invalid_argument("the trapezoidal step needs the augmented Lagrangian formulation of index 3");
    }
    Traits traits() const override {
        Traits traits;
        traits.order = 2;
        return traits;
    }
    Outcome step(const Step& s) override {
        Formulation& formulation = *motion_.formulation();
        formulation.trapezoidal(s.t, s.h, s.y.data(), s.slope.data(), s.y_new.data(), s.slope_new.data());
        ++motion_.dynamics().evaluations;
        motion_.landing().found.position = formulation.largest_residual();
        motion_.landing().found.velocity = formulation.largest_rate();
        Outcome out;
        out.landed = out.stands = true;
        return out;
    }
};

}  // namespace

std::unique_ptr<Stepper> trapezoidal(Motion& motion, Given& given) { return std::make_unique<Trapezoidal>(motion, given); }

}  // namespace vincolo
