// Adams-Bashforth-Moulton of variable order, 1 to 12, and variable step: predicted, evaluated, corrected, evaluated, in modified
// divided differences of slopes (Krogh; Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, III.5).
#pragma once
#include <cstddef>
#include <vector>

namespace vincolo {

class Adams {
  public:
    using State = std::vector<double>;
    static constexpr int most_order = 12;
    // atol by entry of the state; size: entries whose error counts
    Adams(double rtol, const State& atol, std::size_t size);

    bool begun() const { return order_ > 0; }
    void begin(double t, const State& slope);
    void forget() { order_ = 0; }
    // The state at t + h, foretold
    void predict(double h, const State& y, State& y_new);
    // The same corrected by the slope there; returns the error in units of the tolerance
    double correct(const State& slope, const State& y, State& y_new);
    // By how much a step with too large an error shrinks
    double reject(double error);
    // The slope that was taken in the end; chooses the next order and returns by how much the step may grow
    double accept(const State& slope);
    // The state at a time within the last step, from that at its end
    void interpolate(double t, const State& y_end, State& out) const;
    int order() const { return order_; }

  private:
    double measure(const State& difference, double weight) const;
    int choose_order();
    const double rtol_;
    const State atol_;
    const std::size_t size_;
    int order_ = 0, used_ = 0, known_ = 0;  // used_: of the last step; known_: the highest difference in the record
    int equal_steps_ = 0, failures_ = 0;
    bool starting_ = true;
    double h_ = 0, last_h_ = 0, error_ = 0, lower_ = -1, lowest_ = -1, next_error_ = 0;  // errors of this order, one less, two less
    double times_[most_order + 3];   // of the record, newest first
    double g_[most_order + 2], equal_[most_order + 2];  // g for equal steps
    State phi_[most_order + 2];      // modified divided differences of slopes at the newest time
    State star_[most_order + 2];     // the same, scaled to the step being made
    State ahead_[most_order + 2];    // at its end, with the slope of the prediction
    State scale_;
};

}  // namespace vincolo
