#include "integrators/radau.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrators/radau_numbers.hpp"

namespace vincolo {

namespace {

using radau_numbers::A, radau_numbers::node, radau_numbers::root6;

// A = T U with T lower triangular and U of unit diagonal
struct Triangle {
    double T[3][3] = {};
    Triangle() {
        double U[3][3] = {};
        for (int j = 0; j < 3; ++j) {
            for (int i = j; i < 3; ++i) {
                T[i][j] = A[i][j];
                for (int k = 0; k < j; ++k) T[i][j] -= T[i][k] * U[k][j];
            }
            for (int i = j + 1; i < 3; ++i) {
                U[j][i] = A[j][i];
                for (int k = 0; k < j; ++k) U[j][i] -= T[j][k] * U[k][i];
                U[j][i] /= T[j][j];
            }
        }
    }
};
const Triangle triangle;

struct RadauOptions {
    int index = 1;  // 1, 2, 3: the stages hold the constraints of accelerations, velocities or positions
    template <class Fields>
    void fields(Fields& f) { f("index", index); }
};

}  // namespace

Radau::Radau(Motion& motion, Given& given, const StiffSolver& like)
    : Stepper(motion, given, true), direct_(motion.dynamics(), like), flow_(motion.dynamics(), motion.tolerances(), 4, like),
      index_(filled<RadauOptions>(given).index) {
    // not on positions: velocities of index 3 are off along M^-1 J^T, and only the metric of the masses takes that back
    if (index_ < 3) motion.landing().soften();
    const std::size_t size = flow_.size();
    for (Stage& stage : stages_)
        for (BlockVector* x : {&stage.lam, &stage.open, &stage.mu}) x->assign(motion.dynamics().rows.set().blocks.size(), Column{});
    for (Stage& stage : stages_)
        for (State* x : {&stage.z, &stage.f, &stage.rest, &stage.change, &stage.flow, &stage.before}) x->assign(size, 0);
    for (State& x : previous_) x.assign(size, 0);
    for (State* x : {&start_, &first_, &at_, &error_, &right_, &step_}) x->assign(size, 0);
    for (State* x : {&between_[0], &between_[1], &passed_}) *x = motion.state();
}

// The last step's collocation polynomial, carried on; at the start, the slope
void Radau::predict(double h) {
    if (previous_step_ <= 0) {
        for (int i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < at_.size(); ++k) stages_[i].z[k] = node[i] * h * first_[k];
        return;
    }
    const double ratio = h / previous_step_;
    double weight[3][3];  // Lagrange polynomials through 0 and the nodes, at 1 + ratio node, less those at 1
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double x = 1 + ratio * node[i];
            double p = x / node[j];
            for (int k = 0; k < 3; ++k)
                if (k != j) p *= (x - node[k]) / (node[j] - node[k]);
            weight[i][j] = p - (j == 2 ? 1 : 0);
        }
    for (int i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < at_.size(); ++k)
            stages_[i].z[k] = weight[i][0] * previous_[0][k] + weight[i][1] * previous_[1][k] + weight[i][2] * previous_[2][k];
}

// rest_i = z_i - h sum a_ij f_j
void Radau::residual(double h, int i) {
    Stage& stage = stages_[i];
    for (std::size_t k = 0; k < at_.size(); ++k) {
        double r = stage.z[k];
        for (int j = 0; j < 3; ++j) r -= h * A[i][j] * stages_[j].f[k];
        stage.rest[k] = r;
    }
}

// Newton's correction (1 - h A F) change = -rest
double Radau::correct(double h) {
    const double largest = at_once_ ? correct_at_once() : correct_by_rounds(h);
    for (int i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < at_.size(); ++k) stages_[i].z[k] += stages_[i].change[k];
        for (std::size_t k = 0; k < stages_[i].lam.size() && index_ > 1; ++k) stages_[i].lam[k].add(stages_[i].mu[k], 1);
    }
    return largest;
}

double Radau::correct_at_once() {
    for (Stage& stage : stages_)
        for (double& x : stage.rest) x = -x;
    Stage* s = stages_;
    direct_.correct(index_, start_, {{&s[0].rest, &s[0].open, &s[0].change, &s[0].mu},
                                     {&s[1].rest, &s[1].open, &s[1].change, &s[1].mu},
                                     {&s[2].rest, &s[2].open, &s[2].change, &s[2].mu}});
    double largest = 0;
    for (const Stage& stage : stages_) largest = std::max(largest, flow_.measure(stage.change));
    return largest;
}

