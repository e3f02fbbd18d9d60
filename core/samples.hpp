// What a run records: states at the asked times, and the branches of angles counted over turns. All of it is held, or it is
// handed over piece by piece, so that a long run needs no more memory than a short one.
#pragma once
#include <cmath>
#include <functional>
#include <memory>

#include "between.hpp"

namespace vincolo {

// So many samples in a row: their times, states and angles counted over turns
struct Piece {
    std::size_t count;
    const double *times, *states, *turns;
};

class Samples {
  public:
    using Taker = std::function<void(const Piece&)>;
    Samples(Motion& motion, const std::vector<double>& times);

    // From now on no more than `most` samples are held: full pieces go to `taker`. To be asked for before the run begins.
    void hand_over(std::size_t most, Taker taker);
    void flush();  // hands over what is held

    // The present state, for all times up to now
    void record_due(double t, const State& y);
    // Those within a taken step up to a time, that time among them unless the state there will change once more
    void record(Between& step, double until, bool end_too);
    // The last ones are given the contact states of a state: with steps of fixed size these are decided once a step, at its end
    void restate(int count, const double* y);
    void end_at(double t, const State& y);  // the present state is the last sample, whatever the times

    double next_time() const { return count_ < static_cast<int>(times_.size()) ? times_[count_] : HUGE_VAL; }
    int count() const { return count_; }                      // since the run began
    std::size_t held() const { return held_; }                // of these, not handed over
    const std::vector<double>& states() const { return states_; }  // of the held ones
    std::vector<double> turns() { return turns_by(motion_.dynamics()); }  // angles at the held ones, counted over turns
    double position_residual() const { return residual_; }  // largest of samples between steps

  private:
    bool due(double t, bool too) const;
    void store();
    std::vector<double> turns_by(Dynamics& dynamics) const;
    Motion& motion_;
    std::vector<double> times_, states_, turns_;
    std::vector<double> last_;            // the state of the last sample that was handed over
    std::unique_ptr<Dynamics> reader_;    // measures angles during a run, whose own dynamics must stay as they stand
    Taker taker_;
    State sample_;
    std::size_t room_, held_ = 0;
    int count_ = 0;
    double residual_ = 0;
};

}  // namespace vincolo
