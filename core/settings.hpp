// What events set: auxiliary states, rows that hold where they stand among them. Values are found first, then all is set at once.
#pragma once
#include <utility>

#include "dynamics.hpp"

namespace vincolo {

class Settings {
  public:
    explicit Settings(Dynamics& dynamics) : dynamics_(dynamics) {}

    void clear() { planned_.clear(); }
    bool any() const { return !planned_.empty(); }
    void plan(const Action& action, double value) { planned_.push_back({&action, value}); }
    // Into a state, which must be loaded; it is loaded anew
    void apply(double t, double* y);

  private:
    Dynamics& dynamics_;
    std::vector<std::pair<const Action*, double>> planned_;
};

}  // namespace vincolo
