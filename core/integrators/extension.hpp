// The continuous extension of a step: y = y0 + x (d0 + (1-x) (d1 + x (d2 + (1-x) (d3 + ...)))), x from 0 to 1
#pragma once
#include <vector>

namespace vincolo {

class Motion;
using State = std::vector<double>;

// A step that is made or was made
struct Step {
    double t, h, t_new;
    const State &y, &slope;
    State &y_new, &slope_new;
};

class Extension {
  public:
    static constexpr int most = 7;
    void resize(const State& like);
    // From states and slopes at both ends alone; positions have second derivatives there as well. smooth: velocities follow
    // the positions in the middle; multistep methods are not smooth enough for that.
    void by_ends(const Step& step, const Motion& motion, bool smooth);
    // From states and velocities at both ends and the states at two nodes between, which terms 3 and 4 hold: no accelerations, which
    // stiff forces magnify. Work stays cubic.
    void by_nodes(const Step& step, const Motion& motion, double first, double second);
    // The cubic through states and slopes at both ends, to be followed by `further` terms
    void cubic(const Step& step, int further);
    State& term(int k) { return terms_[k]; }
    void at(double x, const State& y, State& out) const;

  private:
    void add_positions(const Step& step, int body);
    void add_velocities(const Step& step, int body);
    void by_joints(const Step& step, const Motion& motion, bool smooth);
    void bend_through(int i, double y, double first, double second);  // a position, and
    void pass_through(int i, double y, double first, double second);  // what has no slopes there, through its values at the nodes
    void bend(int i, double h, double first, double last);  // a position by its second derivatives at both ends
    void middle(int i, double h, double y, double& value, double& rate) const;
    void pass(int i, double y, double middle);              // a velocity through its value in the middle
    State terms_[most];
    State first_, last_;
    int count_ = 0;
};

}  // namespace vincolo
