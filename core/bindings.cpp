// The edge to Python: builds a System piece by piece, runs it with the interpreter's lock released, reads it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "kinematics.hpp"
#include "observer.hpp"
#include "run.hpp"

namespace nb = nanobind;
using namespace vincolo;

namespace {

using Array = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using Doubles = std::vector<double>;
using Operations = std::vector<std::tuple<std::string, int, int>>;

template <class Kind>
Kind kind_of(const std::string& name, const char* const* names, int count, const char* what) {
    for (int k = 0; k < count; ++k)
        if (name == names[k]) return static_cast<Kind>(k);
    throw std::invalid_argument(std::string("the kernel knows no ") + what + " called '" + name + "'");
}

Vec3 vec3(const Doubles& x) {
    if (x.size() != 3) throw std::invalid_argument("three numbers expected");
    return Vec3(x[0], x[1], x[2]);
}

Mat3 mat3(const Doubles& x) {
    if (x.size() != 9) throw std::invalid_argument("nine numbers expected");
    Mat3 m;
    for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = x[i];
    return m;
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

// (kind, parameters, operations, constants, parts)
Function function_of(const nb::tuple& spec) {
    if (spec.size() != 5) throw std::invalid_argument("a function has a kind, parameters, operations, constants and parts");
    const auto kind = nb::cast<std::string>(spec[0]);
    const auto params = nb::cast<Doubles>(spec[1]);
    Function f;
    for (nb::handle part : nb::cast<nb::list>(spec[4])) f.parts.push_back(function_of(nb::cast<nb::tuple>(part)));
    f.kind = kind_of<FunctionKind>(kind, function_names, static_cast<int>(FunctionKind::Count), "function");
    f.p = params;
    static constexpr std::size_t least[] = {1, 3, 1, 4, 4, 7, 0, 7, 1};
    if (params.size() < least[static_cast<int>(f.kind)]) throw std::invalid_argument("too few parameters for function " + kind);
    if (f.kind == FunctionKind::Spline) {
        const double n = params[0];
        if (!(n >= 2) || params.size() != 1 + n + 4 * (n - 1)) throw std::invalid_argument("a spline's parameters do not fit its samples");
    }
    if (f.kind == FunctionKind::PiecewisePolynomial) {
        const double n = params[0], degree = params[1];
        if (!(n >= 1) || !(degree >= 0) || params.size() != 5 + n + n * (degree + 1)) throw std::invalid_argument("a piecewise polynomial's parameters do not fit");
    }
    if (f.kind == FunctionKind::Pieces && f.parts.size() != params.size() + 1) throw std::invalid_argument("pieces do not fit their breaks");
    if (f.kind == FunctionKind::Tape) f.tape = tape_of(nb::cast<Operations>(spec[2]), nb::cast<Doubles>(spec[3]), 0, f.parts.size());
    return f;
}

nb::object numpy_array(Doubles&& data, std::vector<std::size_t> shape) {
    auto* owned = new Doubles(std::move(data));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Doubles*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double>(owned->data(), shape.size(), shape.data(), owner));
}

// A System under construction; sealed by the first use
class Kernel {
  public:
    System system;

