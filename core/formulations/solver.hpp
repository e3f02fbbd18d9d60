// From dense equations of motion to accelerations and reactions: one class for each way of the field.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "formulations/factors.hpp"
#include "options.hpp"

namespace vincolo {

// What all formulations share; each reads its own options by name from what is given
struct FormulationOptions {
    std::string kind = "sparse";       // the kernel's own solver; the others are dense
    std::string coordinates = "twist";
    double rank_tolerance = 1e-5;      // relative, of singular values
    std::string integrates = "all";    // what is integrated: everything, independent velocities, independent coordinates
    Given given;
    std::function<Failure(Equations&)> own;
    template <class Fields>
    void fields(Fields& f) { f("coordinates", coordinates), f("rank_tolerance", rank_tolerance), f("integrates", integrates); }
    static FormulationOptions of(const std::string& kind, Given given) {
        FormulationOptions out;
        out.kind = kind;
        out.fields(given);
        out.given = std::move(given);
        if (kind == "sparse" || kind == "joint_coordinates") out.given.refuse_rest();
        return out;
    }
};

// Constraints as masses alpha with the frequency omega [1/s] and the damping ratio mu
struct Relaxation {
    double alpha = 1e7, omega = 0, mu = 1;
    template <class Fields>
    void fields(Fields& f) { f("alpha", alpha), f("omega", omega), f("mu", mu); }
};

// By which decomposition
struct Decomposition {
    std::string by = "qr";
    template <class Fields>
    void fields(Fields& f) { f("by", by); }
};

struct Augmentation : Relaxation {
    int index = 1;
    double tolerance = 1e-8;  // of iterations, relative
    int iterations = 100;     // hard cap
    template <class Fields>
    void fields(Fields& f) { Relaxation::fields(f), f("index", index), f("tolerance", tolerance), f("iterations", iterations); }
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

    std::int64_t iterations = 0, most_iterations = 0, decompositions = 0;

  protected:
    void count(int n) {
        iterations += n;
        most_iterations = std::max<std::int64_t>(most_iterations, n);
    }
};

std::unique_ptr<DenseSolver> make_solver(const Equations&, FormulationOptions&);

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
