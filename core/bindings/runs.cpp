// Runs, motions by drives alone, and mechanisms drawn by their points
#include "bindings/own_run.hpp"
#include "kinematics.hpp"

namespace vincolo {

namespace {

// The first n lines of a record
nb::object lines(const Doubles& all, std::size_t n, std::size_t width) {
    return numpy_array(Doubles(all.begin(), all.begin() + n * width), {n, width});
}

class PyRun : public OwnRun {
  public:
    PyRun(const Kernel& kernel, const nb::dict& options, double t0, const Doubles& y0, const Doubles& turns, const Doubles& outputs)
        : OwnRun(kernel) {
        kernel.check_state(y0, turns);
        if (outputs.empty()) throw std::invalid_argument("no output times");
        const RunOptions given = options_of(options, own_);
        if (steps_momenta(given.method))
            for (Body& body : system_.bodies) body.ballast.setZero();
        begin(given, t0, y0, turns, outputs);
    }
    std::string advance(long evaluations) {
        Status status;
        {
            nb::gil_scoped_release free;
            status = run().advance(evaluations);
        }
        raise_refused();
        return status_names[static_cast<int>(status)];
    }
    // Pieces of at most so many samples go to a function of (t, y, turns) as they become full. What it raises comes out of
    // advance() or flush(), and later pieces are lost.
    void hand_over(std::size_t most, nb::object function) {
        const System& s = system_;
        run().samples().hand_over(most, [this, function, &s](const Piece& piece) {
            nb::gil_scoped_acquire hold;
            if (refused_) return;
            const auto array = [&](const double* data, std::size_t width) { return numpy_array(Doubles(data, data + piece.count * width), {piece.count, width}); };
            try {
                function(numpy_array(Doubles(piece.times, piece.times + piece.count), {piece.count}), array(piece.states, s.state_size()), array(piece.turns, s.turns));
            } catch (nb::python_error& raised) {
                refused_ = std::make_unique<nb::python_error>(std::move(raised));
            }
        });
    }
    void flush() {
        {
            nb::gil_scoped_release free;
            run().samples().flush();
        }
        raise_refused();
    }
    // Values of the outputs of the system, at the present state
    void read_outputs(Array out) {
        if (out.size() != system_.outputs.size()) throw std::invalid_argument("another number of outputs");
        run().read_outputs(out.data());
    }
    // The samples that were not handed over
    nb::object samples() const { return lines(run().samples().states(), run().samples().held(), system_.state_size()); }
    nb::object turns() const { return lines(run().samples().turns(), run().samples().held(), system_.turns); }

