#include "impact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "complementarity.hpp"

namespace vincolo {

namespace {

constexpr int most_passes = 200;
constexpr double not_closing = 1e-3;  // of the speed of rest: slower, a gap does not close

}  // namespace

void Impact::gather(const std::vector<Touch>& touches) {
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
    W_ = blow_.respond(quantities);
    for (std::size_t k = 0; k < touches.size(); ++k) {
        W_.row(k) *= system_.stops[touches[k].stop].sign;
        W_.col(k) *= system_.stops[touches[k].stop].sign;
    }
}

// What is approached; and what touches without coming back from impacts. What would come back waits until it is approached: so a
// blow runs through a row of balls, ball by ball.
bool Impact::included(const Touch& touch, bool all) const {
    const Stop& stop = system_.stops[touch.stop];
    return all || stop.restitution == 0 || touch.rate < -not_closing * stop.rest;
}

// v+ = v- + W p; gaps: v+ + e v- >= 0, p >= 0, one of them zero; along them |p_t| <= grip p, against v+. Returns the energy put in.
double Impact::solve(const std::vector<int>& hit, const std::vector<int>& rubbed, const std::vector<Touch>& touches, double share,
                     Eigen::VectorXd& impulses) {
    const int n = static_cast<int>(hit.size()), r = static_cast<int>(rubbed.size()), last = n + 2 * r;
    const auto at = [&](int i) { return i < n ? hit[i] : static_cast<int>(touches.size()) + rubbed[i - n]; };
    Eigen::MatrixXd W(n + r, n + r), A = Eigen::MatrixXd::Zero(last + r, last + r);
    Eigen::VectorXd before(n + r), q = Eigen::VectorXd::Zero(last + r), z;
    for (int i = 0; i < n + r; ++i)
        for (int j = 0; j < n + r; ++j) W(i, j) = W_(at(i), at(j));
    for (int i = 0; i < n; ++i) {
        const Stop& stop = system_.stops[touches[hit[i]].stop];
        before[i] = touches[hit[i]].rate;
        const double back = -share * stop.restitution * before[i];  // what would come back slower than this stays
        q[i] = before[i] - (back > stop.rest ? back : 0);
    }
    for (int k = 0; k < r; ++k) before[n + k] = q[n + k] = rubbed_[rubbed[k]].rate, q[n + r + k] = -q[n + k];
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
    if (!complementary(A, q, z)) return std::numeric_limits<double>::quiet_NaN();
    impulses = z.head(n + r);
    impulses.tail(r) -= z.segment(n + r, r);
    return 0.5 * impulses.dot(2 * before + W * impulses);
}

// Newton's restitution may put energy in where friction turns the motion around (Kane 1984): then so much of it is taken back
bool Impact::pass(double* y, std::vector<Touch>& touches, bool all) {
    std::vector<int> hit, rubbed;
    double lost = 0;
    for (std::size_t k = 0; k < touches.size(); ++k)
        if (included(touches[k], all) && blow_.moves(static_cast<int>(k))) hit.push_back(static_cast<int>(k));
    for (std::size_t k = 0; k < rubbed_.size(); ++k)
        if (std::find(hit.begin(), hit.end(), rubbed_[k].touch) != hit.end() && blow_.moves(static_cast<int>(touches.size() + k)))
            rubbed.push_back(static_cast<int>(k));
    Eigen::VectorXd p;
    for (int i : hit) lost += std::abs(touches[i].rate) * std::abs(touches[i].rate) / W_(i, i);
    for (double share = all ? 0 : 1; share >= 0; share -= 0.125) {
        const double energy = solve(hit, rubbed, touches, share, p);
        if (std::isnan(energy)) return false;
        if (energy <= 1e-12 * lost) break;
    }
    for (std::size_t i = 0; i < hit.size() + rubbed.size(); ++i) {
        const bool gap = i < hit.size();
        const int k = gap ? hit[i] : static_cast<int>(touches.size()) + rubbed[i - hit.size()];
        if (p[i] == 0) continue;
        blow_.give(y, k, gap ? system_.stops[touches[k].stop].sign * p[i] : p[i]);
        (gap ? touches[k].impulse : rubbed_[rubbed[i - hit.size()]].impulse) += p[i];
        for (std::size_t j = 0; j < touches.size(); ++j) touches[j].rate += W_(j, k) * p[i];
        for (std::size_t j = 0; j < rubbed_.size(); ++j) rubbed_[j].rate += W_(touches.size() + j, k) * p[i];
    }
    return true;
}

double Impact::of_rub(int rub) const {
    const auto found = std::find_if(rubbed_.begin(), rubbed_.end(), [&](const Rubbed& r) { return r.rub == rub; });
    return found == rubbed_.end() ? 0 : found->impulse;
}

bool Impact::resolve(double* y, std::vector<Touch>& touches) {
    const auto approached = [&] {
        return std::any_of(touches.begin(), touches.end(), [&](const Touch& touch) { return touch.rate < -not_closing * system_.stops[touch.stop].rest; });
    };
    blocked_ = -1;
    rubbed_.clear();
    if (!approached()) return true;
    gather(touches);
    for (Touch& touch : touches) touch.met = touch.rate < 0;
    for (int k = 0; k <= most_passes && approached(); ++k)
        if (!pass(y, touches, k == most_passes)) break;
    for (const Touch& touch : touches)
        if (touch.rate < -not_closing * system_.stops[touch.stop].rest) blocked_ = touch.stop;
    return blocked_ < 0;
}

}  // namespace vincolo
