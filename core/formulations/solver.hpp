// From dense equations of motion to accelerations and reactions: one class for each way of the field.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "formulations/factors.hpp"

namespace vincolo {

struct FormulationOptions {
    std::string kind = "sparse";   // the kernel's own solver; the others are dense
    std::string variant;           // pseudoinverse, factorisation, form or criterion
    std::string coordinates = "twist";
    double alpha = 0, omega = 0, mu = 0;
    double tolerance = 1e-8;       // of iterations, relative
    int iterations = 100;          // hard cap
    double rank_tolerance = 1e-5;  // relative, of singular values
    double limit = 0;              // at which a decomposition is renewed
    std::string integrates;        // what is integrated: everything, independent velocities, independent coordinates
    std::function<Failure(Equations&)> own;
};

class DenseSolver {
  public:
    virtual ~DenseSolver() = default;

    // Takes in a new J; correct() and solve() rely on it.
    virtual Failure reduce(const Equations&) { return Failure::None; }
    // e.acc, and e.lam if e.reactions
    virtual Failure solve(Equations& e) = 0;
    // The change x with J x = -residual that leaves the independent coordinates as they are; after reduce().
    virtual Failure correct(const Equations& e, const Vector& /*residual*/, Vector& change) {
        change.setZero();
        return e.m == 0 ? Failure::None : Failure::Singular;
    }
    // At an accepted state, after reduce(): chooses independent coordinates anew where that is due.
    virtual Failure renew(const Equations&) { return Failure::None; }

    long iterations = 0, most_iterations = 0, decompositions = 0;

  protected:
    void count(int n) {
        iterations += n;
        most_iterations = std::max<long>(most_iterations, n);
    }
};

using SolverMaker = std::unique_ptr<DenseSolver> (*)(const Equations&, const FormulationOptions&);
std::unique_ptr<DenseSolver> lagrange(const Equations&, const FormulationOptions&);
std::unique_ptr<DenseSolver> penalty(const Equations&, const FormulationOptions&);
std::unique_ptr<DenseSolver> augmented_lagrangian(const Equations&, const FormulationOptions&);
std::unique_ptr<DenseSolver> udwadia_kalaba(const Equations&, const FormulationOptions&);
std::unique_ptr<DenseSolver> partitioning(const Equations&, const FormulationOptions&);
std::unique_ptr<DenseSolver> null_space(const Equations&, const FormulationOptions&);
std::unique_ptr<DenseSolver> qtz(const Equations&, const FormulationOptions&);
std::unique_ptr<DenseSolver> own(const Equations&, const FormulationOptions&);
std::unique_ptr<DenseSolver> make_solver(const Equations&, const FormulationOptions&);

// Reactions in minimum norm from the accelerations: J^T lam = Q - M acc
class Reactions {
  public:
    Reactions(const Equations& e, double tolerance);
    void find(Equations& e);

  private:
    double tolerance_;
    DoubleQR factors_;
    Matrix rows_;
    Vector force_;
};

// Motion in the span of V from a particular acceleration a0: (V^T M V) z = V^T (Q - M a0), acc = a0 + V z
class ReducedMotion {
  public:
    explicit ReducedMotion(const Equations& e);
    Failure solve(MatrixIn V, const Vector& a0, Equations& e);

  private:
    Matrix mass_, moved_;
    Vector force_, z_;
};

}  // namespace vincolo
