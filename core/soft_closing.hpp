// Corrections onto the rows in the metric of an implicit step, in which moving against a law counts as heavy, with the factor of the
// dynamics where it is placed: M x + J^T mu + G^T c G x = 0 with J x given, c = damping s + stiffness s^2. What the joints alone would
// do is x0; laws add R w with the responses R of the bodies in their joints and w = -c G (x0 + R w), a small dense system. For few
// laws: many are cheaper as rows among the joints (StiffSolver).
#pragma once
#include "complement.hpp"

namespace vincolo {

class SoftClosing {
  public:
    static constexpr int most_answers = 6;
    explicit SoftClosing(Dynamics& dynamics);

    bool any() const { return couplings_.size() > 0; }
    bool serves() const { return couplings_.size() <= most_answers; }
    void weigh(double t, double s);                      // laws and joints where the dynamics is placed and factored
    void close(const BlockVector& open, Twists& x);      // J x = -open

  private:
    Dynamics& dynamics_;
    Couplings couplings_;
    Complement<double, most_answers> complement_;
    std::vector<Twists> responses_;  // of the bodies in their joints to one unit of each law,
    Eigen::MatrixXd P_;              // and of the lines
    std::vector<double> along_;
    Twists none_;
    BlockVector mu_;
};

}  // namespace vincolo
