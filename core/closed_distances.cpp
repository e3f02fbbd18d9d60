// Slopes of forces along the distance of two points that coincide. One that vanishes with the distance pulls back alike from every
// side: F / d is dF/dd.
#include "slopes.hpp"

namespace vincolo {

bool is_closed(const System& system, int quantity, double value) {
    const Quantity& q = system.quantities[quantity];
    return value == 0 && q.count == 1 && q.formula < 0 && system.measures[system.terms[q.first].measure].kind == MeasureKind::Distance;
}

// Along the distance a law has its slope already, own_ its row and slopes_ what it changes by: the same across it
void Slopes::add_across(int n, SlopesFound& out) {
    const Law& law = system_.laws[n];
    const Quantity& q = system_.quantities[law.quantity];
    const Measure& m = system_.measures[system_.terms[q.first].measure];
    double stiffness = 0;
    for (std::size_t i = 0; i < law.formula.readings.size(); ++i)
        if (law.formula.readings[i].source == Source::Value && law.formula.readings[i].index == law.quantity) stiffness += slopes_[i];
    const double factor = all_.quantities.factor(q.first), by = law.sign * factor * factor * stiffness;
    const Vec3 along(own_.row.segment<3>(6)), first = along.unitOrthogonal(), second = along.cross(first).normalized();
    for (const Vec3& e : {first, second}) {
        const Gradient g = point_gradient<double>(e, all_.placement.frames()[m.a], all_.placement.frames()[m.b]);
        Row row;
        row << -g.lin, g.on_a, g.lin, g.on_b;
        for (int c = 0; c < sides; ++c)
            for (int k = 0; k < sides; ++k)
                if (own_.first[c / 6] >= 0 && own_.first[k / 6] >= 0)
                    out.force_by_position.add(own_.first[c / 6] + c % 6, own_.first[k / 6] + k % 6, by * row[c] * row[k]);
    }
}

}  // namespace vincolo
