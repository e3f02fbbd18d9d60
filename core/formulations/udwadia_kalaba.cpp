// Udwadia-Kalaba: the accelerations nearest to the free ones in the kinetic norm. With M = L L^T and D = J L^-T:
// a = a_free + L^-T D^+ (gamma - J a_free), lam = -(D D^T)^+ (gamma - J a_free). Five ways to D^+ (Vita, chapter 2).
#include <cmath>

#include "formulations/solver.hpp"

namespace vincolo {

namespace {

// x = D^+ b and, where it comes along, y = (D D^T)^+ b
class Pseudoinverse {
  public:
    virtual ~Pseudoinverse() = default;
    virtual void factor(const Matrix& Dt) = 0;  // D^T, n by m
    virtual void apply(const Vector& b, Vector& x, Vector& y) = 0;
    virtual bool spreads() const { return true; }  // y is the one of minimum norm
};

class BySvd : public Pseudoinverse {
  public:
    BySvd(int n, int m, double tolerance) : tolerance_(tolerance), svd_(n, m), part_(Vector::Zero(m)) {}
    void factor(const Matrix& Dt) override { svd_.factor(Dt, tolerance_); }
    void apply(const Vector& b, Vector& x, Vector& y) override {
        auto part = part_.head(svd_.rank());
        vincolo::apply_transposed(svd_.V(), b, part);
        part.array() /= svd_.S().array();
        vincolo::apply(svd_.U().leftCols(svd_.rank()), part, x);
        part.array() /= svd_.S().array();
        vincolo::apply(svd_.V(), part, y);
    }

  private:
    double tolerance_;
    Svd svd_;
    Vector part_;
};

class ByDoubleQr : public Pseudoinverse {  // Varga
  public:
    ByDoubleQr(int n, int m, double tolerance) : tolerance_(tolerance), d_(Matrix::Zero(m, n)) { factors_.resize(m, n); }
    void factor(const Matrix& Dt) override {
        d_ = Dt.transpose();
        factors_.factor(d_, tolerance_);
    }
    void apply(const Vector& b, Vector& x, Vector& y) override {
        factors_.least_norm(b, x);
        factors_.least_norm_transposed(x, y);
    }

  private:
    double tolerance_;
    Matrix d_;
    DoubleQR factors_;
};

// D^+ row by row of D
class ByGreville : public Pseudoinverse {
  public:
    ByGreville(int n, int m, double tolerance) : tolerance_(tolerance), inverse_(Matrix::Zero(n, m)), d_(Vector::Zero(m)), c_(Vector::Zero(n)) {}
    void factor(const Matrix& Dt) override {
        for (int i = 0; i < Dt.cols(); ++i) {
            const auto row = Dt.col(i);
            auto known = inverse_.leftCols(i);
            auto d = d_.head(i);
            vincolo::apply_transposed(known, row, d);
            c_ = row;
            subtract_applied(Dt.leftCols(i), d, c_);
            if (c_.norm() > tolerance_ * row.norm()) {
                c_ /= c_.squaredNorm();
            } else {
                vincolo::apply(known, d, c_);
                c_ /= 1 + d.squaredNorm();
            }
            known.noalias() -= c_ * d.transpose();
            inverse_.col(i) = c_;
        }
    }
    void apply(const Vector& b, Vector& x, Vector& y) override {
        vincolo::apply(inverse_, b, x);
        vincolo::apply_transposed(inverse_, x, y);
    }

  private:
    double tolerance_;
    Matrix inverse_;
    Vector d_, c_;
};

// Least squares on D^T by Householder's QR: a basic inverse, which has the same minimum-norm x for b in the range of D
class ByHouseholder : public Pseudoinverse {
  public:
    ByHouseholder(int n, int m, double tolerance) : tolerance_(tolerance), long_(Vector::Zero(n)), part_(Vector::Zero(m)) { qr_.resize(n, m); }
    void factor(const Matrix& Dt) override { qr_.factor(Dt, tolerance_); }
    void apply(const Vector& b, Vector& x, Vector& y) override {
        const int r = qr_.rank();
        const auto R = qr_.R().leftCols(r);
        auto part = part_.head(r);
        for (int k = 0; k < r; ++k) part[k] = b[qr_.column(k)];
        solve_upper_transposed(R, part);
        long_.setZero();
        long_.head(r) = part;
        qr_.apply(long_);
        x = long_;
        solve_upper(R, part);
        y.setZero();
        for (int k = 0; k < r; ++k) y[qr_.column(k)] = part[k];
    }
    bool spreads() const override { return false; }

