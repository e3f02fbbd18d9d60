#include "contact/contacts.hpp"

#include <cmath>

namespace vincolo {

namespace {

constexpr std::size_t largest_table = 2048;  // shapes

// Whether positions tell the energy of a point: where faces are cut, points come and go at some depth, and all they do is work
bool stores(const ContactScene& scene, const Spot& touch) {
    const ContactPair& pair = scene.pairs[touch.pair];
    const ShapeKind a = scene.shapes[pair.a].kind, b = scene.shapes[pair.b].kind;
    return a == ShapeKind::Plane ? b != ShapeKind::Cylinder : a == ShapeKind::Sphere && b != ShapeKind::Mesh;
}

}  // namespace

Contacts::Contacts(const Placement& placement) : placement_(placement), system_(placement.system()), scene_(system_.contact) {
    const std::size_t n = scene_.shapes.size();
    placed_.resize(n), swept_.assign(n, 0), speeds_.assign(n, 0), curves_.assign(n, 0);
    for (std::size_t k = 0; k < scene_.pairs.size(); ++k)
        if (scene_.shapes[scene_.pairs[k].a].kind == ShapeKind::Plane) endless_.push_back(static_cast<int>(k));
    if (scene_.pairs.size() > 4 * n && n <= largest_table) {
        pair_of_.assign(n * n, -1);
        for (std::size_t k = 0; k < scene_.pairs.size(); ++k) {
            const ContactPair& pair = scene_.pairs[k];
            if (scene_.shapes[pair.a].kind == ShapeKind::Plane) continue;
            pair_of_[pair.a * n + pair.b] = pair_of_[pair.b * n + pair.a] = static_cast<int>(k);
        }
        for (std::size_t k = 0; k < n; ++k)
            if (scene_.shapes[k].kind != ShapeKind::Plane) order_.push_back({static_cast<int>(k), 0});
    }
    touches_.reserve(64 + 8 * n);
}

void Contacts::place() {
    for (std::size_t k = 0; k < placed_.size(); ++k) {
        const ContactShape& shape = scene_.shapes[k];
        const BodyPlace& body = placement_.bodies()[shape.body];
        PlacedShape& out = placed_[k];
        out.shape = &shape, out.c = body.r + body.A * shape.s, out.R = body.A * shape.R;
        out.middle = out.c + out.R * shape.middle;
    }
}

double Contacts::speed_bound(int n) const {
    const ContactShape& shape = scene_.shapes[n];
    const Twist& u = placement_.velocities()[shape.body];
    const double reach = shape.kind == ShapeKind::Plane ? 0 : shape.reach;
    return u.v.norm() + u.w.norm() * ((placed_[n].middle - placement_.bodies()[shape.body].r).norm() + reach);
}

// From below; of spheres and boxes around the shapes
double Contacts::distance_bound(const ContactPair& pair) const {
    const PlacedShape &a = placed_[pair.a], &b = placed_[pair.b];
    if (a.shape->kind == ShapeKind::Plane) return a.R.col(2).dot(b.middle - a.c) - b.shape->reach;
    const Vec3 d = b.middle - a.middle;
    if (b.shape->kind == ShapeKind::Sphere) return d.norm() - a.shape->reach - b.shape->reach;
    const auto from_box = [&](const PlacedShape& box, const PlacedShape& ball) {
        return ((box.R.transpose() * d).cwiseAbs() - box.shape->half).cwiseMax(0.0).norm() - ball.shape->reach;
    };
    return std::max({d.norm() - a.shape->reach - b.shape->reach, from_box(a, b), from_box(b, a)});
}

bool Contacts::apart(const ContactPair& pair, double margin) const {
    const PlacedShape &a = placed_[pair.a], &b = placed_[pair.b];
    if (a.shape->kind == ShapeKind::Plane) return a.R.col(2).dot(b.middle - a.c) > b.shape->reach + margin;
    const double reach = a.shape->reach + b.shape->reach + margin;
    return (b.middle - a.middle).squaredNorm() > reach * reach;
}

void Contacts::append(int n, int count) {
    const ContactPair& pair = scene_.pairs[n];
    const int a = scene_.shapes[pair.a].body, b = scene_.shapes[pair.b].body;
    for (int k = 0; k < count; ++k) {
        const ContactPoint& x = narrow_[k];
        touches_.push_back({n, pair.contact, a, b, 0.5 * (x.on_a + x.on_b), x.n, x.gap, (static_cast<std::int64_t>(n) << 32) + x.feature, x.weight});
    }
}

void Contacts::add(int n, double margin, bool nearest) {
    append(n, narrow_.find(placed_[scene_.pairs[n].a], placed_[scene_.pairs[n].b], margin, nearest));
}

void Contacts::add_soft(int n) { append(n, narrow_.find_soft(placed_[scene_.pairs[n].a], placed_[scene_.pairs[n].b])); }

void Contacts::meet(int n, bool rigid) {
    const ContactPair& pair = scene_.pairs[n];
    if (scene_.laws[pair.contact].rigid != rigid) return;
    const double margin = swept_[pair.a] + swept_[pair.b];
    if (apart(pair, margin)) return;
    rigid ? add(n, margin) : add_soft(n);
}

// Shapes in the order of where they begin along x, nearly sorted from the last time
void Contacts::sweep(bool rigid, double h, double acceleration) {
    for (std::size_t k = 0; k < placed_.size(); ++k) swept_[k] = h > 0 ? h * speed_bound(static_cast<int>(k)) + h * h * acceleration : 0;
    if (pair_of_.empty()) {
        for (std::size_t n = 0; n < scene_.pairs.size(); ++n) meet(static_cast<int>(n), rigid);
        return;
    }
    for (int n : endless_) meet(n, rigid);
    const auto reach = [&](int k) { return placed_[k].shape->reach + swept_[k]; };
    for (Seen& seen : order_) seen.from = placed_[seen.shape].middle[0] - reach(seen.shape);
    for (std::size_t k = 1; k < order_.size(); ++k)
        for (std::size_t j = k; j > 0 && order_[j].from < order_[j - 1].from; --j) std::swap(order_[j], order_[j - 1]);
    for (std::size_t k = 0; k < order_.size(); ++k) {
        const int one = order_[k].shape;
        const double end = placed_[one].middle[0] + reach(one);
        for (std::size_t j = k + 1; j < order_.size() && order_[j].from <= end; ++j) {
            const int pair = pair_of_[one * placed_.size() + order_[j].shape];
            if (pair >= 0) meet(pair, rigid);
        }
    }
}

const std::vector<Spot>& Contacts::find(bool rigid, double h, double acceleration) {
    touches_.clear();
    place();
    sweep(rigid, h, acceleration);
    return touches_;
}

Vec3 Contacts::force(const Spot& touch, double& normal, double& energy) const {
    const ContactLaw& law = scene_.laws[touch.law];
    normal = energy = 0;
    if (!(touch.gap < 0)) return Vec3::Zero();
    const Vec3 u = rate(touch);
    const double depth = -touch.gap, closing = -touch.n.dot(u);
    const double elastic = touch.weight * law.k * (law.exponent == 1 ? depth : law.exponent == 1.5 ? depth * std::sqrt(depth) : std::pow(depth, law.exponent));
    energy = elastic * depth / (law.exponent + 1);
    const double damped = elastic * (1 + law.chi * closing) + touch.weight * law.c * closing;
    normal = touch.weight > 0 ? std::max(0.0, damped) : std::min(0.0, damped);
    if (law.friction == 0) return normal * touch.n;
    const Vec3 slip = u + closing * touch.n;
    return normal * (touch.n - law.friction / std::sqrt(slip.squaredNorm() + law.creep * law.creep) * slip);
}

// How fast the energy k d^(n+1) / (n+1) of a point grows
double Contacts::stored_rate(const Spot& touch, double energy, const Vec3& u) const {
    return touch.gap < 0 ? (law(touch).exponent + 1) * energy / touch.gap * touch.n.dot(u) : 0;
}

double Contacts::push(Pushes& out) {
    double power = 0;
    for (const Spot& touch : find(false)) {
        double normal, energy;
        const Vec3 f = force(touch, normal, energy), u = rate(touch);
        out[touch.a].f -= f, out[touch.a].t -= (touch.p - placement_.bodies()[touch.a].r).cross(f);
        out[touch.b].f += f, out[touch.b].t += (touch.p - placement_.bodies()[touch.b].r).cross(f);
        power += f.dot(u);
        if (stores(scene_, touch)) power += stored_rate(touch, energy, u);
    }
    return power;
}

double Contacts::push_told(Pushes& out) const {
    if (scene_.wrenches < 0) return 0;
    const Jet* told = placement_.auxiliaries() + scene_.wrenches;
    double power = 0;
    for (int b : scene_.pushed) {
        const Vec3 f(told[0].f, told[1].f, told[2].f), t(told[3].f, told[4].f, told[5].f);
        out[b].f += f, out[b].t += t;
        power += f.dot(placement_.velocities()[b].v) + t.dot(placement_.velocities()[b].w);
        told += 6;
    }
    return power;
}

double Contacts::stored() {
    double sum = 0, normal, energy;
    for (const Spot& touch : find(false)) force(touch, normal, energy), sum += stores(scene_, touch) ? energy : 0;
    return sum;
}

void Contacts::within(double margin, std::vector<Spot>& out) {
    touches_.clear();
    place();
    for (std::size_t n = 0; n < scene_.pairs.size(); ++n)
        if (!apart(scene_.pairs[n], margin)) add(static_cast<int>(n), margin);
    out = touches_;
}

Vec3 Contacts::point_acceleration(int n, const Vec3& p, const double* slope) const {
    if (n == system_.ground()) return Vec3::Zero();
    using Map3 = Eigen::Map<const Vec3>;
    const double* of = slope + body_size * n;
    const Vec3 arm = p - placement_.bodies()[n].r, &w = placement_.velocities()[n].w;
    return Map3(of + at_v) + Vec3(Map3(of + at_w)).cross(arm) + w.cross(w.cross(arm));
}

// Seen from the first body, which may turn; shapes that are not round also come closer by turning
double Contacts::time_bound(const ContactPair& pair, const double* slope) const {
    const PlacedShape &a = placed_[pair.a], &b = placed_[pair.b];
    const int of_a = a.shape->body, of_b = b.shape->body;
    const Vec3 &wa = placement_.velocities()[of_a].w, &wb = placement_.velocities()[of_b].w;
    const bool plane = a.shape->kind == ShapeKind::Plane, balls = a.shape->kind == ShapeKind::Sphere && b.shape->kind == ShapeKind::Sphere;
    const Vec3 v = point_rate(of_b, b.middle) - point_rate(of_a, b.middle), n = a.R.col(2);
    const double turning = b.shape->kind == ShapeKind::Sphere ? 0 : (wb - wa).norm() * b.shape->reach;
    const double speed = (plane ? std::abs(n.dot(v)) : v.norm()) + turning;
    double curved = 0;
    if (slope) {
        const Vec3 q = point_acceleration(of_b, b.middle, slope) - point_acceleration(of_a, b.middle, slope);
        curved = (plane ? std::abs(n.dot(q)) : q.norm()) + 2 * wa.norm() * v.norm() + turning * ((wb - wa).norm() + wa.norm());
    }
    const double way = std::max(0.0, distance_bound(pair)) + 0.25 * std::min(a.shape->thin, b.shape->thin);
    const double root = speed + std::sqrt(speed * speed + 2 * curved * way);
    double time = root > 0 ? 2 * way / root : HUGE_VAL;
    if (balls && speed > 0) {
        const Vec3 d = b.middle - a.middle;
        const double nearest = -d.dot(v) / v.squaredNorm(), reach = a.shape->reach + b.shape->reach;
        if (nearest > 0 && (d + nearest * v).squaredNorm() < reach * reach && d.squaredNorm() > reach * reach) time = std::min(time, nearest);
    }
    return time;
}

// Most pairs are too far apart to matter, by the spheres around them
double Contacts::longest_step(const double* slope, double longest) {
    place();
    for (std::size_t k = 0; k < placed_.size(); ++k) {
        const int body = scene_.shapes[k].body;
        speeds_[k] = point_rate(body, placed_[k].middle).norm();
        curves_[k] = slope ? point_acceleration(body, placed_[k].middle, slope).norm() : 0;
    }
    for (const ContactPair& pair : scene_.pairs) {
        const PlacedShape &a = placed_[pair.a], &b = placed_[pair.b];
        if (a.shape->kind != ShapeKind::Plane) {
            const double way = longest * (speeds_[pair.a] + speeds_[pair.b] + 0.5 * longest * (curves_[pair.a] + curves_[pair.b]));
            const double reach = a.shape->reach + b.shape->reach + way;
            if ((b.middle - a.middle).squaredNorm() > reach * reach) continue;
        }
        longest = std::min(longest, time_bound(pair, slope));
    }
    return longest;
}

void Contacts::sum(std::vector<ContactSum>& out) {
    out.assign(scene_.laws.size(), ContactSum{});
    place();
    for (std::size_t n = 0; n < scene_.pairs.size(); ++n) {
        const ContactPair& pair = scene_.pairs[n];
        ContactSum& sum = out[pair.contact];
        const bool overlap = !apart(pair, 0);
        if (!overlap && distance_bound(pair) >= sum.gap) continue;
        touches_.clear();
        const bool soft = !scene_.laws[pair.contact].rigid;
        if (overlap && soft) add_soft(static_cast<int>(n));
        const bool apart = touches_.empty();
        if (apart) add(static_cast<int>(n), std::max(0.0, sum.gap), true);
        for (const Spot& touch : touches_) {
            sum.gap = std::min(sum.gap, soft && apart ? std::max(0.0, touch.gap) : touch.gap);
            if (!soft || apart || !(touch.gap < 0)) continue;
            double normal, energy;
            const Vec3 f = force(touch, normal, energy), u = rate(touch), slip = u - touch.n.dot(u) * touch.n;
            sum.normal += normal, sum.points += 1, sum.force += pair.sign * f, sum.centre += normal * touch.p;
            sum.sliding += slip.norm() > law(touch).creep, sum.power += f.dot(u);
            sum.lost -= f.dot(u);
            if (!stores(scene_, touch)) continue;
            sum.stored += energy, sum.lost -= stored_rate(touch, energy, u);
        }
    }
    for (ContactSum& sum : out)
        if (sum.normal > 0) sum.centre /= sum.normal;
}

}  // namespace vincolo
