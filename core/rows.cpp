#include "rows.hpp"

#include <algorithm>
#include <cstring>

#include "elimination.hpp"

namespace vincolo {

void add_ends(BlockSet& set, const Block& block, const System& system, const Quantity& quantity) {
    for (int t = quantity.first; t < quantity.first + quantity.count; ++t) {
        const Measure& m = system.measures[system.terms[t].measure];
        for (int frame : {m.a, m.b}) {
            const int body = system.frames[frame].body;
            bool known = body == system.ground();
            for (std::size_t e = block.first_end; e < set.ends.size(); ++e) known = known || set.ends[e].body == body;
            if (known) continue;
            End end{};
            end.body = body;
            set.ends.push_back(end);
        }
    }
}

Rows::Rows(const Placement& placement, Quantities& quantities)
    : placement_(placement), quantities_(quantities), system_(placement.system()) {
    for (const BlockShape& shape : system_.blocks) add_block(shape);
    const std::size_t blocks = set_.blocks.size(), rows = system_.rows.size();
    for (BlockVector* x : {&phi_, &rate_, &gamma_, &scales_}) x->assign(blocks, Column{});
    scale_rows();
    held_.assign(rows, Jet{});
    position_.assign(rows, 0);
    jets_.resize(system_.scratch);
    patterns_.reserve(blocks);
    joints_.reserve(blocks);
    directions_.resize(blocks);
    loose_ends_.reserve(set_.ends.size());
    simple_.reserve(rows);
    combined_.reserve(system_.terms.size());
    driven_.reserve(rows);
    formulas_.reserve(rows);
    activate(std::vector<char>(rows, 1));
}

// A block with one end for every moving body that its rows touch
void Rows::add_block(const BlockShape& shape) {
    Block block{shape.first, shape.count, shape.count, static_cast<int>(set_.ends.size()), 0, true, nullptr, false};
    for (int r = block.first; r < block.first + block.all; ++r) {
        const Quantity& q = system_.quantities[system_.rows[r].quantity];
        block.plain = block.plain && q.count == 1;
        block.grounded = block.grounded || holds_to_ground(system_, q);
        add_ends(set_, block, system_, q);
    }
    block.grounded = block.grounded || comes_apart(system_, shape);
    block.ends = static_cast<int>(set_.ends.size()) - block.first_end;
    set_.blocks.push_back(block);
}

// Residuals of lengths are judged by the extent of the whole
void Rows::scale_rows() {
    const auto length = [](MeasureKind k) { return k != MeasureKind::Cosine && k != MeasureKind::Angle && k != MeasureKind::Azimuth; };
    for (const Row& row : system_.rows) {
        const Quantity& q = system_.quantities[row.quantity];
        double scale = 1;
        for (int n = q.first; n < q.first + q.count; ++n)
            if (length(system_.measures[system_.terms[n].measure].kind)) scale = 1 / system_.extent;
        scale_.push_back(scale);
    }
}

int Rows::end_of(int block, int body) const {
    const Block& b = set_.blocks[block];
    for (int e = b.first_end; e < b.first_end + b.ends; ++e)
        if (set_.ends[e].body == body) return e;
    return -1;
}

void Rows::activate(const std::vector<char>& wanted) {
    if (wanted == taken_) return;
    taken_ = wanted;
    for (End& end : set_.ends)
        for (int c = 0; c < 3; ++c) end.lin[c].clear(), end.ang[c].clear(), end.weighed[c].clear();
    for (BlockVector* x : {&phi_, &rate_, &gamma_})
        for (Column& column : *x) column.clear();
    for (Block& block : set_.blocks) {
        block.n = 0;
        for (int r = block.first; r < block.first + block.all; ++r)
            if (taken_[r]) position_[r] = block.n++;
    }
    set_.narrow = std::all_of(set_.blocks.begin(), set_.blocks.end(), [](const Block& block) { return block.n <= 2; });
    for (std::size_t r = 0; r < taken_.size(); ++r)
        if (taken_[r]) of(scales_, static_cast<int>(r)) = scale_[r];
    build_lists();
}

void Rows::build_lists() {
    patterns_.clear();
    joints_.clear();
    loose_ends_.clear();
    simple_.clear();
    combined_.clear();
    driven_.clear();
    formulas_.clear();
    int last = -1;
    bool whole = false;
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const int block = system_.rows[r].block;
        if (block != last) {
            JointRows joint;
            last = block;
            whole = joint_of(last, joint);
            if (whole) joints_.push_back(joint);
            else
                for (int e = 0; e < set_.blocks[last].ends; ++e) loose_ends_.push_back(set_.blocks[last].first_end + e);
        }
        if (taken_[r]) list_row(static_cast<int>(r), whole);
    }
    for (const JointRows& joint : joints_) set_.blocks[joint.block].gram = patterns_[joint.pattern].gram;
    std::sort(simple_.begin(), simple_.end(), [this](const ActiveRow& x, const ActiveRow& y) {
        const MeasureKind first = system_.measures[x.measure].kind, second = system_.measures[y.measure].kind;
        return first != second ? first < second : x.measure < y.measure;
    });
}

void Rows::list_row(int r, bool whole) {
    const Row& row = system_.rows[r];
    const Quantity& q = system_.quantities[row.quantity];
    bool moving = false;
    for (int t = q.first; t < q.first + q.count; ++t) moving = moving || placement_.moves(system_.terms[t].measure);
    if (row.function >= 0 || row.latch >= 0 || q.formula >= 0 || row.level != Level::Position || moving) driven_.push_back(r);
    if (q.formula >= 0) formulas_.push_back(r);
    if (whole) return;
    for (int t = q.first; t < q.first + q.count; ++t) {
        const Measure& m = system_.measures[system_.terms[t].measure];
        const ActiveRow active{system_.terms[t].measure, row.block, position_[r], end_of(row.block, system_.frames[m.a].body),
                               end_of(row.block, system_.frames[m.b].body), t, q.formula >= 0};
        (q.count == 1 && system_.terms[t].factor == 1 && q.formula < 0 ? simple_ : combined_).push_back(active);
    }
}

