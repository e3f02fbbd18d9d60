// A dense formulation at work in a run: coordinates, solver, and what follows from what is integrated.
#pragma once
#include "formulations/coordinates.hpp"
#include "formulations/formulation.hpp"
#include "formulations/index3.hpp"

namespace vincolo {

class DenseFormulation : public Formulation {
  public:
    DenseFormulation(const System& system, const FormulationOptions& options);

    const Coordinates& coordinates() const { return *coordinates_; }
    Coordinates& coordinates() { return *coordinates_; }
    int state_size() const override { return coordinates_->body_state() * coordinates_->system.ground(); }
    Placement& placement() override { return coordinates_->all.placement; }
    bool standard() const override { return coordinates_->standard(); }
    void to_standard(const double* x, double, double* y) override { coordinates_->to_standard(x, y); }
    void from_standard(const double* y, double, double* x) override { coordinates_->from_standard(y, x); }
    void fill(const Tolerances& tolerances, double* absolute, double* relative) const override;
    Counts counts() const override { return {solver_->iterations, solver_->most_iterations, solver_->decompositions}; }
    const Equations& equations() const { return coordinates_->e; }

    void derivative(double t, const double* x, double* dx) override;
    void twist_accelerations(const double* x, Vector& out) const override { coordinates_->twist_accelerations(x, out); }
    void position_rates(const double* x, const double* v, double* dx) override;
    // M, J, gamma, Q, phi and rate at x
    bool load(double t, const double* x);
    Failure solved();
    // At a landed state: puts dependent coordinates in their place if only independent ones are integrated, and renews the
    // choice of them where that is due.
    bool settle(double t, double* x) override;
    bool steps_implicitly() const override { return index3_ != nullptr; }
    void trapezoidal(double t, double h, const double* x, const double* dx, double* x_new, double* dx_new) override;
    double largest_residual() const override { return equations().phi.size() ? equations().phi.cwiseAbs().maxCoeff() : 0; }
    double largest_rate() const override { return equations().rate.size() ? equations().rate.cwiseAbs().maxCoeff() : 0; }
    void want_reactions() { coordinates_->e.reactions = true; }

  private:
    void make_solvers();
    void find_rows();                            // that hold where auxiliary states were loaded, where rows are switched
    bool place(double t, const double* x);       // J and phi, taken in by the solver
    void set_moving(double t, const double* x);  // then M, Q, gamma, rate
    bool follow(double t, double* x);  // dependent coordinates and velocities from the independent ones
    void write(const double* x, double* dx);

    FormulationOptions options_;
    std::unique_ptr<Coordinates> coordinates_;
    std::unique_ptr<DenseSolver> solver_;
    std::unique_ptr<Index3> index3_;
    bool velocities_follow_, positions_follow_, switched_;
    std::vector<int> rows_;
    std::vector<double> x_;
    Vector change_;
};

}  // namespace vincolo
