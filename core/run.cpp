#include "run.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

Run::Run(const System& system, const RunOptions& options, double t0, const std::vector<double>& y0,
         const std::vector<double>& turns, const std::vector<double>& outputs)
    : options_(options), motion_(system, options.formulation, options.stabilisation, statistics_), dynamics_(motion_.dynamics()),
      formulation_(motion_.formulation()), landing_(motion_.landing()), scout_(dynamics_), ways_out_(motion_, scout_),
      stepper_(make_stepper(options.method, motion_, options_.integrator)), samples_(motion_, outputs), events_(motion_), sensors_(motion_), readings_(dynamics_.placement, dynamics_.quantities), t_(t0),
      end_(outputs.back()), stop_(end_), t0_(t0), y_(motion_.state()) {
    new_ = slope_ = slope_new_ = scratch_ = y_;
    motion_.from_standard(t0, y0.data(), y_);
    dynamics_.placement.turns.values() = turns;
    Given usual;
    now_ = stepper_.get();
    if (!adaptive()) across_ = make_stepper("rk4", motion_, usual);
    else if (now_->traits().stages == 0 && !formulation_) across_ = make_stepper("dop853", motion_, options_.integrator);
    steered_ = std::any_of(system.rows.begin(), system.rows.end(), [&](const Row& row) {
        return row.function >= 0 && system.functions[row.function].reads_auxiliaries();
    });
    if (now_->moves_in_planes() && !formulation_ && !landing_.geometric()) dynamics_.allow_planes();
    find_stops();
}

void Run::find_stops() {
    stops_.clear(), next_break_ = 0;
    if (adaptive()) stops_.insert(stops_.end(), options_.corners.begin(), options_.corners.end());
    events_.add_times(t_, end_ + rounding(), stops_);
    for (const auto* more : {&options_.checkpoints, &options_.calls}) stops_.insert(stops_.end(), more->begin(), more->end());
    event_at_end_ = std::any_of(stops_.begin(), stops_.end(), [&](double at) { return std::abs(at - end_) <= rounding() && events_.any_at(at); });
    std::sort(stops_.begin(), stops_.end());
    stops_.erase(std::unique(stops_.begin(), stops_.end()), stops_.end());
}

void Run::extend(double end) {
    end_ = end, paced_ = true;
    find_stops();
    begin_again();
}

void Run::begin_again() {
    if (formulation_ && !elsewhere_) motion_.from_standard(t_, motion_.standard(t_, y_), y_);  // as a state from outside comes in
    extended_ = true;
}

void Run::stand_at(double t, const double* y, const std::vector<double>& turns) {
    t_ = t;
    motion_.from_standard(t, y, y_);
    dynamics_.placement.turns.values() = turns;
    elsewhere_ = true;
}

void Run::read_outputs(double* out) {
    const std::vector<Expression>& outputs = dynamics_.system().outputs;
    if (outputs.empty()) return;
    const double* y = motion_.standard(t_, y_);
    dynamics_.load_positions(t_, y);
    dynamics_.placement.load_velocities(y);
    for (std::size_t k = 0; k < outputs.size(); ++k) out[k] = readings_.value(outputs[k], t_);
}

void Run::set_auxiliary(int auxiliary, double value) {
    if (steered_ && begun_ && before_setting_ < 0) before_setting_ = kinetic_energy();
    y_[motion_.auxiliary_index() + auxiliary] = value;
}

double Run::kinetic_energy() {
    const double* y = motion_.standard(t_, y_);
    dynamics_.load_positions(t_, y);
    dynamics_.placement.load_velocities(y);
    return dynamics_.placement.kinetic_energy();
}

void Run::meet_rows() {
    if (!steered_) return;
    landing_.weigh(0);
    if (motion_.rows_chosen()) choose_rows();
    landing_.land(t_, y_, slope_);
}

void Run::choose_rows() { dynamics_.select_anew(t_, motion_.standard(t_, y_)); }

