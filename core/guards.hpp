// Expressions that are watched for crossing zero: on which side of it each one is, and where in a step the first ones cross.
#pragma once
#include <memory>

#include "between.hpp"
#include "observer.hpp"
#include "readings.hpp"

namespace vincolo {

class Guards {
  public:
    // Those that cross within so many seconds of each other cross together
    static constexpr double together = 1e-10;

    explicit Guards(Motion& motion);
    Guards(const Guards&) = delete;

    bool any() const { return !watched_.empty(); }
    // Reads the mechanism at a state; expressions then have values, those of events that act too if that is asked for
    void load(double t, State& y, bool all = false);
    double value(const Expression& e, double t) { return readings_.value(e, t); }

    // At a state with its slope, where steps begin: which side each is on; one that is at zero is on the side it moves to
    void begin(double t, State& y, const State& slope);
    // The same after events that acted, and perhaps changed the state: others that have changed sides by it, in the direction they
    // are watched for, have crossed. Contact states that were not decided there may fit no longer: what was set, forces may jump by
    void look(double t, State& y, const State& slope, const std::vector<char>& acted, bool changed, bool decided);
    // After a step across what the motion does not decide: those that have changed sides in it have crossed
    void pass(double t, State& y);
    // At the end of a step that may be taken; false if one has no value there
    bool arrive(double t, State& y);
    // In that step: the first time at which some cross, or HUGE_VAL; with steps of fixed size only the end is looked at
    double first(Between& step, bool adaptive);
    const std::vector<char>& crossed() const { return crossed_; }  // by event, since the last look or step
    // The largest step, by halving, over which an event that has crossed stays across, where the motion goes on along its slope
    double step_on_side(int event, double t, const State& y, const State& slope, double h);
    // What has just crossed and was thrown back is on the side it came from
    void throw_back(int event) { thrown_[event] = 1; }
    int undefined() const { return undefined_; }  // an event whose expression had no value, or -1

  private:
    static constexpr double rest = 100;  // times what rounding may change: what joints may leave of an expression that they hold at zero
    static int sign_of(double x) { return (x > 0) - (x < 0); }
    // Chebyshev points of a step, and of its parts, at which guards are looked at; parts of a step for what follows time; halvings of one
    // part, and of a step, at most
    static constexpr int coarse = 8, timed_parts = 16, deepest = 40, most_halvings = 1000;
    // Times, and the side before
    struct Span {
        double a, b;
        int from;
    };
    struct Watched {
        int event;
        bool timed;         // reads nothing that moves within a step
        bool jumps;         // reads nothing but what is set, not even time
        bool forces;        // reads what follows from the motion
        bool off = false;   // not watched as things are
        int side = 0;       // of zero: -1 or 1, or 0 where it rests there
        int came_from = 0;  // the side before it crossed last
        int was = 0;        // the side before it came to rest at zero
        double now = 0;     // its value where the next step begins
        double seen = 0;    // and when sides were looked at last
        double zero = 0;    // what of it is rounding
    };
    // How far a step has been searched: the side of now, whether the guard has been seen there, halvings, and the crossing
    struct Scan {
        int side;
        bool above;
        int depth, halvings;
        Span span;
    };
    const Expression& expression(const Watched& w) const { return system_.events[w.event].when; }
    bool watches(const Watched& w, int from) const;  // for a crossing from that side
    void find_sides(double t, State& y, const State& slope);
    int side_at(const Watched& w, double rate) const;
    int across(const Watched& w) const;
    void begin_at(Watched& w, double rate) const;
    bool of_mode(const Watched& w) const { return system_.events[w.event].only >= 0; }
    void begin_mode(Watched& w, double rate) const;
    void wake(const State& y);  // those that are watched in the mode of a state
    double rounding(const Expression& e, double t);
    double interpolated(const Watched& w, Between& step, double t);
    double landed(const Watched& w, Between& step, double t);
    void sample_at(int i, double t, State& y);
    void sample_within(Between& step);
    int side_left_to(const Watched& w, Between& step, double& at);
    double root(int k, Between& step);
    bool crosses(const Watched& w, Between& step, double a, double b, double g, Scan& scan);
    bool find(const Watched& w, Between& step, double a, double b, const double* g, int stride, Scan& scan);
    bool find_timed(const Watched& w, Between& step, Scan& scan);
    Span leaving(const Watched& w, Between& step, int side, double b);
    double locate(const Watched& w, Between& step, const Span& span);
    void take_end(const Step& step);
    void observe(double t, const double* y);

    Motion& motion_;
    Dynamics& dynamics_;
    const System& system_;
    Readings readings_;
    std::vector<Watched> watched_;
    std::vector<char> crossed_, thrown_;
    std::vector<double> coarse_;  // values at the Chebyshev points of a step, by guard
    int stride_ = 1;              // of these, every point or every second one
    std::vector<double> roots_, slopes_, rates_, forces_;
    std::unique_ptr<Observer> observer_;  // where expressions read forces
    Observation observation_;
    State state_;
    int undefined_ = -1;
    bool observes_ = true;  // one that is watched reads forces
    double weight_ = 0;  // of the heaviest body, as a force or a torque
};

}  // namespace vincolo
