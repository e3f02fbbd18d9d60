// A System under construction, and what the bindings share
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>

#include "observer.hpp"
#include "options.hpp"

namespace vincolo {

namespace nb = nanobind;

using Array = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using Doubles = std::vector<double>;
using Operations = std::vector<std::tuple<std::string, int, int>>;

template <class Kind>
Kind kind_of(const std::string& name, const char* const* names, int count, const char* what) {
    for (int k = 0; k < count; ++k)
        if (name == names[k]) return static_cast<Kind>(k);
    throw std::invalid_argument(std::string("the kernel knows no ") + what + " called '" + name + "'");
}

inline Vec3 vec3(const Doubles& x) {
    if (x.size() != 3) throw std::invalid_argument("three numbers expected");
    return Vec3(x[0], x[1], x[2]);
}

inline Mat3 mat3(const Doubles& x) {
    if (x.size() != 9) throw std::invalid_argument("nine numbers expected");
    Mat3 m;
    for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = x[i];
    return m;
}

// Operands may only point back, so that a tape can be run from front to end.
inline Tape tape_of(const Operations& ops, const Doubles& constants, int inputs, std::size_t parts = 0) {
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
inline Function function_of(const nb::tuple& spec) {
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

// Options from a dictionary, by name
inline Given given_of(const char* whose, const nb::dict& d) {
    Given given(whose);
    for (auto [key, value] : d) {
        const auto name = nb::cast<std::string>(key);
        if (nb::isinstance<nb::bool_>(value)) given.set(name, nb::cast<bool>(value));
        else if (nb::isinstance<nb::str>(value)) given.set(name, nb::cast<std::string>(value));
        else if (nb::isinstance<nb::list>(value)) given.set(name, nb::cast<Doubles>(value));
        else given.set(name, nb::cast<double>(value));
    }
    return given;
}

// The entry of a dictionary that says which one it is about; taken out of it
inline std::string taken_name(nb::dict& d, const char* key) {
    const auto name = nb::cast<std::string>(d[key]);
    nb::del(d[key]);
    return name;
}

inline nb::object numpy_array(Doubles&& data, std::vector<std::size_t> shape) {
    auto* owned = new Doubles(std::move(data));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Doubles*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double>(owned->data(), shape.size(), shape.data(), owner));
}

// A System under construction; sealed by the first use
class Kernel {
  public:
    System system;

    int add_body(double mass, const Doubles& inertia, const Doubles& ballast, double mass_ballast, double length) {
        system.bodies.push_back({mass, vec3(inertia), vec3(ballast), length, mass_ballast});
        return static_cast<int>(system.bodies.size()) - 1;
    }
    void set_ballast(int body, const Doubles& ballast, double mass_ballast) {
        Body& given = system.bodies[check(body, system.bodies.size(), "body")];
        given.ballast = vec3(ballast);
        given.mass_ballast = mass_ballast;
        observer_.reset();
    }
    void set_held(int body, const Doubles& held) {
        if (held.size() != 9) throw std::invalid_argument("not a matrix");
        system.bodies[check(body, system.bodies.size(), "body")].held = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(held.data());
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
        system.scratch = std::max(system.scratch, Function::scratch_of(formula.tape, formula.parts));
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

void bind_runs(nb::module_& m);
void bind_solve(nb::class_<Kernel>& kernel);

}  // namespace vincolo
