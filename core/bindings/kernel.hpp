// A System under construction, and what the bindings share
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <stdexcept>

#include "builder.hpp"
#include "observer.hpp"
#include "options.hpp"
#include "slopes.hpp"

namespace vincolo {

namespace nb = nanobind;

using Array = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
// (kind, parameters, operations, constants, parts)
inline FunctionSpec function_spec(const nb::tuple& spec) {
    if (spec.size() != 5) throw std::invalid_argument("a function has a kind, parameters, operations, constants and parts");
    FunctionSpec out{nb::cast<std::string>(spec[0]), nb::cast<Doubles>(spec[1]), nb::cast<Operations>(spec[2]), nb::cast<Doubles>(spec[3]), {}};
    for (nb::handle part : nb::cast<nb::list>(spec[4])) out.parts.push_back(function_spec(nb::cast<nb::tuple>(part)));
    return out;
}

// (operations, constants, readings)
inline ExpressionSpec expression_spec(const nb::tuple& spec) {
    if (spec.size() != 3) throw std::invalid_argument("an expression has operations, constants and readings");
    return {nb::cast<Operations>(spec[0]), nb::cast<Doubles>(spec[1]), nb::cast<std::vector<std::pair<std::string, int>>>(spec[2])};
}

// How an argument of the builder comes from Python
template <class T>
struct FromPython {
    using type = T;
    static const T& of(const T& x) { return x; }
};
template <>
struct FromPython<FunctionSpec> {
    using type = nb::tuple;
    static FunctionSpec of(const nb::tuple& x) { return function_spec(x); }
};
template <>
struct FromPython<ExpressionSpec> {
    using type = nb::tuple;
    static ExpressionSpec of(const nb::tuple& x) { return expression_spec(x); }
};
template <>
struct FromPython<std::vector<FunctionSpec>> {
    using type = nb::list;
    static std::vector<FunctionSpec> of(const nb::list& x) {
        std::vector<FunctionSpec> out;
        for (nb::handle part : x) out.push_back(function_spec(nb::cast<nb::tuple>(part)));
        return out;
    }
};

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

template <class T>
nb::object numpy_array(std::vector<T>&& data, std::vector<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(data));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner));
}

// A System under construction, and what can be read from its states
class Kernel : public Builder {
  public:
    Kernel() = default;
    Kernel(const Kernel& other) : Builder(other) {}  // what was observed with the other is found again
    // A call of the builder; what was found for the mechanism as it was is forgotten
    template <class R, class... A, class... Given>
    R change(R (Builder::*call)(A...), Given&&... given) {
        const std::lock_guard<std::mutex> lock(observing_);
        observer_.reset(), slopes_.reset();
        return (this->*call)(std::forward<Given>(given)...);
    }
    // f(observer) with the interpreter's lock released, by one thread at a time; f must not need the interpreter, since others
    // wait for the observer while they hold its lock
    template <class F>
    auto observed(F&& f) {
        const nb::gil_scoped_release free;
        const std::lock_guard<std::mutex> lock(observing_);
        if (!observer_) observer_ = std::make_unique<Observer>(system());
        return f(*observer_);
    }
    Slopes& slopes() {
        if (!slopes_) slopes_ = std::make_unique<Slopes>(system());
        return *slopes_;
    }

  private:
    std::mutex observing_;
    std::unique_ptr<Observer> observer_;
    std::unique_ptr<Slopes> slopes_;
};

void bind_contact(nb::class_<Kernel>& kernel);
void bind_runs(nb::module_& m);
void bind_pacers(nb::module_& m);
void bind_solve(nb::class_<Kernel>& kernel);
void bind_slopes(nb::module_& m, nb::class_<Kernel>& kernel);
void bind_closure(nb::module_& m);

}  // namespace vincolo
