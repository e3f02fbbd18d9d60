// Joint coordinates: the tree part of a mechanism by recursion, what it leaves over by rows that close its loops.
#include <algorithm>
#include <cmath>
#include <limits>

#include "formulations/formulation.hpp"
#include "quaternion.hpp"
#include "tree/loads.hpp"
#include "tree/loops.hpp"

namespace vincolo {

namespace {

class JointCoordinates : public Formulation {
  public:
    JointCoordinates(const System& system, const std::string& kind)
        : Formulation(kind), placement_(system), tree_(system, placement_.auxiliaries()), light_(tree_), quantities_(placement_), rows_(placement_, quantities_),
          loads_(tree_, placement_, quantities_), loops_(tree_, placement_, rows_), system_(system) {
        at_u_ = tree_.positions();
    }
    int state_size() const override { return tree_.positions() + tree_.velocities(); }
    Placement& placement() override { return placement_; }
    bool standard() const override { return false; }
    bool keeps_joints() const override { return true; }
    void to_standard(const double* x, double t, double* y) override {
        move(t, x);
        tree_.write(y);
        system_.copy_tail(x + state_size(), y + system_.work_index());
    }
    void from_standard(const double* y, double, double* x) override {
        if (!tree_.shaped()) tree_.take_shape(y);
        tree_.read(y, x, x + at_u_);
        system_.copy_tail(y + system_.work_index(), x + state_size());
    }
    void fill(const Tolerances& tolerances, double* absolute, double* relative) const override;
    void derivative(double t, const double* x, double* dx) override;
    void twist_accelerations(const double*, Vector& out) const override {
        for (int b = 0; b < system_.ground(); ++b) {
            const Twist a = tree_.acceleration_of(b);
            out.segment<3>(6 * b) = a.v, out.segment<3>(6 * b + 3) = a.w;
        }
    }
    void position_rates(const double* x, const double* v, double* dx) override { tree_.rates(x, v + at_u_, dx); }
    int positions() const override { return at_u_; }
    void second_derivatives(const double* x, const double* dx, double* out) const override;
    void velocities_of(const double* x, const double* rates, double* u) const override;
    bool settle(double t, double* x) override;
    double largest_residual() const override { return position_; }
    double largest_rate() const override { return velocity_; }

  private:
    void give_up(double* dx, Failure failure, double t, int body = -1) {
        fail(failure, t, body);
        std::fill(dx, dx + state_size() + 1, std::numeric_limits<double>::quiet_NaN());
    }
    void move(double t, const double* x) {
        placement_.load_auxiliaries(t, x + state_size() + 1);
        tree_.move(t, x, x + at_u_);
    }
    void place(double t, const double* x);  // of bodies and frames, where forces or rows need them
    double closed(double t, double* x);     // positions onto the rows that are left; what stays open
    double residual(double t) { return rows_.widest(t, [this](int r) { return rows_.taken()[r]; }); }  // of all rows that are left

