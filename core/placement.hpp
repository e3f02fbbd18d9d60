// Where everything is and how fast it moves: bodies, frames, also those that move on their bodies, and the measures between them.
#pragma once
#include "measures.hpp"
#include "metric.hpp"
#include "turns.hpp"

namespace vincolo {

class Placement {
  public:
    explicit Placement(const System& system);
    Placement(const Placement&) = delete;

    const System& system() const { return system_; }
    void load_positions(double t, const double* y);
    void load_velocities(const double* y);
    void load_places(double t, const std::vector<BodyPlace>& places, const Twists& velocities);  // instead of both
    double time() const { return now_; }  // of the loaded positions
    void load_auxiliaries(double t, const double* values);
    // As series in time: of those that functions of time read, as far as their rates follow from others of them
    const Jet* auxiliaries() const { return auxiliaries_.data(); }

    const std::vector<BodyPlace>& bodies() const { return bodies_; }  // the last one is the ground
    const std::vector<FrameWork>& frames() const { return frames_; }
    const Twists& velocities() const { return velocities_; }
    const Metric& inverse() const { return inverse_; }
    void lay_flat(const Flat* flat) { inverse_.flat = flat; }  // from the next positions on; null: no body stays in a plane
    const Vec3& inverse_moments(int body) const { return inverse_.moments[body]; }  // with ballast, in body axes
    // A diag(1/J) A^T x, axis by axis: with little ballast the product in world axes loses in its small entries what the large one
    // rounds off
    Vec3 turned(int body, const Vec3& torque) const {
        if (inverse_.is_flat(body)) return inverse_.inertia[body] * torque;
        const Mat3& A = bodies_[body].A;
        return A * inverse_.moments[body].cwiseProduct(A.transpose() * torque);
    }
    double weight_share(int body) const { return weight_share_[body]; }  // of a body's mass in what it has with ballast

    Gradient gradient_of(int measure) const;
    double value_of(int measure) const;  // angles unwrapped
    double rate_of(int measure, const Gradient& g) const;
    double bias_of(int measure) const;   // second derivative without accelerations
    double time_rate_of(int measure) const { return measure_time_[measure]; }  // by time alone, bodies at rest
    bool moves(int measure) const { return moving_measure_[measure]; }         // whether a frame of its own moves
    double unwrapped(const Measure& measure, double value) const;
    void record_turns(double t);

    double speed() const;           // largest of the velocities; turning by the characteristic length
    double kinetic_energy() const;
    Turns turns;
    double size = 1;                // characteristic length

  private:
    struct MovingWork {
        Vec3 v, a, w, alpha;  // of a moving frame against its body, in world axes
    };
    void prepare_bodies();
    void find_flowing();
    Jet rate_of_state(int auxiliary, double t);
    void place_body(int body, const Mat3& A, const Vec3& r);
    void move_frames(double t);
    FrameSeries frame_series(int frame, bool with_bodies) const;

    const System& system_;
    std::vector<BodyPlace> bodies_;
    std::vector<FrameWork> frames_;
    Twists velocities_;
    Metric inverse_;
    std::vector<double> weight_share_;
    std::vector<int> first_frame_, frames_by_body_;
    std::vector<MovingWork> moving_work_;
    std::vector<int> moving_of_;        // by frame: its place in the system's list, or -1
    std::vector<char> moving_measure_;
    std::vector<double> measure_time_;
    std::vector<Jet> jets_, auxiliaries_, read_;
    std::vector<int> flowing_;          // auxiliary states with a rate that functions of time read
    double now_ = 0;
};

}  // namespace vincolo
