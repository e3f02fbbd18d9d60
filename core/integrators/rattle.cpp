// RATTLE on the group of rotations: symplectic, of order 2, with one evaluation of forces per step. Rotations advance by
// Cayley's map, positions and velocities stay on the constraints.
#include <algorithm>
#include <cmath>

#include "integrators/stepper.hpp"

namespace vincolo {

namespace {

class Rattle : public Stepper {
  public:
    Rattle(Motion& motion, Given& given);
    Traits traits() const override;
    // Positions of y_new on the constraints and placed there, velocities still to be projected in the metric of the masses.
    // Not converged if the joints did not close.
    Outcome step(const Step& step) override;
    void forget() override {
        for (Column& column : impulse_) column.clear();
        for (Swing& m : bodies_) m.w.setZero();
    }

  private:
    struct Swing {
        Vec3 v, w;            // velocity over the step; angular velocity over it, in axes of the body at its start
        Vec3 push_v, push_w;  // velocity, and momentum in those axes, after half of the forces but before the joints
        Mat3 axes;            // at its start
    };
    void move(double h, const State& y, const BlockVector& impulse, State& y_new);
    bool close(double t, double h, const State& y, State& y_new);
    void finish(double t, double h, const State& y, const State& slope, State& y_new);
    void finish_states(double t, double h, const State& y, const State& slope, State& y_new);
    Vec3 turning(int body, const Vec3& momentum, double h, Vec3 w) const;
    Vec3 torque(int body) const;  // on a body at the loaded motion, in its axes
    Dynamics& dynamics_;
    std::pair<int, int> states_;  // where auxiliary states stand
    std::vector<double> rates_;   // of theirs
    std::vector<Swing> bodies_;
    BlockVector impulse_, change_;
    Pushes reactions_;
};

Mat3 cross_matrix(const Vec3& a) {
    Mat3 m;
    m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
    return m;
}

Rattle::Rattle(Motion& motion, Given& given) : Stepper(motion, given, false), dynamics_(motion.dynamics()) {
    states_ = {dynamics_.system().auxiliary_index(), dynamics_.system().state_size()};
    rates_.assign(dynamics_.system().auxiliaries.size(), 0);
    bodies_.resize(dynamics_.system().bodies.size());
    for (Swing& m : bodies_) m.v.setZero(), m.w.setZero();
    reactions_.resize(bodies_.size() + 1);
    for (BlockVector* x : {&impulse_, &change_}) x->assign(dynamics_.rows.set().blocks.size(), Column{});
}

Vec3 Rattle::torque(int b) const {
    const Mat3& A = dynamics_.placement.bodies()[b].A;
    const Vec3& inertia = dynamics_.system().bodies[b].inertia;
    const Vec3 w = A.transpose() * dynamics_.placement.velocities()[b].w;
    return inertia.cwiseProduct(A.transpose() * dynamics_.forces.free()[b].w) + w.cross(inertia.cwiseProduct(w));
}

// w with J w + h/2 w x J w + h^2/4 w (w . J w) = momentum: the rotation cay(h w) that a momentum makes
Vec3 Rattle::turning(int b, const Vec3& momentum, double h, Vec3 w) const {
    const Vec3& inertia = dynamics_.system().bodies[b].inertia;
    for (int pass = 0; pass < 12; ++pass) {
        const Vec3 Jw = inertia.cwiseProduct(w);
        const double twice = w.dot(Jw);
        const Vec3 open = Jw + h / 2 * w.cross(Jw) + h * h / 4 * twice * w - momentum;
        Mat3 slope = h / 2 * (cross_matrix(w) * inertia.asDiagonal() - cross_matrix(Jw)) + h * h / 2 * w * Jw.transpose();
        for (int c = 0; c < 3; ++c) slope(c, c) += inertia[c] + h * h / 4 * twice;
        const Vec3 change = slope.inverse() * open;
        w -= change;
        if (!(change.squaredNorm() > 1e-31 * w.squaredNorm())) break;
    }
    return w;
}

// Positions at the end of the step under the impulses of the joints at its start
void Rattle::move(double h, const State& y, const BlockVector& impulse, State& y_new) {
    dynamics_.rows.collect(impulse, reactions_);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        Swing& m = bodies_[b];
        m.v = m.push_v - dynamics_.placement.inverse().mass[b] * reactions_[b].f;
        m.w = turning(static_cast<int>(b), m.push_w - m.axes.transpose() * reactions_[b].t, h, m.w);
        const double* x = y.data() + body_size * b;
        double* out = y_new.data() + body_size * b;
        std::copy_n(x, body_size, out);
        for (int c = 0; c < 3; ++c) out[at_r + c] += h * m.v[c];
        turn_quaternion(out + at_p, h * (m.axes * m.w));  // cay(h w)
    }
}

Traits Rattle::traits() const {
    Traits traits;
    traits.order = 2;
    traits.closes = true;
    traits.work = traits.repeatable = false;
    return traits;
}

Outcome Rattle::step(const Step& s) {
    dynamics_.place(s.t, s.y.data());
    dynamics_.load_motion(s.t, s.y.data());
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const Mat3& A = dynamics_.placement.bodies()[b].A;
        const Twist& u = dynamics_.placement.velocities()[b];
        const Vec3 w = A.transpose() * u.w;
        bodies_[b].axes = A;
        bodies_[b].push_v = u.v + s.h / 2 * dynamics_.forces.free()[b].v;
        bodies_[b].push_w = dynamics_.system().bodies[b].inertia.cwiseProduct(w) + s.h / 2 * torque(static_cast<int>(b));
    }
    for (int k = states_.first; k < states_.second; ++k) s.y_new[k] = s.y[k] + s.h * s.slope[k];
    Outcome out;
    out.stands = true;
    out.converged = close(s.t, s.h, s.y, s.y_new);
    if (out.converged) finish(s.t, s.h, s.y, s.slope, s.y_new);
    return out;
}