Status Run::go_on() {
    meet_rows();
    ++statistics_.restarts;
    if (undecided_ && !elsewhere_) return step_across();
    undecided_ = false;
    forget();
    begin_here();
    if (!motion_.finite(slope_)) return Status::NotFinite;
    if (events_.any()) {
        if (elsewhere_) events_.guards.begin(t_, y_, slope_);
        else if (!events_.look(t_, y_, slope_)) return Status::EventFailed;
    }
    elsewhere_ = false;
    if (events_.due()) return happen();
    samples_.record_due(t_, y_);
    return t_ == end_ ? Status::Done : choose_first_step();
}

RunStatistics Run::statistics() const {
    RunStatistics all = statistics_;
    all.position_residual = std::max(all.position_residual, samples_.position_residual());
    stepper_->report(all);
    return all;
}

void EnergyBalance::begin(Dynamics& dynamics, double t, double end, double work, RunStatistics& statistics) {
    const double potential = dynamics.forces.potential_energy();
    kinetic_ = dynamics.placement.kinetic_energy();
    energy_ = kinetic_ + potential;
    work_ = work;
    last_ = jump_ = 0;
    potentials_ = {potential, potential}, works_ = {work, work};
    statistics.energy_range = kinetic_;
    const System& system = dynamics.system();
    double mass = 0, inertia = 0;
    for (int b = 0; b < system.ground(); ++b) {
        const Body& body = system.bodies[b];
        mass += body.mass, inertia += body.inertia.maxCoeff();
        light_ = light_ || body.mass_ballast > 0 || (body.ballast.array() > 0).any();
        statistics.energy_size += body.mass * system.gravity.norm() * dynamics.placement.bodies()[b].r.norm();
    }
    const double extent = system.extent, time = end - t, reach = std::max(extent, 1.0);
    statistics.usual_energy = 0.5 * (mass > 0 ? mass * extent * extent : inertia) / (time * time);
    // what forces do where bodies only shake by rounding
    for (std::size_t n = 0; n < system.laws.size(); ++n) {
        double value, rate, force, power;
        dynamics.quantities.read(system.laws[n].quantity, value, rate);
        dynamics.forces.law(static_cast<int>(n), t, value, rate, force, power);
        statistics.energy_size += std::abs(force) * reach;
    }
    for (const Load& load : system.loads) statistics.energy_size += dynamics.forces.load_vector(load, t).norm() * reach;
}

double EnergyBalance::missing(const Dynamics& dynamics, double work) const {
    return dynamics.placement.kinetic_energy() + dynamics.forces.potential_energy() - energy_ - (work - work_);
}

Jump EnergyBalance::jump(const Dynamics& dynamics, double work, const RunStatistics& statistics, double rtol) {
    const double range = statistics.energy_range, usual = statistics.usual_energy, rounding = 1e-11 * statistics.energy_size;
    jump_ = std::abs(missing(dynamics, work) - last_);
    if (!(usual > 0)) return Jump::None;  // nothing has mass
    if (!(jump_ > std::max(1e3 * rtol * std::max(range, 1e-3 * usual), rounding))) return Jump::None;
    return jump_ > std::max(1e3 * rtol * std::max(range, usual), rounding) ? Jump::Large : Jump::Small;
}

void EnergyBalance::note(const Dynamics& dynamics, double work, RunStatistics& statistics) {
    const double kinetic = dynamics.placement.kinetic_energy(), potential = dynamics.forces.potential_energy();
    last_ = kinetic + potential - energy_ - (work - work_);
    statistics.energy_imbalance = std::max(statistics.energy_imbalance, std::abs(last_));
    kinetic_ = std::max(kinetic_, kinetic);
    potentials_.take(potential);
    works_.take(work);
    statistics.energy_range = std::max({kinetic_, potentials_.width(), works_.width()});
    statistics.energy_size = std::max({statistics.energy_size, kinetic + std::abs(potential), std::abs(work)});
}

