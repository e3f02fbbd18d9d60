// Where within a step an expression that is watched crosses zero
#include <algorithm>
#include <cmath>

#include "guards.hpp"

namespace vincolo {

namespace {

// Where the parabola through three points is lowest, and how low
bool lowest(double ta, double ha, double tb, double hb, double tc, double hc, double& t, double& h) {
    const double u = tb - ta, v = tc - tb, s = (hb - ha) / u, r = (hc - hb) / v, curvature = (r - s) / (u + v);
    if (!(curvature > 0)) return false;
    t = 0.5 * (ta + tb) - 0.5 * s / curvature;
    h = hb + (t - tb) * (s + curvature * (t - ta));
    return t > ta && t < tc;
}

}  // namespace

double Guards::interpolated(const Watched& w, Between& step, double t) {
    if (!w.timed) {
        step.interpolate(t, state_);
        load(t, state_);
    }
    return value(expression(w), t);
}

double Guards::landed(const Watched& w, Between& step, double t) {
    if (w.timed) return value(expression(w), t);
    if (t == step.step().t_new) {
        load(t, step.step().y_new);
    } else {
        step.land(t, state_);
        load(t, state_);
    }
    return value(expression(w), t);
}

// All guards at a coarse point of a step
void Guards::sample_at(int i, double t, State& y) {
    load(t, y);
    for (std::size_t k = 0; k < watched_.size(); ++k) {
        if (watched_[k].off) continue;
        const double g = coarse_[k * (coarse + 1) + i] = value(expression(watched_[k]), t);
        if (!std::isfinite(g) && undefined_ < 0) undefined_ = watched_[k].event;
    }
}

bool Guards::arrive(double t, State& y) {
    undefined_ = -1;
    if (any()) sample_at(coarse, t, y);
    return undefined_ < 0;
}

void Guards::sample_within(Between& step) {
    for (int i = 1; i < coarse; ++i) {
        const double t = step.step().t + step.step().h * i / coarse;
        step.interpolate(t, state_);
        sample_at(i, t, state_);
    }
    for (std::size_t k = 0; k < watched_.size(); ++k) coarse_[k * (coarse + 1)] = watched_[k].now;
}

// Whether parabolas between these points may hide what the guard does between them
bool Guards::rough(int n, double zero) const {
    double second = 0, third = 0, least = HUGE_VAL;
    for (int i = 1; i <= n; ++i) least = std::min(least, std::abs(fine_[i]));
    for (int i = 2; i <= n; ++i) {
        const double now = fine_[i] - 2 * fine_[i - 1] + fine_[i - 2];
        second = std::max(second, std::abs(now));
        if (i > 2) third = std::max(third, std::abs(now - (fine_[i - 1] - 2 * fine_[i - 2] + fine_[i - 3])));
    }
    return second >= least && third > 0.5 * second && third > 4 * zero;
}

// One guard at as many points as it needs; how many intervals
int Guards::sample(int k, Between& step) {
    const Watched& w = watched_[k];
    const Step& s = step.step();
    int n = coarse;
    std::copy(&coarse_[k * (coarse + 1)], &coarse_[k * (coarse + 1)] + coarse + 1, fine_.begin());
    while (n < fine && (w.timed || rough(n, w.zero))) {
        for (int i = n; i > 0; --i) fine_[2 * i] = fine_[i];
        n *= 2;
        for (int i = 1; i < n; i += 2) fine_[i] = interpolated(w, step, s.t + s.h * i / n);
    }
    return n;
}

// To which side a guard goes that rested at zero, if it does: looked for from very near on. Where joints hold it there only
// states on the constraints say so.
int Guards::side_left_to(const Watched& w, Between& step, double& at) {
    const Step& s = step.step();
    at = s.t;
    bool leaves = false;
    for (int i = 1; i <= coarse && !leaves; ++i) leaves = std::abs(landed(w, step, i == coarse ? s.t_new : s.t + s.h * i / coarse)) > rest * w.zero;
    for (int k = 30; k >= 0 && leaves; --k) {
        const double t = k == 0 ? s.t_new : s.t + std::ldexp(s.h, -k), g = landed(w, step, t);
        if (std::abs(g) > rest * w.zero) return sign_of(g);
        at = t;
    }
    return 0;
}

// Three points above zero, convex: whether the guard comes down to it between them, and where it is across
bool Guards::dips(const Watched& w, Between& step, int side, Point (&p)[3], double& at) {
    for (int pass = 0; pass < 12; ++pass) {
        double t, foretold;
        if (!lowest(p[0].t, p[0].h, p[1].t, p[1].h, p[2].t, p[2].h, t, foretold)) return false;
        if (foretold > 0.25 * std::min({p[0].h, p[1].h, p[2].h})) return false;
        if (t == p[1].t) t = 0.5 * (p[1].t + p[2].t);
        const double h = side * interpolated(w, step, t);
        if (h <= 0) {
            at = t;
            return true;
        }
        if (t < p[1].t) {
            if (h < p[1].h || p[0].h > p[2].h) p[2] = p[1], p[1] = {t, h};
            else p[0] = {t, h};
        } else if (h < p[1].h || p[2].h > p[0].h) {
            p[0] = p[1], p[1] = {t, h};
        } else {
            p[2] = {t, h};
        }
    }
    return false;
}

// From zero, where a step begins: the first point that is on the side it is to cross from, and one across behind it
Guards::Span Guards::leaving(const Watched& w, Between& step, int side, double b) {
    const double t0 = step.step().t;
    for (int k = 1; k < 50; ++k) {
        const double t = t0 + std::ldexp(b - t0, -k);
        if (!(t > t0)) break;
        if (side * interpolated(w, step, t) > 0) return {t, t0 + std::ldexp(b - t0, 1 - k), side};
    }
    return {t0, t0, side};
}

// The first crossing that is watched for, between two points
bool Guards::find(const Watched& w, Between& step, int n, int side, Span& span) {
    const Step& s = step.step();
    const auto time = [&](int i) { return i == n ? s.t_new : s.t + s.h * i / n; };
    bool above = side * fine_[0] > (w.side == 0 ? rest * w.zero : 0);  // or just leaving zero
    for (int i = 1; i <= n; ++i) {
        if (i >= 2 && above && side * fine_[i] > 0) {
            double at;
            Point p[3];
            for (int c = 0; c < 3; ++c) p[c] = {time(i - 2 + c), side * fine_[i - 2 + c]};
            if (p[0].h > w.zero && p[1].h > 0 && dips(w, step, side, p, at)) {
                span = watches(w, side) ? Span{p[0].t, at, side} : Span{at, p[2].t, -side};
                return true;
            }
        }
        if (side * fine_[i] > 0) {
            above = true;
            continue;
        }
        if (watches(w, side)) {
            span = above ? Span{time(i - 1), time(i), side} : leaving(w, step, side, time(i));
            return true;
        }
        side = -side, above = side * fine_[i] > 0;
    }
    return false;
}

// Chandrupatla's method on states put onto the constraints; the end of the last interval that is across
double Guards::locate(const Watched& w, Between& step, const Span& span) {
    double a = span.b, b = span.a, c = b;
    if (a == b) return a;
    bool lands = true;
    const auto h = [&](double t) { return span.from * (lands ? landed(w, step, t) : interpolated(w, step, t)); };
    double fb = h(b);
    if (of_mode(w) && fb <= 0) lands = false, fb = h(b);  // what flies lower than landings move it
    double fa = h(a), fc = fb, share = 0.5;
    if (fa > 0) return a;  // across but for rounding
    if (fb <= 0) return b;
    for (int pass = 0; pass < 100; ++pass) {
        const double t = a + share * (b - a), f = h(t);
        if ((f > 0) == (fa > 0)) c = a, fc = fa;
        else c = b, fc = fb, b = a, fb = fa;
        a = t, fa = f;
        const double width = std::abs(b - a), least = 2.3e-16 * std::max(std::abs(a), std::abs(b));
        if (fa == 0 || !(width > 2 * least)) break;
        const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
        const bool fits = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
        share = fits ? fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb) : 0.5;
        share = std::min(1 - least / width, std::max(least / width, share));
    }
    return fa <= 0 ? a : b;
}

