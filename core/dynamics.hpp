// From a state to accelerations and reactions: M u' + J^T lam = Q, J u' = gamma, on an independent set of rows.
#pragma once
#include <memory>

#include "block_solver.hpp"
#include "measures.hpp"

namespace vincolo {

// A pivot below this share of the best it has been belongs to a singular position: its row carries no force there.
constexpr double singular_share = 3e-9;
// A row is dependent if its pivot in the geometric metric falls below this share of its diagonal.
constexpr double dependent_share = 1e-8;
// The same where it is found by solving for the row instead of by pivots
constexpr double trace_share = 1e-11;

class Dynamics {
  public:
    explicit Dynamics(const System& system);

    const System& system() const { return system_; }
    double size() const { return scale_; }      // characteristic length

    // Bodies, frames, rows and the factor of S at the positions of y.
    void place(double t, const double* y);
    // Accelerations at the velocities of y, into dy; place() must have seen the same positions.
    void accelerate(double t, const double* y, double* dy);
    // One step of iterative refinement of the last accelerations and multipliers: what J u' misses of gamma is solved for again.
    // Returns the change of the multipliers as a share of them.
    double refine_accelerations();
    // Accelerations under given multipliers, into dy; zero inertias are made up for with the accelerations of `before`.
    void accelerate_given(double t, const double* y, const BlockVector& multipliers, const double* before, double* dy);
    // Largest |Phi| of the rows in use at the positions of y, lengths by the extent; keeps Phi for correct_positions().
    double residual(double t, const double* y);
    double placed_residual();  // the same where place() stands
    double placed_sum();       // sum of |Phi| over all rows, also those not in use
    // As place() with the weights of the geometry alone, for corrections in that metric
    void place_geometric(double t, const double* y);
    // One Newton step q -= M^-1 J^T S^-1 Phi with the last factor, orthogonal in the metric of the masses or of the geometry;
    // quaternions are normalised.
    void correct_positions(double* y, bool geometric = false);
    // Projection of the velocities onto J u = nu in the same metric; returns the largest residual before.
    double correct_velocities(double* y, bool geometric = false);
    double rate_residual(const double* y);  // largest |J u - nu| at the last place()

    // Takes from a change of state its part across the constraints, at the last place(): what projection will remove.
    void keep_tangent(const double* y, double* change);

    // Chooses independent rows at the positions of y, drives first, and takes their pivots as reference.
    void select(double t, const double* y);
    void select_geometric(double t, const double* y);  // only chooses and activates
    // Smallest pivot of some rows as a share of its diagonal, in the metric of the geometry; they are in use afterwards
    double weakest(double t, const double* y, const std::vector<char>& rows);
    double weakest_chosen = 1;  // of the rows in use when they were chosen
    double trace = trace_share; // of a row that is looked at again, below which it is dependent
    double growth = 1;          // of the pivot that has grown most since then
    // Uses the given rows (all of them: pass ones).
    void activate(const std::vector<char>& taken);
    // Call at accepted states, positions placed and velocities loaded.
    void watch(double t);
    // Pivots of now are those to compare with, where they are larger
    void take_reference();
    // After watch(): true if pivots have fallen so far that the choice of rows should be looked at; once for each such fall
    bool doubtful();
    // Largest |Phi| of the rows left out, with or without those of drives, lengths by the extent, at the loaded state; whose it is
    double left_out(double t, bool drives, int* worst = nullptr);
    double speed() const;  // largest of the loaded velocities; turning by the characteristic length
    // Time at which a pivot is about to reach zero, from its root now (last place(), at time t) and at the last watch();
    // infinity if none is. The root passes a singular position in a straight line.
    double foresee(double t);
    // Writes Phi and J u - nu of every row (also those not in use) at y.
    void all_residuals(double t, const double* y, double* phi, double* phi_rate);

    // Values and rates of all quantities at the last state given to accelerate() or load_velocities().
    void observe_quantities(double* values, double* rates);
    double quantity_value(int q) const;
    double quantity_acceleration(int q);  // with the accelerations of the last accelerate()
    void quantity(int q, double& value, double& rate) const;
    // Force of each law (as its text says, before the sign) and its power.
    void law_force(int law, double t, double value, double rate, double& force, double& power);
    double law_potential(int law) const;
    // Slopes of a law's force by the value and by the rate of its quantity, at the loaded state
    void law_slopes(int law, double t, double& by_value, double& by_rate);
    // At the last loaded state
    double kinetic_energy() const;
    double potential_energy() const;
    double load_power(int load, double t);
    Vec3 load_vector(const Load& load, double t);  // force or torque in world axes

