// The equations of motion as dense matrices, for formulations that want them whole: M a + J^T lam = Q, J a = gamma.
#pragma once
#include <Eigen/Dense>
#include <vector>

namespace vincolo {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

enum class Failure : int { None, Singular, SingularMass, NotConverged, NotFinite, Raised, Massless };
inline const char* const failure_names[] = {"none", "singular", "singular mass", "not converged", "not finite", "raised", "massless"};

struct Equations {
    int n = 0, m = 0;         // coordinates, rows
    Matrix M, J;
    Vector Q, gamma;
    Vector phi, rate, u;      // rate = J u - nu
    Vector acc, lam;          // the solution
    std::vector<char> drive;  // by row
    bool reactions = false;   // lam is wanted, in minimum norm where it is not unique

    void resize(int coordinates, int rows) {
        n = coordinates;
        M.setZero(n, n);
        for (Vector* x : {&Q, &u, &acc}) x->setZero(n);
        resize_rows(rows);
    }
    void resize_rows(int rows) {
        m = rows;
        J.setZero(m, n);
        for (Vector* x : {&gamma, &phi, &rate, &lam}) x->setZero(m);
        drive.assign(m, 0);
    }
};

}  // namespace vincolo
