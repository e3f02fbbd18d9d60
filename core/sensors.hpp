// Numbers that every accepted step and every event sets to what was found there, reactions among it: laws, rates, drives, events and
// whoever is outside read them as any other number that a run carries.
#pragma once
#include <memory>

#include "motion.hpp"
#include "observer.hpp"

namespace vincolo {

class Sensors {
  public:
    explicit Sensors(Motion& motion);
    Sensors(const Sensors&) = delete;

    bool any() const { return !sensors_.empty(); }
    bool guarded() const { return guarded_; }  // an event watches one
    bool read(double t, State& y);  // at a state, into it; all at once, so that their order does not matter; whether one has changed

  private:
    Motion& motion_;
    Dynamics& dynamics_;
    Readings readings_;
    std::vector<int> sensors_;  // auxiliary states
    std::unique_ptr<Observer> observer_;  // where one reads forces
    Observation observation_;
    std::vector<double> forces_, found_;
    bool guarded_ = false;
};

}  // namespace vincolo
