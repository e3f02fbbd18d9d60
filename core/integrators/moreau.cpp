// Time stepping for rigid contact (Moreau 1988, Jean 1999): velocities may jump. Half a step with the old velocities, forces and contacts
// there, impulses of all contacts and joints at once, half a step with the new velocities. Without contact it is the leapfrog rule, of
// order 2; energy changes by what forces and impulses do, to rounding where forces are constant.
#include <cmath>

#include "contact/cone.hpp"
#include "integrators/stepper.hpp"

namespace vincolo {

namespace {

// Of the size of the model: what overlaps by more is parted, and what is apart by less touches. Corners of a box whose gaps differ by
// what parting leaves cannot all carry, and the load would have to move onto three of them.
constexpr double overlapping = 1e-10, touching = 1e-9;

class Moreau : public Stepper {
  public:
    Moreau(Motion& motion, Given& given)
        : Stepper(motion, given, false), dynamics_(motion.dynamics()), system_(dynamics_.system()), contacts_(dynamics_.forces.contacts()),
          cone_(dynamics_), middle_(motion.state()), mean_(motion.state()), slope_(motion.state()) {
        given("tolerance", options_.tolerance), given("rounds", options_.rounds);
        for (Twists* x : {&u_, &moved_}) x->assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
        before_ = u_;
        carries_ = std::any_of(system_.auxiliaries.begin(), system_.auxiliaries.end(), [](const Auxiliary& state) { return state.moves(); });
        corrections_ = !carries_ && system_.laws.empty() && system_.rows.empty() && !system_.contact.any(false) && round() ? 0 : 2;
    }
    Traits traits() const override {
        Traits traits;
        traits.order = 2;
        return traits;
    }
    Outcome step(const Step& step) override;
    void forget() override { cone_.forget(); }
    void extend(const Step&) override {}
    void interpolate(const Step& step, double t, State& out) const override;
    void report(RunStatistics& all) const override {
        all.contact_steps = steps_, all.contact_rounds = rounds_, all.contact_points = most_, all.unsolved_steps = unsolved_;
        all.contact_residual = residual_, all.penetration = deepest_;
    }

