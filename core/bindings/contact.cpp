// Shapes that touch, and where they do
#include "bindings/kernel.hpp"
#include "contact/contacts.hpp"
#include "contact/making.hpp"

namespace vincolo {

namespace {

int add_shape(Kernel& kernel, int frame, const std::string& kind, const Doubles& size, const Doubles& corners, const Loops& faces, bool closed) {
    if (corners.size() % 3 != 0) throw std::invalid_argument("corners have three coordinates");
    std::vector<Vec3> points;
    for (std::size_t k = 0; k < corners.size(); k += 3) points.emplace_back(corners[k], corners[k + 1], corners[k + 2]);
    return kernel.add_contact_shape(frame, make_shape(kind, size, points, faces, closed));
}

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
    kernel.def("add_contact_shape", &add_shape)
        .def("add_contact_law", &Kernel::add_contact_law)
        .def("add_contact_pairs", &Kernel::add_contact_pairs)
        .def("make_contact_room", &Kernel::make_contact_room)
        .def("contact_room", [](const Kernel& k) { return 6 * k.system().contact.pushed.size() + told_by_law * k.system().contact.laws.size(); })
        .def("touches", &touches);
}

}  // namespace vincolo
