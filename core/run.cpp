#include "run.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/tableau.hpp"

namespace vincolo {

namespace {

bool adaptive(Method m) { return pair_of(m) || m == Method::Radau || m == Method::BDF || m == Method::Adams; }

}  // namespace

Run::Run(const System& system, const RunOptions& options, double t0, const std::vector<double>& y0,
         const std::vector<double>& turns, const std::vector<double>& outputs)
    : options_(options), formulation_(options.formulation.kind == "sparse" ? nullptr : std::make_unique<Formulation>(system, options.formulation)),
      dynamics_(system), scout_(dynamics_), t_(t0), end_(outputs.back()), stop_(end_), size_(formulation_ ? formulation_->state_size() : system.state_size() - 1), t0_(t0),
      outputs_(outputs) {
    const std::size_t padded = (static_cast<std::size_t>(size_) + 1 + lanes - 1) / lanes * lanes;
    y_.assign(padded, 0);
    if (formulation_) formulation_->coordinates().from_standard(y0.data(), y_.data());
    else std::copy(y0.begin(), y0.end(), y_.begin());
    standard_ = y0;
    new_ = sample_ = old_slope_ = y_;
    for (State& k : slopes_) k.assign(padded, 0);
    for (State& d : dense_) d.assign(padded, 0);
    samples_.assign(outputs.size() * system.state_size(), 0);
    sample_turns_.assign(outputs.size() * system.turns, 0);
    dynamics_.turns() = turns;
    options_.atol = options.atol.of(system.extent);
    if (!options.relative && options.trigger == 0) options_.tolerance /= std::max(1.0, system.extent);
    atol_.assign(padded, options_.atol.turning);
    const int positions = formulation_ ? formulation_->coordinates().q_size : 7;
    const int whole = formulation_ ? formulation_->coordinates().body_state() : body_size;
    for (int i = 0; i < size_; ++i)
        if (i % whole < positions) atol_[i] = options_.atol.absolute(std::min(i % whole, at_v - 1));
        else if (i % whole < positions + 3) atol_[i] = options_.atol.velocities;
    if (adaptive(options.method)) stops_ = options.corners;
    for (const auto* more : {&options.switches, &options.checkpoints}) stops_.insert(stops_.end(), more->begin(), more->end());
    std::sort(stops_.begin(), stops_.end());
    stops_.erase(std::unique(stops_.begin(), stops_.end()), stops_.end());
    pair_ = pair_of(options.method);
    next_method_ = options.method;
    if (options.method == Method::Radau) radau_ = std::make_unique<Radau>(dynamics_, options_.atol, options.index);
    if (options.method == Method::GeneralisedAlpha) alpha_ = std::make_unique<GeneralisedAlpha>(dynamics_, options.alpha_weights);
    if (options.method == Method::Adams) adams_ = std::make_unique<Adams>(options.rtol, atol_, size_);
    if (options.method == Method::Rattle) rattle_ = std::make_unique<Rattle>(dynamics_);
    if (options.method == Method::Rosenbrock) rosenbrock_ = std::make_unique<Rosenbrock>(dynamics_);
    if (options.automatic) {
        radau_ = std::make_unique<Radau>(dynamics_, options_.atol);
        probe_ = std::make_unique<StiffSolver>(dynamics_);
    }
    // not on positions: velocities of index 3 are off along M^-1 J^T, and only the metric of the masses takes that back
    const bool implicit = (options.method == Method::Radau && options.index < 3) || options.method == Method::BDF || rosenbrock_ || options.automatic;
    if (implicit && !options.geometric && options.trigger == 0) {
        closer_ = std::make_unique<StiffSolver>(dynamics_);
        if (!closer_->any()) closer_.reset();
        none_.assign(system.bodies.size(), Twist{Vec3::Zero(), Vec3::Zero()});
        moved_ = none_;
        given_.assign(dynamics_.set.blocks.size(), Column{});
        mu_ = given_;
    }
    if (options.method == Method::BDF) bdf_ = std::make_unique<Bdf>(dynamics_, options_.atol);
    if (options.stabilisation == Stabilisation::Baumgarte) {
        dynamics_.alpha = options.alpha;
        dynamics_.beta = options.beta;
        if (formulation_) formulation_->alpha = options.alpha, formulation_->beta = options.beta;
    }
}

void Run::derivative(double t, const State& y, State& dy) {
    if (formulation_) {
        ++dynamics_.evaluations;
        return formulation_->derivative(t, y.data(), dy.data());
    }
    dynamics_.place(t, y.data());
    dynamics_.accelerate(t, y.data(), dy.data());
}

double* Run::standard(State& x) {
    if (!formulation_ || formulation_->coordinates().standard()) return x.data();
    formulation_->coordinates().to_standard(x.data(), standard_.data());
    return standard_.data();
}

bool Run::finite(const State& y) const {
    double sum = 0;
    for (int i = 0; i < size_; ++i) sum += 0 * y[i];
    return sum == 0;
}

void Run::place(double t, const double* y) { options_.geometric ? dynamics_.place_geometric(t, y) : dynamics_.place(t, y); }

void Run::close(double t, double* y, double& position) {
    constexpr int most = 5;
    if (formulation_ || options_.geometric || options_.trigger > 0) {
        place(t, y);
        position = opened_ = dynamics_.placed_residual();
        if (options_.trigger > 0 && dynamics_.placed_sum() <= options_.trigger) return;
    } else {
        position = dynamics_.residual(t, y);  // the last stage stands at the end of the step: its factor serves
    }
    opened_ = position;
    for (int i = 0; i < most; ++i) {
        ++statistics_.corrections;
        dynamics_.correct_positions(y, options_.geometric);
        place(t, y);
        position = dynamics_.placed_residual();
        // near a singular position what is left of Phi is magnified: go on to rounding
        const double wanted = dynamics_.lowest_now < 1e-2 && i == 0 ? 1e-15 : options_.tolerance;
        const double left = options_.trigger > 0 ? dynamics_.placed_sum() : position;
        if (!(left > wanted)) break;
    }
    open_ = position > std::max(1e-8, 1e3 * options_.tolerance);
}

// Projection in the metric of an implicit step: moving against a stiff spring or damper counts as heavy. In that of the masses
// alone a correction would strike it, and the next step would have to follow the blow.
void Run::project_stiff(double t, double* y, double& position, double& velocity) {
    constexpr int most = 5;
    const int nb = dynamics_.system().ground();
    dynamics_.place_rows(t, y);
    dynamics_.load_velocities(y);
    closer_->prepare(t);
    closer_->factor(0.25 * step_);
    for (int i = 0; i < most; ++i) {
        position = dynamics_.placed_residual();
        if (i == 0) opened_ = position;
        if (!options_.positions || (i > 0 && !(position > options_.tolerance))) break;
        ++statistics_.corrections;
        for (std::size_t k = 0; k < given_.size(); ++k) given_[k].negate(dynamics_.phi[k]);
        closer_->solve_given(none_, nullptr, given_, moved_, mu_);
        for (int b = 0; b < nb; ++b) {
            double* x = y + body_size * b;
            for (int c = 0; c < 3; ++c) x[at_r + c] += moved_[b].v[c];
            turn_quaternion(x + at_p, moved_[b].w);
        }
        dynamics_.place_rows(t, y);
    }
    open_ = position > std::max(1e-8, 1e3 * options_.tolerance);
    velocity = dynamics_.rate_residual(y);
    if (options_.velocities) {
        closer_->prepare(t);
        closer_->factor(0.25 * step_);
        for (std::size_t k = 0; k < given_.size(); ++k) given_[k].negate(dynamics_.lam_free[k]);
        closer_->solve_given(none_, nullptr, given_, moved_, mu_);
        for (int b = 0; b < nb; ++b)
            for (int c = 0; c < 3; ++c) {
                y[body_size * b + at_v + c] += moved_[b].v[c];
                y[body_size * b + at_w + c] += moved_[b].w[c];
            }
    }
    dynamics_.place(t, y);
}

void Run::project(double t, State& x, double& position, double& velocity) {
    double* y = standard(x);
    if (closer_ && !pair_ && step_ > 0) return project_stiff(t, y, position, velocity);
    if (rattle_ && !crossed_) {  // closed, and placed there
        position = dynamics_.placed_residual();
    } else if (options_.positions) {
        close(t, y, position);
    } else {
        place(t, y);
        position = dynamics_.placed_residual();
    }
    velocity = options_.velocities ? dynamics_.correct_velocities(y, options_.geometric) : dynamics_.rate_residual(y);
    if (y != x.data()) formulation_->coordinates().from_standard(y, x.data());
}

void Run::here(double t, State& slope) {
    if (formulation_ || options_.geometric) derivative(t, new_, slope);
    else dynamics_.accelerate(t, new_.data(), slope.data());
}

// The end of a step: onto the constraints, and the slope there
void Run::land(double t, State& slope) {
    const bool projected = options_.stabilisation == Stabilisation::Projection;
    if (projected) project(t, new_, landed_position_, landed_velocity_);
    if (formulation_ && !formulation_->settle(t, new_.data())) new_[0] = std::nan("");
    if (projected) return here(t, slope);
    derivative(t, new_, slope);
    landed_position_ = formulation_ ? formulation_->largest_residual() : dynamics_.placed_residual();
    opened_ = landed_position_;
    landed_velocity_ = formulation_ ? formulation_->largest_rate() : dynamics_.rate_residual(new_.data());
}

// Takes the landed state with its slope as the new one: choice of rows, records
void Run::settle(double t, State& slope) {
    if (formulation_) {  // energy and turns are read from the kernel's own coordinates
        const double* y = standard(new_);
        dynamics_.load_positions(t, y);
        dynamics_.load_velocities(y);
    }
    if (rows_chosen()) dynamics_.watch(t);
    if (rows_chosen() && dynamics_.doubtful() && scout_.renew(t, standard(new_))) {
        dynamics_.select(t, standard(new_));
        ++statistics_.renewals;
        land(t, slope);
    }
    old_slope_.swap(slopes_[0]);
    slopes_[0].swap(slope);
    statistics_.position_residual = std::max({statistics_.position_residual, landed_position_, left_open_});
    statistics_.velocity_residual = std::max(statistics_.velocity_residual, landed_velocity_);
    balance(new_[size_]);
    dynamics_.record_turns(t);
    if (formulation_) formulation_->dynamics().follow_turns(dynamics_);
}

void Run::balance(double work) {
    const double kinetic = dynamics_.kinetic_energy(), potential = dynamics_.potential_energy();
    const double imbalance = std::abs(kinetic + potential - energy_ - (work - work_));
    statistics_.energy_imbalance = std::max(statistics_.energy_imbalance, imbalance);
    most_kinetic_ = std::max(most_kinetic_, kinetic);
    potentials_.take(potential);
    works_.take(work);
    statistics_.energy_range = std::max({most_kinetic_, potentials_.width(), works_.width()});
    statistics_.energy_size = std::max({statistics_.energy_size, kinetic + std::abs(potential), std::abs(work)});
}

// What a method remembers of earlier steps
void Run::forget() {
    if (bdf_) bdf_->forget();
    if (adams_) adams_->forget();
    if (radau_) radau_->forget();
    if (alpha_) alpha_->forget();
    if (rattle_) rattle_->forget();
    if (probe_) probe_->forget();
    if (options_.automatic) options_.method = next_method_ = Method::DormandPrince, pair_ = pair_of(options_.method);
    stiff_steps_ = easy_steps_ = trial_steps_ = trial_evaluations_ = 0, patience_ = 5;
    explicit_cost_ = implicit_cost_ = trial_start_ = 0, explicit_reach_ = 3;
    accepted_step_ = step_ = 0, accepted_error_ = 1;
    last_error_ = 1e-4;
    was_rejected_ = undefined_ = false;
    relanded_ = 0, off_grid_ = false;
    dynamics_.crossing = 0, dynamics_.nearness = dynamics_.lowest_now = 1;
}

// Everything that follows from the state alone
void Run::begin_here() {
    dynamics_.start_turns(t_);
    if (!dynamics_.system().switches.empty()) dynamics_.system().rows_at(t_, dynamics_.candidates);
    if (rows_chosen()) dynamics_.select(t_, standard(y_));
    else dynamics_.load_positions(t_, standard(y_));
    dynamics_.load_velocities(standard(y_));
    dynamics_.record_turns(t_);
    if (formulation_) {
        formulation_->dynamics().follow_turns(dynamics_);
        if (formulation_->settle(t_, y_.data())) derivative(t_, y_, slopes_[0]);
        else slopes_[0][0] = std::nan("");
    } else {
        dynamics_.accelerate(t_, y_.data(), slopes_[0].data());
        begin_on_a_way_out();
        take_reference_ahead();
    }
    next_stop();
    t0_ = t_;
    step_offset_ = statistics_.steps;
    if (adaptive(options_.method)) return;
    fixed_steps_ = std::max(1L, std::lround(std::min(1e15, std::ceil((stop_ - t_) / options_.step - 1e-9))));
    h_ = (stop_ - t_) / fixed_steps_;
}

// In a singular position rows fail that hold the mechanism everywhere else, and accelerations there are not those of the motion
// that leads through it. Rows are chosen a little further on, and the accelerations extrapolated back from positions there.
void Run::begin_on_a_way_out() {
    way_out_ = 0;
    if (dynamics_.taken == dynamics_.candidates || !(dynamics_.speed() > 0) || !projects_always()) return;
    const double h = 0.01 * dynamics_.size() / dynamics_.speed();
    if (land_ahead(h, 0, slopes_[1]) && scout_.richer(time_of(h), new_.data())) {
        dynamics_.select(time_of(h), new_.data());
        extrapolate_back(h);
    }
    dynamics_.place(t_, y_.data());
    if (way_out_ > 0) dynamics_.load_velocities(y_.data());
    else dynamics_.accelerate(t_, y_.data(), slopes_[0].data());
}

// Positions that velocities alone lead to are those of the present time, unless joints themselves move with time
double Run::time_of(double h) const {
    const System& system = dynamics_.system();
    bool moved = !system.moving.empty();
    for (const Row& row : system.rows) moved = moved || (row.function >= 0 && row.drive) || system.quantities[row.quantity].formula >= 0;
    return moved ? t_ + h : t_;
}

// Accelerations here from those at three positions ahead, along the velocities, and a first step that leads beyond them
void Run::extrapolate_back(double h) {
    bool closed = true;
    const double first = std::min(h, time_ahead(0.01 * dynamics_.size()));
    for (const int k : {1, 2, 3}) closed = land_ahead(k * h, 0, slopes_[k]) && dynamics_.left_out(time_of(k * h), true) <= allowed() && closed;
    if (!closed) return;
    for (int i = 0; i <= size_; ++i)  // velocities, and work
        if (i == size_ || i % body_size >= at_v) slopes_[0][i] = 3 * (slopes_[1][i] - slopes_[2][i]) + slopes_[3][i];
    way_out_ = std::min(10 * first, 0.5 * (stop_ - t_));
    dynamics_.crossing = std::nextafter(t_, end_);  // the first step crosses the singular position
}

// Steps that have come to stand so close to a singular position that rounding rules their forces leap over it
void Run::leap() {
    if (!(dynamics_.nearness < 0.05 && t_ > leapt_to_ && projects_always())) return;
    const double soon = time_ahead(0.01 * dynamics_.size());
    if (!(h_ < 0.03 * soon && soon < 0.5 * (stop_ - t_) && dynamics_.speed() > 0)) return;
    way_out_ = 0;
    leapt_to_ = t_ + soon;
    extrapolate_back(0.01 * dynamics_.size() / dynamics_.speed());
    dynamics_.place(t_, y_.data());
    dynamics_.load_velocities(y_.data());
    if (way_out_ > 0) h_ = way_out_, way_out_ = 0;
}

// The time in which the present velocities and accelerations lead some way
double Run::time_ahead(double way) const {
    double speed = dynamics_.speed(), push = 0;
    for (int n = 0; n < size_; n += body_size)
        for (int c = 0; c < 3; ++c)
            push = std::max({push, std::abs(slopes_[0][n + at_v + c]), dynamics_.size() * std::abs(slopes_[0][n + at_w + c])});
    return speed > 0 || push > 0 ? 2 * way / (speed + std::sqrt(speed * speed + 2 * push * way)) : HUGE_VAL;
}

// Next to a singular position pivots are small from the start, and would not be seen to vanish where it is passed: they are
// compared with those a little further on, where the motion or, at rest, the accelerations lead.
void Run::take_reference_ahead() {
    if (dynamics_.weakest_chosen > 1e-4 || way_out_ > 0 || !projects_always()) return;
    const double h = time_ahead(0.03 * dynamics_.size());
    if (h < HUGE_VAL && land_ahead(h, h * h / 2, slopes_[1])) dynamics_.take_reference();
    dynamics_.place(t_, y_.data());
    dynamics_.accelerate(t_, y_.data(), slopes_[0].data());
    dynamics_.watch(t_);
}

// A landing where h times the present velocities and g times the accelerations lead to; whether it closes
bool Run::land_ahead(double h, double g, State& slope) {
    const double t = time_of(h);
    carry(h, g, new_);
    dynamics_.place(t, new_.data());
    const double position = landed_position_, velocity = landed_velocity_;
    const long corrections = statistics_.corrections;
    for (int pass = 0; pass < 2; ++pass) land(t, slope);  // to rounding: what is left grows in rows left out
    const bool closed = !open_;
    landed_position_ = position, landed_velocity_ = velocity, statistics_.corrections = corrections, open_ = false;
    return closed;
}

void Run::carry(double h, double g, State& out) const {
    out = y_;
    for (int n = 0; n < size_; n += body_size) {
        Vec3 turn;
        for (int c = 0; c < 3; ++c) {
            out[n + at_r + c] += h * y_[n + at_v + c] + g * slopes_[0][n + at_v + c];
            turn[c] = h * y_[n + at_w + c] + g * slopes_[0][n + at_w + c];
        }
        rotate_quaternion(&out[n + at_p], turn);
    }
}

Status Run::begin() {
    begun_ = true;
    begin_here();
    statistics_.position_residual = formulation_ ? formulation_->largest_residual() : dynamics_.placed_residual();
    const double potential = dynamics_.potential_energy();
    most_kinetic_ = dynamics_.kinetic_energy();
    energy_ = most_kinetic_ + potential;
    work_ = y_[size_];
    potentials_ = {potential, potential}, works_ = {work_, work_};
    statistics_.energy_range = most_kinetic_;
    const System& system = dynamics_.system();
    for (int b = 0; b < system.ground(); ++b) usual_energy_ += 0.5 * system.bodies[b].mass * std::pow(system.extent / (end_ - t_), 2);
    for (int b = 0; b < system.ground(); ++b) statistics_.energy_size += system.bodies[b].mass * system.gravity.norm() * dynamics_.bodies[b].r.norm();
    // what forces do where bodies only shake by rounding
    for (std::size_t n = 0; n < system.laws.size(); ++n) {
        double value, rate, force, power;
        dynamics_.quantity(system.laws[n].quantity, value, rate);
        dynamics_.law_force(static_cast<int>(n), t_, value, rate, force, power);
        statistics_.energy_size += std::abs(force) * std::max(system.extent, 1.0);
    }
    for (const Load& load : system.loads) statistics_.energy_size += dynamics_.load_vector(load, t_).norm() * std::max(system.extent, 1.0);
    record_due();
    return finite(slopes_[0]) ? set_off() : Status::NotFinite;
}

// Samples at the present time or before
void Run::record_due() {
    while (recorded_ < static_cast<int>(outputs_.size()) && outputs_[recorded_] <= t_) {
        sample_ = y_;
        record(sample_);
    }
}

Status Run::set_off() {
    if (probe_) begin_stiff();
    if (adaptive(options_.method)) h_ = options_.step > 0 ? options_.step : way_out_ > 0 ? way_out_ : first_step();
    return Status::Running;
}

Status Run::attempt() {
    if (options_.max_steps > 0 && statistics_.steps + statistics_.rejected >= options_.max_steps) return Status::TooManySteps;
    const bool adapt = adaptive(options_.method);
    if (adapt && options_.max_step > 0) h_ = std::min(h_, options_.max_step);
    if (adapt && !pair_) return attempt_other();
    if (adapt && !formulation_) leap(), h_ = fitted_step(h_);
    const bool last = adapt ? t_ + 1.01 * h_ >= stop_ : statistics_.steps - step_offset_ + 1 >= fixed_steps_;
    double h = last ? stop_ - t_ : h_;
    if (too_small(h)) return undefined_ ? Status::NotFinite : Status::StepTooSmall;
    double t_new = last ? stop_ : adapt ? t_ + h : t0_ + (statistics_.steps - step_offset_ + 1) * h_;
    if (!adapt && !last) fit_fixed_step(h, t_new);

    open_ = false;
    step_ = h;
    if (adapt) {
        stages(h, t_new);
        double error = pair_error(h);
        // near a singular position forces lose digits, but only in what projection takes away
        const bool crosses = dynamics_.crossing > t_ && dynamics_.crossing < t_new;
        if (!formulation_ && error > 1 && (crosses || dynamics_.nearness < 0.05)) error = std::min(error, error_to_keep(h, error));
        if (!(error <= 1)) {
            ++statistics_.rejected;
            was_rejected_ = true;
            undefined_ = !std::isfinite(error);
            h_ = h * (std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, -1 / pair_->order)) : 0.1);
            return Status::Running;
        }
        const double near = formulation_ ? h : dynamics_.foresee(t_new) - t_new;
        if (!last && near < 0.15 * h && relanded_ < 3) {  // ends too close to a singular position
            ++relanded_;
            ++statistics_.fitted;
            h_ = (h + near) / (1 + pair_->gap);
            dynamics_.crossing = t_new + near;
            return Status::Running;
        }
        const double e = std::max(error, 1e-10);
        const bool eight = options_.method == Method::DOP853;
        const double grow = eight ? 0.9 * std::pow(e, -0.125) : 0.9 * std::pow(e, -0.85 / pair_->order) * std::pow(last_error_, 0.2 / pair_->order);
        h_ = h * std::min(was_rejected_ ? 1.0 : eight ? 6.0 : 10.0, std::max(0.2, grow));
        was_rejected_ = undefined_ = false;
        last_error_ = std::max(error, 1e-4);
    } else {
        fixed_step(h);
    }
    crossed_ = stopped_ && cross(h, t_new);
    if (stopped_) return Status::NotConverged;
    const bool landed = options_.method == Method::Trapezoidal || (pair_ && pair_->lands);
    State& slope = slopes_[pair_ && pair_->lands ? pair_->stages : 12];
    if (!landed) {
        if (options_.method == Method::CashKarp && !formulation_) dynamics_.place(t_new, new_.data());
        land(t_new, slope);
    }
    if (alpha_ && !crossed_) alpha_->accept();
    if ((alpha_ || rattle_) && !crossed_) new_[size_] = y_[size_] + h / 2 * (slopes_[0][size_] + slope[size_]);
    return accept(h, t_new, last, slope);
}

