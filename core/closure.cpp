#include "closure.hpp"

#include <algorithm>
#include <cmath>

#include "quaternion.hpp"

namespace vincolo {

namespace {

constexpr double closed = 1e-12;       // m and rad: an assembled mechanism is not touched
constexpr double accepted_gap = 1e-9;
constexpr int iterations = 60;
constexpr double largest_turn = 0.6;   // rad of a body in one step
constexpr double rounding = 1e-11;     // of velocities that joints take away
constexpr double exact = 1e-12;        // damping of rows that hold exactly
constexpr double settled_rate = 1e-11; // steps towards wishes that no longer matter
constexpr double soft = 1e-3;          // damping of wishes: far above exact, so that joints do not give way to them
constexpr double lost = 1e8;           // damping at which nothing moves
constexpr double same = 1e-13;         // share of a cost that does not count

// The system with a row for every value asked for, each in a block of its own
System with_rows(System out, const ClosureOptions& options) {
    for (const Wanted* wanted : {&options.given, &options.wishes})
        for (std::size_t n = 0; n < wanted->quantities.size(); ++n) {
            const int quantity = wanted->quantities[n];
            const Measure& m = out.measures[out.terms[out.quantities[quantity].first].measure];
            Function value;
            value.p = {wanted->values[n]};
            out.functions.push_back(value);
            const int row = static_cast<int>(out.rows.size()), block = static_cast<int>(out.blocks.size());
            out.rows.push_back({quantity, static_cast<int>(out.functions.size()) - 1, block, false, options.rates ? Level::Velocity : Level::Position});
            out.blocks.push_back({row, 1, m.a, m.b});
        }
    return out;
}

double largest_of(const Twists& x) {
    double most = 0;
    for (const Twist& u : x) most = std::max(most, std::max(largest(u.v), largest(u.w)));
    return most;
}

}  // namespace

bool Closed::accepted() const { return history.empty() || history.back() <= accepted_gap; }

Closure::Closure(System system, const ClosureOptions& options)
    : options_(options), system_(with_rows(std::move(system), options)), firm_rows_(static_cast<int>(system_.rows.size() - options.wishes.quantities.size())),
      placement_(system_), quantities_(placement_), rows_(placement_, quantities_),
      schur_(rows_), damping_(system_.rows.size(), 0) {
    lam_.assign(system_.blocks.size(), Column{});
    pushes_.assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    step_.assign(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
}

bool Closure::counts(const Row& row) const {
    return (options_.drives || !row.drive) && (row.level == Level::Position || (options_.rates && row.level == Level::Velocity));
}

void Closure::load(double t, const double* y, const double* turns) {
    t_ = t;
    y_.assign(y, y + system_.state_size());
    std::copy(turns, turns + system_.turns, placement_.turns.values().begin());
    system_.rows_at(y, all_);
    for (std::size_t r = 0; r < all_.size(); ++r) all_[r] = all_[r] && counts(system_.rows[r]);
    firm_ = all_;
    std::fill(firm_.begin() + firm_rows_, firm_.end(), 0);
}

// Given rows, with J and what is open of positions, where the state now is
void Closure::place(const std::vector<char>& rows) {
    rows_.activate(rows);
    placement_.load_positions(t_, y_.data());
    quantities_.refresh(t_);
    rows_.evaluate_drives(t_);
    metric_ = placement_.inverse();
    for (int b : options_.kept) metric_.mass[b] = 0, metric_.inertia[b].setZero();
    rows_.assemble(metric_.inertia.data());
    rows_.find_values();
}

void Closure::find_rates() {
    placement_.load_velocities(y_.data());
    rows_.find_rates();
}

void Closure::factor_firm(double damping) {
    schur_.assemble(metric_);
    std::fill(damping_.begin(), damping_.end(), damping);
    factor();
}

// Wishes are damped by `freely`; only their weights tell them apart
void Closure::factor_all(double freely) {
    schur_.assemble(metric_);
    std::fill(damping_.begin(), damping_.end(), exact);
    const Numbers& weights = options_.wishes.weights;
    const double heaviest = *std::max_element(weights.begin(), weights.end());
    double most = 0;
    for (std::size_t n = 0; n < weights.size(); ++n) most = std::max(most, schur_.diagonal(firm_rows_ + static_cast<int>(n)));
    for (std::size_t n = 0; n < weights.size(); ++n) {
        const double own = schur_.diagonal(firm_rows_ + static_cast<int>(n));
        damping_[firm_rows_ + n] = freely * most / (own > 0 ? own : 1) * heaviest / weights[n];
    }
    factor();
}

// S + damping diag S; rows that move nothing are left alone
void Closure::factor() {
    double most = 0;
    for (std::size_t r = 0; r < damping_.size(); ++r) most = std::max(most, schur_.diagonal(static_cast<int>(r)));
    for (std::size_t r = 0; r < damping_.size(); ++r) {
        const double own = schur_.diagonal(static_cast<int>(r));
        damping_[r] = own == 0 ? 1 : damping_[r] * std::max(own, 1e-12 * most);
    }
    schur_.factor(damping_);
}

// -M^-1 J^T (S + damping diag S)^-1 open
void Closure::solve(const BlockVector& open) {
    lam_ = open;
    schur_.solve(lam_);
    rows_.collect(lam_, pushes_);
    for (int b = 0; b < system_.ground(); ++b) step_[b] = {-metric_.mass[b] * pushes_[b].f, -(metric_.inertia[b] * pushes_[b].t)};
}

void Closure::move() {
    double turn = 0;
    for (const Twist& u : step_) turn = std::max(turn, largest(u.w));
    const double share = turn > largest_turn ? largest_turn / turn : 1;
    for (int b = 0; b < system_.ground(); ++b) {
        double* x = y_.data() + body_size * b;
        for (int c = 0; c < 3; ++c) x[at_r + c] += share * step_[b].v[c];
        rotate_quaternion(x + at_p, share * step_[b].w);
    }
}

// At the placed positions, each on the branch nearest to the record
void Closure::count_turns() {
    Numbers& turns = placement_.turns.values();
    for (std::size_t n = 0; n < system_.measures.size(); ++n) {
        const int turn = system_.measures[n].turn;
        if (turn < 0 || std::find(options_.asked.begin(), options_.asked.end(), turn) != options_.asked.end()) continue;
        const double angle = placement_.value_of(static_cast<int>(n));
        if (std::isfinite(angle)) turns[turn] = angle;
    }
}

double Closure::largest_open(const BlockVector& x) const {
    double most = 0;
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const double open = std::abs(at(x, static_cast<int>(r)));
        if (!(open <= most)) most = open;  // also takes NaN
    }
    return most;
}

double Closure::sum_of_squares() const {
    double sum = 0;
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const double open = at(rows_.phi(), static_cast<int>(r));
        sum += open * open;
    }
    return sum;
}

