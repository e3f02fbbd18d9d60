// Answers of laws to a motion x and to each other. Laws in the list push with w = C G x - s K G moved over a step, with the slopes
// K by values and D by rates along the lines G, and C = by_rate D + by_value K. What they push moves the mechanism by R w, so that
// (1 - C P) w = C G x - s K G moved is left, with P = G R: a dense system as large as the list, unsymmetric in general.
#pragma once
#include <algorithm>
#include <complex>

#include "couplings.hpp"

namespace vincolo {

template <class Number, int Most = Eigen::Dynamic>
class Complement {
  public:
    // For the first `answers` of the list, with room taken once
    void resize(int answers) {
        whole_.resize(answers, answers), found_.resize(answers), order_.resize(answers);
    }

    // P: rates of the lines under one unit of each answer
    void factor(Number by_rate, Number by_value, const Couplings& couplings, const Eigen::MatrixXd& P) {
        by_rate_ = by_rate, by_value_ = by_value;
        whole_.setIdentity();
        for (int n = 0; n < whole_.rows(); ++n)
            for (int k = 0; k < couplings.answer(n).count; ++k) {
                const AnswerSlope& slope = couplings.slope(couplings.answer(n).first + k);
                if (slope.value == 0) continue;
                const Number c = weight(slope);
                for (int l = 0; l < whole_.rows(); ++l) whole_(n, l) -= c * P(slope.index, l);
            }
        for (int k = 0; k < whole_.rows(); ++k) eliminate(k);
    }

    // From the rates of the lines under x and under `moved`, which may be null
    void solve(const Couplings& couplings, const Number* along, const Number* moved) {
        for (int n = 0; n < found_.size(); ++n) {
            found_[n] = 0;
            for (int k = 0; k < couplings.answer(n).count; ++k) {
                const AnswerSlope& slope = couplings.slope(couplings.answer(n).first + k);
                found_[n] += weight(slope) * along[slope.index];
                if (moved && slope.source == Source::Value) found_[n] -= by_rate_ * slope.value * moved[slope.index];
            }
        }
        substitute();
    }
    Number operator[](int answer) const { return found_[answer]; }
    Number by_rate() const { return by_rate_; }

  private:
    Number weight(const AnswerSlope& slope) const { return (slope.source == Source::Rate ? by_rate_ : by_value_) * slope.value; }

    // Gauss with the largest pivot of the column
    void eliminate(int k) {
        const int n = static_cast<int>(whole_.rows());
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (std::norm(whole_(i, k)) > std::norm(whole_(pivot, k))) pivot = i;
        order_[k] = pivot;
        if (pivot != k) whole_.row(k).swap(whole_.row(pivot));
        for (int i = k + 1; i < n; ++i) {
            const Number f = whole_(i, k) /= whole_(k, k);
            if (f != Number(0)) whole_.row(i).tail(n - k - 1) -= f * whole_.row(k).tail(n - k - 1);
        }
    }

    void substitute() {
        const int n = static_cast<int>(whole_.rows());
        for (int k = 0; k < n; ++k) std::swap(found_[k], found_[order_[k]]);
        for (int k = 0; k < n; ++k)
            for (int i = k + 1; i < n; ++i) found_[i] -= whole_(i, k) * found_[k];
        for (int k = n - 1; k >= 0; --k) {
            for (int j = k + 1; j < n; ++j) found_[k] -= whole_(k, j) * found_[j];
            found_[k] /= whole_(k, k);
        }
    }

    Number by_rate_{}, by_value_{};
    Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, Most, Most> whole_;
    Eigen::Matrix<Number, Eigen::Dynamic, 1, 0, Most, 1> found_;
    std::vector<int> order_;
};

}  // namespace vincolo
