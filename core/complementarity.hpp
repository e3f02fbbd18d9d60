// Small linear complementarity problems: w = A z + q, w >= 0, z >= 0, w . z = 0.
#pragma once
#include <Eigen/Dense>

namespace vincolo {

// By Lemke's method of pivoting; false where it finds no solution. It finds one wherever there is one and A is that of contacts
// with or without friction (copositive plus: Cottle, Pang and Stone 1992).
bool complementary(const Eigen::MatrixXd& A, const Eigen::VectorXd& q, Eigen::VectorXd& z);

}  // namespace vincolo
