#include "impact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "complementarity.hpp"
#include "formulations/factors.hpp"

namespace vincolo {

namespace {

constexpr int most_passes = 200;
constexpr int most_rounds = 20000;     // of friction in joints
constexpr double settled = 1e-13;     // of the largest impulse: what may still change in a round
constexpr double not_closing = 1e-3;  // of the speed of rest: slower, a gap does not close

}  // namespace

void Impact::gather(double t, const std::vector<Touch>& touches) {
    std::vector<int> quantities;
    rubbed_.clear();
    for (const Touch& touch : touches) quantities.push_back(system_.rows[system_.stops[touch.stop].row].quantity);
    for (std::size_t r = 0; r < system_.rubs.size(); ++r)
        for (std::size_t k = 0; k < touches.size(); ++k) {
            if (system_.rubs[r].stop != touches[k].stop) continue;
            double value, rate;
            dynamics_.quantities.read(system_.rows[system_.rubs[r].rows[0]].quantity, value, rate);
            rubbed_.push_back({static_cast<int>(r), static_cast<int>(k), rate, 0});
            quantities.push_back(system_.rows[system_.rubs[r].rows[0]].quantity);
        }
    gather_joints(t, quantities);
    W_ = blow_.respond(quantities);
    for (std::size_t k = 0; k < touches.size(); ++k) {
        W_.row(k) *= system_.stops[touches[k].stop].sign;
        W_.col(k) *= system_.stops[touches[k].stop].sign;
    }
}

void Impact::gather_joints(double t, std::vector<int>& quantities) {
    pressed_.clear();
    if (!dynamics_.reactive) return;
    for (std::size_t r = 0; r < system_.rubs.size(); ++r) {
        const Rub& rub = system_.rubs[r];
        if (rub.stop >= 0 || !(rub.grip > 0)) continue;
        Pressed found{static_cast<int>(r), static_cast<int>(quantities.size()), Vec3::Zero()};
        for (int k = 0; k < rub.parts(); ++k) {
            double value;
            quantities.push_back(system_.rows[rub.rows[k]].quantity);
            dynamics_.quantities.read(quantities.back(), value, found.rate[k]);
        }
        pressed_.push_back(found);
    }
    if (pressed_.empty()) return;
    dynamics_.reactive->take_units(quantities);
    const Vector none = Vector::Zero(quantities.size());
    dynamics_.reactive->load_impulses(none.data());
    for (Pressed& own : pressed_) own.none = dynamics_.reactive->value(system_.rubs[own.rub].bound, t);
}

Impact::Vector Impact::rates(const std::vector<Touch>& touches) const {
    Vector found(W_.rows());
    int at = 0;
    for (const Touch& touch : touches) found[at++] = touch.rate;
    for (const Rubbed& own : rubbed_) found[at++] = own.rate;
    for (const Pressed& own : pressed_)
        for (int k = 0; k < system_.rubs[own.rub].parts(); ++k) found[at++] = own.rate[k];
    return found;
}

// What is approached; and what touches without coming back from impacts. What would come back waits until it is approached: so a
// blow runs through a row of balls, ball by ball.
bool Impact::included(const Touch& touch, bool all) const {
    const Stop& stop = system_.stops[touch.stop];
    return all || stop.restitution == 0 || touch.rate < -not_closing * stop.rest;
}

// v+ = v- + W p; gaps: v+ + e v- >= 0, p >= 0, one of them zero; along them |p_t| <= grip p, against v+. `now`: v- with what joints rub
bool Impact::solve(const std::vector<int>& hit, const std::vector<int>& rubbed, const std::vector<Touch>& touches, double share, const Vector& now,
                   Vector& impulses) {
    const int n = static_cast<int>(hit.size()), r = static_cast<int>(rubbed.size()), last = n + 2 * r;
    const auto at = [&](int i) { return i < n ? hit[i] : static_cast<int>(touches.size()) + rubbed[i - n]; };
    Eigen::MatrixXd W(n + r, n + r), A = Eigen::MatrixXd::Zero(last + r, last + r);
    Vector q = Vector::Zero(last + r), z;
    for (int i = 0; i < n + r; ++i)
        for (int j = 0; j < n + r; ++j) W(i, j) = W_(at(i), at(j));
    for (int i = 0; i < n; ++i) {
        const Stop& stop = system_.stops[touches[hit[i]].stop];
        const double back = -share * stop.restitution * touches[hit[i]].rate;  // what would come back slower than this stays
        q[i] = now[hit[i]] - (back > stop.rest ? back : 0);
    }
    for (int k = 0; k < r; ++k) q[n + k] = now[at(n + k)], q[n + r + k] = -q[n + k];
    A.topLeftCorner(n + r, n + r) = W;
    A.block(0, n + r, n + r, r) = -W.rightCols(r);
    A.block(n + r, 0, r, n + r) = -W.bottomRows(r);
    A.block(n + r, n + r, r, r) = W.bottomRightCorner(r, r);
    const double usual = n + r > 0 ? W.diagonal().maxCoeff() : 1;
    for (int k = 0; k < r; ++k) {
        const Rubbed& own = rubbed_[rubbed[k]];
        A(n + k, last + k) = A(n + r + k, last + k) = usual;  // the third one in a measure of speed
        A(last + k, n + k) = A(last + k, n + r + k) = -usual;
        for (int i = 0; i < n; ++i)
            if (hit[i] == own.touch) A(last + k, i) = usual * system_.rubs[own.rub].grip;
    }
    if (!complementary(A, q, z)) return false;
    for (int i = 0; i < n + r; ++i) impulses[at(i)] = i < n ? z[i] : z[i] - z[i + r];
    return true;
}

// One round of friction in joints: against v+, at most the bound that the impulses of now press it to. Returns the largest change.
double Impact::rub_joints(double t, const std::vector<Touch>& touches, const Vector& before, Vector& impulses) {
    Vector v = before + W_ * impulses, along = impulses;
    for (std::size_t k = 0; k < touches.size(); ++k) along[k] *= system_.stops[touches[k].stop].sign;
    dynamics_.reactive->load_impulses(along.data());
    double change = 0;
    for (const Pressed& own : pressed_) {
        const Rub& rub = system_.rubs[own.rub];
        const double most = std::max(0.0, rub.grip * (dynamics_.reactive->value(rub.bound, t) - own.none));
        double mobility = 0;
        for (int k = 0; k < rub.parts(); ++k)
            if (blow_.moves(own.first + k)) mobility += W_(own.first + k, own.first + k);
        if (!(mobility > 0)) continue;
        Vec3 p = Vec3::Zero();
        for (int k = 0; k < rub.parts(); ++k)
            if (blow_.moves(own.first + k)) p[k] = impulses[own.first + k] - v[own.first + k] / mobility;
        if (p.norm() > most) p *= most / p.norm();
        for (int k = 0; k < rub.parts(); ++k) {
            const double by = p[k] - impulses[own.first + k];
            change = std::max(change, std::abs(by));
            impulses[own.first + k] = p[k];
            v += by * W_.col(own.first + k);
        }
    }
    return change;
}

// Of impulses in a round: a share of the largest, or what rounding of the rates makes of them where the blow is small beside the motion
double Impact::least_change(const Vector& before, const Vector& impulses) const {
    double rounding = 0;
    for (int k = 0; k < before.size(); ++k)
        if (blow_.moves(k)) rounding = std::max(rounding, 16 * std::numeric_limits<double>::epsilon() * std::abs(before[k]) / W_(k, k));
    return std::max(settled * impulses.cwiseAbs().maxCoeff(), rounding);
}

// Stops together, then joints one by one, until nothing changes: what rubs is pressed by the impulses that it takes part in
bool Impact::solve_all(double t, const std::vector<int>& hit, const std::vector<int>& rubbed, const std::vector<Touch>& touches, double share,
                       Vector& impulses) {
    const Vector before = rates(touches);
    impulses = Vector::Zero(W_.rows());
    const int last = static_cast<int>(touches.size() + rubbed_.size()), joints = static_cast<int>(W_.rows()) - last;
    for (int round = 0; round < most_rounds; ++round) {
        const Vector now = before + W_.rightCols(joints) * impulses.tail(joints);
        if (!solve(hit, rubbed, touches, share, now, impulses)) return false;
        if (pressed_.empty() || rub_joints(t, touches, before, impulses) <= least_change(before, impulses)) return true;
    }
    return false;
}

// Newton's restitution may put energy in where friction turns the motion around (Kane 1984): then so much of it is taken back; and where
// friction on the stop or in a joint that jams grips the more, the more the stop pushes, so that what it asks for cannot be
bool Impact::pass(double t, double* y, std::vector<Touch>& touches, bool all) {
    std::vector<int> hit, rubbed;
    double lost = 0;
    for (std::size_t k = 0; k < touches.size(); ++k)
        if (included(touches[k], all) && blow_.moves(static_cast<int>(k))) hit.push_back(static_cast<int>(k));
    for (std::size_t k = 0; k < rubbed_.size(); ++k)
        if (std::find(hit.begin(), hit.end(), rubbed_[k].touch) != hit.end() && blow_.moves(static_cast<int>(touches.size() + k)))
            rubbed.push_back(static_cast<int>(k));
    Vector p;
    for (int i : hit) lost += std::abs(touches[i].rate) * std::abs(touches[i].rate) / W_(i, i);
    for (double share = all ? 0 : 1; share >= 0; share -= 0.125) {
        if (!solve_all(t, hit, rubbed, touches, share, p)) {
            if (!(share > 0)) return false;
            continue;
        }
        if (p.dot(rates(touches)) + 0.5 * p.dot(W_ * p) <= 1e-12 * lost) break;
    }
    give(y, p, touches);
    return true;
}

void Impact::give(double* y, const Vector& p, std::vector<Touch>& touches) {
    const Vector change = W_ * p;
    int at = 0;
    for (Touch& touch : touches) {
        if (p[at] != 0) blow_.give(y, at, system_.stops[touch.stop].sign * p[at]);
        touch.impulse += p[at], touch.rate += change[at], ++at;
    }
    for (Rubbed& own : rubbed_) {
        if (p[at] != 0) blow_.give(y, at, p[at]);
        own.impulse += p[at], own.rate += change[at], ++at;
    }
    for (Pressed& own : pressed_)
        for (int k = 0; k < system_.rubs[own.rub].parts(); ++k, ++at) {
            if (p[at] != 0) blow_.give(y, at, p[at]);
            own.impulse[k] += p[at], own.rate[k] += change[at];
        }
}

Vec3 Impact::of_rub(int rub) const {
    for (const Rubbed& own : rubbed_)
        if (own.rub == rub) return Vec3(own.impulse, 0, 0);
    for (const Pressed& own : pressed_)
        if (own.rub == rub) return own.impulse;
    return Vec3::Zero();
}

bool Impact::resolve(double t, double* y, std::vector<Touch>& touches) {
    const auto approached = [&] {
        return std::any_of(touches.begin(), touches.end(), [&](const Touch& touch) { return touch.rate < -not_closing * system_.stops[touch.stop].rest; });
    };
    blocked_ = -1;
    rubbed_.clear(), pressed_.clear();
    if (!approached()) return true;
    gather(t, touches);
    for (Touch& touch : touches) touch.met = touch.rate < 0;
    for (int k = 0; k <= most_passes && approached(); ++k)
        if (!pass(t, y, touches, k == most_passes)) break;
    for (const Touch& touch : touches)
        if (touch.rate < -not_closing * system_.stops[touch.stop].rest) blocked_ = touch.stop;
    return blocked_ < 0;
}

// Hits together, then joints one by one, until nothing changes
bool Impact::solve_hits(double t, const std::vector<Hit>& hits, const Vector& before, Vector& impulses) {
    const int n = static_cast<int>(hits.size()), joints = static_cast<int>(W_.rows()) - n;
    Matrix A = W_.topLeftCorner(n, n);
    for (int k = 0; k < n; ++k)
        if (hits[k].given) A.row(k).setZero(), A(k, k) = 1;  // its impulse is known
    DoubleQR factors;  // several hits along one direction share what it takes
    factors.resize(n, n);
    factors.factor(A, n * std::numeric_limits<double>::epsilon());
    Vector wanted(n), found(n);
    impulses = Vector::Zero(W_.rows());
    for (int round = 0; round < most_rounds; ++round) {
        wanted = -before.head(n) - W_.topRightCorner(n, joints) * impulses.tail(joints);
        for (int k = 0; k < n; ++k) wanted[k] = hits[k].given ? hits[k].impulse : wanted[k] + hits[k].rate;
        factors.least_norm(wanted, found);
        impulses.head(n) = found;
        if (pressed_.empty() || rub_joints(t, {}, before, impulses) <= least_change(before, impulses)) return true;
    }
    return false;
}

int Impact::strike(double t, double* y, std::vector<Hit>& hits) {
    const int n = static_cast<int>(hits.size());
    rubbed_.clear(), pressed_.clear();
    if (n == 0) return -1;
    std::vector<int> quantities;
    for (const Hit& hit : hits) quantities.push_back(hit.quantity);
    dynamics_.placement.load_velocities(y);
    gather_joints(t, quantities);
    W_ = blow_.respond(quantities);
    Vector before(W_.rows()), p;
    double value;
    for (std::size_t k = 0; k < quantities.size(); ++k) dynamics_.quantities.read(quantities[k], value, before[k]);
    for (int k = 0; k < n; ++k)
        if (!hits[k].given && !blow_.moves(k)) return k;
    if (!solve_hits(t, hits, before, p)) return no_answer;
    for (int k = 0; k < p.size(); ++k)
        if (p[k] != 0) blow_.give(y, k, p[k]);
    for (int k = 0; k < n; ++k) hits[k].impulse = p[k];
    for (Pressed& own : pressed_)
        for (int k = 0; k < system_.rubs[own.rub].parts(); ++k) own.impulse[k] = p[own.first + k];
    return -1;
}

}  // namespace vincolo
