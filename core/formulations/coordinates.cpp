#include "formulations/coordinates.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "displacement.hpp"
#include "formulations/euler_parameters.hpp"
#include "formulations/natural.hpp"

namespace vincolo {

Coordinates::Coordinates(const System& s, int q, int u, int inner_rows)
    : system(s), all(s), q_size(q), u_size(u), bodies_(s.ground()), rows_(0), inner_rows_(inner_rows) {
    e.resize(u * bodies_, 0);
    std::vector<int> every(s.rows.size());
    std::iota(every.begin(), every.end(), 0);
    Coordinates::take_rows(every);
}

void Coordinates::take_rows(const std::vector<int>& rows) {
    taken_ = rows;
    rows_ = static_cast<int>(rows.size());
    e.resize_rows(rows_ + inner_rows_ * bodies_);
    for (int r = 0; r < rows_; ++r) e.drive[r] = system.rows[rows[r]].drive;
}

std::unique_ptr<Coordinates> Coordinates::make(const std::string& kind, const System& system) {
    if (kind == "twist") return std::make_unique<Coordinates>(system);
    if (kind == "euler_parameters") return std::make_unique<EulerParameters>(system);
    if (kind == "natural") return std::make_unique<Natural>(system);
    throw std::invalid_argument("no such coordinates: " + kind);
}

void Coordinates::to_standard(const double* x, double* y) const { std::copy(x, x + system.state_size(), y); }
void Coordinates::from_standard(const double* y, double* x) const { std::copy(y, y + system.state_size(), x); }

void Coordinates::fill_rows(Matrix& J, Vector& phi) {
    all.rows.evaluate_drives(all.placement.time());
    all.rows.assemble(all.placement.inverse().inertia.data());
    all.rows.find_values();
    for (int r = 0; r < rows_; ++r) {
        const int k = system.rows[taken_[r]].block, at = all.rows.position(taken_[r]);
        const Block& block = all.rows.set().blocks[k];
        phi[r] = all.rows.phi()[k][at];
        for (int n = block.first_end; n < block.first_end + block.ends; ++n) {
            const End& end = all.rows.set().ends[n];
            for (int c = 0; c < 3; ++c) {
                J(r, 6 * end.body + c) = end.lin[c][at];
                J(r, 6 * end.body + 3 + c) = end.ang[c][at];
            }
        }
    }
}

void Coordinates::fill_rates(const Matrix& J, const Vector& u, Vector& rate) {
    rate.noalias() = J * u;
    for (int r = 0; r < rows_; ++r)
        rate[r] = system.rows[taken_[r]].level == Level::Acceleration ? 0 : rate[r] - all.rows.held(taken_[r]).d;
}

void Coordinates::fill_forces(Vector& Q) const {
    for (int b = 0; b < bodies_; ++b) {
        const Push push = all.forces.on(b);
        Q.segment<3>(6 * b) = push.f, Q.segment<3>(6 * b + 3) = push.t;
    }
}

void Coordinates::fill_motion(Matrix& M, Vector& Q, Vector& gamma) {
    for (int b = 0; b < bodies_; ++b) {
        const Mat3& A = all.placement.bodies()[b].A;
        const Body& given = system.bodies[b];
        M.block<3, 3>(6 * b, 6 * b).diagonal().setConstant(given.mass);
        const Mat3 idle = Mat3::Identity() - given.held;  // where ballast stays
        M.block<3, 3>(6 * b + 3, 6 * b + 3).noalias() = A * (Mat3(given.inertia.asDiagonal()) + idle * given.ballast.asDiagonal()) * A.transpose();
    }
    fill_forces(Q);
    for (int r = 0; r < rows_; ++r) gamma[r] = all.rows.gamma()[system.rows[taken_[r]].block][all.rows.position(taken_[r])];
}

void Coordinates::positions(double t, const double* x) {
    all.load_positions(t, x);
    fill_rows(e.J, e.phi);
}

void Coordinates::velocities(const double* x) {
    all.placement.load_velocities(x);
    for (int b = 0; b < bodies_; ++b) e.u.segment<3>(6 * b) = all.placement.velocities()[b].v, e.u.segment<3>(6 * b + 3) = all.placement.velocities()[b].w;
    fill_rates(e.J, e.u, e.rate);
}

void Coordinates::motion(double t, const double* x) {
    all.load_motion(t, x);
    all.rows.find_bias();
    fill_motion(e.M, e.Q, e.gamma);
}

void Coordinates::forces(double t, const double* x, Vector& Q) {
    all.load_positions(t, x);
    all.load_motion(t, x);
    fill_forces(Q);
}

void Coordinates::move(double* x, const Vector& change) const {
    for (int b = 0; b < bodies_; ++b) displace(x + body_size * b, change.segment<3>(6 * b), change.segment<3>(6 * b + 3));
}

void Coordinates::position_rates(const double* x, const Vector& u, double* dx) const {
    for (int b = 0; b < bodies_; ++b) {
        double* d = dx + body_size * b;
        for (int c = 0; c < 3; ++c) d[at_r + c] = u[6 * b + c];
        quaternion_rate(x + body_size * b + at_p, u.segment<3>(6 * b + 3), d + at_p);
    }
}

void Coordinates::twist_accelerations(const double*, Vector& out) const { out = e.acc; }

void Coordinates::set_velocities(double* x, const Vector& u) const {
    for (int b = 0; b < bodies_; ++b)
        for (int c = 0; c < u_size; ++c) x[body_state() * b + q_size + c] = u[u_size * b + c];
}

void RateCoordinates::move(double* x, const Vector& change) const {
    for (int b = 0; b < bodies_; ++b)
        for (int c = 0; c < q_size; ++c) x[body_state() * b + c] += change[q_size * b + c];
}

void RateCoordinates::position_rates(const double*, const Vector& u, double* dx) const {
    for (int b = 0; b < bodies_; ++b)
        for (int c = 0; c < q_size; ++c) dx[body_state() * b + c] = u[q_size * b + c];
}

void RateCoordinates::load_rates(const double* x) {
    for (int b = 0; b < bodies_; ++b)
        for (int c = 0; c < u_size; ++c) e.u[u_size * b + c] = x[body_state() * b + q_size + c];
}

}  // namespace vincolo
