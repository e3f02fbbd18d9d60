"""A cart with a pole that stands upright, held by state feedback: gains from the linearised mechanism, and the poles of
the closed loop as the motion shows them.

Source: W. Messner and D. Tilbury, Control Tutorials for MATLAB and Simulink, "Inverted Pendulum: State-Space Methods
for Controller Design": cart 0.5 kg with friction 0.1 N s/m, pole 0.2 kg, 0.006 kg m2 and 0.3 m to its centre of mass,
g = 9.8 m/s2. For the weights 5000 on the position and 100 on the angle the gains are -70.7107, -37.8345, 105.5298 and
20.9238. The poles seen in the motion must be those of the linear loop, to 1e-6.
"""

import numpy as np

import vincolo as vc
from comparison import compare

GAINS = {"position": -70.7107, "velocity": -37.8345, "angle": 105.5298, "angular velocity": 20.9238}
MOTION = ["rail.travel", "rail.travel.rate", "hinge.angle", "hinge.angle.rate"]
SMALL, SPAN = 1e-6, 0.1  # deviations from the upright position, and seconds over which the motion is looked at


def build() -> vc.Model:
    """The cart on its rail, pushed by an input; angles count from upright, as positive as the source has them."""
    model = vc.Model("cart and pole", gravity=(0, 0, -9.8))
    cart = model.body("cart", 0.5, 0.01)
    pole = model.body("pole", 0.2, 0.006, at=(0, 0, 0.3))
    model.prismatic("rail", model.ground, cart, at=(0, 0, 0), axis="x")
    model.revolute("hinge", cart, pole, at=(0, 0, 0), axis="-y")
    model.law("friction", "rail.travel", "0.1*dd")
    model.input("push", unit="N")
    model.actuator("motor", "rail.travel", "push")
    return model


def feedback() -> vc.blocks.Feedback:
    """The gains of least cost, from the mechanism linearised where it stands."""
    linear = vc.linearize(vc.assemble(build()), inputs=["motor"], outputs=MOTION)
    return vc.blocks.lqr(linear, Q=[5000, 0, 100, 0], R=[1])


def seen_poles(found: vc.blocks.Feedback) -> np.ndarray:
    """Poles [1/s] of the motion: small deviations are carried on by exp(A t), whose eigenvalues are exp(s t)."""
    model = build()
    model.remove("motor")
    model.actuator("motor", "rail.travel", found.text())
    system = vc.compile(model)
    exact = vc.integrators.DOP853(rtol=1e-12, atol=1e-16)
    columns = []
    for name in MOTION:
        start = vc.assemble(system, {key: SMALL * (key == name) for key in MOTION})
        end = vc.simulate(system, SPAN, start=start, integrator=exact, outputs=1)
        columns.append([end[key][-1] / SMALL for key in MOTION])
    values = np.linalg.eigvals(np.array(columns).T)
    return np.sort_complex(np.log(values.astype(complex)) / SPAN)


def main() -> list[float]:
    """Compares gains and poles; holds the pole with a controller that is called every millisecond."""
    found = feedback()
    numbers = [compare(f"gain on the {name}", gain, published, "")
               for (name, published), gain in zip(GAINS.items(), found.K[0], strict=True)]
    seen, linear = seen_poles(found), np.sort_complex(found.poles)
    for k, (pole, expected) in enumerate(zip(seen, linear, strict=True), 1):
        numbers.append(compare(f"pole {k} in the motion, over that of the linear loop", abs(pole / expected), 1.0, ""))
    model = build()
    K = found.K[0].tolist()

    @model.controller(every=1e-3, reads=MOTION, writes=["push"])
    def hold(t: float, *motion: float) -> float:
        return -sum(k * x for k, x in zip(K, motion, strict=True))

    system = vc.compile(model)
    result = vc.simulate(system, 10.0, start=vc.assemble(system, {"hinge.angle": 0.2}))
    numbers.append(compare("angle of the pole after 10 s, from 0.2 rad", result["hinge.angle"][-1], 0.0, "rad"))
    print(result.summary())
    return numbers


if __name__ == "__main__":
    main()
