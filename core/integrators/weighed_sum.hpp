// Sums of states, each with a weight: what stages, errors and states between steps are made of. In vectors by name: compilers take
// plain loops over eight numbers apart.
#pragma once
#include <cstddef>

#include "columns.hpp"

namespace vincolo {

#ifdef __AVX__
VINCOLO_INLINE Quad quad_at(const double* from) { return *reinterpret_cast<const V4*>(from); }
#else
VINCOLO_INLINE Quad quad_at(const double* from) { return {*reinterpret_cast<const V2*>(from), *reinterpret_cast<const V2*>(from + 2)}; }
#endif

// out = from + sum of w_j k_j, of eight numbers at once; without `from`, the sum alone
VINCOLO_INLINE void weighed_sum(double* out, const double* from, const double* const* k, const double* w, int count, std::size_t i) {
    Quad low = quad(0, 0, 0), high = low;
    if (from != nullptr) low = quad_at(from + i), high = quad_at(from + i + 4);
    for (int j = 0; j < count; ++j) low = low + quad_at(k[j] + i) * w[j], high = high + quad_at(k[j] + i + 4) * w[j];
    spill(out, low), spill(out + 4, high);
}

// The same of all numbers, which are a multiple of eight
inline void add_weighed(const double* from, double* out, std::size_t length, const double* const* k, const double* w, int count) {
    for (std::size_t i = 0; i < length; i += 8) weighed_sum(out + i, from, k, w, count, i);
}

}  // namespace vincolo
