// Coordinate partitioning (Wehage, Haug): J = (J_d J_i) on dependent and independent coordinates; with H = J_d^-1 J_i the
// motion is a_d = J_d^-1 gamma - H a_i. The dependent ones are the pivots of Gauss-Jordan, LU or QR.
#include <cmath>
#include <numeric>

#include "formulations/solver.hpp"

namespace vincolo {

namespace {

// What the three eliminations share: order of the columns, H, and J_d^-1 applied to right-hand sides
class Elimination {
  public:
    Elimination(const Equations& e, double tolerance) : tolerance_(tolerance), order_(e.n), h_(Matrix::Zero(e.m, e.n)) {}
    virtual ~Elimination() = default;
    // Pivots are looked for among the columns of `dependent` first where it is given
    virtual void factor(const Matrix& J, const char* dependent) = 0;
    virtual void reduce(const Vector& x, Vector& out) = 0;  // the first rank entries of out
    int rank() const { return rank_; }
    const std::vector<int>& order() const { return order_; }
    auto H() const { return h_.topLeftCorner(rank_, h_.cols() - rank_); }

  protected:
    double tolerance_;
    std::vector<int> order_;
    int rank_ = 0;
    Matrix h_;
};

// Total pivoting, rows swapped in place; Jordan clears above the pivots too and leaves (I H), otherwise (L\U).
class Gauss : public Elimination {
  public:
    Gauss(const Equations& e, double tolerance, bool jordan)
        : Elimination(e, tolerance), jordan_(jordan), a_(Matrix::Zero(e.m, e.n + (jordan ? e.m : 0))), rows_(e.m), work_(Vector::Zero(e.m)) {}

    void factor(const Matrix& J, const char* dependent) override {
        const int m = static_cast<int>(J.rows()), n = static_cast<int>(J.cols());
        a_.leftCols(n) = J;
        if (jordan_) a_.rightCols(m).setIdentity();  // records the row operations
        std::iota(order_.begin(), order_.end(), 0);
        std::iota(rows_.begin(), rows_.end(), 0);
        const double least = J.size() ? tolerance_ * J.cwiseAbs().maxCoeff() : 0;
        rank_ = 0;
        for (int k = 0; k < std::min(m, n); ++k) {
            int row = -1, column = -1;
            double best = least;
            for (const bool preferred : {true, false}) {
                if (row >= 0 || (preferred && !dependent)) continue;
                for (int j = k; j < n; ++j)
                    if (!preferred || dependent[order_[j]])
                        for (int i = k; i < m; ++i)
                            if (std::abs(a_(i, j)) > best) best = std::abs(a_(i, j)), row = i, column = j;
            }
            if (row < 0) break;
            std::swap(order_[k], order_[column]);
            std::swap(rows_[k], rows_[row]);
            if (column != k) a_.col(k).swap(a_.col(column));
            if (row != k) a_.row(k).swap(a_.row(row));
            eliminate(k, n);
            ++rank_;
        }
        h_.topLeftCorner(rank_, n - rank_) = a_.block(0, rank_, rank_, n - rank_);
        if (!jordan_ && rank_ > 0 && rank_ < n) {
            auto h = h_.topLeftCorner(rank_, n - rank_);
            solve_upper_columns(a_.topLeftCorner(rank_, rank_), h);
        }
    }

    void reduce(const Vector& x, Vector& out) override {
        if (rank_ == 0) return;
        if (jordan_) {
            work_ = x;
            apply(a_.rightCols(x.size()).topRows(rank_), work_, out.head(rank_));
            return;
        }
        for (int k = 0; k < rank_; ++k) work_[k] = x[rows_[k]];
        auto y = work_.head(rank_);
        const auto lu = a_.topLeftCorner(rank_, rank_);
        solve_unit_lower(lu, y);
        solve_upper(lu, y);
        out.head(rank_) = y;
    }

