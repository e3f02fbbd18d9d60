#include "scout.hpp"

#include <algorithm>

namespace vincolo {

namespace {

auto count(const std::vector<char>& rows) { return std::count(rows.begin(), rows.end(), 1); }

}  // namespace

Scout::Scout(Dynamics& main) : main_(main), own_(main.system()) {}

void Scout::follow(double t, const double* y) {
    own_.selection.candidates = main_.selection.candidates;
    own_.share_planes(main_);
    own_.placement.turns = main_.placement.turns;
    own_.load_positions(t, y);
}

bool Scout::richer(double t, const double* y) {
    follow(t, y);
    own_.selection.choose();
    return count(own_.rows.taken()) > count(main_.rows.taken());
}

// Where the choice is as good as it was, only the masses it moves have changed, or its scale, as with a trolley that has run far
// out: then pivots are to be compared with those of now. Near a singular position of the mechanism every choice of rows is weak;
// nothing is gained by another. Where only the chosen rows are singular another choice is not weak.
bool Scout::renew(double t, const double* y) {
    follow(t, y);
    const double now = own_.selection.weakest(main_.rows.taken());
    const double usual = 0.1 * std::max(0.01, std::min(1.0, main_.watch.growth * main_.selection.weakest_chosen));  // rows may have been weak from the start
    if (now > usual) {
        main_.selection.weakest_chosen = now;
        main_.watch.compare_anew();
        return false;
    }
    const auto held = count(main_.rows.taken());
    if (held == count(main_.selection.candidates)) return false;  // there are no others
    own_.selection.choose();
    const auto found = count(own_.rows.taken());
    const double weakest = own_.selection.weakest_chosen;
    if (found != held) return found > held && weakest > 1e-9;
    return weakest > usual && weakest > 30 * now;
}

}  // namespace vincolo
