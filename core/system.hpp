// A mechanism as flat data: what compile() hands to the kernel. Nothing here changes during a run.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "contact/scene.hpp"
#include "functions.hpp"
#include "twist.hpp"

namespace vincolo {

// State of one body in the state vector: r (3), quaternion (4), v (3), w (3), all in world axes.
constexpr int body_size = 13;
constexpr int at_r = 0, at_p = 3, at_v = 7, at_w = 10;

struct Body {
    double mass;
    Vec3 inertia;  // principal moments about the centre of mass; body axes are principal axes
    Vec3 ballast;  // added to axes of no or hardly any inertia and taken back by iteration; zero elsewhere
    double length; // largest distance of a frame from the centre of mass
    double mass_ballast = 0;       // the same of a body without mass
    Mat3 held = Mat3::Identity();  // takes from a rotation, in body axes, what is idle: there ballast stays

    // What the ballast takes of the forces at given accelerations, to be given back
    Vec3 lent_force(const Vec3& a) const { return mass_ballast * a; }
    Vec3 lent_torque(const Mat3& A, const Vec3& alpha) const { return A * (held * ballast.cwiseProduct(A.transpose() * alpha)); }
};

// Point and axes fixed on a body, from its centre of mass, in principal axes; the ground is body number bodies.size().
struct Frame {
    int body;
    Vec3 s;
    Mat3 R;
};

// A frame that moves on its body: by functions of time along its own axes, and turned about one of them; -1 stands for none
struct MovingFrame {
    int frame;
    int along[3];
    int axis, turn;
};

enum class MeasureKind : int { World, Along, Cosine, Distance, Angle, Pin, Azimuth, Skid, Roll, Count };
inline const char* const measure_names[] = {"world", "along", "cosine", "distance", "angle", "pin", "azimuth", "skid", "roll"};

// d = point of b - point of a
struct Measure {
    MeasureKind kind;
    int a, b;  // frames
    int i, j;  // axes on a and on b
    Vec3 e;    // direction of a world measure; radius of what rolls, and whether it is a ball
    int turn;  // place in the record of turns, or -1
};

struct Term {
    int measure;
    double factor;
};

// Linear combination of measures, terms [first, first + count); or a formula of them
struct Quantity {
    int first, count;
    int formula = -1;
};

// What an expression reads: value or rate of a quantity, an auxiliary state, or, where events look and in laws that are solved
// together with them, a force that follows from the motion (System::forces_read() says which)
enum class Source : int { Value, Rate, Auxiliary, Force };
inline const char* const source_names[] = {"value", "rate", "auxiliary", "force"};

struct Reading {
    Source source;
    int index;
};

// A function of somebody else's, of the time and of what is read; not a number where it fails
class Called {
  public:
    virtual ~Called() = default;
    virtual double value(double t, const double* read, int count) = 0;
};

// A tape over anything of the mechanism and of a run, laws and rates of auxiliary states; or, for laws, what is called instead
struct Expression {
    Tape tape;
    std::vector<Reading> readings;
    std::shared_ptr<Called> called = nullptr;
};

// A number that a run carries beside the motion: a variable or an input, which stays until it is set, or a state with a rate of
// its own, by an expression or by another auxiliary state (-1: none); or a sensor, which every accepted step and every event sets
// to what an expression is there, forces that follow from the motion among it
struct Auxiliary {
    Expression rate;
    int slope = -1;
    double size = 1;  // errors are compared with it
    Expression sensed = {};

    bool senses() const { return !sensed.tape.code.empty(); }

    bool moves() const { return slope >= 0 || !rate.tape.code.empty(); }
};

// g(m_1, m_2, ..., t), or, with rates, g(m_1, ..., m_1', ..., t), linear in the rates
struct Formula {
    Tape tape;
    std::vector<Function> parts;
    bool rates;
};

// What of a quantity is held at the function of time
enum class Level : int { Position, Velocity, Acceleration };

// Held quantity: its value (rate, acceleration) - f(t) = 0; function -1 stands for zero. Auxiliary states say whether it holds
// (not zero: it does), and what is added to f(t); -1 stands for none.
struct Row {
    int quantity, function, block;
    bool drive;
    Level level = Level::Position;
    int gate = -1, latch = -1;
};

// Rows [first, first + count) between the same bodies, eliminated together
struct BlockShape {
    int first, count;
    int a, b;  // frames at which its reactions are given
};

// A simple motion from one frame to the next: a turn about z that travels `lead` per radian, a slide along an axis, any rotation,
// a quarter turn about y that is always there, or no motion at all
enum class MoveKind : int { Turn, Slide, Ball, Quarter, None };
inline const char* const move_names[] = {"turn", "slide", "ball", "quarter", "none"};

struct Move {
    MoveKind kind;
    int axis = 2;
    double lead = 0;
};

// What the rows of a block leave free between its frames, as motions from the first to the second
struct Freedom {
    int block;
    std::vector<Move> moves;
};

enum class LawKind : int { Spring, Curve, Timed, Tape };

// Force along a quantity's own row: generalised force = sign * F
struct Law {
    LawKind kind;
    int quantity;
    double sign;
    double k, c, rest, preload;  // Spring: F = k (m - rest) + c m_dot + preload
    int function;                // Curve: F = f(m); Timed: F = f(t)
    Expression formula;          // Tape: F = formula(t, what it reads)
    int gate = -1;               // auxiliary state: it acts where that is not zero
    bool reacts = false;         // reads forces that follow from the motion, its own among them: solved for with them
};

// Force or torque at a frame, components by functions of time
struct Load {
    int frame;
    bool torque, body_axes;
    int functions[3];
    int gate = -1;
};

// In which direction an expression is watched for crossing zero
enum class Crossing : int { Up, Down, Both };
inline const char* const crossing_names[] = {"up", "down", "both"};

// Set: an auxiliary state becomes a value. Latch: a row holds where it stands. Bounce: the rate of a quantity becomes minus so many
// times what it was. Strike: an impulse along a quantity.
enum class ActionKind : int { Set, Latch, Bounce, Strike };
inline const char* const action_names[] = {"set", "latch", "bounce", "strike"};

struct Action {
    ActionKind kind;
    int index;
    Expression value;
};

// What happens where an expression crosses zero, or at times: at each of them, or every so many seconds from the first on
struct Event {
    Expression when;
    Crossing crossing = Crossing::Both;
    std::vector<double> times;
    double every = 0;
    bool stops = false, calls = false;  // ends the run; waits for whoever advances it
    bool corner = false;                // only adaptive steps end there, and nothing is recorded: a force has a corner
    std::vector<Action> actions;
    int only = -1;     // it is watched only where this auxiliary state
    double where = 0;  // has this value: then its expression is positive, until it crosses zero downwards