    int add_body(double mass, const Doubles& inertia, const Doubles& ballast, double length) {
        system.bodies.push_back({mass, vec3(inertia), vec3(ballast), length});
        return static_cast<int>(system.bodies.size()) - 1;
    }
    void set_ballast(int body, const Doubles& ballast) {
        system.bodies[check(body, system.bodies.size(), "body")].ballast = vec3(ballast);
        observer_.reset();
    }
    int add_frame(int body, const Doubles& s, const Doubles& R) {
        if (body < 0) body = system.ground();
        check(body, system.bodies.size() + 1, "body");
        system.frames.push_back({body, vec3(s), mat3(R)});
        return static_cast<int>(system.frames.size()) - 1;
    }
    void add_moving_frame(int frame, const std::array<int, 3>& along, int axis, int turn) {
        for (int f : {along[0], along[1], along[2], turn})
            if (f >= 0) check(f, system.functions.size(), "function");
        system.moving.push_back({check(frame, system.frames.size(), "frame"), {along[0], along[1], along[2]}, check(axis, 3, "axis"), turn});
    }
    int add_measure(const std::string& kind, int a, int b, int i, int j, const Doubles& e) {
        const auto k = kind_of<MeasureKind>(kind, measure_names, static_cast<int>(MeasureKind::Count), "measure");
        check(a, system.frames.size(), "frame"), check(b, system.frames.size(), "frame");
        check(i, 3, "axis"), check(j, 3, "axis");
        system.measures.push_back({k, a, b, i, j, vec3(e), k == MeasureKind::Angle || k == MeasureKind::Azimuth ? system.turns++ : -1});
        return static_cast<int>(system.measures.size()) - 1;
    }
    int add_quantity(const std::vector<std::pair<int, double>>& terms) {
        if (terms.empty()) throw std::invalid_argument("a quantity needs a measure");
        system.quantities.push_back({static_cast<int>(system.terms.size()), static_cast<int>(terms.size())});
        for (const auto& [m, factor] : terms) system.terms.push_back({check(m, system.measures.size(), "measure"), factor});
        return static_cast<int>(system.quantities.size()) - 1;
    }
    // g of the terms' measures (times their factors), and of their rates if it has them
    int add_formula_quantity(const std::vector<std::pair<int, double>>& terms, const Operations& ops, const Doubles& constants, const nb::list& parts, bool rates) {
        const int q = add_quantity(terms);
        Formula formula;
        for (nb::handle part : parts) formula.parts.push_back(function_of(nb::cast<nb::tuple>(part)));
        const int inputs = static_cast<int>(terms.size()) * (rates ? 2 : 1);
        formula.tape = tape_of(ops, constants, inputs, formula.parts.size());
        formula.rates = rates;
        std::size_t most = 0;
        for (const Function& part : formula.parts) most = std::max(most, part.scratch());
        system.scratch = std::max(system.scratch, formula.tape.code.size() + most);
        system.quantities[q].formula = static_cast<int>(system.formulas.size());
        system.formulas.push_back(formula);
        return q;
    }
    int add_function(const nb::tuple& spec) {
        system.functions.push_back(function_of(spec));
        system.scratch = std::max(system.scratch, system.functions.back().scratch());
        return static_cast<int>(system.functions.size()) - 1;
    }
    // rows: quantity, function or -1, and level (0 position, 1 velocity, 2 acceleration)
    int add_block(const std::vector<std::tuple<int, int, int>>& rows, bool drive, int a, int b) {
        if (rows.empty() || rows.size() > block_rows) throw std::invalid_argument("a block has one to six rows");
        const int k = static_cast<int>(system.blocks.size());
        check(a, system.frames.size(), "frame"), check(b, system.frames.size(), "frame");
        system.blocks.push_back({static_cast<int>(system.rows.size()), static_cast<int>(rows.size()), a, b});
        for (const auto& [q, f, level] : rows) {
            if (f >= 0) check(f, system.functions.size(), "function");
            system.rows.push_back({check(q, system.quantities.size(), "quantity"), f, k, drive, static_cast<Level>(check(level, 3, "level"))});
        }
        return k;
    }
    void add_switch(double t, int row, bool on) { system.switches.push_back({t, check(row, system.rows.size(), "row"), on}); }
    int add_spring(int q, double sign, double k, double c, double rest, double preload) {
        system.laws.push_back({LawKind::Spring, check(q, system.quantities.size(), "quantity"), sign, k, c, rest, preload, -1, {}, {}});
        return static_cast<int>(system.laws.size()) - 1;
    }
    int add_curve(int q, double sign, int f) {
        check(f, system.functions.size(), "function");
        if (system.functions[f].kind != FunctionKind::Spline) throw std::invalid_argument("a force curve is a spline");
        system.laws.push_back({LawKind::Curve, check(q, system.quantities.size(), "quantity"), sign, 0, 0, 0, 0, f, {}, {}});
        return static_cast<int>(system.laws.size()) - 1;
    }
    int add_timed(int q, double sign, int f) {
        check(f, system.functions.size(), "function");
        system.laws.push_back({LawKind::Timed, check(q, system.quantities.size(), "quantity"), sign, 0, 0, 0, 0, f, {}, {}});
        return static_cast<int>(system.laws.size()) - 1;
    }
    int add_formula(int q, double sign, const Operations& ops, const Doubles& constants, const std::vector<std::pair<int, bool>>& inputs) {
        std::vector<LawInput> in;
        for (const auto& [quantity, rate] : inputs) in.push_back({check(quantity, system.quantities.size(), "quantity"), rate});
        system.laws.push_back({LawKind::Tape, check(q, system.quantities.size(), "quantity"), sign, 0, 0, 0, 0, -1,
                               tape_of(ops, constants, static_cast<int>(inputs.size())), in});
        system.scratch = std::max(system.scratch, ops.size());
        return static_cast<int>(system.laws.size()) - 1;
    }
    int add_load(int frame, bool torque, bool body_axes, const std::vector<int>& f) {
        if (f.size() != 3) throw std::invalid_argument("three functions expected");
        for (int x : f) check(x, system.functions.size(), "function");
        system.loads.push_back({check(frame, system.frames.size(), "frame"), torque, body_axes, {f[0], f[1], f[2]}});
        return static_cast<int>(system.loads.size()) - 1;
    }
    void set_gravity(const Doubles& g) { system.gravity = vec3(g); }

