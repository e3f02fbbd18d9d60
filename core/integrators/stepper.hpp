// One interface for every integrator. A run knows steppers only: it lands their steps, integrates work where they do not,
// projects, records and watches for all of them alike.
#pragma once
#include "integrators/extension.hpp"
#include "motion.hpp"

namespace vincolo {

struct Outcome {
    double error = 0;        // in units of the tolerance; a step with more than one, or not a number, is repeated
    double growth = 1;       // of the next step, if this one is taken
    bool converged = true;   // of a step of fixed size
    bool landed = false;     // the new state is on the constraints, with its slope
    bool stands = false;     // the dynamics were placed last at the new state
};

// What a run has to know of a method
struct Traits {
    double order = 5;             // of the error of a step
    const double* nodes = nullptr;  // of explicit stages, as shares of the step: singular positions are to fall between them,
    int stages = 0;                 // if there are any,
    double gap = 0;                 // best here, in the middle of the widest gap
    bool implicit = false;        // need not follow the fastest motion
    bool soft = false;            // passes over stiff motion, which landings must not strike
    bool smooth = false;          // velocities between steps follow the positions
    bool closes = false;          // steps end with positions closed
    bool work = true;             // work is integrated with the state; else by the trapezoidal rule
    bool repeatable = true;       // a step may be made a second time from the same state
    bool equal_steps = false;     // its record needs steps of one size
};

// How large steps may be
struct StepSizes {
    double step = 1e-3;                       // of fixed steps
    double min_step = 0, max_step = 0;        // of adaptive ones; 0 = no limit
    double violation = 0;  // of the constraints by a step, before they are closed, above which it is repeated; 0 = no limit
};

class Stepper {
  public:
    Stepper(Motion& motion, Given& given, bool adaptive);
    virtual ~Stepper() = default;
    Stepper(const Stepper&) = delete;

    bool adaptive() const { return adaptive_; }
    const StepSizes& sizes() const { return sizes_; }
    virtual Traits traits() const = 0;
    // Where joints keep bodies in planes the rows of the plane are enough for it: it asks for no reactions of others
    virtual bool moves_in_planes() const { return false; }

    // Before the first step from a state: everything earlier is forgotten already
    virtual void begin(double /*t*/, double /*stop*/) {}
    // From y with its slope to y_new
    virtual Outcome step(const Step& step) = 0;
    // The error is small enough; the step has not landed yet
    virtual void keep(const Step&, const Outcome&) {}
    // The step is taken, with the state and slope where it landed. Returns by how much the next one may grow.
    virtual double accept(const Step&, const Outcome& outcome) { return outcome.growth; }
    // The error is too large. Returns the share of its size to try again with.
    virtual double reject(double error) { return shrink(error, traits().order); }
    virtual void repeat() { repeated_ = true; }  // the step was good enough, but is made again for other reasons
    virtual void forget() { repeated_ = false; }  // everything but the state

    // A taken step as a function of time: prepared once, then asked for
    virtual void extend(const Step& step) { extension_.by_ends(step, motion_, traits().smooth); }
    virtual void interpolate(const Step& step, double t, State& out) const { extension_.at((t - step.t) / step.h, step.y, out); }

    virtual void report(RunStatistics&) const {}

  protected:
    double shrink(double error, double order);
    Motion& motion_;
    Extension extension_;
    bool repeated_ = false;  // the step being made failed before

  private:
    bool adaptive_;
    StepSizes sizes_;
};

std::unique_ptr<Stepper> make_stepper(const std::string& method, Motion& motion, Given& given);
bool steps_momenta(const std::string& method);  // thin bodies then need no ballast

}  // namespace vincolo
