// The recursions: outwards for positions, velocities and inertias, inwards for what hangs on each link, outwards for accelerations
#include "tree/tree.hpp"

#include <cmath>

#include "quaternion.hpp"

namespace vincolo::tree {

namespace {

constexpr double rounding = 1e-14;  // of inertias, by the sizes of what they are differences of

// Inverse of a symmetric matrix; what has no size in it gets none, and is told
Mat inverse_of(const Mat& m, double size, Mat& missing, bool& misses) {
    const Mat3 A = matrix(m);
    const double most = std::max(size, A.trace());
    misses = false;
    if (A.determinant() > 1e-12 * most * most * most) return mat(A.inverse());  // no moment is below 1e-12 of it
    const Eigen::SelfAdjointEigenSolver<Mat3> by(A);
    const Vec3 values = by.eigenvalues();
    Vec3 inverse, none;
    for (int c = 0; c < 3; ++c) {
        none[c] = !(values[c] > rounding * most);
        misses = misses || none[c] > 0;
        inverse[c] = none[c] > 0 ? 0 : 1 / values[c];
    }
    const Mat3& axes = by.eigenvectors();
    missing = mat(axes * none.asDiagonal() * axes.transpose());
    return mat(axes * inverse.asDiagonal() * axes.transpose());
}

double trace_of(const Mat& m) { return m.c[0][0] + m.c[1][1] + m.c[2][2]; }

// What is left of a link's inertia and forces moves to the parent's point: by d, inwards
VINCOLO_TREE void hand_over(Place& to, const Mat& A, const Mat& H, const Mat& M, Quad d) {
    const Mat HS = times_cross(H, d), MS = times_cross(M, d), SM = transposed(MS), HSt = transposed(HS);
    Mat minus;  // [d]x M = -(M [d]x)^T
    for (int c = 0; c < 3; ++c) minus.c[c] = -SM.c[c];
    const Mat SMS = times_cross(minus, d);
    for (int c = 0; c < 3; ++c) {
        to.A.c[c] += A.c[c] - HS.c[c] - HSt.c[c] - SMS.c[c];
        to.H.c[c] += H.c[c] + minus.c[c];
        to.M.c[c] += M.c[c];
    }
}

}  // namespace

VINCOLO_TREE void rotate_about_z(const Mat& F, double angle, Mat& R) {
    double s, c;
    sincos(angle, &s, &c);
    R.c[0] = plus_product(F.c[0] * c, F.c[1], s), R.c[1] = minus_product(F.c[1] * c, F.c[0], s), R.c[2] = F.c[2];
}

// Where a link is and how it moves, from the place of its parent and its own position x and velocity u
VINCOLO_TREE void outwards(const Link& link, const Place& from, Place& y, const double* x, const double* u) {
    const Mat F = link.turned ? from.R * link.pre : from.R;
    const Quad zero{};
    const double position = *x, velocity = *u;
    Quad along = zero;
    y.d = from.R * link.at;
    y.w = from.w;
    y.cw = y.sigma = y.lambda = zero;
    switch (link.kind) {
        case MoveKind::Turn:
            rotate_about_z(F, position, y.R);
            y.sigma = F.c[2];
            y.w = plus_product(y.w, y.sigma, velocity);
            y.cw = cross(from.w, y.sigma) * velocity;
            if (link.lead != 0) y.lambda = F.c[2] * link.lead, along = y.lambda * velocity, y.d += y.lambda * position;
            break;
        case MoveKind::Slide:
            y.R = F;
            y.lambda = F.c[link.axis];
            along = y.lambda * velocity, y.d += y.lambda * position;
            break;
        case MoveKind::Ball: {
            y.F = F;
            y.R = F * mat(rotation_of(x));
            const Quad turning = F * quad(u[0], u[1], u[2]);
            y.w += turning;
            y.cw = cross(from.w, turning);
            break;
        }
        default: y.R = F;
    }
    const Quad swept = cross(from.w, y.d);
    y.p = from.p + y.d;
    y.v = from.v + swept + along;
    y.cv = cross(from.w, swept + along + along);
}

void Tree::ask_drives(double t) {
    for (int n : driven_) {
        const Link& link = links_[n];
        const Jet f = system_.functions[system_.rows[link.row].function](t, jets_.data(), auxiliaries_);
        given_[n] = {link.sign * f.f, link.sign * f.d, link.sign * f.dd};
        taken_off_[link.drive] = 0;
    }
}

void Tree::move(double t, const double* q, const double* u) {
    ask_drives(t);
    for (std::size_t n = 0; n < links_.size(); ++n) {
        const Link& link = links_[n];
        Place& y = places_[n + 1];
        const bool given = link.u < 0;
        outwards(link, places_[link.parent], y, given ? &given_[n].f : q + link.q, given ? &given_[n].d : u + link.u);
        if (given && link.row >= 0) y.cw += y.sigma * given_[n].dd, y.cv += y.lambda * given_[n].dd;
        if (link.body < 0) {
            y.A = y.H = y.M = Mat{};
            y.fa = y.fl = Quad{};
            continue;
        }
        const Quad mr = y.R * link.centre * link.mass;
        y.A = (y.R * link.inertia) * transposed(y.R);
        y.H = crossing(mr);
        y.M = scaled(link.mass);
        y.fa = cross(y.w, y.A * y.w);
        y.fl = cross(y.w, cross(y.w, mr));
        if (!link.idle) continue;
        const Mat ballast = (y.R * link.ballast) * transposed(y.R);
        for (int c = 0; c < 3; ++c) y.A.c[c] += ballast.c[c];
    }
}

// Newton and Euler of each link, by itself
void Tree::move_given(double t, const double* q, const double* u, const double* du) {
    ask_drives(t);
    for (std::size_t n = 0; n < links_.size(); ++n) {
        const Link& link = links_[n];
        const Place& from = places_[link.parent];
        Place& y = places_[n + 1];
        const bool given = link.u < 0;
        outwards(link, from, y, given ? &given_[n].f : q + link.q, given ? &given_[n].d : u + link.u);
        y.aw = from.aw + y.cw, y.av = from.av + cross(from.aw, y.d) + y.cv;
        if (link.freedom == 3) y.aw += y.F * quad(du[link.u], du[link.u + 1], du[link.u + 2]);
        else y.aw += y.sigma * (given ? given_[n].dd : du[link.u]), y.av += y.lambda * (given ? given_[n].dd : du[link.u]);
        y.fa = y.fl = Quad{};
        if (link.body < 0) continue;
        const Quad mr = y.R * link.centre * link.mass, w = back(y.R, y.w);
        y.fa = y.R * (link.inertia * back(y.R, y.aw) + cross(w, link.inertia * w)) + cross(mr, y.av);
        y.fl = y.av * link.mass + cross(y.aw, mr) + cross(y.w, cross(y.w, mr));
    }
}

void Tree::collect(double* pushes) {
    for (std::size_t n = links_.size(); n-- > 0;) {
        const Link& link = links_[n];
        const Place& y = places_[n + 1];
        Place& to = places_[link.parent];
        if (link.freedom == 1) pushes[link.u] = dot(y.sigma, y.fa) + dot(y.lambda, y.fl);
        else if (link.freedom == 3)
            for (int c = 0; c < 3; ++c) pushes[link.u + c] = dot(y.F.c[c], y.fa);
        if (link.parent > 0) to.fa += y.fa + cross(y.d, y.fl), to.fl += y.fl;
    }
}

bool Tree::finite() const {
    double sum = 0;
    for (int n : driven_) sum += 0 * (given_[n].f + given_[n].d + given_[n].dd);
    return sum == 0;
}

void Tree::load(int body, const Push& push) {
    Place& y = places_[place_of_[body]];
    const Quad f = point(push.f), r = y.R * links_[place_of_[body] - 1].centre;
    y.fl -= f;
    y.fa -= point(push.t) + cross(r, f);
}

void Tree::push_along(int n, double force) {
    Place &y = places_[n + 1], &from = places_[links_[n].parent];
    const bool turn = links_[n].kind == MoveKind::Turn;
    const Quad torque = turn ? y.sigma * force : Quad{}, pull = turn ? Quad{} : y.lambda * force;
    y.fa -= torque, y.fl -= pull;
    if (links_[n].parent > 0) from.fa += torque + cross(y.d, pull), from.fl += pull;
}

// Rounding of what a link hands on goes by what it has itself and by all that hangs on it.
void Tree::weigh(int n) {
    Place &y = places_[n + 1], &to = places_[links_[n].parent];
    y.size_A += trace_of(y.A), y.size_M += trace_of(y.M);
    const double handed = 0.9;  // of old rounding: joints let go of some of it
    to.size_A += handed * (y.size_A + y.size_M * dot(y.d, y.d)), to.size_M += handed * y.size_M;
}

bool Tree::articulate() {
    bool good = true;
    misses_ = false, idle_ = -1;
    if (light_)
        for (Place& y : places_) y.size_A = y.size_M = 0;
    for (std::size_t n = links_.size(); n-- > 0;) {
        const Link& link = links_[n];
        Place& y = places_[n + 1];
        Place& to = places_[link.parent];
        const int freedom = link.freedom;
        if (light_) weigh(static_cast<int>(n));
        Mat A = y.A, H = y.H, M = y.M;
        Quad fa = y.fa, fl = y.fl;
        if (freedom == 1) {
            double weight;
            if (link.kind == MoveKind::Turn && link.lead == 0) {
                y.Ua = y.A * y.sigma, y.Ul = back(y.H, y.sigma);
                weight = dot(y.sigma, y.Ua);
                y.push = -dot(y.sigma, y.fa);
            } else {
                y.Ua = y.A * y.sigma + y.H * y.lambda, y.Ul = back(y.H, y.sigma) + y.M * y.lambda;
                weight = dot(y.sigma, y.Ua) + dot(y.lambda, y.Ul);
                y.push = -dot(y.sigma, y.fa) - dot(y.lambda, y.fl);
            }
            const double least = light_ ? rounding * (dot(y.sigma, y.sigma) * y.size_A + dot(y.lambda, y.lambda) * y.size_M) : 0;
            if (!(weight > least)) good = false, idle_ = static_cast<int>(n);
            y.share = 1 / weight;
            if (link.parent == 0) continue;
            const Quad ka = y.Ua * y.share, kl = y.Ul * y.share;
            for (int c = 0; c < 3; ++c) {
                A.c[c] = minus_product(A.c[c], ka, y.Ua[c]), H.c[c] = minus_product(H.c[c], ka, y.Ul[c]);
                M.c[c] = minus_product(M.c[c], kl, y.Ul[c]);
            }
            fa = plus_product(fa, ka, y.push), fl = plus_product(fl, kl, y.push);
        } else if (freedom == 3) {
            y.by = inverse_of(y.A, light_ ? y.size_A : 0, y.missing, y.misses);
            misses_ = misses_ || y.misses;
            y.pushed = -y.fa;
            if (link.parent == 0) continue;
            const Mat byH = y.by * y.H;
            for (int c = 0; c < 3; ++c) M.c[c] -= back(y.H, byH.c[c]);
            fl -= back(y.H, y.by * y.fa);
            A = H = Mat{};
            fa = Quad{};
        } else if (link.parent == 0) {
            continue;
        }
        fa += A * y.cw + H * y.cv, fl += back(H, y.cw) + M * y.cv;
        hand_over(to, A, H, M, y.d);
        to.fa += fa + cross(y.d, fl), to.fl += fl;
    }
    return good;
}

void Tree::accelerate() {
    for (std::size_t n = 0; n < links_.size(); ++n) {
        const Link& link = links_[n];
        const Place& from = places_[link.parent];
        Place& y = places_[n + 1];
        y.aw = from.aw + y.cw, y.av = from.av + cross(from.aw, y.d) + y.cv;
        const int freedom = link.freedom;
        if (freedom == 1) {
            const double a = (y.push - dot(y.Ua, y.aw) - dot(y.Ul, y.av)) * y.share;
            y.a[0] = a;
            y.aw = plus_product(y.aw, y.sigma, a), y.av = plus_product(y.av, y.lambda, a);
        } else if (freedom == 3) {
            const Quad a = y.by * (y.pushed - y.A * y.aw - y.H * y.av);
            y.aw += a;
            y.a = a;
        }
    }
}

void Tree::accelerations(double* du) const {
    for (std::size_t n = 0; n < links_.size(); ++n) {
        const Link& link = links_[n];
        const Place& y = places_[n + 1];
        if (link.freedom == 1) du[link.u] = y.a[0];
        else if (link.freedom == 3)
            for (int c = 0; c < 3; ++c) du[link.u + c] = dot(y.F.c[c], y.a);
    }
}

void Tree::rates(const double* q, const double* u, double* dq) const {
    for (const Link& link : links_) {
        if (link.freedom == 1) dq[link.q] = u[link.u];
        else if (link.freedom == 3) quaternion_rate(q + link.q, Vec3(u[link.u], u[link.u + 1], u[link.u + 2]), dq + link.q);
    }
}

Twist Tree::acceleration_of(int body) const {
    const int n = place_of_[body];
    const Place& y = places_[n];
    const Quad r = y.R * links_[n - 1].centre;
    return {vec(y.av + cross(y.aw, r) + cross(y.w, cross(y.w, r))) + system_.gravity, vec(y.aw)};
}

double Tree::drive_power() const {
    double power = 0;
    for (int n : driven_) {
        const Place& y = places_[n + 1];
        const Quad torque = y.A * y.aw + y.H * y.av + y.fa, force = back(y.H, y.aw) + y.M * y.av + y.fl;
        power += given_[n].d * (dot(y.sigma, torque) + dot(y.lambda, force) + taken_off_[links_[n].drive]);
    }
    return power;
}

}  // namespace vincolo::tree