Status Run::accept(double h, double t_new, bool last, State& slope) {
    if (too_open() && adaptive(options_.method)) {
        ++statistics_.rejected;
        ++statistics_.too_open;
        was_rejected_ = true;
        h_ = 0.5 * h;
        return Status::Running;
    }
    if (rows_chosen() && !rows_stay_closed(t_new)) {
        land(t_new, slope);  // to rounding: what is left grows in them
        if (!rows_stay_closed(t_new)) return reopened(h, t_new);
    }
    settle(t_new, slope);
    if (open_ || !finite(new_) || !finite(slopes_[0])) {
        slopes_[0].swap(old_slope_);
        if (!adaptive(options_.method)) return open_ ? Status::Open : Status::NotFinite;
        ++statistics_.rejected;
        h_ = 0.1 * h;
        return Status::Running;
    }
    if (bdf_) h_ = h * bdf_->accept(new_);
    if (adams_) h_ = h * adams_->accept(slopes_[0]);
    relanded_ = 0;
    if (formulation_) formulation_->all_is_well();
    ++statistics_.steps;
    statistics_.smallest_step = statistics_.steps == 1 ? h : std::min(statistics_.smallest_step, h);
    statistics_.largest_step = std::max(statistics_.largest_step, h);
    if (probe_) watch_stiffness(h);
    emit(t_new, h);  // still by the method that made the step
    y_.swap(new_);
    t_ = t_new;
    if (next_method_ != options_.method) change_to(next_method_);
    if (!last) return Status::Running;
    return t_ == end_ ? Status::Done : begin_anew();
}

