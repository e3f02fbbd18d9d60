// Shapes that touch, and where they do
#include "bindings/kernel.hpp"
#include "contact/contacts.hpp"

namespace vincolo {

namespace {

// All points of contact at a state with gaps up to a margin: law and pair, point, normal and gap
nb::tuple touches(Kernel& kernel, double t, const Doubles& y, const Doubles& turns, double margin) {
    kernel.check_state(y, turns);
    std::vector<Spot> found;
    kernel.observed([&](Observer& o) {
        o.dynamics().load_positions(t, y.data());
        o.dynamics().placement.load_velocities(y.data());
        if (Contacts* contacts = o.dynamics().forces.contacts()) contacts->within(margin, found);
    });
    std::vector<int> numbers;
    Doubles places;
    for (const Spot& touch : found) {
        numbers.insert(numbers.end(), {touch.law, touch.pair});
        for (const Vec3* v : {&touch.p, &touch.n}) places.insert(places.end(), v->data(), v->data() + 3);
        places.push_back(touch.gap);
    }
    const std::size_t n = found.size();
    return nb::make_tuple(numpy_array(std::move(numbers), {n, 2}), numpy_array(std::move(places), {n, 7}));
}

}  // namespace

void bind_contact(nb::class_<Kernel>& kernel) {
    kernel.def("contact_room", [](const Kernel& k) { return k.system().contact.room(); })
        .def("touches", &touches);
}

}  // namespace vincolo