    Observer& observer() {
        if (!observer_) observer_ = std::make_unique<Observer>(system);
        return *observer_;
    }
    void check_state(const Doubles& y, const Doubles& turns) const {
        if (static_cast<int>(y.size()) != system.state_size() || static_cast<int>(turns.size()) != system.turns)
            throw std::invalid_argument("a state of another system");
    }

    int check(int index, std::size_t size, const char* what) const {
        if (index < 0 || index >= static_cast<int>(size)) throw std::out_of_range(std::string("no such ") + what);
        return index;
    }

  private:
    std::unique_ptr<Observer> observer_;
};

nb::dict rows_of(Kernel& kernel, double t, const Doubles& y, const Doubles& turns) {
    kernel.check_state(y, turns);
    Jacobian out;
    kernel.observer().rows(t, y.data(), turns.data(), out);
    nb::dict d;
    d["row"] = out.row;
    d["column"] = out.column;
    const std::size_t n = out.value.size(), rows = out.phi.size();
    d["value"] = numpy_array(std::move(out.value), {n});
    d["phi"] = numpy_array(std::move(out.phi), {rows});
    d["rate"] = numpy_array(std::move(out.rate), {rows});
    d["gamma"] = numpy_array(std::move(out.gamma), {rows});
    return d;
}

nb::dict quantity_rows_of(Kernel& kernel, const Doubles& y, const Doubles& turns, const std::vector<int>& quantities) {
    kernel.check_state(y, turns);
    for (int q : quantities) kernel.check(q, kernel.system.quantities.size(), "quantity");
    Jacobian out;
    kernel.observer().quantity_rows(y.data(), turns.data(), quantities, out);
    nb::dict d;
    const std::size_t n = out.value.size(), rows = out.phi.size();
    d["row"] = out.row;
    d["column"] = out.column;
    d["value"] = numpy_array(std::move(out.value), {n});
    d["quantity"] = numpy_array(std::move(out.phi), {rows});
    d["rate"] = numpy_array(std::move(out.rate), {rows});
    return d;
}

// Angles at a state, each on the branch nearest to the record of turns given
Doubles turns_at(Kernel& kernel, double t, const Doubles& y, const Doubles& turns) {
    kernel.check_state(y, turns);
    Dynamics dynamics(kernel.system);
    dynamics.turns() = turns;
    dynamics.load_positions(t, y.data());
    Doubles out = turns;
    for (std::size_t m = 0; m < kernel.system.measures.size(); ++m)
        if (kernel.system.measures[m].turn >= 0) out[kernel.system.measures[m].turn] = dynamics.measured(static_cast<int>(m));
    return out;
}

// Place in the record of turns and factor of a quantity that is one angle; none otherwise
nb::object lone_turn(const Kernel& kernel, int quantity) {
    const System& s = kernel.system;
    const Quantity& q = s.quantities[kernel.check(quantity, s.quantities.size(), "quantity")];
    const Term& term = s.terms[q.first];
    if (q.count != 1 || q.formula >= 0 || s.measures[term.measure].turn < 0 || term.factor == 0) return nb::none();
    return nb::make_tuple(s.measures[term.measure].turn, term.factor);
}

// Observations of many states, stacked
struct Stack {
    Doubles acceleration, lam, wrench, values, rates, seconds, law_force, law_power, load_power, drive_power, kinetic, potential, phi, phi_rate;

