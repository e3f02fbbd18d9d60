#include "integrators/runge_kutta.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/lanes.hpp"

namespace vincolo {

namespace {

// out = from + sum of w_j k_j from an entry on, over so many groups of four; without `from`, the sum alone
template <int Groups>
VINCOLO_INLINE void add_groups(const double* from, double* out, std::size_t i, const double* const* k, const double* w, int count) {
    V4 sum[Groups];
    for (int g = 0; g < Groups; ++g) sum[g] = from != nullptr ? four(from + i + 4 * g) : V4{0, 0, 0, 0};
    add_weighed(sum, w, count, [&](int j) VINCOLO_INLINED { return k[j] + i; });
    for (int g = 0; g < Groups; ++g) put_four(out + i + 4 * g, sum[g]);
}

// All of it. Lengths are multiples of the lanes.
void add_all(const double* from, double* out, std::size_t length, const double* const* k, const double* w, int count) {
    std::size_t i = 0;
    for (; i + 16 <= length; i += 16) add_groups<4>(from, out, i, k, w, count);
    if (i < length) add_groups<2>(from, out, i, k, w, count);
}

}  // namespace

RungeKutta::RungeKutta(Motion& motion, Given& given, const Tableau& tableau)
    : Stepper(motion, given, tableau.e != nullptr), tableau_(tableau), scratch_(motion.state()) {
    const int last = tableau.stages + 1 + tableau.dense.more;
    for (int s = 1; s < last; ++s)
        if (s != tableau.stages) stages_[s] = motion.state();
}

Traits RungeKutta::traits() const {
    Traits traits;
    traits.order = tableau_.order;
    traits.smooth = tableau_.order > 2;
    if (adaptive()) traits.nodes = tableau_.nodes, traits.stages = tableau_.stages, traits.gap = tableau_.gap;
    return traits;
}

void RungeKutta::point_at(const Step& step) {
    for (int s = 1; s < most_slopes; ++s) k_[s] = stages_[s].data();
    k_[0] = step.slope.data();
    k_[tableau_.stages] = step.slope_new.data();
}

void RungeKutta::combine(const State& from, State& out, double h, const double* weights, int count) const {
    const double* k[most_slopes];
    double w[most_slopes];
    int n = 0;
    for (int j = 0; j < count; ++j)
        if (weights[j] != 0) k[n] = k_[j], w[n++] = h * weights[j];
    add_all(from.data(), out.data(), from.size(), k, w, n);
}

// All stages and the new state. Where its slope belongs to the error estimate, it is taken where the step lands; if the last
// stage stands at the end of the step, its factor serves the landing.
Outcome RungeKutta::step(const Step& s) {
    const Tableau& t = tableau_;
    point_at(s);
    for (int n = 1; n < t.stages; ++n) {
        combine(s.y, s.y_new, s.h, t.a + n * t.width, n);
        motion_.derivative(s.t + t.nodes[n] * s.h, s.y_new, stages_[n]);
    }
    combine(s.y, s.y_new, s.h, t.b, t.stages);
    Outcome out;
    out.stands = t.nodes[t.stages - 1] == 1;
    if (!adaptive()) return out;
    if (t.lands) {
        if (!out.stands) motion_.stand_at(s.t_new, s.y_new);
        motion_.landing().land(s.t_new, s.y_new, s.slope_new);
        out.landed = out.stands = true;
    }
    out.error = std::max(t.e_low ? corrected_error(s) : error(s), work_error(s));
    // near a singular position forces lose digits, but only in what projection takes away
    const Dynamics& dynamics = motion_.dynamics();
    const bool crosses = dynamics.watch.crossing > s.t && dynamics.watch.crossing < s.t_new;
    if (!motion_.formulation() && out.error > 1 && (crosses || dynamics.watch.nearness < 0.05))
        out.error = std::min(out.error, error_to_keep(s, out.error));
    if (out.error <= 1) out.growth = growth(out.error);
    return out;
}

double RungeKutta::growth(double error) const {
    const Tableau& t = tableau_;
    const double grow = 0.9 * std::pow(std::max(error, 1e-10), -t.now / t.order) * std::pow(last_error_, t.before / t.order);
    return std::min(repeated_ ? 1.0 : t.most, std::max(0.2, grow));
}

void RungeKutta::keep(const Step&, const Outcome& outcome) {
    repeated_ = false;
    last_error_ = std::max(outcome.error, 1e-4);
}

double RungeKutta::reject(double error) {
    repeated_ = true;
    return std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, -1 / tableau_.order)) : 0.1;
}

void RungeKutta::forget() {
    Stepper::forget();
    last_error_ = 1e-4;
}

// sum_j w_j k_j over one group of lanes
void RungeKutta::weighted(double* out, const double* weights, int count, std::size_t i) const {
    static_assert(Motion::lanes == 8);
    V4 sum[2] = {};
    add_weighed(sum, weights, count, [&](int j) VINCOLO_INLINED { return k_[j] + i; });
    put_four(out, sum[0]), put_four(out + 4, sum[1]);
}

