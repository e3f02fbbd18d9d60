// What acts on the bodies: gravity, loads and laws, the power they put in and the energy they store.
#pragma once
#include <memory>

#include "readings.hpp"

namespace vincolo {

class Contacts;

class Forces {
  public:
    Forces(const Placement& placement, Quantities& quantities);
    Forces(const Forces&) = delete;
    ~Forces();

    // Of loads and laws at the loaded state: pushes on the bodies named by loaded(), and power
    void find_pushes(double t);
    const Pushes& pushes() const { return pushes_; }
    const std::vector<int>& loaded() const { return loaded_; }
    // Accelerations of the bodies without joints, at the loaded state
    void apply(double t);
    const Twists& free() const { return free_; }
    Push on(int body) const;  // all that acts on a body, gravity and gyroscopic torques among it: its free accelerations times masses
    double power() const { return power_; }  // of everything that is not in the potential energy
    // A law that reads reactions has the force that was found together with them, once it has
    void set_found(int law, double force);
    void read_reactions(const double* forces) { readings_.forces = forces; }  // where these were found, for slopes of such laws

    // Force of a law (as its text says, before the sign) and its power
    void law(int law, double t, double value, double rate, double& force, double& power);
    // Slopes of a law's force by what it reads, in the order of its readings, at the loaded state; none at a kink. Of one that reads
    // reactions: at those that were found last.
    void law_partials(int law, double t, double* out);
    double law_potential(int law) const;
    Vec3 load_vector(const Load& load, double t);  // force or torque in world axes
    double load_power(const Load& load, const Vec3& world) const;
    double potential_energy() const;
    Contacts* contacts() const { return contacts_.get(); }  // null: nothing touches
    // From now on forces of rigid contact are those that a state tells: of states that are looked at, not moved on
    void take_told() { told_ = true; }

  private:
    bool stores(const Law& law) const;  // whether its force comes from a potential
    bool acts(int gate) const { return gate < 0 || placement_.auxiliaries()[gate].f != 0; }  // not switched off
    void apply_load(const Load& load, double t);
    void apply_law(int law, double t);

    const Placement& placement_;
    Quantities& quantities_;
    const System& system_;
    double power_ = 0;
    Pushes push_;  // of one law
    Twists free_;
    Pushes pushes_;
    std::vector<double> found_;  // of laws that read reactions
    std::vector<int> loaded_;  // bodies on which laws or loads act, the ground among them
    std::vector<Gradient> gradients_;  // of the terms of one law
    Readings readings_;
    std::vector<Jet> jets_;
    std::unique_ptr<Contacts> contacts_;
    bool yields_ = false, told_ = false;  // contacts that give way; rigid ones are told by states
};

}  // namespace vincolo
