#include "builder.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "columns.hpp"

namespace vincolo {

namespace {

template <class Kind>
Kind kind_of(const std::string& name, const char* const* names, int count, const char* what) {
    for (int k = 0; k < count; ++k)
        if (name == names[k]) return static_cast<Kind>(k);
    throw std::invalid_argument(std::string("there is no ") + what + " called '" + name + "'");
}

Mat3 mat3(const Doubles& x) {
    if (x.size() != 9) throw std::invalid_argument("nine numbers expected");
    Mat3 m;
    for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = x[i];
    return m;
}

template <class T>
int last(const std::vector<T>& x) {
    return static_cast<int>(x.size()) - 1;
}

// Operands may only point back, so that a tape can be run from front to end.
Tape tape_of(const Operations& ops, const Doubles& constants, int inputs, std::size_t parts = 0) {
    Tape tape;
    tape.constants = constants;
    for (const auto& [name, a, b] : ops) {
        const Op op = kind_of<Op>(name, op_names, static_cast<int>(Op::Count), "operation");
        const int here = static_cast<int>(tape.code.size());
        const int limit = op == Op::Const ? static_cast<int>(constants.size()) : op == Op::Input ? inputs : op == Op::Time ? 1 << 30 : here;
        if (a < 0 || a >= limit || (op >= Op::Add && (b < 0 || b >= here))) throw std::invalid_argument("a tape points outside itself");
        if (op == Op::Call && (b < 0 || b >= static_cast<int>(parts))) throw std::invalid_argument("a tape calls what is not there");
        tape.code.push_back({op, a, op >= Op::Add || op == Op::Call ? b : a});
        if (op <= Op::Input) tape.code.back().b = 0;
        const Instruction& exponent = tape.code[op == Op::Pow ? b : here];  // squares are products, and exact
        if (op == Op::Pow && exponent.op == Op::Const && constants[exponent.a] == 2) tape.code.back() = {Op::Mul, a, a};
    }
    if (tape.code.empty()) throw std::invalid_argument("an empty tape");
    return tape;
}

void check_parameters(const Function& f, const std::string& kind) {
    static constexpr std::size_t least[] = {1, 3, 1, 4, 4, 7, 0, 7, 1};
    if (f.p.size() < least[static_cast<int>(f.kind)]) throw std::invalid_argument("too few parameters for function " + kind);
    if (f.kind == FunctionKind::Spline) {
        const double n = f.p[0];
        if (!(n >= 2) || f.p.size() != 1 + n + 4 * (n - 1)) throw std::invalid_argument("a spline's parameters do not fit its samples");
    }
    if (f.kind == FunctionKind::PiecewisePolynomial) {
        const double n = f.p[0], degree = f.p[1];
        if (!(n >= 1) || !(degree >= 0) || f.p.size() != 5 + n + n * (degree + 1)) throw std::invalid_argument("a piecewise polynomial's parameters do not fit");
    }
    if (f.kind == FunctionKind::Pieces && f.parts.size() != f.p.size() + 1) throw std::invalid_argument("pieces do not fit their breaks");
}

}  // namespace

Vec3 vec3(const Doubles& x) {
    if (x.size() != 3) throw std::invalid_argument("three numbers expected");
    return Vec3(x[0], x[1], x[2]);
}

Function function_of(const FunctionSpec& spec, int auxiliaries) {
    Function f;
    for (const FunctionSpec& part : spec.parts) f.parts.push_back(function_of(part));
    f.kind = kind_of<FunctionKind>(spec.kind, function_names, static_cast<int>(FunctionKind::Count), "function");
    f.p = spec.parameters;
    check_parameters(f, spec.kind);
    if (f.kind == FunctionKind::Tape) f.tape = tape_of(spec.operations, spec.constants, auxiliaries, f.parts.size());
    return f;
}

int Builder::check(int index, std::size_t size, const char* what) {
    if (index < 0 || index >= static_cast<int>(size)) throw std::out_of_range(std::string("no such ") + what);
    return index;
}

void Builder::check_state(const Doubles& y, const Doubles& turns) const {
    if (static_cast<int>(y.size()) != system_.state_size() || static_cast<int>(turns.size()) != system_.turns)
        throw std::invalid_argument("a state of another system");
}

int Builder::add_body(double mass, const Doubles& inertia, const Doubles& ballast, double mass_ballast, double length) {
    system_.bodies.push_back({mass, vec3(inertia), vec3(ballast), length, mass_ballast});
    added_.push_back(system_.bodies.back());
    return last(system_.bodies);
}

System Builder::as_added() const {
    System out = system_;
    out.bodies = added_;
    return out;
}

void Builder::set_ballast(int body, const Doubles& ballast, double mass_ballast) {
    Body& given = system_.bodies[check(body, system_.bodies.size(), "body")];
    given.ballast = vec3(ballast);
    given.mass_ballast = mass_ballast;
}

void Builder::set_held(int body, const Doubles& held) { system_.bodies[check(body, system_.bodies.size(), "body")].held = mat3(held); }

int Builder::add_frame(int body, const Doubles& point, const Doubles& axes) {
    if (body < 0) body = system_.ground();
    check(body, system_.bodies.size() + 1, "body");
    system_.frames.push_back({body, vec3(point), mat3(axes)});
    return last(system_.frames);
}

void Builder::add_moving_frame(int frame, const std::array<int, 3>& along, int axis, int turn) {
    for (int f : {along[0], along[1], along[2], turn})
        if (f >= 0) check(f, system_.functions.size(), "function");
    system_.moving.push_back({check(frame, system_.frames.size(), "frame"), {along[0], along[1], along[2]}, check(axis, 3, "axis"), turn});
}

int Builder::add_measure(const std::string& kind, int a, int b, int i, int j, const Doubles& e) {
    const auto k = kind_of<MeasureKind>(kind, measure_names, static_cast<int>(MeasureKind::Count), "measure");
    check(a, system_.frames.size(), "frame"), check(b, system_.frames.size(), "frame");
    check(i, 3, "axis"), check(j, 3, "axis");
    const Vec3 direction = vec3(e);
    const auto [found, added] = numbers_.try_emplace({k, a, b, i, j, {direction[0], direction[1], direction[2]}}, last(system_.measures) + 1);
    if (added) system_.measures.push_back({k, a, b, i, j, direction, k == MeasureKind::Angle || k == MeasureKind::Azimuth ? system_.turns++ : -1});
    return found->second;
}

int Builder::add_quantity(const Terms& terms) {
    if (terms.empty()) throw std::invalid_argument("a quantity needs a measure");
    system_.quantities.push_back({static_cast<int>(system_.terms.size()), static_cast<int>(terms.size())});
    for (const auto& [m, factor] : terms) system_.terms.push_back({check(m, system_.measures.size(), "measure"), factor});
    return last(system_.quantities);
}

int Builder::add_quantities(int a, int b, const std::vector<std::vector<MeasureTerm>>& quantities) {
    const int first = last(system_.quantities) + 1;
    for (const auto& given : quantities) {
        Terms terms;
        for (const auto& [kind, swapped, i, j, e, factor] : given)
            terms.push_back({add_measure(kind, swapped ? b : a, swapped ? a : b, i, j, {e[0], e[1], e[2]}), factor});
        add_quantity(terms);
    }
    return first;
}

int Builder::add_formula_quantity(const Terms& terms, const Operations& ops, const Doubles& constants, const std::vector<FunctionSpec>& parts, bool rates) {
    const int q = add_quantity(terms);
    Formula formula;
    for (const FunctionSpec& part : parts) formula.parts.push_back(function_of(part));
    formula.tape = tape_of(ops, constants, static_cast<int>(terms.size()) * (rates ? 2 : 1), formula.parts.size());
    formula.rates = rates;
    system_.scratch = std::max(system_.scratch, Function::scratch_of(formula.tape, formula.parts));
    system_.quantities[q].formula = static_cast<int>(system_.formulas.size());
    system_.formulas.push_back(formula);
    return q;
}

int Builder::add_function(const FunctionSpec& spec) {
    system_.functions.push_back(function_of(spec, static_cast<int>(system_.auxiliaries.size())));
    system_.scratch = std::max(system_.scratch, system_.functions.back().scratch());
    return last(system_.functions);
}

int Builder::add_block(const std::vector<std::tuple<int, int, int>>& rows, bool drive, int a, int b) {
    if (rows.empty() || rows.size() > block_rows) throw std::invalid_argument("a block has one to six rows");
    const int k = static_cast<int>(system_.blocks.size());
    check(a, system_.frames.size(), "frame"), check(b, system_.frames.size(), "frame");
    system_.blocks.push_back({static_cast<int>(system_.rows.size()), static_cast<int>(rows.size()), a, b});
    for (const auto& [q, f, level] : rows) {
        if (f >= 0) check(f, system_.functions.size(), "function");
        system_.rows.push_back({check(q, system_.quantities.size(), "quantity"), f, k, drive, static_cast<Level>(check(level, 3, "level"))});
    }
    return k;
}

void Builder::add_freedom(int block, const std::vector<std::tuple<std::string, int, double>>& moves) {
    Freedom freedom{check(block, system_.blocks.size(), "block"), {}};
    for (const auto& [kind, axis, lead] : moves)
        freedom.moves.push_back({kind_of<MoveKind>(kind, move_names, 5, "motion"), check(axis, 3, "axis"), lead});
    system_.freedoms.push_back(std::move(freedom));
}

void Builder::set_gate(const std::string& of, int n, int auxiliary) {
    check(auxiliary, system_.auxiliaries.size(), "auxiliary state");
    if (of == "row") system_.rows[check(n, system_.rows.size(), "row")].gate = auxiliary;
    else if (of == "law") system_.laws[check(n, system_.laws.size(), "law")].gate = auxiliary;
    else if (of == "load") system_.loads[check(n, system_.loads.size(), "load")].gate = auxiliary;
    else throw std::invalid_argument("a row, a law or a load is switched, not '" + of + "'");
}

void Builder::set_latch(int row, int auxiliary) {
    system_.rows[check(row, system_.rows.size(), "row")].latch = check(auxiliary, system_.auxiliaries.size(), "auxiliary state");
}

int Builder::add_event(const std::string& crossing, const Doubles& times, double every, bool stops, bool calls) {
    if (every > 0 && times.empty()) throw std::invalid_argument("an event that comes again has a first time");
    Event event;
    event.crossing = kind_of<Crossing>(crossing, crossing_names, 3, "crossing");
    event.times = times, event.every = every, event.stops = stops, event.calls = calls;
    system_.events.push_back(std::move(event));
    return last(system_.events);
}

int Builder::force_number(const std::string& of, int n) const {
    const int blocks = block_forces * static_cast<int>(system_.blocks.size()), rows = static_cast<int>(system_.rows.size());
    return of == "block" ? n : of == "row" ? blocks + n : blocks + rows + n;
}

void Builder::set_guard(int event, const ExpressionSpec& when) {
    system_.events[check(event, system_.events.size(), "event")].when = expression_of(when, true);
}

void Builder::add_action(int event, const std::string& name, int n, const ExpressionSpec& value) {
    const auto kind = kind_of<ActionKind>(name, action_names, 4, "action");
    const bool row = kind == ActionKind::Latch;
    check(n, kind == ActionKind::Set ? system_.auxiliaries.size() : row ? system_.rows.size() : system_.quantities.size(), "target of an action");
    if (row && system_.rows[n].latch < 0) throw std::invalid_argument("the row has no auxiliary state to hold it where it stands");
    system_.events[check(event, system_.events.size(), "event")].actions.push_back({kind, n, row ? Expression{} : expression_of(value, true)});
}

void Builder::set_corner(int event) { system_.events[check(event, system_.events.size(), "event")].corner = true; }

void Builder::set_only(int event, int auxiliary, double value) {
    Event& found = system_.events[check(event, system_.events.size(), "event")];
    found.only = check(auxiliary, system_.auxiliaries.size(), "auxiliary state"), found.where = value;
    if (found.crossing != Crossing::Down) throw std::invalid_argument("what decides on a mode crosses zero downwards");
}

void Builder::add_stop(int row, double sign, double restitution, double rest, int closes, int opens) {
    if (system_.rows[check(row, system_.rows.size(), "row")].gate < 0) throw std::invalid_argument("a one-sided row has a gate");
    for (int event : {closes, opens}) check(event, system_.events.size(), "event");
    system_.stops.push_back({row, sign, restitution, rest, closes, opens});
}

void Builder::add_rub(const Ints& rows, const Ints& ways, const Ints& marks, int stop, const std::array<double, 3>& rest_slow_grip,
                      const ExpressionSpec& bound, const Ints& events) {
    const bool more = rows.size() > 1;
    if (rows.empty() || rows.size() > 3 || ways.size() != rows.size() || marks.size() != 2u + more || events.size() != 3u + 2 * more)
        throw std::invalid_argument("friction has one to three rows, with what belongs to them");
    for (int row : rows)
        if (system_.rows[check(row, system_.rows.size(), "row")].gate < 0) throw std::invalid_argument("a row that sticks has a gate");
    for (const Ints* states : {&ways, &marks})
        for (int state : *states) check(state, system_.auxiliaries.size(), "auxiliary state");
    if (stop >= 0) check(stop, system_.stops.size(), "stop");
    if (stop >= 0 && more) throw std::invalid_argument("friction on a stop has one row");
    for (int event : events) check(event, system_.events.size(), "event");
    Rub rub{rows, ways, stop, rest_slow_grip[0], rest_slow_grip[1], rest_slow_grip[2], expression_of(bound, true), events[0], events[1], marks[0], marks[1], events[2]};
    if (more) rub.loose = marks[2], rub.slows = events[3], rub.leaves = events[4];
    system_.rubs.push_back(std::move(rub));
}

int Builder::add_law(LawKind kind, int q, double sign, int function) {
    system_.laws.push_back({kind, check(q, system_.quantities.size(), "quantity"), sign, 0, 0, 0, 0, function, {}});
    if (kind != LawKind::Timed) system_.laws.back().formula.readings = {{Source::Value, q}};
    return last(system_.laws);
}

int Builder::add_spring(int q, double sign, double k, double c, double rest, double preload) {
    const int n = add_law(LawKind::Spring, q, sign, -1);
    Law& law = system_.laws.back();
    law.k = k, law.c = c, law.rest = rest, law.preload = preload;
    law.formula.readings.push_back({Source::Rate, q});
    return n;
}

int Builder::add_curve(int q, double sign, int f) {
    check(f, system_.functions.size(), "function");
    if (system_.functions[f].kind != FunctionKind::Spline) throw std::invalid_argument("a force curve is a spline");
    return add_law(LawKind::Curve, q, sign, f);
}

int Builder::add_timed(int q, double sign, int f) { return add_law(LawKind::Timed, q, sign, check(f, system_.functions.size(), "function")); }

std::vector<Reading> Builder::readings_of(const std::vector<std::pair<std::string, int>>& readings, bool forces) const {
    std::vector<Reading> out;
    for (const auto& [name, index] : readings) {
        const auto source = kind_of<Source>(name, source_names, forces ? 4 : 3, "source");
        const std::size_t all = source == Source::Force ? system_.forces_read() : system_.quantities.size();
        check(index, source == Source::Auxiliary ? system_.auxiliaries.size() : all, name.c_str());
        out.push_back({source, index});
    }
    return out;
}

Expression Builder::expression_of(const ExpressionSpec& spec, bool forces) {
    Expression out;
    out.readings = readings_of(spec.readings, forces);
    out.tape = tape_of(spec.operations, spec.constants, static_cast<int>(spec.readings.size()));
    system_.scratch = std::max(system_.scratch, out.tape.code.size());
    return out;
}

int Builder::add_formula(int q, double sign, const ExpressionSpec& formula) {
    const Expression read = expression_of(formula, true);
    const int n = add_law(LawKind::Tape, q, sign, -1);
    system_.laws.back().reacts = std::any_of(read.readings.begin(), read.readings.end(), [](const Reading& r) { return r.source == Source::Force; });
    system_.laws.back().formula = read;
    return n;
}

int Builder::add_called(int q, double sign, const std::vector<std::pair<std::string, int>>& readings, std::shared_ptr<Called> called) {
    std::vector<Reading> read = readings_of(readings);
    const int n = add_law(LawKind::Tape, q, sign, -1);
    system_.laws.back().formula.readings = std::move(read);
    system_.laws.back().formula.called = std::move(called);
    return n;
}

int Builder::add_auxiliary(double size) {
    system_.auxiliaries.push_back({{}, -1, size});
    return last(system_.auxiliaries);
}

Auxiliary& Builder::auxiliary(int n) { return system_.auxiliaries[check(n, system_.auxiliaries.size(), "auxiliary state")]; }

void Builder::set_rate(int n, const ExpressionSpec& rate) { auxiliary(n).rate = expression_of(rate); }

void Builder::set_sensed(int n, const ExpressionSpec& sensed) { auxiliary(n).sensed = expression_of(sensed, true); }

void Builder::set_slope(int n, int slope) { auxiliary(n).slope = check(slope, system_.auxiliaries.size(), "auxiliary state"); }

int Builder::add_output(const ExpressionSpec& output) {
    system_.outputs.push_back(expression_of(output));
    return last(system_.outputs);
}

int Builder::add_load(int frame, bool torque, bool body_axes, const std::vector<int>& f) {
    if (f.size() != 3) throw std::invalid_argument("three functions expected");
    for (int x : f) check(x, system_.functions.size(), "function");
    system_.loads.push_back({check(frame, system_.frames.size(), "frame"), torque, body_axes, {f[0], f[1], f[2]}});
    return last(system_.loads);
}

void Builder::set_body(int body, double mass, const Doubles& inertia, const Doubles& ballast, double mass_ballast, double length) {
    check(body, system_.bodies.size(), "body");
    system_.bodies[body] = added_[body] = {mass, vec3(inertia), vec3(ballast), length, mass_ballast};
}

void Builder::set_frame(int frame, const Doubles& point, const Doubles& axes) {
    Frame& given = system_.frames[check(frame, system_.frames.size(), "frame")];
    given.s = vec3(point), given.R = mat3(axes);
}

void Builder::set_component(int load, int axis, const FunctionSpec& spec) {
    const Load& given = system_.loads[check(load, system_.loads.size(), "load")];
    Function& function = system_.functions[given.functions[check(axis, 3, "axis")]];
    function = function_of(spec, static_cast<int>(system_.auxiliaries.size()));
    system_.scratch = std::max(system_.scratch, function.scratch());
}

void Builder::set_spring(int n, double k, double c, double rest, double preload) {
    Law& law = system_.laws[check(n, system_.laws.size(), "law")];
    if (law.kind != LawKind::Spring) throw std::invalid_argument("the law is not a spring");
    law.k = k, law.c = c, law.rest = rest, law.preload = preload;
}

void Builder::set_constants(int n, const Doubles& constants) {
    Law& law = system_.laws[check(n, system_.laws.size(), "law")];
    if (law.kind != LawKind::Tape || law.formula.tape.constants.size() != constants.size()) throw std::invalid_argument("the law has not so many constants");
    law.formula.tape.constants = constants;
}

void Builder::set_gravity(const Doubles& g) { system_.gravity = vec3(g); }

}  // namespace vincolo
