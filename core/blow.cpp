#include "blow.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace vincolo {

Blow::Blow(Dynamics& dynamics) : dynamics_(dynamics), system_(dynamics.system()) {
    none_.assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    change_.assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
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

// A second time for what the first one rounds off
void Blow::meet_rows(double* y) {
    for (int pass = 0; pass < 2; ++pass) {
        dynamics_.rate_residual(y);
        dynamics_.solve.jump(none_, dynamics_.rows.rate(), change_);
        add(y, change_, 1);
    }
}

int Blow::strike(double* y, std::vector<Hit>& hits) {
    const int n = static_cast<int>(hits.size());
    if (n == 0) return -1;
    std::vector<Pushes> rows(n, none_);
    std::vector<Twists> responses(n, change_);
    const BlockVector at_rest(dynamics_.rows.set().blocks.size(), Column{});
    Eigen::MatrixXd A(n, n);
    Eigen::VectorXd wanted(n);
    dynamics_.placement.load_velocities(y);
    for (int k = 0; k < n; ++k) {
        double value, rate;
        dynamics_.quantities.push_along(hits[k].quantity, 1, rows[k]);
        dynamics_.solve.jump(rows[k], at_rest, responses[k]);
        dynamics_.quantities.read(hits[k].quantity, value, rate);
        wanted[k] = hits[k].rate - rate;
    }
    for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) A(j, k) = along(rows[j], responses[k]);
    for (int k = 0; k < n; ++k) {  // held by the joints: what is left of its mobility is rounding
        double free = 0;
        const Metric& inverse = dynamics_.placement.inverse();
        for (int b = 0; b < system_.ground(); ++b)
            free += inverse.mass[b] * rows[k][b].f.squaredNorm() + rows[k][b].t.dot(inverse.inertia[b] * rows[k][b].t);
        if (!hits[k].given && !(A(k, k) > 1e-10 * free)) return k;
        if (!hits[k].given) continue;
        A.row(k).setZero();  // its impulse is known
        A(k, k) = 1, wanted[k] = hits[k].impulse;
    }
    const Eigen::VectorXd impulses = A.completeOrthogonalDecomposition().solve(wanted);
    for (int k = 0; k < n; ++k) {
        hits[k].impulse = impulses[k];
        add(y, responses[k], impulses[k]);
    }
    return -1;
}

}  // namespace vincolo
