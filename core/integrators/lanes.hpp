// Sums of weighed states, in groups of four numbers
#pragma once
#include "vectors.hpp"

namespace vincolo {

// sum += w_j x_j over so many groups of four, product by product and not joined: compilers left alone gather numbers across the x_j
template <int Groups, class X>
VINCOLO_INLINE void add_weighed(V4 (&sum)[Groups], const double* w, int count, X x) {
    for (int j = 0; j < count; ++j) {
        const double* from = x(j);
        const V4 all{w[j], w[j], w[j], w[j]};
        for (int g = 0; g < Groups; ++g) sum[g] += four(from + 4 * g) * all;
    }
}

}  // namespace vincolo
