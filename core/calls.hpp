// Everything a mechanism is made of, as calls of the builder by name: Python and files of tables make it by these alone, so that
// what is added here is in both. Only add_called() is apart: functions of somebody else's fit into no file.
#pragma once
#include "builder.hpp"

namespace vincolo {

// f(name, member of Builder) for each
template <class F>
void each_call(F&& f) {
    f("add_body", &Builder::add_body), f("set_ballast", &Builder::set_ballast), f("set_held", &Builder::set_held);
    f("add_frame", &Builder::add_frame), f("add_moving_frame", &Builder::add_moving_frame);
    f("add_measure", &Builder::add_measure), f("add_quantity", &Builder::add_quantity);
    f("add_quantities", &Builder::add_quantities), f("add_formula_quantity", &Builder::add_formula_quantity);
    f("add_function", &Builder::add_function);
    f("add_block", &Builder::add_block), f("add_freedom", &Builder::add_freedom);
    f("set_gate", &Builder::set_gate), f("set_latch", &Builder::set_latch);
    f("add_event", &Builder::add_event), f("set_guard", &Builder::set_guard), f("add_action", &Builder::add_action), f("set_corner", &Builder::set_corner);
    f("set_only", &Builder::set_only), f("add_stop", &Builder::add_stop), f("add_rub", &Builder::add_rub);
    f("add_spring", &Builder::add_spring), f("add_curve", &Builder::add_curve), f("add_timed", &Builder::add_timed);
    f("add_formula", &Builder::add_formula), f("add_load", &Builder::add_load);
    f("add_auxiliary", &Builder::add_auxiliary), f("set_rate", &Builder::set_rate), f("set_slope", &Builder::set_slope);
    f("set_sensed", &Builder::set_sensed);
    f("add_output", &Builder::add_output);
    f("add_contact_shape", &Builder::add_contact_shape), f("add_contact_law", &Builder::add_contact_law);
    f("add_contact_pairs", &Builder::add_contact_pairs), f("set_contact_room", &Builder::set_contact_room);
    f("set_gravity", &Builder::set_gravity), f("set_extent", &Builder::set_extent);
}

}  // namespace vincolo
