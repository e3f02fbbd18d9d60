// The order in which rows of joints are eliminated, and the bodies that are eliminated among them.
//
// In S = J M^-1 J^T all joints of a body are coupled with each other. A hub, a body with many joints, is kept as a node instead:
// with C = J_h M_h^-1/2 the system S lam = b reads
//     [ S'  C ] [lam]   [b]
//     [ C^T -1] [ y ] = [0],     S' = S without the masses of the hubs,
// in which a joint is coupled with the hub alone. Until the hub is eliminated, rows meet it as if it were held. They are as
// independent as with a moving hub where they join it to nothing else that is held: neither to the ground nor to another hub,
// through the rows eliminated so far. The other rows wait for the hub.
#pragma once
#include <vector>

#include "block_solver.hpp"

namespace vincolo {

// The cheapest order known: minimum degree, weighted by rows, with the hubs that pay. The blocks in `first` are eliminated before
// all rows they could depend on.
Elimination elimination(const BlockSet& set, const std::vector<char>& first);

// Whether a quantity is of bodies against the ground or axes of the world, so that it changes when they move together as one
bool holds_to_ground(const System& system, const Quantity& quantity);
// Whether points that a joint pins may part: directions of pins are held for the instant, and turning both bodies then opens it
bool comes_apart(const System& system, const BlockShape& joint);

}  // namespace vincolo
