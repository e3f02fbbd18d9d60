#include "turns.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

Turns::Turns(int count) {
    now_.angles.assign(count, 0);
    now_.rates.assign(count, 0);
    earlier_ = now_;
}

double Turns::branch_near(double angle, double expected) {
    constexpr double round = 6.283185307179586477;
    return angle + round * std::nearbyint((expected - angle) / round);
}

void Turns::start(double t) {
    now_.t = earlier_.t = t;
    std::fill(now_.rates.begin(), now_.rates.end(), 0);
}

void Turns::cut(double t) {
    between(t, now_.angles.data());
    start(t);
}

void Turns::between(double t, double* angles) const {
    const double h = now_.t - earlier_.t, x = h > 0 ? (t - earlier_.t) / h : 1;
    for (std::size_t n = 0; n < now_.angles.size(); ++n) {
        const double from = earlier_.angles[n], rise = now_.angles[n] - from, first = h * earlier_.rates[n], last = h * now_.rates[n];
        if (x >= 1) angles[n] = expected(static_cast<int>(n), t);
        else angles[n] = from + x * (rise + (1 - x) * (first - rise + x * (2 * rise - first - last)));
    }
}

void Turns::begin_record() { earlier_ = now_; }

void Turns::use_mean_rate(int turn, double t, double rate) { now_.rates[turn] = t > now_.t ? 0.5 * (now_.rates[turn] + rate) : rate; }

void Turns::record(int turn, double angle, double rate) {
    if (std::isfinite(angle)) now_.angles[turn] = angle;
    now_.rates[turn] = std::isfinite(rate) ? rate : 0;
}

}  // namespace vincolo