    static void append(Doubles& to, const Doubles& from) { to.insert(to.end(), from.begin(), from.end()); }
    void push(const Observation& o) {
        append(acceleration, o.acceleration), append(lam, o.lam), append(values, o.values), append(rates, o.rates), append(seconds, o.seconds);
        append(law_force, o.law_force), append(law_power, o.law_power), append(load_power, o.load_power), append(drive_power, o.drive_power);
        for (const Wrench& w : o.wrenches)
            for (const Vec3& v : {w.force_a, w.torque_a, w.force_b, w.torque_b})
                for (int c = 0; c < 3; ++c) wrench.push_back(v[c]);
        kinetic.push_back(o.kinetic), potential.push_back(o.potential), phi.push_back(o.phi), phi_rate.push_back(o.phi_rate);
    }
};

nb::dict observe(Kernel& kernel, const Doubles& t, Array states, Array turns) {
    const System& s = kernel.system;
    const std::size_t n = t.size();
    if (states.size() != n * s.state_size() || turns.size() != n * s.turns) throw std::invalid_argument("states of another system");
    Stack stack;
    {
        nb::gil_scoped_release free;
        Observer observer(s);
        Observation o;
        for (std::size_t k = 0; k < n; ++k) {
            observer.observe(t[k], states.data() + k * s.state_size(), turns.data() + k * s.turns, o);
            stack.push(o);
        }
    }
    nb::dict d;
    d["acceleration"] = numpy_array(std::move(stack.acceleration), {n, s.bodies.size(), 6});
    d["lam"] = numpy_array(std::move(stack.lam), {n, s.rows.size()});
    d["wrench"] = numpy_array(std::move(stack.wrench), {n, s.blocks.size(), 4, 3});
    d["value"] = numpy_array(std::move(stack.values), {n, s.quantities.size()});
    d["rate"] = numpy_array(std::move(stack.rates), {n, s.quantities.size()});
    d["second"] = numpy_array(std::move(stack.seconds), {n, s.quantities.size()});
    d["law_force"] = numpy_array(std::move(stack.law_force), {n, s.laws.size()});
    d["law_power"] = numpy_array(std::move(stack.law_power), {n, s.laws.size()});
    d["load_power"] = numpy_array(std::move(stack.load_power), {n, s.loads.size()});
    d["drive_power"] = numpy_array(std::move(stack.drive_power), {n, s.rows.size()});
    d["kinetic"] = numpy_array(std::move(stack.kinetic), {n});
    d["potential"] = numpy_array(std::move(stack.potential), {n});
    d["phi"] = numpy_array(std::move(stack.phi), {n});
    d["phi_rate"] = numpy_array(std::move(stack.phi_rate), {n});
    return d;
}

// The linear system of an implicit step at a state, for tests
Doubles stiff_response(Kernel& kernel, double t, const Doubles& y, const Doubles& turns, double s, const Doubles& base, const Doubles& moved) {
    kernel.check_state(y, turns);
    const std::size_t nb = kernel.system.bodies.size();
    if (base.size() != 6 * nb || moved.size() != 6 * nb) throw std::invalid_argument("twists of another system");
    Dynamics dynamics(kernel.system);
    dynamics.turns() = turns;
    dynamics.select(t, y.data());
    dynamics.load_velocities(y.data());
    StiffSolver stiff(dynamics);
    stiff.prepare(t);
    stiff.factor(s);
    const auto twists = [&](const Doubles& x) {
        Twists out(nb);
        for (std::size_t b = 0; b < nb; ++b) out[b] = {Vec3(x[6 * b], x[6 * b + 1], x[6 * b + 2]), Vec3(x[6 * b + 3], x[6 * b + 4], x[6 * b + 5])};
        return out;
    };
    Twists x(nb);
    stiff.solve(twists(base), twists(moved), x);
    Doubles out;
    for (const Twist& u : x)
        for (const Vec3& v : {u.v, u.w})
            for (int c = 0; c < 3; ++c) out.push_back(v[c]);
    return out;
}

double time_evaluations(Kernel& kernel, double t, const Doubles& y, const Doubles& turns, long count) {
    kernel.check_state(y, turns);
    nb::gil_scoped_release free;
    Dynamics dynamics(kernel.system);
    dynamics.turns() = turns;
    Doubles dy(y.size());
    dynamics.select(t, y.data());
    const auto start = std::chrono::steady_clock::now();
    for (long k = 0; k < count; ++k) {
        dynamics.place(t, y.data());
        dynamics.accelerate(t, y.data(), dy.data());
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A formulation given as a Python function of (M, J, gamma, Q, Phi, Phi_dot)
struct OwnFunction {
    nb::object function, error;

    Failure operator()(Equations& e) {
        nb::gil_scoped_acquire hold;
        if (error.is_valid()) return Failure::Raised;  // once is enough
        try {
            const std::size_t n = e.n, m = e.m;
            const nb::object found = function(matrix(e.M), matrix(e.J), vector(e.gamma, m), vector(e.Q, n), vector(e.phi, m), vector(e.rate, m));
            const auto [acc, lam] = nb::cast<std::pair<Array, Array>>(found);
            if (acc.size() != n || lam.size() != m) throw std::invalid_argument("wrong sizes");
            e.acc = Eigen::Map<const Vector>(acc.data(), n);
            e.lam = Eigen::Map<const Vector>(lam.data(), m);
        } catch (nb::python_error& raised) {
            error = nb::borrow(raised.value());
            return Failure::Raised;
        }
        return Failure::None;
    }
    static nb::object matrix(const Matrix& a) {
        Doubles rows(a.size());
        Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(rows.data(), a.rows(), a.cols()) = a;
        return numpy_array(std::move(rows), {static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols())});
    }
    static nb::object vector(const Vector& x, std::size_t n) { return numpy_array(Doubles(x.data(), x.data() + n), {n}); }
};

FormulationOptions formulation_of(const nb::dict& d, std::shared_ptr<OwnFunction>& own) {
    FormulationOptions o;
    o.kind = nb::cast<std::string>(d["kind"]), o.variant = nb::cast<std::string>(d["variant"]);
    o.coordinates = nb::cast<std::string>(d["coordinates"]), o.integrates = nb::cast<std::string>(d["integrates"]);
    o.alpha = nb::cast<double>(d["alpha"]), o.omega = nb::cast<double>(d["omega"]), o.mu = nb::cast<double>(d["mu"]);
    o.tolerance = nb::cast<double>(d["tolerance"]), o.iterations = nb::cast<int>(d["iterations"]);
    o.rank_tolerance = nb::cast<double>(d["rank_tolerance"]), o.limit = nb::cast<double>(d["limit"]);
    if (o.kind == "own") {
        own = std::make_shared<OwnFunction>();
        own->function = d["function"];
        o.own = [own](Equations& e) { return (*own)(e); };
    }
    return o;
}

nb::dict trouble_of(const Trouble& trouble) {
    nb::dict d;
    d["failure"] = failure_names[static_cast<int>(trouble.failure)];
    d["t"] = trouble.t;
    return d;
}

// Equations of motion at a state, and what a formulation makes of them
nb::dict solve(Kernel& kernel, const nb::dict& options, double t, const Doubles& y, const Doubles& turns, bool solved) {
    kernel.check_state(y, turns);
    std::shared_ptr<OwnFunction> own;
    Formulation formulation(kernel.system, formulation_of(options, own));
    formulation.dynamics().turns() = turns;
    formulation.want_reactions();
    Doubles x(formulation.state_size() + 1), dx(x.size());
    formulation.coordinates().from_standard(y.data(), x.data());
    const Equations& e = formulation.equations();
    if (solved) formulation.derivative(t, x.data(), dx.data());
    else formulation.load(t, x.data());
    if (own && own->error.is_valid()) {
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(own->error.ptr())), own->error.ptr());
        throw nb::python_error();
    }
    Vector accelerations = Vector::Zero(6 * kernel.system.ground());
    formulation.coordinates().twist_accelerations(x.data(), accelerations);
    const std::size_t n = e.n, m = e.m, nb = kernel.system.bodies.size();
    nb::dict d;
    d["M"] = OwnFunction::matrix(e.M), d["J"] = OwnFunction::matrix(e.J);
    d["gamma"] = OwnFunction::vector(e.gamma, m), d["Q"] = OwnFunction::vector(e.Q, n);
    d["phi"] = OwnFunction::vector(e.phi, m), d["rate"] = OwnFunction::vector(e.rate, m), d["u"] = OwnFunction::vector(e.u, n);
    d["lam"] = OwnFunction::vector(e.lam, m);
    d["acceleration"] = numpy_array(Doubles(accelerations.data(), accelerations.data() + 6 * nb), {nb, 6});
    d["iterations"] = formulation.solver().iterations;
    d["trouble"] = trouble_of(formulation.trouble());
    return d;
}

