// Options of runs from dictionaries, and states and events for Python
#pragma once
#include "bindings/own_function.hpp"
#include "run.hpp"

namespace vincolo {

inline nb::dict copy_of(nb::handle d) {
    nb::dict out;
    out.update(nb::cast<nb::dict>(d));
    return out;
}

// {integrator: {method, ...}, stabilisation: {kind, ...}, formulation: {kind, ...}, ...}
inline RunOptions options_of(const nb::dict& d, std::shared_ptr<OwnFunction>& own) {
    RunOptions o;
    nb::dict run = copy_of(d), integrator = copy_of(d["integrator"]), stabilisation = copy_of(d["stabilisation"]);
    for (const char* key : {"integrator", "stabilisation", "formulation"}) nb::del(run[key]);
    o.formulation = formulation_of(nb::cast<nb::dict>(d["formulation"]), own);
    o.method = taken_name(integrator, "method");
    o.integrator = given_of(o.method.c_str(), integrator);
    const std::string kind = taken_name(stabilisation, "kind");
    Given keeps = given_of(kind.c_str(), stabilisation), rest = given_of("a run", run);
    o.stabilisation = Stabilisation::of(kind, keeps);
    o.fields(rest);
    rest.refuse_rest();
    return o;
}

inline nb::tuple state_of(const System& system, double t, const double* y, const Doubles& turns) {
    const std::size_t size = system.state_size();
    return nb::make_tuple(t, numpy_array(Doubles(y, y + size), {size}), numpy_array(Doubles(turns), {turns.size()}));
}

// (t, events, state before, state after, turns, energy, [(event, quantity, impulse)]) of those that acted together
inline nb::list events_of(const Run& run, const System& system) {
    nb::list out;
    const std::size_t size = system.state_size();
    for (const Happened& h : run.events().record()) {
        std::vector<std::tuple<int, int, double>> hits;
        for (const Hit& hit : h.hits) hits.push_back({hit.event, hit.quantity, hit.impulse});
        out.append(nb::make_tuple(h.t, h.events, numpy_array(Doubles(h.before), {size}), numpy_array(Doubles(h.after), {size}),
                                  numpy_array(Doubles(h.turns), {h.turns.size()}), h.energy, hits));
    }
    return out;
}

// Why an event failed: (reason, event or -1, row or -1, how far the row is open, law or -1)
inline nb::tuple event_trouble_of(const Run& run) {
    const Events& events = run.events();
    const auto& trouble = events.trouble();
    if (events.guards.undefined() >= 0) return nb::make_tuple("undefined", events.guards.undefined(), -1, 0.0, -1);
    return nb::make_tuple(event_failures[static_cast<int>(trouble.failure)], trouble.event, trouble.row, trouble.open, trouble.law);
}

// A law without an answer to the reactions it reads, where it was last asked for; or -1
inline int unsettled_law_of(Run& run) { return run.dynamics().reactive ? run.dynamics().reactive->unsettled() : -1; }

}  // namespace vincolo
