#include "settings.hpp"

namespace vincolo {

// A row that holds where it stands: what is open of it is added to what it is held at, with all else set already
void Settings::apply(double t, double* y) {
    double* auxiliaries = y + dynamics_.system().auxiliary_index();
    for (const auto& [action, value] : planned_)
        if (action->kind == ActionKind::Set) auxiliaries[action->index] = value;
    dynamics_.load_positions(t, y);
    for (const auto& [action, value] : planned_) {
        if (action->kind != ActionKind::Latch) continue;
        const Row& row = dynamics_.system().rows[action->index];
        double open, rate;
        dynamics_.rows.open(row, t, open, rate);
        auxiliaries[row.latch] += open;
    }
    dynamics_.load_positions(t, y);
}

}  // namespace vincolo