RunOptions options_of(const nb::dict& d, std::shared_ptr<OwnFunction>& own) {
    RunOptions o;
    o.formulation = formulation_of(nb::cast<nb::dict>(d["formulation"]), own);
    o.automatic = nb::cast<bool>(d["automatic"]), o.index = nb::cast<int>(d["index"]);
    const auto w = nb::cast<Doubles>(d["alpha_weights"]);
    if (w.size() == 5) o.alpha_weights = {w[0], w[1], w[2], w[3], static_cast<int>(w[4])};
    o.trigger = nb::cast<double>(d["trigger"]), o.positions = nb::cast<bool>(d["positions"]);
    o.velocities = nb::cast<bool>(d["velocities"]), o.geometric = nb::cast<bool>(d["geometric"]);
    o.method = kind_of<Method>(nb::cast<std::string>(d["method"]), method_names, static_cast<int>(Method::Count), "integrator");
    o.stabilisation = static_cast<Stabilisation>(nb::cast<int>(d["stabilisation"]));
    o.step = nb::cast<double>(d["step"]), o.rtol = nb::cast<double>(d["rtol"]);
    const auto atol = nb::cast<std::array<double, 3>>(d["atol"]);
    o.atol = {o.rtol, atol[0], atol[1], atol[2]};
    o.violation = nb::cast<double>(d["violation"]), o.min_step = nb::cast<double>(d["min_step"]);
    o.corners = nb::cast<Doubles>(d["corners"]), o.switches = nb::cast<Doubles>(d["switches"]);
    o.checkpoints = nb::cast<Doubles>(d["checkpoints"]);
    o.max_step = nb::cast<double>(d["max_step"]), o.max_steps = nb::cast<long>(d["max_steps"]);
    o.alpha = nb::cast<double>(d["alpha"]), o.beta = nb::cast<double>(d["beta"]);
    o.tolerance = nb::cast<double>(d["tolerance"]), o.project_outputs = nb::cast<bool>(d["project_outputs"]);
    return o;
}