  private:
    double tolerance_;
    PivotedQR qr_;
    Vector long_, part_;
};

// The same by modified Gram-Schmidt with column pivoting (Wampler's code)
class ByGramSchmidt : public Pseudoinverse {
  public:
    ByGramSchmidt(int n, int m, double tolerance)
        : tolerance_(tolerance), q_(Matrix::Zero(n, m)), r_(Matrix::Zero(m, m)), part_(Vector::Zero(m)), order_(m) {}
    void factor(const Matrix& Dt) override {
        q_ = Dt;
        const int m = static_cast<int>(Dt.cols());
        for (int j = 0; j < m; ++j) order_[j] = j;
        double least = 0;
        rank_ = 0;
        for (int k = 0; k < std::min<int>(m, static_cast<int>(Dt.rows())); ++k) {
            int pivot = k;
            double best = -1;
            for (int j = k; j < m; ++j)
                if (q_.col(j).norm() > best) best = q_.col(j).norm(), pivot = j;
            if (k == 0) least = tolerance_ * best;
            if (!(best > least)) break;
            std::swap(order_[k], order_[pivot]);
            if (pivot != k) q_.col(k).swap(q_.col(pivot)), r_.col(k).head(k).swap(r_.col(pivot).head(k));
            r_(k, k) = best;
            q_.col(k) /= best;
            for (int j = k + 1; j < m; ++j) {
                r_(k, j) = q_.col(k).dot(q_.col(j));
                q_.col(j) -= r_(k, j) * q_.col(k);
            }
            ++rank_;
        }
    }
    void apply(const Vector& b, Vector& x, Vector& y) override {
        const auto R = r_.topLeftCorner(rank_, rank_);
        auto part = part_.head(rank_);
        for (int k = 0; k < rank_; ++k) part[k] = b[order_[k]];
        solve_upper_transposed(R, part);
        vincolo::apply(q_.leftCols(rank_), part, x);
        solve_upper(R, part);
        y.setZero();
        for (int k = 0; k < rank_; ++k) y[order_[k]] = part[k];
    }
    bool spreads() const override { return false; }

  private:
    double tolerance_;
    Matrix q_, r_;
    Vector part_;
    std::vector<int> order_;
    int rank_ = 0;
};

struct PseudoinverseOptions {
    std::string pseudoinverse = "svd";
    template <class Fields>
    void fields(Fields& f) { f("pseudoinverse", pseudoinverse); }
};

class UdwadiaKalaba : public DenseSolver {
  public:
    UdwadiaKalaba(const Equations& e, FormulationOptions& o)
        : llt_(e.n), reactions_(e, o.rank_tolerance), rank_tolerance_(o.rank_tolerance), weighed_(Matrix::Zero(e.n, e.m)), scale_(Vector::Zero(e.m)),
          open_(Vector::Zero(e.m)), x_(Vector::Zero(e.n)), y_(Vector::Zero(e.m)) {
        qr_.resize(e.n, e.m);
        const double tolerance = 1e-13;  // of rounding: which rows depend on others is known by then
        const std::string by = filled<PseudoinverseOptions>(o.given).pseudoinverse;
        if (by == "svd") inverse_ = std::make_unique<BySvd>(e.n, e.m, tolerance);
        else if (by == "double_qr") inverse_ = std::make_unique<ByDoubleQr>(e.n, e.m, tolerance);
        else if (by == "greville") inverse_ = std::make_unique<ByGreville>(e.n, e.m, tolerance);
        else if (by == "householder") inverse_ = std::make_unique<ByHouseholder>(e.n, e.m, tolerance);
        else inverse_ = std::make_unique<ByGramSchmidt>(e.n, e.m, tolerance);
    }

    Failure solve(Equations& e) override {
        if (!llt_.factor(e.M)) return Failure::SingularMass;
        e.acc = e.Q;
        llt_.solve(e.acc);
        e.lam.setZero();
        if (e.m == 0) return Failure::None;
        const bool redundant = weigh(e) < e.m;
        inverse_->factor(weighed_);
        ++decompositions;
        open_ = e.gamma;
        subtract_applied(e.J, e.acc, open_);
        open_ = scale_.cwiseProduct(open_);
        inverse_->apply(open_, x_, y_);
        llt_.solve_upper(x_);
        e.acc += x_;
        if (e.reactions && (redundant || !inverse_->spreads())) reactions_.find(e);
        else e.lam = -scale_.cwiseProduct(y_);
        return e.acc.allFinite() ? Failure::None : Failure::Singular;
    }

  private:
    // D^T in weighed_, rows of length one and those that depend on others left empty; the rank. Dependent is a matter of
    // geometry: masses and inertias that are far apart make independent rows look alike in D.
    int weigh(const Equations& e) {
        weighed_ = e.J.transpose();
        for (int k = 0; k < e.n; ++k) {
            const double size = weighed_.row(k).norm();
            if (size > 0) weighed_.row(k) /= size;
        }
        for (int j = 0; j < e.m; ++j) scale_[j] = weighed_.col(j).norm();
        for (int j = 0; j < e.m; ++j)
            if (scale_[j] > 0) weighed_.col(j) /= scale_[j];
        const int rank = qr_.factor(weighed_, rank_tolerance_, e.drive.data());
        weighed_ = e.J.transpose();
        llt_.solve_lower(weighed_);
        for (int k = 0; k < e.m; ++k) {
            auto column = weighed_.col(qr_.column(k));
            const double size = column.norm();
            scale_[qr_.column(k)] = k < rank && size > 0 ? 1 / size : 0;
            column *= scale_[qr_.column(k)];
        }
        return rank;
    }

    Cholesky llt_;
    std::unique_ptr<Pseudoinverse> inverse_;
    Reactions reactions_;
    double rank_tolerance_;
    PivotedQR qr_;
    Matrix weighed_;
    Vector scale_, open_, x_, y_;
};

}  // namespace

std::unique_ptr<DenseSolver> udwadia_kalaba(const Equations& e, FormulationOptions& o) { return std::make_unique<UdwadiaKalaba>(e, o); }

}  // namespace vincolo
