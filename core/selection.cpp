#include "selection.hpp"

#include <algorithm>

#include "elimination.hpp"

namespace vincolo {

Selection::Selection(Placement& placement, const Quantities& quantities, Rows& rows, Solve& solve)
    : placement_(placement), quantities_(quantities), rows_(rows), solve_(solve), system_(placement.system()), drawn_(placement.size) {
    const std::size_t blocks = system_.blocks.size(), count = system_.rows.size(), bodies = system_.bodies.size() + 1;
    std::vector<char> first(blocks, 0);
    for (std::size_t k = 0; k < blocks; ++k) first[k] = system_.rows[system_.blocks[k].first].drive;
    selector_ = BlockSolver(rows.set(), elimination(rows.set(), first));
    for (const Row& row : system_.rows) drives_ += row.drive;
    candidates.assign(count, 1);
    for (std::vector<char>* x : {&independent_, &wanted_, &former_}) x->assign(count, 0);
    weights_.assign(count, 0);
    for (BlockVector* x : {&chosen_, &none_, &sum_rates_}) x->assign(blocks, Column{});
    for (Pushes* x : {&sum_, &reactions_}) x->assign(bodies, {Vec3::Zero(), Vec3::Zero()});
    weighed_.assign(bodies, {Vec3::Zero(), Vec3::Zero()});
    lengths_.assign(bodies, 0);
    own_ = {std::vector<double>(bodies, 1), std::vector<Mat3>(bodies, Mat3::Identity() / (drawn_ * drawn_)), {}, nullptr};
}

void Selection::choose() {
    choose_from(candidates);
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
    former_ = independent_;
    choose_from(wanted_);
    if (std::count(independent_.begin(), independent_.end(), 1) >= std::count(former_.begin(), former_.end(), 1)) return;
    independent_ = former_;
    rows_.activate(independent_);
}

template <class Reach>
void Selection::visit_levers(Reach reach) const {
    const auto& frames = placement_.frames();
    const auto& bodies = placement_.bodies();
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
}

double Selection::size() const {
    double largest = drawn_;
    visit_levers([&](int body, double length) {
        if (body < system_.ground()) largest = std::max(largest, length);
    });
    return largest;
}

// Rotations of a body are measured with its own largest lever where it now stands, so that neither the drawn size nor the size
// of other bodies decides whether rows depend on each other. Ratios beyond a thousand would only cost digits.
void Selection::measure_lengths() {
    std::fill(lengths_.begin(), lengths_.end(), 0);
    visit_levers([&](int body, double length) { lengths_[body] = std::max(lengths_[body], length); });
    own_.flat = placement_.inverse().flat;
    double& size = placement_.size;
    size = drawn_;
    for (int b = 0; b < system_.ground(); ++b) size = std::max(size, lengths_[b]);
    for (int b = 0; b < system_.ground(); ++b) {
        const double length = lengths_[b] > 0 ? std::max(lengths_[b], 1e-3 * size) : size;
        own_.set_inertia(b, 1 / (length * length));
    }
}

// Rows that are apart from the ones before by more than a tolerance, into independent_; how many
int Selection::pass(const std::vector<char>& from, double tolerance) {
    int count = 0;
    selector_.assemble(rows_.set(), own_);
    least_taken_ = selector_.select(rows_.set(), tolerance, chosen_);
    for (std::size_t r = 0; r < independent_.size(); ++r) {
        const int block = system_.rows[r].block, at = rows_.position(static_cast<int>(r));
        independent_[r] = from[r] && chosen_[block][at] != 0;
        weights_[r] = from[r] ? selector_.diagonal()[block][at] : 0;
        count += independent_[r];
    }
    return count;
}

// Independent rows among those of `from`, into independent_ and in use. Rows far apart from each other are taken if they
// suffice: forces in rows that are nearly dependent are large and say little.
void Selection::choose_from(const std::vector<char>& from) {
    place(from);
    const int most = pass(from, dependent_share);
    constexpr double far = 1e-2;
    bool enough = least_taken_ > far;  // another pass would take the same
    for (double tolerance : {far, 1e-4, 1e-6}) {
        if (enough) break;
        enough = pass(from, tolerance) == most;
    }
    if (!enough) pass(from, dependent_share);
    add_overlooked(from);
    weakest_chosen = weakest_pivot();
}

// Near a singular position a row can be dependent but for a trace, and hold the mechanism by it. What is left out is looked at
// again, by solving for it instead of by pivots, and the row that is most apart is added.
void Selection::add_overlooked(const std::vector<char>& from) {
    for (;;) {
        if (rows_.taken() != independent_) {
            rows_.activate(independent_);
            rows_.assemble(own_.inertia.data());
        }
        factor();
        bool any = false;
        clear(sum_);
        for (std::size_t r = 0; r < from.size(); ++r)
            if (from[r] && !independent_[r] && weights_[r] > 0)
                add_to_sum(static_cast<int>(r), std::cos(1.7 * static_cast<double>(r) + 0.3) / std::sqrt(weights_[r])), any = true;
        if (!any || !(apart() > 0.01 * trace)) return;
        int best = -1;
        double largest = trace;
        for (std::size_t r = 0; r < from.size(); ++r) {
            if (!from[r] || independent_[r] || !(weights_[r] > 0)) continue;
            clear(sum_);
            add_to_sum(static_cast<int>(r), 1 / std::sqrt(weights_[r]));
            const double share = apart();
            if (share > largest) best = static_cast<int>(r), largest = share;
        }
        if (best < 0) return;
        independent_[best] = 1;
    }
}

// sum_ += c J_r^T, also of rows not in use
void Selection::add_to_sum(int r, double c) { quantities_.push_along(system_.rows[r].quantity, c, sum_); }

// Square of what the rows in use leave of the sum, in the metric of the geometry and with its factor
double Selection::apart() {
    double square = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int b = 0; b < system_.ground(); ++b) weighed_[b] = {sum_[b].f, own_.inertia[b] * sum_[b].t};
        for (Column& column : sum_rates_) column.clear();
        rows_.add_rates(sum_rates_, weighed_, 1);
        solve_.geometric().solve(rows_.set(), sum_rates_);
        rows_.collect(sum_rates_, reactions_);
        square = 0;
        for (int b = 0; b < system_.ground(); ++b) {
            sum_[b].f -= reactions_[b].f;
            sum_[b].t -= reactions_[b].t;
            square += sum_[b].f.squaredNorm() + sum_[b].t.dot(own_.inertia[b] * sum_[b].t);
        }
    }
    return square;
}

double Selection::weakest(const std::vector<char>& rows) {
    place(rows);
    factor();
    return weakest_pivot();
}

// Given rows, weighed by each body's own length
void Selection::place(const std::vector<char>& rows) {
    rows_.activate(rows);
    rows_.evaluate_drives(placement_.time());
    measure_lengths();
    rows_.assemble(own_.inertia.data());
}

void Selection::factor() {
    solve_.geometric().assemble(rows_.set(), own_);
    solve_.geometric().factor(rows_.set(), none_);
}

double Selection::weakest_pivot() const {
    const BlockSolver& solver = solve_.geometric();
    double least = 1;
    for (std::size_t k = 0; k < rows_.set().blocks.size(); ++k)
        for (int r = 0; r < rows_.set().blocks[k].n; ++r) least = std::min(least, solver.pivots()[k][r] / solver.diagonal()[k][r]);
    return least;
}

double Selection::left_out(double t, bool drives, int* worst) {
    return rows_.widest(t, [&](int r) { return !rows_.taken()[r] && candidates[r] && (drives || !system_.rows[r].drive); }, worst);
}

}  // namespace vincolo