// Keeps its own copy of the system, so that a run outlives the model it came from
class PyRun {
  public:
    PyRun(const Kernel& kernel, const nb::dict& options, double t0, const Doubles& y0, const Doubles& turns, const Doubles& outputs)
        : system_(kernel.system) {
        kernel.check_state(y0, turns);
        if (outputs.empty()) throw std::invalid_argument("no output times");
        if (nb::cast<std::string>(options["method"]) == "trapezoidal" &&
            nb::cast<std::string>(nb::cast<nb::dict>(options["formulation"])["variant"]) != "index_3")
            throw std::invalid_argument("the trapezoidal step needs index 3");
        run_ = std::make_unique<Run>(system_, options_of(options, own_), t0, y0, turns, outputs);
    }
    std::string advance(long evaluations) {
        nb::gil_scoped_release free;
        return status_names[static_cast<int>(run_->advance(evaluations))];
    }
    Run& run() const { return *run_; }
    // What the user's function raised; handed over, since its traceback leads back to this run
    nb::object take_error() {
        if (!own_ || !own_->error.is_valid()) return nb::none();
        nb::object out = own_->error;
        own_->error.reset();
        return out;
    }
    // Why a dense formulation failed; empty for the kernel's own
    nb::dict trouble() const { return run_->formulation() ? trouble_of(run_->formulation()->trouble()) : nb::dict(); }
    // The last accepted state and the record of turns
    nb::tuple state() const {
        const double* y = run_->state();
        return nb::make_tuple(run_->time(), numpy_array(Doubles(y, y + system_.state_size()), {static_cast<std::size_t>(system_.state_size())}),
                              numpy_array(Doubles(run_->dynamics().turns()), {static_cast<std::size_t>(system_.turns)}));
    }
    nb::object samples() const { return stacked(run_->samples(), system_.state_size()); }
    nb::object turns() const { return stacked(run_->sample_turns(), system_.turns); }

  private:
    nb::object stacked(const Doubles& all, std::size_t width) const {
        const std::size_t n = run_->recorded();
        return numpy_array(Doubles(all.begin(), all.begin() + n * width), {n, width});
    }
    System system_;
    std::shared_ptr<OwnFunction> own_;
    std::unique_ptr<Run> run_;
};

