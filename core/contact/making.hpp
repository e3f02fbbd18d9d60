// Shapes for contact from plain tables, checked.
#pragma once
#include <string>

#include "contact/scene.hpp"

namespace vincolo {

using Loops = std::vector<std::vector<int>>;

// Corners and loops of faces: of a hull all, of a mesh its triangles; none of other kinds. A frame stands for body, s and R.
ContactShape make_shape(const std::string& kind, const std::vector<double>& size, const std::vector<Vec3>& corners, const Loops& faces, bool closed);

}  // namespace vincolo
