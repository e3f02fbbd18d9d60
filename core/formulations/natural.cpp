#include "formulations/natural.hpp"

#include <cmath>

namespace vincolo {

namespace {

using Axes = Eigen::Map<const Mat3>;
constexpr int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};

// The rotation nearest to axes that have drifted a little
Mat3 nearest_rotation(Mat3 A) {
    for (int k = 0; k < 3; ++k) A = 0.5 * A * (3 * Mat3::Identity() - A.transpose() * A);
    return A;
}

}  // namespace

// Kinetic energy: 1/2 m v^2 + 1/2 sum J_k |a_k'|^2 with J_x = (I_y + I_z - I_x) / 2
Natural::Natural(const System& system) : RateCoordinates(system, 12, 12, 6), places_(system.frames.size()), y_(system.state_size()) {
    for (int b = 0; b < bodies_; ++b) {
        const Body& body = system.bodies[b];
        for (int c = 0; c < 3; ++c) {
            e.M(12 * b + c, 12 * b + c) = body.mass;
            for (int k = 0; k < 3; ++k) {
                const double spread = 0.5 * body.inertia.sum() - body.inertia[k];
                e.M(12 * b + 3 + 3 * k + c, 12 * b + 3 + 3 * k + c) = spread > 1e-12 * body.inertia.sum() ? spread : 0;
            }
        }
    }
}

void Natural::to_standard(const double* x, double* y) const {
    for (int b = 0; b < bodies_; ++b) {
        const double* in = x + 24 * b;
        double* out = y + body_size * b;
        const Mat3 A = nearest_rotation(Axes(in + 3));
        const Eigen::Quaterniond p = Eigen::Quaterniond(A).normalized();
        Vec3 w = Vec3::Zero();
        for (int k = 0; k < 3; ++k) w += 0.5 * A.col(k).cross(Axes(in + 15).col(k));
        const double q[] = {p.w(), p.x(), p.y(), p.z()};
        for (int c = 0; c < 4; ++c) out[at_p + c] = q[c];
        for (int c = 0; c < 3; ++c) out[c] = in[c], out[at_v + c] = in[12 + c], out[at_w + c] = w[c];
    }
    system.copy_tail(x + 24 * bodies_, y + system.work_index());
}

void Natural::from_standard(const double* y, double* x) const {
    for (int b = 0; b < bodies_; ++b) {
        const double* in = y + body_size * b;
        double* out = x + 24 * b;
        const Mat3 A = Eigen::Quaterniond(in[at_p], in[at_p + 1], in[at_p + 2], in[at_p + 3]).normalized().toRotationMatrix();
        const Vec3 w(in[at_w], in[at_w + 1], in[at_w + 2]);
        for (int c = 0; c < 3; ++c) out[c] = in[c], out[12 + c] = in[at_v + c];
        for (int k = 0; k < 3; ++k) {
            const Vec3 rate = w.cross(A.col(k));
            for (int c = 0; c < 3; ++c) out[3 + 3 * k + c] = A(c, k), out[15 + 3 * k + c] = rate[c];
        }
    }
    system.copy_tail(y + system.work_index(), x + 24 * bodies_);
}

void Natural::place(int frame, const double* x) {
    const Frame& f = system.frames[frame];
    Place& out = places_[frame];
    if (f.body == system.ground()) {
        out.now << f.s, f.R;
        out.rate.setZero();
        return;
    }
    const double* body = x + 24 * f.body;
    const Axes A(body + 3), rate(body + 15);
    out.now << Eigen::Map<const Vec3>(body) + A * f.s, A * f.R;
    out.rate << Eigen::Map<const Vec3>(body + 12) + rate * f.s, rate * f.R;
}

void Natural::add(int r, int frame, int column, const Vec3& gradient) {
    const Frame& f = system.frames[frame];
    if (f.body == system.ground()) return;
    auto row = e.J.row(r).segment<12>(12 * f.body);
    if (column == 0) row.head<3>() += gradient.transpose();
    for (int k = 0; k < 3; ++k) row.segment<3>(3 + 3 * k) += (column == 0 ? f.s[k] : f.R(k, column - 1)) * gradient.transpose();
}

double Natural::row(const Measure& m, int r, double factor) {
    const auto &a = places_[m.a].now, &b = places_[m.b].now;
    const Vec3 d = b.col(0) - a.col(0);
    const auto along = [&](const Vec3& e) { add(r, m.b, 0, factor * e), add(r, m.a, 0, -factor * e); };
    if (m.kind == MeasureKind::World) return along(m.e), m.e.dot(d);
    if (m.kind == MeasureKind::Pin) return along(a.col(1 + m.i)), a.col(1 + m.i).dot(d);
    if (m.kind == MeasureKind::Along) {
        along(a.col(1 + m.i));
        add(r, m.a, 1 + m.i, factor * d);
        return a.col(1 + m.i).dot(d);
    }
    if (m.kind == MeasureKind::Distance) {
        const double length = d.norm();
        along(length > 0 ? Vec3(d / length) : Vec3(1, 0, 0));
        return length;
    }
    const Vec3 h = b.col(1 + m.j);
    if (m.kind == MeasureKind::Cosine) {
        add(r, m.a, 1 + m.i, factor * h);
        add(r, m.b, 1 + m.j, factor * a.col(1 + m.i));
        return a.col(1 + m.i).dot(h);
    }
    const double c = a.col(1).dot(h), s = a.col(2).dot(h), q = c * c + s * s;
    add(r, m.a, 1, -factor * s / q * h);
    add(r, m.a, 2, factor * c / q * h);
    add(r, m.b, 1 + m.j, factor / q * (c * a.col(2) - s * a.col(1)));
    return all.placement.unwrapped(m, std::atan2(s, c));
}

