#include "landing.hpp"

#include <cmath>

#include "displacement.hpp"
#include "motion.hpp"

namespace vincolo {

Stabilisation Stabilisation::of(const std::string& name, Given& given) {
    Stabilisation out;
    out.projects = name == "projection";
    if (name == "baumgarte") out.baumgarte.fields(given);
    else if (out.projects) out.projection.fields(given);
    else if (name != "none") throw std::invalid_argument("the kernel knows no stabilisation called '" + name + "'");
    given.refuse_rest();
    return out;
}

Landing::Landing(Motion& motion, const Stabilisation& stabilisation, RunStatistics& statistics)
    : motion_(motion), options_(stabilisation), statistics_(statistics) {
    auto& projection = options_.projection;
    if (motion.formulation() && motion.formulation()->keeps_joints()) options_.projects = false;
    if (!projection.relative && projection.trigger == 0) projection.tolerance /= std::max(1.0, motion.dynamics().system().extent);
}

void Landing::soften() {
    if (options_.projection.geometric || options_.projection.trigger > 0) return;
    soft_ = std::make_unique<SoftClosing>(motion_.dynamics());
    const bool any = soft_->any();
    if (!any || !soft_->serves()) soft_.reset();
    if (any && !soft_) closer_ = std::make_unique<StiffSolver>(motion_.dynamics(), false);  // states are not moved here
    none_.assign(motion_.dynamics().system().bodies.size(), Twist{Vec3::Zero(), Vec3::Zero()});
    moved_ = none_;
    given_.assign(motion_.dynamics().rows.set().blocks.size(), Column{});
    mu_ = given_;
}

void Landing::place(double t, const double* y) {
    motion_.dynamics().load_rows(t, y);
    motion_.dynamics().place_loaded(options_.projection.geometric);
}

double Landing::correct(double t, double* y) {
    ++statistics_.corrections;
    motion_.dynamics().solve.correct_positions(y, options_.projection.geometric);
    return motion_.dynamics().residual(t, y);
}

void Landing::close(double t, double* y, double& position, bool of_step) {
    constexpr int most = 5;
    const auto& o = options_.projection;
    Dynamics& dynamics = motion_.dynamics();
    position = found.opened = dynamics.residual(t, y);
    // near a singular position what is left of Phi is magnified: go on to rounding
    const bool near = dynamics.watch.lowest_now < 1e-2;
    const bool reuses = !(motion_.formulation() || o.geometric || o.trigger > 0) && (near || !of_step || serves(position));
    if (!reuses) dynamics.place_loaded(o.geometric);
    if (o.trigger > 0 && dynamics.rows.sum_of_residuals() <= o.trigger) return;
    for (int i = 0; i < most; ++i) {
        position = correct(t, y);
        dynamics.place_loaded(o.geometric);
        const double wanted = near && i == 0 ? 1e-15 : o.tolerance;
        const double left = o.trigger > 0 ? dynamics.rows.sum_of_residuals() : position;
        if (i == 0 && reuses && of_step && found.opened > o.tolerance) left_by_stage_ = std::min(1.0, position / found.opened);
        if (!(left > wanted)) break;
    }
    found.open = position > std::max(1e-8, 1e3 * o.tolerance);
}

// Whether the factor of the last stage, which stands near the end of the step, is expected to close it at once. Where it has not been,
// one of its own is found instead; but it is tried again after some steps.
bool Landing::serves(double open) {
    if (left_by_stage_ * open <= options_.projection.tolerance) return true;
    left_by_stage_ *= 0.5;
    return false;
}

void Landing::close_stiff(double t, double* y, double& position) {
    constexpr int most = 5;
    Dynamics& dynamics = motion_.dynamics();
    for (int i = 0; i < most; ++i) {
        position = dynamics.rows.residual();
        if (i == 0) found.opened = position;
        if (!options_.projection.positions || (i > 0 && !(position > options_.projection.tolerance))) break;
        ++statistics_.corrections;
        for (std::size_t k = 0; k < given_.size(); ++k) given_[k].negate(dynamics.rows.phi()[k]);
        closer_->solve_given(none_, nullptr, given_, moved_, mu_);
        move_positions(y);
        dynamics.place_rows(t, y);
    }
    found.open = position > std::max(1e-8, 1e3 * options_.projection.tolerance);
}

void Landing::move_positions(double* y) const {
    const Dynamics& dynamics = motion_.dynamics();
    for (int b = 0; b < dynamics.system().ground(); ++b) displace(y + body_size * b, moved_[b].v, moved_[b].w);
    if (dynamics.in_planes()) dynamics.in_planes()->flatten_positions(y);
}

void Landing::move_velocities(double* y) const {
    const Dynamics& dynamics = motion_.dynamics();
    for (int b = 0; b < dynamics.system().ground(); ++b)
        for (int c = 0; c < 3; ++c) {
            y[body_size * b + at_v + c] += moved_[b].v[c];
            y[body_size * b + at_w + c] += moved_[b].w[c];
        }
    if (dynamics.in_planes()) dynamics.in_planes()->flatten_velocities(y);
}

// With few laws: the last stage stands at the end of the step, its factor serves
void Landing::project_softly(double t, double* y, double& position, double& velocity) {
    constexpr int most = 5;
    const auto& o = options_.projection;
    Dynamics& dynamics = motion_.dynamics();
    position = found.opened = dynamics.residual(t, y);
    dynamics.placement.load_velocities(y);
    if (o.positions) soft_->weigh(t, 0.25 * step_);
    else dynamics.place(t, y);
    for (int i = 0; i < most && o.positions && (i == 0 || position > o.tolerance); ++i) {
        ++statistics_.corrections;
        soft_->close(dynamics.rows.phi(), moved_);
        move_positions(y);
        dynamics.place(t, y);
        position = dynamics.rows.residual();
    }
    found.open = position > std::max(1e-8, 1e3 * o.tolerance);
    velocity = dynamics.rate_residual(y);
    if (!o.velocities) return;
    soft_->weigh(t, 0.25 * step_);
    soft_->close(dynamics.rows.rate(), moved_);
    move_velocities(y);
}

// Projection in the metric of an implicit step: moving against a stiff spring or damper counts as heavy. In that of the masses
// alone a correction would strike it, and the next step would have to follow the blow.
void Landing::project_stiff(double t, double* y, double& position, double& velocity) {
    Dynamics& dynamics = motion_.dynamics();
    dynamics.place_rows(t, y);
    dynamics.placement.load_velocities(y);
    closer_->prepare(t);
    closer_->factor(0.25 * step_);
    close_stiff(t, y, position);
    velocity = dynamics.rate_residual(y);
    if (options_.projection.velocities) {
        closer_->prepare(t);
        closer_->factor(0.25 * step_);
        for (std::size_t k = 0; k < given_.size(); ++k) given_[k].negate(dynamics.rows.rate()[k]);
        closer_->solve_given(none_, nullptr, given_, moved_, mu_);
        move_velocities(y);
    }
    dynamics.place(t, y);
}

void Landing::project(double t, State& x, double& position, double& velocity, bool of_step) {
    const auto& o = options_.projection;
    Dynamics& dynamics = motion_.dynamics();
    double* y = motion_.standard(t, x);
    if (soft_ && step_ > 0) return project_softly(t, y, position, velocity);
    if (closer_ && step_ > 0) return project_stiff(t, y, position, velocity);
    if (closed_) {
        position = dynamics.rows.residual();
    } else if (o.positions) {
        close(t, y, position, of_step);
    } else {
        place(t, y);
        position = dynamics.rows.residual();
    }
    velocity = o.velocities ? dynamics.correct_velocities(y, o.geometric) : dynamics.rate_residual(y);
    if (y != x.data()) motion_.from_standard(t, y, x);
}

void Landing::slope_after_projection(double t, const State& y, State& slope) {
    if (motion_.formulation() || options_.projection.geometric) motion_.derivative(t, y, slope);
    else motion_.dynamics().accelerate(t, y.data(), slope.data());
}

void Landing::land(double t, State& y, State& slope) {
    Formulation* formulation = motion_.formulation();
    if (options_.projects) project(t, y, found.position, found.velocity, true);
    if (formulation && !formulation->settle(t, y.data())) y[0] = std::nan("");
    if (options_.projects) return slope_after_projection(t, y, slope);
    motion_.derivative(t, y, slope);
    found.position = found.opened = motion_.largest_residual();
    found.velocity = formulation ? formulation->largest_rate() : motion_.dynamics().rate_residual(y.data());
}

bool Landing::land_aside(double t, State& y, State& slope) {
    const Found before = found;
    const std::int64_t corrections = statistics_.corrections;
    const double left_by_stage = left_by_stage_;
    for (int pass = 0; pass < 2; ++pass) land(t, y, slope);  // what is left grows in rows left out
    const bool closed = !found.open;
    found = before, found.open = false, statistics_.corrections = corrections, left_by_stage_ = left_by_stage;
    return closed;
}

}  // namespace vincolo
