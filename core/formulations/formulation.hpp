// A dense formulation at work in a run: coordinates, solver, what is integrated, what went wrong.
#pragma once
#include <memory>

#include "formulations/coordinates.hpp"
#include "formulations/index3.hpp"
#include "formulations/solver.hpp"

namespace vincolo {

struct Trouble {
    Failure failure = Failure::None;
    double t = 0;
};

class Formulation {
  public:
    Formulation(const System& system, const FormulationOptions& options);

    const std::string& kind() const { return options_.kind; }
    const Coordinates& coordinates() const { return *coordinates_; }
    Coordinates& coordinates() { return *coordinates_; }
    int state_size() const { return coordinates_->body_state() * coordinates_->system.ground(); }  // without work
    Dynamics& dynamics() { return coordinates_->all; }
    const DenseSolver& solver() const { return *solver_; }
    const Equations& equations() const { return coordinates_->e; }

    // Slope of x; if it cannot be found, not a number, and trouble() says why.
    void derivative(double t, const double* x, double* dx);
    // Rates of the positions of x with the velocities of v
    void position_rates(const double* x, const double* v, double* dx);
    // M, J, gamma, Q, phi and rate at x
    bool load(double t, const double* x);
    // At a landed state: puts dependent coordinates in their place if only independent ones are integrated, and renews the
    // choice of them where that is due.
    bool settle(double t, double* x);
    bool steps_implicitly() const { return index3_ != nullptr; }
    // Implicit trapezoidal step of index 3, from x with its slope to the new ones
    void trapezoidal(double t, double h, const double* x, const double* dx, double* x_new, double* dx_new);
    double largest_residual() const { return equations().phi.size() ? equations().phi.cwiseAbs().maxCoeff() : 0; }
    double largest_rate() const { return equations().rate.size() ? equations().rate.cwiseAbs().maxCoeff() : 0; }
    const Trouble& trouble() const { return trouble_; }  // the first since it was cleared
    void clear_trouble() { trouble_ = {}; }               // at an accepted state
    void want_reactions() { coordinates_->e.reactions = true; }

    double alpha = 0, beta = 0;  // Baumgarte

  private:
    bool fail(Failure failure, double t);
    bool place(double t, const double* x);       // J and phi, taken in by the solver
    void set_moving(double t, const double* x);  // then M, Q, gamma, rate
    bool follow(double t, double* x);  // dependent coordinates and velocities from the independent ones
    void write(const double* x, double* dx);

    FormulationOptions options_;
    std::unique_ptr<Coordinates> coordinates_;
    std::unique_ptr<DenseSolver> solver_;
    std::unique_ptr<Index3> index3_;
    Trouble trouble_;
    bool velocities_follow_, positions_follow_;
    std::vector<double> x_;
    Vector change_;
};

}  // namespace vincolo
