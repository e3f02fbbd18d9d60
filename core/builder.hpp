// Makes a System from plain tables, checked as it grows: indices must point at what is there, tapes back at themselves.
// Everything returns its number, by which later entries refer to it; wrong input throws std::invalid_argument or std::out_of_range.
#pragma once
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "system.hpp"

namespace vincolo {

using Doubles = std::vector<double>;
using Ints = std::vector<int>;
using Operations = std::vector<std::tuple<std::string, int, int>>;  // name and operands, in the order of evaluation
using Terms = std::vector<std::pair<int, double>>;                  // measures with their factors

// One term of a quantity between two frames: the measure's kind, whether the frames change places, axes, direction, factor
using MeasureTerm = std::tuple<std::string, bool, int, int, std::array<double, 3>, double>;

// A function of time or of a quantity's value, by the name of its kind
struct FunctionSpec {
    std::string kind;
    Doubles parameters;
    Operations operations;  // of a tape
    Doubles constants;
    std::vector<FunctionSpec> parts;
};

// Of a formula over the mechanism: its operations, constants, and what it reads, by source and number
struct ExpressionSpec {
    Operations operations;
    Doubles constants;
    std::vector<std::pair<std::string, int>> readings;
};

// auxiliaries: how many a tape may read
Function function_of(const FunctionSpec& spec, int auxiliaries = 0);
Vec3 vec3(const Doubles& x);  // three numbers

class Builder {
  public:
    // Principal moments of inertia; `length` is the largest distance of a frame from the centre of mass. Ballast is added where
    // mass or inertia is missing and taken back in the solution.
    int add_body(double mass, const Doubles& inertia, const Doubles& ballast, double mass_ballast, double length);
    void set_ballast(int body, const Doubles& ballast, double mass_ballast);
    void set_held(int body, const Doubles& held);
    // A point and three axes (row by row) on a body, from its centre of mass and in its principal axes; body -1 is the ground
    int add_frame(int body, const Doubles& point, const Doubles& axes);
    void add_moving_frame(int frame, const std::array<int, 3>& along, int axis, int turn);
    // A measure that is there already keeps its number: angles that are the same count the same turns
    int add_measure(const std::string& kind, int a, int b, int i, int j, const Doubles& e);
    int add_quantity(const Terms& terms);
    // Several quantities between the same two frames, numbered one after the other; the number of the first
    int add_quantities(int a, int b, const std::vector<std::vector<MeasureTerm>>& quantities);
    // g of the terms' measures (times their factors), and of their rates if it has them
    int add_formula_quantity(const Terms& terms, const Operations& operations, const Doubles& constants, const std::vector<FunctionSpec>& parts, bool rates);
    int add_function(const FunctionSpec& spec);
    // Rows that are eliminated together: quantity, function or -1, and level (0 position, 1 velocity, 2 acceleration)
    int add_block(const std::vector<std::tuple<int, int, int>>& rows, bool drive, int a, int b);
    // What a block leaves free, as motions from its first frame to its second: kind, axis, lead
    void add_freedom(int block, const std::vector<std::tuple<std::string, int, double>>& moves);
    // A row, law or load that holds or acts where an auxiliary state is not zero
    void set_gate(const std::string& of, int n, int auxiliary);
    void set_latch(int row, int auxiliary);  // what is added to what it is held at
    // At times, or every so many seconds from the first of them on; or where its guard crosses zero: up, down or both
    int add_event(const std::string& crossing, const Doubles& times, double every, bool stops, bool calls);
    int force_number(const std::string& of, int n) const;  // that expressions of events read: of a block, a row or a law
    void set_guard(int event, const ExpressionSpec& when);
    void set_corner(int event);  // nothing happens there but that steps of adaptive integrators end
    // set (an auxiliary state), latch (a row), bounce or strike (along a quantity)
    void add_action(int event, const std::string& kind, int n, const ExpressionSpec& value);
    void set_only(int event, int auxiliary, double value);  // it is watched where an auxiliary state has this value
    // A row that holds to one side, with a gate; the events by which it closes and opens
    void add_stop(int row, double sign, double restitution, double rest, int closes, int opens);
    // Rows that stick, with a gate, and the auxiliary states that say which way they slip; marks: held at rest by others, led, and of several rows
    // loose (Rub); the stop that it acts on, or -1; what counts as rest, as slow, and its grip; events: sticks, slips, starts, of
    // several rows slows, leaves
    void add_rub(const Ints& rows, const Ints& ways, const Ints& marks, int stop, const std::array<double, 3>& rest_slow_grip,
                 const ExpressionSpec& bound, const Ints& events);
    int add_spring(int quantity, double sign, double k, double c, double rest, double preload);
    int add_curve(int quantity, double sign, int function);
    int add_timed(int quantity, double sign, int function);
    int add_formula(int quantity, double sign, const ExpressionSpec& formula);
    int add_called(int quantity, double sign, const std::vector<std::pair<std::string, int>>& readings, std::shared_ptr<Called> called);
    // Numbers that a run carries beside the motion, before any function or expression that reads them. They stay as they are set,
    // unless they have a rate: an expression, or the value of another one. Errors are compared with their size.
    int add_auxiliary(double size);
    void set_rate(int auxiliary, const ExpressionSpec& rate);
    void set_sensed(int auxiliary, const ExpressionSpec& sensed);  // that accepted steps set it to
    void set_slope(int auxiliary, int slope);
    int add_output(const ExpressionSpec& output);
    int add_load(int frame, bool torque, bool body_axes, const std::vector<int>& functions);
    // Shapes that may touch, by their frame; the law of contacts, rigid or not; who meets whom under a law. Behind all of them, room in
    // which a run tells the forces of rigid contact.
    int add_contact_shape(int frame, const std::string& kind, const Doubles& size, const Doubles& corners, const std::vector<std::vector<int>>& faces, bool closed);
    int add_contact_law(bool rigid, const std::array<double, 4>& resistance, const std::array<double, 3>& friction);
    void add_contact_pairs(int law, const std::vector<std::pair<int, int>>& pairs);
    void set_contact_room(int auxiliaries);
    void set_gravity(const Doubles& g);
    void set_extent(double extent) { system_.extent = extent; }

    // Other numbers in what is there already, for a variant of the same structure
    void set_body(int body, double mass, const Doubles& inertia, const Doubles& ballast, double mass_ballast, double length);
    void set_frame(int frame, const Doubles& point, const Doubles& axes);
    void set_component(int load, int axis, const FunctionSpec& spec);
    void set_spring(int law, double k, double c, double rest, double preload);
    void set_constants(int law, const Doubles& constants);  // of its formula

    const System& system() const { return system_; }
    System as_added() const;  // with the ballast that bodies were added with
    void check_state(const Doubles& y, const Doubles& turns) const;
    static int check(int index, std::size_t size, const char* what);

  private:
    Auxiliary& auxiliary(int n);
    int add_law(LawKind kind, int quantity, double sign, int function);
    // forces: whether they may be read
    Expression expression_of(const ExpressionSpec& spec, bool forces = false);
    std::vector<Reading> readings_of(const std::vector<std::pair<std::string, int>>& readings, bool forces = false) const;
    System system_;
    std::vector<Body> added_;
    std::map<std::tuple<MeasureKind, int, int, int, int, std::array<double, 3>>, int> numbers_;  // of measures
};

}  // namespace vincolo