double RungeKutta::error(const Step& s) const {
    constexpr int lanes = Motion::lanes;
    const int size = motion_.judged_end(), count = tableau_.stages + tableau_.lands;
    double squares = 0;
    for (int i = 0; i < size; i += lanes) {
        double e[lanes];
        weighted(e, tableau_.e, count, i);
        for (int l = 0; l < lanes; ++l) e[l] = s.h * e[l] / motion_.allowed(i + l, s.y[i + l], s.y_new[i + l]);
        for (int l = 0; l < lanes && i + l < size; ++l) squares += e[l] * e[l];
    }
    return std::sqrt(squares / std::max(1, motion_.judged()));
}

// Where drives leave nothing free only their work has an error. It is summed up for the balance alone, and need not be better
// than that: a share of the energies met so far, or of what the step itself does. Where drives set off from rest, as t^4, any
// step has the same error by its own measure: a share of a usual energy ends that; where nothing moves it is rounding.
double RungeKutta::work_error(const Step& s) const {
    constexpr double looser = 100, rounding = 1e-13, rest = 1e-4;
    const int at = motion_.size();
    const auto sum = [&](const double* weights) {
        double e = 0;
        for (int n = 0; n < tableau_.stages + tableau_.lands; ++n) e += weights[n] * k_[n][at];
        return e;
    };
    double e = std::abs(sum(tableau_.e));
    if (e == 0) return 0;
    if (tableau_.e_low) e *= e / std::hypot(e, 0.1 * sum(tableau_.e_low));
    const RunStatistics& met = motion_.statistics();
    const double energy = std::max({met.energy_range, std::abs(s.y_new[at] - s.y[at]), rest * met.usual_energy});
    if (met.usual_energy == 0) return 0;  // no body has mass: what drives do is rounding
    return std::abs(s.h) * e / (looser * motion_.tolerances().rtol * energy + rounding * met.energy_size);
}

// |h| E^2 / sqrt(E^2 + 0.01 E_low^2)
double RungeKutta::corrected_error(const Step& s) const {
    constexpr int lanes = Motion::lanes;
    const int size = motion_.judged_end(), count = tableau_.stages + tableau_.lands;
    double high = 0, low = 0;
    for (int i = 0; i < size; i += lanes) {
        double e[lanes], e_low[lanes];
        weighted(e, tableau_.e, count, i);
        weighted(e_low, tableau_.e_low, count, i);
        for (int l = 0; l < lanes; ++l) {
            const double scale = 1 / motion_.allowed(i + l, s.y[i + l], s.y_new[i + l]);
            e[l] = e[l] * e[l] * scale * scale;
            e_low[l] = e_low[l] * e_low[l] * scale * scale;
        }
        for (int l = 0; l < lanes && i + l < size; ++l) high += e[l], low += e_low[l];
    }
    const double both = high + 0.01 * low;
    return both > 0 ? std::abs(s.h) * high / std::sqrt(both * std::max(1, motion_.judged())) : both == 0 ? 0 : std::nan("");
}

// Error of the part along the constraints, which projection leaves; the whole may be a thousandth of the state at most.
// Without freedom nothing is left to judge by.
double RungeKutta::error_to_keep(const Step& s, double whole) {
    Dynamics& dynamics = motion_.dynamics();
    const auto rows = std::count(dynamics.rows.taken().begin(), dynamics.rows.taken().end(), 1);
    if (!motion_.landing().projects() || dynamics.motions() <= rows) return whole;
    for (int i = 0; i < motion_.judged_end(); ++i) {
        double e = 0;
        for (int n = 0; n < tableau_.stages + tableau_.lands; ++n) e += tableau_.e[n] * k_[n][i];
        scratch_[i] = s.h * e;
    }
    dynamics.solve.keep_tangent(s.y_new.data(), scratch_.data());
    const Tolerances& tolerances = motion_.tolerances();
    return std::max(motion_.scaled(scratch_, s.y, s.y_new), whole * std::max(tolerances.rtol, tolerances.positions) / 1e-3);
}

void RungeKutta::extend(const Step& s) {
    const Tableau::Dense& dense = tableau_.dense;
    if (dense.terms == 0) return Stepper::extend(s);
    point_at(s);
    for (int n = tableau_.stages + 1; n <= tableau_.stages + dense.more; ++n) {
        combine(s.y, scratch_, s.h, tableau_.a + n * tableau_.width, n);
        motion_.derivative(s.t + tableau_.nodes[n] * s.h, scratch_, stages_[n]);
    }
    extension_.cubic(s, dense.terms);
    const double* k[most_slopes];
    double w[most_slopes];
    for (int n = 0; n < dense.count; ++n) k[n] = k_[dense.slopes[n]];
    for (int d = 0; d < dense.terms; ++d) {
        for (int n = 0; n < dense.count; ++n) w[n] = s.h * dense.d[d * dense.count + n];
        add_all(nullptr, extension_.term(3 + d).data(), s.y.size(), k, w, dense.count);
    }
}

}  // namespace vincolo
