// The implicit trapezoidal rule on positions, of the augmented Lagrangian formulation of index 3, which solves it. Auxiliary states
// follow by the same rule, around it: Newton on their ends, with the answer of the whole step to each of them by differences.
#include <cmath>

#include "formulations/factors.hpp"
#include "integrators/stepper.hpp"

namespace vincolo {

namespace {

class Trapezoidal : public Stepper {
  public:
    Trapezoidal(Motion& motion, Given& given);
    Traits traits() const override {
        Traits traits;
        traits.order = 2;
        return traits;
    }
    Outcome step(const Step& s) override;

  private:
    void move(const Step& s);        // to the end of the step, under the states at its end
    void open(const Step& s, Vector& out);  // what is open of the rule for states, there
    bool settle(const Step& s);
    void find_slopes(const Step& s);
    double size(int k) const { return std::max(motion_.dynamics().system().auxiliaries[k].size, std::abs(ends_[k])); }
    State start_;  // the state at the start, with the states at the end
    Vector ends_, open_, moved_, change_;
    Matrix slopes_;
    Lu lu_;
};

Trapezoidal::Trapezoidal(Motion& motion, Given& given) : Stepper(motion, given, false), start_(motion.state()) {
    if (!motion.formulation() || !motion.formulation()->steps_implicitly())
        throw std::invalid_argument("the trapezoidal step needs the augmented Lagrangian formulation of index 3");
    const auto n = static_cast<int>(motion.dynamics().system().auxiliaries.size());
    for (Vector* x : {&ends_, &open_, &moved_, &change_}) x->setZero(n);
    slopes_.setZero(n, n);
    lu_ = Lu(n);
}

void Trapezoidal::move(const Step& s) {
    Formulation& formulation = *motion_.formulation();
    start_ = s.y;
    for (int k = 0; k < ends_.size(); ++k) start_[motion_.auxiliary_index() + k] = ends_[k];
    formulation.trapezoidal(s.t, s.h, start_.data(), s.slope.data(), s.y_new.data(), s.slope_new.data());
    ++motion_.dynamics().evaluations;
}

void Trapezoidal::open(const Step& s, Vector& out) {
    move(s);
    motion_.auxiliary_rates(s.t + s.h, s.y_new, s.slope_new);
    for (int k = 0; k < ends_.size(); ++k) {
        const int i = motion_.auxiliary_index() + k;
        out[k] = ends_[k] - s.y[i] - s.h / 2 * (s.slope[i] + s.slope_new[i]);
    }
}

void Trapezoidal::find_slopes(const Step& s) {
    for (int k = 0; k < ends_.size(); ++k) {
        const double by = 1e-7 * size(k);
        ends_[k] += by;
        open(s, moved_);
        ends_[k] -= by;
        slopes_.col(k) = (moved_ - open_) / by;
    }
    lu_.factor(slopes_);
}

bool Trapezoidal::settle(const Step& s) {
    constexpr int most = 25;
    for (int k = 0; k < ends_.size(); ++k) ends_[k] = s.y[motion_.auxiliary_index() + k] + s.h * s.slope[motion_.auxiliary_index() + k];
    for (int pass = 0; pass < most; ++pass) {
        open(s, open_);
        if (pass % 4 == 0) find_slopes(s), open(s, open_);
        lu_.solve(open_, change_);
        ends_ -= change_;
        double largest = 0;
        for (int k = 0; k < ends_.size(); ++k) largest = std::max(largest, std::abs(change_[k]) / size(k));
        if (!std::isfinite(largest)) return false;
        if (largest < 1e-11) return true;
    }
    return false;
}

Outcome Trapezoidal::step(const Step& s) {
    Outcome out;
    if (ends_.size() > 0) {
        out.converged = settle(s);
        open(s, open_);
    } else {
        move(s);
    }
    const Formulation& formulation = *motion_.formulation();
    motion_.landing().found.position = formulation.largest_residual();
    motion_.landing().found.velocity = formulation.largest_rate();
    out.landed = out.stands = true;
    return out;
}

}  // namespace

std::unique_ptr<Stepper> trapezoidal(Motion& motion, Given& given) { return std::make_unique<Trapezoidal>(motion, given); }

}  // namespace vincolo