// Whether the rows in use of a block can be evaluated together, and how
bool Rows::joint_of(int k, JointRows& joint) {
    Block& block = set_.blocks[k];
    Pattern pattern{};
    joint = JointRows{};
    joint.block = k;
    block.gram = nullptr;
    bool first = true, pinned = false;
    for (int r = block.first; r < block.first + block.all; ++r) {
        if (!taken_[r]) continue;
        const Quantity& q = system_.quantities[system_.rows[r].quantity];
        const Measure& m = system_.measures[system_.terms[q.first].measure];
        const bool joins = m.kind == MeasureKind::Pin || m.kind == MeasureKind::Along || m.kind == MeasureKind::Cosine;
        if (q.count != 1 || q.formula >= 0 || system_.terms[q.first].factor != 1 || !joins) return false;
        if (first) joint.a = m.a, joint.b = m.b;
        if (joint.a != m.a || joint.b != m.b || placement_.moves(system_.terms[q.first].measure)) return false;
        first = false;
        pinned = pinned || m.kind == MeasureKind::Pin;
        joint.along = joint.along || m.kind == MeasureKind::Along;
        pattern.f[m.i][position_[r]] = 1;
        (m.kind == MeasureKind::Cosine ? pattern.h[m.j] : pattern.apart)[position_[r]] = 1;
    }
    if (first || (pinned && joint.along)) return false;
    joint.body_a = system_.frames[joint.a].body;
    joint.body_b = system_.frames[joint.b].body;
    joint.end_a = end_of(k, joint.body_a);
    joint.end_b = end_of(k, joint.body_b);
    joint.kind = block.n <= 2 ? Kind::Pairs : Kind::Points;
    for (int r = 0; r < block.n; ++r) {
        if (pattern.apart[r] == 0) joint.kind = Kind::Whole;
        for (int c = 0; c < 3; ++c) pattern.gram[r].add(pattern.f[c], pattern.f[c][r] * pattern.apart[r]);
        pattern.gram[r].multiply(pattern.apart);
    }
    joint.pattern = pattern_of(pattern);
    return true;
}

int Rows::pattern_of(const Pattern& pattern) {
    for (std::size_t n = 0; n < patterns_.size(); ++n)
        if (std::memcmp(&patterns_[n], &pattern, sizeof pattern) == 0) return static_cast<int>(n);
    patterns_.push_back(pattern);
    return static_cast<int>(patterns_.size()) - 1;
}

void Rows::evaluate_drives(double t) {
    for (int r : driven_) held_[r] = held_at(system_.rows[r], t);
}

// What a row is held at, with its derivatives
Jet Rows::given(const Row& row, double t) {
    Jet f = row.function < 0 ? Jet{} : system_.functions[row.function](t, jets_.data(), placement_.auxiliaries());
    if (row.latch >= 0) f.f += placement_.auxiliaries()[row.latch].f;
    return f;
}

Jet Rows::held_at(const Row& row, double t) {
    const Jet f = given(row, t);
    if (row.level == Level::Acceleration) return {0, 0, f.f};
    if (row.level == Level::Velocity) return {0, f.f - quantities_.time_rate(row.quantity), f.d};
    return {f.f, f.d - quantities_.time_rate(row.quantity), f.dd};
}

void Rows::open(const Row& row, double t, double& value, double& rate) {
    quantities_.read(row.quantity, value, rate);
    const Jet f = given(row, t);
    rate -= row.level == Level::Position ? f.d : f.f;
    value -= f.f;
    if (row.level != Level::Position) value = 0;
    if (row.level == Level::Acceleration) rate = 0;
}

double Rows::rate_of(int r) const {
    const Block& block = set_.blocks[system_.rows[r].block];
    const int at = position_[r];
    double sum = 0;
    for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
        const End& end = set_.ends[e];
        const Twist& u = placement_.velocities()[end.body];
        for (int c = 0; c < 3; ++c) sum += end.lin[c][at] * u.v[c] + end.ang[c][at] * u.w[c];
    }
    return sum;
}

double Rows::add_power(double power, const BlockVector& lam) const {
    for (int r : driven_) {
        const double rate = system_.rows[r].level == Level::Acceleration ? rate_of(r) : held_[r].d;
        power -= lam[system_.rows[r].block][position_[r]] * rate;
    }
    return power;
}

void Rows::add_held_rates(BlockVector& x, double factor) const {
    for (int r : driven_) of(x, r) += factor * held_[r].d;
}

double Rows::residual() {
    find_values();
    double most[block_rows] = {}, largest = 0;  // by place in a block, so that none waits for another; Phi is zero where no row is
    for (std::size_t k = 0; k < phi_.size(); ++k)
        for (int r = 0; r < block_rows; ++r) {
            const double x = std::abs(phi_[k][r]) * scales_[k][r];
            most[r] = x > most[r] || x != x ? x : most[r];  // NaN stays
        }
    for (const double x : most)
        if (x > largest || x != x) largest = x;
    return largest;
}

double Rows::sum_of_residuals() {
    double sum = 0;
    for (const Row& row : system_.rows)
        if (row.level == Level::Position) sum += std::abs(quantities_.value(row.quantity) - held_at(row, placement_.time()).f);
    return sum;
}

}  // namespace vincolo
