// What forces alone do to a tree that stands articulated: T^-1 = (1 + ...)^T D^-1 (1 + ...), inwards and outwards
#include <cmath>

#include "quaternion.hpp"
#include "tree/tree.hpp"

namespace vincolo::tree {

namespace {

double size_of(Quad x) { return std::sqrt(dot(x, x)); }

}  // namespace

std::vector<int> Response::path_of(const std::vector<int>& bodies) const {
    std::vector<char> on_it(tree_.links_.size(), 0);
    for (int body : bodies)
        for (int place = tree_.place_of_[body]; place > 0; place = tree_.links_[place - 1].parent) on_it[place - 1] = 1;
    std::vector<int> path;
    for (int n = static_cast<int>(tree_.links_.size()); n-- > 0;)
        if (on_it[n]) path.push_back(n);
    return path;
}

// `on` is worked on: by place, about the point of the link
void Response::push_back(Pushes& on, const std::vector<int>& path, double* z) const {
    for (int n : path) {
        const Link& link = tree_.links_[n];
        const Place& y = tree_.places_[n + 1];
        const int freedom = link.freedom;
        Quad fa = point(on[n + 1].t), fl = point(on[n + 1].f);
        if (freedom == 1) {
            const double push = dot(y.sigma, fa) + dot(y.lambda, fl);
            z[link.u] = push;
            fa -= y.Ua * (push * y.share), fl -= y.Ul * (push * y.share);
        } else if (freedom == 3) {
            for (int c = 0; c < 3; ++c) z[link.u + c] = fa[c];
            fl -= back(y.H, y.by * fa);
            fa = Quad{};
        } else if (link.row >= 0) {
            z[tree_.velocities_ + link.drive] = dot(y.sigma, fa) + dot(y.lambda, fl);
        }
        Push& to = on[link.parent];
        to.t += vec(fa + cross(y.d, fl)), to.f += vec(fl);
    }
}

void Response::push_through(Pushes& on, const std::vector<int>& path, double* z) const {
    for (int n : path) {
        const Link& link = tree_.links_[n];
        const Place& y = tree_.places_[n + 1];
        const Quad fa = point(on[n + 1].t), fl = point(on[n + 1].f);
        if (link.freedom == 1) z[link.u] = dot(y.sigma, fa) + dot(y.lambda, fl);
        else if (link.freedom == 3)
            for (int c = 0; c < 3; ++c) z[link.u + c] = fa[c];
        Push& to = on[link.parent];
        to.t += vec(fa + cross(y.d, fl)), to.f += vec(fl);
    }
}

void Response::divide(const double* z, const std::vector<int>& path, double* out) const {
    for (int n : path) {
        const Link& link = tree_.links_[n];
        const Place& y = tree_.places_[n + 1];
        if (link.freedom == 1) out[link.u] = z[link.u] * y.share;
        else if (link.freedom == 3) {
            const Quad a = y.by * quad(z[link.u], z[link.u + 1], z[link.u + 2]);
            for (int c = 0; c < 3; ++c) out[link.u + c] = a[c];
        }
    }
}

void Response::take_off(const double* z) {
    for (std::size_t n = 0; n < tree_.links_.size(); ++n) {
        const Link& link = tree_.links_[n];
        Place& y = tree_.places_[n + 1];
        if (link.freedom == 1) y.push -= z[link.u];
        else if (link.freedom == 3) y.pushed -= quad(z[link.u], z[link.u + 1], z[link.u + 2]);
        else if (link.row >= 0) tree_.taken_off_[link.drive] += z[tree_.velocities_ + link.drive];
    }
}

void Response::respond(const double* z, double* du) {
    tree_.places_[0].aw = tree_.places_[0].av = Quad{};
    for (std::size_t n = 0; n < tree_.links_.size(); ++n) {
        const Link& link = tree_.links_[n];
        const Place& from = tree_.places_[link.parent];
        Place& y = tree_.places_[n + 1];
        y.aw = from.aw, y.av = from.av + cross(from.aw, y.d);
        if (link.freedom == 1) {
            const double a = (z[link.u] - dot(y.Ua, y.aw) - dot(y.Ul, y.av)) * y.share;
            du[link.u] = a;
            y.aw += y.sigma * a, y.av += y.lambda * a;
        } else if (link.freedom == 3) {
            const Quad a = y.by * (quad(z[link.u], z[link.u + 1], z[link.u + 2]) - y.A * y.aw - y.H * y.av);
            for (int c = 0; c < 3; ++c) du[link.u + c] = dot(y.F.c[c], a);
            y.aw += a;
        }
    }
    tree_.places_[0].av = -point(tree_.system_.gravity);
}

// The links of a joint stand one behind the other, and the last one carries the body.
int Light::body_beyond(int n) const {
    while (tree_.links_[n].body < 0) ++n;
    return tree_.links_[n].body;
}

int Light::unmoved(const double* others) const {
    constexpr double rounding = 1e-9;  // of the torques at work
    double most = 0;                   // at any of the links
    for (const Place& y : tree_.places_) most = std::max(most, size_of(y.fa) + size_of(y.fl) * size_of(y.d));
    for (std::size_t n = 0; n < tree_.links_.size(); ++n) {
        const Place& y = tree_.places_[n + 1];
        if (tree_.links_[n].freedom != 3 || !y.misses) continue;
        const Quad inert = y.A * y.aw + y.H * y.av;
        double at_work = size_of(y.fa) + size_of(inert) + 1e-3 * most;
        for (int c = 0; c < 3; ++c) at_work += std::abs(others[tree_.links_[n].u + c]);
        if (!(size_of(y.missing * (y.pushed - inert)) <= rounding * at_work)) return body_beyond(static_cast<int>(n));
    }
    return -1;
}

int Light::missed_by(const double* z) const {
    for (std::size_t n = 0; n < tree_.links_.size(); ++n) {
        const Link& link = tree_.links_[n];
        if (link.freedom != 3 || !tree_.places_[n + 1].misses) continue;
        const Quad push = quad(z[link.u], z[link.u + 1], z[link.u + 2]);
        if (size_of(tree_.places_[n + 1].missing * push) > 1e-6 * size_of(push)) return body_beyond(static_cast<int>(n));
    }
    return -1;
}

void Tree::displace(double* q, const double* dq) const {
    for (const Link& link : links_) {
        if (link.freedom == 1) q[link.q] += dq[link.u];
        else if (link.freedom == 3) turn_quaternion(q + link.q, Vec3(dq[link.u], dq[link.u + 1], dq[link.u + 2]));
    }
}

}  // namespace vincolo::tree