// The same for a motion by drives alone
class PyKinematics {
  public:
    PyKinematics(const Kernel& kernel, double t0, const Doubles& y0, const Doubles& turns, const Doubles& times, double tolerance) : system_(kernel.system) {
        kernel.check_state(y0, turns);
        if (times.empty()) throw std::invalid_argument("no times");
        run_ = std::make_unique<Kinematics>(system_, t0, y0, turns, times, tolerance);
    }
    std::string advance(long positions) {
        nb::gil_scoped_release free;
        return closing_names[static_cast<int>(run_->advance(positions))];
    }
    Kinematics& run() const { return *run_; }
    nb::object stacked(const Doubles& all, std::size_t width) const {
        const std::size_t n = run_->recorded();
        return numpy_array(Doubles(all.begin(), all.begin() + n * width), {n, width});
    }
    nb::object samples() const { return stacked(run_->samples(), system_.state_size()); }
    nb::object turns() const { return stacked(run_->turns(), system_.turns); }
    nb::tuple state() const {
        return nb::make_tuple(run_->time(), numpy_array(Doubles(run_->state(), run_->state() + system_.state_size()), {static_cast<std::size_t>(system_.state_size())}),
                              numpy_array(Doubles(run_->dynamics().turns()), {static_cast<std::size_t>(system_.turns)}));
    }
    nb::dict statistics() const {
        nb::dict d;
        d["steps"] = run_->steps, d["halvings"] = run_->halvings, d["corrections"] = run_->corrections;
        d["nearness"] = run_->lowest, d["selections"] = run_->dynamics().selections;
        std::vector<double> when;
        for (const auto& passage : run_->passages) when.push_back(passage.t);
        d["passages"] = when;
        return d;
    }

  private:
    System system_;
    std::unique_ptr<Kinematics> run_;
};

// A mechanism that can be drawn by its points
class PyDrag {
  public:
    PyDrag(const Kernel& kernel, double t, const Doubles& y, const Doubles& turns) : system_(kernel.system) {
        kernel.check_state(y, turns);
        drag_ = std::make_unique<Drag>(system_, t, y, turns);
    }
    double move(int frame, const Doubles& target, int iterations) {
        if (frame < 0 || frame >= static_cast<int>(system_.frames.size()) || system_.frames[frame].body == system_.ground())
            throw std::out_of_range("no such frame on a moving body");
        return drag_->move(frame, vec3(target), iterations);
    }
    nb::tuple state() {
        return nb::make_tuple(drag_->time(), numpy_array(Doubles(drag_->state()), {drag_->state().size()}),
                              numpy_array(Doubles(drag_->turns()), {static_cast<std::size_t>(system_.turns)}));
    }

  private:
    System system_;
    std::unique_ptr<Drag> drag_;
};

nb::dict statistics(const PyRun& self) {
    const RunStatistics& s = self.run().statistics();
    Dynamics& dyn = self.run().dynamics();
    nb::dict d;
    d["steps"] = s.steps, d["rejected"] = s.rejected, d["fitted"] = s.fitted, d["evaluations"] = dyn.evaluations, d["factorisations"] = dyn.factorisations;
    d["smallest_step"] = s.smallest_step, d["largest_step"] = s.largest_step;
    d["energy_imbalance"] = s.energy_imbalance, d["energy_range"] = s.energy_range;
    d["position_residual"] = s.position_residual, d["velocity_residual"] = s.velocity_residual;
    d["corrections"] = s.corrections, d["too_open"] = s.too_open, d["restarts"] = s.restarts;
    d["changes"] = s.changes, d["first_change"] = s.first_change, d["implicit_time"] = s.implicit_time, d["fastest"] = s.fastest;
    const Formulation* dense = self.run().formulation();
    d["formulation"] = dense ? dense->kind() : "sparse";
    d["iterations"] = dense ? dense->solver().iterations : 0, d["most_iterations"] = dense ? dense->solver().most_iterations : 0;
    d["decompositions"] = dense ? dense->solver().decompositions : 0;
    d["zeroed_pivots"] = dyn.zeroed_pivots, d["selections"] = dyn.selections, d["lowest_pivot_share"] = dyn.lowest_share;
    return d;
}

}  // namespace

