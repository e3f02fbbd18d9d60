#include "bindings/own_function.hpp"
#include "tree/inverse.hpp"

namespace vincolo {

FormulationOptions formulation_of(const nb::dict& given, std::shared_ptr<OwnFunction>& own) {
    nb::dict d;
    d.update(given);
    const std::string kind = taken_name(d, "kind");
    if (kind == "own") {
        own = std::make_shared<OwnFunction>();
        own->function = d["function"];
        nb::del(d["function"]);
    }
    FormulationOptions o = FormulationOptions::of(kind, given_of(kind.c_str(), d));
    if (kind == "own") o.own = [own](Equations& e) { return (*own)(e); };
    return o;
}

nb::dict trouble_of(const Trouble& trouble) {
    nb::dict d;
    d["failure"] = failure_names[static_cast<int>(trouble.failure)];
    d["t"] = trouble.t, d["body"] = trouble.body;
    return d;
}

namespace {

// Accelerations by a formulation without matrices, and least reactions that fit them and the equations
void solve_beside(Formulation& formulation, double t, const Doubles& y, const Doubles& turns, Equations& e, Vector& accelerations) {
    formulation.placement().turns.values() = turns;
    Doubles x(formulation.state_size() + formulation.placement().system().tail_size()), dx(x.size());
    formulation.from_standard(y.data(), t, x.data());
    formulation.derivative(t, x.data(), dx.data());
    formulation.twist_accelerations(x.data(), accelerations);
    e.acc = accelerations;
    Reactions(e, FormulationOptions().rank_tolerance).find(e);
}

// Equations of motion at a state, and what a formulation makes of them
nb::dict solve(Kernel& kernel, const nb::dict& options, double t, const Doubles& y, const Doubles& turns, bool solved) {
    kernel.check_state(y, turns);
    std::shared_ptr<OwnFunction> own;
    FormulationOptions asked = formulation_of(options, own);
    const bool matrices = asked.kind != "joint_coordinates";
    const auto other = matrices ? nullptr : make_formulation(kernel.system(), asked);
    if (!matrices) asked = FormulationOptions::of("null_space", Given());
    DenseFormulation formulation(kernel.system(), asked);
    formulation.placement().turns.values() = turns;
    formulation.want_reactions();
    Doubles x(formulation.state_size() + kernel.system().tail_size()), dx(x.size());
    formulation.coordinates().from_standard(y.data(), x.data());
    const Equations& e = formulation.equations();
    if (solved && matrices) formulation.derivative(t, x.data(), dx.data());
    else formulation.load(t, x.data());
    if (own && own->error.is_valid()) {
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(own->error.ptr())), own->error.ptr());
        throw nb::python_error();
    }
    Vector accelerations = Vector::Zero(6 * kernel.system().ground());
    if (other) solve_beside(*other, t, y, turns, formulation.coordinates().e, accelerations);
    else formulation.twist_accelerations(x.data(), accelerations);
    const std::size_t n = e.n, m = e.m, nb = kernel.system().bodies.size();
    nb::dict d;
    d["M"] = OwnFunction::matrix(e.M), d["J"] = OwnFunction::matrix(e.J);
    d["gamma"] = OwnFunction::vector(e.gamma, m), d["Q"] = OwnFunction::vector(e.Q, n);
    d["phi"] = OwnFunction::vector(e.phi, m), d["rate"] = OwnFunction::vector(e.rate, m), d["u"] = OwnFunction::vector(e.u, n);
    d["lam"] = OwnFunction::vector(e.lam, m), d["rows"] = formulation.coordinates().taken();  // those of the system that hold
    d["acceleration"] = numpy_array(Doubles(accelerations.data(), accelerations.data() + 6 * nb), {nb, 6});
    d["iterations"] = formulation.counts().iterations;
    d["trouble"] = trouble_of(other ? other->trouble() : formulation.trouble());
    return d;
}

// How many links a mechanism has in joint coordinates, how many of them are balls, and how many rows are left over
nb::tuple joint_tree(const Kernel& kernel) {
    const tree::Tree found(kernel.system());
    int balls = 0, left = 0;
    for (const tree::Link& link : found.links()) balls += link.kind == MoveKind::Ball;
    for (char open : found.left()) left += open;
    return nb::make_tuple(found.links().size(), balls, left);
}

// Forces along coordinates of a tree by samples of them, of their rates and accelerations, all of one shape; no forces where the tree
// has other coordinates or rows are left over
nb::dict inverse_dynamics(Kernel& kernel, const Doubles& y, const Doubles& turns, const std::vector<int>& quantities, const Array& times, const nb::list& motion) {
    kernel.check_state(y, turns);
    for (int n : quantities) kernel.check(n, kernel.system().quantities.size(), "quantity");
    tree::Inverse inverse(kernel.system(), y, turns, quantities);
    nb::dict d;
    d["places"] = inverse.places(), d["complete"] = inverse.complete(), d["loops"] = inverse.closes_loops();
    const std::size_t n = times.size(), k = quantities.size();
    if (inverse.closes_loops() || !inverse.complete() || inverse.found() != k) return d;
    std::vector<Array> given;
    for (nb::handle part : motion) given.push_back(nb::cast<Array>(part));
    if (given.size() != 3) throw std::invalid_argument("positions, rates and accelerations are needed");
    for (const Array& part : given)
        if (part.size() != n * k) throw std::invalid_argument("a motion has one row for each time and one column for each quantity");
    Doubles forces(n * k);
    {
        const nb::gil_scoped_release free;
        for (std::size_t i = 0; i < n; ++i)
            inverse.find(times.data()[i], given[0].data() + i * k, given[1].data() + i * k, given[2].data() + i * k, forces.data() + i * k);
    }
    d["forces"] = numpy_array(std::move(forces), {n, k});
    return d;
}

}  // namespace

void bind_solve(nb::class_<Kernel>& kernel) {
    kernel.def("solve", &solve).def("joint_tree", &joint_tree).def("inverse_dynamics", &inverse_dynamics);
}

}  // namespace vincolo
