// A law that is a Python function, called through the interpreter
#pragma once
#include "bindings/kernel.hpp"

namespace vincolo {

class CalledFunction : public Called {
  public:
    explicit CalledFunction(nb::object function) : function_(std::move(function)) {}
    ~CalledFunction() override {
        nb::gil_scoped_acquire hold;
        function_.reset();
    }
    double value(double t, const double* read, int count) override {
        nb::gil_scoped_acquire hold;
        try {
            nb::list values;
            for (int k = 0; k < count; ++k) values.append(read[k]);
            return nb::cast<double>(function_(t, values));
        } catch (nb::python_error& raised) {
            raised.discard_as_unraisable("a law");
        } catch (const std::exception&) {
        }
        return std::numeric_limits<double>::quiet_NaN();
    }

  private:
    nb::object function_;
};

}  // namespace vincolo
