// Explicit Runge-Kutta methods, with and without error control: all of them are data of one stepper.
#pragma once
#include "integrators/stepper.hpp"

namespace vincolo {

struct Tableau {
    // A continuous extension beyond the cubic through both ends: each further term is h sum d_s k_s
    struct Dense {
        int terms = 0;
        const double* d = nullptr;  // rows of weights, one for each term
        const int* slopes = nullptr;  // those they belong to, in the order of their sum; number `stages` is that of the new state
        int count = 0;
        int more = 0;               // stages of its own, behind that of the new state
    };
    int stages;            // before the new state
    double order;          // of the error of a step
    const double* nodes;
    const double* a;       // rows of weights of the stages, `width` apart
    int width;
    const double* b;       // weights of the new state
    const double* e = nullptr;  // of the error; null: steps of fixed size
    bool lands = false;    // the slope at the new state belongs to the error
    double gap = 0;        // middle of the widest gap between nodes, as a share of the step
    Dense dense = {};
    const double* e_low = nullptr;  // of a second error, of lower order, that corrects the first (Hairer, Norsett and Wanner)
    // growth = 0.9 error^(-now / order) error_before^(before / order), at most `most`
    double now = 0.85, before = 0.2, most = 10;
};

class RungeKutta : public Stepper {
  public:
    RungeKutta(Motion& motion, Given& given, const Tableau& tableau);
    Traits traits() const override;
    bool moves_in_planes() const override { return true; }
    Outcome step(const Step& step) override;
    void keep(const Step&, const Outcome& outcome) override;
    double reject(double error) override;
    void forget() override;
    void extend(const Step& step) override;

  private:
    static constexpr int most_slopes = 16;
    void point_at(const Step& step);
    void combine(const State& y, State& out, double h, const double* weights, int count) const;  // out = y + h sum w_j k_j
    void weighted(double* out, const double* weights, int count, std::size_t i) const;
    double error(const Step& step) const;
    double work_error(const Step& step) const;
    double corrected_error(const Step& step) const;
    double error_to_keep(const Step& step, double whole);
    double growth(double error) const;
    const Tableau& tableau_;
    State stages_[most_slopes], scratch_;
    const double* k_[most_slopes] = {};  // slopes of all stages, that at the start and that of the new state among them
    double last_error_ = 1e-4;
};

}  // namespace vincolo