    // Angles are counted over turns: the branch nearest to where the record, renewed at accepted states, leads to now.
    std::vector<double>& turns() { return turns_; }
    void follow_turns(const Dynamics& other);  // takes over the record of another
    void record_turns(double t);
    void start_turns(double t);
    bool driven() const { return !driven_.empty(); }  // whether rows in use do work
    double turn_at(int turn, double t) const;  // between the last two records, near enough to choose a branch by
    double measured(int m) const;  // value of a measure, angles unwrapped
    double unwrapped(const Measure& measure, double value) const;
    static double branch_near(double angle, double expected);

    void load_positions(double t, const double* y);   // bodies and frames only
    double time() const { return now_; }              // of the loaded positions
    void load_velocities(const double* y);
    void assemble_rows(const Mat3* weights);  // J of the rows in use at the loaded positions, weighed with inverse inertias
    void row_bias();                        // gamma of the rows in use
    void values_of_rows();                  // phi of the rows in use
    void evaluate_drives(double t);
    Jet held_at(const Row& row, double t);  // what a row is held at: its value, rate and acceleration, where they are given
    // What is open of a row at the loaded state, and how fast; zero where its level leaves that free
    void open_row(const Row& row, double t, double& value, double& rate);
    void apply_forces(double t);
    void place_rows(double t, const double* y);  // positions, drives and J, without the factor of S
    void least_accelerations(const double* y);  // that fit the rows at the velocities of y, least by mass; after place()
    void hold_back();                            // accelerations from the free ones by the joints alone, at the last place()
    void load_motion(const double* y);

    double alpha = 0, beta = 0;  // Baumgarte: gamma - 2 alpha (J u - nu) - beta^2 Phi

    BlockSet set;
    BlockSolver solver;
    BlockVector phi, gamma, lam, lam_free;
    std::vector<BodyWork> bodies;  // the last one is the ground
    std::vector<FrameWork> frames;
    std::vector<double> inverse_mass;
    std::vector<Mat3> inverse_inertia;
    std::vector<double> unit_mass;    // weights of the geometry alone: all masses one,
    std::vector<Mat3> unit_inertia;   // all inertias one square of the characteristic length
    std::vector<Mat3> own_inertia;    // the same by each body's own length, where it stood when rows were last chosen
    std::vector<char> candidates;  // rows that select() may choose from
    std::vector<char> taken;       // rows in use
    std::vector<int> position;     // of a row within its block's columns, if in use
    std::vector<double> row_scale; // by row: 1 over the extent for lengths, 1 for angles and cosines
    std::vector<Jet> drive_values; // by row; zero where nothing is given
    std::vector<double> factor;    // by term: derivative of its quantity, constant but in formulas
    long evaluations = 0, factorisations = 0, zeroed_pivots = 0, selections = 0;
    double crossing = 0;           // as foreseen at the last watch()
    double nearness = 1;           // smallest root of what couplings leave, over its best, at the last watch(): 0 if singular
    double lowest_now = 1;         // smallest share at the last watch()
    double lowest_share = 1;       // smallest pivot met, as a share of the best it has been
    double power = 0;              // of everything that is not in the potential energy

    void add_rates(BlockVector& x, double factor, bool accelerations) const;  // x += factor J (velocity | acceleration)
    void collect_reactions(const BlockVector& x);     // bodies' reaction = J^T x

