// Velocities first, positions with the new velocities; order 1
#include "integrators/stepper.hpp"

namespace vincolo {

namespace {

class SemiImplicitEuler : public Stepper {
  public:
    SemiImplicitEuler(Motion& motion, Given& given) : Stepper(motion, given, false), rates_(motion.state()) {}
    Traits traits() const override {
        Traits traits;
        traits.order = 1;
        return traits;
    }
    bool moves_in_planes() const override { return true; }
    Outcome step(const Step& s) override {
        for (std::size_t i = 0; i < s.y.size(); ++i) s.y_new[i] = s.y[i] + s.h * s.slope[i];
        rates_ = s.slope;
        motion_.position_rates(s.y, s.y_new, rates_);
        for (std::size_t i = 0; i < s.y.size(); ++i) s.y_new[i] = s.y[i] + s.h * rates_[i];
        return {};
    }

  private:
    State rates_;
};

}  // namespace

std::unique_ptr<Stepper> semi_implicit_euler(Motion& motion, Given& given) { return std::make_unique<SemiImplicitEuler>(motion, given); }

}  // namespace vincolo
