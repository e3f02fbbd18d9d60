// A slider-crank taken from outside in steps of a millisecond, with an input and two outputs: nothing may be allocated in them,
// whatever the integrator. `paces 1000000` makes so many steps of each.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "vincolo.hpp"

static std::atomic<long> allocations{0};

void* operator new(std::size_t size) {
    ++allocations;
    if (void* p = std::malloc(size ? size : 1)) return p;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

using namespace vincolo;

namespace {

// Crank 1 m and rod 2 m at 45 degrees; hinge, two balls and a slide; the input is a torque on the crank
struct SliderCrank {
    Builder builder;
    Doubles start;
    int torque, angle;

    SliderCrank() {
        const double half = std::sqrt(0.5), reach = half + std::sqrt(3.5);
        const Vec3 pin(half, 0, half), slide(reach, 0, 0), joints[] = {Vec3::Zero(), pin, slide}, centres[] = {pin / 2, (pin + slide) / 2, slide};
        for (const double mass : {1, 2, 4}) builder.add_body(mass, Doubles(3, mass < 4 ? mass / 10 : 0.3), Doubles(3, 0), 0, 1);
        torque = builder.add_auxiliary(1);
        const auto frame = [&](int body, const Vec3& p) {
            const Vec3 s = body < 0 ? p : Vec3(p - centres[body]);
            return builder.add_frame(body, {s[0], s[1], s[2]}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
        };
        const auto measured = [&](const char* kind, int a, int b, int i, int j) {
            return builder.add_quantity({{builder.add_measure(kind, a, b, i, j, {0, 0, 0}), 1.0}});
        };
        const auto held = [&](const char* kind, int a, int b, int i, int j) { return std::make_tuple(measured(kind, a, b, i, j), -1, 0); };
        for (int k = 0; k < 3; ++k) {
            const int a = frame(k - 1, joints[k]), b = frame(k, joints[k]);
            builder.add_block({held("pin", a, b, 0, 0), held("pin", a, b, 1, 0), held("pin", a, b, 2, 0)}, false, a, b);
        }
        const int rail = frame(-1, slide), shoe = frame(2, slide);
        builder.add_block({held("along", rail, shoe, 1, 0), held("along", rail, shoe, 2, 0), held("cosine", rail, shoe, 1, 0), held("cosine", rail, shoe, 2, 0)}, false, rail, shoe);
        const int ground = frame(-1, joints[0]), crank = frame(0, joints[0]);
        const int height = measured("along", ground, frame(0, pin), 2, 0), lean = measured("cosine", ground, crank, 2, 0);
        builder.add_formula(height, 1, {{{"input", 0, 0}}, {}, {{"auxiliary", torque}}});
        builder.add_output({{{"input", 0, 0}}, {}, {{"value", height}}});
        builder.add_output({{{"input", 0, 0}}, {}, {{"rate", lean}}});
        builder.set_gravity({0, 0, -9.80665});
        start.assign(builder.system().state_size(), 0.0);
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 3; ++c) start[body_size * b + at_r + c] = centres[b][c], start[body_size * b + at_p] = 1;
    }
};

// Steps with an input that changes in every one; how many allocations they made, or -1 if a step failed
long allocated(const SliderCrank& model, const char* method, double step, long count) {
    RunOptions options;
    options.method = method;
    if (step > 0) options.integrator.set("step", step);
    Run run(model.builder.system(), options, 0, model.start, {}, {1e-3});
    Pacer pacer(run, 1e-3, {{model.torque, -1}});
    long before = 0;
    for (long k = 0; k < count; ++k) {
        if (k == 10) before = allocations;
        pacer.inputs()[0] = 5 + std::sin(0.01 * static_cast<double>(k));
        if (pacer.step() != Status::Done) return -1;
    }
    return allocations - before;
}

}  // namespace

int main(int count, char** words) {
    const long steps = count > 1 ? std::atol(words[1]) : 3000;
    const SliderCrank model;
    int wrong = 0;
    const struct { const char* method; double step; } methods[] = {{"rk4", 1e-3}, {"dormand_prince", 0}, {"dop853", 0}, {"automatic", 0}, {"radau", 0}};
    for (const auto& [method, step] : methods) {
        const long found = allocated(model, method, step, steps);
        std::printf("paces: %ld steps of %s, %ld allocations in them\n", steps, method, found);
        wrong += found != 0;
    }
    return wrong;
}
