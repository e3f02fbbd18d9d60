// The builder's part of contact: shapes, laws, who meets whom
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "builder.hpp"
#include "contact/making.hpp"

namespace vincolo {

int Builder::add_contact_shape(int frame, const std::string& kind, const Doubles& size, const Doubles& corners, const std::vector<std::vector<int>>& faces, bool closed) {
    if (corners.size() % 3 != 0) throw std::invalid_argument("corners have three coordinates");
    std::vector<Vec3> points;
    for (std::size_t k = 0; k < corners.size(); k += 3) points.emplace_back(corners[k], corners[k + 1], corners[k + 2]);
    ContactShape shape = make_shape(kind, size, points, faces, closed);
    const Frame& place = system_.frames[check(frame, system_.frames.size(), "frame")];
    shape.body = place.body, shape.s = place.s, shape.R = place.R;
    system_.contact.shapes.push_back(std::move(shape));
    return static_cast<int>(system_.contact.shapes.size()) - 1;
}

// k, exponent, chi, c; friction, creep, restitution
int Builder::add_contact_law(bool rigid, const std::array<double, 4>& f, const std::array<double, 3>& friction) {
    const auto wrong = [](double x) { return !(x >= 0 && std::isfinite(x)); };
    if (std::any_of(f.begin(), f.end(), wrong) || std::any_of(friction.begin(), friction.end(), wrong))
        throw std::invalid_argument("a number of a contact is negative or not finite");
    system_.contact.laws.push_back({rigid, f[0], f[1], f[2], f[3], friction[0], friction[1], friction[2]});
    return static_cast<int>(system_.contact.laws.size()) - 1;
}

void Builder::add_contact_pairs(int law, const std::vector<std::pair<int, int>>& pairs) {
    auto& scene = system_.contact;
    check(law, scene.laws.size(), "law of contact");
    for (const auto& [one, two] : pairs) {
        check(one, scene.shapes.size(), "shape"), check(two, scene.shapes.size(), "shape");
        const bool swapped = scene.shapes[one].kind > scene.shapes[two].kind;
        scene.pairs.push_back({swapped ? two : one, swapped ? one : two, law, swapped ? -1.0 : 1.0});
        if (!scene.laws[law].rigid) continue;
        for (int shape : {one, two})
            if (scene.shapes[shape].body != system_.ground()) scene.pushed.push_back(scene.shapes[shape].body);
    }
    std::sort(scene.pushed.begin(), scene.pushed.end());
    scene.pushed.erase(std::unique(scene.pushed.begin(), scene.pushed.end()), scene.pushed.end());
}

void Builder::set_contact_room(int first) {
    if (first < 0 || first + system_.contact.room() > system_.auxiliaries.size()) throw std::out_of_range("too little room for contact");
    system_.contact.wrenches = first;
}

}  // namespace vincolo
