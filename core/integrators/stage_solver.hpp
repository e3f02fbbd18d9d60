// Newton's corrections to the three stages of Radau IIA, all at once, with the laws linearised in one position. In the
// eigenvectors of the method's matrix A the stages fall apart into a real system and a complex one (Hairer and Wanner, Solving
// Ordinary Differential Equations II, 1996): each is (1 - s F) x = right, with s = h times an eigenvalue of A. Only laws make F,
// so that joints are factored once, in real numbers, for all of them: what a law's force does to the bodies in their joints is
// found for each law, and a matrix with one row for each law is left, for the real s and for the complex one.
#pragma once
#include <complex>

#include "stiff.hpp"

namespace vincolo {

class StageSolver {
  public:
    using State = std::vector<double>;
    static constexpr int most_answers = 16;  // of laws and states; beyond that rounds with laws among the joints cost less

    StageSolver(Dynamics& dynamics, const StiffSolver& like);  // `like`: as made for the dynamics
    bool serves() const { return answers() <= most_answers; }

    struct Stage {
        const State* right;       // what (1 - h A F) change is to be; velocities in body axes
        const BlockVector* open;  // what is open of the joints, index 2 and 3
        State* change;
        BlockVector* mu;          // change of the multipliers
    };
    // Where the dynamics are placed, for steps of size h; `s` is that of filter(). For index 1 joints are not factored once more: the
    // dynamics must have been, there.
    void linearise(int index, double t, double h, double s);
    double strength(double h) const { return h * (damping_ + h * stiffness_); }  // of the stiffest law over a step
    // Changes of all stages from the state `at`, and of the multipliers of the joints for index 2 and 3
    void correct(int index, const State& at, const Stage (&stages)[3]);
    // (1 - s F) change = right
    void filter(const State& at, const State& right, State& change);

  private:
    void transform(const State& at, const Stage (&stages)[3]);
    void close(int index, const Stage (&stages)[3]);
    void push(bool multipliers);
    void transform_states(const Stage (&stages)[3]);
    void put_states(const Stage (&stages)[3]) const;
    void transform_back(const State& at, const Stage (&stages)[3]) const;
    int answers() const { return stiff_.couplings().size(); }
    void find_responses(int index, double t);
    void find_strength();
    template <class Number, class Part>
    void yield(const Complement<Number, most_answers>& pushed, Part part, int m, bool multipliers);

    const Placement& placement_;
    StiffSolver stiff_;
    int bodies_, first_state_;
    double h_ = 0;
    double damping_ = 0, stiffness_ = 0;  // largest, by the inertia they act on
    std::vector<Mat3> axes_;             // of the bodies where the laws are linearised
    std::vector<Twists> response_;       // of the bodies in their joints to one unit of each law,
    std::vector<BlockVector> reaction_;  // of the joints,
    Eigen::MatrixXd P_;                  // and of the lines of all that they read
    Complement<double, most_answers> real_, error_;
    Complement<std::complex<double>, most_answers> complex_;
    std::vector<double> along_[3], against_[3];  // rates of the lines under x_ and moved_
    std::vector<std::complex<double>> pair_[3];
    std::vector<double> states_[3];      // right sides of auxiliary states
    Twists base_[3], moved_[3], x_[3];   // of the real system; real and imaginary parts of the complex one
    BlockVector given_[3], mu_[3];
};

}  // namespace vincolo
