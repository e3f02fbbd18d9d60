// What all runs for Python share: their own copy of the system, so that a run outlives the model it came from, and what is read
// and set between steps
#pragma once
#include "bindings/run_options.hpp"

namespace vincolo {

class OwnRun {
  public:
    explicit OwnRun(const Kernel& kernel) : system_(kernel.system()) {}
    Run& run() const { return *run_; }
    const System& system() const { return system_; }
    // What the user's function raised; handed over, since its traceback leads back to this run
    nb::object take_error() {
        if (!own_ || !own_->error.is_valid()) return nb::none();
        nb::object out = own_->error;
        own_->error.reset();
        return out;
    }
    // Why a dense formulation failed; empty for the kernel's own
    nb::dict trouble() const { return run_->formulation() ? trouble_of(run_->formulation()->trouble()) : nb::dict(); }
    void set_auxiliary(int n, double value) { run_->set_auxiliary(checked(n), value); }
    double auxiliary(int n) const { return run_->auxiliary(checked(n)); }
    // The last accepted state and the record of turns
    nb::tuple state() const { return state_of(system_, run_->time(), run_->state(), run_->dynamics().placement.turns.values()); }

  protected:
    int checked(int n) const { return Kernel::check(n, system_.auxiliaries.size(), "auxiliary state"); }
    void begin(const RunOptions& options, double t0, const Doubles& y0, const Doubles& turns, const Doubles& outputs) {
        run_ = std::make_unique<Run>(system_, options, t0, y0, turns, outputs);
    }
    System system_;
    std::shared_ptr<OwnFunction> own_;

  private:
    std::unique_ptr<Run> run_;
};

// Their methods of the same names in Python
template <class T>
nb::class_<T>& bind_own_run(nb::class_<T>& bound) {
    return bound.def("set_auxiliary", &T::set_auxiliary)
        .def("auxiliary", &T::auxiliary)
        .def("state", &T::state)
        .def("trouble", &T::trouble)
        .def("take_error", &T::take_error)
        .def("events", [](const T& r) { return events_of(r.run(), r.system()); })
        .def("unsettled_law", [](const T& r) { return unsettled_law_of(r.run()); })
        .def("event_trouble", [](const T& r) { return event_trouble_of(r.run()); })
        // which events wait, where an event or a time asked for it; none: a time
        .def("calls", [](const T& r) { return r.run().events().calls(); });
}

}  // namespace vincolo
