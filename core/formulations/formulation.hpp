// A formulation at work in a run: what is integrated, its slope, what went wrong. The kernel's own has no such object.
#pragma once
#include <memory>

#include "formulations/solver.hpp"
#include "integrators/tolerances.hpp"
#include "placement.hpp"

namespace vincolo {

struct Trouble {
    Failure failure = Failure::None;
    double t = 0;
    int body = -1;  // that is to blame, if one is
};

class Formulation {
  public:
    explicit Formulation(std::string kind) : kind_(std::move(kind)) {}
    virtual ~Formulation() = default;
    Formulation(const Formulation&) = delete;

    const std::string& kind() const { return kind_; }
    virtual int state_size() const = 0;  // without work, which is the entry behind
    virtual Placement& placement() = 0;  // its own, whose record of turns the run keeps

    // The kernel's own coordinates, and the way back; standard() where they are the same
    virtual bool standard() const = 0;
    virtual void to_standard(const double* x, double t, double* y) = 0;
    virtual void from_standard(const double* y, double t, double* x) = 0;
    // By entry of the state: what errors are allowed, and how much more by its size, which is there already
    virtual void fill(const Tolerances& tolerances, double* absolute, double* relative) const = 0;

    // Slope of x; if it cannot be found, not a number, and trouble() says why.
    virtual void derivative(double t, const double* x, double* dx) = 0;
    // (v', w') of every body, as derivative() found them at x
    virtual void twist_accelerations(const double* x, Vector& out) const = 0;
    // Rates of the positions of x with the velocities of v
    virtual void position_rates(const double* x, const double* v, double* dx) = 0;
    // For samples between steps, where all positions stand before all velocities: how many they are (none otherwise), their second
    // derivatives, and velocities from rates of positions
    virtual int positions() const { return 0; }
    virtual void second_derivatives(const double*, const double*, double*) const {}
    virtual void velocities_of(const double*, const double*, double*) const {}
    // At a landed state: what follows from the rest is put in its place, and choices are renewed where that is due.
    virtual bool settle(double t, double* x) = 0;
    virtual double largest_residual() const = 0;
    virtual double largest_rate() const = 0;
    virtual bool keeps_joints() const { return false; }  // by itself: nothing is left to project
    virtual bool steps_implicitly() const { return false; }
    // Implicit trapezoidal step of index 3, from x with its slope to the new ones
    virtual void trapezoidal(double, double, const double*, const double*, double*, double*) {}
    struct Counts {
        std::int64_t iterations = 0, most_iterations = 0, decompositions = 0;
    };
    virtual Counts counts() const { return {}; }

    const Trouble& trouble() const { return trouble_; }  // the first since it was cleared
    void clear_trouble() { trouble_ = {}; }              // at an accepted state

    double alpha = 0, beta = 0;  // Baumgarte

  protected:
    bool fail(Failure failure, double t, int body = -1) {
        if (failure == Failure::None) return true;
        if (trouble_.failure == Failure::None) trouble_ = {failure, t, body};  // what came first caused the rest
        return false;
    }

  private:
    std::string kind_;
    Trouble trouble_;
};

// By its name; null for the kernel's own
std::unique_ptr<Formulation> make_formulation(const System& system, const FormulationOptions& options);

}  // namespace vincolo