// Rows that were left out follow from the others; where one does not, the choice no longer fits
bool Run::rows_stay_closed(double t) {
    if (formulation_) dynamics_.load_positions(t, standard(new_));
    left_open_ = dynamics_.left_out(t, true, &widest_);
    return !projects_always() || left_open_ <= allowed() || !(left_open_ > landed_position_);
}

// A row left out has opened: it was dependent where the rows were chosen, and no longer is. The step is made again with rows
// chosen where it led to. That the row was dependent and the motion does not keep it closed means that the mechanism stood in a
// singular position, and that it was not set in motion along any of the ways that lead out of it.
Status Run::reopened(double h, double t_new) {
    ++statistics_.rejected;
    was_rejected_ = true;
    statistics_.opened_row = widest_;
    const bool remembers = alpha_ || rattle_ || options_.method == Method::AdamsMoulton;  // what a second try would spoil
    if (remembers) return Status::Open;
    if (renewed_at_ == t_) {
        h_ = 0.25 * h;
        return adaptive(options_.method) && !too_small(h_) ? Status::Running : Status::Open;
    }
    renewed_at_ = t_;
    ++statistics_.renewals;
    dynamics_.select(t_new, standard(new_));
    if (formulation_) derivative(t_, y_, slopes_[0]);
    else dynamics_.place(t_, y_.data()), dynamics_.accelerate(t_, y_.data(), slopes_[0].data());
    return Status::Running;
}

