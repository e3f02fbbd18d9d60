#include "ways_out.hpp"

#include <algorithm>
#include <cmath>

#include "displacement.hpp"

namespace vincolo {

WaysOut::WaysOut(Motion& motion, Scout& scout) : motion_(motion), dynamics_(motion.dynamics()), scout_(scout), ahead_(motion.state()) {
    for (State& slope : slopes_) slope = ahead_;
}

void WaysOut::begin(const Here& here) {
    begin_on_a_way_out(here);
    take_reference_ahead(here);
}

// In a singular position rows fail that hold the mechanism everywhere else, and accelerations there are not those of the motion
// that leads through it. Rows are chosen a little further on, and the accelerations extrapolated back from positions there.
void WaysOut::begin_on_a_way_out(const Here& here) {
    first_step_ = 0;
    if (dynamics_.rows.taken() == dynamics_.selection.candidates || !(dynamics_.placement.speed() > 0) || !motion_.landing().projects_always()) return;
    const double h = 0.01 * dynamics_.placement.size / dynamics_.placement.speed();
    if (land_ahead(here, h, 0, slopes_[0]) && scout_.richer(time_of(here, h), ahead_.data())) {
        dynamics_.select(time_of(here, h), ahead_.data());
        extrapolate_back(here, h);
    }
    dynamics_.place(here.t, here.y.data());
    if (first_step_ > 0) dynamics_.placement.load_velocities(here.y.data());
    else dynamics_.accelerate(here.t, here.y.data(), here.slope.data());
}

// Positions that velocities alone lead to are those of the present time, unless joints themselves move with time
double WaysOut::time_of(const Here& here, double h) const {
    const System& system = dynamics_.system();
    bool moved = !system.moving.empty();
    for (const Row& row : system.rows) moved = moved || (row.function >= 0 && row.drive) || system.quantities[row.quantity].formula >= 0;
    return moved ? here.t + h : here.t;
}

// Accelerations here from those at three positions ahead, along the velocities, and a first step that leads beyond them
void WaysOut::extrapolate_back(const Here& here, double h) {
    bool closed = true;
    const double first = std::min(h, time_ahead(here, 0.01 * dynamics_.placement.size));
    for (const int k : {1, 2, 3})
        closed = land_ahead(here, k * h, 0, slopes_[k - 1]) && dynamics_.selection.left_out(time_of(here, k * h), true) <= motion_.landing().allowed() && closed;
    if (!closed) return;
    for (int i = 0; i <= motion_.size(); ++i)  // velocities, and work
        if (i == motion_.size() || i % body_size >= at_v) here.slope[i] = 3 * (slopes_[0][i] - slopes_[1][i]) + slopes_[2][i];
    first_step_ = std::min(10 * first, 0.5 * (here.stop - here.t));
    dynamics_.watch.crossing = std::nextafter(here.t, here.end);  // the first step crosses the singular position
}

double WaysOut::leap(const Here& here, double h) {
    if (!(dynamics_.watch.nearness < 0.05 && here.t > leapt_to_ && motion_.landing().projects_always())) return h;
    const double soon = time_ahead(here, 0.01 * dynamics_.placement.size);
    if (!(h < 0.03 * soon && soon < 0.5 * (here.stop - here.t) && dynamics_.placement.speed() > 0)) return h;
    first_step_ = 0;
    leapt_to_ = here.t + soon;
    const double crossing = dynamics_.watch.crossing;
    extrapolate_back(here, 0.003 * dynamics_.placement.size / dynamics_.placement.speed());
    dynamics_.place(here.t, here.y.data());
    dynamics_.placement.load_velocities(here.y.data());
    if (crossing < HUGE_VAL) dynamics_.watch.crossing = crossing;  // shorter steps are to cross it between their stages
    const double leap = first_step_ > 0 ? first_step_ : h;
    first_step_ = 0;
    return leap;
}

// The time in which the present velocities and accelerations lead some way
double WaysOut::time_ahead(const Here& here, double way) const {
    double speed = dynamics_.placement.speed(), push = 0;
    for (int n = 0; n < motion_.size(); n += body_size)
        for (int c = 0; c < 3; ++c)
            push = std::max({push, std::abs(here.slope[n + at_v + c]), dynamics_.placement.size * std::abs(here.slope[n + at_w + c])});
    return speed > 0 || push > 0 ? 2 * way / (speed + std::sqrt(speed * speed + 2 * push * way)) : HUGE_VAL;
}

// Next to a singular position pivots are small from the start, and would not be seen to vanish where it is passed: they are
// compared with those a little further on, where the motion or, at rest, the accelerations lead.
void WaysOut::take_reference_ahead(const Here& here) {
    if (dynamics_.selection.weakest_chosen > 1e-4 || first_step_ > 0 || !motion_.landing().projects_always()) return;
    const double h = time_ahead(here, 0.03 * dynamics_.placement.size);
    if (h < HUGE_VAL && land_ahead(here, h, h * h / 2, slopes_[0])) dynamics_.watch.take_reference();
    dynamics_.place(here.t, here.y.data());
    dynamics_.accelerate(here.t, here.y.data(), here.slope.data());
    dynamics_.watch.look(here.t);
}

// A landing where h times the present velocities and g times the accelerations lead to; whether it closes
bool WaysOut::land_ahead(const Here& here, double h, double g, State& slope) {
    const double t = time_of(here, h);
    ahead_ = here.y;
    for (int n = 0; n < motion_.size(); n += body_size) carry(&ahead_[n], &here.slope[n + at_v], h, g);
    dynamics_.place(t, ahead_.data());
    return motion_.landing().land_aside(t, ahead_, slope);
}

}  // namespace vincolo
