// What happens in a run where guards cross zero or at given times: what is due acts on the state, all at once, and is recorded.
#pragma once
#include "blow.hpp"
#include "guards.hpp"
#include "modes.hpp"
#include "settings.hpp"
#include "time_stepping.hpp"

namespace vincolo {

// Events that acted together
struct Happened {
    double t;
    std::vector<int> events;
    std::vector<double> before, after;  // states, in the kernel's own coordinates
    std::vector<double> turns;          // angles counted over turns
    double energy;                      // that they put in: of impacts less than zero
    std::vector<Hit> hits;
};

enum class EventFailure : int { None, Open, Held, NotFinite, Contradiction, Blocked };
inline const char* const event_failures[] = {"none", "open", "held", "not finite", "contradiction", "blocked"};

class Events {
  public:
    explicit Events(Motion& motion);
    Events(const Events&) = delete;

    bool any() const { return any_; }
    // Times of a run at which something happens however the mechanism moves
    void add_times(double start, double end, std::vector<double>& stops) const;
    Guards guards;

    bool any_at(double t) const;  // whatever the motion
    // A step from there that stays on the side to which guards of corners have just crossed, if the motion went on as it does
    double step_behind_corners(double t, const State& y, const State& slope, double h);
    void note_time(double t);  // what happens at that time is due
    // In a taken step: the time of the first events that guards bring about, which are due then; HUGE_VAL if there are none
    double first(Between& step, bool adaptive);
    // At a state with its slope, after events acted: what guards bring about is due. False if one has no value.
    bool look(double t, State& y, const State& slope);
    bool due() const { return std::find(due_.begin(), due_.end(), 1) != due_.end(); }
    // What is due acts on a state; false if it cannot, and trouble() says why. Positions are closed, velocities meet the rows.
    bool act(double t, State& y);
    // The same without a decision about contact states, and without the events of contacts, for steps across; none may be due
    bool act_across(double t, State& y);
    // After a step across, from the state `before`: what guards bring about is due, and impacts on stops are recorded
    void pass(double t, State& y, const State& before);
    // Where a run begins: what holds to one side alone and what sticks follows from the state
    bool begin(double t, State& y);
    bool stops() const { return stops_; }                     // one of them ends the run
    const std::vector<int>& calls() const { return calls_; }  // those that wait for something outside
    void called() { calls_.clear(); }
    bool without_end() const { return row_of_them_ >= most_in_a_row; }

    struct Trouble {
        EventFailure failure = EventFailure::None;
        int event = -1, row = -1, law = -1;
        double open = 0;
    };
    const Trouble& trouble() const { return trouble_; }
    // Where contact states have no answer, or change without end: time stepping goes on from there
    bool crossable() const;
    TimeStepping& time_stepping();
    bool block_across();  // joints and drives hold what a stop would have to hold in a step across; false if nothing is so
    bool decides() const { return modes_.any(); }  // contact states of stops and friction
    const std::vector<Happened>& record() const { return record_; }
    void keep_record(bool keeps) { keeps_ = keeps; }

  private:
    // One after the other within so many seconds, as often as this: a chain that does not end
    static constexpr double soon = 1e-8;
    static constexpr int most_in_a_row = 40;

    void note_crossings();
    void evaluate(double t);                 // what actions set and ask for, at the state before
    bool close(double t, double* y);
    bool jump(double t, double* y);
    bool decide(double t, double* y, const std::vector<char>& due);
    bool perform(double t, State& x, bool decides);
    void finish(double t, State& x, double energy);  // the record, with what energy has become
    void note(double t, double change);  // what has happened, into the record
    bool only_corners();
    void watch_chain(double t);
    void tell_rub(int rub, int event);  // its impulses in an impact
    void tell_joints(int event);        // those of all friction in joints
    bool fail(EventFailure failure, int event, int row = -1, double open = 0);

    Motion& motion_;
    Dynamics& dynamics_;
    const System& system_;
    bool any_;
    Blow blow_;
    Modes modes_;
    std::unique_ptr<TimeStepping> time_stepping_;
    std::vector<char> due_, acted_, held_, asked_;
    std::vector<char> of_contact_;  // by event: it belongs to a stop or friction
    Settings settings_;
    std::vector<Hit> hits_;
    std::vector<int> calls_;
    bool crossable_ = true;  // nothing has failed to act there
    bool stops_ = false, changed_ = true, recorded_ = false;  // recorded: the state has not landed since
    bool decided_ = false;  // contact states, at the state of now
    std::vector<double> before_, after_;
    double last_ = -HUGE_VAL;
    int row_of_them_ = 0;
    Trouble trouble_;
    std::vector<Happened> record_;
    bool keeps_ = true;
};

}  // namespace vincolo
