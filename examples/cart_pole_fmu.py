"""An inverted pendulum on a cart held by state feedback: by a function of Python, and by the same controller as an FMU.

Source: own example; cart, pole and gains are those of cart_pole_controller.py. The controller is a model of its own,
four inputs and one output on a case that is fixed, and leaves as an FMU for co-simulation of FMI 2 (docs/realtime.md).
The block that takes it in makes its steps every 10 ms, as the function of Python is called. Both motions must be the
same to 1e-12 rad, and the pole must stand upright after 10 s. It needs a C compiler and FMPy.
"""

import tempfile
from pathlib import Path

import numpy as np

import vincolo as vc
from cart_pole_controller import MOTION, build, feedback
from comparison import compare
from vincolo import _kernel
from vincolo.realtime.fmu import write_fmu
from vincolo.realtime.table import plant

PERIOD = 1e-2  # s
INPUTS = ("travel", "speed", "angle", "spin")


def controller(gains: list[float]) -> vc.Model:
    """State feedback as a model: it has nothing that moves."""
    model = vc.Model("feedback", gravity=(0, 0, 0))
    model.fixed("held", model.ground, model.body("case", 1.0, 1.0), at=(0, 0, 0))
    for name in INPUTS:
        model.input(name)
    model.output("push", "-(" + " + ".join(f"({k!r})*{n}" for k, n in zip(gains, INPUTS, strict=True)) + ")", unit="N")
    return model


def angles(model: vc.Model) -> np.ndarray:
    """The angle of the pole [rad] over 10 s, from 0.1 rad."""
    system = vc.compile(model)
    start = vc.assemble(system, {"hinge.angle": 0.1})
    return vc.simulate(system, 10.0, start=start, integrator=vc.integrators.RK4(step=1e-3))["hinge.angle"]


def main() -> list[float]:
    gains = feedback().K[0].tolist()
    plain, with_fmu = build(), build()

    @plain.controller(every=PERIOD, reads=MOTION, writes=["push"])
    def hold(t: float, *motion: float) -> float:
        return -sum(k * x for k, x in zip(gains, motion, strict=True))

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "feedback.fmu"
        write_fmu(plant(controller(gains), PERIOD), file, instructions=str(_kernel.core().instruction_set))
        vc.blocks.fmu(with_fmu, "hold", file, every=PERIOD, reads=dict(zip(INPUTS, MOTION, strict=True)),
                      writes={"push": "push"})
        by_function, by_fmu = angles(plain), angles(with_fmu)
    off = float(np.abs(by_function - by_fmu).max())
    print(f"Both motions are at most {off:.1e} rad apart.")
    return [compare("both controllers lead to the same motion (1: to 1e-12 rad)", float(off < 1e-12), 1.0, ""),
            compare("angle of the pole after 10 s", float(by_fmu[-1]), 0.0, "rad")]


if __name__ == "__main__":
    main()