double Guards::root(int k, Between& step) {
    Watched& w = watched_[k];
    double left = step.step().t;
    const int side = w.side != 0 ? w.side : side_left_to(w, step, left);
    if (w.side == 0 && side * w.was < 0 && watches(w, w.was)) {  // through zero, with a rest there
        w.came_from = w.was;
        return left;
    }
    Span span;
    if (side == 0 || !find(w, step, sample(k, step), side, span)) return HUGE_VAL;
    w.came_from = span.from;
    return locate(w, step, span);
}

// No guard has crossed, or in directions that nobody watches
void Guards::take_end(const Step&) {
    for (std::size_t k = 0; k < watched_.size(); ++k) {
        Watched& w = watched_[k];
        if (w.off) continue;
        w.now = coarse_[k * (coarse + 1) + coarse];
        if (w.side == 0 ? std::abs(w.now) > rest * w.zero : w.now != 0) w.side = sign_of(w.now);
    }
}

double Guards::first(Between& step, bool adaptive) {
    std::fill(crossed_.begin(), crossed_.end(), 0);
    if (!any()) return HUGE_VAL;
    if (adaptive) sample_within(step);
    if (undefined_ >= 0) return HUGE_VAL;
    double earliest = HUGE_VAL, last = -HUGE_VAL;
    const double end = step.step().t_new;
    for (std::size_t k = 0; k < watched_.size(); ++k) {
        Watched& w = watched_[k];
        roots_[k] = HUGE_VAL;
        if (w.jumps || w.off) continue;
        if (adaptive) {
            roots_[k] = root(static_cast<int>(k), step);
        } else {
            const double g = coarse_[k * (coarse + 1) + coarse];
            const bool across = w.side != 0 ? w.side * g <= 0 : of_mode(w) && g < -rest * w.zero;
            roots_[k] = across && (of_mode(w) || watches(w, w.side)) ? end : HUGE_VAL;
            if (across) w.came_from = w.side != 0 ? w.side : w.was;
        }
        earliest = std::min(earliest, roots_[k]);
    }
    if (earliest == HUGE_VAL) {
        take_end(step.step());
        return HUGE_VAL;
    }
    for (std::size_t k = 0; k < watched_.size(); ++k) {
        if (!(roots_[k] <= earliest + together)) continue;
        crossed_[watched_[k].event] = 1;
        last = std::max(last, roots_[k]);
    }
    return last;
}

}  // namespace vincolo
