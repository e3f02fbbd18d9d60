// What laws and states do over an implicit step, to first order: each answers to the motion along the lines of the quantities it
// reads, its own or others anywhere in the mechanism, and to the states it reads. A line is the gradient of a quantity on the
// bodies it touches; on one that stays in a plane, by its motion there.
#pragma once
#include "contact/contacts.hpp"
#include "dynamics.hpp"

namespace vincolo {

// Slope of an answer by what it reads: value or rate along a line, or another answer, that of a state; -1: what does not change
struct AnswerSlope {
    Source source;
    int index;
    double value;
};

class Couplings {
  public:
    // Without its states they count as held
    Couplings(Dynamics& dynamics, bool with_states);

    // Lines and slopes where the dynamics is placed, at its velocities
    void prepare(double t);

    // The force of a law along a line, or an auxiliary state, which has none (-1); or of a point of contact that gives way (both -1)
    struct Answer {
        int law, state;
        int line;
        int first, count;  // of its slopes
    };
    // Those that read more than the value and rate of their own line are joined to others; they stand first
    int size() const { return static_cast<int>(answers_.size()); }
    int joined() const { return joined_; }
    const Answer& answer(int n) const { return answers_[n]; }
    bool is_state(int n) const { return answers_[n].state >= 0; }
    // Of one that is not joined, as a spring and damper that resist: what pushes outwards counts as none
    double stiffness(int n) const { return resistance(n, Source::Value); }
    double damping(int n) const { return resistance(n, Source::Rate); }
    const AnswerSlope& slope(int k) const { return slopes_[k]; }
    // To displacements and velocities along the lines, and to states by answer
    double response(int answer, const double* values, const double* rates, const double* states) const;

    struct Touch {
        int body;
        Vec3 lin, ang;
    };
    struct Line {
        int quantity;  // -1: of a point of contact
        int first, count;  // of its touches, on moving bodies
    };
    int lines() const { return static_cast<int>(lines_.size()); }
    const Line& line(int n) const { return lines_[n]; }
    const Touch& touch(int k) const { return touches_[k]; }
    double along(int line, const Twists& x) const;   // its rate when bodies move as x
    void rates(const Twists& x, double* out) const;  // of all lines
    void free_response(int line, Twists& x) const;   // accelerations of bodies without joints under one unit of force along it
    void add_push(int line, double force, Pushes& out) const;
    // Motion of the bodies in their joints, and rates of the lines, under one unit of an answer, with the factor of the dynamics
    void respond(int answer, Twists& x, double* rates);

  private:
    const std::vector<Reading>& readings(const Answer& answer) const;
    bool changes(const Reading& reading) const;  // whether it is more than a number that is held
    bool alone(int law) const;
    void add_laws(bool alone);
    void add_slopes(Answer& answer);
    void add_contacts();
    void find_contacts();
    void find_contact(const Spot& touch, int place);
    void clear_contact(int place);
    int line_of(int quantity);
    void add_touch(int first, int body);
    void find_line(const Line& line);
    void find_slopes(const Answer& answer, bool alone, double t);
    double resistance(int n, Source source) const;

    Dynamics& dynamics_;
    const System& system_;
    bool with_states_;
    std::vector<Line> lines_;
    std::vector<Touch> touches_;
    std::vector<Answer> answers_;
    std::vector<AnswerSlope> slopes_;
    std::vector<double> partials_;
    Pushes unit_;
    std::vector<int> answer_of_;  // by auxiliary state, or -1
    int joined_ = 0;
    int places_ = 0, first_place_ = 0, first_line_ = 0;  // for points of contact: how many, their first answer and line, three of each for a point
};

}  // namespace vincolo
