#include "integrators/stage_solver.hpp"

#include <algorithm>

#include "integrators/flow.hpp"
#include "integrators/radau_numbers.hpp"

namespace vincolo {

StageSolver::StageSolver(Dynamics& dynamics)
    : placement_(dynamics.placement), stiff_(dynamics), bodies_(dynamics.system().ground()), axes_(bodies_) {
    if (!serves()) return;
    const int laws = stiff_.laws();
    const std::size_t blocks = dynamics.rows.set().blocks.size();
    response_.assign(laws, Twists(bodies_));
    reaction_.assign(laws, BlockVector(blocks, vincolo::Column{}));
    P_.resize(laws, laws);
    for (int m = 0; m < 3; ++m) {
        for (Twists* x : {&base_[m], &moved_[m], &x_[m]}) x->resize(bodies_);
        for (BlockVector* x : {&given_[m], &mu_[m]}) x->assign(blocks, vincolo::Column{});
    }
}

template <class Number>
void StageSolver::Laws<Number>::factor(Number by, const StiffSolver& stiff, const Square<double>& P) {
    const int n = stiff.laws();
    s = by;
    c.resize(n), k.resize(n);
    for (int l = 0; l < n; ++l) k[l] = s * stiff.stiffness(l), c[l] = s * (stiff.damping(l) + k[l]);
    whole = Square<Number>::Identity(n, n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) whole(i, j) += c[i] * P(i, j);
    if (n > 0) lu.compute(whole);
}

void StageSolver::linearise(double t, double h, double s) {
    h_ = h, damping_ = stiffness_ = 0;
    for (int b = 0; b < bodies_; ++b) axes_[b] = placement_.bodies()[b].A;
    stiff_.prepare(t);
    stiff_.factor(0);  // laws carry nothing: the joints alone
    for (vincolo::Column& column : given_[0]) column.clear();
    for (int l = 0; l < stiff_.laws(); ++l) {
        stiff_.free_response(l, base_[0]);
        stiff_.solve_given(base_[0], nullptr, given_[0], response_[l], reaction_[l]);
        for (int j = 0; j < stiff_.laws(); ++j) P_(j, l) = stiff_.rate_along(j, response_[l]);
        damping_ = std::max(damping_, stiff_.damping(l) * P_(l, l));
        stiffness_ = std::max(stiffness_, stiff_.stiffness(l) * P_(l, l));
    }
    real_.factor(h / radau_numbers::gamma, stiff_, P_);
    complex_.factor(h / radau_numbers::pair, stiff_, P_);
    error_.factor(s, stiff_, P_);
}

// x less the responses to the forces z
void StageSolver::yield(const Column<double>& z, Twists& x) const {
    for (int l = 0; l < z.size(); ++l)
        for (int b = 0; b < bodies_; ++b) {
            x[b].v -= z[l] * response_[l][b].v;
            x[b].w -= z[l] * response_[l][b].w;
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
    if (index == 3) divide(given_[0], real_.s), divide(given_[1], given_[2], complex_.s);
    for (int m = 0; m < 3; ++m) stiff_.solve_given(base_[m], nullptr, given_[m], x_[m], mu_[m]);
}

// What the laws do to x, and to the multipliers
void StageSolver::push(bool multipliers) {
    const int n = stiff_.laws();
    Column<double> along[3], moved[3], z[3];
    for (int m = 0; m < 3; ++m) {
        along[m].resize(n), moved[m].resize(n);
        for (int l = 0; l < n; ++l) along[m][l] = stiff_.rate_along(l, x_[m]), moved[m][l] = stiff_.rate_along(l, moved_[m]);
    }
    const std::complex<double> i(0, 1);
    real_.solve(along[0], moved[0]);
    complex_.solve(along[1] + i * along[2], moved[1] + i * moved[2]);
    z[0] = real_.z, z[1] = complex_.z.real(), z[2] = complex_.z.imag();
    for (int m = 0; m < 3; ++m) {
        yield(z[m], x_[m]);
        for (int l = 0; l < n && multipliers; ++l)
            for (std::size_t k = 0; k < mu_[m].size(); ++k) mu_[m][k].subtract(reaction_[l][k], z[m][l]);
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
    if (index > 1) close(index, stages);
    else
        for (int m = 0; m < 3; ++m) x_[m] = base_[m];
    if (stiff_.any()) push(index > 1);
    if (index > 1) divide(mu_[0], real_.s), divide(mu_[1], mu_[2], complex_.s);
    for (const Stage& stage : stages) *stage.change = *stage.right;
    transform_back(at, stages);
    if (index == 1) return;
    for (int i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < mu_[0].size(); ++k) {
            vincolo::Column& mu = (*stages[i].mu)[k];
            mu.clear();
            for (int m = 0; m < 3; ++m) mu.add(mu_[m][k], radau_numbers::vectors[i][m]);
        }
}

void StageSolver::filter(const State& at, const State& right, State& change) {
    const int n = stiff_.laws();
    Twists &x = x_[0], &moved = moved_[0];
    for (int b = 0; b < bodies_; ++b) {
        const Twist u = velocity(right.data() + body_size * b), way = displacement(at.data() + body_size * b, right.data() + body_size * b);
        x[b] = {axes_[b] * u.v, axes_[b] * u.w};
        moved[b] = {-way.v, -way.w};
    }
    if (n > 0) {
        Column<double> along(n), against(n);
        for (int l = 0; l < n; ++l) along[l] = stiff_.rate_along(l, x), against[l] = stiff_.rate_along(l, moved);
        error_.solve(along, against);
        yield(error_.z, x);
    }
    change = right;
    for (int b = 0; b < bodies_; ++b) {
        double* out = change.data() + body_size * b;
        add_displacement(at.data() + body_size * b, x[b], error_.s, out);
        put_velocity(out, axes_[b].transpose() * x[b].v, axes_[b].transpose() * x[b].w);
    }
}

}  // namespace vincolo
