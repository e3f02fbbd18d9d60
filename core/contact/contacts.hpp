// The room of contact: who is close to whom at the loaded positions, and the forces of those that give way. Nothing of it exists in a
// system without contact.
#pragma once
#include <cstdint>

#include "contact/pairs.hpp"
#include "placement.hpp"

namespace vincolo {

// A point at which two bodies touch or are about to, in the world; n leads from body a to body b
struct Spot {
    int pair, law, a, b;
    Vec3 p, n;
    double gap;
    std::int64_t key;  // of the same point at another moment
    double weight;     // of its force, where it gives way
};

class Contacts {
  public:
    explicit Contacts(const Placement& placement);

    // Points of the pairs that are rigid, or of those that are not, that could close within a time h at the loaded velocities and under
    // an acceleration; of a time 0 those that overlap
    const std::vector<Spot>& find(bool rigid, double h = 0, double acceleration = 0);
    // Adds the forces of points that give way; returns the power that is not stored
    double push(Pushes& out);
    double stored();  // energy of all points that give way
    void within(double margin, std::vector<Spot>& out);  // of all pairs
    // A time within which no pair can pass through another unseen: it comes closer by at most its distance and an eighth of the
    // smaller width, at the loaded velocities and at accelerations as they are in the slope of the state, if there is one; and where two
    // balls would overlap on straight ways, at most to where they are closest
    double longest_step(const double* slope, double longest);
    void sum(std::vector<ContactSum>& out);  // by law, of forces that follow from the state
    Vec3 rate(const Spot& touch) const { return point_rate(touch.b, touch.p) - point_rate(touch.a, touch.p); }
    // Force on the second body; the normal force and how much of the depth's energy it has
    Vec3 force(const Spot& touch, double& normal, double& energy) const;
    const ContactLaw& law(const Spot& touch) const { return scene_.laws[touch.law]; }
    double smaller(const Spot& touch) const {  // reach of the smaller shape
        const ContactPair& pair = scene_.pairs[touch.pair];
        return std::min(scene_.shapes[pair.a].reach, scene_.shapes[pair.b].reach);
    }
    // What the bodies feel, as the stepper of rigid contact wrote it into a state
    double push_told(Pushes& out) const;

  private:
    struct Seen {
        int shape;
        double from;
    };
    Vec3 point_rate(int body, const Vec3& p) const {
        const Twist& u = placement_.velocities()[body];
        return u.v + u.w.cross(p - placement_.bodies()[body].r);
    }
    double stored_rate(const Spot& touch, double energy, const Vec3& u) const;
    void place();
    void sweep(bool rigid, double h, double acceleration);
    void meet(int pair, bool rigid);
    void add(int pair, double margin, bool nearest = false);
    void add_soft(int pair);
    void append(int pair, int count);
    bool apart(const ContactPair& pair, double margin) const;
    double distance_bound(const ContactPair& pair) const;
    double speed_bound(int shape) const;
    double time_bound(const ContactPair& pair, const double* slope) const;
    Vec3 point_acceleration(int body, const Vec3& p, const double* slope) const;

    const Placement& placement_;
    const System& system_;
    const ContactScene& scene_;
    std::vector<PlacedShape> placed_;
    std::vector<double> swept_;      // how far a shape may come while it is looked ahead
    std::vector<double> speeds_, curves_;  // of the middles of shapes: speeds and accelerations
    std::vector<int> pair_of_;       // by two shapes, where the table is small enough; -1: they do not meet
    std::vector<Seen> order_;        // shapes with an end, along x
    std::vector<int> endless_;       // pairs with a plane
    std::vector<Spot> touches_;
    Narrow narrow_;
};

}  // namespace vincolo
