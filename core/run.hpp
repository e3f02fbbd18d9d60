// A simulation in time that can be advanced piece by piece and keeps what it has computed.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>

#include "formulations/formulation.hpp"
#include "integrators/adams.hpp"
#include "integrators/bdf.hpp"
#include "integrators/generalised_alpha.hpp"
#include "integrators/radau.hpp"
#include "integrators/rattle.hpp"
#include "integrators/rosenbrock.hpp"
#include "selection.hpp"

namespace vincolo {

namespace tableau {
struct Pair;
}

enum class Method : int { Euler, SemiImplicitEuler, ModifiedEuler, Heun, RK4, BogackiShampine, CashKarp, DormandPrince, DOP853, Trapezoidal, Radau, BDF,
                          GeneralisedAlpha, Rosenbrock, AdamsMoulton, Adams, Rattle, Count };
inline const char* const method_names[] = {"euler", "semi_implicit_euler", "modified_euler", "heun", "rk4", "bogacki_shampine", "cash_karp",
                                            "dormand_prince", "dop853", "trapezoidal", "radau", "bdf", "generalised_alpha", "rosenbrock",
                                            "adams_moulton", "adams", "rattle"};

const tableau::Pair* pair_of(Method method);  // null if it is not an explicit adaptive one

enum class Stabilisation : int { None, Baumgarte, Projection };

struct RunOptions {
    Method method = Method::DormandPrince;
    double step = 0;  // fixed-step methods; for adaptive ones the first step, 0 = found by itself
    double rtol = 1e-8;
    Tolerances atol{1e-8, 1e-10, 1e-10, 1e-10, 1e-10, {true, true}};
    double min_step = 0, max_step = 0;  // 0 = no limit
    double violation = 0;  // of the constraints by a step, before they are closed, above which it is repeated; 0 = no limit
    // Times at which steps end and begin anew: where a drive or force has a corner (adaptive steps only), where a joint is
    // switched, and checkpoints, from which the run goes on as if it began there, to the last bit
    std::vector<double> corners, switches, checkpoints;
    long max_steps = 0;   // 0 = no limit
    Stabilisation stabilisation = Stabilisation::Projection;
    double alpha = 0, beta = 0;
    double tolerance = 1e-10;     // of the position residual after projection
    bool relative = true;         // its lengths are shares of the extent of the mechanism
    double trigger = 0;           // positions are left alone while the sum of their residuals stays below
    bool positions = true, velocities = true;
    bool geometric = false;       // shortest correction by geometry instead of by masses
    bool project_outputs = true;  // samples between steps are put onto the constraints
    FormulationOptions formulation;
    AlphaWeights alpha_weights;   // of generalised-alpha
    int index = 1;                // of Radau
    bool automatic = false;       // changes between Dormand-Prince and Radau as stiffness comes and goes
};

enum class Status : int { Running, Done, StepTooSmall, NotFinite, TooManySteps, Open, NotConverged };
inline const char* const status_names[] = {"running", "done", "step too small", "not finite", "too many steps", "open", "not converged"};

struct RunStatistics {
    long steps = 0, rejected = 0;
    long corrections = 0;  // of positions, in all
    long changes = 0;      // between explicit and implicit
    double first_change = 0, implicit_time = 0;  // time of the first one; time spent implicitly
    double fastest = 0;    // largest rate that was found [1/s]
    long too_open = 0;     // steps repeated because joints opened too far
    long renewals = 0;     // of the choice of independent rows, on the way
    long restarts = 0;     // behind corners of drives and forces
    long fitted = 0;  // steps fitted so that a singular position falls between two stages
    double smallest_step = 0, largest_step = 0;
    double energy_imbalance = 0;  // largest |energy - energy at the start - work| at accepted states
    double energy_size = 0;       // largest of the energies that are summed up, however they cancel: rounding is a share of it
    double energy_range = 0;      // largest of kinetic energy, swing of potential energy and swing of work: what it compares with
    // largest at accepted states and samples, also of rows left out and lengths by the extent; velocity before its projection
    double position_residual = 0, velocity_residual = 0;
    int opened_row = -1;  // the last row that opened where it was left out
};

class Run {
  public:
    Run(const System& system, const RunOptions& options, double t0, const std::vector<double>& y0,
        const std::vector<double>& turns, const std::vector<double>& outputs);