double Natural::bias(const Measure& m) const {
    const Place &a = places_[m.a], &b = places_[m.b];
    const Vec3 d = b.now.col(0) - a.now.col(0), d_rate = b.rate.col(0) - a.rate.col(0);
    if (m.kind == MeasureKind::World || m.kind == MeasureKind::Pin) return 0;
    if (m.kind == MeasureKind::Along) return 2 * a.rate.col(1 + m.i).dot(d_rate);
    if (m.kind == MeasureKind::Distance) {
        const double length = d.norm(), along = length > 0 ? d.dot(d_rate) / length : 0;
        return length > 0 ? (d_rate.squaredNorm() - along * along) / length : 0;
    }
    const Vec3 h = b.now.col(1 + m.j), h_rate = b.rate.col(1 + m.j);
    if (m.kind == MeasureKind::Cosine) return 2 * a.rate.col(1 + m.i).dot(h_rate);
    const double c = a.now.col(1).dot(h), s = a.now.col(2).dot(h), q = c * c + s * s;
    const double c_rate = a.rate.col(1).dot(h) + a.now.col(1).dot(h_rate), s_rate = a.rate.col(2).dot(h) + a.now.col(2).dot(h_rate);
    const double rate = (c * s_rate - s * c_rate) / q;
    return (2 * c * a.rate.col(2).dot(h_rate) - 2 * s * a.rate.col(1).dot(h_rate) - 2 * rate * (c * c_rate + s * s_rate)) / q;
}

void Natural::inner_rows(const double* x) {
    for (int b = 0; b < bodies_; ++b) {
        const Axes A(x + 24 * b + 3);
        for (int n = 0; n < 6; ++n) {
            const int i = pairs[n][0], j = pairs[n][1], r = rows_ + 6 * b + n;
            const double half = i == j ? 0.5 : 1;
            e.phi[r] = half * (A.col(i).dot(A.col(j)) - (i == j));
            auto row = e.J.row(r).segment<12>(12 * b);
            row.segment<3>(3 + 3 * i) = A.col(j).transpose();
            row.segment<3>(3 + 3 * j) = A.col(i).transpose();
        }
    }
}

void Natural::positions(double t, const double* x) {
    to_standard(x, y_.data());
    all.load_positions(t, y_.data());
    all.rows.evaluate_drives(t);
    for (std::size_t f = 0; f < places_.size(); ++f) place(static_cast<int>(f), x);
    e.J.topRows(rows_).setZero();
    for (int r = 0; r < rows_; ++r) {
        const Quantity& q = system.quantities[system.rows[taken_[r]].quantity];
        e.phi[r] = -all.rows.held(taken_[r]).f;
        for (int n = q.first; n < q.first + q.count; ++n)
            e.phi[r] += system.terms[n].factor * row(system.measures[system.terms[n].measure], r, system.terms[n].factor);
        if (system.rows[taken_[r]].level != Level::Position) e.phi[r] = 0;
    }
    inner_rows(x);
}

void Natural::velocities(const double* x) {
    load_rates(x);
    for (std::size_t f = 0; f < places_.size(); ++f) place(static_cast<int>(f), x);
    fill_rates(e.J, e.u, e.rate);
}

// A torque on three free axes: half of it crossed with each does the same work on every rotation.
void Natural::motion(double t, const double* x) {
    to_standard(x, y_.data());
    all.load_motion(t, y_.data());
    for (int b = 0; b < bodies_; ++b) {
        const Mat3& A = all.placement.bodies()[b].A;
        const Twist& free = all.forces.free()[b];
        const Body& given = system.bodies[b];
        const Vec3 w = A.transpose() * all.placement.velocities()[b].w, turned = A.transpose() * free.w;
        const Vec3 torque = A * ((given.inertia + given.ballast).cwiseProduct(turned) + w.cross(given.inertia.cwiseProduct(w)));
        e.Q.segment<3>(12 * b) = (given.mass + given.mass_ballast) * free.v;
        for (int k = 0; k < 3; ++k) e.Q.segment<3>(12 * b + 3 + 3 * k) = 0.5 * torque.cross(A.col(k));
        const Axes rate(x + 24 * b + 15);
        for (int n = 0; n < 6; ++n) {
            const int i = pairs[n][0], j = pairs[n][1];
            e.gamma[rows_ + 6 * b + n] = (i == j ? -1 : -2) * rate.col(i).dot(rate.col(j));
        }
    }
    for (int r = 0; r < rows_; ++r) {
        const Quantity& q = system.quantities[system.rows[taken_[r]].quantity];
        e.gamma[r] = all.rows.held(taken_[r]).dd;
        for (int n = q.first; n < q.first + q.count; ++n)
            e.gamma[r] -= system.terms[n].factor * bias(system.measures[system.terms[n].measure]);
    }
}

void Natural::twist_accelerations(const double* x, Vector& out) const {
    for (int b = 0; b < bodies_; ++b) {
        out.segment<3>(6 * b) = e.acc.segment<3>(12 * b);
        out.segment<3>(6 * b + 3).setZero();
        for (int k = 0; k < 3; ++k)
            out.segment<3>(6 * b + 3) += 0.5 * Axes(x + 24 * b + 3).col(k).cross(Vec3(e.acc.segment<3>(12 * b + 3 + 3 * k)));
    }
}

}  // namespace vincolo
