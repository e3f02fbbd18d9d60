// The edge to Python: builds a System piece by piece, runs it with the interpreter's lock released, reads it.
#include <chrono>
#include <cstring>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

#include "bindings/called_function.hpp"
#include "calls.hpp"
#include "sensors.hpp"
#include "stiff.hpp"
#include "table.hpp"
#include "vincolo.h"

using namespace vincolo;

namespace {

nb::dict rows_of(Kernel& kernel, double t, const Doubles& y, const Doubles& turns) {
    kernel.check_state(y, turns);
    Jacobian out;
    kernel.observed([&](Observer& o) { o.rows(t, y.data(), turns.data(), out); });
    nb::dict d;
    const std::size_t n = out.value.size(), rows = out.phi.size();
    d["row"] = numpy_array(std::move(out.row), {n});
    d["column"] = numpy_array(std::move(out.column), {n});
    d["value"] = numpy_array(std::move(out.value), {n});
    d["phi"] = numpy_array(std::move(out.phi), {rows});
    d["rate"] = numpy_array(std::move(out.rate), {rows});
    d["gamma"] = numpy_array(std::move(out.gamma), {rows});
    return d;
}

nb::dict quantity_rows_of(Kernel& kernel, double t, const Doubles& y, const Doubles& turns, const std::vector<int>& quantities) {
    kernel.check_state(y, turns);
    for (int q : quantities) kernel.check(q, kernel.system().quantities.size(), "quantity");
    Jacobian out;
    kernel.observed([&](Observer& o) { o.quantity_rows(t, y.data(), turns.data(), quantities, out); });
    nb::dict d;
    const std::size_t n = out.value.size(), rows = out.phi.size();
    d["row"] = numpy_array(std::move(out.row), {n});
    d["column"] = numpy_array(std::move(out.column), {n});
    d["value"] = numpy_array(std::move(out.value), {n});
    d["quantity"] = numpy_array(std::move(out.phi), {rows});
    d["rate"] = numpy_array(std::move(out.rate), {rows});
    return d;
}

// Angles at a state, each on the branch nearest to the record of turns given
Doubles turns_at(Kernel& kernel, double t, const Doubles& y, const Doubles& turns) {
    kernel.check_state(y, turns);
    return kernel.observed([&](Observer& o) {
        Dynamics& dynamics = o.dynamics();
        dynamics.placement.turns.values() = turns;
        dynamics.load_positions(t, y.data());
        Doubles out = turns;
        for (std::size_t m = 0; m < kernel.system().measures.size(); ++m)
            if (kernel.system().measures[m].turn >= 0) out[kernel.system().measures[m].turn] = dynamics.placement.value_of(static_cast<int>(m));
        return out;
    });
}

// Place in the record of turns and factor of a quantity that is one angle; none otherwise
nb::object lone_turn(const Kernel& kernel, int quantity) {
    const System& s = kernel.system();
    const Quantity& q = s.quantities[kernel.check(quantity, s.quantities.size(), "quantity")];
    const Term& term = s.terms[q.first];
    if (q.count != 1 || q.formula >= 0 || s.measures[term.measure].turn < 0 || term.factor == 0) return nb::none();
    return nb::make_tuple(s.measures[term.measure].turn, term.factor);
}

// Observations of many states, stacked
struct Stack {
    static constexpr std::size_t contact_numbers = 7 + 2 * 3;
    Doubles acceleration, lam, wrench, values, rates, seconds, law_force, law_power, law_energy, law_loss, load_power, drive_power, kinetic, potential, phi, phi_rate, outputs, contacts;

