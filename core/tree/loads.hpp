// What acts on a tree. Laws along its own coordinates push there; if there are others, or loads, bodies are placed for all of them.
#pragma once
#include "forces.hpp"
#include "tree/tree.hpp"

namespace vincolo::tree {

class Loads {
  public:
    Loads(Tree& tree, Placement& placement, Quantities& quantities);

    bool need_bodies() const { return need_bodies_; }
    void place_bodies(double t);  // where the tree has moved
    // Onto the tree, where it has moved and, if they are needed, bodies are placed; the power that is put in
    double push(double t, const double* q, const double* u);

  private:
    // A law along the coordinate of a link
    struct Own {
        int law, link, turn;
        double sign, factor;  // measure by coordinate, quantity by measure
    };
    bool find_own(int law);
    Tree& tree_;
    Placement& placement_;
    Quantities& quantities_;
    Forces forces_;
    const System& system_;
    std::vector<Own> own_;
    bool need_bodies_;
    std::vector<BodyPlace> places_;
    Twists velocities_;
};

}  // namespace vincolo::tree
