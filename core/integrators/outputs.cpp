// Samples between the ends of a step: continuous extensions, projection, record.
#include "run.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/tableau.hpp"

namespace vincolo {

void Run::prepare_dense(double h) {
    const State &k0 = old_slope_, &k1 = slopes_[0];
    const std::size_t n = y_.size();
    if (options_.method == Method::DOP853) {
        slopes_[0].swap(old_slope_);  // for the stages slopes 0 and 12 are the ones at the two ends of the step
        slopes_[12] = old_slope_;
        for (int s = 13; s < 16; ++s) {
            combine(sample_, h, tableau::a8[s], s);
            derivative(t_ + tableau::c8[s] * h, sample_, slopes_[s]);
        }
        slopes_[0].swap(old_slope_);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double dy = new_[i] - y_[i];
        dense_[0][i] = dy;
        dense_[1][i] = h * k0[i] - dy;
        dense_[2][i] = 2 * dy - h * (k0[i] + k1[i]);
    }
    if (options_.method == Method::DormandPrince)
        for (std::size_t i = 0; i < n; ++i) {
            double sum = tableau::d5[0] * k0[i] + tableau::d5[6] * k1[i];
            for (int s = 1; s < 6; ++s) sum += tableau::d5[s] * slopes_[s][i];
            dense_[3][i] = h * sum;
        }
    if (options_.method != Method::DormandPrince && options_.method != Method::DOP853) prepare_positions(h);
    if (options_.method == Method::DOP853)
        for (int d = 0; d < 4; ++d)
            for (std::size_t i = 0; i < n; ++i) {
                double sum = tableau::d8[d][0] * k0[i];
                for (int s = 1; s < 16; ++s) sum += tableau::d8[d][s] * slopes_[s][i];
                dense_[3 + d][i] = h * sum;
            }
}

// Positions have second derivatives at both ends as well: x^2 (1-x)^2 (d3 + x d4) adds them to the cubic. Work stays cubic.
void Run::prepare_positions(double h) {
    const auto second = [](const double* y, const double* k, double* out) {  // r'' and p'' = 1/2 (E^T w)'
        const Vec3 e(y[at_p + 1], y[at_p + 2], y[at_p + 3]), de(k[at_p + 1], k[at_p + 2], k[at_p + 3]);
        const Vec3 w(y[at_w], y[at_w + 1], y[at_w + 2]), dw(k[at_w], k[at_w + 1], k[at_w + 2]);
        const Vec3 dde = 0.5 * (k[at_p] * w + w.cross(de) + y[at_p] * dw + dw.cross(e));
        out[at_p] = -0.5 * (w.dot(de) + dw.dot(e));
        for (int c = 0; c < 3; ++c) out[c] = k[at_v + c], out[at_p + 1 + c] = dde[c];
    };
    std::fill(dense_[3].begin(), dense_[3].end(), 0.0);
    std::fill(dense_[4].begin(), dense_[4].end(), 0.0);
    if (formulation_ && !formulation_->coordinates().standard()) return;
    for (int n = 0; n < size_; n += body_size) {
        double first[at_v], last[at_v];
        second(&y_[n], &old_slope_[n], first);
        second(&new_[n], &slopes_[0][n], last);
        for (int c = 0; c < at_v; ++c) {
            const double d1 = dense_[1][n + c], d2 = dense_[2][n + c];
            dense_[3][n + c] = 0.5 * h * h * first[c] + d1 - d2;
            dense_[4][n + c] = 0.5 * h * h * last[c] + d1 + 2 * d2 - dense_[3][n + c];
        }
        // velocities: what the positions say of them in the middle of the step makes the cubic a quartic. Multistep methods are
        // not smooth enough for that.
        if (!pair_ && options_.method != Method::RK4 && options_.method != Method::Radau) continue;
        double middle[at_v], rate[at_v];
        for (int c = 0; c < at_v; ++c) {
            const int i = n + c;
            middle[c] = y_[i] + dense_[0][i] / 2 + dense_[1][i] / 4 + dense_[2][i] / 8 + (dense_[3][i] + dense_[4][i] / 2) / 16;
            rate[c] = (dense_[0][i] + dense_[2][i] / 4 + dense_[4][i] / 16) / h;
        }
        const double* p = middle + at_p;
        const Vec3 e(p[1], p[2], p[3]), de(rate[at_p + 1], rate[at_p + 2], rate[at_p + 3]);
        const Vec3 w = 2 / (p[0] * p[0] + e.squaredNorm()) * (p[0] * de - rate[at_p] * e + e.cross(de));
        for (int c = 0; c < 6; ++c) {
            const int i = n + at_v + c;
            const double cubic = y_[i] + dense_[0][i] / 2 + dense_[1][i] / 4 + dense_[2][i] / 8;
            dense_[3][i] = 16 * ((c < 3 ? rate[c] : w[c - 3]) - cubic);
        }
    }
}

// y = y0 + x (d0 + (1-x) (d1 + x (d2 + (1-x) (d3 + ...))))
void Run::interpolate(double x, State& out) const {
    const int terms = options_.method == Method::DOP853 ? 7 : options_.method == Method::DormandPrince ? 4 : 5;
    for (std::size_t i = 0; i < y_.size(); ++i) {
        double sum = 0;
        for (int d = terms; d-- > 0;) sum = (sum + dense_[d][i]) * (d % 2 ? 1 - x : x);
        out[i] = y_[i] + sum;
    }
}

void Run::emit(double t_new, double h) {
    bool ready = false;
    const bool anew = t_new == stop_ && stop_ != end_;  // then the state changes once more before it is recorded
    while (recorded_ < static_cast<int>(outputs_.size()) && (anew ? outputs_[recorded_] < t_new : outputs_[recorded_] <= t_new)) {
        const double t = outputs_[recorded_];
        if (t == t_new) {
            sample_ = new_;
        } else {
            if (!ready && !adams_) prepare_dense(h);
            ready = true;
            if (adams_) adams_->interpolate(t, new_, sample_);
            else interpolate((t - t_) / h, sample_);
            if (options_.stabilisation == Stabilisation::Projection && options_.project_outputs) {
                double position, velocity;
                if (!formulation_) dynamics_.place(t, sample_.data());
                project(t, sample_, position, velocity);
                statistics_.position_residual = std::max(statistics_.position_residual, position);
            }
        }
        record(sample_);
    }
}

// During the run only the branches are noted; the angles themselves are measured here.
std::vector<double> Run::sample_turns() {
    const System& system = dynamics_.system();
    std::vector<double> angles = sample_turns_;
    for (int k = 0; k < recorded_ && system.turns > 0; ++k) {
        dynamics_.load_positions(outputs_[k], samples_.data() + static_cast<std::size_t>(k) * system.state_size());
        for (const Measure& m : system.measures) {
            if (m.turn < 0) continue;
            double& angle = angles[static_cast<std::size_t>(k) * system.turns + m.turn];
            angle = Turns::branch_near(measure_value(m, dynamics_.placement.frames()[m.a], dynamics_.placement.frames()[m.b]), angle);
        }
    }
    return angles;
}

void Run::record(State& x) {
    const System& system = dynamics_.system();
    const double* y = standard(x);
    double* turns = sample_turns_.data() + static_cast<std::size_t>(recorded_) * system.turns;
    for (int n = 0; n < system.turns; ++n) turns[n] = dynamics_.placement.turns.between(n, outputs_[recorded_]);
    double* sample = samples_.data() + static_cast<std::size_t>(recorded_) * system.state_size();
    std::copy(y, y + system.state_size(), sample);
    for (int b = 0; b < system.ground() && recorded_ > 0; ++b) {  // quaternions without jumps of sign
        double *p = sample + body_size * b + at_p, *before = p - system.state_size();
        if (p[0] * before[0] + p[1] * before[1] + p[2] * before[2] + p[3] * before[3] < 0)
            for (int c = 0; c < 4; ++c) p[c] = -p[c];
    }
    ++recorded_;
}

}  // namespace vincolo
