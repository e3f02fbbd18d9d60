// Steps of a run across places where contact states have no answer
#include "run.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

namespace {

constexpr std::int64_t most_crossing_steps = 200000;
constexpr int most_shorter = 4;  // attempts at a step whose forces nobody finds, each with a quarter of its size

}  // namespace

bool Run::crosses(Status status) const {
    if (!events_.decides() || statistics_.crossing_steps >= most_crossing_steps) return false;
    if (status == Status::EventFailed || status == Status::EventsWithoutEnd) return events_.crossable();
    const bool lost = status == Status::NotFinite || status == Status::StepTooSmall;
    return lost && dynamics_.reactive;  // reactions may grow without bound before they have no answer
}

// To the next sample or time at which something happens at most. A state that will change once more is not recorded yet.
bool Run::make_time_step() {
    const double* now = motion_.standard(t_, y_);
    before_across_.assign(now, now + dynamics_.system().state_size());
    crossing_ = before_across_;
    TimeStepping& stepping = events_.time_stepping();
    double h = std::min(stepping.step_size(t_, crossing_.data()), stop_ - t_);
    const double sample = samples_.next_time();
    if (sample > t_ + rounding()) h = std::min(h, sample - t_);
    for (int tries = 0; !stepping.step(t_, h, crossing_.data()); ++tries, h /= 4)
        if (!stepping.unsolved() || tries == most_shorter) return false;
    if (statistics_.crossing_steps == 0) statistics_.first_crossing = t_;
    ++statistics_.crossing_steps, ++dynamics_.evaluations;
    statistics_.crossing_time += h;
    t_ = stop_ - t_ - h <= rounding() ? stop_ : t_ + h;
    dynamics_.placement.record_turns(t_);
    motion_.from_standard(t_, crossing_.data(), y_);
    if (sensors_.any()) sensors_.read(t_, y_);
    events_.pass(t_, y_, before_across_);
    if (!events_.due() && (t_ < stop_ || (stop_ == end_ && !event_at_end_))) samples_.record_due(t_, y_);
    return true;
}

Status Run::act_across() {
    if (!events_.act_across(t_, y_)) return Status::EventFailed;
    samples_.record_due(t_, y_);
    called_ = called_ || !events_.calls().empty();
    if (called_) return Status::Called;
    if (!events_.stops()) return Status::Running;
    if (!paced_) samples_.end_at(t_, y_);
    return Status::Stopped;
}

// Where contact states have no answer at the end either, the run is complete all the same: it has crossed them to there
Status Run::arrive_across(bool moved) {
    if (stop_ != end_) return begin_anew(stops_[next_break_]);
    if (moved) note_end();  // or it was noted where the run stood there first
    if (events_.due()) return begin_anew(end_);
    if (events_.begin(t_, y_)) {
        forget();
        begin_here();
        undecided_ = false;
    }
    samples_.record_due(t_, y_);
    return called_ ? Status::Called : Status::Done;
}

// Until contact states have an answer again, or for as many evaluations as are asked for
Status Run::step_across() {
    undecided_ = true;
    next_stop();
    Status status = act_across();
    bool moved = false;
    for (int tries = 1; status == Status::Running && statistics_.crossing_steps < most_crossing_steps; tries = std::min(2 * tries, 64)) {
        for (int k = 0; k < tries && t_ < stop_ && !events_.due(); ++k, moved = true) {
            if (k > 0 && dynamics_.evaluations >= until_) return status;
            if (options_.max_steps > 0 && steps_made() >= options_.max_steps) return Status::TooManySteps;
            if (!make_time_step()) return events_.block_across() ? Status::EventFailed : Status::NotFinite;
        }
        if (events_.due()) {
            status = act_across();
            continue;
        }
        if (t_ == stop_) return arrive_across(moved);
        if (!events_.begin(t_, y_)) continue;
        forget();
        begin_here();
        if (!motion_.finite(slope_)) continue;
        undecided_ = false;
        if (!events_.look(t_, y_, slope_)) return Status::EventFailed;
        return events_.due() ? happen() : choose_first_step();
    }
    return status == Status::Running ? Status::EventFailed : status;
}

}  // namespace vincolo
