#include "tree/loads.hpp"

namespace vincolo::tree {

Loads::Loads(Tree& tree, Placement& placement, Quantities& quantities)
    : tree_(tree), placement_(placement), quantities_(quantities), forces_(placement, quantities), system_(placement.system()),
      need_bodies_(!system_.loads.empty() || system_.contact.any(false)), places_(system_.bodies.size() + 1), velocities_(system_.bodies.size() + 1) {
    for (std::size_t n = 0; n < system_.laws.size(); ++n) need_bodies_ = !find_own(static_cast<int>(n)) || need_bodies_;
}

// Where nothing but the coordinate of a link decides about it
bool Loads::find_own(int n) {
    const Law& law = system_.laws[n];
    const Quantity& q = system_.quantities[law.quantity];
    if (q.count != 1 || q.formula >= 0) return false;
    for (const Reading& reading : law.formula.readings)
        if (reading.source != Source::Auxiliary && reading.index != law.quantity) return false;
    const Measure& m = system_.measures[system_.terms[q.first].measure];
    double sign;
    const int link = tree_.link_along(m, sign);
    if (link < 0 || tree_.links()[link].u < 0) return false;
    own_.push_back({n, link, m.turn, sign, system_.terms[q.first].factor});
    return true;
}

void Loads::place_bodies(double t) {
    tree_.write_places(places_, velocities_);
    placement_.load_places(t, places_, velocities_);
    quantities_.refresh(t);
}

double Loads::push(double t, const double* q, const double* u) {
    if (need_bodies_) {
        forces_.find_pushes(t);
        for (int body : forces_.loaded())
            if (body < system_.ground()) tree_.load(body, forces_.pushes()[body]);
        return forces_.power();
    }
    double power = 0;
    for (const Own& own : own_) {
        const Link& link = tree_.links()[own.link];
        double measure = own.sign * q[link.q], force, spent;
        if (own.turn >= 0) measure = Turns::branch_near(measure, placement_.turns.expected(own.turn, t));
        forces_.law(own.law, t, own.factor * measure, own.factor * own.sign * u[link.u], force, spent);
        power += spent;
        tree_.push_along(own.link, system_.laws[own.law].sign * own.factor * own.sign * force);
    }
    return power;
}

}  // namespace vincolo::tree