// With T in place of A, in rounds that need no new slopes
double Radau::correct_by_rounds(double h) {
    constexpr int rounds = 12;
    for (int i = 0; i < 3; ++i) std::fill(stages_[i].flow.begin(), stages_[i].flow.end(), 0.0);
    double largest = 0;
    for (int round = 0; round < rounds; ++round) {
        double moved = 0;
        largest = 0;
        for (int i = 0; i < 3; ++i) stages_[i].before = stages_[i].flow;
        for (int i = 0; i < 3; ++i) {
            Stage& stage = stages_[i];
            const double s = h * triangle.T[i][i];
            for (std::size_t k = 0; k < at_.size(); ++k) {
                double r = -stage.rest[k];
                for (int j = 0; j < 3; ++j) r += h * (A[i][j] - triangle.T[i][j]) * stages_[j].before[k];
                for (int j = 0; j < i; ++j) r += h * triangle.T[i][j] * stages_[j].flow[k];
                right_[k] = r;
            }
            step_ = stage.change;
            if (index_ == 1) flow_.invert(i, start_, right_, stage.change);
            else flow_.invert_closing(i, index_, start_, right_, stage.open, stage.change, stage.mu);
            for (std::size_t k = 0; k < at_.size(); ++k) {
                stage.flow[k] = (stage.change[k] - right_[k]) / s;
                step_[k] = stage.change[k] - (round == 0 ? 0 : step_[k]);
            }
            largest = std::max(largest, flow_.measure(stage.change));
            moved = std::max(moved, flow_.measure(step_));
        }
        if (round > 0 && moved < 0.1 * largest) break;
    }
    return largest;
}

// (1 - h g F)^-1 g (h f_0 + sum e_i z_i), g = T_00
double Radau::estimate(double h, const State& f) {
    const double g = triangle.T[0][0], e[3] = {-(13 + 7 * root6) / 3, (-13 + 7 * root6) / 3, -1.0 / 3};
    for (std::size_t k = 0; k < at_.size(); ++k)
        at_[k] = g * (h * f[k] + e[0] * stages_[0].z[k] + e[1] * stages_[1].z[k] + e[2] * stages_[2].z[k]);
    if (at_once_) direct_.filter(start_, at_, error_);
    else flow_.invert(3, start_, at_, error_);
    return flow_.measure(error_);
}

Traits Radau::traits() const {
    Traits traits;
    traits.implicit = traits.smooth = true;
    traits.soft = index_ < 3;
    return traits;
}

void Radau::start_from(const Step& s) {
    flow_.scale_by(s.y, index_ == 3 ? std::min(1.0, s.h) : 1);  // velocities are one order behind positions there
    flow_.to_body(s.y, start_);
    flow_.known_slope(s.y, s.slope, first_);
    choose_solver(s);
    if (index_ > 1) {
        if (!multipliers_known_) find_multipliers(s.t);
        for (Stage& stage : stages_) stage.lam = multipliers_, stage.f = first_;
    }
    predict(s.h);
}

// All stages at once, unless laws are many, or so stiff that each stage has to be closed along its own directions of them:
// what is left of a velocity there is magnified in accelerations, and between the ends of steps the motion follows them
void Radau::choose_solver(const Step& s) {
    constexpr double stiffest = 1e6;
    if (at_once_ && direct_.strength(s.h) < stiffest) return;
    flow_.place(s.t, s.y);
    if (direct_.serves()) direct_.linearise(index_, s.t, s.h, s.h * triangle.T[0][0]);
    at_once_ = direct_.serves() && direct_.strength(s.h) < stiffest;
    if (!at_once_) flow_.linearise(3, s.t, s.h * triangle.T[0][0]);
}

void Radau::find_multipliers(double t) {
    flow_.slope(t, start_, step_);
    multipliers_ = flow_.dynamics().solve.multipliers();
    multipliers_known_ = true;
}

// The slope of a stage, and what is open of the joints there
void Radau::evaluate(const Step& s, int i) {
    const double now = s.t + node[i] * s.h;
    for (std::size_t k = 0; k < at_.size(); ++k) at_[k] = start_[k] + stages_[i].z[k];
    if (index_ == 1) {
        flow_.slope(now, at_, stages_[i].f);
    } else {
        flow_.slope_given(now, at_, stages_[i].lam, stages_[i].f);
        flow_.open_joints(index_, stages_[i].open);
    }
    // once in a step, where the stage stands: stiff laws turn with the bodies
    if (passes_ > 0) return;
    if (!at_once_) flow_.linearise(i, now, s.h * triangle.T[i][i]);
    else if (i == 1) direct_.linearise(index_, now, s.h, s.h * triangle.T[0][0]);
}

