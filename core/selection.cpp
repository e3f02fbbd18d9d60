#include "selection.hpp"

#include <algorithm>
#include <limits>

namespace vincolo {

void Dynamics::select_geometric(double t, const double* y) {
    choose(t, y, candidates);
    if (drives_ < 2) return;
    // a drive near its dead centre gives way to one that says the same and is not
    double largest = 0;
    bool weak = false;
    wanted_ = candidates;
    for (const int pass : {0, 1})
        for (std::size_t r = 0; r < weights_.size(); ++r) {
            if (!system_.rows[r].drive || !candidates[r]) continue;
            if (pass == 0) largest = std::max(largest, weights_[r]);
            else if (weights_[r] < 0.1 * largest) wanted_[r] = 0, weak = weak || independent_[r];
        }
    if (!weak) return;
    former_choice_ = independent_;
    choose(t, y, wanted_);
    if (std::count(independent_.begin(), independent_.end(), 1) >= std::count(former_choice_.begin(), former_choice_.end(), 1)) return;
    independent_ = former_choice_;
    activate(independent_);
}

// Rotations of a body are measured with its own largest lever where it now stands, so that neither the drawn size nor the size
// of other bodies decides whether rows depend on each other. Ratios beyond a thousand would only cost digits.
void Dynamics::measure_lengths() {
    std::fill(lengths_.begin(), lengths_.end(), 0);
    const auto reach = [&](int body, double length) { lengths_[body] = std::max(lengths_[body], length); };
    for (const Row& row : system_.rows) {
        const Quantity& q = system_.quantities[row.quantity];
        for (int n = q.first; n < q.first + q.count; ++n) {
            const Measure& m = system_.measures[system_.terms[n].measure];
            if (m.kind == MeasureKind::Cosine || m.kind == MeasureKind::Angle) continue;
            const int a = system_.frames[m.a].body, b = system_.frames[m.b].body;
            const bool carried = m.kind != MeasureKind::World && m.kind != MeasureKind::Pin && m.kind != MeasureKind::Distance;
            reach(a, std::max(frames[m.a].s.norm(), carried ? (frames[m.b].p - bodies[a].r).norm() : 0));
            reach(b, std::max(frames[m.b].s.norm(), carried ? (frames[m.a].p - bodies[b].r).norm() : 0));  // alike for both
        }
    }
    scale_ = drawn_;
    for (int b = 0; b < system_.ground(); ++b) scale_ = std::max(scale_, lengths_[b]);
    for (int b = 0; b < system_.ground(); ++b) {
        const double length = lengths_[b] > 0 ? std::max(lengths_[b], 1e-3 * scale_) : scale_;
        own_inertia[b] = Mat3::Identity() / (length * length);
    }
}

// Rows that are apart from the ones before by more than a tolerance, into independent_; how many
int Dynamics::pass(const std::vector<char>& from, double tolerance) {
    int count = 0;
    selector_.assemble(set, unit_mass.data());
    selector_.select(set, tolerance, chosen_);
    for (std::size_t r = 0; r < independent_.size(); ++r) {
        independent_[r] = from[r] && chosen_[system_.rows[r].block][position[r]] != 0;
        weights_[r] = from[r] ? selector_.diagonal()[system_.rows[r].block][position[r]] : 0;
        count += independent_[r];
    }
    return count;
}

// Independent rows among those of `from`, into independent_ and in use. Rows far apart from each other are taken if they
// suffice: forces in rows that are nearly dependent are large and say little.
void Dynamics::choose(double t, const double* y, const std::vector<char>& from) {
    place_choice(t, y, from);
    const int most = pass(from, dependent_share);
    bool enough = false;
    for (double tolerance : {1e-2, 1e-4, 1e-6}) {
        enough = pass(from, tolerance) == most;
        if (enough) break;
    }
    if (!enough) pass(from, dependent_share);
    add_overlooked(from);
    weakest_chosen = weakest_pivot();
}

// Near a singular position a row can be dependent but for a trace, and hold the mechanism by it. What is left out is looked at
// again, by solving for it instead of by pivots, and the row that is most apart is added.
void Dynamics::add_overlooked(const std::vector<char>& from) {
    for (;;) {
        activate(independent_);
        assemble_rows(own_inertia.data());
        factor_choice();
        bool any = false;
        clear_sum();
        for (std::size_t r = 0; r < from.size(); ++r)
            if (from[r] && !independent_[r] && weights_[r] > 0)
                add_to_sum(static_cast<int>(r), std::cos(1.7 * static_cast<double>(r) + 0.3) / std::sqrt(weights_[r])), any = true;
        if (!any || !(apart() > 0.01 * trace)) return;
        int best = -1;
        double largest = trace;
        for (std::size_t r = 0; r < from.size(); ++r) {
            if (!from[r] || independent_[r] || !(weights_[r] > 0)) continue;
            clear_sum();
            add_to_sum(static_cast<int>(r), 1 / std::sqrt(weights_[r]));
            const double share = apart();
            if (share > largest) best = static_cast<int>(r), largest = share;
        }
        if (best < 0) return;
        independent_[best] = 1;
    }
}

void Dynamics::clear_sum() {
    for (BodyWork& body : bodies) body.total_v.setZero(), body.total_w.setZero();
}

// total += c J_r^T, also of rows not in use
void Dynamics::add_to_sum(int r, double c) {
    const Quantity& q = system_.quantities[system_.rows[r].quantity];
    for (int n = q.first; n < q.first + q.count; ++n) {
        const Measure& m = system_.measures[system_.terms[n].measure];
        const Gradient g = q.formula >= 0 ? term_gradients_[n] : gradient(m, frames[m.a], frames[m.b]);
        BodyWork &a = bodies[system_.frames[m.a].body], &b = bodies[system_.frames[m.b].body];
        a.total_v -= c * factor[n] * g.lin;
        a.total_w += c * factor[n] * g.on_a;
        b.total_v += c * factor[n] * g.lin;
        b.total_w += c * factor[n] * g.on_b;
    }
}

// Square of what the rows in use leave of the sum, in the metric of the geometry and with its factor
double Dynamics::apart() {
    double square = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int b = 0; b < system_.ground(); ++b) {
            bodies[b].free_v = bodies[b].total_v;
            bodies[b].free_w = own_inertia[b] * bodies[b].total_w;
        }
        for (Column& column : lam_free) column.clear();
        add_rates(lam_free, 1, true);
        geometer_.solve(set, lam_free);
        collect_reactions(lam_free);
        square = 0;
        for (int b = 0; b < system_.ground(); ++b) {
            BodyWork& body = bodies[b];
            body.total_v -= body.reaction_f;
            body.total_w -= body.reaction_t;
            square += body.total_v.squaredNorm() + own_inertia[b](0, 0) * body.total_w.squaredNorm();
        }
    }
    return square;
}

