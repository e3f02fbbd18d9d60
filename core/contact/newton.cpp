// Points of contact all at once, where rounds over them do not settle: Newton's method on the equations of Alart and Curnier (1991), whose
// kinks it takes as they come (semismooth), on the dense matrix of responses.
#include <cmath>

#include "contact/cone.hpp"

namespace vincolo {

namespace {

constexpr int padded = 24;          // sizes go in steps, so that memory is taken rarely
constexpr int most_passes = 60;
// Of the diagonal, from the least to the most: so loads that points share in any way stay as they are, and steps are shorter
constexpr double least_ridge = 1e-9, most_ridge = 1e-1;

}  // namespace

// W_ij: what the velocity of i gets by an impulse of j
void Cone::Dense::gather(const Cone& cone) {
    const int m = static_cast<int>(active.size()), n = padded * ((3 * m + padded - 1) / padded);
    if (W.rows() != n) {
        for (Eigen::MatrixXd* x : {&W, &J}) x->resize(n, n);
        for (Eigen::VectorXd* x : {&P, &q, &U, &open, &step, &trial}) x->resize(n);
    }
    W.setZero(), P.setZero(), q.setZero();
    for (int j = 0; j < m; ++j) {
        const Point& from = cone.points_[active[j]];
        for (int k = from.first; k < from.first + from.count; ++k) {
            const Response& r = cone.responses_[k];
            for (int i = 0; i < m; ++i) {
                const Point& to = cone.points_[active[i]];
                if (r.body != to.touch.a && r.body != to.touch.b) continue;
                const double sign = r.body == to.touch.b ? 1 : -1;
                const Vec3 lever = cone.arm(r.body, to.touch.p);
                for (int c = 0; c < 3; ++c) W.block<3, 1>(3 * i, 3 * j + c) += sign * to.D.transpose() * (r.v.col(c) + Vec3(r.w.col(c)).cross(lever));
            }
        }
        P.segment<3>(3 * j) = from.P;
    }
}

// Open: P = 0. Closed: U_n = 0, and P_t is what of P_t - r U_t the disc of radius mu P_n holds. Returns the square of all that is left;
// with a ridge how it changes with P.
double Cone::Dense::equations(const Cone& cone, const Eigen::VectorXd& x, double ridge) {
    const bool slopes = ridge > 0;
    const int m = static_cast<int>(active.size()), n = static_cast<int>(W.rows());
    U.noalias() = W * x;
    U += q;
    open.setZero();
    if (slopes) J.setIdentity();
    for (int i = 0; i < m; ++i) {
        const Point& point = cone.points_[active[i]];
        const int at = 3 * i;
        open.segment<3>(at) = x.segment<3>(at);
        const double by = 1 / point.W(0, 0), across = point.softest, pressed = x[at] - by * U[at];
        if (!(pressed > 0)) continue;
        open[at] = by * U[at];
        if (slopes) J.row(at) = by * W.row(at), J(at, at) += ridge;
        if (point.friction == 0) continue;
        const Eigen::Vector2d held = x.segment<2>(at + 1) - across * U.segment<2>(at + 1);
        const double size = held.norm(), most = point.friction * pressed;
        if (size <= most) {
            open.segment<2>(at + 1) = across * U.segment<2>(at + 1);
            if (slopes)
                for (int c = 1; c < 3; ++c) J.row(at + c) = across * W.row(at + c), J(at + c, at + c) += ridge;
            continue;
        }
        const Eigen::Vector2d way = held / size;
        open.segment<2>(at + 1) -= most * way;
        if (!slopes) continue;
        const Eigen::Matrix2d turns = most / size * (Eigen::Matrix2d::Identity() - way * way.transpose());
        J.middleRows<2>(at + 1) = across * turns * W.middleRows<2>(at + 1) + point.friction * by * way * W.row(at);
        J.block<2, 2>(at + 1, at + 1) += Eigen::Matrix2d::Identity() - turns;
        J.block<2, 1>(at + 1, at) -= point.friction * way;
    }
    open.tail(n - 3 * m).setZero();
    return open.squaredNorm();
}

void Cone::Dense::iterate(const Cone& cone, double tolerance) {
    double left = equations(cone, P, 0), ridge = least_ridge;
    for (int pass = 0; pass < most_passes && open.cwiseAbs().maxCoeff() > 0.1 * tolerance * P.cwiseAbs().maxCoeff(); ++pass) {
        equations(cone, P, ridge);
        factors.compute(J);
        step = factors.solve(open);
        double found = HUGE_VAL;
        for (double share = 1; share > 0.1 && step.allFinite(); share *= 0.5) {
            trial = P - share * step;
            found = equations(cone, trial, 0);
            if (found < (1 - 1e-4 * share) * left) break;
        }
        if (found < left) {
            P = trial, left = found, ridge = std::max(least_ridge, 0.1 * ridge);
            continue;
        }
        if (ridge >= most_ridge) return;
        ridge *= 100;
        equations(cone, P, 0);
    }
}

bool Cone::polish(Twists& u, double tolerance) {
    std::vector<int>& active = dense_.active;
    active.clear();
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const Point& point = points_[i];
        if (point.target != -HUGE_VAL && (point.P[0] > 0 || rate(point, u)[0] < point.target)) active.push_back(static_cast<int>(i));
    }
    const int m = static_cast<int>(active.size());
    if (m == 0 || active.size() > most_together) return false;
    dense_.gather(*this);
    for (int i = 0; i < m; ++i) {
        dense_.q.segment<3>(3 * i) = rate(points_[active[i]], u);
        dense_.q[3 * i] -= points_[active[i]].target;
    }
    dense_.q -= dense_.W * dense_.P;
    const double before = residual(u);
    dense_.iterate(*this, tolerance);
    const auto take = [&](const Eigen::VectorXd& to) {
        for (int i = 0; i < m; ++i) {
            Point& point = points_[active[i]];
            const Vec3 by = to.segment<3>(3 * i) - point.P;
            move(point, by, u);
            point.P += by;
        }
    };
    for (int i = 0; i < m; ++i) dense_.trial.segment<3>(3 * i) = points_[active[i]].P;
    take(dense_.P);
    if (residual(u) < 0.5 * before) return true;
    take(dense_.trial);
    return false;
}

}  // namespace vincolo
