#include "blow.hpp"

namespace vincolo {

namespace {

constexpr double least_share = 1e-10;  // of its mobility without joints, that rows leave a direction

}  // namespace

Blow::Blow(Dynamics& dynamics) : dynamics_(dynamics), system_(dynamics.system()) {
    none_.assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    change_.assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    again_ = change_;
}

void Blow::add(double* y, const Twists& change, double factor) const {
    for (int b = 0; b < system_.ground(); ++b)
        for (int c = 0; c < 3; ++c) {
            y[body_size * b + at_v + c] += factor * change[b].v[c];
            y[body_size * b + at_w + c] += factor * change[b].w[c];
        }
}

double Blow::along(const Pushes& row, const Twists& change) const {
    double sum = 0;
    for (int b = 0; b < system_.ground(); ++b) sum += row[b].f.dot(change[b].v) + row[b].t.dot(change[b].w);
    return sum;
}

double Blow::gross(int k, const double* accelerations) const {
    double sum = 0;
    for (int b = 0; b < system_.ground(); ++b) {
        const Eigen::Map<const Vec3> linear(accelerations + 6 * b), angular(accelerations + 6 * b + 3);
        sum += rows_[k][b].f.norm() * linear.norm() + rows_[k][b].t.norm() * angular.norm();
    }
    return sum;
}

// A second time for what the first one rounds off
void Blow::meet_rows(double* y) {
    for (int pass = 0; pass < 2; ++pass) {
        dynamics_.rate_residual(y);
        dynamics_.solve.jump(none_, dynamics_.rows.rate(), change_);
        add(y, change_, 1);
    }
}

const Eigen::MatrixXd& Blow::respond(const std::vector<int>& quantities) {
    const int n = static_cast<int>(quantities.size());
    rows_.assign(n, none_), responses_.assign(n, change_), free_.assign(n, 0);
    mobility_.resize(n, n);
    const BlockVector at_rest(dynamics_.rows.set().blocks.size(), Column{});
    const Metric& inverse = dynamics_.placement.inverse();
    for (int k = 0; k < n; ++k) {
        dynamics_.quantities.push_along(quantities[k], 1, rows_[k]);
        dynamics_.solve.jump(rows_[k], at_rest, responses_[k]);
        for (int b = 0; b < system_.ground(); ++b)
            free_[k] += inverse.mass[b] * rows_[k][b].f.squaredNorm() + rows_[k][b].t.dot(inverse.inertia[b] * rows_[k][b].t);
    }
    for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) mobility_(j, k) = along(rows_[j], responses_[k]);
    firm_.assign(n, 0);
    for (int k = 0; k < n; ++k) {  // what rows leave of a response is left a second time too, unless it is rounding
        dynamics_.solve.constrained_response(responses_[k], again_);
        firm_[k] = mobility_(k, k) > least_share * free_[k] && along(rows_[k], again_) > 0.5 * mobility_(k, k);
    }
    return mobility_;
}

}  // namespace vincolo
