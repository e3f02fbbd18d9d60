// What laws do over an implicit step, to first order: each answers to the motion along the lines of the quantities it reads, its
// own or others anywhere in the mechanism. A line is the gradient of a quantity on the bodies it touches.
#pragma once
#include "dynamics.hpp"

namespace vincolo {

// Slope of an answer by what it reads: by the value or the rate along a line
struct AnswerSlope {
    Source source;
    int index;
    double value;
};

class Couplings {
  public:
    explicit Couplings(Dynamics& dynamics);

    // Lines and slopes where the dynamics is placed, at its velocities
    void prepare(double t);

    // Answers that read more than the value and rate of their own line are joined to others; they stand first
    struct Answer {
        int law, line;
        int first, count;  // of its slopes
    };
    int size() const { return static_cast<int>(answers_.size()); }
    int joined() const { return joined_; }
    const Answer& answer(int n) const { return answers_[n]; }
    // Of one that is not joined, as a spring and damper that resist: what pushes outwards counts as none
    double stiffness(int n) const { return resistance(n, Source::Value); }
    double damping(int n) const { return resistance(n, Source::Rate); }
    const AnswerSlope& slope(int k) const { return slopes_[k]; }

    struct Touch {
        int body;
        Vec3 lin, ang;
    };
    struct Line {
        int quantity;
        int first, count;  // of its touches, on moving bodies
    };
    int lines() const { return static_cast<int>(lines_.size()); }
    const Line& line(int n) const { return lines_[n]; }
    const Touch& touch(int k) const { return touches_[k]; }
    double along(int line, const Twists& x) const;  // its rate when bodies move as x
    void rates(const Twists& x, double* out) const;  // of all lines
    void free_response(int line, Twists& x) const;   // accelerations of bodies without joints under one unit of force along it
    void add_push(int line, double force, Pushes& out) const;

    // An answer to displacements and velocities along the lines
    double force(int answer, const double* values, const double* rates) const;

  private:
    int line_of(int quantity);
    void add_touches(const Quantity& quantity);
    int touch_of(int first, int frame) const;
    void add_answer(int law);
    void find_line(const Line& line);
    void find_slopes(const Answer& answer, bool alone, double t);
    double resistance(int n, Source source) const;

    Dynamics& dynamics_;
    const System& system_;
    std::vector<Line> lines_;
    std::vector<Touch> touches_;
    std::vector<Answer> answers_;
    std::vector<AnswerSlope> slopes_;
    std::vector<double> partials_;
    int joined_ = 0;
};

}  // namespace vincolo
