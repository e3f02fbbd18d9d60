// A centred slider-crank driven by a constant torque (Oldani, 2010), without Python: the slider must be at x = 2.005897933 m
// after 5 s.
#include <cstdio>

#include "vincolo.hpp"

using namespace vincolo;

int main() {
    const double half = std::sqrt(0.5), reach = half + std::sqrt(3.5);  // crank 1 m at 45 degrees, rod 2 m
    const Vec3 pin(half, 0, half), slide(reach, 0, 0), joints[] = {Vec3::Zero(), pin, slide}, centres[] = {pin / 2, (pin + slide) / 2, slide};
    Builder builder;
    for (const double mass : {1, 2, 4}) builder.add_body(mass, Doubles(3, mass < 4 ? mass / 10 : 0.3), Doubles(3, 0), 0, 1);
    const auto frame = [&](int body, const Vec3& p) {  // at a point as drawn, with the world's axes; body -1 is the ground
        const Vec3 s = body < 0 ? p : Vec3(p - centres[body]);
        return builder.add_frame(body, {s[0], s[1], s[2]}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
    };
    const auto held = [&](const char* kind, int a, int b, int i, int j) {  // a row: a measure held at zero
        return std::make_tuple(builder.add_quantity({{builder.add_measure(kind, a, b, i, j, {0, 0, 0}), 1.0}}), -1, 0);
    };
    for (int k = 0; k < 3; ++k) {  // ball joints: ground and crank, crank and rod, rod and slider
        const int a = frame(k - 1, joints[k]), b = frame(k, joints[k]);
        builder.add_block({held("pin", a, b, 0, 0), held("pin", a, b, 1, 0), held("pin", a, b, 2, 0)}, false, a, b);
    }
    const int rail = frame(-1, slide), shoe = frame(2, slide);
    builder.add_block({held("along", rail, shoe, 1, 0), held("along", rail, shoe, 2, 0), held("cosine", rail, shoe, 1, 0), held("cosine", rail, shoe, 2, 0)}, false, rail, shoe);
    const int none = builder.add_function({"constant", {0}, {}, {}, {}}), torque = builder.add_function({"constant", {10}, {}, {}, {}});
    builder.add_load(frame(0, centres[0]), true, false, {none, torque, none});
    builder.set_gravity({0, 0, -9.80665});
    Doubles start(builder.system().state_size(), 0.0);
    for (int b = 0; b < 3; ++b)
        for (int c = 0; c < 3; ++c) start[body_size * b + at_r + c] = centres[b][c], start[body_size * b + at_p] = 1;
    RunOptions options;
    options.method = "dop853";
    options.integrator.set("rtol", 1e-10);
    Run run(builder.system(), options, 0, start, {}, {5.0});
    while (run.advance(10000) == Status::Running) {}
    const double x = run.state()[2 * body_size + at_r], off = std::abs(x - 2.005897933);
    std::printf("slider-crank: x = %.9f m at %g s, %.1e m from the published solution\n", x, run.time(), off);
    return run.time() == 5.0 && off < 1e-6 ? 0 : 1;
}
