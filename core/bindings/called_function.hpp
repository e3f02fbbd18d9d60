// A law that is a Python function, called through the interpreter. Whoever builds the system keeps the function: held from here it
// could hold the system in turn, which Python's collector would not see.
#pragma once
#include "bindings/kernel.hpp"

namespace vincolo {

class CalledFunction : public Called {
  public:
    explicit CalledFunction(const nb::object& function) : function_(function) {}
    ~CalledFunction() override {
        nb::gil_scoped_acquire hold;
        function_.reset();
    }
    double value(double t, const double* read, int count) override {
        nb::gil_scoped_acquire hold;
        try {
            nb::list values;
            for (int k = 0; k < count; ++k) values.append(read[k]);
            const nb::object function = function_();
            if (!function.is_none()) return nb::cast<double>(function(t, values));
        } catch (nb::python_error& raised) {
            raised.discard_as_unraisable("a law");
        } catch (const std::exception&) {
        }
        return std::numeric_limits<double>::quiet_NaN();
    }

  private:
    nb::weakref function_;
};

}  // namespace vincolo
