// Dormand-Prince while that is cheapest, Radau while stiff springs or dampers bound explicit steps. Explicit steps near the
// fastest rate of the mechanism may be bound by stability or by what they have to follow. Only trying tells: some implicit steps
// are made, and whichever gets on with fewer evaluations stays. A failed trial is repeated later and later. An implicit run goes
// back once explicit steps, bound by stability, would be cheaper.
#include <algorithm>

#include "integrators/radau.hpp"

namespace vincolo {

std::unique_ptr<Stepper> dormand_prince(Motion&, Given&);

namespace {

constexpr double implicit_price = 1.5;  // of an evaluation, linear algebra included
constexpr std::int64_t first_steps = 16;
constexpr double at_the_bound = 1.5;    // steps in units of the fastest rate from which on stability is likely to bound them

class Automatic : public Stepper {
  public:
    Automatic(Motion& motion, Given& given)
        : Stepper(motion, given, true), given_(given), explicit_(dormand_prince(motion, given)) {
        made_by_ = now_ = explicit_.get();
        if (motion.formulation() || !vincolo::may_be_stiff(motion.dynamics().system())) return;
        probe_ = std::make_unique<StiffSolver>(motion.dynamics());
    }
    Traits traits() const override { return now_->traits(); }
    bool moves_in_planes() const override { return true; }
    void begin(double t, double stop) override;
    Outcome step(const Step& step) override { return (made_by_ = now_)->step(step); }
    void keep(const Step& step, const Outcome& outcome) override { now_->keep(step, outcome); }
    double accept(const Step& step, const Outcome& outcome) override;
    double reject(double error) override { return now_->reject(error); }
    void repeat() override { now_->repeat(); }
    void forget() override;
    void extend(const Step& step) override { made_by_->extend(step); }
    void interpolate(const Step& step, double t, State& out) const override { made_by_->interpolate(step, t, out); }
    void report(RunStatistics& statistics) const override;

  private:
    // implicit steps are made in the kernel's own coordinates
    bool may_be_stiff() const { return probe_ && probe_->any(); }
    bool implicit() const { return implicit_ && now_ == implicit_.get(); }
    void try_out(const Step& step);
    void look_at_first(const Step& step);
    void probe(const Step& step);
    void change_to(Stepper* next, double t);
    Radau* made_implicit();  // most runs never need it
    // What a run has met and tried since it began
    struct Record {
        std::int64_t steps = 0, stiff_steps = 0, bound_steps = 0, easy_steps = 0, trial_steps = 0, patience = 5, trial_evaluations = 0;
        double explicit_cost = 0, implicit_cost = 0, trial_start = 0;  // costs: evaluations per second of motion
        double explicit_reach = 3;  // explicit steps in units of the fastest rate, when last seen
        double first_fastest = 0;   // where the run began
    };
    Given given_;
    std::unique_ptr<Stepper> explicit_;
    std::unique_ptr<Radau> implicit_;  // null until steps are made with it
    Stepper *now_, *made_by_, *next_ = nullptr;
    std::unique_ptr<StiffSolver> probe_;  // of stiffness; null where there is nothing that could be stiff
    Record met_;
    RunStatistics counts_;
};

// Implicitly from the start, where explicit steps would never end
void Automatic::begin(double t, double stop) {
    if (!may_be_stiff()) return;
    probe_->look(t);
    double fastest = 0;
    for (int k = 0; k < 8; ++k) {
        met_.first_fastest = fastest = probe_->fastest();
        if (k > 0 && fastest * (stop - t) < 1) return;  // orders below: runs that are entered begin often
    }
    if (!(fastest * (stop - t) > 1e7)) return;
    counts_.fastest = std::max(counts_.fastest, fastest);
    met_.explicit_cost = 6 * fastest / met_.explicit_reach;
    change_to(made_implicit(), t);
}

double Automatic::accept(const Step& s, const Outcome& outcome) {
    ++met_.steps;
    const double growth = now_->accept(s, outcome);
    next_ = now_;
    if (implicit()) counts_.implicit_time += s.h;
    if (may_be_stiff()) {
        try_out(s);
        if (next_ == now_ && !implicit() && met_.steps < first_steps) look_at_first(s);
        if (next_ == now_ && met_.steps % 4 == 0) probe(s);
    }
    if (next_ != now_) change_to(next_, s.t_new);
    return growth;
}

// Steps 8 to 16 of a trial tell what implicit steps cost
void Automatic::try_out(const Step& s) {
    if (!implicit()) return;
    const std::int64_t evaluations = motion_.dynamics().evaluations;
    if (++met_.trial_steps == 8) met_.trial_start = s.t + s.h, met_.trial_evaluations = evaluations;
    if (met_.trial_steps != 16) return;
    met_.implicit_cost = implicit_price * (evaluations - met_.trial_evaluations) / (s.t + s.h - met_.trial_start);
    if (!(met_.implicit_cost > met_.explicit_cost)) return;
    met_.patience = std::min(4 * met_.patience, std::int64_t{100000});
    next_ = explicit_.get();
}

// Steps that grow to the bound at once have nothing fast to follow: why wait. Where drives do work, explicit steps look after its
// error, and implicit ones do not.
void Automatic::look_at_first(const Step& s) {
    const bool bound = s.h * met_.first_fastest > at_the_bound && !motion_.dynamics().rows.do_work();
    met_.bound_steps = bound ? met_.bound_steps + 1 : 0;
    if (met_.bound_steps < 2) return;
    met_.explicit_cost = 6 / s.h, met_.explicit_reach = s.h * met_.first_fastest;
    next_ = made_implicit();
}

void Automatic::probe(const Step& s) {
    probe_->look(s.t + s.h);
    const double fastest = probe_->fastest();
    counts_.fastest = std::max(counts_.fastest, fastest);
    met_.stiff_steps = !implicit() && s.h * fastest > 0.5 ? met_.stiff_steps + 1 : 0;
    const double explicit_step = std::min(met_.explicit_reach / fastest, s.h);
    const double cost = implicit() ? implicit_price * 3 * (implicit_->passes() + 1) / s.h : 0;
    met_.easy_steps = implicit() && met_.trial_steps > 16 && 6 / explicit_step < 0.8 * cost ? met_.easy_steps + 1 : 0;
    if (!implicit()) met_.explicit_cost = 6 / s.h, met_.explicit_reach = s.h * fastest;
    if (met_.stiff_steps >= met_.patience) next_ = made_implicit();
    if (met_.easy_steps >= 5) next_ = explicit_.get();
}

void Automatic::change_to(Stepper* next, double t) {
    if (counts_.changes++ == 0) counts_.first_change = t;
    now_ = next;
    met_.stiff_steps = met_.bound_steps = met_.easy_steps = met_.trial_steps = 0;
    explicit_->forget();
    if (met_.steps > 0 && implicit_) implicit_->take_over();
}

Radau* Automatic::made_implicit() {
    if (!implicit_) implicit_ = std::make_unique<Radau>(motion_, given_, *probe_);
    return implicit_.get();
}

void Automatic::forget() {
    explicit_->forget();
    if (implicit_) implicit_->forget();
    if (probe_) probe_->forget();
    now_ = explicit_.get();
    met_ = {};
}

void Automatic::report(RunStatistics& s) const {
    s.changes = counts_.changes, s.first_change = counts_.first_change;
    s.implicit_time = counts_.implicit_time, s.fastest = counts_.fastest;
}

}  // namespace

std::unique_ptr<Stepper> automatic(Motion& motion, Given& given) { return std::make_unique<Automatic>(motion, given); }

}  // namespace vincolo
