// Singular positions at the start of a step: where rows fail that hold the mechanism everywhere else, accelerations are not
// those of the motion that leads through, and are found from positions a little further on.
#pragma once
#include "motion.hpp"
#include "scout.hpp"

namespace vincolo {

// Where a run stands
struct Here {
    double t, stop, end;
    const State& y;
    State& slope;
};

class WaysOut {
  public:
    WaysOut(Motion& motion, Scout& scout);

    // At a start in or next to a singular position
    void begin(const Here& here);
    // Steps h that have come to stand so close to a singular position that rounding rules their forces leap over it. Returns the
    // step to be made.
    double leap(const Here& here, double h);
    // A first step that leads out of a singular position, or 0
    double first_step() const { return first_step_; }

  private:
    void begin_on_a_way_out(const Here& here);
    void extrapolate_back(const Here& here, double h);
    double time_ahead(const Here& here, double way) const;
    void take_reference_ahead(const Here& here);
    double time_of(const Here& here, double h) const;
    bool land_ahead(const Here& here, double h, double g, State& slope);
    Motion& motion_;
    Dynamics& dynamics_;
    Scout& scout_;
    State ahead_, slopes_[3];
    double first_step_ = 0;
    double leapt_to_ = -HUGE_VAL;
};

}  // namespace vincolo