Closure::Numbers Closure::by_row(const BlockVector& x) const {
    Numbers out;
    for (int r = 0; r < firm_rows_; ++r) out.push_back(at(x, r));
    return out;
}

std::vector<double> Closure::residual() {
    place(firm_);
    return by_row(rows_.phi());
}

void Closure::step() {
    place(firm_);
    factor_firm(exact);
    solve(rows_.phi());
    move();
}

Closed Closure::close(int patience) {
    place(firm_);
    double gap = largest_open(rows_.phi()), square = sum_of_squares(), damping = 1e-3;
    if (gap <= closed) return {by_row(rows_.phi()), {}};
    Closed out{{}, {gap}};
    Numbers& history = out.history;
    const int limit = iterations + (gap < 500 ? static_cast<int>(2 * gap) : 1000);
    for (int k = 0; k < limit; ++k) {
        const Numbers before = y_;
        factor_firm(damping);
        solve(rows_.phi());
        move();
        place(firm_);
        const double after = sum_of_squares();
        if (after < square) {
            count_turns();
            square = after;
            gap = largest_open(rows_.phi());
            damping = std::max(0.1 * damping, exact);
        } else {
            y_ = before;
            place(firm_);
            damping *= 10;
        }
        history.push_back(gap);
        const std::size_t n = history.size();
        if (gap <= closed || damping > lost) break;
        if (gap <= accepted_gap && gap > 0.5 * history[n - 2]) break;
        if (n > static_cast<std::size_t>(patience) && gap > std::max(accepted_gap, 0.8 * history[n - 1 - patience])) break;
    }
    out.residual = by_row(rows_.phi());
    return out;
}

double Closure::missed() const {
    double sum = 0;
    for (std::size_t n = 0; n < options_.wishes.weights.size(); ++n) {
        const double off = at(rows_.phi(), firm_rows_ + static_cast<int>(n));
        sum += options_.wishes.weights[n] * off * off;
    }
    return sum;
}

void Closure::meet(double settled) {
    if (options_.wishes.quantities.empty()) return;
    place(all_);
    double freely = soft, cost = missed();
    int still = 0;
    for (int k = 0; k < 4 * iterations; ++k) {
        const Numbers before = y_, turns = placement_.turns.values();
        factor_all(freely);
        solve(rows_.phi());
        const double size = largest_of(step_);
        move();
        place(firm_);
        count_turns();
        const bool closes = close(2000).accepted();
        place(all_);
        const double after = missed();
        if (closes && after <= cost * (1 + same)) {
            still = after > cost * (1 - same) ? still + 1 : 0;
            cost = after;
            freely = std::max(0.1 * freely, soft);
        } else {
            y_ = before;
            placement_.turns.values() = turns;
            place(all_);
            freely *= 10;
        }
        if (size <= settled || freely > lost || still == 3) break;
    }
}

