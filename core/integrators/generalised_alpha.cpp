// Generalised-alpha of Chung and Hulbert on the group of rotations (Arnold, Bruls), with HHT and Newmark as cases, on positions
// (index 3) or velocities (index 2) of the constraints.
#include <algorithm>
#include <cmath>

#include "displacement.hpp"
#include "integrators/stepper.hpp"

namespace vincolo {

namespace {

struct AlphaWeights {
    double mean_acceleration = 0, mean_force = 0, gamma = 0.5, beta = 0.25;  // alpha_m, alpha_f
    int index = 3;
    double tolerance = 1e-10;
    int iterations = 25;
    template <class Fields>
    void fields(Fields& f) {
        f("mean_acceleration", mean_acceleration), f("mean_force", mean_force), f("gamma", gamma), f("beta", beta);
        f("index", index), f("tolerance", tolerance), f("iterations", iterations);
    }
};

class GeneralisedAlpha : public Stepper {
  public:
    GeneralisedAlpha(Motion& motion, Given& given);
    Traits traits() const override;
    bool moves_in_planes() const override { return true; }
    Outcome step(const Step& step) override;
    double accept(const Step&, const Outcome&) override;
    void forget() override;

  private:
    void place(const State& y, double h, State& y_new);
    bool iterate(const Step& step);
    void place_states(const State& y, double h, State& y_new);
    void residual(double t, const State& y_new, double by_rate, double by_value);
    double largest_change() const;
    double largest_acceleration() const;
    void correct(double size);
    double correct_states(double h, const State& y_new);
    bool damped(double size);
    Dynamics& dynamics_;
    StiffSolver stiff_;
    AlphaWeights o_;
    bool begun_ = false;
    Twists first_, last_, mean_, mean_new_, base_, change_;  // accelerations at both ends, and the method's own
    // Auxiliary states stand to their rates as velocities to accelerations
    struct States {
        State first, last, mean, mean_new, base, change;
    } states_;
    int first_state_;
    BlockVector lam_, given_, mu_;
    Pushes reactions_;
    // The correction that led to the present accelerations, and the share of it that was taken
    struct Taken {
        Twists change;
        BlockVector mu;
        State states;
        double size = 0, share = 1;
    } taken_;
};

constexpr int usual_passes = 6;         // after which corrections that do not become smaller are taken in part
constexpr double least_share = 1e-4;

Twist twist(const double* x) { return {Vec3(x[at_v], x[at_v + 1], x[at_v + 2]), Vec3(x[at_w], x[at_w + 1], x[at_w + 2])}; }

GeneralisedAlpha::GeneralisedAlpha(Motion& motion, Given& given)
    : Stepper(motion, given, false), dynamics_(motion.dynamics()), stiff_(dynamics_), o_(filled<AlphaWeights>(given)) {
    for (Twists* x : {&first_, &last_, &mean_, &mean_new_, &base_, &change_}) x->resize(dynamics_.system().bodies.size());
    first_state_ = dynamics_.system().auxiliary_index();
    for (State* x : {&states_.first, &states_.last, &states_.mean, &states_.mean_new, &states_.base, &states_.change})
        x->assign(dynamics_.system().auxiliaries.size(), 0);
    reactions_.resize(first_.size() + 1);
    taken_.change.resize(first_.size());
    for (BlockVector* x : {&lam_, &given_, &mu_, &taken_.mu}) x->assign(dynamics_.rows.set().blocks.size(), Column{});
}

// State at the end of the step from the accelerations there
void GeneralisedAlpha::place(const State& y, double h, State& y_new) {
    const double am = o_.mean_acceleration, af = o_.mean_force;
    std::copy(y.begin(), y.end(), y_new.begin());
    for (std::size_t b = 0; b < first_.size(); ++b) {
        const auto mix = [&](const Vec3& now, const Vec3& before, const Vec3& mean) {
            return Vec3(((1 - af) * now + af * before - am * mean) / (1 - am));
        };
        mean_new_[b] = {mix(last_[b].v, first_[b].v, mean_[b].v), mix(last_[b].w, first_[b].w, mean_[b].w)};
        double* x = y_new.data() + body_size * b;
        const Twist u = twist(x);
        const auto moved = [&](const Vec3& rate, const Vec3& a0, const Vec3& a1) { return Vec3(h * rate + h * h * ((0.5 - o_.beta) * a0 + o_.beta * a1)); };
        const auto faster = [&](const Vec3& rate, const Vec3& a0, const Vec3& a1) { return Vec3(rate + h * ((1 - o_.gamma) * a0 + o_.gamma * a1)); };
        const Vec3 dr = moved(u.v, mean_[b].v, mean_new_[b].v), v = faster(u.v, mean_[b].v, mean_new_[b].v);
        const Vec3 w = faster(u.w, mean_[b].w, mean_new_[b].w);
        carry(x, dr, moved(u.w, mean_[b].w, mean_new_[b].w));
        for (int c = 0; c < 3; ++c) x[at_v + c] = v[c], x[at_w + c] = w[c];
    }
    place_states(y, h, y_new);
}

void GeneralisedAlpha::place_states(const State& y, double h, State& y_new) {
    const double am = o_.mean_acceleration, af = o_.mean_force;
    States& z = states_;
    for (std::size_t k = 0; k < z.last.size(); ++k) {
        z.mean_new[k] = ((1 - af) * z.last[k] + af * z.first[k] - am * z.mean[k]) / (1 - am);
        y_new[first_state_ + k] = y[first_state_ + k] + h * ((1 - o_.gamma) * z.mean[k] + o_.gamma * z.mean_new[k]);
    }
}

Traits GeneralisedAlpha::traits() const {
    Traits traits;
    traits.order = 2;
    traits.work = traits.repeatable = false;
    return traits;
}

Outcome GeneralisedAlpha::step(const Step& s) {
    for (std::size_t b = 0; b < first_.size(); ++b) first_[b] = last_[b] = twist(s.slope.data() + body_size * b);
    std::copy_n(s.slope.begin() + first_state_, states_.first.size(), states_.first.begin());
    states_.last = states_.first;
    if (!begun_) mean_ = first_, states_.mean = states_.first;
    begun_ = true;
    Outcome out;
    out.converged = iterate(s);
    return out;
}

// Newton on the accelerations and multipliers at the end of the step. Where friction turns about or a contact closes, whole
// corrections may lead to and fro for ever: then shares of them are taken (Deuflhard's test of natural monotonicity).
bool GeneralisedAlpha::iterate(const Step& s) {
    const double share = (1 - o_.mean_force) / (1 - o_.mean_acceleration);
    const double by_rate = o_.gamma * share * s.h, by_value = o_.beta * share * s.h * s.h;
    double before = 0;
    for (int pass = 0, tries = 0; pass < o_.iterations && tries < 4 * o_.iterations; ++tries) {
        place(s.y, s.h, s.y_new);
        residual(s.t + s.h, s.y_new, by_rate, by_value);
        stiff_.prepare(s.t + s.h);
        stiff_.factor(by_rate, by_value);
        stiff_.solve_given(base_, nullptr, given_, change_, mu_, states_.base.data());
        const double largest = largest_change();
        if (!std::isfinite(largest)) return false;
        if (pass > usual_passes && damped(largest)) continue;
        correct(largest);
        const double whole = largest_acceleration(), open = correct_states(s.h, s.y_new);
        const bool still = pass > 3 && largest < 1e-6 * whole && largest > 0.9 * before;
        if ((largest * by_value < o_.tolerance * s.h * s.h * whole + 1e-15 || still) && (open < o_.tolerance || (pass > 8 && open < 1e-6))) {
            place(s.y, s.h, s.y_new);
            return true;
        }
        before = largest;
        ++pass;
    }
    return false;
}

// In units of acceleration, joints' forces with the multipliers so far; and what is open of the joints
void GeneralisedAlpha::residual(double t, const State& y_new, double by_rate, double by_value) {
    dynamics_.place_rows(t, y_new.data());
    dynamics_.rows.find_values();
    dynamics_.load_motion(t, y_new.data());
    ++dynamics_.evaluations;
    dynamics_.rows.collect(lam_, reactions_);
    for (std::size_t b = 0; b < first_.size(); ++b) {
        const Twist& free = dynamics_.forces.free()[b];
        const Body& given = dynamics_.system().bodies[b];
        const Vec3 lent = given.lent_torque(dynamics_.placement.bodies()[b].A, last_[b].w);
        base_[b].v = free.v + dynamics_.placement.inverse().mass[b] * (given.lent_force(last_[b].v) - reactions_[b].f) - last_[b].v;
        base_[b].w = free.w + dynamics_.placement.inverse().inertia[b] * (lent - reactions_[b].t) - last_[b].w;
    }
    dynamics_.auxiliaries.write_rates(t, states_.base.data());
    for (std::size_t k = 0; k < states_.base.size(); ++k) states_.base[k] -= states_.last[k];
    if (o_.index == 2) dynamics_.rate_residual(y_new.data());
    const BlockVector& open = o_.index == 3 ? dynamics_.rows.phi() : dynamics_.rows.rate();
    const double by = o_.index == 3 ? by_value : by_rate;
    for (std::size_t k = 0; k < given_.size(); ++k) given_[k].clear(), given_[k].add(open[k], -1 / by);
}

double GeneralisedAlpha::largest_change() const {
    double largest = 0;
    for (std::size_t b = 0; b < first_.size(); ++b)
        largest = std::max(largest, std::max(change_[b].v.cwiseAbs().maxCoeff(), change_[b].w.cwiseAbs().maxCoeff()));
    return largest;
}

double GeneralisedAlpha::largest_acceleration() const {
    double largest = 1;
    for (const Twist& a : last_) largest = std::max(largest, std::max(a.v.cwiseAbs().maxCoeff(), a.w.cwiseAbs().maxCoeff()));
    return largest;
}

// Takes the whole correction, of this size
void GeneralisedAlpha::correct(double size) {
    for (std::size_t b = 0; b < first_.size(); ++b) {
        last_[b].v += change_[b].v;
        last_[b].w += change_[b].w;
    }
    for (std::size_t k = 0; k < lam_.size(); ++k) lam_[k].add(mu_[k], 1);
    taken_.change.swap(change_), taken_.mu.swap(mu_);
    taken_.size = size, taken_.share = 1;
}

// Goes back half of the way that the last correction led, if the next one is hardly smaller
bool GeneralisedAlpha::damped(double size) {
    if (size < (1 - 0.25 * taken_.share) * taken_.size || taken_.share < least_share || size < 1e-6 * largest_acceleration()) return false;
    taken_.share *= 0.5;
    for (std::size_t b = 0; b < first_.size(); ++b) {
        last_[b].v -= taken_.share * taken_.change[b].v;
        last_[b].w -= taken_.share * taken_.change[b].w;
    }
    for (std::size_t k = 0; k < lam_.size(); ++k) lam_[k].add(taken_.mu[k], -taken_.share);
    for (std::size_t k = 0; k < states_.last.size(); ++k) states_.last[k] -= taken_.share * taken_.states[k];
    return true;
}

// Takes the corrections of the rates of states; returns the largest change of a state over the step, by its size
double GeneralisedAlpha::correct_states(double h, const State& y_new) {
    states_.change = states_.base;
    stiff_.put_states(states_.change.data());
    double largest = 0;
    for (std::size_t k = 0; k < states_.last.size(); ++k) {
        states_.last[k] += states_.change[k];
        const double size = std::max(dynamics_.system().auxiliaries[k].size, std::abs(y_new[first_state_ + k]));
        largest = std::max(largest, h * std::abs(states_.change[k]) / size);
    }
    taken_.states = states_.change;
    return largest;
}

void GeneralisedAlpha::forget() {
    begun_ = false;
    for (Column& column : lam_) column.clear();
}

double GeneralisedAlpha::accept(const Step&, const Outcome&) {
    mean_.swap(mean_new_), states_.mean.swap(states_.mean_new);
    return 1;
}

}  // namespace

std::unique_ptr<Stepper> generalised_alpha(Motion& motion, Given& given) { return std::make_unique<GeneralisedAlpha>(motion, given); }

}  // namespace vincolo