    Placement placement_;
    tree::Tree tree_;
    tree::Light light_;
    Quantities quantities_;
    Rows rows_;
    tree::Loads loads_;
    tree::Loops loops_;
    const System& system_;
    int at_u_;
    double position_ = 0, velocity_ = 0;
};

// An angle may grow over many turns, and a travel begin anywhere: errors are compared with a radian and with the extent,
// halved: then energy is kept as it is in the coordinates of bodies.
void JointCoordinates::fill(const Tolerances& tolerances, double* absolute, double* relative) const {
    for (const tree::Link& link : tree_.links()) {
        if (link.freedom == 0) continue;
        const bool slides = link.kind == MoveKind::Slide;
        for (int c = 0; c < tree::coordinates_of(link.kind); ++c) absolute[link.q + c] = slides ? tolerances.positions : tolerances.quaternions;
        for (int c = 0; c < link.freedom; ++c) absolute[at_u_ + link.u + c] = slides ? tolerances.velocities : tolerances.turning;
        if (link.freedom == 1) absolute[link.q] += 0.5 * tolerances.rtol * (slides ? system_.extent : 1), relative[link.q] = 0;
    }
}

void JointCoordinates::second_derivatives(const double* x, const double* dx, double* out) const {
    for (const tree::Link& link : tree_.links()) {
        const double *u = x + at_u_ + link.u, *du = dx + at_u_ + link.u;
        if (link.freedom == 1) out[link.q] = *du;
        else if (link.freedom == 3) quaternion_acceleration(x + link.q, dx + link.q, Vec3(u[0], u[1], u[2]), Vec3(du[0], du[1], du[2]), out + link.q);
    }
}

void JointCoordinates::velocities_of(const double* x, const double* rates, double* u) const {
    for (const tree::Link& link : tree_.links()) {
        if (link.freedom == 1) u[link.u] = rates[link.q];
        else if (link.freedom == 3) {
            const Vec3 w = turning_at(x + link.q, rates + link.q);
            for (int c = 0; c < 3; ++c) u[link.u + c] = w[c];
        }
    }
}

void JointCoordinates::place(double t, const double* x) {
    move(t, x);
    if (loads_.need_bodies() || loops_.any()) loads_.place_bodies(t);
}

void JointCoordinates::derivative(double t, const double* x, double* dx) {
    place(t, x);
    if (!tree_.finite()) return give_up(dx, Failure::NotFinite, t);
    double power = loads_.push(t, x, x + at_u_);
    if (!tree_.articulate()) return give_up(dx, light_.any() ? Failure::SingularMass : Failure::NotFinite, t, light_.idle());
    tree_.accelerate();
    if (loops_.any()) {
        loops_.place(t);
        if (!loops_.chosen()) loops_.choose();
        power = loops_.accelerate(power);
    }
    if (light_.misses()) {
        const int beyond = loops_.any() ? loops_.unmoved_body() : -1, body = beyond >= 0 ? beyond : light_.unmoved(loops_.sizes());
        if (body >= 0) return give_up(dx, Failure::Massless, t, body);
    }
    tree_.rates(x, x + at_u_, dx);
    tree_.accelerations(dx + at_u_);
    dx[state_size()] = power + tree_.drive_power();
}

double JointCoordinates::closed(double t, double* x) {
    constexpr int most = 8;
    constexpr double enough = 1e-14;
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0;; ++k) {
        place(t, x);
        tree_.articulate();
        loops_.place(t);
        if (!loops_.chosen()) loops_.choose();
        const double open = loops_.residual();
        if (!(open > enough) || k == most || (k > 1 && !(open < 0.5 * before))) return residual(t);
        before = open;
        tree_.displace(x, loops_.closing());
    }
}

// Quaternions are of length one; positions and then velocities fit the rows that are left. Where a row that follows from others
// opens, they are chosen anew.
bool JointCoordinates::settle(double t, double* x) {
    for (const tree::Link& link : tree_.links())
        if (link.freedom == 3) {
            double* p = x + link.q;
            const double size = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
            for (int c = 0; c < 4; ++c) p[c] /= size;
        }
    position_ = velocity_ = 0;
    if (!loops_.any()) return true;
    constexpr double allowed = 1e-9;
    position_ = closed(t, x);
    if (position_ > allowed || loops_.doubtful()) {
        loops_.choose();
        position_ = closed(t, x);
    }
    if (!std::isfinite(position_)) return fail(Failure::NotFinite, t);
    if (position_ > allowed) return fail(Failure::NotConverged, t);
    velocity_ = loops_.rate_residual();
    const double* change = loops_.following();
    for (int n = 0; n < tree_.velocities(); ++n) x[at_u_ + n] += change[n];
    return true;
}

}  // namespace

std::unique_ptr<Formulation> joint_coordinates(const System& system, const FormulationOptions& options) {
    return std::make_unique<JointCoordinates>(system, options.kind);
}

}  // namespace vincolo
