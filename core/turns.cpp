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
    for (std::size_t n = 0; n < now_.angles.size(); ++n) now_.angles[n] = between(static_cast<int>(n), t);
    start(t);
}

double Turns::between(int turn, double t) const {
    const double h = now_.t - earlier_.t, x = h > 0 ? (t - earlier_.t) / h : 1;
    if (x >= 1) return expected(turn, t);
    const double rise = now_.angles[turn] - earlier_.angles[turn], first = h * earlier_.rates[turn], last = h * now_.rates[turn];
    return earlier_.angles[turn] + x * (rise + (1 - x) * (first - rise + x * (2 * rise - first - last)));
}

void Turns::begin_record() { earlier_ = now_; }

void Turns::use_mean_rate(int turn, double t, double rate) { now_.rates[turn] = t > now_.t ? 0.5 * (now_.rates[turn] + rate) : rate; }

void Turns::record(int turn, double angle, double rate) {
    if (std::isfinite(angle)) now_.angles[turn] = angle;
    now_.rates[turn] = std::isfinite(rate) ? rate : 0;
}

}  // namespace vincolo
