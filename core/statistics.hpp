// What a run counts and measures of itself
#pragma once
#include <cstdint>

namespace vincolo {

struct RunStatistics {
    std::int64_t steps = 0, rejected = 0;
    std::int64_t corrections = 0;  // of positions, in all
    std::int64_t changes = 0;      // between explicit and implicit
    double first_change = 0, implicit_time = 0;  // time of the first one; time spent implicitly
    double fastest = 0;    // largest rate that was found [1/s]
    std::int64_t too_open = 0;     // steps repeated because joints opened too far
    std::int64_t renewals = 0;     // of the choice of independent rows, on the way
    std::int64_t restarts = 0;     // behind corners of drives and forces
    std::int64_t fitted = 0;       // steps fitted so that a singular position falls between two stages
    double smallest_step = 0, largest_step = 0;
    double energy_jumps = 0;      // sum of what steps through singular positions brought in or took away without work,
    double energy_jump_at = 0;    // and when it began to matter
    double energy_imbalance = 0;  // largest |energy - energy at the start - work| at accepted states
    double energy_size = 0;       // largest of the energies that are summed up, however they cancel: rounding is a share of it
    double energy_range = 0;      // largest of kinetic energy, swing of potential energy and swing of work: what it compares with
    double usual_energy = 0;      // of all masses moved by the extent, or else inertias by one radian, in the time of the run
    // largest at accepted states and samples, also of rows left out and lengths by the extent; velocity before its projection
    double position_residual = 0, velocity_residual = 0;
    // Of rigid contact: steps that were solved, rounds they took in all, the most points at once, and what is left of the conditions of
    // contact, at worst: an impulse over the largest of its step
    std::int64_t contact_steps = 0, contact_rounds = 0, contact_points = 0, unsolved_steps = 0;
    double contact_residual = 0, penetration = 0;  // deepest overlap at the end of a step [m]
    // Crossed by time stepping, where no accelerations fit the friction or events crowd: steps, time, and when first
    std::int64_t crossing_steps = 0;
    double crossing_time = 0, first_crossing = 0;
    int opened_row = -1;  // the last row that opened where it was left out
};

}  // namespace vincolo