bool Radau::converge(const Step& s) {
    const double foretold = at_once_ ? std::min(0.02, std::sqrt(motion_.tolerances().rtol)) : 0.02;
    if (!at_once_) carried_rate_ = 1;  // very stiff laws magnify what is left
    double before = 0, rate = 0;
    bool done = false;
    for (passes_ = 0; passes_ < most_passes && !done; ++passes_) {
        for (int i = 0; i < 3; ++i) evaluate(s, i);
        for (int i = 0; i < 3; ++i) residual(s.h, i);
        const double largest = correct(s.h);
        if (!std::isfinite(largest)) break;
        if (passes_ > 0) {
            rate = largest / before;
            if (rate > 2 || (passes_ > 2 && rate >= 1)) break;
        }
        // what is left is foretold by the rate; before there is one by that of the last step, with more care the less is asked for
        const double share = passes_ == 0 ? carried_rate_ : rate < 1 ? rate / (1 - rate) : 1;
        done = largest * share < (passes_ == 0 ? foretold : 0.02) || largest < 1e-10;
        before = std::max(largest, 1e-300);
        if (passes_ > 0) carried_rate_ = std::min(1.0, std::pow(share, 0.8));
    }
    if (!done) carried_rate_ = 1;
    return done;
}

Outcome Radau::step(const Step& s) {
    Outcome out;
    start_from(s);
    if (!converge(s)) {
        previous_step_ = 0;
        out.error = std::numeric_limits<double>::quiet_NaN();
        return out;
    }
    if (index_ > 1 && flow_.dynamics().rows.do_work()) integrate_work(s.t, s.h);
    for (std::size_t k = 0; k < at_.size(); ++k) at_[k] = start_[k] + stages_[2].z[k];
    flow_.to_world(at_, s.y_new);
    out.error = estimate(s.h, first_);
    out.stands = index_ == 1;
    if (out.error > 1 && (fresh_ || repeated_)) {  // once more where the estimate itself is, which damps its stiff part
        for (std::size_t k = 0; k < at_.size(); ++k) at_[k] = start_[k] + error_[k];
        flow_.slope(s.t, at_, step_);
        out.error = estimate(s.h, step_);
        out.stands = false;
    }
    if (out.error <= 1) out.growth = growth(s.h, out.error);
    return out;
}

// Gustafsson: the errors of two steps foretell the third
double Radau::growth(double h, double error) const {
    const double e = std::max(error, 1e-4);
    double grow = 0.9 * (2 * most_passes + 1.0) / (2 * most_passes + passes_) * std::pow(e, -0.25);
    if (accepted_step_ > 0) grow = std::min(grow, 0.9 * h / accepted_step_ * std::pow(accepted_error_ / (e * e), 0.25));
    return std::min(repeated_ ? 1.0 : 8.0, std::max(0.2, grow));
}

// Multipliers of index 2 and 3 are of lower order than the motion; work of drives is summed up with those of the accelerations
void Radau::integrate_work(double t, double h) {
    const int work = flow_.dynamics().system().work_index();
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < at_.size(); ++k) at_[k] = start_[k] + stages_[i].z[k];
        flow_.slope(t + node[i] * h, at_, step_);
        sum += h * A[2][i] * step_[work];
    }
    stages_[2].z[work] = sum;
}

void Radau::keep(const Step& s, const Outcome& outcome) {
    for (int i = 0; i < 3; ++i) previous_[i].swap(stages_[i].z);
    previous_step_ = accepted_step_ = s.h;
    accepted_error_ = std::max(std::max(outcome.error, 1e-4), 1e-2);
    repeated_ = false;
}

// The landing has just found the multipliers, with the slope
double Radau::accept(const Step&, const Outcome& outcome) {
    fresh_ = false;
    if (index_ > 1) multipliers_ = flow_.dynamics().solve.multipliers();
    multipliers_known_ = index_ > 1;
    return outcome.growth;
}

// States and accelerations at both ends are best where the motion is smooth. Stiff forces magnify what is left of velocities in
// accelerations: where these would lead past the stages, the stages are followed.
void Radau::extend(const Step& s) {
    const auto stage = [&](int i) {
        for (std::size_t k = 0; k < at_.size(); ++k) at_[k] = start_[k] + previous_[i][k];
        flow_.to_world(at_, between_[i]);
    };
    Stepper::extend(s);
    extension_.at(node[1], s.y, passed_);
    stage(1);
    for (std::size_t k = 0; k < at_.size(); ++k) passed_[k] -= between_[1][k];
    if (flow_.measure(passed_) <= 1) return;  // as near as the step itself
    stage(0);
    for (int i = 0; i < 2; ++i) extension_.term(3 + i) = between_[i];
    extension_.by_nodes(s, motion_, node[0], node[1]);
}

void Radau::forget() {
    Stepper::forget();
    previous_step_ = accepted_step_ = 0;
    accepted_error_ = carried_rate_ = 1;
    fresh_ = true, multipliers_known_ = at_once_ = false;
}

std::unique_ptr<Stepper> radau(Motion& motion, Given& given) { return std::make_unique<Radau>(motion, given); }

}  // namespace vincolo
