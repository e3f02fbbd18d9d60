// One step of a run: planned, made, landed, judged and taken, whatever the method
#include <algorithm>
#include <cmath>

#include "contact/contacts.hpp"
#include "run.hpp"

namespace vincolo {

namespace {

constexpr int often = 48;  // four for each step that rounding bounds, less one for each other: from there on accelerations are refined

}  // namespace

Status Run::attempt() {
    if (options_.max_steps > 0 && steps_made() >= options_.max_steps) return Status::TooManySteps;
    const Traits traits = now_->traits();
    bool last;
    const Step step = plan(traits, last);
    if (too_small(step.h) && events_.guards.undefined() >= 0) return Status::EventFailed;
    if (too_small(step.h)) return undefined_ ? Status::NotFinite : Status::StepTooSmall;
    landing_.found.open = false;
    landing_.weigh(traits.soft ? step.h : 0);
    Outcome outcome = now_->step(step);
    if (traits.stages > 0 && !nearly_singular(step)) watch_rounding(step.h, outcome.error, traits.order);
    if (!(outcome.error <= 1)) {
        undefined_ = !std::isfinite(outcome.error);
        const double h = step.h * now_->reject(outcome.error);
        hand_over(step);
        return reject(h);
    }
    if (ends_too_close(step, traits, last)) return Status::Running;
    now_->keep(step, outcome);
    undefined_ = false;
    const bool crossed = !outcome.converged && cross(step, outcome);
    if (!outcome.converged) return Status::NotConverged;
    landing_.take_as_closed(traits.closes && !crossed);
    if (!outcome.stands) motion_.stand_at(step.t_new, new_);
    if (!outcome.landed) landing_.land(step.t_new, new_, slope_new_);
    landing_.take_as_closed(false);
    const int work = motion_.size();
    if (!traits.work && !crossed) new_[work] = y_[work] + step.h / 2 * (slope_[work] + slope_new_[work]);
    return accept(step, outcome);
}

// An error that shorter steps hardly lessen is rounding of accelerations, which refinement takes away
void Run::watch_rounding(double h, double error, double order) {
    if (rejected_h_ > h) {
        const bool low = error > rejected_error_ * std::pow(h / rejected_h_, order - 1.5);
        rounded_ = std::max(0, rounded_ + (low ? 4 : -1));
        if (rounded_ >= often) dynamics_.refines = true;
    }
    rejected_h_ = error > 1 && std::isfinite(error) ? h : 0, rejected_error_ = error;
}

// Its size, and whether it ends where the run stops
Step Run::plan(const Traits& traits, bool& last) {
    const StepSizes& sizes = stepper_->sizes();
    if (adaptive() && sizes.max_step > 0) h_ = std::min(h_, sizes.max_step);
    if (Contacts* contacts = dynamics_.forces.contacts(); contacts && adaptive()) {  // some stage is to see bodies that meet
        const double* y = motion_.standard(t_, y_);
        dynamics_.load_positions(t_, y);
        dynamics_.placement.load_velocities(y);
        h_ = contacts->longest_step(formulation_ ? nullptr : slope_.data(), h_);
    }
    if (traits.stages > 0 && !formulation_) h_ = fitted_step(ways_out_.leap(present(), h_), traits);
    last = adaptive() ? t_ + 1.01 * h_ >= stop_ : steps_here() + 1 >= fixed_steps_;
    double h = last ? stop_ - t_ : h_;
    double t_new = last ? stop_ : adaptive() ? t_ + h : t0_ + (steps_here() + 1) * h_;
    if (!adaptive() && !last && !too_small(h)) fit_fixed_step(h, t_new, traits);
    return {t_, h, t_new, y_, slope_, new_, slope_new_};
}

// Stages close to a singular position spoil a step, and steps that end just before it creep. A step that would do so is
// shortened: it crosses where its stages leave the widest gap, or ends early enough for the next one to do so.
double Run::fitted_step(double h, const Traits& traits) {
    const double gap = dynamics_.watch.crossing - t_;
    if (!(gap > 0 && gap < 1.5 * h)) return h;
    const double middle = traits.gap, at = gap / h;
    double nearest = std::abs(at - 1);
    for (int s = 1; s < traits.stages; ++s) nearest = std::min(nearest, std::abs(at - traits.nodes[s]));
    const bool clear = at < 1 ? nearest > 0.04 : at - 1 > 0.3 * middle;
    if (clear) return h;
    ++statistics_.fitted;
    return at <= middle ? gap / middle : gap / (1 + middle);
}

// Of steps of one size, one that would end close to a singular position ends beyond it, and the next one makes up for that.
void Run::fit_fixed_step(double& h, double& t_new, const Traits& traits) {
    if (off_grid_) h = t_new - t_;
    const double behind = dynamics_.watch.crossing - t_new;
    off_grid_ = !formulation_ && !traits.equal_steps && std::abs(behind) < 0.25 * h_;
    if (!off_grid_) return;
    ++statistics_.fitted;
    t_new += behind + 0.35 * h_;
    h = t_new - t_;
}

// A step that ends too close to a singular position is made again, so that the next one crosses it
bool Run::ends_too_close(const Step& step, const Traits& traits, bool last) {
    if (traits.stages == 0 || formulation_) return false;
    const double near = dynamics_.watch.foresee(step.t_new) - step.t_new;
    if (last || !(near < 0.15 * step.h && relanded_ < 3)) return false;
    ++relanded_;
    ++statistics_.fitted;
    h_ = (step.h + near) / (1 + traits.gap);
    dynamics_.watch.crossing = step.t_new + near;
    return true;
}

bool Run::nearly_singular(const Step& step) const {
    const Watch& watch = dynamics_.watch;
    return watch.nearness < 0.2 || (watch.crossing > step.t - step.h && watch.crossing < step.t_new + step.h);
}

// A step that fails next to a singular position is tried explicitly, and so are those that follow until it lies behind: stages can
// leave the position out, but equations at the end of a step, or differences of the past, cannot. What fails explicitly too is
// tried once more as before, shorter.
void Run::hand_over(const Step& step) {
    if (!adaptive() || !across_) return;
    const bool explicitly = now_ == stepper_.get() && nearly_singular(step) && landing_.projects();
    now_ = explicitly ? across_.get() : stepper_.get();
    if (!explicitly) return;
    across_->forget();
    ++statistics_.fitted;
}

void Run::take_back(const Step& step) {
    if (now_ == stepper_.get()) return;
    stepper_->forget();
    if (nearly_singular(step)) return;
    now_ = stepper_.get();
    h_ = std::min(h_, first_step());
}

// An implicit step of fixed size that does not converge where the joints are singular is made explicitly: at the position itself
// its equations have no unique solution. False if the position is not to blame.
bool Run::cross(const Step& step, Outcome& outcome) {
    if (!nearly_singular(step) || !landing_.projects()) return false;
    stepper_->forget();
    outcome = across_->step(step);
    ++statistics_.fitted;
    return true;
}

Status Run::reject(double h) {
    ++statistics_.rejected;
    h_ = h;
    return Status::Running;
}

Status Run::accept(const Step& step, const Outcome& outcome) {
    if (adaptive()) h_ = step.h * outcome.growth;
    const double violation = stepper_->sizes().violation;
    if (violation > 0 && landing_.found.opened > violation) {
        ++statistics_.too_open;
        now_->repeat();
        return reject(0.5 * step.h);
    }
    if (motion_.rows_chosen() && !rows_stay_closed(step.t_new)) {
        landing_.land(step.t_new, new_, slope_new_);  // to rounding: what is left grows in them
        if (!rows_stay_closed(step.t_new)) return reopened(step);
    }
    if (!keeps_energy(step)) {
        now_->repeat();
        return reject(0.6 * step.h);
    }
    watch(step.t_new);
    if (landing_.found.open || !motion_.finite(new_) || !motion_.finite(slope_new_))
        return adaptive() ? reject(0.1 * step.h) : landing_.found.open ? Status::Open : Status::NotFinite;
    if (!events_.guards.arrive(step.t_new, new_)) return adaptive() ? reject(0.1 * step.h) : Status::EventFailed;
    take(step, outcome);
    if (events_.guards.undefined() >= 0) return Status::EventFailed;
    if (sensors_.any() && !events_.due()) {
        if (!sense()) return Status::EventFailed;
        if (!motion_.finite(y_) || !motion_.finite(slope_)) return Status::NotFinite;
        if (!events_.due() && !(stop_ - t_ <= rounding() && stop_ != end_)) samples_.record_due(t_, y_);
    }
    const bool at_stop = stop_ - t_ <= rounding();  // then one restart does for both
    if (at_stop && stop_ == end_) note_end();
    if (events_.due() || (at_stop && stop_ != end_)) return begin_anew(!at_stop ? t_ : stop_ == end_ ? end_ : stops_[next_break_]);
    return t_ == end_ ? Status::Done : Status::Running;
}

// Next to singular positions, with rows chosen anew, and where bodies have hardly any inertia, accelerations may be rounding, and
// their projection may strike the mechanism without an estimate of errors seeing it. The balance of energy sees it.
bool Run::keeps_energy(const Step& step) {
    if (!adaptive() || formulation_ || !now_->traits().work) return true;
    const bool singular = nearly_singular(step) || renewed_at_ == step.t || dynamics_.selection.weakest_chosen < 1e-4;
    if (!singular && !balance_.light()) return true;
    const double rtol = motion_.tolerances().rtol;
    const Jump jump = balance_.jump(dynamics_, new_[motion_.size()], statistics_, rtol);
    if (jump == Jump::None) return true;
    strikes_ = struck_at_ == step.t ? strikes_ + 1 : 1;
    struck_at_ = step.t;
    if (jump == Jump::Large || strikes_ <= 4) return false;
    // whether little matters is seen when the run has gone on
    if (!(statistics_.energy_jumps > 1e3 * rtol * statistics_.energy_range)) statistics_.energy_jump_at = step.t;
    statistics_.energy_jumps += balance_.jump();
    return true;
}

// The choice of rows, residuals, energy and turns at the landed state
void Run::watch(double t) {
    if (formulation_) {  // energy and turns are read from the kernel's own coordinates
        const double* y = motion_.standard(t, new_);
        dynamics_.load_positions(t, y);
        dynamics_.placement.load_velocities(y);
    }
    if (motion_.rows_chosen()) dynamics_.watch.look(t);
    if (motion_.rows_chosen() && dynamics_.watch.doubtful() && scout_.renew(t, motion_.standard(t, new_))) {
        dynamics_.select(t, motion_.standard(t, new_));
        ++statistics_.renewals;
        landing_.land(t, new_, slope_new_);
    }
    statistics_.position_residual = std::max({statistics_.position_residual, landing_.found.position, left_open_});
    statistics_.velocity_residual = std::max(statistics_.velocity_residual, landing_.found.velocity);
    balance_.note(dynamics_, new_[motion_.size()], statistics_);
    dynamics_.placement.record_turns(t);
    if (formulation_) formulation_->placement().turns = dynamics_.placement.turns;
}

void Run::take(const Step& step, const Outcome& outcome) {
    const double growth = now_->accept(step, outcome);
    if (adaptive()) h_ = step.h * growth;
    relanded_ = 0;
    if (formulation_) formulation_->clear_trouble();
    ++statistics_.steps;
    statistics_.smallest_step = statistics_.steps == 1 ? step.h : std::min(statistics_.smallest_step, step.h);
    statistics_.largest_step = std::max(statistics_.largest_step, step.h);
    Between between(motion_, step, *now_);
    move_on(between, events_.any() ? events_.first(between, adaptive()) : HUGE_VAL);
    take_back(step);
}

// To the end of the step, or to the first event within it. A state that will change once more is not recorded yet.
void Run::move_on(Between& between, double event) {
    const Step& step = between.step();
    const bool changes = event <= step.t_new || (step.t_new == stop_ && (stop_ != end_ || event_at_end_)) || sensors_.any();
    const int recorded = samples_.count();
    samples_.record(between, std::min(event, step.t_new), !changes);
    in_last_step_ = adaptive() ? 0 : samples_.count() - recorded;
    t_ = std::min(event, step.t_new);
    if (event < step.t_new) {
        between.land(event, scratch_);
        y_.swap(scratch_);
        dynamics_.placement.turns.cut(event);
        if (formulation_) formulation_->placement().turns = dynamics_.placement.turns;
    } else {
        y_.swap(new_);
        slope_.swap(slope_new_);
    }
}

// Rows that were left out follow from the others; where one does not, the choice no longer fits
bool Run::rows_stay_closed(double t) {
    if (formulation_) dynamics_.load_positions(t, motion_.standard(t, new_));
    left_open_ = dynamics_.selection.left_out(t, true, &widest_);
    return !landing_.projects_always() || left_open_ <= landing_.allowed() || !(left_open_ > landing_.found.position);
}

// A row left out has opened: it was dependent where the rows were chosen, and no longer is. The step is made again with rows
// chosen where it led to. That the row was dependent and the motion does not keep it closed means that the mechanism stood in a
// singular position, and that it was not set in motion along any of the ways that lead out of it.
Status Run::reopened(const Step& step) {
    reject(h_);
    now_->repeat();
    statistics_.opened_row = widest_;
    if (!now_->traits().repeatable) return Status::Open;
    if (renewed_at_ == t_) {
        h_ = 0.25 * step.h;
        return adaptive() && !too_small(h_) ? Status::Running : Status::Open;
    }
    renewed_at_ = t_;
    ++statistics_.renewals;
    dynamics_.select(step.t_new, motion_.standard(step.t_new, new_));
    motion_.derivative(t_, y_, slope_);
    return Status::Running;
}

}  // namespace vincolo
