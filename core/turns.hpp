// Angles counted over turns: the record of the last two accepted states, from which the branch of an angle follows.
#pragma once
#include <vector>

namespace vincolo {

class Turns {
  public:
    explicit Turns(int count);

    std::vector<double>& values() { return now_.angles; }
    const std::vector<double>& values() const { return now_.angles; }
    bool any() const { return !now_.angles.empty(); }
    void start(double t);           // without a trend yet
    void cut(double t);             // starts between the last two records
    void begin_record();            // of a new state
    void record(int turn, double angle, double rate);
    void end_record(double t) { now_.t = t; }
    void use_mean_rate(int turn, double t, double rate);  // over the step that leads to t
    double expected(int turn, double t) const { return now_.angles[turn] + now_.rates[turn] * (t - now_.t); }
    void between(double t, double* angles) const;  // the last two records, near enough to choose branches by
    static double branch_near(double angle, double expected);

  private:
    struct Record {
        std::vector<double> angles, rates;
        double t = 0;
    };
    Record now_, earlier_;
};

}  // namespace vincolo
