// Matrices of statics and of small vibrations as triplets, and the factor of saddle points
#include <nanobind/stl/unique_ptr.h>

#include "bindings/kernel.hpp"
#include "symmetric_factor.hpp"

namespace vincolo {

namespace {

using Integers = nb::ndarray<const int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

nb::tuple tuple_of(Triplets&& x) {
    const std::size_t n = x.value.size();
    return nb::make_tuple(numpy_array(std::move(x.row), {n}), numpy_array(std::move(x.column), {n}), numpy_array(std::move(x.value), {n}));
}

std::vector<int> vector_of(const Integers& x) { return {x.data(), x.data() + x.size()}; }

nb::dict forces_of(Kernel& kernel, double t, const Doubles& y, const Doubles& turns) {
    kernel.check_state(y, turns);
    Triplets mass;
    Doubles Q;
    kernel.slopes().forces(t, y.data(), turns.data(), mass, Q);
    const std::size_t n = Q.size();
    nb::dict d;
    d["M"] = tuple_of(std::move(mass)), d["Q"] = numpy_array(std::move(Q), {n});
    return d;
}

nb::dict slopes_of(Kernel& kernel, double t, const Doubles& y, const Doubles& turns, const Numbers& lam, const Numbers& acceleration) {
    kernel.check_state(y, turns);
    const System& s = kernel.system();
    if (lam.size() != s.rows.size() || acceleration.size() != 6 * s.bodies.size()) throw std::invalid_argument("reactions of another system");
    SlopesFound found;
    kernel.slopes().find(t, y.data(), turns.data(), lam.data(), acceleration.data(), found);
    nb::dict d;
    d["force_by_position"] = tuple_of(std::move(found.force_by_position));
    d["force_by_velocity"] = tuple_of(std::move(found.force_by_velocity));
    d["rate_by_position"] = tuple_of(std::move(found.rate_by_position));
    d["gamma_by_position"] = tuple_of(std::move(found.gamma_by_position));
    d["gamma_by_velocity"] = tuple_of(std::move(found.gamma_by_velocity));
    d["force_by_state"] = tuple_of(std::move(found.force_by_state));
    d["state_by_position"] = tuple_of(std::move(found.state_by_position));
    d["state_by_velocity"] = tuple_of(std::move(found.state_by_velocity));
    d["state_by_state"] = tuple_of(std::move(found.state_by_state));
    return d;
}

void check_range(const Integers& x, int end) {
    for (std::size_t k = 0; k < x.size(); ++k)
        if (x.data()[k] < 0 || x.data()[k] >= end) throw std::invalid_argument("a place outside of the matrix");
}

nb::object order_of(int bodies, int rows, const Integers& pair_a, const Integers& pair_b, const Integers& row, const Integers& row_body) {
    if (bodies < 0 || rows < 0 || pair_a.size() != pair_b.size() || row.size() != row_body.size()) throw std::invalid_argument("lists of different lengths");
    for (const Integers* x : {&pair_a, &pair_b, &row_body}) check_range(*x, bodies);
    check_range(row, rows);
    std::vector<int> order = saddle_order(bodies, rows, vector_of(pair_a), vector_of(pair_b), vector_of(row), vector_of(row_body));
    const std::size_t n = order.size();
    return numpy_array(std::move(order), {n});
}

std::unique_ptr<SymmetricFactor> factor_of(const Integers& order, const Integers& row, const Integers& column, const Numbers& value,
                                           const Numbers& give) {
    const int size = static_cast<int>(order.size());
    if (row.size() != value.size() || column.size() != value.size() || give.size() != order.size()) throw std::invalid_argument("lists of different lengths");
    for (const Integers* x : {&order, &row, &column}) check_range(*x, size);
    const std::vector<int> given = vector_of(order);
    std::vector<char> seen(size, 0);
    for (int k : given)
        if (std::exchange(seen[k], 1)) throw std::invalid_argument("an order that names an unknown twice");
    nb::gil_scoped_release free;
    return std::make_unique<SymmetricFactor>(given, row.data(), column.data(), value.data(), value.size(), give.data());
}

nb::object solution_of(const SymmetricFactor& factor, const Numbers& right) {
    if (right.size() != static_cast<std::size_t>(factor.size())) throw std::invalid_argument("a right-hand side of another size");
    Doubles out(factor.size());
    {
        nb::gil_scoped_release free;
        factor.solve(right.data(), out.data());
    }
    const std::size_t n = out.size();
    return numpy_array(std::move(out), {n});
}

}  // namespace

void bind_slopes(nb::module_& m, nb::class_<Kernel>& kernel) {
    kernel.def("forces", &forces_of).def("slopes", &slopes_of);
    m.def("saddle_order", &order_of);
    nb::class_<SymmetricFactor>(m, "SymmetricFactor")
        .def_static("of", &factor_of)
        .def_prop_ro("good", &SymmetricFactor::good)
        .def_prop_ro("negative", &SymmetricFactor::negative)
        .def("solve", &solution_of);
}

}  // namespace vincolo