NB_MODULE(VINCOLO_MODULE, m) {
    m.attr("instruction_set") = VINCOLO_INSTRUCTIONS;
    m.def("supports_avx2", [] {
#if defined(__x86_64__) || defined(__i386__)
        return static_cast<bool>(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#else
        return false;
#endif
    });
    m.def("function_derivatives", [](const nb::tuple& spec, double t) {
        const Function f = function_of(spec);
        std::vector<Jet> registers(f.scratch() + 1);
        const Jet y = f(t, registers.data());
        return std::make_tuple(y.f, y.d, y.dd);
    });
    nb::class_<Kernel>(m, "Kernel")
        .def(nb::init<>())
        .def("add_body", &Kernel::add_body)
        .def("set_ballast", &Kernel::set_ballast)
        .def("add_frame", &Kernel::add_frame)
        .def("add_moving_frame", &Kernel::add_moving_frame)
        .def("add_measure", &Kernel::add_measure)
        .def("add_quantity", &Kernel::add_quantity)
        .def("add_function", &Kernel::add_function)
        .def("add_formula_quantity", &Kernel::add_formula_quantity)
        .def("add_block", &Kernel::add_block)
        .def("add_switch", &Kernel::add_switch)
        .def("add_spring", &Kernel::add_spring)
        .def("add_curve", &Kernel::add_curve)
        .def("add_timed", &Kernel::add_timed)
        .def("add_formula", &Kernel::add_formula)
        .def("add_load", &Kernel::add_load)
        .def("set_gravity", &Kernel::set_gravity)
        .def_prop_ro("state_size", [](const Kernel& k) { return k.system.state_size(); })
        .def_prop_ro("turns", [](const Kernel& k) { return k.system.turns; })
        .def("rows", &rows_of)
        .def("quantity_rows", &quantity_rows_of)
        .def("lone_turn", &lone_turn)
        .def("turns_at", &turns_at)
        .def("row_quantity", [](const Kernel& k, int row) { return k.system.rows[k.check(row, k.system.rows.size(), "row")].quantity; })
        .def("observe", &observe)
        .def("independent", [](Kernel& k, double t, const Doubles& y, const Doubles& turns, bool drives) {
            k.check_state(y, turns);
            const std::vector<char>& taken = k.observer().independent(t, y.data(), turns.data(), drives);
            return std::vector<int>(taken.begin(), taken.end());
        })
        .def("dependencies", [](Kernel& k, double t, const Doubles& y, const Doubles& turns, bool drives) {
            k.check_state(y, turns);
            k.observer().independent(t, y.data(), turns.data(), drives);
            return k.observer().dependencies(t, y.data());
        })
        .def("ballast_share", [](Kernel& k, double t, const Doubles& y, const Doubles& turns) {
            k.check_state(y, turns);
            return k.observer().ballast_share(t, y.data(), turns.data());
        })
        .def("solve", &solve)
        .def("stiff_response", &stiff_response)
        .def("time_evaluations", &time_evaluations);
    nb::class_<PyKinematics>(m, "Kinematics")
        .def(nb::init<const Kernel&, double, const Doubles&, const Doubles&, const Doubles&, double>())
        .def("advance", &PyKinematics::advance)
        .def("samples", &PyKinematics::samples)
        .def("turns", &PyKinematics::turns)
        .def("state", &PyKinematics::state)
        .def("statistics", &PyKinematics::statistics)
        .def_prop_ro("recorded", [](const PyKinematics& r) { return r.run().recorded(); })
        .def_prop_ro("time", [](const PyKinematics& r) { return r.run().time(); });
    nb::class_<PyDrag>(m, "Drag")
        .def(nb::init<const Kernel&, double, const Doubles&, const Doubles&>())
        .def("move", &PyDrag::move)
        .def("state", &PyDrag::state);
    nb::class_<PyRun>(m, "Run")
        .def(nb::init<const Kernel&, const nb::dict&, double, const Doubles&, const Doubles&, const Doubles&>())
        .def("advance", &PyRun::advance)
        .def("samples", &PyRun::samples)
        .def("turns", &PyRun::turns)
        .def("statistics", &statistics)
        .def("trouble", &PyRun::trouble)
        .def("take_error", &PyRun::take_error)
        .def("state", &PyRun::state)
        .def_prop_ro("recorded", [](const PyRun& r) { return r.run().recorded(); })
        .def_prop_ro("time", [](const PyRun& r) { return r.run().time(); })
        .def_prop_ro("step", [](const PyRun& r) { return r.run().step(); });
}
