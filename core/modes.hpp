// Which one-sided rows hold and what sticks, where the motion decides it: gaps do not close, what closes does not pull, what sticks
// carries no more than its bound, what slips goes against its friction.
#pragma once
#include <memory>

#include "acceleration_problem.hpp"
#include "impact.hpp"

namespace vincolo {

class Modes {
  public:
    Modes(Dynamics& dynamics, Blow& blow);
    Modes(const Modes&) = delete;

    bool any() const { return system_.decides(); }
    bool one_sided(int row) const { return one_sided_[row]; }
    // Everything that the motion decides lets go, in a state; how it was is kept
    void release(double t, double* y);
    bool hold_met(double* y, const std::vector<char>& due) const;  // stops that are met hold again, so that positions can meet them
    void let_go(double* y) const;
    void follow(double* y) const;  // what slips goes the way it moves, where velocities have met the rows that hold now
    // At a state on all other rows, where events are due (none: where a run begins): impacts, then what holds and sticks from here on. False where nothing
    // fits together, or joints hold what would have to move; those below then say where.
    bool settle(double t, double* y, const std::vector<char>& due);
    // At a state in which all have been released: whether the contact states of another fit together there
    bool still_fit(double t, double* y, const double* decided);
    const std::vector<Touch>& touches() const { return touches_; }
    Impact& impacts() { return impact_; }
    Vec3 impulse_of(int rub) const { return impact_.of_rub(rub); }  // in the impacts of settle(), along its rows
    int blamed_row() const { return blamed_; }
    int blamed_law() const { return unsettled_; }  // that has no answer to the reactions it reads, or -1
    bool stuck_in_joints() const { return held_; }
    // Friction that has come to rest since release(), or has begun to slip
    bool came_to_rest(int friction) const { return !was_resting_[friction] && resting(friction); }
    bool broke_loose(int friction) const { return was_resting_[friction] && !resting(friction); }

  private:
    // Of a stop; of friction: it sticks, rests because others hold it, with a given share of its force, slips in a given direction, or,
    // of several directions, the way it moves
    enum class Mode : int { Free, Closed, Sticks, Held, Led, Loose };
    // A stop that touches and is slow, or friction that is
    struct Choice {
        bool rub;
        int index;
        Mode mode;
        double mobility;               // less than zero: there is nothing to choose
        Vec3 way = Vec3::Zero();       // in which friction is led; where it is held, against its force, as a share of that of slip
        bool slow = false;             // friction at rest, or about to be
        bool due = false;              // friction whose force grows beyond what it can hold, a stop whose force vanishes
    };
    static constexpr double fuzz = 1e-9;  // of usual forces, and of accelerations by them
    static Vec3 direction_of(const Vec3& x, bool one);
    void find_touches(double t, double* y, const std::vector<char>& due);
    void find_choices(double t, double* y, const std::vector<char>& due);
    void add_stops(const std::vector<char>& due);
    void add_rubs(const std::vector<char>& due);
    void measure_mobilities();
    bool solve_together(double t, double* y);
    bool solve_candidates(double t, const double* y);
    void take_solution(Choice& choice, Candidate& candidate, char& rests) const;
    bool fits(double t, double* y);
    int row_to_blame(const std::vector<char>& due) const;
    bool consistent(double t, double* y);
    void apply(double* y) const;
    double violation(const Choice& choice, double t);
    double of_stop(const Choice& choice, double t) const;
    double of_rub(const Choice& choice, double t);
    Vec3 slip_of(const Rub& rub) const;    // rates along its rows
    Vec3 carried_by(const Rub& rub) const;  // the force that would be pushed on, where it sticks
    Vec3 way_of(const Rub& rub) const;
    // Along several rows a slow slip is led; with a margin to where events let it go
    Mode slipping(const Rub& rub, double speed) const { return !rub.one() && speed > 1.5 * rub.slow ? Mode::Loose : Mode::Led; }
    void slip(double* y, const Rub& rub, Mode mode, const Vec3& way) const;
    bool resting(int friction) const;
    bool holds_stop(int stop) const;
    bool touches(int stop) const;
    double& at(double* y, int auxiliary) const { return y[system_.auxiliary_index() + auxiliary]; }
    bool take_state(Choice& choice, const double* decided) const;
    double& gate(double* y, int row) const { return y[system_.auxiliary_index() + system_.rows[row].gate]; }

    Dynamics& dynamics_;
    Blow& blow_;
    const System& system_;
    Impact impact_;
    AccelerationProblem problem_;
    std::vector<Candidate> candidates_;
    std::vector<int> of_choice_;    // the choice of each candidate
    std::vector<double> state_;
    std::unique_ptr<Observer> observer_;
    Observation observed_, base_;
    Readings readings_;
    std::vector<double> forces_;
    std::vector<char> one_sided_, was_closed_, was_stuck_, was_resting_;
    std::vector<Touch> touches_;
    std::vector<Choice> choices_;
    double usual_ = 0;  // force
    int blamed_ = -1, unsettled_ = -1;
    bool held_ = false;
};

}  // namespace vincolo