  private:
    void raise_refused() {
        if (!refused_ || told_) return;
        told_ = true;
        throw nb::python_error(std::move(*refused_));
    }
    std::unique_ptr<nb::python_error> refused_;  // what the function that takes samples raised
    bool told_ = false;
};

// A motion by drives alone, of its own copy of the system
class PyKinematics {
  public:
    PyKinematics(const Kernel& kernel, double t0, const Doubles& y0, const Doubles& turns, const Doubles& times, double tolerance) : system_(kernel.system()) {
        kernel.check_state(y0, turns);
        if (times.empty()) throw std::invalid_argument("no times");
        run_ = std::make_unique<Kinematics>(system_, t0, y0, turns, times, tolerance);
    }
    std::string advance(long positions) {
        nb::gil_scoped_release free;
        return closing_names[static_cast<int>(run_->advance(positions))];
    }
    Kinematics& run() const { return *run_; }
    nb::object samples() const { return lines(run_->samples(), run_->recorded(), system_.state_size()); }
    nb::object turns() const { return lines(run_->turns(), run_->recorded(), system_.turns); }
    nb::tuple state() const { return state_of(system_, run_->time(), run_->state(), run_->dynamics().placement.turns.values()); }
    nb::dict statistics() const {
        nb::dict d;
        d["steps"] = run_->steps, d["halvings"] = run_->halvings, d["corrections"] = run_->corrections;
        d["nearness"] = run_->lowest, d["renewals"] = run_->dynamics().selections - 1;
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
    PyDrag(const Kernel& kernel, double t, const Doubles& y, const Doubles& turns) : system_(kernel.system()) {
        kernel.check_state(y, turns);
        drag_ = std::make_unique<Drag>(system_, t, y, turns);
    }
    double move(int frame, const Doubles& target, int iterations) {
        if (frame < 0 || frame >= static_cast<int>(system_.frames.size()) || system_.frames[frame].body == system_.ground())
            throw std::out_of_range("no such frame on a moving body");
        return drag_->move(frame, vec3(target), iterations);
    }
    nb::tuple state() { return state_of(system_, drag_->time(), drag_->state().data(), drag_->turns()); }

  private:
    System system_;
    std::unique_ptr<Drag> drag_;
};

nb::dict statistics(const PyRun& self) {
    const RunStatistics s = self.run().statistics();
    Dynamics& dyn = self.run().dynamics();
    nb::dict d;
    d["steps"] = s.steps, d["rejected"] = s.rejected, d["fitted"] = s.fitted, d["evaluations"] = dyn.evaluations, d["factorisations"] = dyn.solve.factorisations;
    d["smallest_step"] = s.smallest_step, d["largest_step"] = s.largest_step;
    d["energy_jumps"] = s.energy_jumps, d["energy_jump_at"] = s.energy_jump_at;
    d["energy_imbalance"] = s.energy_imbalance, d["energy_range"] = s.energy_range, d["energy_size"] = s.energy_size;
    d["position_residual"] = s.position_residual, d["velocity_residual"] = s.velocity_residual;
    d["events_at_ends"] = self.run().events_at_ends();
    d["contact_steps"] = s.contact_steps, d["contact_rounds"] = s.contact_rounds, d["contact_points"] = s.contact_points;
    d["contact_residual"] = s.contact_residual, d["unsolved_steps"] = s.unsolved_steps, d["penetration"] = s.penetration;
    d["crossing_steps"] = s.crossing_steps, d["crossing_time"] = s.crossing_time, d["first_crossing"] = s.first_crossing;
    d["opened_row"] = s.opened_row, d["extent"] = dyn.system().extent;
    d["corrections"] = s.corrections, d["too_open"] = s.too_open, d["restarts"] = s.restarts, d["renewals"] = s.renewals;
    d["changes"] = s.changes, d["first_change"] = s.first_change, d["implicit_time"] = s.implicit_time, d["fastest"] = s.fastest;
    const Formulation* asked = self.run().formulation();
    const Formulation::Counts counts = asked ? asked->counts() : Formulation::Counts{};
    d["formulation"] = asked ? asked->kind() : "sparse";
    d["iterations"] = counts.iterations, d["most_iterations"] = counts.most_iterations, d["decompositions"] = counts.decompositions;
    d["zeroed_pivots"] = dyn.solve.zeroed_pivots, d["selections"] = dyn.selections, d["lowest_pivot_share"] = dyn.watch.lowest_share;
    return d;
}

}  // namespace

void bind_runs(nb::module_& m) {
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
    nb::class_<PyRun> run(m, "Run");
    bind_own_run(run)
        .def(nb::init<const Kernel&, const nb::dict&, double, const Doubles&, const Doubles&, const Doubles&>())
        .def("advance", &PyRun::advance)
        .def("hand_over", &PyRun::hand_over)
        .def("flush", &PyRun::flush)
        .def("samples", &PyRun::samples)
        .def("turns", &PyRun::turns)
        .def("statistics", &statistics)
        .def("read_outputs", &PyRun::read_outputs)
        .def("restart", [](const PyRun& r) { r.run().begin_again(); })
        .def_prop_ro("recorded", [](const PyRun& r) { return r.run().samples().count(); })
        .def_prop_ro("time", [](const PyRun& r) { return r.run().time(); })
        .def_prop_ro("step", [](const PyRun& r) { return r.run().step(); });
}

}  // namespace vincolo
