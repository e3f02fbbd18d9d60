// Everything that can be read from a state: residuals, energies, forces, reactions of all rows, the least where they are not unique.
#pragma once
#include <utility>

#include "dynamics.hpp"
#include "least_reactions.hpp"

namespace vincolo {

struct Observation {
    std::vector<double> acceleration;              // 6 per body: v', w' in world axes
    std::vector<double> lam;                       // by row, minimum norm
    std::vector<Wrench> wrenches;                  // by block
    std::vector<double> values, rates, seconds;    // by quantity, with their second derivatives
    std::vector<double> law_force, law_power;      // by law
    std::vector<double> law_energy, law_loss;      // what each stores, and takes without storing it
    std::vector<double> load_power, drive_power;   // by load, by row
    std::vector<double> outputs;
    std::vector<ContactSum> contacts;              // by law of contact
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
    std::vector<std::vector<std::pair<int, double>>> dependencies(double t);
    // Forces in redundant joints that balance each other: not zero where reactions are not unique
    void slack(double t, const double* y, const double* turns, std::vector<Wrench>& out);
    // Largest eigenvalue of the ballast's share in the motion it can take, and the body where it is largest; 1 = undetermined
    std::pair<double, int> ballast_share(double t, const double* y, const double* turns);
    Dynamics& dynamics() { return main_; }

  private:
    void mask(const double* y);  // leaves out rows that are switched off
    void load(double t, const double* y, const double* turns);
    bool complete() const { return main_.rows.taken() == all_.taken(); }  // no row is left out
    void find_reactions(double t);
    void report_forces(double t, Observation& out);
    void report_contacts(const double* y, Observation& out);
    double& of(BlockVector& x, std::size_t row) const { return x[system_.rows[row].block][all_.position(static_cast<int>(row))]; }

    const System& system_;
    Dynamics main_;        // on independent rows
    Readings readings_;
    Rows all_;             // all of them, at the same place
    LeastReactions least_;
    BlockVector lam_, given_;  // of all rows
    Pushes pushes_;
    Twists twists_;
    std::vector<char> holds_, now_;
    std::vector<double> dy_, phi_, phi_rate_;
};

}  // namespace vincolo
