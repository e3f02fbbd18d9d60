// Runs that are taken from outside in steps of one size
#include "bindings/own_run.hpp"
#include "pacer.hpp"

namespace vincolo {

namespace {

// Numbers of its system may be changed between steps
class PyPacer : public OwnRun {
  public:
    PyPacer(const Kernel& kernel, const nb::dict& options, double t0, const Doubles& y0, const Doubles& turns, double step,
            const std::vector<std::pair<int, int>>& inputs)
        : OwnRun(kernel) {
        kernel.check_state(y0, turns);
        std::vector<Pacer::Input> ports;
        for (const auto& [value, slope] : inputs) {
            ports.push_back({checked(value), slope < 0 ? -1 : checked(slope)});
        }
        begin(options_of(options, own_), t0, y0, turns, Doubles{t0 + step});
        pacer_ = std::make_unique<Pacer>(run(), step, ports);
    }
    // 0: done; -1: an input is not finite; otherwise the number of the status
    int step() {
        if (!finite()) return -1;
        return after([&] { return pacer_->step(); });
    }
    int go_to(double t) {
        if (!(t > pacer_->time() && t <= pacer_->next())) throw std::invalid_argument("a time outside the step");
        if (!finite()) return -1;
        return after([&] { return pacer_->go_to(t); });
    }
    int go_on() { return after([&] { return pacer_->go_on(); }); }
    void restore(double t, const Doubles& y, const Doubles& turns) {
        if (static_cast<int>(y.size()) != system_.state_size() || static_cast<int>(turns.size()) != system_.turns)
            throw std::invalid_argument("a state of another system");
        pacer_->restore(t, y.data(), turns);
    }
    // Goes on with a system of the same structure and other numbers, from a state of it
    void renew(const Kernel& kernel, const nb::dict& options, double t, const Doubles& y, const Doubles& turns) {
        const System& other = kernel.system();
        kernel.check_state(y, turns);
        if (other.state_size() != system_.state_size() || other.turns != system_.turns || other.outputs.size() != system_.outputs.size())
            throw std::invalid_argument("a system of another structure");
        const double end = pacer_->next();
        system_ = other;
        begin(options_of(options, own_), t, y, turns, Doubles{end});
        pacer_->take(run());
    }
    // Numbers of the system
    void set_spring(int law, double k, double c, double rest, double preload) {
        Law& own = spring(law);
        own.k = k, own.c = c, own.rest = rest, own.preload = preload;
    }
    void set_formula(int law, const Doubles& constants) {
        set_constants(system_.laws[Kernel::check(law, system_.laws.size(), "law")].formula.tape, constants);
    }
    void set_rate(int n, const Doubles& constants) { set_constants(system_.auxiliaries[checked(n)].rate.tape, constants); }
    Pacer& pacer() const { return *pacer_; }

  private:
    bool finite() const {
        for (const double x : pacer_->inputs())
            if (!std::isfinite(x)) return false;
        return true;
    }
    template <class F>
    int after(F&& f) {
        Status status;
        {
            nb::gil_scoped_release free;
            status = f();
        }
        return status == Status::Done ? 0 : 100 + static_cast<int>(status);
    }
    Law& spring(int law) {
        Law& own = system_.laws[Kernel::check(law, system_.laws.size(), "law")];
        if (own.kind != LawKind::Spring) throw std::invalid_argument("not a spring");
        return own;
    }
    static void set_constants(Tape& tape, const Doubles& constants) {
        if (constants.size() != tape.constants.size()) throw std::invalid_argument("another number of constants");
        std::copy(constants.begin(), constants.end(), tape.constants.begin());
    }
    std::unique_ptr<Pacer> pacer_;
};

// A view of numbers that live as long as their owner
nb::object view(nb::handle owner, Doubles& numbers) {
    const std::size_t shape[] = {numbers.size()};
    return nb::cast(nb::ndarray<nb::numpy, double>(numbers.data(), 1, shape, owner));
}

}  // namespace

void bind_pacers(nb::module_& m) {
    nb::class_<PyPacer> pacer(m, "Pacer");
    bind_own_run(pacer)
        .def(nb::init<const Kernel&, const nb::dict&, double, const Doubles&, const Doubles&, double, const std::vector<std::pair<int, int>>&>())
        .def("step", &PyPacer::step)
        .def("go_to", &PyPacer::go_to)
        .def("go_on", &PyPacer::go_on)
        .def("restore", &PyPacer::restore)
        .def("renew", &PyPacer::renew)
        .def("read", [](PyPacer& p) { p.pacer().read(); })
        .def("fetch_inputs", [](PyPacer& p) { p.pacer().fetch_inputs(); })
        .def("set_spring", &PyPacer::set_spring)
        .def("set_formula", &PyPacer::set_formula)
        .def("set_rate", &PyPacer::set_rate)
        .def("set_corners", [](PyPacer& p, const Doubles& corners) { p.run().set_corners(corners); })
        .def_static("status_name", [](int status) { return status_names[status - 100]; })
        .def("inputs", [](nb::handle self) { return view(self, nb::cast<PyPacer&>(self).pacer().inputs()); })
        .def("outputs", [](nb::handle self) { return view(self, nb::cast<PyPacer&>(self).pacer().outputs()); })
        .def_prop_ro("time", [](const PyPacer& p) { return p.pacer().time(); })
        .def_prop_ro("origin", [](const PyPacer& p) { return p.pacer().origin(); })
        .def_prop_ro("next", [](const PyPacer& p) { return p.pacer().next(); })
        .def_prop_ro("run_steps", [](const PyPacer& p) { return p.run().statistics().steps; })
        .def_prop_ro("last_step", [](const PyPacer& p) { return p.run().step(); })
        .def_prop_ro("opened_row", [](const PyPacer& p) { return p.run().statistics().opened_row; });
}

}  // namespace vincolo
