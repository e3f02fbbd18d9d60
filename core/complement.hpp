// Answers of laws and states to a motion x and to each other over a step. With the slopes K by values, D by rates and A by
// states, lines G and C = by_rate D + by_value K, a force is w = C G x - s K G moved + s A z, and the change of a state is
// z = right + C G x - s K G moved + s A z, where s = by_rate. What forces push moves the mechanism by R w: a dense system is left, as
// large as the list of answers and unsymmetric in general, with P = G R.
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
        whole_.resize(answers, answers), found_.resize(answers);
        order_.resize(answers), scale_.resize(answers);
    }

    // P: rates of the lines under one unit of each answer
    void factor(Number by_rate, Number by_value, const Couplings& couplings, const Eigen::MatrixXd& P) {
        by_rate_ = by_rate, by_value_ = by_value;
        whole_.setIdentity();
        for (int n = 0; n < whole_.rows(); ++n)
            each(couplings, n, [&](const AnswerSlope& slope, Number c) {
                if (slope.source == Source::Auxiliary) whole_(n, slope.index) -= c;
                else
                    for (int l = 0; l < whole_.rows(); ++l) whole_(n, l) -= c * P(slope.index, l);
            });
        for (int n = 0; n < whole_.rows(); ++n) scale_[n] = 1 / whole_.row(n).cwiseAbs2().maxCoeff();
        for (int k = 0; k < whole_.rows(); ++k) eliminate(k);
    }

    // From the rates of the lines under x and under `moved`, and the right sides of states by their number; both may be null
    void solve(const Couplings& couplings, const Number* along, const Number* moved, const Number* right) {
        for (int n = 0; n < found_.size(); ++n) {
            found_[n] = right && couplings.is_state(n) ? right[couplings.answer(n).state] : Number(0);
            each(couplings, n, [&](const AnswerSlope& slope, Number c) {
                if (slope.source == Source::Auxiliary) return;
                found_[n] += c * along[slope.index];
                if (moved && slope.source == Source::Value) found_[n] -= by_rate_ * slope.value * moved[slope.index];
            });
        }
        substitute();
    }
    Number operator[](int answer) const { return found_[answer]; }
    Number by_rate() const { return by_rate_; }

  private:
    template <class Do>
    void each(const Couplings& couplings, int n, const Do& act) const {
        const Couplings::Answer& answer = couplings.answer(n);
        for (int k = answer.first; k < answer.first + answer.count; ++k) {
            const AnswerSlope& slope = couplings.slope(k);
            if (slope.value != 0) act(slope, (slope.source == Source::Value ? by_value_ : by_rate_) * slope.value);
        }
    }

    // Gauss with the largest pivot of the column, as a share of its row: answers have units of their own
    void eliminate(int k) {
        const int n = static_cast<int>(whole_.rows());
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (std::norm(whole_(i, k)) * scale_[i] > std::norm(whole_(pivot, k)) * scale_[pivot]) pivot = i;
        order_[k] = pivot;
        if (pivot != k) whole_.row(k).swap(whole_.row(pivot)), std::swap(scale_[k], scale_[pivot]);
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
    std::vector<double> scale_;
};

}  // namespace vincolo
