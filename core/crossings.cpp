// Where within a step an expression that is watched crosses zero
#include <algorithm>
#include <cmath>

#include "guards.hpp"

namespace vincolo {

namespace {

// Places of the Chebyshev points of an interval, from its begin to its end
const double lobatto[] = {0, 0.5 - 0.46193976625564337, 0.5 - 0.35355339059327373, 0.5 - 0.19134171618254492, 0.5,
                          0.5 + 0.19134171618254492, 0.5 + 0.35355339059327373, 0.5 + 0.46193976625564337, 1};
// cos(j k pi / 8) by j k modulo 16
const double cosines[] = {1, 0.92387953251128674, 0.70710678118654752, 0.38268343236508977, 0, -0.38268343236508977, -0.70710678118654752,
                          -0.92387953251128674, -1, -0.92387953251128674, -0.70710678118654752, -0.38268343236508977, 0, 0.38268343236508977,
                          0.70710678118654752, 0.92387953251128674};

// Sizes of a polynomial through Chebyshev points, by its coefficients: of its mean, of what varies, and of what it may miss; and
// whether it rises or falls throughout
struct Shape {
    double mean, varies, missed;
    bool monotone;
};

Shape shape_of(const double* g, int stride) {
    const int n = 8 / stride;
    double c[9] = {};
    for (int k = 0; k <= n; ++k) {
        double sum = 0;
        for (int j = 0; j <= n; ++j) sum += (j == 0 || j == n ? 0.5 : 1) * cosines[(stride * j * k) % 16] * g[stride * (n - j)];
        c[k] = sum * (k == 0 || k == n ? 1.0 : 2.0) / n;
    }
    Shape shape{std::abs(c[0]), 0, std::abs(c[n]) + std::abs(c[n - 1]), false};
    if (n == 8) shape.missed += std::abs(c[n - 2]);
    double bends = 0;
    for (int k = 1; k <= n; ++k) shape.varies += std::abs(c[k]);
    for (int k = 2; k <= n; ++k) bends += k * k * std::abs(c[k]);
    shape.monotone = bends <= 1.001 * std::abs(c[1]) && shape.missed <= 0.05 * std::abs(c[1]);
    return shape;
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
    stride_ = observes_ ? 1 : 2;  // forces may follow time, whatever the motion: they are looked at more closely
    for (int i = stride_; i < coarse; i += stride_) {
        const double t = step.step().t + step.step().h * lobatto[i];
        step.interpolate(t, state_);
        sample_at(i, t, state_);
    }
    for (std::size_t k = 0; k < watched_.size(); ++k) coarse_[k * (coarse + 1)] = watched_[k].now;
}

// To which side a guard goes that rested at zero, if it does: looked for from very near on. Where joints hold it there only
// states on the constraints say so.
int Guards::side_left_to(const Watched& w, Between& step, double& at) {
    const Step& s = step.step();
    at = s.t;
    bool leaves = false;
    for (int i = 1; i <= coarse && !leaves; ++i) leaves = std::abs(landed(w, step, i == coarse ? s.t_new : s.t + s.h * lobatto[i])) > rest * w.zero;
    for (int k = 30; k >= 0 && leaves; --k) {
        const double t = k == 0 ? s.t_new : s.t + std::ldexp(s.h, -k), g = landed(w, step, t);
        if (std::abs(g) > rest * w.zero) return sign_of(g);
        at = t;
    }
    return 0;
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

// The end of an interval without more than one crossing: whether that crossing is watched for
bool Guards::crosses(const Watched& w, Between& step, double a, double b, double g, Scan& scan) {
    if (scan.side * g > 0) {
        scan.above = true;
        return false;
    }
    if (!scan.above && std::abs(g) <= rest * w.zero) return false;  // it rests at zero
    if (watches(w, scan.side)) {
        scan.span = scan.above ? Span{a, b, scan.side} : leaving(w, step, scan.side, b);
        return true;
    }
    scan.side = -scan.side, scan.above = scan.side * g > 0;
    return false;
}

// An interval with values at its Chebyshev points is divided until each part is shown to have no crossing or at most one: by what its
// polynomial varies beside its mean, or by its slope
bool Guards::find(const Watched& w, Between& step, double a, double b, const double* g, int stride, Scan& scan) {
    const Shape shape = shape_of(g, stride);
    double largest = 0;
    for (int i = 0; i <= coarse; i += stride) largest = std::max(largest, std::abs(g[i]));
    const double nearest = std::min(scan.above ? std::abs(g[0]) : HUGE_VAL, std::abs(g[coarse]));
    const bool single = shape.monotone && (g[0] * g[coarse] < 0 || nearest > 4 * shape.missed);
    const bool apart = shape.mean > shape.varies + 4 * shape.missed, flat = of_mode(w) && largest <= rest * w.zero;
    const bool least = b - a <= 1e-13 * std::max(std::abs(a), std::abs(b)) || scan.depth >= deepest || scan.halvings >= most_halvings;
    if (apart || single || flat || least) return crosses(w, step, a, b, g[coarse], scan);
    const double middle = a + 0.5 * (b - a);
    double part[coarse + 1];
    ++scan.depth, ++scan.halvings;
    for (int half = 0; half < 2; ++half) {
        const double from = half == 0 ? a : middle, to = half == 0 ? middle : b;
        part[0] = g[half == 0 ? 0 : coarse / 2], part[coarse] = g[half == 0 ? coarse / 2 : coarse];
        for (int i = stride; i < coarse; i += stride) part[i] = interpolated(w, step, from + (to - from) * lobatto[i]);
        if (find(w, step, from, to, part, stride, scan)) return true;
    }
    --scan.depth;
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

// What follows time alone may change however long the steps are: it is looked at in many parts of a step
bool Guards::find_timed(const Watched& w, Between& step, Scan& scan) {
    const Step& s = step.step();
    double part[coarse + 1];
    for (int n = 0; n < timed_parts; ++n) {
        const double a = s.t + s.h * n / timed_parts, b = n + 1 == timed_parts ? s.t_new : s.t + s.h * (n + 1) / timed_parts;
        for (int i = 0; i <= coarse; ++i) part[i] = value(expression(w), i == coarse ? b : a + (b - a) * lobatto[i]);
        if (find(w, step, a, b, part, 1, scan)) return true;
    }
    return false;
}

double Guards::root(int k, Between& step) {
    Watched& w = watched_[k];
    double left = step.step().t;
    const int side = w.side != 0 ? w.side : side_left_to(w, step, left);
    if (w.side == 0 && side * w.was < 0 && watches(w, w.was)) {  // through zero, with a rest there
        w.came_from = w.was;
        return left;
    }
    if (side == 0) return HUGE_VAL;
    const double* g = &coarse_[k * (coarse + 1)];
    Scan scan{side, side * g[0] > (w.side == 0 ? rest * w.zero : 0), 0, 0, {}};  // or just leaving zero
    const bool crosses = w.timed ? find_timed(w, step, scan) : find(w, step, step.step().t, step.step().t_new, g, stride_, scan);
    if (!crosses) return HUGE_VAL;
    w.came_from = scan.span.from;
    return locate(w, step, scan.span);
}

double Guards::step_on_side(int event, double t, const State& y, const State& slope, double h) {
    for (const Watched& w : watched_) {
        if (w.event != event) continue;
        const auto across = [&](double by) {
            for (std::size_t i = 0; i < y.size(); ++i) state_[i] = y[i] + by * slope[i];
            load(t + by, state_);
            return w.came_from * value(expression(w), t + by) < 0;
        };
        for (int k = 0; k < 60 && !(across(h) && across(0.5 * h)); ++k) h *= 0.5;
    }
    return h;
}

// No guard has crossed, or in directions that nobody watches
void Guards::take_end(const Step&) {
    for (std::size_t k = 0; k < watched_.size(); ++k) {
        Watched& w = watched_[k];
        if (w.off) continue;
        w.now = coarse_[k * (coarse + 1) + coarse];
        if (std::abs(w.now) > rest * w.zero) w.side = sign_of(w.now);
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
        if (w.jumps || w.off || (!adaptive && system_.events[w.event].corner)) continue;
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
