// Radau IIA of order 5 (Hairer, Wanner). Newton's corrections to the three stages are found at once (StageSolver), or, with many or
// very stiff laws, with a triangular matrix in place of the full one (van der Houwen, de Swart) in rounds that need no new slopes.
#pragma once
#include "integrators/flow.hpp"
#include "integrators/stage_solver.hpp"
#include "integrators/stepper.hpp"

namespace vincolo {

class Radau : public Stepper {
  public:
    Radau(Motion& motion, Given& given) : Radau(motion, given, StiffSolver(motion.dynamics())) {}
    Radau(Motion& motion, Given& given, const StiffSolver& like);  // an order of elimination is found once
    Traits traits() const override;
    bool moves_in_planes() const override { return true; }
    Outcome step(const Step& step) override;
    void keep(const Step& step, const Outcome& outcome) override;  // the next step starts from the stages of this one
    double accept(const Step&, const Outcome& outcome) override;
    double reject(double error) override { return shrink(error, 4); }
    void repeat() override { Stepper::repeat(), multipliers_known_ = false; }  // rows may have been chosen anew
    void forget() override;
    void extend(const Step& step) override;
    void take_over() { previous_step_ = accepted_step_ = 0, fresh_ = multipliers_known_ = at_once_ = false; }  // from another method, at full speed
    int passes() const { return passes_; }  // of the last step

  private:
    struct Stage {
        State z, f, rest;            // change of state, slope, residual
        State change, flow, before;  // correction, its product with the slope's derivative, the same one round earlier
        BlockVector lam, open, mu;   // multipliers, what is open of the joints, correction of the multipliers
    };
    static constexpr int most_passes = 10;
    void start_from(const Step& step);
    void find_multipliers(double t);
    void choose_solver(const Step& step);
    bool converge(const Step& step);
    void evaluate(const Step& step, int i);
    double growth(double h, double error) const;
    void predict(double h);
    void residual(double h, int i);
    double correct(double h);
    double correct_at_once();
    double correct_by_rounds(double h);
    double estimate(double h, const State& f);
    void integrate_work(double t, double h);

    StageSolver direct_;
    Flow flow_;  // slots by stage; the last one at the start of the step, for the error
    int index_, passes_ = 0;
    bool fresh_ = true;   // no step has been taken yet: the error estimate is filtered twice, as after a rejection
    double accepted_step_ = 0, accepted_error_ = 1;  // of the last step
    Stage stages_[3];
    State start_, first_;  // state and slope at the start
    BlockVector multipliers_;  // there
    bool multipliers_known_ = false, at_once_ = false;
    double carried_rate_ = 1;  // share of a change that is left after it, as the last step had it
    State at_, error_, right_, step_;
    double previous_step_ = 0;
    State previous_[3];  // changes of the last step
    State between_[2], passed_;  // stages of a step that is extended, and how far its extension passes them
};

}  // namespace vincolo