    // Goes on for about the given number of evaluations.
    Status advance(long evaluations);

    double time() const { return t_; }
    double step() const { return h_; }  // that would be made next, or failed
    int recorded() const { return recorded_; }
    const std::vector<double>& samples() const { return samples_; }
    std::vector<double> sample_turns();  // angles at the samples, counted over turns
    const RunStatistics& statistics() const { return statistics_; }
    Dynamics& dynamics() { return dynamics_; }
    const Formulation* formulation() const { return formulation_.get(); }  // null: the kernel's own
    // The state of the last accepted step, in the kernel's own coordinates
    const double* state() { return standard(y_); }

  private:
    using State = std::vector<double>;
    static constexpr int most_slopes = 16;
    static constexpr int lanes = 8;  // states are padded to this, so that loops over them have no remainder

    Status begin();
    Status attempt();                     // one step; t_, y_, slopes_[0] move on if accepted
    Status attempt_other();               // the same for methods that are not Runge-Kutta pairs
    Status attempt_radau(double h, double t_new, bool last);
    Status attempt_bdf(double h, double t_new, bool last);
    Status attempt_adams(double h, double t_new, bool last);
    bool too_open() const { return options_.violation > 0 && opened_ > options_.violation; }
    Status retry(double h, double error, double order);  // a rejected implicit step
    Status accept(double h, double t_new, bool last, State& slope);  // takes the landed new_ with its slope
    void derivative(double t, const State& y, State& dy);
    void combine(State& out, double h, const double* weights, int count) const;  // out = y + h sum w_j k_j
    double pair_error(double h) const;
    double state_error(double h) const;
    double error5(double h) const;
    double error8(double h) const;
    double work_error(double h) const;
    double first_step();
    void fixed_step(double h);
    void adams_step(double h);
    void watch_stiffness(double h);
    void begin_stiff();                   // implicitly, where explicit steps would never end
    void change_to(Method method);
    void record_due();
    Status set_off();                     // with the first step
    void begin_here();                    // everything that follows from the state alone
    Status begin_anew();                  // behind a corner of a drive or force
    void position_rates(const State& y, const State& x, State& k);
    void stages(double h, double t_new);
    double fitted_step(double h);
    void fit_fixed_step(double& h, double& t_new);
    bool cross(double h, double t_new);
    double error_to_keep(double h, double whole);
    void land(double t, State& slope);
    void settle(double t, State& slope);
    void begin_on_a_way_out();            // where the start is a singular position
    void extrapolate_back(double h);
    void leap();
    double time_ahead(double way) const;
    void take_reference_ahead();
    double time_of(double h) const;
    bool land_ahead(double h, double g, State& slope);
    void carry(double h, double g, State& out) const;  // y_ carried on by h times its velocities and g times its accelerations
    bool rows_stay_closed(double t);      // also those left out, at the landed state
    Status reopened(double h, double t_new);
    double allowed() const { return std::max(1e-9, 10 * options_.tolerance); }  // residual of a closed mechanism
    void here(double t, State& slope);    // slope at new_, just projected
    void project(double t, State& x, double& position, double& velocity);
    void close(double t, double* y, double& position);
    void project_stiff(double t, double* y, double& position, double& velocity);
    void place(double t, const double* y);
    double* standard(State& x);           // in the kernel's own coordinates; x itself where it is so
    bool too_small(double h) const { return !(h > 1e-14 * std::max(std::abs(t_), std::abs(end_))) || (h < options_.min_step && h == h_); }
    void next_stop();                     // the end, or the next time at which steps begin anew
    void forget();                        // everything but the state
    bool projects_always() const { return options_.stabilisation == Stabilisation::Projection && options_.positions && options_.trigger == 0; }
    bool rows_chosen() const { return !formulation_ || options_.stabilisation == Stabilisation::Projection; }
    void balance(double work);            // energy against work, at the state the dynamics has loaded
    void emit(double t_new, double h);
    void prepare_dense(double h);
    void prepare_positions(double h);
    void interpolate(double x, State& out) const;  // x from 0 to 1 over the step
    void record(State& x);
    bool finite(const State& y) const;

