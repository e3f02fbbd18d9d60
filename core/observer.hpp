// Everything that can be read from a state: residuals, energies, forces, reactions of all rows, the least where they are not unique.
#pragma once
#include <utility>

#include "dynamics.hpp"

namespace vincolo {

struct Wrench {
    Vec3 force_a, torque_a, force_b, torque_b;  // on the bodies of a block, at its frames, world axes
};

struct Observation {
    std::vector<double> acceleration;              // 6 per body: v', w' in world axes
    std::vector<double> lam;                       // by row, minimum norm
    std::vector<Wrench> wrenches;                  // by block
    std::vector<double> values, rates, seconds;    // by quantity, with their second derivatives
    std::vector<double> law_force, law_power;      // by law
    std::vector<double> load_power, drive_power;   // by load, by row
    double kinetic, potential, phi, phi_rate;      // residuals: largest over all rows
};

struct Jacobian {
    std::vector<int> row, column;
    std::vector<double> value;
    std::vector<double> phi, rate, gamma;  // by row; rate = J u - nu
};

class Observer {
  public:
    explicit Observer(const System& system);

    void observe(double t, const double* y, const double* turns, Observation& out);
    // Rows at a state: Phi, J u - nu, gamma and J in triplets, columns 6 per body (v, w in world axes)
    void rows(double t, const double* y, const double* turns, Jacobian& out);
    // Independent rows at a state, drives first or left out
    const std::vector<char>& independent(double t, const double* y, const double* turns, bool drives = true);
    // Values, rates and gradients of some quantities
    void quantity_rows(double t, const double* y, const double* turns, const std::vector<int>& quantities, Jacobian& out);
    // For each dependent row: the rows it depends on, with coefficients (itself with -1); independent() goes first
    std::vector<std::vector<std::pair<int, double>>> dependencies(double t, const double* y);
    // Forces in redundant joints that balance each other: not zero where reactions are not unique
    void slack(double t, const double* y, const double* turns, std::vector<Wrench>& out);
    // Largest eigenvalue of the ballast's share in the motion it can take, and the body where it is largest; 1 = undetermined
    std::pair<double, int> ballast_share(double t, const double* y, const double* turns);
    Dynamics& dynamics() { return main_; }

  private:
    void mask(double t);  // leaves out rows that are switched off
    std::vector<char> holds_;
    void load(double t, const double* y, const double* turns);
    Wrench unit_wrench(int row) const;
    void weigh_reactions();
    void factor_reactions(double t, const double* y);
    double least_reactions();
    void reactions(double t, const double* y);
    void forces(double t, Observation& out);
    void wrenches(std::vector<Wrench>& out) const;

    const System& system_;
    Dynamics main_;  // on independent rows
    Dynamics all_;   // on all rows
    BlockVector rhs_, sum_, direction_, given_;
    std::vector<Wrench> units_;  // by row, per unit of its multiplier
    std::vector<double> dy_, phi_, phi_rate_;
};

}  // namespace vincolo
