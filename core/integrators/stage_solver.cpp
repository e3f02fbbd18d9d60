#include "integrators/stage_solver.hpp"

#include <algorithm>

#include "integrators/flow.hpp"
#include "integrators/radau_numbers.hpp"

namespace vincolo {

StageSolver::StageSolver(Dynamics& dynamics, const StiffSolver& like)
    : placement_(dynamics.placement), stiff_(like), bodies_(dynamics.system().ground()),
      first_state_(dynamics.system().auxiliary_index()), axes_(bodies_) {
    stiff_.forget();
    if (!serves()) return;
    const int laws = answers(), lines = stiff_.couplings().lines();
    const std::size_t blocks = dynamics.rows.set().blocks.size();
    response_.assign(laws, Twists(bodies_));
    reaction_.assign(laws, BlockVector(blocks, Column{}));
    P_.setZero(lines, laws);
    real_.resize(laws), complex_.resize(laws), error_.resize(laws);
    for (int m = 0; m < 3; ++m)
        for (std::vector<double>* x : {&along_[m], &against_[m]}) x->assign(lines, 0);
    for (auto& x : pair_) x.assign(std::max<std::size_t>(lines, dynamics.system().auxiliaries.size()), 0);
    for (auto& x : states_) x.assign(dynamics.system().auxiliaries.size(), 0);
    for (int m = 0; m < 3; ++m) {
        for (Twists* x : {&base_[m], &moved_[m], &x_[m]}) x->resize(bodies_);
        for (BlockVector* x : {&given_[m], &mu_[m]}) x->assign(blocks, Column{});
    }
}

void StageSolver::find_responses(int index, double t) {
    if (index > 1) {
        stiff_.prepare(t);
        stiff_.factor(0);  // laws carry nothing: the joints alone
    } else {
        stiff_.look(t);
    }
    for (int l = 0; l < answers(); ++l) {
        if (stiff_.couplings().is_state(l)) continue;
        if (index > 1) stiff_.respond(l, response_[l], reaction_[l], P_.col(l).data());
        else stiff_.respond_there(l, response_[l], P_.col(l).data());
    }
}

void StageSolver::linearise(int index, double t, double h, double s) {
    h_ = h;
    for (int b = 0; b < bodies_; ++b) axes_[b] = placement_.bodies()[b].A;
    find_responses(index, t);
    find_strength();
    const double by = h / radau_numbers::gamma;
    const std::complex<double> pair = h / radau_numbers::pair;
    real_.factor(by, by * by, stiff_.couplings(), P_);
    complex_.factor(pair, pair * pair, stiff_.couplings(), P_);
    error_.factor(s, s * s, stiff_.couplings(), P_);
}

void StageSolver::find_strength() {
    damping_ = stiffness_ = 0;
    for (int l = 0; l < answers(); ++l) {
        const Couplings::Answer& answer = stiff_.couplings().answer(l);
        for (int k = answer.first; k < answer.first + answer.count; ++k) {
            const AnswerSlope& slope = stiff_.couplings().slope(k);
            if (slope.index < 0 || slope.source == Source::Auxiliary) continue;
            double& most = slope.source == Source::Rate ? damping_ : stiffness_;
            most = std::max(most, std::abs(slope.value * P_(slope.index, l)));
        }
    }
}

// What the laws push, with what it does to the motion and the multipliers of one system
template <class Number, class Part>
void StageSolver::yield(const Complement<Number, most_answers>& pushed, Part part, int m, bool multipliers) {
    for (int l = 0; l < answers(); ++l) {
        if (stiff_.couplings().is_state(l)) continue;
        const double w = part(pushed[l]);
        add_scaled(x_[m], w, response_[l], bodies_);
        for (std::size_t k = 0; k < mu_[m].size() && multipliers; ++k) mu_[m][k].add(reaction_[l][k], w);
    }
}

void StageSolver::transform(const State& at, const Stage (&stages)[3]) {
    for (int b = 0; b < bodies_; ++b) {
        Twist u[3], moved[3];
        for (int i = 0; i < 3; ++i) {
            const double* r = stages[i].right->data() + body_size * b;
            const Twist turned = velocity(r);
            u[i] = {axes_[b] * turned.v, axes_[b] * turned.w};
            moved[i] = displacement(at.data() + body_size * b, r);
        }
        for (int m = 0; m < 3; ++m) {
            const double* w = radau_numbers::inverse_vectors[m];
            base_[m][b] = {w[0] * u[0].v + w[1] * u[1].v + w[2] * u[2].v, w[0] * u[0].w + w[1] * u[1].w + w[2] * u[2].w};
            moved_[m][b] = {-(w[0] * moved[0].v + w[1] * moved[1].v + w[2] * moved[2].v), -(w[0] * moved[0].w + w[1] * moved[1].w + w[2] * moved[2].w)};
        }
    }
}

namespace {

// x / s, and (x + i y) / s
void divide(BlockVector& x, double s) {
    for (Column& column : x) column.scale(1 / s);
}

void divide(BlockVector& x, BlockVector& y, std::complex<double> s) {
    const std::complex<double> q = 1.0 / s;
    for (std::size_t k = 0; k < x.size(); ++k) {
        const Column before = x[k];
        x[k].scale(q.real()), x[k].add(y[k], -q.imag());
        y[k].scale(q.real()), y[k].add(before, q.imag());
    }
}

}  // namespace

// J x = -open (index 2), or J (right + s x) = -open for displacements (index 3)
void StageSolver::close(int index, const Stage (&stages)[3]) {
    for (int m = 0; m < 3; ++m) {
        if (index == 3) stiff_.joint_rates(moved_[m], given_[m]);
        for (std::size_t k = 0; k < given_[m].size(); ++k) {
            if (index == 2) given_[m][k].clear();
            for (int i = 0; i < 3; ++i) given_[m][k].subtract((*stages[i].open)[k], radau_numbers::inverse_vectors[m][i]);
        }
    }
    if (index == 3) divide(given_[0], real_.by_rate()), divide(given_[1], given_[2], complex_.by_rate());
    for (int m = 0; m < 3; ++m) stiff_.solve_given(base_[m], nullptr, given_[m], x_[m], mu_[m]);
}

// What the laws do to x, and to the multipliers
void StageSolver::push(bool multipliers) {
    const Couplings& couplings = stiff_.couplings();
    for (int m = 0; m < 3; ++m) couplings.rates(x_[m], along_[m].data()), couplings.rates(moved_[m], against_[m].data());
    for (int n = 0; n < couplings.lines(); ++n) pair_[0][n] = {along_[1][n], along_[2][n]}, pair_[1][n] = {against_[1][n], against_[2][n]};
    for (std::size_t k = 0; k < states_[0].size(); ++k) pair_[2][k] = {states_[1][k], states_[2][k]};
    real_.solve(couplings, along_[0].data(), against_[0].data(), states_[0].data());
    complex_.solve(couplings, pair_[0].data(), pair_[1].data(), pair_[2].data());
    yield(real_, [](double w) { return w; }, 0, multipliers);
    yield(complex_, [](std::complex<double> w) { return w.real(); }, 1, multipliers);
    yield(complex_, [](std::complex<double> w) { return w.imag(); }, 2, multipliers);
}

void StageSolver::transform_states(const Stage (&stages)[3]) {
    for (int m = 0; m < 3; ++m)
        for (std::size_t k = 0; k < states_[m].size(); ++k) {
            states_[m][k] = 0;
            for (int i = 0; i < 3; ++i) states_[m][k] += radau_numbers::inverse_vectors[m][i] * (*stages[i].right)[first_state_ + k];
        }
}

void StageSolver::put_states(const Stage (&stages)[3]) const {
    for (int l = 0; l < answers(); ++l) {
        if (!stiff_.couplings().is_state(l)) continue;
        const double found[] = {real_[l], complex_[l].real(), complex_[l].imag()};
        for (int i = 0; i < 3; ++i) {
            const double* w = radau_numbers::vectors[i];
            (*stages[i].change)[first_state_ + stiff_.couplings().answer(l).state] = w[0] * found[0] + w[1] * found[1] + w[2] * found[2];
        }
    }
}

void StageSolver::transform_back(const State& at, const Stage (&stages)[3]) const {
    for (int b = 0; b < bodies_; ++b) {
        Twist u[3];
        for (int i = 0; i < 3; ++i) {
            const double* w = radau_numbers::vectors[i];
            u[i] = {w[0] * x_[0][b].v + w[1] * x_[1][b].v + w[2] * x_[2][b].v, w[0] * x_[0][b].w + w[1] * x_[1][b].w + w[2] * x_[2][b].w};
            put_velocity(stages[i].change->data() + body_size * b, axes_[b].transpose() * u[i].v, axes_[b].transpose() * u[i].w);
        }
        for (int i = 0; i < 3; ++i) {
            const double* a = radau_numbers::A[i];
            const Twist way{a[0] * u[0].v + a[1] * u[1].v + a[2] * u[2].v, a[0] * u[0].w + a[1] * u[1].w + a[2] * u[2].w};
            add_displacement(at.data() + body_size * b, way, h_, stages[i].change->data() + body_size * b);
        }
    }
}

void StageSolver::correct(int index, const State& at, const Stage (&stages)[3]) {
    transform(at, stages);
    transform_states(stages);
    if (index > 1) close(index, stages);
    else
        for (int m = 0; m < 3; ++m) x_[m] = base_[m];
    if (stiff_.any()) push(index > 1);
    if (index > 1) divide(mu_[0], real_.by_rate()), divide(mu_[1], mu_[2], complex_.by_rate());
    for (const Stage& stage : stages) *stage.change = *stage.right;
    transform_back(at, stages);
    put_states(stages);
    if (index == 1) return;
    for (int i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < mu_[0].size(); ++k) {
            Column& mu = (*stages[i].mu)[k];
            mu.clear();
            for (int m = 0; m < 3; ++m) mu.add(mu_[m][k], radau_numbers::vectors[i][m]);
        }
}

void StageSolver::filter(const State& at, const State& right, State& change) {
    Twists &x = x_[0], &moved = moved_[0];
    for (int b = 0; b < bodies_; ++b) {
        const Twist u = velocity(right.data() + body_size * b), way = displacement(at.data() + body_size * b, right.data() + body_size * b);
        x[b] = {axes_[b] * u.v, axes_[b] * u.w};
        moved[b] = {-way.v, -way.w};
    }
    if (answers() > 0) {
        stiff_.couplings().rates(x, along_[0].data()), stiff_.couplings().rates(moved, against_[0].data());
        error_.solve(stiff_.couplings(), along_[0].data(), against_[0].data(), right.data() + first_state_);
        yield(error_, [](double w) { return w; }, 0, false);
    }
    change = right;
    for (int l = 0; l < answers(); ++l)
        if (stiff_.couplings().is_state(l)) change[first_state_ + stiff_.couplings().answer(l).state] = error_[l];
    for (int b = 0; b < bodies_; ++b) {
        double* out = change.data() + body_size * b;
        add_displacement(at.data() + body_size * b, x[b], error_.by_rate(), out);
        put_velocity(out, axes_[b].transpose() * x[b].v, axes_[b].transpose() * x[b].w);
    }
}

}  // namespace vincolo
