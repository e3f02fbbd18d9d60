// Numbers of Radau IIA of order 5, and of its matrix in its eigenvectors (Hairer and Wanner, Solving Ordinary Differential
// Equations II, 1996): A^-1 = V diag(gamma, pair) V^-1, where the last two columns of V are the real and imaginary parts
#pragma once
#include <cmath>
#include <complex>

namespace vincolo::radau_numbers {

inline const double root6 = std::sqrt(6.0);
inline const double node[3] = {(4 - root6) / 10, (4 + root6) / 10, 1};
inline const double A[3][3] = {{(88 - 7 * root6) / 360, (296 - 169 * root6) / 1800, (-2 + 3 * root6) / 225},
                               {(296 + 169 * root6) / 1800, (88 + 7 * root6) / 360, (-2 - 3 * root6) / 225},
                               {(16 - root6) / 36, (16 + root6) / 36, 1.0 / 9}};

inline const double gamma = 30 / (6 + std::cbrt(81.0) - std::cbrt(9.0));
inline const std::complex<double> pair =
    60.0 / std::complex<double>(12 - std::cbrt(81.0) + std::cbrt(9.0), -std::sqrt(3.0) * (std::cbrt(81.0) + std::cbrt(9.0)));
inline const double vectors[3][3] = {{9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
                                     {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
                                     {0.96604818261509293619, 1, 0}};
inline const double inverse_vectors[3][3] = {{4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
                                             {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
                                             {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};

}  // namespace vincolo::radau_numbers
