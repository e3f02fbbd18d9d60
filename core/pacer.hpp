// A run that is taken from outside in steps of one size: inputs are set, a step is made, outputs are read. Every step begins anew
// from the state alone, so that a state that is put back goes on as it did, to the last bit. Nothing is allocated.
#pragma once
#include "run.hpp"

namespace vincolo {

class Pacer {
  public:
    // Inputs by their auxiliary states: the value, and the slope of those that go in straight lines, or -1
    struct Input {
        int value, slope;
    };
    Pacer(Run& run, double step, const std::vector<Input>& inputs);

    std::vector<double>& inputs() { return inputs_; }
    std::vector<double>& outputs() { return outputs_; }
    double time() const { return run_->time(); }
    double origin() const { return origin_; }  // from which steps are counted
    double next() const { return origin_ + static_cast<double>(count_ + 1) * step_; }  // where the present step ends

    // To a time within the present step, or to its end; inputs that go in straight lines arrive at the end
    Status go_to(double t);
    Status step() { return go_to(next()); }
    // After the run was called: what is left of it
    Status go_on();
    // From now on it is another run, of a system with other numbers, that stands where this one does
    void take(Run& run) { run_ = &run, begin(); }
    void restore(double t, const double* y, const std::vector<double>& turns);
    void read() { run_->read_outputs(outputs_.data()); }
    void fetch_inputs();  // as the run has them
    void count_from(double origin) { origin_ = origin; }  // to be restored to a state on its grid
    void cap(long evaluations) { piece_ = evaluations; }  // a step that needs more is left running, for go_on()

  private:
    long piece_ = 1'000'000;  // evaluations
    void begin();
    Run* run_;
    double step_, origin_;
    std::int64_t count_ = 0;
    double target_ = 0;
    std::vector<Input> ports_;
    std::vector<double> inputs_, outputs_;
};

}  // namespace vincolo
