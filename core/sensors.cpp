#include "sensors.hpp"

#include "force_table.hpp"

namespace vincolo {

Sensors::Sensors(Motion& motion) : motion_(motion), dynamics_(motion.dynamics()), readings_(dynamics_.placement, dynamics_.quantities) {
    const System& system = dynamics_.system();
    bool forces = false;
    for (std::size_t k = 0; k < system.auxiliaries.size(); ++k) {
        if (!system.auxiliaries[k].senses()) continue;
        sensors_.push_back(static_cast<int>(k));
        for (const Reading& r : system.auxiliaries[k].sensed.readings) forces = forces || r.source == Source::Force;
    }
    for (const Event& event : system.events)
        for (const Reading& r : event.when.readings)
            guarded_ = guarded_ || (r.source == Source::Auxiliary && system.auxiliaries[r.index].senses());
    found_.assign(sensors_.size(), 0);
    if (!forces) return;
    observer_ = std::make_unique<Observer>(system);
    forces_.assign(system.forces_read(), 0);
    readings_.forces = forces_.data();
}

bool Sensors::read(double t, State& x) {
    const double* y = motion_.standard(t, x);
    dynamics_.load_positions(t, y);
    dynamics_.placement.load_velocities(y);
    if (observer_) {
        observer_->observe(t, y, dynamics_.placement.turns.values().data(), observation_);
        write_forces(dynamics_.placement, observation_, forces_.data());
    }
    for (std::size_t k = 0; k < sensors_.size(); ++k) found_[k] = readings_.value(dynamics_.system().auxiliaries[sensors_[k]].sensed, t);
    bool changed = false;
    for (std::size_t k = 0; k < sensors_.size(); ++k) {
        double& held = x[motion_.auxiliary_index() + sensors_[k]];
        changed = changed || held != found_[k];
        held = found_[k];
    }
    return changed;
}

}  // namespace vincolo
