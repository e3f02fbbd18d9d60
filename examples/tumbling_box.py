"""A box is thrown onto a floor, tumbles and comes to rest on one of its faces.

Source: rigid bodies with dry friction by time stepping (Moreau 1988, Jean 1999). At rest its centre stands half an edge
above the floor, the floor carries its weight, and what it had of energy less what is left of it has gone into hits and
friction: the balance of energy must close.
"""

import numpy as np

import vincolo as vc
from comparison import compare

EDGES, MASS, GRAVITY = (0.3, 0.2, 0.1), 1.0, 9.80665


def build() -> vc.Model:
    """The box in the air, turned and spinning."""
    model = vc.Model("tumbling box", gravity=(0, 0, -GRAVITY))
    turned = vc.Rotation.euler("XYZ", 0.4, 0.7, 0.2)
    box = model.body("box", vc.shapes.box(EDGES, mass=MASS), at=(0, 0, 0.6), orientation=turned,
                     velocity=(1.0, 0.2, 0), angular_velocity=(3.0, 5.0, -2.0))
    model.contact("floor", model.ground, box, "plane", friction=0.5, restitution=0.3)
    return model


def main() -> list[float]:
    result = vc.simulate(build(), until=4.0, integrator=vc.integrators.Moreau(step=1e-3))
    height = result["box.z"][-1]
    half = min((edge / 2 for edge in EDGES), key=lambda z: abs(z - height))
    speed = float(np.hypot(np.hypot(result["box.vx"][-1], result["box.vy"][-1]), result["box.vz"][-1]))
    return [compare("height over the floor less half an edge", height - half, 0.0, "m"),
            compare("speed at the end", speed, 0.0, "m/s"),
            compare("force of the floor", float(result["floor.force"][-1]), MASS * GRAVITY, "N"),
            compare("balance of energy", float(np.abs(result["energy.balance"]).max()), 0.0, "J")]


if __name__ == "__main__":
    main()
