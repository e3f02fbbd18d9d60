#include "contact/cone.hpp"

#include <algorithm>
#include <cmath>

namespace vincolo {

namespace {

constexpr long looked_at = 8;          // rounds after which is looked whether the conditions are met, however much impulses change
constexpr double well_met = 1e-2;      // of the tolerance: so far then, since the next step begins with these impulses
constexpr long stalled = 250;          // rounds after which all points are tried at once
constexpr long patience = 500;         // rounds that change little, for what is left to fall by a tenth
constexpr long long_way = 4000;        // rounds after which momentum is kept small for as many, in turn
constexpr double cautious = 15;        // that is 0.9 of the way
constexpr int furthest = 20;           // times the rounds that are asked for, where there are too many points to try at once
constexpr double rounding = 1e-9;      // of the impulses that would stop all motion: what is smaller has no direction

// Two directions across n, the same for the same n
Mat3 axes_about(const Vec3& n) {
    Mat3 D;
    const Vec3 other = std::abs(n[0]) < 0.6 ? Vec3::UnitX() : Vec3::UnitY();
    D.col(0) = n;
    D.col(1) = n.cross(other).normalized();
    D.col(2) = n.cross(D.col(1));
    return D;
}

// The point of the friction cone that is closest
Vec3 onto_cone(const Vec3& x, double mu) {
    const double across = std::hypot(x[1], x[2]);
    if (across <= mu * x[0]) return x;
    if (mu * across <= -x[0]) return Vec3::Zero();
    const double n = (x[0] + mu * across) / (1 + mu * mu);
    return Vec3(n, mu * n * x[1] / across, mu * n * x[2] / across);
}

}  // namespace

Cone::Cone(Dynamics& dynamics) : dynamics_(dynamics) {
    const std::size_t bodies = dynamics.system().bodies.size() + 1;
    jointed_.assign(bodies, 0);
    islands_.resize(bodies);
    for (const End& end : dynamics.rows.set().ends) jointed_[end.body] = 1;
    push_.assign(bodies, {Vec3::Zero(), Vec3::Zero()});
    answer_.assign(bodies, {Vec3::Zero(), Vec3::Zero()});
    none_.assign(dynamics.rows.set().blocks.size(), Column{});
    points_.reserve(64), responses_.reserve(128), memory_.reserve(64);
}

void Cone::respond_alone(const Point& point, int body, double sign) {
    if (body == dynamics_.system().ground()) return;
    Response out;
    out.body = body;
    out.v = sign * dynamics_.placement.inverse().mass[body] * point.D;
    for (int c = 0; c < 3; ++c) out.w.col(c) = sign * dynamics_.placement.turned(body, arm(body, point.touch.p).cross(Vec3(point.D.col(c))));
    responses_.push_back(out);
}

// Through the joints every body of the mechanism may move
void Cone::respond_joined(const Point& point) {
    const int first = static_cast<int>(responses_.size()), bodies = dynamics_.system().ground();
    for (int b = 0; b < bodies; ++b) {
        if (!jointed_[b] && b != point.touch.a && b != point.touch.b) continue;
        responses_.push_back({b, Mat3::Zero(), Mat3::Zero()});
    }
    for (int c = 0; c < 3; ++c) {
        const Vec3 f = point.D.col(c);
        for (Push& p : push_) p.f.setZero(), p.t.setZero();
        push_[point.touch.b].f += f, push_[point.touch.b].t += arm(point.touch.b, point.touch.p).cross(f);
        push_[point.touch.a].f -= f, push_[point.touch.a].t -= arm(point.touch.a, point.touch.p).cross(f);
        dynamics_.solve.jump(push_, none_, answer_);
        for (std::size_t k = first; k < responses_.size(); ++k) {
            responses_[k].v.col(c) = answer_[responses_[k].body].v;
            responses_[k].w.col(c) = answer_[responses_[k].body].w;
        }
    }
}

void Cone::respond(Point& point) {
    point.first = static_cast<int>(responses_.size());
    if (jointed_[point.touch.a] || jointed_[point.touch.b]) respond_joined(point);
    else respond_alone(point, point.touch.b, 1), respond_alone(point, point.touch.a, -1);
    point.count = static_cast<int>(responses_.size()) - point.first;
    point.W.setZero();
    for (int k = point.first; k < point.first + point.count; ++k) {
        const Response& r = responses_[k];
        if (r.body != point.touch.a && r.body != point.touch.b) continue;
        const double sign = r.body == point.touch.b ? 1 : -1;
        const Vec3 lever = arm(r.body, point.touch.p);
        for (int c = 0; c < 3; ++c) point.W.col(c) += sign * point.D.transpose() * (r.v.col(c) + Vec3(r.w.col(c)).cross(lever));
    }
    point.W = (0.5 * (point.W + point.W.transpose())).eval();
    // joints may leave fewer ways than three: the least impulse along those that are left
    const Eigen::SelfAdjointEigenSolver<Mat3> found(point.W);
    Vec3 shares = found.eigenvalues();
    for (int c = 0; c < 3; ++c) shares[c] = shares[c] > 1e-10 * found.eigenvalues()[2] ? 1 / shares[c] : 0;
    point.inverse = found.eigenvectors() * shares.asDiagonal() * found.eigenvectors().transpose();
    const double across = 0.5 * (point.W(1, 1) + point.W(2, 2)) + std::hypot(0.5 * (point.W(1, 1) - point.W(2, 2)), point.W(1, 2));
    point.softest = 1 / std::max(across, 1e-300);
    // what joints hold entirely has no mobility but rounding, and no impulse
    const std::vector<double>& mass = dynamics_.placement.inverse().mass;
    const bool held = !(point.W(0, 0) > 1e-10 * (mass[point.touch.a] + mass[point.touch.b]));
    if (held) point.target = -HUGE_VAL, point.P.setZero();
}

void Cone::add(const Spot& touch, double friction, double target, const Vec3& before) {
    Point point{};
    point.touch = touch, point.D = axes_about(touch.n), point.friction = friction, point.target = point.rebound = target;
    point.before = point.D.transpose() * before;
    point.P.setZero();
    const auto kept = std::lower_bound(memory_.begin(), memory_.end(), touch.key, [](const Kept& k, std::int64_t key) { return k.key < key; });
    if (kept != memory_.end() && kept->key == touch.key) point.P = onto_cone(point.D.transpose() * kept->impulse, friction);
    respond(point);
    points_.push_back(point);
}

Vec3 Cone::rate(const Point& point, const Twists& u) const {
    const Twist &a = u[point.touch.a], &b = u[point.touch.b];
    return point.D.transpose() * (b.v + b.w.cross(arm(point.touch.b, point.touch.p)) - a.v - a.w.cross(arm(point.touch.a, point.touch.p)));
}

void Cone::move(const Point& point, const Vec3& change, Twists& u) const {
    for (int k = point.first; k < point.first + point.count; ++k) {
        const Response& r = responses_[k];
        u[r.body].v += r.v * change, u[r.body].w += r.w * change;
    }
}

// q has U - target without the impulse of the point: open, sticking or sliding
Vec3 Cone::local(const Point& point, const Vec3& q) const {
    if (q[0] >= 0) return Vec3::Zero();
    if (point.friction == 0) return Vec3(-q[0] / point.W(0, 0), 0, 0);
    const Vec3 stick = -(point.inverse * q);
    const bool stops = (point.W * stick + q).cwiseAbs().maxCoeff() <= 1e-9 * q.cwiseAbs().maxCoeff();
    if (stops && stick[0] >= 0 && std::hypot(stick[1], stick[2]) <= point.friction * stick[0]) return stick;
    return slide(point, q);
}

// |P_t| = mu P_n and U_n = 0: the direction d of P_t with U_t = -k d, k >= 0, by projection
Vec3 Cone::slide(const Point& point, const Vec3& q) const {
    const double mu = point.friction;
    const Mat3& W = point.W;
    Eigen::Vector2d d = -q.tail<2>();
    if (!(d.squaredNorm() > 0)) d = point.P.tail<2>();
    if (!(d.squaredNorm() > 0)) return Vec3(-q[0] / W(0, 0), 0, 0);
    d.normalize();
    Vec3 P;
    bool against = false;  // what slides: a direction that would push along the slip comes back to itself too
    for (int pass = 0; pass < 60; ++pass) {
        const double yielding = W(0, 0) + mu * W.row(0).tail<2>().dot(d);
        // the wedge of Painleve: the direction that does not jam is taken
        const bool wedged = !(yielding > 1e-9 * W(0, 0));
        const double n = -q[0] / (wedged ? 1e-9 * W(0, 0) : yielding);
        P << n, mu * n * d;
        const Eigen::Vector2d u = q.tail<2>() + W.bottomRows<2>() * P;
        Eigen::Vector2d next = mu * n * d - point.softest * u;
        against = !wedged && u.dot(d) <= 0;
        if (!(next.squaredNorm() > 0)) break;
        next.normalize();
        const double turned = (next - d).squaredNorm();
        d = next;
        if (turned < 1e-30) break;
    }
    return against ? P : turn(point, q, P);
}

// The same where that finds none: the direction of P_t by its angle, round the circle, the nearest to that of now; `otherwise` where there
// is none either
Vec3 Cone::turn(const Point& point, const Vec3& q, const Vec3& otherwise) const {
    const double mu = point.friction;
    const Mat3& W = point.W;
    Vec3 P;
    Eigen::Vector2d d, u;
    // U_t across d, times what yields: without a pole where nothing does
    const auto across = [&](double angle) {
        d << std::cos(angle), std::sin(angle);
        const double yielding = W(0, 0) + mu * W.row(0).tail<2>().dot(d);
        u = yielding * q.tail<2>() - q[0] * (W.block<2, 1>(1, 0) + mu * W.bottomRightCorner<2, 2>() * d);
        const double n = yielding > 0 ? -q[0] / yielding : -1;
        P << n, mu * n * d;
        return u[0] * d[1] - u[1] * d[0];
    };
    constexpr int sectors = 48;
    Vec3 best = otherwise;
    double a = 0, fa = across(0), near = -HUGE_VAL;
    for (int k = 1; k <= sectors; ++k) {
        const double b = 2 * M_PI * k / sectors, fb = across(b);
        double low = a, high = b, f = fa;
        a = b, fa = fb;
        if (!(f * fb <= 0)) continue;
        for (int pass = 0; pass < 60 && high - low > 1e-16; ++pass) {
            const double middle = 0.5 * (low + high), fm = across(middle);
            if (f * fm <= 0) high = middle;
            else low = middle, f = fm;
        }
        across(0.5 * (low + high));
        if (P[0] > 0 && u.dot(d) <= 0 && d.dot(point.P.tail<2>()) > near) near = d.dot(point.P.tail<2>()), best = P;
    }
    return best;
}

// One round over all points, each by a share of what it misses
Cone::Round Cone::sweep(double share, Twists& u) {
    Round round;
    for (Point& point : points_) {
        Vec3 q = rate(point, u) - point.W * point.P;
        q[0] -= point.target;
        const Vec3 by = share * (local(point, q) - point.P), P = point.P + by;
        point.by = by;
        round.largest = std::max(round.largest, P.cwiseAbs().maxCoeff());
        if (by.squaredNorm() == 0) continue;
        round.change = std::max(round.change, by.cwiseAbs().maxCoeff());
        move(point, by, u);
        point.P = P;
    }
    return round;
}

// From where a round ended a share of its way goes on (Nesterov 1983), which grows until a round turns back (O'Donoghue and Candes 2015)
void Cone::carry_on(double& momentum, Twists& u) {
    double along = 0;
    for (const Point& point : points_) along += point.by.dot(point.P - point.last);
    if (along < 0) momentum = 1;
    const double next = 0.5 + std::sqrt(0.25 + momentum * momentum), share = (momentum - 1) / next;
    momentum = next;
    for (Point& point : points_) {
        const Vec3 on = share * (point.P - point.last);
        point.last = point.P;
        if (on.squaredNorm() == 0) continue;
        move(point, on, u);
        point.P += on;
    }
}

// Rounds are steps of a descent; piles of hundreds of points that jam take some thousands of them. Where that does not settle, points
// that take turns go in smaller steps.
long Cone::solve(Twists& u, const Options& options) {
    const long rounds = settle(u, options);
    solved_ = residual(u) <= options.tolerance;
    return rounds;
}

long Cone::settle(Twists& u, const Options& options) {
    for (Point& point : points_) {
        point.last = point.P;
        if (point.P.squaredNorm() > 0) move(point, point.P, u);
    }
    const long most = static_cast<long>(options.rounds * (points_.size() > most_together ? furthest : 1));
    const long carried = 3 * most / 4;
    long settled = 0, round = 1;
    double share = 1, momentum = 1, least = HUGE_VAL;
    for (; round <= most; ++round) {
        if (round > carried && (round - carried) % 100 == 0) share = std::max(0.25, 0.75 * share);
        const Round now = sweep(share, u);
        if (!std::isfinite(now.change)) break;
        const bool still = !(now.change > share * options.tolerance * now.largest);
        if (!still && round % looked_at == 0 && residual(u) <= well_met * options.tolerance) return round;  // shared loads may drift on
        if (still) {
            const double left = residual(u);
            settled = left < 0.9 * least ? 0 : settled + 1;
            least = std::min(least, left);
            if (left <= options.tolerance || settled > patience) return round;
        }
        if ((round == stalled || round == 2 * stalled || round == 4 * stalled) && polish(u, options.tolerance)) {
            for (Point& point : points_) point.last = point.P;
            momentum = 1;
            continue;
        }
        if (round / long_way % 2 == 1) momentum = std::min(momentum, cautious);
        if (round <= carried) carry_on(momentum, u);
    }
    return round - 1;
}

int Cone::island(int body) {
    while (islands_[body].next != body) body = islands_[body].next = islands_[islands_[body].next].next;
    return body;
}

bool Cone::take_back(const Twists& u) {
    const auto rebounds = [](const Point& point) { return point.target > 0; };
    if (std::none_of(points_.begin(), points_.end(), rebounds)) return false;
    for (std::size_t b = 0; b < islands_.size(); ++b) islands_[b] = {static_cast<int>(b), 0, 0};
    for (const Point& point : points_)
        for (int k = point.first + 1; k < point.first + point.count; ++k) islands_[island(responses_[k].body)].next = island(responses_[point.first].body);
    for (const Point& point : points_) {
        if (point.count == 0) continue;
        Island& own = islands_[island(responses_[point.first].body)];
        own.work += 0.5 * point.P.dot(point.before + rate(point, u));
        own.usual += std::abs(point.P[0] * point.before[0]);
    }
    bool any = false;
    for (Point& point : points_) {
        if (!rebounds(point) || point.count == 0) continue;
        const Island& own = islands_[island(responses_[point.first].body)];
        if (!(own.work > 1e-9 * own.usual)) continue;
        point.target = std::max(0.0, point.target - 0.125 * point.rebound), any = true;
    }
    return any;
}

// The natural map of the conditions with de Saxce's velocity U + mu |U_t| n
double Cone::residual(const Twists& u) const {
    double worst = 0, largest = 0;
    for (const Point& point : points_) {
        if (point.target == -HUGE_VAL) continue;
        Vec3 v = rate(point, u);
        v[0] += point.friction * std::hypot(v[1], v[2]) - point.target;
        const Vec3 left = point.P - onto_cone(point.P - v / point.W(0, 0), point.friction);
        worst = std::max(worst, left.cwiseAbs().maxCoeff());
        largest = std::max({largest, point.P.cwiseAbs().maxCoeff(), rounding * point.before.norm() / point.W(0, 0)});
    }
    return largest > 0 ? worst / largest : 0;
}

bool Cone::part(double slack, Twists& moved) {
    const bool any = std::any_of(points_.begin(), points_.end(), [&](const Point& p) { return p.touch.gap < -slack; });
    if (!any) return false;
    vincolo::clear(moved);
    for (Point& point : points_) point.out = 0;
    for (int round = 0; round < 100; ++round) {
        double change = 0;
        for (Point& point : points_) {
            const double open = point.touch.gap + rate(point, moved)[0], out = std::max(0.0, point.out - open / point.W(0, 0));
            if (out == point.out) continue;
            change = std::max(change, std::abs(out - point.out) * point.W(0, 0));
            move(point, Vec3(out - point.out, 0, 0), moved);
            point.out = out;
        }
        if (!(change > 0.1 * slack)) break;
    }
    return true;
}

void Cone::remember() {
    memory_.clear();
    for (const Point& point : points_)
        if (point.P.squaredNorm() > 0) memory_.push_back({point.touch.key, point.D * point.P});
    std::sort(memory_.begin(), memory_.end(), [](const Kept& a, const Kept& b) { return a.key < b.key; });
}

}  // namespace vincolo
