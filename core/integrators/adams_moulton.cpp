// Adams-Bashforth predicts, Adams-Moulton corrects, both of order 4 (Carvalho, eq. 3.33 and 3.34); Runge-Kutta starts.
#include "integrators/stepper.hpp"

namespace vincolo {

std::unique_ptr<Stepper> rk4(Motion&, Given&);

namespace {

class AdamsMoulton : public Stepper {
  public:
    AdamsMoulton(Motion& motion, Given& given) : Stepper(motion, given, false), start_(rk4(motion, given)), predicted_(motion.state()) {
        for (State& slope : earlier_) slope = predicted_;
    }
    Traits traits() const override {
        Traits traits;
        traits.order = 4;
        traits.repeatable = false, traits.equal_steps = true;
        return traits;
    }
    bool moves_in_planes() const override { return true; }
    Outcome step(const Step& s) override {
        const Outcome out = taken_ < 3 ? start_->step(s) : predicted_and_corrected(s);
        earlier_[2].swap(earlier_[1]);
        earlier_[1].swap(earlier_[0]);
        earlier_[0] = s.slope;
        return out;
    }
    double accept(const Step&, const Outcome&) override { return ++taken_, 1; }
    void forget() override { taken_ = 0; }

  private:
    Outcome predicted_and_corrected(const Step& s) {
        const double back[] = {-59.0 / 24, 37.0 / 24, -9.0 / 24};
        for (std::size_t i = 0; i < s.y.size(); ++i) {
            double sum = 55.0 / 24 * s.slope[i];
            for (int k = 0; k < 3; ++k) sum += back[k] * earlier_[k][i];
            s.y_new[i] = s.y[i] + s.h * sum;
        }
        motion_.derivative(s.t + s.h, s.y_new, predicted_);
        for (std::size_t i = 0; i < s.y.size(); ++i)
            s.y_new[i] = s.y[i] + s.h / 24 * (9 * predicted_[i] + 19 * s.slope[i] - 5 * earlier_[0][i] + earlier_[1][i]);
        Outcome out;
        out.stands = true;
        return out;
    }
    std::unique_ptr<Stepper> start_;
    State predicted_, earlier_[3];  // slopes where the last three steps began
    std::int64_t taken_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> adams_moulton(Motion& motion, Given& given) { return std::make_unique<AdamsMoulton>(motion, given); }

}  // namespace vincolo
