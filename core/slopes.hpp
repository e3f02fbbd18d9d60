// How the equations of motion change as bodies are displaced and sped up: the matrices of statics and of small vibrations, in
// triplets. Derivatives are exact, of measures by dual numbers and of formulas by Taylor series; only second time derivatives of
// formulas and of frames that are moved, which need a third derivative, are taken by differences.
#pragma once
#include "dual.hpp"
#include "dynamics.hpp"

namespace vincolo {

struct Triplets {
    std::vector<int> row, column;
    std::vector<double> value;

    void add(int r, int c, double v) {
        if (v == 0) return;
        row.push_back(r), column.push_back(c), value.push_back(v);
    }
};

// Of F = Q - M u' - J^T lam at given u' and lam; of J u - nu; and of gamma - J u'. Columns: 6 for each body, (dr, dtheta) or (v, w)
// in world axes
struct SlopesFound {
    Triplets force_by_position, force_by_velocity, rate_by_position, gamma_by_position, gamma_by_velocity;
    Triplets force_by_state, state_by_position, state_by_velocity, state_by_state;  // of auxiliary states, and of their rates
};

class Slopes {
  public:
    explicit Slopes(const System& system);

    void find(double t, const double* y, const double* turns, const double* lam, const double* acceleration, SlopesFound& out);
    // M in triplets, and Q, 6 for each body
    void forces(double t, const double* y, const double* turns, Triplets& mass, std::vector<double>& Q);

  private:
    static constexpr int sides = 12;  // of one measure: v and w of the first body, then of the second
    using Row = Eigen::Matrix<double, sides, 1>;
    using Change = Eigen::Matrix<double, sides, sides>;

    // A quantity on the bodies it touches: its row J, dJ by positions (component, direction), and derivatives of value, rate, bias
    struct Local {
        std::vector<int> first;  // column of each six, or -1 for the ground
        Eigen::VectorXd row, value_by_position, rate_by_position, bias_by_position, bias_by_velocity;
        Eigen::MatrixXd change;
    };

    void load(double t, const double* y, const double* turns);
    void measure(int measure, Row& row, Change& change) const;
    void find_local(int quantity, double t, Local& out);
    void add_curvature(int quantity, double t, Local& out);
    bool smooth_at_rest(const Quantity& quantity) const;
    void move_measure(int term, int place, Local& out) const;
    void differ(int quantity, double t, Local& out);
    void displace(int direction, int first, double h);
    double second(const Formula& formula, double t, int i, int j);

    void add_rows(double t, const double* lam, const double* acceleration, SlopesFound& out);
    void add_laws(double t, SlopesFound& out);
    void add_law(int law, double t, SlopesFound& out);
    void add_across(int law, SlopesFound& out);
    void add_loads(double t, SlopesFound& out);
    void add_states(double t, SlopesFound& out);
    struct By {
        Triplets &position, &velocity, &state;
    };
    template <class Use>
    static void each(const Local& x, const Use& use);  // component of a moving body, and its column
    void add_readings(const std::vector<Reading>& readings, double t, int known, const By& out);
    void add_inertia(const double* acceleration, SlopesFound& out);
    Mat3 inertia_of(int body) const;  // in world axes, with the ballast that stays

    const System& system_;
    Dynamics all_;
    Local own_, other_;
    bool moving_ = false;  // whether any body has a velocity
    std::vector<double> y_, at_, inputs_, numbers_, adjoints_, partials_, slopes_;
    std::vector<Jet> jets_, jet_inputs_;
    std::vector<char> holds_;
    std::vector<std::pair<int, double>> push_;  // rows on which an expression acts, and its share in them
    Twists none_;
};

// Whether a quantity is the distance of two points that coincide
bool is_closed(const System& system, int quantity, double value);

}  // namespace vincolo
