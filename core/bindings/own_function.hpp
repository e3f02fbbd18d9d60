// Formulations from options, also as Python functions
#pragma once
#include "bindings/kernel.hpp"
#include "formulations/dense.hpp"

namespace vincolo {

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

FormulationOptions formulation_of(const nb::dict& d, std::shared_ptr<OwnFunction>& own);
nb::dict trouble_of(const Trouble& trouble);

}  // namespace vincolo
