#include "integrators/flow.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

Flow::Flow(Dynamics& dynamics, const Tolerances& tolerances, int slots, const StiffSolver& like)
    : dynamics_(dynamics), rtol_(tolerances.rtol), bodies_(dynamics.system().ground()) {
    const std::size_t size = dynamics.system().state_size();
    slots_ = std::vector<Slot>(slots, Slot{like, std::vector<Mat3>(bodies_), 0});
    for (Twists* x : {&base_, &moved_, &x_}) x->resize(bodies_);
    for (State* x : {&world_, &scale_, &before_}) x->assign(size, 0);
    atol_.assign(size, HUGE_VAL);  // work has no say, nor have auxiliary states without a rate of their own
    for (int b = 0; b < bodies_; ++b)
        for (int c = 0; c < body_size; ++c) atol_[body_size * b + c] = tolerances.absolute(c);
    judged_ = body_size * bodies_;
    for (std::size_t k = 0; k < dynamics.system().auxiliaries.size(); ++k) {
        const Auxiliary& state = dynamics.system().auxiliaries[k];
        if (!state.rate.tape.code.empty()) atol_[dynamics.system().auxiliary_index() + k] = tolerances.quaternions * state.size, ++judged_;
    }
    given_.assign(dynamics.rows.set().blocks.size(), Column{});
}

void Flow::turn(const State& from, State& to, bool back) const {
    std::copy_n(from.begin(), world_.size(), to.begin());
    for (int b = 0; b < bodies_; ++b) {
        const double* x = from.data() + body_size * b;
        const Eigen::Quaterniond p = Eigen::Quaterniond(x[at_p], x[at_p + 1], x[at_p + 2], x[at_p + 3]).normalized();
        const Mat3 A = back ? p.conjugate().toRotationMatrix() : p.toRotationMatrix();
        const Twist u = velocity(x);
        put_velocity(to.data() + body_size * b, A * u.v, A * u.w);
    }
}

void Flow::slope(double t, const State& x, State& f) {
    to_world(x, world_);
    dynamics_.place(t, world_.data());
    dynamics_.accelerate(t, world_.data(), f.data());
    to_body_slope(f);
}

void Flow::known_slope(const State& y, const State& slope, State& f) const {
    std::copy_n(slope.begin(), f.size(), f.begin());
    for (int b = 0; b < bodies_; ++b) {
        const Mat3 A = rotation_of(y.data() + body_size * b + at_p);
        const Twist a = velocity(slope.data() + body_size * b), u = velocity(y.data() + body_size * b);
        put_velocity(f.data() + body_size * b, A.transpose() * (a.v - u.w.cross(u.v)), A.transpose() * a.w);
    }
}

void Flow::place(double t, const State& y) {
    dynamics_.place(t, y.data());
    dynamics_.placement.load_velocities(y.data());
}

void Flow::linearise(int slot, double t, double s) {
    Slot& out = slots_[slot];
    out.s = s;
    for (int b = 0; b < bodies_; ++b) out.axes[b] = dynamics_.placement.bodies()[b].A;
    out.stiff.prepare(t);
    out.stiff.factor(s);
}

void Flow::load(Slot& in, const State& at, const State& right) {
    for (int b = 0; b < bodies_; ++b) {
        const double* r = right.data() + body_size * b;
        const Twist u = velocity(r), moved = displacement(at.data() + body_size * b, r);
        base_[b] = {in.axes[b] * u.v, in.axes[b] * u.w};
        moved_[b] = {-moved.v, -moved.w};
    }
}

void Flow::store(const Slot& in, const State& at, const State& right, State& change) {
    change = right;
    in.stiff.put_states(change.data() + dynamics_.system().auxiliary_index());
    for (int b = 0; b < bodies_; ++b) {
        double* out = change.data() + body_size * b;
        add_displacement(at.data() + body_size * b, x_[b], in.s, out);
        put_velocity(out, in.axes[b].transpose() * x_[b].v, in.axes[b].transpose() * x_[b].w);
    }
}

void Flow::invert(int slot, const State& at, const State& right, State& change) {
    Slot& in = slots_[slot];
    load(in, at, right);
    in.stiff.solve(base_, moved_, x_, right.data() + dynamics_.system().auxiliary_index());
    store(in, at, right, change);
}

void Flow::invert_closing(int slot, int index, const State& at, const State& right, const BlockVector& open, State& change, BlockVector& mu) {
    Slot& in = slots_[slot];
    load(in, at, right);
    for (std::size_t k = 0; k < given_.size(); ++k) given_[k].clear();
    if (index == 3) in.stiff.joint_rates(moved_, given_);  // moved_ is minus the displacement of right
    for (std::size_t k = 0; k < given_.size(); ++k) {
        given_[k].add(open[k], -1);
        if (index == 3) given_[k].scale(1 / in.s);
    }
    in.stiff.solve_given(base_, &moved_, given_, x_, mu, right.data() + dynamics_.system().auxiliary_index());
    for (Column& column : mu) column.scale(1 / in.s);
    store(in, at, right, change);
}

void Flow::slope_given(double t, const State& x, const BlockVector& lam, State& f) {
    to_world(x, world_);
    before_ = f;
    for (int b = 0; b < bodies_; ++b) {  // w' of the pass before, in world axes
        const double* q = x.data() + body_size * b + at_p;
        const Twist u = velocity(before_.data() + body_size * b);
        put_velocity(before_.data() + body_size * b, u.v, Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized() * u.w);
    }
    dynamics_.accelerate_given(t, world_.data(), lam, before_.data(), f.data());
    to_body_slope(f);
}

void Flow::to_body_slope(State& f) const {
    for (int b = 0; b < bodies_; ++b) {
        const Mat3& A = dynamics_.placement.bodies()[b].A;
        const Twist &a = dynamics_.solve.accelerations()[b], &u = dynamics_.placement.velocities()[b];
        put_velocity(f.data() + body_size * b, A.transpose() * (a.v - u.w.cross(u.v)), A.transpose() * a.w);
    }
}

void Flow::open_joints(int index, BlockVector& out) {
    if (index == 3) {
        out = dynamics_.rows.phi();
    } else {
        dynamics_.rate_residual(world_.data());
        out = dynamics_.rows.rate();
    }
}

void Flow::scale_by(const State& y, double for_velocities) {
    for (std::size_t k = 0; k < scale_.size(); ++k) scale_[k] = 1 / (atol_[k] + rtol_ * std::abs(y[k]));
    for (int b = 0; b < bodies_ && for_velocities != 1; ++b)
        for (int c = at_v; c < body_size; ++c) scale_[body_size * b + c] *= for_velocities;
}

double Flow::measure(const State& change) const {
    double squares = 0;
    for (std::size_t i = 0; i < scale_.size(); ++i) squares += change[i] * change[i] * scale_[i] * scale_[i];
    return std::sqrt(squares / judged_);
}

}  // namespace vincolo
