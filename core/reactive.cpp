#include "reactive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "block_forces.hpp"

namespace vincolo {

namespace {

constexpr int most_passes = 60;
constexpr int most_refinements = 20;  // of what is recorded: friction reads reactions as they are told
constexpr double refined = 1e-14;
constexpr double settled = 1e-13;    // of the forces: what may still change
constexpr double nothing = 1e-13;    // of weights and reactions
constexpr double least_slope = 1e-9; // of F - f(F), below which no small push leads back to a solution

}  // namespace

Reactive::Reactive(const Placement& placement, Quantities& quantities, Rows& rows, Forces& forces, Solve& solve, const Selection& selection)
    : placement_(placement), quantities_(quantities), rows_(rows), forces_(forces), solve_(solve), selection_(selection),
      system_(placement.system()), readings_(placement, quantities), all_(placement, quantities),
      least_(placement, quantities, all_) {
    const int blocks = block_forces * static_cast<int>(system_.blocks.size()), rows_end = blocks + static_cast<int>(system_.rows.size());
    const auto note = [](std::vector<int>& list, int n) {
        if (std::find(list.begin(), list.end(), n) == list.end()) list.push_back(n);
    };
    for (std::size_t n = 0; n < system_.laws.size(); ++n) {
        if (!system_.laws[n].reacts) continue;
        laws_.push_back(static_cast<int>(n));
        for (const Reading& r : system_.laws[n].formula.readings) {
            if (r.source != Source::Force) continue;
            if (r.index < blocks) note(blocks_, r.index / block_forces);
            else if (r.index < rows_end) note(rows_read_, r.index - blocks);
            else note(others_, r.index - rows_end);
        }
        partials_.emplace_back(std::max<std::size_t>(1, system_.laws[n].formula.readings.size()));
    }
    table_.assign(system_.forces_read(), 0);
    slope_ = table_;
    readings_.forces = table_.data();
    forces_.read_reactions(table_.data());
    active_.reserve(laws_.size());
    shares_.resize(laws_.size());
    forces_found_.assign(laws_.size(), 0);
    values_ = forces_found_;
    lam_.assign(system_.blocks.size(), Column{});
    multipliers_.assign(laws_.size(), lam_);
    push_.assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    for (const Body& body : system_.bodies) weight_ = std::max(weight_, body.mass * system_.gravity.norm() * std::min(1.0, system_.extent));
    accelerations_.assign(laws_.size(), Twists(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()}));
}

// Where rows are left out, what they share with others is the least: for that all of them are taken in
void Reactive::match_rows() {
    all_.activate(selection_.candidates);
    all_.evaluate_drives(placement_.time());
    if (rows_.taken() == all_.taken()) least_.find_units();
    else least_.factor(selection_.metric(), selection_.size());
}

void Reactive::find_reactions(const BlockVector& solved, Reactions& out) {
    bool found = false;
    if (rows_.taken() != all_.taken()) {
        rows_.collect(solved, push_);
        found = least_.find(push_, lam_) < 1e-10 || least_.lessen(rows_, solve_, solved, lam_);
    }
    out.rows.assign(system_.rows.size(), 0);
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const int block = system_.rows[r].block, n = static_cast<int>(r);
        if (!all_.taken()[r]) continue;
        double& own = lam_[block][all_.position(n)];
        if (!found) own = rows_.taken()[r] ? solved[block][rows_.position(n)] : 0;
        out.rows[r] = -own;
    }
    least_.wrenches(lam_, out.blocks);
}

void Reactive::read(const std::vector<double>& F) {
    const int blocks = block_forces * static_cast<int>(system_.blocks.size()), laws = blocks + static_cast<int>(system_.rows.size());
    for (int b : blocks_) {
        Vec3 force = base_.blocks[b].force_b, torque = base_.blocks[b].torque_b;
        for (int k : active_) force += F[k] * shares_[k].blocks[b].force_b, torque += F[k] * shares_[k].blocks[b].torque_b;
        write_block_forces(force, torque, axes_of_block(placement_, system_.blocks[b]), &table_[block_forces * b]);
    }
    for (int r : rows_read_) {
        double& x = table_[blocks + r] = base_.rows[r];
        for (int k : active_) x += F[k] * shares_[k].rows[r];
    }
    for (int n : others_) {
        const auto own = std::find(laws_.begin(), laws_.end(), n);
        double value, rate, spent;
        quantities_.read(system_.laws[n].quantity, value, rate);
        if (own != laws_.end()) table_[laws + n] = F[own - laws_.begin()];
        else forces_.law(n, placement_.time(), value, rate, table_[laws + n], spent);
    }
}