  private:
    bool round() const {  // without gyroscopic torques
        return std::all_of(system_.bodies.begin(), system_.bodies.end(), [](const Body& b) {
            return b.inertia.maxCoeff() - b.inertia.minCoeff() <= 1e-14 * b.inertia.maxCoeff();
        });
    }
    void advance(const State& y, double h, const Twists& u, State& out) const;  // positions; velocities become u
    void gather(double h);
    double target(const Spot& touch, double h, double before, double free) const;
    void accelerate(double t, double h);
    void meet_rows();
    void strike();
    void finish(double h, State& y);
    double work_of_impulses() const;
    void tell(double h, State& y) const;
    void tell_law(const Cone::Point& point, double h, double* told) const;
    Dynamics& dynamics_;
    const System& system_;
    Contacts* contacts_;
    Cone cone_;
    Cone::Options options_;
    State middle_, mean_, slope_;
    Twists before_, u_, moved_;
    std::int64_t steps_ = 0, rounds_ = 0, most_ = 0, unsolved_ = 0;
    double residual_ = 0, deepest_ = 0;
    bool carries_;     // states with rates
    int corrections_;  // of forces that depend on velocities
};

void Moreau::advance(const State& y, double h, const Twists& u, State& out) const {
    for (int b = 0; b < system_.ground(); ++b) {
        const double* x = y.data() + body_size * b;
        double* to = out.data() + body_size * b;
        std::copy_n(x, body_size, to);
        rotate_quaternion(to + at_p, h * u[b].w);
        for (int c = 0; c < 3; ++c) to[at_r + c] += h * u[b].v[c], to[at_v + c] = u[b].v[c], to[at_w + c] = u[b].w[c];
    }
}

// What the normal velocity is to reach at least: that the gap, as it is in the middle of this step, is not used up by the middle of the
// next; or that of the blow, unless the forces of one step bring it about: then the bodies rest
double Moreau::target(const Spot& touch, double h, double before, double free) const {
    const double e = contacts_->law(touch).restitution, closed = -std::max(0.0, touch.gap - touching * system_.extent) / h;
    const bool hits = -before > 2 * std::abs(free - before), rests = !hits && free < before;
    if (e == 0 || rests) return closed;
    if (hits && touch.gap + h * std::min(free, before) <= 0) return std::max(closed, -e * before);
    // what a blow of this step brings about is a hit of the next, but bodies do not pass through each other
    return closed - 0.5 * contacts_->smaller(touch) / h;
}

// Points that could come together: also those that only the impulses of others may bring to bear
void Moreau::gather(double h) {
    cone_.clear();
    double fastest = system_.gravity.norm();
    for (int b = 0; b < system_.ground(); ++b) fastest = std::max(fastest, (u_[b].v - before_[b].v).norm() / h);
    for (const Spot& touch : contacts_->find(true, h, fastest)) {
        deepest_ = std::max(deepest_, -touch.gap);
        const Vec3 was = contacts_->rate(touch);
        const Vec3 arm_a = touch.p - dynamics_.placement.bodies()[touch.a].r, arm_b = touch.p - dynamics_.placement.bodies()[touch.b].r;
        const Vec3 now = u_[touch.b].v + u_[touch.b].w.cross(arm_b) - u_[touch.a].v - u_[touch.a].w.cross(arm_a);
        const double before = touch.n.dot(was), free = touch.n.dot(now);
        cone_.add(touch, contacts_->law(touch).friction, target(touch, h, before, free), was);
    }
    most_ = std::max(most_, static_cast<std::int64_t>(cone_.points().size()));
}

double Moreau::work_of_impulses() const {
    double work = 0;
    for (const Cone::Point& point : cone_.points()) work += 0.5 * point.P.dot(point.before + cone_.rate(point, u_));
    return work;
}

Outcome Moreau::step(const Step& s) {
    using Map3 = Eigen::Map<const Vec3>;
    const double h = s.h, half = s.t + 0.5 * h;
    for (int b = 0; b < system_.ground(); ++b) before_[b] = {Map3(&s.y[body_size * b + at_v]), Map3(&s.y[body_size * b + at_w])};
    middle_ = s.y;
    advance(s.y, 0.5 * h, before_, middle_);
    dynamics_.place(half, middle_.data());
    accelerate(half, h);
    if (contacts_) gather(h);
    strike();
    for (int pass = 0; pass < corrections_; ++pass) {  // forces at the mean velocities
        for (int b = 0; b < system_.ground(); ++b)
            for (int c = 0; c < 3; ++c) {
                middle_[body_size * b + at_v + c] = 0.5 * (before_[b].v[c] + u_[b].v[c]);
                middle_[body_size * b + at_w + c] = 0.5 * (before_[b].w[c] + u_[b].w[c]);
            }
        for (int k = motion_.auxiliary_index(); k < system_.state_size(); ++k) middle_[k] = s.y[k] + 0.5 * h * slope_[k];
        if (carries_) dynamics_.place(half, middle_.data());
        accelerate(half, h);
        strike();
    }
    for (int k = motion_.auxiliary_index(); k < system_.state_size(); ++k) s.y_new[k] = s.y[k] + h * slope_[k];
    s.y_new[motion_.size()] = s.y[motion_.size()] + h * slope_[motion_.size()] + work_of_impulses();
    advance(middle_, 0.5 * h, u_, s.y_new);
    if (contacts_) finish(h, s.y_new);
    return {};
}

// Velocities at the end of the step without impulses
void Moreau::accelerate(double t, double h) {
    dynamics_.accelerate(t, middle_.data(), slope_.data());
    const Twists& a = dynamics_.solve.accelerations();
    for (int b = 0; b < system_.ground(); ++b) u_[b] = {before_[b].v + h * a[b].v, before_[b].w + h * a[b].w};
    if (!system_.rows.empty()) meet_rows();
}

// The mean of the velocities before and after meets the rows, so that joints do no work, whatever they carry in a blow
void Moreau::meet_rows() {
    mean_ = middle_;
    for (int b = 0; b < system_.ground(); ++b)
        for (int c = 0; c < 3; ++c) {
            mean_[body_size * b + at_v + c] = 0.5 * (before_[b].v[c] + u_[b].v[c]);
            mean_[body_size * b + at_w + c] = 0.5 * (before_[b].w[c] + u_[b].w[c]);
        }
    dynamics_.correct_velocities(mean_.data());
    for (int b = 0; b < system_.ground(); ++b)
        for (int c = 0; c < 3; ++c) {
            u_[b].v[c] = 2 * mean_[body_size * b + at_v + c] - before_[b].v[c];
            u_[b].w[c] = 2 * mean_[body_size * b + at_w + c] - before_[b].w[c];
        }
    dynamics_.placement.load_velocities(middle_.data());
}

void Moreau::strike() {
    if (cone_.points().empty()) return;
    moved_ = u_;
    rounds_ += cone_.solve(u_, options_);
    while (cone_.take_back(u_)) u_ = moved_, rounds_ += cone_.solve(u_, options_);
}

void Moreau::finish(double h, State& y) {
    if (!cone_.points().empty()) {
        ++steps_, unsolved_ += !cone_.solved();
        residual_ = std::max(residual_, cone_.residual(u_));
    }
    cone_.remember();
    tell(h, y);
    if (!cone_.part(overlapping * system_.extent, moved_)) return;
    for (int b = 0; b < system_.ground(); ++b) {
        double* to = y.data() + body_size * b;
        rotate_quaternion(to + at_p, moved_[b].w);
        for (int c = 0; c < 3; ++c) to[at_r + c] += moved_[b].v[c];
    }
}

// Mean forces over the step: of bodies, and of laws
void Moreau::tell(double h, State& y) const {
    const ContactScene& scene = system_.contact;
    if (scene.wrenches < 0) return;
    double* told = y.data() + system_.auxiliary_index() + scene.wrenches;
    double* sums = y.data() + system_.auxiliary_index() + scene.sums();
    std::fill(told, sums + told_by_law * scene.laws.size(), 0.0);
    for (const Cone::Point& point : cone_.points()) {
        const Vec3 f = point.D * point.P / h;
        for (const int side : {point.touch.a, point.touch.b}) {
            const auto place = std::lower_bound(scene.pushed.begin(), scene.pushed.end(), side);
            if (place == scene.pushed.end() || *place != side) continue;
            const Vec3 on = side == point.touch.b ? f : Vec3(-f), torque = (point.touch.p - dynamics_.placement.bodies()[side].r).cross(on);
            double* own = told + 6 * (place - scene.pushed.begin());
            for (int c = 0; c < 3; ++c) own[c] += on[c], own[3 + c] += torque[c];
        }
        if (point.P[0] > 0) tell_law(point, h, sums + told_by_law * point.touch.law);
    }
    for (std::size_t n = 0; n < scene.laws.size(); ++n)
        for (int c = 6; c < 9 && sums[told_by_law * n] > 0; ++c) sums[told_by_law * n + c] /= sums[told_by_law * n];
}

void Moreau::tell_law(const Cone::Point& point, double h, double* told) const {
    const Vec3 f = point.D * point.P * (system_.contact.pairs[point.touch.pair].sign / h), now = cone_.rate(point, u_);
    told[0] += point.P[0] / h, told[1] += 1;
    told[2] += std::hypot(point.P[1], point.P[2]) >= 0.999999 * point.friction * point.P[0] && std::hypot(now[1], now[2]) > 1e-9;
    for (int c = 0; c < 3; ++c) told[3 + c] += f[c], told[6 + c] += point.P[0] / h * point.touch.p[c];
    told[9] += 0.5 * point.P.dot(point.before + now) / h;
}

// Straight with the old velocities, then with the new ones
void Moreau::interpolate(const Step& step, double t, State& out) const {
    const bool first = t < step.t + 0.5 * step.h;
    const State& from = first ? step.y : step.y_new;
    out = from;
    const double dt = first ? t - step.t : t - step.t_new;
    for (int b = 0; b < system_.ground(); ++b) {
        double* x = out.data() + body_size * b;
        rotate_quaternion(x + at_p, dt * Vec3(x[at_w], x[at_w + 1], x[at_w + 2]));
        for (int c = 0; c < 3; ++c) x[at_r + c] += dt * x[at_v + c];
    }
}

}  // namespace

std::unique_ptr<Stepper> moreau(Motion& motion, Given& given) { return std::make_unique<Moreau>(motion, given); }

}  // namespace vincolo