  private:
    void eliminate(int k, int n) {
        const int m = static_cast<int>(a_.rows()), width = static_cast<int>(a_.cols());
        const double pivot = a_(k, k);
        if (jordan_) {
            a_.row(k).tail(width - k) /= pivot;
            for (int i = 0; i < m; ++i) {
                const double factor = a_(i, k);
                if (i == k || factor == 0) continue;
                a_.row(i).tail(width - k) -= factor * a_.row(k).tail(width - k);
            }
        } else {
            for (int i = k + 1; i < m; ++i) {
                const double factor = a_(i, k) / pivot;
                a_(i, k) = factor;
                if (factor != 0) a_.row(i).segment(k + 1, n - k - 1) -= factor * a_.row(k).segment(k + 1, n - k - 1);
            }
        }
    }
    bool jordan_;
    Matrix a_;
    std::vector<int> rows_;
    Vector work_;
};

class QrElimination : public Elimination {
  public:
    QrElimination(const Equations& e, double tolerance) : Elimination(e, tolerance), work_(Vector::Zero(e.m)) {
        qr_.resize(e.m, e.n);
    }
    void factor(const Matrix& J, const char* dependent) override {
        qr_.factor(J, tolerance_, dependent);
        rank_ = qr_.rank();
        for (std::size_t k = 0; k < order_.size(); ++k) order_[k] = qr_.column(static_cast<int>(k));
        if (rank_ == 0 || rank_ == J.cols()) return;
        auto h = h_.topLeftCorner(rank_, J.cols() - rank_);
        h = qr_.R().rightCols(J.cols() - rank_);
        solve_upper_columns(qr_.R().leftCols(rank_), h);
    }
    void reduce(const Vector& x, Vector& out) override {
        if (rank_ == 0) return;
        work_ = x;
        qr_.apply_transposed(work_);
        auto y = work_.head(rank_);
        solve_upper(qr_.R().leftCols(rank_), y);
        out.head(rank_) = y;
    }

  private:
    PivotedQR qr_;
    Vector work_;
};

class Partitioning : public DenseSolver {
  public:
    Partitioning(const Equations& e, FormulationOptions& o)
        : kept_(o.integrates != "all"), motion_(e), reactions_(e, o.rank_tolerance), basis_(Matrix::Zero(e.n, e.n)), held_(Vector::Zero(e.n)),
          part_(Vector::Zero(std::max(e.m, e.n))), dependent_(e.n, 0) {
        const std::string by = filled<Decomposition>(o.given).by;
        if (by == "qr") elimination_ = std::make_unique<QrElimination>(e, o.rank_tolerance);
        else elimination_ = std::make_unique<Gauss>(e, o.rank_tolerance, by == "gauss_jordan");
    }

    Failure reduce(const Equations& e) override {
        elimination_->factor(e.J, chosen_ ? dependent_.data() : nullptr);
        if (!chosen_) choose();
        return Failure::None;
    }

    Failure solve(Equations& e) override {
        const int r = elimination_->rank(), f = e.n - r;
        const std::vector<int>& order = elimination_->order();
        elimination_->reduce(e.gamma, part_);
        held_.setZero();
        for (int k = 0; k < r; ++k) held_[order[k]] = part_[k];
        auto V = basis_.leftCols(f);
        V.setZero();
        for (int j = 0; j < f; ++j) V(order[r + j], j) = 1;
        for (int k = 0; k < r; ++k) V.row(order[k]) = -elimination_->H().row(k);
        const Failure failure = motion_.solve(V, held_, e);
        if (failure == Failure::None && e.reactions) reactions_.find(e);
        return failure;
    }

    Failure correct(const Equations&, const Vector& residual, Vector& change) override {
        elimination_->reduce(residual, part_);
        change.setZero();
        for (int k = 0; k < elimination_->rank(); ++k) change[elimination_->order()[k]] = -part_[k];
        return Failure::None;
    }

    Failure renew(const Equations& e) override {
        if (!kept_) return Failure::None;
        chosen_ = false;
        return reduce(e);
    }

  private:
    void choose() {
        ++decompositions;
        if (!kept_) return;
        std::fill(dependent_.begin(), dependent_.end(), 0);
        for (int k = 0; k < elimination_->rank(); ++k) dependent_[elimination_->order()[k]] = 1;
        chosen_ = true;
    }
    bool kept_, chosen_ = false;
    std::unique_ptr<Elimination> elimination_;
    ReducedMotion motion_;
    Reactions reactions_;
    Matrix basis_;
    Vector held_, part_;
    std::vector<char> dependent_;
};

}  // namespace

std::unique_ptr<DenseSolver> partitioning(const Equations& e, FormulationOptions& o) { return std::make_unique<Partitioning>(e, o); }

}  // namespace vincolo
