#include "complementarity.hpp"

#include <vector>

namespace vincolo {

namespace {

constexpr double tiny = 1e-13;

// The row that leaves as a variable enters: the least ratio of what rows have left, ties by the rows of the inverse basis, which
// keeps the method from going round in circles
class Tableau {
  public:
    Tableau(const Eigen::MatrixXd& A, const Eigen::VectorXd& q) : n(static_cast<int>(q.size())), t(n, 2 * n + 2), basis(n) {
        t << Eigen::MatrixXd::Identity(n, n), -A, -Eigen::VectorXd::Ones(n), q;
        for (int i = 0; i < n; ++i) basis[i] = i;
    }
    int leaving(int entering) const {
        int best = -1;
        for (int i = 0; i < n; ++i)
            if (t(i, entering) > tiny && (best < 0 || before(i, best, entering))) best = i;
        return best;
    }
    int pivot(int row, int entering) {
        const int left = basis[row];
        t.row(row) /= t(row, entering);
        for (int i = 0; i < n; ++i)
            if (i != row) t.row(i) -= t(i, entering) * t.row(row);
        basis[row] = entering;
        return left;
    }
    int most_negative() const {
        int row;
        t.col(2 * n + 1).minCoeff(&row);
        return row;
    }
    const int n;
    Eigen::MatrixXd t;  // of w, z, the artificial variable, and what is given
    std::vector<int> basis;

  private:
    bool before(int i, int j, int entering) const {
        for (int c = -1; c < n; ++c) {
            const int column = c < 0 ? 2 * n + 1 : c;
            const double x = t(i, column) / t(i, entering), y = t(j, column) / t(j, entering);
            if (std::abs(x - y) > tiny * (1 + std::abs(x) + std::abs(y))) return x < y;
        }
        return t(i, entering) > t(j, entering);
    }
};

}  // namespace

bool complementary(const Eigen::MatrixXd& A, const Eigen::VectorXd& q, Eigen::VectorXd& z) {
    const int n = static_cast<int>(q.size());
    z = Eigen::VectorXd::Zero(n);
    if (n == 0 || q.minCoeff() >= 0) return true;
    const double size = A.cwiseAbs().maxCoeff(), given = q.cwiseAbs().maxCoeff();
    if (!(size > 0) || !A.allFinite() || !q.allFinite()) return false;
    Tableau tableau(A / size, q / given);
    int entering = 2 * n;  // the artificial variable
    int left = tableau.pivot(tableau.most_negative(), entering);
    for (int pass = 0; pass < 50 + 20 * n; ++pass) {
        entering = left < n ? left + n : left - n;
        const int row = tableau.leaving(entering);
        if (row < 0) return false;
        left = tableau.pivot(row, entering);
        if (left != 2 * n) continue;
        for (int i = 0; i < n; ++i)
            if (tableau.basis[i] >= n) z[tableau.basis[i] - n] = std::max(0.0, tableau.t(i, 2 * n + 1)) * given / size;
        return true;
    }
    return false;
}

}  // namespace vincolo