    RunOptions options_;
    std::unique_ptr<Formulation> formulation_;  // null: the kernel's own, sparse and on independent rows
    Dynamics dynamics_;
    Scout scout_;
    double left_open_ = 0;                // largest residual of the rows left out, at the last landing,
    int widest_ = -1;                     // and whose it is
    double way_out_ = 0;                  // a first step that leads out of a singular position
    double leapt_to_ = -HUGE_VAL;
    double renewed_at_ = -HUGE_VAL;       // where rows had to be chosen anew because one had opened
    double t_, end_, stop_, h_ = 0, last_error_ = 1e-4;
    std::vector<double> stops_;            // in the order of time
    std::size_t next_break_ = 0;
    double opened_ = 0;  // residual of the step before it was closed
    bool begun_ = false, was_rejected_ = false, undefined_ = false;
    bool stopped_ = false;  // an implicit step of fixed size found no end
    bool open_ = false;  // a projection did not close the mechanism
    int relanded_ = 0;  // tries of the present step to end elsewhere
    bool off_grid_ = false;  // the last step of fixed size was lengthened
    bool crossed_ = false;   // the present step was made by Runge-Kutta 4 across a singular position
    int size_, recorded_ = 0;
    long fixed_steps_ = 0, step_offset_ = 0;
    double t0_;
    State y_, new_, sample_, old_slope_, standard_, atol_;
    State slopes_[most_slopes];
    State dense_[7];
    std::vector<double> outputs_, samples_, sample_turns_;
    double landed_position_ = 0, landed_velocity_ = 0;  // residuals of the last landing
    const tableau::Pair* pair_ = nullptr;  // of an explicit adaptive method
    double energy_ = 0, work_ = 0;  // at the start
    struct Swing {
        double lowest = 0, highest = 0;
        void take(double x) { lowest = std::min(lowest, x), highest = std::max(highest, x); }
        double width() const { return highest - lowest; }
    };
    double most_kinetic_ = 0;
    double usual_energy_ = 0;  // of all masses moved by the extent in the time of the run
    Swing potentials_, works_;
    RunStatistics statistics_;
    std::unique_ptr<Radau> radau_;
    std::unique_ptr<Bdf> bdf_;
    std::unique_ptr<GeneralisedAlpha> alpha_;
    std::unique_ptr<Rosenbrock> rosenbrock_;
    std::unique_ptr<Adams> adams_;
    std::unique_ptr<Rattle> rattle_;
    std::unique_ptr<StiffSolver> closer_;  // for projections that leave stiff laws in peace
    Twists none_, moved_;
    BlockVector given_, mu_;
    double step_ = 0;                      // being made
    std::unique_ptr<StiffSolver> probe_;  // of stiffness, for the automatic choice
    Method next_method_ = Method::DormandPrince;  // of the automatic choice
    long stiff_steps_ = 0, easy_steps_ = 0, trial_steps_ = 0, patience_ = 5, trial_evaluations_ = 0;
    double explicit_cost_ = 0, implicit_cost_ = 0, trial_start_ = 0;  // costs: evaluations per second of motion
    double explicit_reach_ = 3;  // explicit steps in units of the fastest rate, when last seen
    double accepted_step_ = 0, accepted_error_ = 1;  // of the last implicit step
};

}  // namespace vincolo
