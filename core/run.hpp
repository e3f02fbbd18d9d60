// A simulation in time that can be advanced piece by piece and keeps what it has computed.
#pragma once
#include <string>

#include "dynamics.hpp"

namespace vincolo {

enum class Method : int { SemiImplicitEuler, Heun, RK4, DormandPrince, DOP853, Count };
inline const char* const method_names[] = {"semi_implicit_euler", "heun", "rk4", "dormand_prince", "dop853"};

enum class Stabilisation : int { None, Baumgarte, Projection };

struct RunOptions {
    Method method = Method::DormandPrince;
    double step = 0;  // fixed-step methods; for adaptive ones the first step, 0 = found by itself
    double rtol = 1e-8, atol = 1e-10;
    double max_step = 0;  // 0 = no limit
    long max_steps = 0;   // 0 = no limit
    Stabilisation stabilisation = Stabilisation::Projection;
    double alpha = 0, beta = 0;
    double tolerance = 1e-10;     // of the position residual after projection
    bool project_outputs = true;  // samples between steps are put onto the constraints
};

enum class Status : int { Running, Done, StepTooSmall, NotFinite, TooManySteps };
inline const char* const status_names[] = {"running", "done", "step too small", "not finite", "too many steps"};

struct RunStatistics {
    long steps = 0, rejected = 0;
    long fitted = 0;  // steps fitted so that a singular position falls between two stages
    double smallest_step = 0, largest_step = 0;
    double energy_imbalance = 0;  // largest |energy - energy at the start - work| at accepted states
    double energy_range = 0;      // largest change of potential energy plus largest kinetic energy: what it compares with
    double position_residual = 0, velocity_residual = 0;  // largest at accepted states, velocity before its projection
};

class Run {
  public:
    Run(const System& system, const RunOptions& options, double t0, const std::vector<double>& y0,
        const std::vector<double>& turns, const std::vector<double>& outputs);

    // Goes on for about the given number of evaluations.
    Status advance(long evaluations);

    double time() const { return t_; }
    int recorded() const { return recorded_; }
    const std::vector<double>& samples() const { return samples_; }
    std::vector<double> sample_turns();  // angles at the samples, counted over turns
    const RunStatistics& statistics() const { return statistics_; }
    Dynamics& dynamics() { return dynamics_; }

  private:
    using State = std::vector<double>;
    static constexpr int most_slopes = 16;
    static constexpr int lanes = 8;  // states are padded to this, so that loops over them have no remainder

    Status begin();
    Status attempt();                     // one step; t_, y_, slopes_[0] move on if accepted
    void derivative(double t, const State& y, State& dy);
    void combine(State& out, double h, const double* weights, int count) const;  // out = y + h sum w_j k_j
    double error5(double h) const;
    double error8(double h) const;
    double first_step();
    void fixed_step(double h);
    void stages5(double h, double t_new);
    void stages8(double h);
    double fitted_step(double h);
    double widest_gap() const;
    double error_to_keep(double h, double whole);
    void land(double t, State& slope);
    void settle(double t, State& slope);
    void project(double t, State& y, double& position, double& velocity);
    void balance(double work);            // energy against work, at the state the dynamics has loaded
    void emit(double t_new, double h);
    void prepare_dense(double h);
    void interpolate(double x, State& out) const;  // x from 0 to 1 over the step
    void record(const State& y);
    bool finite(const State& y) const;

    Dynamics dynamics_;
    RunOptions options_;
    double t_, end_, h_ = 0, last_error_ = 1e-4;
    bool begun_ = false, was_rejected_ = false, undefined_ = false;
    int relanded_ = 0;  // tries of the present step to end elsewhere
    int size_, recorded_ = 0;
    long fixed_steps_ = 0;
    double t0_;
    State y_, new_, sample_, old_slope_;
    State slopes_[most_slopes];
    State dense_[7];
    std::vector<double> outputs_, samples_, sample_turns_;
    double landed_position_ = 0, landed_velocity_ = 0;  // residuals of the last landing
    double energy_ = 0, potential_ = 0, work_ = 0;  // at the start
    RunStatistics statistics_;
};

}  // namespace vincolo
