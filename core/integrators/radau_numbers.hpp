// Numbers of Radau IIA of order 5, and of its matrix in its eigenvectors (Hairer and Wanner, Solving Ordinary Differential
// Equations II, 1996): A^-1 = V diag(gamma, pair) V^-1, where the last two columns of V are the real and imaginary parts
// All are constants of the compiler: one that computes roots when the program starts may do so after other files have used them.
#pragma once
#include <complex>

namespace vincolo::radau_numbers {

inline constexpr double root6 = 2.449489742783178098197284;  // of 6
inline constexpr double node[3] = {(4 - root6) / 10, (4 + root6) / 10, 1};
inline constexpr double A[3][3] = {{(88 - 7 * root6) / 360, (296 - 169 * root6) / 1800, (-2 + 3 * root6) / 225},
                                   {(296 + 169 * root6) / 1800, (88 + 7 * root6) / 360, (-2 - 3 * root6) / 225},
                                   {(16 - root6) / 36, (16 + root6) / 36, 1.0 / 9}};

// 30/(6 + c - d) and 60/(12 - c + d - i sqrt(3) (c + d)), with c and d the cube roots of 81 and 9
inline constexpr double gamma = 3.637834252744495732208419;
inline constexpr std::complex<double> pair{2.681082873627752133895791, 3.050430199247410569426378};
inline constexpr double vectors[3][3] = {{9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
                                         {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
                                         {0.96604818261509293619, 1, 0}};
inline constexpr double inverse_vectors[3][3] = {{4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
                                                 {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
                                                 {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};

}  // namespace vincolo::radau_numbers
