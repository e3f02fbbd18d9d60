#include "dynamics.hpp"

#include <algorithm>

namespace vincolo {

Dynamics::Dynamics(const System& system)
    : placement(system), quantities(placement), rows(placement, quantities), forces(placement, quantities),
      solve(placement, rows, forces), watch(placement, rows, solve), selection(placement, quantities, rows, solve),
      auxiliaries(placement, quantities) {
    const auto& laws = system.laws;
    if (std::any_of(laws.begin(), laws.end(), [](const Law& law) { return law.reacts; }))
        reactive = std::make_unique<Reactive>(placement, quantities, rows, forces, solve, selection);
}

void Dynamics::allow_planes() {
    planes = std::make_unique<Planes>(system());
    if (!planes->any()) planes.reset();
}

void Dynamics::meet_planes(const double* y) {
    if (!planes) return;
    const bool flat = planes->meet(y);
    placement.lay_flat(flat ? &planes->flat() : nullptr);
    solve.lay_flat(flat ? planes.get() : nullptr);
    for (std::size_t r = 0; r < selection.candidates.size(); ++r) selection.candidates[r] = !flat || !planes->across()[r];
}

void Dynamics::share_planes(const Dynamics& other) {
    placement.lay_flat(other.placement.inverse().flat);
    solve.lay_flat(other.in_planes());
}

int Dynamics::motions() const {
    int sum = 0;
    for (int b = 0; b < system().ground(); ++b) sum += placement.inverse().is_flat(b) ? 3 : 6;
    return sum;
}

void Dynamics::load_positions(double t, const double* y) {
    placement.load_positions(t, y);
    quantities.refresh(t);
}

void Dynamics::load_motion(double t, const double* y) {
    placement.load_velocities(y);
    forces.apply(t);
}

void Dynamics::load_rows(double t, const double* y) {
    load_positions(t, y);
    rows.evaluate_drives(t);
}

void Dynamics::place_rows(double t, const double* y) {
    load_rows(t, y);
    rows.assemble(placement.inverse().inertia.data());
}

void Dynamics::place_loaded(bool geometric) {
    if (geometric) return solve.factor_geometric();
    rows.assemble(placement.inverse().inertia.data());
    solve.factor(watch.least());
}

void Dynamics::place(double t, const double* y) {
    load_rows(t, y);
    place_loaded();
}

void Dynamics::accelerate(double t, const double* y, double* dy) {
    ++evaluations;
    load_motion(t, y);
    solve.accelerate(alpha, beta);
    if (reactive) reactive->settle(t);
    if (refines) solve.refine();
    solve.write_slope(y, dy);
    write_auxiliary_rates(t, dy);
}

void Dynamics::accelerate_given(double t, const double* y, const BlockVector& multipliers, const double* before, double* dy) {
    ++evaluations;
    place_rows(t, y);
    rows.find_values();
    load_motion(t, y);
    solve.accelerate_given(multipliers, before);
    solve.write_slope(y, dy);
    write_auxiliary_rates(t, dy);
}

void Dynamics::least_accelerations(const double* y) {
    placement.load_velocities(y);
    solve.accelerate_least();
}

double Dynamics::residual(double t, const double* y) {
    load_rows(t, y);
    return rows.residual();
}

double Dynamics::rate_residual(const double* y) {
    placement.load_velocities(y);
    return rows.find_rates();
}

double Dynamics::correct_velocities(double* y, bool geometric) {
    const double largest = rate_residual(y);
    solve.correct_velocities(y, geometric);
    return largest;
}

void Dynamics::select(double t, const double* y) {
    ++selections;
    load_positions(t, y);
    selection.choose();
    watch.forget();
    rows.evaluate_drives(t);
    place_loaded();
    watch.begin();
}

// Pins are looked for wherever steps begin, so that runs begun there go on alike
void Dynamics::select_anew(double t, const double* y) {
    meet_planes(y);
    solve.forget_pins();
    select(t, y);
    if (solve.find_pins()) solve.factor(watch.least());
}

void Dynamics::all_residuals(double t, const double* y, double* phi, double* rates) {
    load_positions(t, y);
    placement.load_velocities(y);
    for (std::size_t r = 0; r < system().rows.size(); ++r) rows.open(system().rows[r], t, phi[r], rates[r]);
}

}  // namespace vincolo