// Adaptive steps end a rounding before a corner, so that no stage looks behind it.
void Run::next_stop() {
    while (next_break_ < stops_.size() && !(stops_[next_break_] > t_)) ++next_break_;
    const bool stops = next_break_ < stops_.size() && stops_[next_break_] < end_;
    stop_ = !stops ? end_ : adaptive(options_.method) ? std::nextafter(stops_[next_break_], t_) : stops_[next_break_];
}

Status Run::begin_anew() {
    t_ = stops_[next_break_];
    new_ = y_;
    const System& system = dynamics_.system();
    if (!system.switches.empty()) {
        system.rows_at(t_, dynamics_.candidates);
        dynamics_.select(t_, new_.data());
        if (dynamics_.placed_residual() > 1e-3 * dynamics_.size()) return Status::Open;  // what is switched on stands elsewhere
    }
    land(t_, slopes_[0]);
    y_.swap(new_);
    ++statistics_.restarts;
    forget();
    begin_here();
    if (!finite(slopes_[0])) return Status::NotFinite;
    record_due();
    return set_off();
}

Status Run::advance(long evaluations) {
    Status status = Status::Running;
    const long until = dynamics_.evaluations + evaluations;
    if (!begun_) status = begin();
    while (status == Status::Running && dynamics_.evaluations < until) {
        status = attempt();
        if (formulation_ && formulation_->trouble().failure == Failure::Raised) status = Status::NotFinite;
    }
    return status;
}

}  // namespace vincolo