void Reactive::take_units(const std::vector<int>& quantities) {
    match_rows();
    units_.resize(quantities.size());
    Twists moved(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    BlockVector carried(system_.blocks.size(), Column{});
    for (std::size_t k = 0; k < quantities.size(); ++k) {
        clear(push_);
        quantities_.push_along(quantities[k], 1, push_);
        solve_.respond(push_, moved, carried);
        find_reactions(carried, units_[k]);
    }
}

void Reactive::load_impulses(const double* along) {
    std::fill(table_.begin(), table_.end(), 0.0);
    add_units({}, {}, along);
}

void Reactive::load_forces(const std::vector<Wrench>& wrenches, const std::vector<double>& lam, const std::vector<double>& laws, const double* along) {
    add_units(wrenches, lam, along);
    std::copy(laws.begin(), laws.end(), table_.end() - static_cast<std::ptrdiff_t>(laws.size()));
}

void Reactive::add_units(const std::vector<Wrench>& wrenches, const std::vector<double>& lam, const double* along) {
    const int blocks = block_forces * static_cast<int>(system_.blocks.size());
    for (int b : blocks_) {
        Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
        if (!wrenches.empty()) force = wrenches[b].force_b, torque = wrenches[b].torque_b;
        for (std::size_t k = 0; k < units_.size(); ++k) force += along[k] * units_[k].blocks[b].force_b, torque += along[k] * units_[k].blocks[b].torque_b;
        write_block_forces(force, torque, axes_of_block(placement_, system_.blocks[b]), &table_[block_forces * b]);
    }
    for (int r : rows_read_) {
        double& x = table_[blocks + r] = lam.empty() ? 0 : -lam[r];
        for (std::size_t k = 0; k < units_.size(); ++k) x += along[k] * units_[k].rows[r];
    }
}

void Reactive::read_slopes(int k) {
    const int blocks = block_forces * static_cast<int>(system_.blocks.size()), laws = blocks + static_cast<int>(system_.rows.size());
    for (int b : blocks_) {
        const double* now = &table_[block_forces * b];
        const Wrench& w = shares_[k].blocks[b];
        write_block_slopes(Vec3(now[0], now[1], now[2]), Vec3(now[3], now[4], now[5]), w.force_b, w.torque_b,
                           axes_of_block(placement_, system_.blocks[b]), &slope_[block_forces * b]);
    }
    for (int r : rows_read_) slope_[blocks + r] = shares_[k].rows[r];
    for (int n : others_) slope_[laws + n] = laws_[k] == n;
}

// Whether a law does anything here, or might with other reactions
bool Reactive::needed(int k, double t) {
    const Law& law = system_.laws[laws_[k]];
    if (law.gate >= 0 && placement_.auxiliaries()[law.gate].f == 0) return false;
    if (readings_.value(law.formula, t) != 0) return true;
    readings_.smooth_slopes(law.formula, t, partials_[k].data());
    for (std::size_t i = 0; i < law.formula.readings.size(); ++i)
        if (law.formula.readings[i].source == Source::Force && partials_[k][i] != 0) return true;
    return false;
}

// F - f(F) = 0, with slopes of f by what laws read and of that by F
bool Reactive::iterate(double t) {
    const int n = static_cast<int>(active_.size());
    matrix_.resize(n, n), open_.resize(n);
    for (int pass = 0; pass < most_passes; ++pass) {
        read(forces_found_);
        double size = 0;
        for (int i = 0; i < n; ++i) {
            const int k = active_[i];
            const Law& law = system_.laws[laws_[k]];
            values_[k] = readings_.value(law.formula, t);
            readings_.smooth_slopes(law.formula, t, partials_[k].data());
            open_[i] = forces_found_[k] - values_[k];
            size = std::max({size, std::abs(forces_found_[k]), std::abs(values_[k])});
        }
        for (int j = 0; j < n; ++j) {
            read_slopes(active_[j]);
            for (int i = 0; i < n; ++i) {
                const std::vector<Reading>& readings = system_.laws[laws_[active_[i]]].formula.readings;
                matrix_(i, j) = i == j;
                for (std::size_t r = 0; r < readings.size(); ++r)
                    if (readings[r].source == Source::Force) matrix_(i, j) -= partials_[active_[i]][r] * slope_[readings[r].index];
            }
        }
        if (!open_.allFinite() || !matrix_.allFinite()) return false;
        if (size <= nothing * usual_) return true;  // nothing presses: what is left of the loads is rounding
        const bool done = open_.cwiseAbs().maxCoeff() <= settled * size;
        factors_.factor(matrix_);
        if (done) return factors_.determinant() > least_slope;
        factors_.solve(open_, step_);
        for (int i = 0; i < n; ++i) forces_found_[active_[i]] -= step_[i];
    }
    return false;
}

void Reactive::settle(double t) {
    active_.clear();
    std::fill(forces_found_.begin(), forces_found_.end(), 0.0);
    unsettled_ = -1;
    match_rows();
    for (int pass = 0; solve_.balanced && pass < most_refinements && solve_.refine() > refined; ++pass) {}
    find_reactions(solve_.multipliers(), base_);
    usual_ = weight_;
    for (double x : base_.rows) usual_ = std::max(usual_, std::abs(x));
    read(forces_found_);
    for (int k = 0; k < static_cast<int>(laws_.size()); ++k) {
        forces_.set_found(laws_[k], 0);
        if (needed(k, t)) active_.push_back(k);
    }
    if (active_.empty()) return;
    for (int k : active_) {
        clear(push_);
        quantities_.push_along(system_.laws[laws_[k]].quantity, system_.laws[laws_[k]].sign, push_);
        solve_.respond(push_, accelerations_[k], multipliers_[k]);
        find_reactions(multipliers_[k], shares_[k]);
    }
    if (!iterate(t)) {
        unsettled_ = laws_[active_.front()];
        for (int k : active_) forces_found_[k] = std::numeric_limits<double>::quiet_NaN();
    }
    for (int k : active_) {
        solve_.add(accelerations_[k], multipliers_[k], forces_found_[k]);
        forces_.set_found(laws_[k], forces_found_[k]);
    }
    solve_.reload();
}

}  // namespace vincolo