  private:
    struct Metric {
        const BlockSolver* solver;
        const double* mass;   // inverse
        const Mat3* inertia;  // inverse
    };
    Metric metric(bool geometric) const;
    struct ActiveRow {
        int measure, block, place, end_a, end_b, term;
        bool formula;  // one of the terms of a formula
    };
    struct FormulaWork {
        int quantity;
        double value;    // of a formula with rates: what is left without them
        double by_time;
    };
    struct MovingWork {
        Vec3 v, a, w, alpha;  // of a moving frame against its body, in world axes
    };
    void move_frames(double t);
    FrameSeries frame_series(int frame, bool with_bodies) const;
    double bias_of(int measure) const;     // second derivative without accelerations
    double rate_of(int measure, const Gradient& g) const;
    double time_rate(int quantity) const;  // by time alone, bodies at rest
    double formula_rate(int formula) const;  // of a formula with its measures at rest
    bool stores(const Law& law) const;       // whether its force comes from a potential
    void refresh_formulas(double t);     // values and factors at the loaded positions
    Jet formula_series(int formula);     // value, rate and second derivative at the loaded velocities, without accelerations
    double row_rate(int row) const;      // J u of a row in use
    // Which axis of its frames each row of a joint uses: 1 where it does; shared by all joints of the same make
    struct Pattern {
        Column e[3], f[3], h[3];
        Column gram[block_rows];  // e . e
    };
    // All rows of a joint between one pair of frames, evaluated together: per row either a direction e on the separation
    // (pin, along) or two axes f on a and h on b (cosine)
    struct JointRows {
        int block, a, b, end_a, end_b, body_a, body_b;
        int pattern;
        bool along;  // e turns with frame a
    };
    // The directions of a joint's rows in the world
    struct Directions {
        Column e[3], f[3], h[3];
    };
    void assemble_joint(const JointRows& joint, const Mat3* weights);
    int pattern_of(const Pattern& pattern);
    void joint_values(const JointRows& joint);
    void joint_bias(const JointRows& joint);
    bool joint_of(int block, JointRows& joint);
    void prepare_bodies();
    void add_block(const BlockShape& shape);
    void prepare_rows();
    void store(const ActiveRow& row, const Gradient& g, bool add);
    void solve_accelerations(BlockVector& multipliers);  // on entry what J times the accelerations must be, negated
    void write_slope(const double* y, double* dy);
    void unload_ballast(bool anew);
    double begin_unloading(double& largest);
    void unload(double rho, double wanted);
    double response_to_unloading(double& whole);
    int end_of(int block, int body) const;
    void build_lists();
    void scale_rows();
    void choose(double t, const double* y, const std::vector<char>& from);  // independent rows, into independent_
    int pass(const std::vector<char>& from, double tolerance);
    void add_overlooked(const std::vector<char>& from);
    void measure_lengths();
    void place_choice(double t, const double* y, const std::vector<char>& rows);
    void factor_choice();
    void clear_sum();
    void add_to_sum(int row, double c);
    double apart();
    double weakest_pivot() const;
    void compare(std::size_t block, int row);

    const System& system_;
    BlockSolver selector_, geometer_;
    BlockVector share_, best_, first_, chosen_, least_, none_, scales_;
    std::vector<double> lengths_;  // of the bodies, where they now stand
    double drawn_ = 0;             // largest as drawn
    double doubt_ = 0.1;           // share of pivots below which the choice of rows is looked at again
    std::vector<int> loaded_;  // bodies on which laws or loads act, the ground among them
    std::vector<double> root_now_;  // at the last foresee()
    double foreseen_ = 0;
    long foreseen_at_ = -1;  // number of factorisations then
    std::vector<double> root_, best_root_;  // roots of what couplings leave of each block, at the last watch() and at best
    double watched_ = 0;  // time of the last watch()
    std::vector<char> independent_, former_, wanted_, former_choice_;
    std::vector<double> weights_;  // of the rows, squares of their sizes in the metric of the geometry
    int drives_ = 0;               // rows of drives
    std::vector<Pattern> patterns_;
    std::vector<JointRows> joints_;
    std::vector<Directions> directions_;
    std::vector<int> loose_ends_;  // of blocks that are not evaluated whole
    std::vector<ActiveRow> simple_, combined_;
    std::vector<int> driven_;    // rows in use with a function or formula, or not held at the level of positions
    std::vector<int> formulas_;  // rows in use with a formula
    std::vector<FormulaWork> formula_work_;
    std::vector<Gradient> term_gradients_;  // of the measures in formulas, by term, at the loaded positions
    std::vector<double> adjoints_;
    std::vector<MovingWork> moving_work_;
    std::vector<int> moving_of_;        // by frame: its place in the system's list, or -1
    std::vector<char> moving_measure_;
    std::vector<double> measure_time_;  // by measure: its rate by time alone
    std::vector<double> turns_, turn_rates_, earlier_turns_, earlier_rates_;
    double turned_ = 0, earlier_ = 0, now_ = 0;  // times of the last two records and of the loaded positions
    std::vector<Jet> jets_;
    std::vector<double> numbers_, inputs_;
    std::vector<Jet> jet_inputs_;
    std::vector<Gradient> gradients_;  // of the terms of one law
    struct BallastWork {
        Vec3 residual, direction, response;  // of turning
        Vec3 residual_v, direction_v, response_v;
        Vec3 acting, acting_v;  // what acts without joints, in body axes, and in the world
    };
    std::vector<BallastWork> ballast_;
    std::vector<int> ballasted_;
    std::vector<Vec3> inverse_moments_;
    std::vector<double> weight_share_;  // of a body's mass in what it has with ballast
    std::vector<int> first_frame_, frames_by_body_;
    double scale_ = 1;   // characteristic length
};

}  // namespace vincolo