double Closure::largest_number() const {
    double most = 0;
    for (double x : y_) most = std::max(most, std::abs(x));
    return most;
}

Twists Closure::velocities() const {
    Twists out;
    for (int b = 0; b < system_.ground(); ++b) {
        const double* x = y_.data() + body_size * b;
        out.push_back({Vec3(x[at_v], x[at_v + 1], x[at_v + 2]), Vec3(x[at_w], x[at_w + 1], x[at_w + 2])});
    }
    return out;
}

void Closure::add_to_velocities(const Twists& more) {
    for (int b = 0; b < system_.ground(); ++b)
        for (int c = 0; c < 3; ++c) {
            y_[body_size * b + at_v + c] += more[b].v[c];
            y_[body_size * b + at_w + c] += more[b].w[c];
        }
}

// One projection onto what the placed rows allow, with what is lent counted as mass
void Closure::allow_velocities() {
    double last = HUGE_VAL;
    for (int k = 0; k < iterations; ++k) {
        find_rates();
        const double most = largest_open(rows_.rate());
        if (most <= closed * std::max(1.0, largest_number()) || most > 0.8 * last) return;
        last = most;
        if (!factored_) factor_firm(exact);
        factored_ = true;
        solve(rows_.rate());
        add_to_velocities(step_);
    }
    find_rates();
}

// What has changed of the velocities of bodies that have no mass, or no inertia, to resist it
Twists Closure::light_part(const Twists& now, const Twists& before) const {
    Twists out = now;
    for (int b = 0; b < system_.ground(); ++b) {
        const Body& body = system_.bodies[b];
        const Mat3& A = placement_.bodies()[b].A;
        const Vec3 none = (body.inertia.array() == 0).cast<double>();
        out[b].v = body.mass == 0 ? Vec3(now[b].v - before[b].v) : Vec3::Zero();
        out[b].w = A * none.cwiseProduct(A.transpose() * (now[b].w - before[b].w));
    }
    return out;
}

std::vector<double> Closure::close_velocities() {
    place(firm_);
    factored_ = false;
    const Numbers asked = y_;
    const Twists first = velocities();
    bool light = false;
    for (const Body& body : system_.bodies) light = light || body.mass == 0 || (body.inertia.array() == 0).any();
    allow_velocities();
    double last = HUGE_VAL;
    for (int k = 0; k < (light ? iterations : 0); ++k) {
        const Numbers found = y_;
        const Twists now = velocities();
        y_ = asked;
        add_to_velocities(light_part(now, first));
        allow_velocities();
        Twists after = velocities();
        for (std::size_t b = 0; b < now.size(); ++b) after[b].v -= now[b].v, after[b].w -= now[b].w;
        const double change = largest_of(after);
        if (change > 0.8 * last) {
            y_ = found;
            find_rates();
            break;
        }
        last = change;
        if (change <= closed * std::max(1.0, largest_number())) break;
    }
    come_to_rest(first);
    return by_row(rows_.rate());
}

// Where joints leave nothing but rounding of the velocities asked for
void Closure::come_to_rest(const Twists& before) {
    const Twists now = velocities();
    double first = 0, last = 0;
    for (int b = 0; b < system_.ground(); ++b) {
        const double length = system_.bodies[b].length;
        first = std::max(first, std::max(largest(before[b].v), length * largest(before[b].w)));
        last = std::max(last, std::max(largest(now[b].v), length * largest(now[b].w)));
    }
    if (!(last > 0 && last <= rounding * first)) return;
    const Numbers moving = y_;
    for (int b = 0; b < system_.ground(); ++b) std::fill_n(y_.begin() + body_size * b + at_v, 6, 0.0);
    find_rates();
    if (largest_open(rows_.rate()) == 0) return;
    y_ = moving;
    find_rates();
}

void Closure::meet_rates() {
    if (options_.wishes.quantities.empty()) return;
    place(all_);
    factor_all(soft);
    double last = HUGE_VAL;
    for (int k = 0; k < iterations; ++k) {
        find_rates();
        solve(rows_.rate());
        add_to_velocities(step_);
        const double size = largest_of(step_);
        if (size <= settled_rate * std::max(1.0, largest_number()) || size > 0.8 * last) return;
        last = size;
    }
}

void Closure::along(Twists& motion) {
    place(firm_);
    factor_firm(exact);
    motion.resize(system_.bodies.size() + 1, {Vec3::Zero(), Vec3::Zero()});
    BlockVector open(system_.blocks.size(), Column{});
    rows_.add_rates(open, motion, 1);
    solve(open);
    for (int b = 0; b < system_.ground(); ++b) motion[b].v += step_[b].v, motion[b].w += step_[b].w;
}

void Closure::weigh(Twists& push) {
    place(firm_);
    for (int b = 0; b < system_.ground(); ++b) push[b] = {metric_.mass[b] * push[b].v, metric_.inertia[b] * push[b].w};
}

}  // namespace vincolo
