#include "dynamics.hpp"

#include <algorithm>
#include <limits>

namespace vincolo {

void Dynamics::select_geometric(double t, const double* y) {
    choose(t, y, candidates);
    // a drive near its dead centre gives way to one that says the same and is not
    double largest = 0;
    bool weak = false;
    wanted_ = candidates;
    for (const int pass : {0, 1})
        for (std::size_t r = 0; r < weights_.size() && drives_ > 1; ++r) {
            if (!system_.rows[r].drive || !candidates[r]) continue;
            if (pass == 0) largest = std::max(largest, weights_[r]);
            else if (weights_[r] < 0.1 * largest) wanted_[r] = 0, weak = weak || independent_[r];
        }
    if (weak) {
        former_choice_ = independent_;
        choose(t, y, wanted_);
        if (std::count(independent_.begin(), independent_.end(), 1) < std::count(former_choice_.begin(), former_choice_.end(), 1))
            independent_ = former_choice_;
    }
    activate(independent_);
}

void Dynamics::choose(double t, const double* y, const std::vector<char>& from) {
    activate(from);
    load_positions(t, y);
    evaluate_drives(t);
    assemble_rows(unit_inertia.data());
    selector_.assemble(set, unit_mass.data());
    selector_.select(set, dependent_share, chosen_);
    for (std::size_t r = 0; r < independent_.size(); ++r) {
        independent_[r] = from[r] && chosen_[system_.rows[r].block][position[r]] != 0;
        weights_[r] = from[r] ? selector_.diagonal()[system_.rows[r].block][position[r]] : 0;
    }
}

void Dynamics::select_if_richer(double t, const double* y) {
    former_ = taken;
    const auto before = std::count(former_.begin(), former_.end(), 1);
    select_geometric(t, y);
    const auto now = std::count(taken.begin(), taken.end(), 1);
    activate(former_);
    if (now > before) select(t, y);
}

void Dynamics::select(double t, const double* y) {
    ++selections;
    select_geometric(t, y);
    for (Column& column : share_) column.clear();
    place(t, y);
    std::fill(low_.begin(), low_.end(), 0);
    for (std::size_t k = 0; k < best_.size(); ++k)
        for (int r = 0; r < set.blocks[k].n; ++r) {
            best_[k][r] = solver.pivots()[k][r] / solver.diagonal()[k][r];
            share_[k][r] = singular_share * best_[k][r];
        }
    for (std::size_t k = 0; k < root_.size(); ++k) best_root_[k] = root_[k] = 0;  // no trend yet
    crossing = std::numeric_limits<double>::infinity();
}

double Dynamics::foresee(double t) {
    if (foreseen_at_ == factorisations) return foreseen_;  // nothing has moved since
    double soonest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < root_.size(); ++k) {
        const double root = std::sqrt(std::max(0.0, solver.left(set, static_cast<int>(k), inverse_mass.data())));
        root_now_[k] = root;
        if (root < root_[k] && root < 0.5 * best_root_[k]) soonest = std::min(soonest, t + root * (t - watched_) / (root_[k] - root));
    }
    foreseen_at_ = factorisations;
    return foreseen_ = soonest;
}

bool Dynamics::watch(double t) {
    bool renew = false;
    crossing = foresee(t);
    lowest_now = nearness = 1;
    for (std::size_t k = 0; k < best_.size(); ++k) {
        bool low = false;
        for (int r = 0; r < set.blocks[k].n; ++r) {
            const double share = solver.pivots()[k][r] / solver.diagonal()[k][r];
            lowest_now = std::min(lowest_now, share / best_[k][r]);
            lowest_share = std::min(lowest_share, lowest_now);
            low = low || share < 1e-6 * best_[k][r];
            if (share > best_[k][r]) {
                best_[k][r] = share;
                share_[k][r] = singular_share * share;
            }
        }
        low_[k] = low ? low_[k] + 1 : 0;
        root_[k] = root_now_[k];
        best_root_[k] = std::max(best_root_[k], root_[k]);
        nearness = std::min(nearness, root_[k] / best_root_[k]);
        renew = renew || low_[k] > 10;
    }
    watched_ = t;
    // rows left out must follow from the others; if not, the choice no longer fits
    double speed = 0;
    for (const BodyWork& body : bodies)
        speed = std::max(speed, std::max(body.v.cwiseAbs().maxCoeff(), scale_ * body.w.cwiseAbs().maxCoeff()));
    for (std::size_t r = 0; r < taken.size() && !renew; ++r) {
        if (taken[r] || !candidates[r]) continue;
        double value, rate;
        open_row(system_.rows[r], t, value, rate);
        renew = std::abs(value) > 1e-6 * scale_ || std::abs(rate) > 1e-5 * (speed + 1e-3);
    }
    return renew;
}

}  // namespace vincolo
