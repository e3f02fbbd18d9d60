// The end of a step: onto the constraints, and the slope there.
#pragma once
#include <algorithm>
#include <memory>

#include "options.hpp"
#include "soft_closing.hpp"
#include "statistics.hpp"
#include "stiff.hpp"

namespace vincolo {

class Motion;
using State = std::vector<double>;  // of a run: positions and velocities of all bodies, work, padding

// What keeps the constraints satisfied during a run: nothing, Baumgarte's terms or projection
struct Stabilisation {
    struct Baumgarte {
        double alpha = 0, beta = 0;
        template <class Fields>
        void fields(Fields& f) { f("alpha", alpha), f("beta", beta); }
    };
    struct Projection {
        double tolerance = 1e-10;     // of the position residual after projection
        bool relative = true;         // its lengths are shares of the extent of the mechanism
        double trigger = 0;           // positions are left alone while the sum of their residuals stays below
        bool positions = true, velocities = true;
        bool geometric = false;       // shortest correction by geometry instead of by masses
        bool outputs = true;          // samples between steps are put onto the constraints
        template <class Fields>
        void fields(Fields& f) {
            f("tolerance", tolerance), f("relative", relative), f("trigger", trigger), f("positions", positions);
            f("velocities", velocities), f("geometric", geometric), f("outputs", outputs);
        }
    };
    bool projects = false;
    Baumgarte baumgarte;
    Projection projection;
    // by its name: none, baumgarte or projection
    static Stabilisation of(const std::string& name, Given& given);
};

class Landing {
  public:
    Landing(Motion& motion, const Stabilisation& stabilisation, RunStatistics& statistics);

    // y onto the constraints, and its slope
    void land(double t, State& y, State& slope);
    void project(double t, State& y, double& position, double& velocity, bool of_step = false);
    // A landing beside the run, to rounding; whether it closes
    bool land_aside(double t, State& y, State& slope);

    // For implicit steps, which pass over stiff motion: from now on landings may be weighed by a step
    void soften();
    // Moving against a stiff spring or damper counts as heavy as in an implicit step of this size; 0: masses alone count
    void weigh(double step) { step_ = step; }
    void forget() { weigh(0), left_by_stage_ = 0; }  // where a run begins anew
    // Whether positions are closed already, and placed there, where landings begin
    void take_as_closed(bool closed) { closed_ = closed; }

    bool projects() const { return options_.projects; }
    bool geometric() const { return options_.projection.geometric; }  // in the metric of the geometry
    bool projects_outputs() const { return options_.projects && options_.projection.outputs; }
    bool projects_always() const { return options_.projects && options_.projection.positions && options_.projection.trigger == 0; }
    double allowed() const { return std::max(1e-9, 10 * options_.projection.tolerance); }  // residual of a closed mechanism

    // Of the last landing
    struct Found {
        double position = 0, velocity = 0;  // residuals; velocity before its projection
        double opened = 0;                  // residual of positions before they were closed
        bool open = false;                  // a projection did not close the mechanism
    };
    Found found;

  private:
    void slope_after_projection(double t, const State& y, State& slope);
    void place(double t, const double* y);
    double correct(double t, double* y);  // positions once with the last factor; their residual then
    void close(double t, double* y, double& position, bool of_step);
    bool serves(double open);
    void project_stiff(double t, double* y, double& position, double& velocity);
    void close_stiff(double t, double* y, double& position);
    void project_softly(double t, double* y, double& position, double& velocity);
    void move_positions(double* y) const;
    void move_velocities(double* y) const;
    Motion& motion_;
    Stabilisation options_;
    RunStatistics& statistics_;
    std::unique_ptr<StiffSolver> closer_;  // for projections that leave stiff laws in peace,
    std::unique_ptr<SoftClosing> soft_;    // or this where laws are few
    Twists none_, moved_;
    BlockVector given_, mu_;
    double step_ = 0;
    bool closed_ = false;
    double left_by_stage_ = 0;  // of the residual of positions, by a correction with the factor of the last stage, as last seen
};

}  // namespace vincolo