void Run::forget() {
    stepper_->forget();
    now_ = stepper_.get();
    landing_.forget();
    undefined_ = false;
    relanded_ = 0, off_grid_ = false;
    rejected_h_ = 0, rounded_ = 0, dynamics_.refines = false;
    dynamics_.watch.crossing = 0, dynamics_.watch.nearness = dynamics_.watch.lowest_now = 1;
}

void Run::begin_here() {
    dynamics_.placement.turns.start(t_);
    if (dynamics_.system().switched()) dynamics_.system().rows_at(motion_.standard(t_, y_), dynamics_.selection.candidates);
    if (motion_.rows_chosen()) choose_rows();
    else dynamics_.load_positions(t_, motion_.standard(t_, y_));
    dynamics_.placement.load_velocities(motion_.standard(t_, y_));
    dynamics_.placement.record_turns(t_);
    if (formulation_) {
        formulation_->placement().turns = dynamics_.placement.turns;
        if (formulation_->settle(t_, y_.data())) motion_.derivative(t_, y_, slope_);
        else slope_[0] = std::nan("");
    } else {
        dynamics_.accelerate(t_, y_.data(), slope_.data());
        ways_out_.begin(present());
    }
    if (before_setting_ >= 0) {  // drives whose rates jump do work at once
        y_[motion_.size()] += dynamics_.placement.kinetic_energy() - before_setting_;
        before_setting_ = -1;
    }
    if (statistics_.steps > 0) balance_.begin_step(dynamics_, y_[motion_.size()]);
    next_stop();
    t0_ = t_;
    step_offset_ = statistics_.steps;
    if (adaptive()) return;
    fixed_steps_ = std::max(1L, std::lround(std::min(1e15, std::ceil((stop_ - t_) / stepper_->sizes().step - 1e-9))));
    h_ = (stop_ - t_) / fixed_steps_;
}

Status Run::begin() {
    begun_ = true;
    if (extended_) meet_rows();
    extended_ = false;
    const bool decided = events_.begin(t_, y_);
    if (!decided && !events_.crossable()) return Status::EventFailed;
    begin_here();
    statistics_.position_residual = motion_.largest_residual();
    balance_.begin(dynamics_, t_, end_, y_[motion_.size()], statistics_);
    samples_.record_due(t_, y_);
    if (!decided) {  // to be crossed
        std::fill(scratch_.begin(), scratch_.end(), 0.0);
        events_.guards.begin(t_, y_, scratch_);
        return Status::EventFailed;
    }
    if (!motion_.finite(slope_)) return Status::NotFinite;
    events_.guards.begin(t_, y_, slope_);
    return events_.guards.undefined() < 0 ? choose_first_step() : Status::EventFailed;
}

Status Run::choose_first_step() {
    stepper_->begin(t_, stop_);
    if (adaptive()) h_ = ways_out_.first_step() > 0 ? ways_out_.first_step() : first_step();
    if (adaptive()) h_ = events_.step_behind_corners(t_, y_, slope_, h_);
    return Status::Running;
}

// After Hairer, Norsett and Wanner; needs the slope at the present state
double Run::first_step() {
    const double d0 = motion_.scaled_state(y_), d1 = motion_.scaled(slope_, y_, y_);
    double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h = std::min(h, stop_ - t_);
    for (std::size_t i = 0; i < y_.size(); ++i) new_[i] = y_[i] + h * slope_[i];
    motion_.derivative(t_ + h, new_, slope_new_);
    for (int i = 0; i < motion_.judged_end(); ++i) scratch_[i] = slope_new_[i] - slope_[i];
    const double d2 = motion_.scaled(scratch_, y_, y_) / h;
    const double largest = std::max(d1, d2);
    const Traits traits = stepper_->traits();
    const double next = largest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / largest, 1 / traits.order);
    // an implicit step need not follow the fastest motion: what is too long will be repeated
    const double least = traits.implicit ? 1e-9 * (stop_ - t_) : 0;
    return std::max(least, std::min(100 * h, next));
}