    static void append(Doubles& to, const Doubles& from) { to.insert(to.end(), from.begin(), from.end()); }
    void push(const Observation& o) {
        append(acceleration, o.acceleration), append(lam, o.lam), append(values, o.values), append(rates, o.rates), append(seconds, o.seconds);
        append(law_force, o.law_force), append(law_power, o.law_power), append(law_energy, o.law_energy), append(law_loss, o.law_loss);
        append(load_power, o.load_power), append(drive_power, o.drive_power), append(outputs, o.outputs);
        for (const Wrench& w : o.wrenches)
            for (const Vec3& v : {w.force_a, w.torque_a, w.force_b, w.torque_b})
                for (int c = 0; c < 3; ++c) wrench.push_back(v[c]);
        for (const ContactSum& c : o.contacts) {
            for (double x : {c.gap, c.normal, c.points, c.sliding, c.power, c.stored, c.lost}) contacts.push_back(x);
            for (const Vec3* v : {&c.force, &c.centre}) contacts.insert(contacts.end(), v->data(), v->data() + 3);
        }
        kinetic.push_back(o.kinetic), potential.push_back(o.potential), phi.push_back(o.phi), phi_rate.push_back(o.phi_rate);
    }
};

void check_states(const System& s, std::size_t n, const Array& states, const Array& turns) {
    if (states.size() != n * s.state_size() || turns.size() != n * s.turns) throw std::invalid_argument("states of another system");
}

nb::dict observe(Kernel& kernel, const Doubles& t, Array states, Array turns) {
    const System& s = kernel.system();
    const std::size_t n = t.size();
    check_states(s, n, states, turns);
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
    d["law_energy"] = numpy_array(std::move(stack.law_energy), {n, s.laws.size()});
    d["law_loss"] = numpy_array(std::move(stack.law_loss), {n, s.laws.size()});
    d["load_power"] = numpy_array(std::move(stack.load_power), {n, s.loads.size()});
    d["drive_power"] = numpy_array(std::move(stack.drive_power), {n, s.rows.size()});
    d["kinetic"] = numpy_array(std::move(stack.kinetic), {n});
    d["potential"] = numpy_array(std::move(stack.potential), {n});
    d["output"] = numpy_array(std::move(stack.outputs), {n, s.outputs.size()});
    d["contact"] = numpy_array(std::move(stack.contacts), {n, s.contact.laws.size(), Stack::contact_numbers});
    d["phi"] = numpy_array(std::move(stack.phi), {n});
    d["phi_rate"] = numpy_array(std::move(stack.phi_rate), {n});
    return d;
}

// Stress without load in redundant joints, at many states
nb::object slack(Kernel& kernel, const Doubles& t, Array states, Array turns) {
    const System& s = kernel.system();
    const std::size_t n = t.size(), blocks = s.blocks.size();
    check_states(s, n, states, turns);
    Doubles out;
    {
        nb::gil_scoped_release free;
        Observer observer(s);
        std::vector<Wrench> wrenches;
        for (std::size_t k = 0; k < n; ++k) {
            observer.slack(t[k], states.data() + k * s.state_size(), turns.data() + k * s.turns, wrenches);
            for (const Wrench& w : wrenches)
                for (const Vec3& v : {w.force_b, w.torque_b})
                    for (int c = 0; c < 3; ++c) out.push_back(v[c]);
        }
    }
    return numpy_array(std::move(out), {n, blocks, 2, 3});
}

// The linear system of an implicit step at a state, with all rows or in planes where there are any, for tests
Doubles stiff_response(Kernel& kernel, double t, const Doubles& y, const Doubles& turns, double s, const Doubles& base, const Doubles& moved,
                       bool in_planes) {
    kernel.check_state(y, turns);
    const std::size_t nb = kernel.system().bodies.size();
    if (base.size() != 6 * nb || moved.size() != 6 * nb) throw std::invalid_argument("twists of another system");
    Dynamics dynamics(kernel.system());
    dynamics.placement.turns.values() = turns;
    if (in_planes) dynamics.allow_planes();
    dynamics.select_anew(t, y.data());
    dynamics.placement.load_velocities(y.data());
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

// The slope of a state as explicit steps find it, without refinement; how many bodies are nodes of the elimination, how many panels
// it has, and how many motions the bodies have without joints: six each, or three in a plane; for tests
std::tuple<Doubles, int, int, int, int> slope(Kernel& kernel, double t, const Doubles& y, const Doubles& turns) {
    kernel.check_state(y, turns);
    Dynamics dynamics(kernel.system());
    dynamics.placement.turns.values() = turns;
    Doubles dy(y.size());
    dynamics.allow_planes();
    if (kernel.system().switched()) kernel.system().rows_at(y.data(), dynamics.selection.candidates);
    dynamics.select_anew(t, y.data());
    dynamics.accelerate(t, y.data(), dy.data());
    return {dy, dynamics.solve.factors().hubs(), dynamics.solve.factors().panels(), dynamics.motions(), dynamics.solve.pins()};
}

double time_evaluations(Kernel& kernel, double t, const Doubles& y, const Doubles& turns, long count) {
    kernel.check_state(y, turns);
    nb::gil_scoped_release free;
    Dynamics dynamics(kernel.system());
    dynamics.placement.turns.values() = turns;
    Doubles dy(y.size());
    dynamics.allow_planes();
    dynamics.select_anew(t, y.data());
    const auto start = std::chrono::steady_clock::now();
    for (long k = 0; k < count; ++k) {
        dynamics.place(t, y.data());
        dynamics.accelerate(t, y.data(), dy.data());
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class R, class... A>
void bind_call(nb::class_<Kernel>& kernel, const char* name, R (Builder::*call)(A...)) {
    kernel.def(name, [call](Kernel& k, const typename FromPython<std::decay_t<A>>::type&... given) {
        return k.change(call, FromPython<std::decay_t<A>>::of(given)...);
    });
}

// A state with its sensors set to what they are there
nb::object sensed(const Kernel& kernel, double t, const Doubles& y, const Doubles& turns) {
    kernel.check_state(y, turns);
    RunStatistics statistics;
    Motion motion(kernel.system(), FormulationOptions(), Stabilisation(), statistics);
    motion.dynamics().placement.turns.values() = turns;
    State x = motion.state();
    motion.from_standard(t, y.data(), x);
    Sensors(motion).read(t, x);
    return numpy_array(Doubles(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(y.size())), {y.size()});
}

// What is read of a system and of its states
void bind_reading(nb::class_<Kernel>& kernel) {
    kernel
        .def("copy", [](const Kernel& k) { return std::make_unique<Kernel>(k); })
        .def("lent", [](const Kernel& k) {
            std::vector<std::tuple<Doubles, double, Doubles>> out;
            for (const Body& b : k.system().bodies) {
                Doubles held;
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j) held.push_back(b.held(i, j));
                out.emplace_back(Doubles(b.ballast.data(), b.ballast.data() + 3), b.mass_ballast, held);
            }
            return out;
        })
        .def("force_number", &Kernel::force_number)
        .def("sensed", &sensed)
        .def("add_called", [](Kernel& k, int q, double sign, const std::vector<std::pair<std::string, int>>& readings, const nb::object& function) {
            return k.add_called(q, sign, readings, std::make_shared<CalledFunction>(function));
        })
        .def_prop_ro("state_size", [](const Kernel& k) { return k.system().state_size(); })
        .def_prop_ro("turns", [](const Kernel& k) { return k.system().turns; })
        .def("rows", &rows_of)
        .def("quantity_rows", &quantity_rows_of)
        .def("lone_turn", &lone_turn)
        .def("turns_at", &turns_at)
        .def("row_quantity", [](const Kernel& k, int row) { return k.system().rows[k.check(row, k.system().rows.size(), "row")].quantity; })
        .def("observe", &observe)
        .def("slack", &slack)
        .def("independent", [](Kernel& k, double t, const Doubles& y, const Doubles& turns, bool drives) {
            k.check_state(y, turns);
            return k.observed([&](Observer& o) {
                const std::vector<char>& taken = o.independent(t, y.data(), turns.data(), drives);
                return std::vector<int>(taken.begin(), taken.end());
            });
        })
        .def("dependencies", [](Kernel& k, double t, const Doubles& y, const Doubles& turns, bool drives) {
            k.check_state(y, turns);
            return k.observed([&](Observer& o) {
                o.independent(t, y.data(), turns.data(), drives);
                return o.dependencies(t);
            });
        })
        .def("ballast_share", [](Kernel& k, double t, const Doubles& y, const Doubles& turns) {
            k.check_state(y, turns);
            return k.observed([&](Observer& o) { return o.ballast_share(t, y.data(), turns.data()); });
        })
        .def("stiff_response", &stiff_response)
        .def("slope", &slope)
        .def("time_evaluations", &time_evaluations);
}

}  // namespace

NB_MODULE(VINCOLO_MODULE, m) {
#ifdef EIGEN_NO_DEBUG
    nb::set_leak_warnings(false);  // what still lives where Python ends is freed with the process; kernels that check themselves tell of it
#endif
    m.attr("instruction_set") = VINCOLO_INSTRUCTIONS;
    m.def("supports_avx2", [] {
#if defined(_MSC_VER) && !defined(__clang__) && defined(_M_X64)
        int basic[4], extended[4];
        __cpuid(basic, 1);
        __cpuidex(extended, 7, 0);
        return (basic[2] >> 12 & 1) && (extended[1] >> 5 & 1);  // fused products, AVX2
#elif defined(__x86_64__) || defined(__i386__)
        return static_cast<bool>(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#else
        return false;
#endif
    });
    m.def("function_derivatives", [](const nb::tuple& spec, double t) {
        const Function f = function_of(function_spec(spec));
        std::vector<Jet> registers(f.scratch() + 1);
        const Jet y = f(t, registers.data());
        return std::make_tuple(y.f, y.d, y.dd);
    });
    m.attr("table_version") = table_version;
    m.attr("c_interface") = reinterpret_cast<std::uintptr_t>(&vincolo_create);  // so that its functions are in this library too
    std::vector<std::string> calls;
    nb::class_<Kernel> kernel(m, "Kernel");
    kernel.def(nb::init<>());
    each_call([&](const char* name, auto call) { bind_call(kernel, name, call), calls.emplace_back(name); });
    m.attr("calls") = nb::cast(calls);
    // of variants: no files hold these
    bind_call(kernel, "set_body", &Builder::set_body), bind_call(kernel, "set_frame", &Builder::set_frame);
    bind_call(kernel, "set_component", &Builder::set_component), bind_call(kernel, "set_spring", &Builder::set_spring);
    bind_call(kernel, "set_constants", &Builder::set_constants);
    bind_reading(kernel);
    bind_contact(kernel);
    bind_solve(kernel);
    bind_slopes(m, kernel);
    bind_runs(m);
    bind_pacers(m);
    bind_closure(m);
}
