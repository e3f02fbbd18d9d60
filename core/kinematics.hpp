// Motion from drives alone: positions closed from time to time, with velocities and accelerations that fit; and a mechanism
// that follows a point drawn by hand. Where drives leave freedom, everything moves as little as its mass allows.
#pragma once
#include <string>

#include "quaternion.hpp"
#include "scout.hpp"
#include "settings.hpp"

namespace vincolo {

enum class Closing : int { Running, Done, Locked, NotFinite, Open };
inline const char* const closing_names[] = {"running", "done", "locked", "not finite", "open"};

class Kinematics {
  public:
    Kinematics(const System& system, double t0, const std::vector<double>& y0, const std::vector<double>& turns,
               const std::vector<double>& times, double tolerance);

    // Goes on for about the given number of positions
    Closing advance(long positions);
    double time() const { return t_; }
    int recorded() const { return recorded_; }
    const std::vector<double>& samples() const { return samples_; }
    const std::vector<double>& turns() const { return turns_; }
    const double* state() const { return y_.data(); }
    Dynamics& dynamics() { return dynamics_; }

    long steps = 0, halvings = 0, corrections = 0;
    double lowest = 1;  // smallest nearness to a singular position
    struct Passage {
        double t, nearness;  // when, and how near the nearest position came
    };
    std::vector<Passage> passages;  // of singular positions, in the order of time; the first hundred

  private:
    using State = std::vector<double>;
    bool begin();
    bool step(double h);   // from t_ to t_ + h, into next_
    void predict(double h);
    bool rolls() const;
    void hermite(double h);
    bool integrate(double h);
    double smooth(double h);
    void motion(State& y);  // least velocities and accelerations at closed positions
    void take(double t);
    double next_stop() const;  // time of the next sample, or of an event before it
    bool switch_rows();        // that hold from now on or no longer; false if one of them is open here
    void record();
    void watch_passages();
    Passage before_{0, 1}, last_{0, 1};  // the last two positions
    bool close_all(double t);  // next_, also in the rows left out
    Dynamics dynamics_;
    Scout scout_;
    Readings readings_;
    Settings settings_;
    double t_, h_ = 0, tolerance_;
    State y_, next_, foretold_, acceleration_, times_, samples_, turns_;
    int recorded_ = 0;
    bool begun_ = false;
};

class Drag {
  public:
    Drag(const System& system, double t, const std::vector<double>& y, const std::vector<double>& turns);
    // Takes the point of a frame nearer to the target, joints kept closed; returns the distance that is left
    double move(int frame, const Vec3& target, int iterations);
    const std::vector<double>& state() const { return y_; }
    const std::vector<double>& turns() { return dynamics_.placement.turns.values(); }
    double time() const { return t_; }

  private:
    Dynamics dynamics_;
    double t_;
    std::vector<double> y_, before_;
    Pushes push_;
    Twists responses_[3];  // of all bodies to three unit forces
};

}  // namespace vincolo