// Adaptive steps end a rounding before a corner, so that no stage looks behind it.
void Run::next_stop() {
    const double passed = t_ + rounding();  // what happens at the time of a state has happened
    while (next_break_ < stops_.size() && !(stops_[next_break_] > passed)) ++next_break_;
    const bool stops = next_break_ < stops_.size() && stops_[next_break_] < end_;
    stop_ = !stops ? end_ : adaptive() ? std::nextafter(stops_[next_break_], t_) : stops_[next_break_];
}

Status Run::begin_anew(double t) {
    t_ = t;
    events_.note_time(t_);
    note_times(t + rounding());
    landing_.weigh(0);
    return happen();
}

// Times that differ by rounding alone are one: that of a checkpoint, if it is among them
void Run::note_times(double to) {
    for (std::size_t k = next_break_; k < stops_.size() && stops_[k] <= to; ++k) {
        if (std::binary_search(options_.checkpoints.begin(), options_.checkpoints.end(), stops_[k])) t_ = stops_[k];
        events_.note_time(stops_[k]);
        called_ = called_ || std::binary_search(options_.calls.begin(), options_.calls.end(), stops_[k]);
    }
}

void Run::note_end() { paced_ ? note_times(end_ + rounding()) : note_events(end_); }

void Run::note_events(double t) {
    for (double at : stops_)
        if (std::abs(at - t) <= rounding()) events_.note_time(at);
}

// Events, what they bring about at the same time, and the state after all of it: on the constraints, with its slope
Status Run::happen() {
    do {
        const bool acts = events_.due();
        if (acts && !events_.act(t_, y_)) return Status::EventFailed;
        landing_.land(t_, y_, slope_);
        if (acts && events_.decides() && in_last_step_ > 0) samples_.restate(in_last_step_, motion_.standard(t_, y_));
        in_last_step_ = 0;
        if (acts && sensors_.any() && !sense()) return Status::EventFailed;
        if (!motion_.finite(slope_)) return Status::NotFinite;
        if (!events_.any()) break;
        if (!events_.look(t_, y_, slope_)) return Status::EventFailed;
        if (events_.without_end()) return Status::EventsWithoutEnd;
    } while (events_.due());
    called_ = called_ || !events_.calls().empty();
    return called_ ? Status::Called : restart();
}

bool Run::sense() {
    const double before = steered_ ? kinetic_energy() : 0;
    if (!sensors_.read(t_, y_)) return true;
    if (steered_) {  // drives that follow them jump in speed, which is work
        landing_.weigh(0);
        landing_.land(t_, y_, slope_);
        y_[motion_.size()] += kinetic_energy() - before;
    } else {
        motion_.derivative(t_, y_, slope_);
    }
    return !(sensors_.guarded() || events_.decides()) || events_.look(t_, y_, slope_);
}

Status Run::restart() {
    ++statistics_.restarts;
    if (end_ - t_ <= rounding()) t_ = end_;
    forget();
    begin_here();
    if (!motion_.finite(slope_)) return Status::NotFinite;
    samples_.record_due(t_, y_);
    if (!events_.stops()) return t_ == end_ ? Status::Done : choose_first_step();
    if (!paced_) samples_.end_at(t_, y_);
    return Status::Stopped;
}

Status Run::advance(long evaluations) {
    Status status = Status::Running;
    until_ = dynamics_.evaluations + evaluations;
    if (!begun_) status = begin();
    if (extended_) {
        extended_ = false;
        status = go_on();
    }
    if (called_) {  // what was changed meanwhile may bring about more
        called_ = false;
        events_.called();
        status = undecided_ ? step_across() : happen();
    }
    while (crosses(status) || (status == Status::Running && dynamics_.evaluations < until_)) {
        status = status == Status::Running && !undecided_ ? attempt() : step_across();
        if (formulation_ && formulation_->trouble().failure == Failure::Raised) status = Status::NotFinite;
    }
    return status;
}

}  // namespace vincolo