    double time(double k) const { return times[0] + k * every; }
    bool is_at(double t) const {
        if (every > 0) return time(std::round((t - times[0]) / every)) == t;
        return std::find(times.begin(), times.end(), t) != times.end();
    }
};

// A row that holds to one side alone: its quantity stays above (sign 1) or below (sign -1) what the row is held at. Events close
// and open it. What meets it comes back with so much of its speed, or stays where that was at most `rest`.
struct Stop {
    int row;
    double sign, restitution, rest;
    int closes, opens;
};

// Friction along a quantity: a row holds its rate at zero while it sticks; an auxiliary state says which way it slips otherwise
// (-1, 1, or 0: not at all), which its law reads. The row may carry a force up to the bound. Nothing of it is there while the
// stop that it rubs on is open (-1: none).
// Along two or three, whose rates are the parts of one slip, forces of rows count together. Another auxiliary state says
// whether laws take the direction of the slip itself (loose), or the one that the ways hold (led): so it is where the slip is slow,
// since its direction has no slope at rest. Events change from one to the other.
struct Rub {
    std::vector<int> rows, ways;
    int stop;
    double rest, slow, grip;  // grip: the most of its impulse in an impact, over that of the stop
    Expression bound;
    int sticks, slips;
    int held, led;  // auxiliary states: it rests because others hold it, with the share `ways` of its force; it slips the way that they say
    int starts;     // the event that ends a rest held by others
    int loose = -1, slows = -1, leaves = -1;

    int parts() const { return static_cast<int>(rows.size()); }
    bool one() const { return rows.size() == 1; }
};

constexpr int block_forces = 16;

struct System {
    std::vector<Body> bodies;
    std::vector<Frame> frames;
    std::vector<MovingFrame> moving;
    std::vector<Measure> measures;
    std::vector<Term> terms;
    std::vector<Quantity> quantities;
    std::vector<Formula> formulas;
    std::vector<Function> functions;
    std::vector<Row> rows;
    std::vector<BlockShape> blocks;
    std::vector<Freedom> freedoms;  // of blocks for which it can be said
    std::vector<Law> laws;
    std::vector<Load> loads;
    std::vector<Auxiliary> auxiliaries;
    std::vector<Event> events;
    std::vector<Stop> stops;
    std::vector<Rub> rubs;
    std::vector<Expression> outputs;  // what is read from a run
    ContactScene contact;
    Vec3 gravity = Vec3::Zero();
    double extent = 1;       // of the whole mechanism as drawn: what residuals of lengths are compared with
    int turns = 0;           // angle measures
    std::size_t scratch = 1; // longest tape

    // Whether rows are switched, and which ones hold at a state
    bool switched() const {
        return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.gate >= 0; });
    }
    void rows_at(const double* y, std::vector<char>& holds) const {
        holds.resize(rows.size());
        for (std::size_t r = 0; r < rows.size(); ++r) holds[r] = rows[r].gate < 0 || y[auxiliary_index() + rows[r].gate] != 0;
    }
    bool decides() const { return !stops.empty() || !rubs.empty(); }  // by its motion, which rows hold
    // Forces that are read, in this order: of each block what block_forces.hpp says; of each row; of each law
    int forces_read() const { return static_cast<int>(block_forces * blocks.size() + rows.size() + laws.size()); }
    int ground() const { return static_cast<int>(bodies.size()); }
    // A state: bodies, then its tail: the work done so far and the auxiliary states
    int work_index() const { return body_size * static_cast<int>(bodies.size()); }
    int auxiliary_index() const { return work_index() + 1; }
    int tail_size() const { return 1 + static_cast<int>(auxiliaries.size()); }
    // Auxiliary states of stops and friction: what holds, what sticks, rests because others hold it, and slips in which direction
    template <class Visit>
    void visit_contact_states(Visit visit) const {
        for (const Stop& stop : stops) visit(rows[stop.row].gate);
        for (const Rub& friction : rubs) {
            for (int way : friction.ways) visit(way);
            for (int state : {rows[friction.rows[0]].gate, friction.held, friction.led, friction.loose})
                if (state >= 0) visit(state);
        }
    }
    int state_size() const { return work_index() + tail_size(); }
    void copy_tail(const double* from, double* to) const { std::copy(from, from + tail_size(), to); }
};

}  // namespace vincolo