// Impulses of the joints that close them at the end of the step
bool Rattle::close(double t, double h, const State& y, State& y_new) {
    constexpr int most = 50;
    // the multipliers of the last step are a good beginning; S dLambda = Phi / h with S of the start of the step
    double before = 0;
    for (int pass = 0; pass < most; ++pass) {
        move(h, y, impulse_, y_new);
        const double open = dynamics_.residual(t + h, y_new.data());
        if (!std::isfinite(open)) return false;
        const double rounding = 4e-16 * dynamics_.placement.size;
        if (open <= rounding || (pass > 1 && open < 1e-11 * dynamics_.placement.size && open > 0.5 * before)) return true;
        before = open;
        for (std::size_t k = 0; k < change_.size(); ++k) change_[k].clear(), change_[k].add(dynamics_.rows.phi()[k], 1 / h);
        dynamics_.solve.solve(change_);
        for (std::size_t k = 0; k < change_.size(); ++k) impulse_[k].add(change_[k], 1);
    }
    return false;
}

// The second half of the velocities. Forces that depend on them are taken at a prediction of theirs.
void Rattle::finish(double t, double h, const State& y, const State& slope, State& y_new) {
    dynamics_.place(t + h, y_new.data());
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        for (std::size_t k = body_size * b + at_v; k < body_size * (b + 1); ++k) y_new[k] = y[k] + h * slope[k];
    dynamics_.load_motion(t + h, y_new.data());
    finish_states(t + h, h, y, slope, y_new);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const Swing& m = bodies_[b];
        const Vec3& inertia = dynamics_.system().bodies[b].inertia;
        const Vec3 Jw = inertia.cwiseProduct(m.w);
        const Vec3 momentum = Jw - h / 2 * m.w.cross(Jw) + h * h / 4 * m.w.dot(Jw) * m.w + h / 2 * torque(static_cast<int>(b));
        const Vec3 v = m.v + h / 2 * dynamics_.forces.free()[b].v, w = dynamics_.placement.bodies()[b].A * momentum.cwiseQuotient(inertia);
        double* out = y_new.data() + body_size * b;
        for (int c = 0; c < 3; ++c) out[at_v + c] = v[c], out[at_w + c] = w[c];
    }
}

// Auxiliary states by the trapezoidal rule, with the slope at a prediction of theirs and of the velocities
void Rattle::finish_states(double t, double h, const State& y, const State& slope, State& y_new) {
    if (rates_.empty()) return;
    dynamics_.auxiliaries.write_rates(t, rates_.data());
    for (int k = states_.first; k < states_.second; ++k) y_new[k] = y[k] + h / 2 * (slope[k] + rates_[k - states_.first]);
}

}  // namespace

std::unique_ptr<Stepper> rattle(Motion& motion, Given& given) { return std::make_unique<Rattle>(motion, given); }

}  // namespace vincolo
