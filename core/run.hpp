// A simulation in time that can be advanced piece by piece and keeps what it has computed. Whatever the stepper: its steps are
// landed on the constraints, work is integrated, rows are watched, samples recorded.
#pragma once
#include <string>

#include "events.hpp"
#include "samples.hpp"
#include "sensors.hpp"
#include "ways_out.hpp"

namespace vincolo {

struct RunOptions {
    std::string method = "automatic";
    Given integrator{"the integrator"};  // its options by name
    Stabilisation stabilisation;
    FormulationOptions formulation;
    // Times at which steps end and begin anew: where a drive or force has a corner (adaptive steps only); checkpoints, from which
    // the run goes on as if it began there, to the last bit; and calls, where it waits for whoever advances it
    std::vector<double> corners, checkpoints, calls;
    double max_steps = 0;  // 0 = no limit
    template <class Fields>
    void fields(Fields& f) { f("corners", corners), f("checkpoints", checkpoints), f("calls", calls), f("max_steps", max_steps); }
};

// Called: the state may be changed from outside, and the run goes on from there. Stopped: an event asked for it.
enum class Status : int { Running, Done, StepTooSmall, NotFinite, TooManySteps, Open, NotConverged, Called, Stopped, EventFailed, EventsWithoutEnd };
inline const char* const status_names[] = {"running", "done", "step too small", "not finite", "too many steps", "open", "not converged",
                                           "called", "stopped", "event failed", "events without end"};

// What a step brings in or takes away without work: nothing; little of what is usual for the mechanism; or more
enum class Jump { None, Small, Large };

// Energy against work, since a run began
class EnergyBalance {
  public:
    // At the loaded state, with the time at which the run ends; sizes of energies to compare with are measured once
    void begin(Dynamics& dynamics, double t, double end, double work, RunStatistics& statistics);
    void note(const Dynamics& dynamics, double work, RunStatistics& statistics);  // at the loaded state
    // How far energy less work is another at the loaded state than where its step began, against what an adaptive method errs
    Jump jump(const Dynamics& dynamics, double work, const RunStatistics& statistics, double rtol);
    double jump() const { return jump_; }
    void begin_step(const Dynamics& dynamics, double work) { last_ = missing(dynamics, work); }
    bool light() const { return light_; }

  private:
    double missing(const Dynamics& dynamics, double work) const;
    struct Swing {
        double lowest = 0, highest = 0;
        void take(double x) { lowest = std::min(lowest, x), highest = std::max(highest, x); }
        double width() const { return highest - lowest; }
    };
    double energy_ = 0, work_ = 0;  // at the start
    double last_ = 0;               // energy less work where the step began
    double jump_ = 0;               // of the step asked about
    bool light_ = false;            // there are bodies without mass or inertia, or with hardly any
    double kinetic_ = 0;            // largest so far
    Swing potentials_, works_;
};

class Run {
  public:
    Run(const System& system, const RunOptions& options, double t0, const std::vector<double>& y0,
        const std::vector<double>& turns, const std::vector<double>& outputs);

    // Goes on for about the given number of evaluations.
    Status advance(long evaluations);

    double time() const { return t_; }
    double step() const { return h_; }  // that would be made next, or failed
    Samples& samples() { return samples_; }
    RunStatistics statistics() const;
    const Events& events() const { return events_; }
    void keep_no_events() { events_.keep_record(false); }  // for runs without end
    // Goes on to a later end, as if it began at the present state: what was set meanwhile counts
    void extend(double end);
    void begin_again();  // the same to the end it has
    // Stands at another state, to be extended from there
    void stand_at(double t, const double* y, const std::vector<double>& turns);
    void set_corners(const std::vector<double>& corners) { options_.corners = corners; }
    void read_outputs(double* out);       // of the system, at the present state
    double auxiliary(int n) const { return y_[motion_.auxiliary_index() + n]; }
    bool events_at_ends() const { return !adaptive() && events_.guards.any(); }  // of steps of one size, and not within them
    // Where the run was called: a number that it carries beside the motion
    void set_auxiliary(int auxiliary, double value);
    Dynamics& dynamics() { return motion_.dynamics(); }
    const Formulation* formulation() const { return motion_.formulation(); }  // null: the kernel's own
    // The state of the last accepted step, in the kernel's own coordinates
    const double* state() { return motion_.standard(t_, y_); }

