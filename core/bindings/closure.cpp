// Closing positions and velocities, with the interpreter's lock released
#include "closure.hpp"

#include "bindings/kernel.hpp"

namespace vincolo {

namespace {

using WantedTuple = std::tuple<std::vector<int>, Doubles, Doubles>;  // quantities, values, weights
using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

Wanted wanted_of(const Kernel& kernel, const WantedTuple& given, bool weighed) {
    const auto& [quantities, values, weights] = given;
    for (int q : quantities) kernel.check(q, kernel.system().quantities.size(), "quantity");
    if (values.size() != quantities.size() || (weighed && weights.size() != quantities.size())) throw std::invalid_argument("a value, and a weight of a wish, for every quantity");
    return {quantities, values, weights};
}

ClosureOptions options_of(const Kernel& kernel, const WantedTuple& given, const WantedTuple& wishes, const std::vector<int>& kept, const std::vector<int>& asked, bool drives, bool rates) {
    for (int body : kept) kernel.check(body, kernel.system().bodies.size(), "body");
    for (int turn : asked) kernel.check(turn, kernel.system().turns, "turn");
    return {wanted_of(kernel, given, false), wanted_of(kernel, wishes, true), kept, asked, drives, rates};
}

class PyClosure {
  public:
    PyClosure(const Kernel& kernel, const WantedTuple& given, const WantedTuple& wishes, const std::vector<int>& kept, const std::vector<int>& asked, bool drives, bool rates)
        : size_(kernel.system().state_size()), turns_(kernel.system().turns) {
        System system = kernel.as_added();
        const ClosureOptions options = options_of(kernel, given, wishes, kept, asked, drives, rates);
        nb::gil_scoped_release free;
        closure_ = std::make_unique<Closure>(std::move(system), options);
    }

    nb::object residual(double t, const Numbers& y, const Numbers& turns) {
        Doubles out;
        run(t, y, turns, [&] { out = closure_->residual(); });
        return array(std::move(out));
    }
    nb::tuple close(double t, const Numbers& y, const Numbers& turns, int patience) {
        if (patience < 1) throw std::invalid_argument("patience must be positive");
        Closed out;
        run(t, y, turns, [&] { out = closure_->close(patience); });
        return nb::make_tuple(state(), record(), array(std::move(out.residual)), out.history);
    }
    nb::tuple meet(double t, const Numbers& y, const Numbers& turns, double settled) {
        run(t, y, turns, [&] { closure_->meet(settled); });
        return nb::make_tuple(state(), record());
    }
    nb::object step(double t, const Numbers& y, const Numbers& turns) {
        run(t, y, turns, [&] { closure_->step(); });
        return state();
    }
    nb::tuple close_velocities(double t, const Numbers& y, const Numbers& turns) {
        Doubles left;
        run(t, y, turns, [&] { left = closure_->close_velocities(); });
        return nb::make_tuple(state(), array(std::move(left)));
    }
    nb::object meet_rates(double t, const Numbers& y, const Numbers& turns) {
        run(t, y, turns, [&] { closure_->meet_rates(); });
        return state();
    }
    nb::object along(double t, const Numbers& y, const Numbers& turns, const Numbers& motion) {
        return changed(t, y, turns, motion, &Closure::along);
    }
    nb::object weighed(double t, const Numbers& y, const Numbers& turns, const Numbers& push) {
        return changed(t, y, turns, push, &Closure::weigh);
    }

  private:
    template <class F>
    void run(double t, const Numbers& y, const Numbers& turns, F&& f) {
        if (y.size() != size_ || turns.size() != turns_) throw std::invalid_argument("a state of another system");
        nb::gil_scoped_release free;
        closure_->load(t, y.data(), turns.data());
        f();
    }
    nb::object changed(double t, const Numbers& y, const Numbers& turns, const Numbers& six, void (Closure::*change)(Twists&)) {
        if (six.size() != 6 * (size_ / body_size)) throw std::invalid_argument("six numbers for every body");
        Twists x;
        Doubles out;
        const double* p = six.data();
        run(t, y, turns, [&] {
            for (std::size_t k = 0; k < six.size(); k += 6) x.push_back({Vec3(p[k], p[k + 1], p[k + 2]), Vec3(p[k + 3], p[k + 4], p[k + 5])});
            (closure_.get()->*change)(x);
            x.resize(six.size() / 6);
            for (const Twist& u : x)
                for (const Vec3& part : {u.v, u.w})
                    for (int c = 0; c < 3; ++c) out.push_back(part[c]);
        });
        return array(std::move(out));
    }
    static nb::object array(Doubles&& x) {
        const std::size_t n = x.size();
        return numpy_array(std::move(x), {n});
    }
    nb::object state() const { return array(Doubles(closure_->state())); }
    nb::object record() const { return array(Doubles(closure_->turns())); }

    std::unique_ptr<Closure> closure_;
    std::size_t size_, turns_;
};

}  // namespace

void bind_closure(nb::module_& m) {
    nb::class_<PyClosure>(m, "Closure")
        .def(nb::init<const Kernel&, const WantedTuple&, const WantedTuple&, const std::vector<int>&, const std::vector<int>&, bool, bool>())
        .def("residual", &PyClosure::residual)
        .def("close", &PyClosure::close)
        .def("meet", &PyClosure::meet)
        .def("step", &PyClosure::step)
        .def("close_velocities", &PyClosure::close_velocities)
        .def("meet_rates", &PyClosure::meet_rates)
        .def("along", &PyClosure::along)
        .def("weighed", &PyClosure::weighed);
}

}  // namespace vincolo
