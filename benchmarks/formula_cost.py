"""What a joint costs as a user's formula or Python function, as a multiple of the built-in one: CPU time of whole runs.

python benchmarks/formula_cost.py
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

import vincolo as vc

LINKS, ROUNDS = 10, 9


def chain(rod) -> vc.System:
    """Bodies on a string of massless rods; `rod` joins two points at a length of 0.3 m."""
    model = vc.Model("chain of rods")
    before = model.ground.frame((0, 0, 0))
    for k in range(LINKS):
        body = model.body(f"body{k}", 1.0, 0.01, at=(0.5 * k + 0.4, 0, 0))
        rod(model, f"rod{k}", before, body.frame((0.5 * k + 0.3, 0, 0)))
        before = body.frame((0.5 * k + 0.5, 0, 0))
    return vc.compile(model)


def built_in(model: vc.Model, name: str, a: vc.Frame, b: vc.Frame) -> None:
    model.distance(name, a, b)


def by_text(model: vc.Model, name: str, a: vc.Frame, b: vc.Frame) -> None:
    x, y, z = (vc.along(axis, a, b) for axis in "xyz")
    length = float(np.linalg.norm(b.drawn_point - a.drawn_point))
    model.hold(name, vc.formula("sqrt(x^2 + y^2 + z^2) - l", x=x, y=y, z=z, l=length))


def by_function(model: vc.Model, name: str, a: vc.Frame, b: vc.Frame) -> None:
    x, y, z = (vc.along(axis, a, b) for axis in "xyz")
    length = float(np.linalg.norm(b.drawn_point - a.drawn_point))
    model.hold(name, vc.formula(lambda x, y, z: np.sqrt(x**2 + y**2 + z**2) - length, x=x, y=y, z=z))


def main() -> None:
    systems = {kind.__name__: chain(kind) for kind in (built_in, by_text, by_function)}
    best, ends = dict.fromkeys(systems, np.inf), {}
    for _ in range(ROUNDS):
        for name, system in systems.items():
            result = vc.simulate(system, 2.0, outputs=50, integrator=vc.RK4(step=1e-3), progress=False)
            best[name], ends[name] = min(best[name], result.seconds), result.y[-1, :3]
    for name, seconds in best.items():
        apart = np.abs(ends[name] - ends["built_in"]).max()
        ratio = seconds / best["built_in"]
        print(f"{name:12}{1e3 * seconds:8.2f} ms{ratio:6.2f} times, {apart:.1e} m apart at the end")


if __name__ == "__main__":
    main()
