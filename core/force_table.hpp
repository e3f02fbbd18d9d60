// Forces that follow from the motion, as System::forces_read() numbers them, from what was observed at a loaded state.
#pragma once
#include "block_forces.hpp"
#include "observer.hpp"

namespace vincolo {

inline void write_forces(const Placement& placement, const Observation& observed, double* out) {
    const System& system = placement.system();
    for (std::size_t b = 0; b < system.blocks.size(); ++b, out += block_forces)
        write_block_forces(observed.wrenches[b].force_b, observed.wrenches[b].torque_b, axes_of_block(placement, system.blocks[b]), out);
    for (double lam : observed.lam) *out++ = -lam;
    for (double force : observed.law_force) *out++ = force;
}

}  // namespace vincolo