// Smallest pivot of given rows as a share of its diagonal, in the metric of the geometry
double Dynamics::weakest(double t, const double* y, const std::vector<char>& rows) {
    place_choice(t, y, rows);
    factor_choice();
    return weakest_pivot();
}

// Given rows at y, weighed by each body's own length
void Dynamics::place_choice(double t, const double* y, const std::vector<char>& rows) {
    activate(rows);
    load_positions(t, y);
    evaluate_drives(t);
    measure_lengths();
    assemble_rows(own_inertia.data());
}

void Dynamics::factor_choice() {
    geometer_.assemble(set, unit_mass.data());
    geometer_.factor(set, none_);
}

double Dynamics::weakest_pivot() const {
    double least = 1;
    for (std::size_t k = 0; k < set.blocks.size(); ++k)
        for (int r = 0; r < set.blocks[k].n; ++r) least = std::min(least, geometer_.pivots()[k][r] / geometer_.diagonal()[k][r]);
    return least;
}

void Dynamics::select(double t, const double* y) {
    ++selections;
    select_geometric(t, y);
    doubt_ = 0.1;
    growth = 1;
    for (Column& column : share_) column.clear();
    place(t, y);
    for (std::size_t k = 0; k < best_.size(); ++k)
        for (int r = 0; r < set.blocks[k].n; ++r) {
            first_[k][r] = best_[k][r] = solver.pivots()[k][r] / solver.diagonal()[k][r];
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

void Dynamics::compare(std::size_t k, int r) {
    const double share = solver.pivots()[k][r] / solver.diagonal()[k][r];
    lowest_now = std::min(lowest_now, share / best_[k][r]);
    if (!(share > best_[k][r])) return;
    growth = std::max(growth, share / first_[k][r]);
    best_[k][r] = share;
    share_[k][r] = singular_share * share;
}

void Dynamics::take_reference() {
    for (std::size_t k = 0; k < best_.size(); ++k) {
        for (int r = 0; r < set.blocks[k].n; ++r) compare(k, r);
        best_root_[k] = std::max(best_root_[k], std::sqrt(std::max(0.0, solver.left(set, static_cast<int>(k), inverse_mass.data()))));
    }
    lowest_now = 1;
}

void Dynamics::watch(double t) {
    crossing = foresee(t);
    lowest_now = nearness = 1;
    for (std::size_t k = 0; k < best_.size(); ++k) {
        for (int r = 0; r < set.blocks[k].n; ++r) compare(k, r);
        root_[k] = root_now_[k];
        best_root_[k] = std::max(best_root_[k], root_[k]);
        nearness = std::min(nearness, root_[k] / best_root_[k]);
    }
    watched_ = t;
    lowest_share = std::min(lowest_share, lowest_now);
}

bool Dynamics::doubtful() {
    const double share = std::min(lowest_now, nearness);
    if (share > 0.3) doubt_ = 0.1;  // left behind
    if (!(share < doubt_)) return false;
    doubt_ = 0.03 * share;
    return true;
}

double Dynamics::speed() const {
    double fastest = 0;
    for (const BodyWork& body : bodies)
        fastest = std::max(fastest, std::max(body.v.cwiseAbs().maxCoeff(), scale_ * body.w.cwiseAbs().maxCoeff()));
    return fastest;
}

double Dynamics::left_out(double t, bool drives, int* worst) {
    double largest = 0;
    for (std::size_t r = 0; r < taken.size(); ++r) {
        if (taken[r] || !candidates[r] || (system_.rows[r].drive && !drives)) continue;
        double value, rate;
        open_row(system_.rows[r], t, value, rate);
        value = std::abs(value) * row_scale[r];
        if (!(value <= largest)) {
            largest = value;
            if (worst) *worst = static_cast<int>(r);
        }
    }
    return largest;
}

Scout::Scout(Dynamics& main) : main_(main), own_(main.system()) {}

void Scout::follow() {
    own_.candidates = main_.candidates;
    own_.follow_turns(main_);
}

bool Scout::richer(double t, const double* y) {
    follow();
    own_.select_geometric(t, y);
    return std::count(own_.taken.begin(), own_.taken.end(), 1) > std::count(main_.taken.begin(), main_.taken.end(), 1);
}

// Near a singular position of the mechanism every choice of rows is weak; nothing is gained by another. Where only the chosen
// rows are singular another choice is not weak. Where the choice is as good as it was, only its scale has changed, as with a
// trolley that has run far out: then pivots are to be compared with those of now.
bool Scout::renew(double t, const double* y) {
    follow();
    const double now = own_.weakest(t, y, main_.taken);
    own_.select_geometric(t, y);
    const auto count = std::count(own_.taken.begin(), own_.taken.end(), 1), held = std::count(main_.taken.begin(), main_.taken.end(), 1);
    if (count != held) return count > held && own_.weakest_chosen > 1e-9;
    const double usual = 0.1 * std::max(0.01, std::min(1.0, main_.growth * main_.weakest_chosen));  // rows may have been weak from the start
    return now > usual || (own_.weakest_chosen > usual && own_.weakest_chosen > 30 * now);
}

}  // namespace vincolo