  private:
    Status begin();
    void begin_here();                    // everything that follows from the state alone
    Status begin_anew(double t);          // behind a corner of a drive or force, a checkpoint, or events
    Status go_on();                       // beyond an end, from the state alone
    void find_stops();
    void choose_rows();                   // independent ones, at a state from outside
    void meet_rows();                     // that are held at what is set from outside: velocities land on them
    double kinetic_energy();              // of the present state
    void note_times(double to);
    void note_events(double t);           // at given times that are this one but for rounding
    double rounding() const { return 1e-13 * std::max(std::abs(t_), std::abs(end_)); }  // of times
    Status happen();                      // what is due there, and what follows from it at once
    bool sense();                         // sensors at the present state, and its slope with them; false if an event has no value then
    Status restart();
    bool crosses(Status status) const;    // friction or crowded events that time stepping may cross
    std::int64_t steps_made() const { return statistics_.steps + statistics_.rejected + statistics_.crossing_steps; }
    Status step_across();                 // by time stepping, until contact states have an answer again
    Status act_across();                  // what is due there
    Status arrive_across(bool moved);     // at the end, or where something happens at a given time
    bool make_time_step();
    void note_end();
    Status choose_first_step();
    double first_step();
    void next_stop();                     // the end, or the next time at which steps begin anew
    void forget();                        // everything but the state

    Status attempt();                     // one step; t_, y_, slope_ move on if accepted
    void watch_rounding(double h, double error, double order);
    Step plan(const Traits& traits, bool& last);
    double fitted_step(double h, const Traits& traits);
    void fit_fixed_step(double& h, double& t_new, const Traits& traits);
    bool ends_too_close(const Step& step, const Traits& traits, bool last);
    bool cross(const Step& step, Outcome& outcome);
    bool nearly_singular(const Step& step) const;
    void hand_over(const Step& step);     // to the explicit method, or back
    void take_back(const Step& step);     // after an explicit step that was taken
    Status accept(const Step& step, const Outcome& outcome);
    void watch(double t);                 // the landed state
    void take(const Step& step, const Outcome& outcome);
    void move_on(Between& between, double event);
    Status reject(double h);
    Status reopened(const Step& step);
    bool rows_stay_closed(double t);      // also those left out, at the landed state
    bool adaptive() const { return stepper_->adaptive(); }
    bool too_small(double h) const { return !(h > 1e-14 * std::max(std::abs(t_), std::abs(end_))) || (h < stepper_->sizes().min_step && h == h_); }
    std::int64_t steps_here() const { return statistics_.steps - step_offset_; }  // since the run began anew
    Here present() { return {t_, stop_, end_, y_, slope_}; }

    RunOptions options_;
    RunStatistics statistics_;
    Motion motion_;
    Dynamics& dynamics_;
    Formulation* formulation_;
    Landing& landing_;
    Scout scout_;
    WaysOut ways_out_;
    std::unique_ptr<Stepper> stepper_, across_;  // across_: over singular positions, where implicit steps do not converge
    Stepper* now_;                        // of the two, the one that makes the next step
    Samples samples_;
    Events events_;
    Sensors sensors_;
    Readings readings_;
    EnergyBalance balance_;
    double left_open_ = 0;                // largest residual of the rows left out, at the last landing,
    int widest_ = -1;                     // and whose it is
    bool keeps_energy(const Step& step);
    double struck_at_ = -HUGE_VAL;        // where steps were made again since they did not
    int strikes_ = 0;                     // and how many
    double renewed_at_ = -HUGE_VAL;       // where rows had to be chosen anew because one had opened
    double t_, end_, stop_, h_ = 0;
    std::vector<double> stops_;            // in the order of time
    std::size_t next_break_ = 0;
    bool begun_ = false, undefined_ = false, called_ = false, extended_ = false, elsewhere_ = false, paced_ = false;
    bool event_at_end_ = false;  // at a given time
    std::int64_t until_ = 0;     // evaluations after which advance() returns
    double rejected_h_ = 0, rejected_error_ = 0;  // of the step before, if it was rejected
    int rounded_ = 0;            // steps whose error is rounding, less others
    bool undecided_ = false;     // the state stands where contact states have no answer yet
    bool steered_;  // rows are held at what is set from outside
    double before_setting_ = -1;  // kinetic energy before something was set; -1 where nothing was
    int relanded_ = 0;  // tries of the present step to end elsewhere
    int in_last_step_ = 0;   // samples within the last step of fixed size
    bool off_grid_ = false;  // the last step of fixed size was lengthened
    std::int64_t fixed_steps_ = 0, step_offset_ = 0;
    double t0_;
    State y_, new_, slope_, slope_new_, scratch_;
    State before_across_, crossing_;      // before and in a step across, in the kernel's own coordinates
};

}  // namespace vincolo
