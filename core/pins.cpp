#include "pins.hpp"

#include <algorithm>

namespace vincolo {

namespace {

constexpr double in_line = 0.1;    // sine of the angle of two bars from which on they fix a pin
constexpr double most_growth = 1e8;  // of masses seen by a pin, over its own

VINCOLO_INLINE double sum(V4 x) { return (x[0] + x[2]) + (x[1] + x[3]); }

// out = a x + b y
VINCOLO_INLINE void combine(double* out, const double* x, double a, const double* y, double b, int n) {
    for (int i = 0; i < n; i += 4) put_four(out + i, plus_product(four(x + i) * a, four(y + i), b));
}

VINCOLO_INLINE void subtract(double* y, const double* x, double c, int n) {
    for (int i = 0; i < n; i += 4) put_four(y + i, minus_product(four(y + i), four(x + i), c));
}

VINCOLO_INLINE double dot(const double* x, const double* y, int n) {
    V4 out{};
    for (int i = 0; i < n; i += 4) out = plus_product(out, four(x + i), four(y + i));
    return sum(out);
}

VINCOLO_INLINE Flat2 weighed(const double* K, Flat2 x) { return {K[0] * x.x + K[1] * x.y, K[1] * x.x + K[2] * x.y}; }
VINCOLO_INLINE Flat2 at(const double* x) { return {x[0], x[1]}; }
VINCOLO_INLINE void add(double* x, Flat2 y) { x[0] += y.x, x[1] += y.y; }

}  // namespace

bool Pins::find(const System& system, const BlockSet& set, const std::vector<char>& taken, const Metric& metric, double work_of_rows) {
    if (!find_pins(system, set, taken, metric, net_) || !order_pins(net_, order_) || order_.work > work_of_rows / 1.5) {
        order_ = PinOrder{};
        return false;
    }
    taken_ = taken;
    front_.assign(static_cast<std::size_t>(order_.width) * order_.width, 0);
    kept_.assign(order_.kept, 0);
    sum_.assign(order_.width, 0);
    slots_.assign(order_.width, 0);
    for (std::vector<Flat2>* x : {&u_, &turn_}) x->assign(net_.bars.size(), {});
    for (std::vector<double>* x : {&l_, &g_}) x->assign(net_.bars.size(), 0);
    ends_.assign(2 * net_.bars.size(), {});
    for (std::vector<Flat2>* x : {&f_, &x_, &given_, &start_, &y_}) x->assign(net_.pins, {});
    return true;
}

bool Pins::factor(const std::vector<BodyPlace>& places, const std::vector<char>& taken) {
    if (!any() || taken != taken_) return false;
    for (std::size_t b = 0; b < net_.bars.size(); ++b) {
        const PinBar& bar = net_.bars[b];
        u_[b] = net_.flat(places[bar.body].A * bar.along);
        turn_[b] = u_[b].turned_back(bar.drawn);
    }
    for (PinStep& step : order_.steps)
        if (!fix(step)) return false;
    bool well = true;
    for (PinStep& step : order_.steps) {
        for (int n = step.first_entry; n < step.first_entry + step.entries; ++n) enter(order_.entries[n]);
        keep(step);
        for (int b = 0; b < step.bars; ++b)
            if (step.target[b] >= 0) pass_on(step, b);
        well = release(step) && well;
    }
    if (!well) std::fill(front_.begin(), front_.end(), 0.0);
    return well;
}

void Pins::enter(const PinEntry& entry) {
    const int s = entry.slot;
    row(s)[s] += entry.own, row(s + 1)[s + 1] += entry.own;
    for (int n = entry.first_coupling; n < entry.first_coupling + entry.couplings; ++n) {
        const auto [o, k] = order_.couplings[n];
        row(s)[o] += k.x, row(s)[o + 1] -= k.y, row(s + 1)[o] += k.y, row(s + 1)[o + 1] += k.x;
        row(o)[s] += k.x, row(o + 1)[s] -= k.y, row(o)[s + 1] += k.y, row(o + 1)[s + 1] += k.x;
    }
}

// The rows of a pin leave the front, which is empty there afterwards
void Pins::keep(PinStep& step) {
    const int s = step.slot, w = step.width;
    double *first = row(s), *second = row(s + 1), *kept = &kept_[step.at];
    step.K[0] = first[s], step.K[1] = first[s + 1], step.K[2] = second[s + 1];
    put_two(first + s, V2{0, 0}), put_two(second + s, V2{0, 0});
    for (int i = 0; i < w; i += 4) {
        put_four(kept + i, four(first + i)), put_four(kept + w + i, four(second + i));
        put_four(first + i, V4{0, 0, 0, 0}), put_four(second + i, V4{0, 0, 0, 0});
    }
    double* column = row(0) + s;
    for (int i = 0; i < w; ++i, column += order_.width) put_two(column, V2{0, 0});
}

// u and v of the bars
bool Pins::fix(PinStep& step) {
    for (int b = 0; b < step.bars; ++b) step.u[b] = step.v[b] = u_[step.bar[b]];
    if (step.bars < 2) return true;
    const double sine = step.u[0].cross(step.u[1]);
    step.v[0] = step.u[1].left() * (-1 / sine);
    step.v[1] = step.u[0].left() * (1 / sine);
    return std::abs(sine) > in_line;
}

// What K of the others gains by x_p = v (u . x), in rows and columns of the pin at the other end
void Pins::pass_on(const PinStep& step, int b) {
    const int w = step.width, q = step.target[b];
    const double* kept = &kept_[step.at];
    double* sums = sum_.data();
    combine(sums, kept, step.v[b].x, kept + w, step.v[b].y, w);
    for (int other = 0; other < step.bars; ++other)
        if (step.target[other] >= 0) add(sums + step.target[other], step.u[other] * (0.5 * step.v[b].dot(weighed(step.K, step.v[other]))));
    const Flat2 u = step.u[b];
    double *first = row(q), *second = row(q + 1), *column = row(0) + q;
    for (int i = 0; i < w; i += 4) {
        put_four(first + i, plus_product(four(first + i), four(sums + i), u.x));
        put_four(second + i, plus_product(four(second + i), four(sums + i), u.y));
    }
    for (int i = 0; i < w; ++i, column += order_.width) put_two(column, plus_product(two(column), V2{u.x, u.y}, V2{sums[i], sums[i]}));
}

// What no bar fixes goes out by its pivots, in directions n that are conjugate in K
bool Pins::release(PinStep& step) {
    const double* K = step.K;
    bool well = K[0] > 0 && K[0] < most_growth * step.own;
    if (step.free == 1) step.n[0] = step.u[0].left();
    if (step.free == 2) step.n[0] = {1, 0}, step.n[1] = {-K[1] / K[0], 1};
    const int w = step.width;
    const double* kept = &kept_[step.at];
    for (int r = 0; r < step.free; ++r) {
        double* own = &kept_[step.at + static_cast<std::size_t>(2 + r) * w];
        const Flat2 Kn = weighed(K, step.n[r]);
        combine(own, kept, step.n[r].x, kept + w, step.n[r].y, w);
        for (int b = 0; b < step.bars; ++b)
            if (step.target[b] >= 0) add(own + step.target[b], step.u[b] * Kn.dot(step.v[b]));
        const double pivot = Kn.dot(step.n[r]);
        step.inverse[r] = 1 / pivot;
        well = well && pivot > 0;
        for (int i = 0; i < w; ++i) subtract(row(i), own, own[i] * step.inverse[r], w);
    }
    return well;
}

void Pins::solve(BlockVector& x) const {
    find_offsets(x);
    load_bars();
    eliminate();
    substitute();
    find_forces();
    find_multipliers(x);
}

// Ends of one pin move apart by what the rows of its joints ask for
void Pins::find_offsets(const BlockVector& x) const {
    for (Flat2& end : ends_) end = {};
    for (const PinLink& link : net_.links) {
        Flat2 apart = link.e[0] * x[link.block][0] + link.e[1] * x[link.block][1];
        if (link.turning >= 0) apart = apart.turned(turn_[link.turning]);
        ends_[link.found] = link.known < 0 ? apart : ends_[link.known] + apart;
    }
}

// f = -K c, g = -A c of the offsets c
void Pins::load_bars() const {
    for (Flat2& f : f_) f = {};
    for (std::size_t b = 0; b < net_.bars.size(); ++b) {
        const PinBar& bar = net_.bars[b];
        const Flat2 c = ends_[2 * b], d = ends_[2 * b + 1];
        g_[b] = u_[b].dot(c - d);
        if (bar.pin[0] >= 0) f_[bar.pin[0]] = f_[bar.pin[0]] - c * bar.own[0] - d.turned(bar.both);
        if (bar.pin[1] >= 0) f_[bar.pin[1]] = f_[bar.pin[1]] - d * bar.own[1] - c.turned_back(bar.both);
    }
}

void Pins::eliminate() const {
    double* f = slots_.data();
    for (double& x : slots_) x = 0;
    for (const PinStep& step : order_.steps) {
        for (int n = step.first_entry; n < step.first_entry + step.entries; ++n) add(f + order_.entries[n].slot, f_[order_.entries[n].pin]);
        const int w = step.width;
        const double* kept = &kept_[step.at];
        const Flat2 given = given_[step.pin] = at(f + step.slot);
        put_two(f + step.slot, V2{0, 0});
        Flat2 start;
        for (int b = 0; b < step.bars; ++b) start = start + step.v[b] * (step.side[b] * g_[step.bar[b]]);
        start_[step.pin] = start;
        const Flat2 rest = given - weighed(step.K, start);
        for (int i = 0; i < w; i += 4) put_four(f + i, minus_product(minus_product(four(f + i), four(kept + i), start.x), four(kept + w + i), start.y));
        for (int b = 0; b < step.bars; ++b)
            if (step.target[b] >= 0) add(f + step.target[b], step.u[b] * step.v[b].dot(rest));
        double y[2] = {0, 0};
        for (int r = 0; r < step.free; ++r) {
            y[r] = step.n[r].dot(rest) * step.inverse[r];
            subtract(f, kept + (2 + r) * w, y[r], w);
        }
        y_[step.pin] = at(y);
    }
}

void Pins::substitute() const {
    double* x = slots_.data();
    for (auto step = order_.steps.rbegin(); step != order_.steps.rend(); ++step) {
        const int w = step->width;
        const double* kept = &kept_[step->at];
        V4 first{}, second{};
        for (int i = 0; i < w; i += 4) {
            first = plus_product(first, four(x + i), four(kept + i));
            second = plus_product(second, four(x + i), four(kept + w + i));
        }
        Flat2 own = start_[step->pin];
        for (int b = 0; b < step->bars; ++b)
            if (step->target[b] >= 0) own = own + step->v[b] * step->u[b].dot(at(x + step->target[b]));
        const double y[2] = {y_[step->pin].x, y_[step->pin].y};
        for (int r = 0; r < step->free; ++r) own = own + step->n[r] * (y[r] - step->inverse[r] * dot(kept + (2 + r) * w, x, w));
        const Flat2 force = given_[step->pin] - weighed(step->K, own) - Flat2{sum(first), sum(second)};
        for (int b = 0; b < step->bars; ++b) l_[step->bar[b]] = step->side[b] * step->v[b].dot(force);
        x_[step->pin] = own;
        put_two(x + step->slot, V2{own.x, own.y});
    }
}

// What joints do to the ends: K w + A^T l, with their motions w
void Pins::find_forces() const {
    for (std::size_t b = 0; b < net_.bars.size(); ++b) {
        const PinBar& bar = net_.bars[b];
        Flat2 &p = ends_[2 * b], &q = ends_[2 * b + 1];
        if (bar.pin[0] >= 0) p = p + x_[bar.pin[0]];
        if (bar.pin[1] >= 0) q = q + x_[bar.pin[1]];
        const Flat2 along = u_[b] * l_[b], on_p = p * bar.own[0] + q.turned(bar.both) - along;
        q = q * bar.own[1] + p.turned_back(bar.both) + along;
        p = on_p;
    }
}

// From the last ends of each pin back to the first
void Pins::find_multipliers(BlockVector& x) const {
    for (auto link = net_.links.rbegin(); link != net_.links.rend(); ++link) {
        const Flat2 force = ends_[link->found];
        if (link->known >= 0) ends_[link->known] = ends_[link->known] + force;
        const Flat2 drawn = link->turning < 0 ? force : force.turned_back(turn_[link->turning]);
        x[link->block][0] = link->e[0].dot(drawn);
        x[link->block][1] = link->e[1].dot(drawn);
    }
}

}  // namespace vincolo
