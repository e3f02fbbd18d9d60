"""A truck = tractor + trailer: two sub-models, each with suspensions as sub-models, joined by a kingpin.

Source: the model tree of Righettini and Tasora (about 2001); dimensions of our own. Standing, the kingpin carries
60644.805 N of the trailer's weight by the law of the lever. When the tractor pulls with 30 kN and the truck has stopped
nodding, the kingpin must pull with the trailer's share of the mass, 20789.022 N; within 0.01 N each.
"""

import numpy as np

import vincolo as vc
from car import ARM, RADIUS, suspension, tyre
from comparison import compare

G = 9.80665  # m/s2
TRACTOR, TRAILER = 7000.0, 16000.0  # kg: without arms and wheels
TRAILER_COM, TRAILER_AXLES = -5.0, (-7.5, -8.8)  # m: from the kingpin
TRACTOR_COM, TRACTOR_AXLES, KINGPIN = 0.6, (1.8, -1.8), -1.5  # m: from the middle of the tractor
PULL = 30e3  # N
ON_KINGPIN = TRAILER * G * (1 - TRAILER_COM / np.mean(TRAILER_AXLES))
REFERENCE = PULL * (TRAILER + 4 * ARM) / (TRACTOR + TRAILER + 8 * ARM)


def axle(model: vc.Model, name: str, chassis: vc.Body, x: float, carried: float) -> None:
    """Two swing arms under a chassis that carry a weight [N] between them."""
    load = carried / 2 + ARM * G
    corner = suspension(load, rate=10 * load, damping=0.9 * load)
    for side, mirror in (("left", None), ("right", "y")):
        placed = model.add(f"{name}_{side}", corner, at=(x, 0, RADIUS), mirror=mirror, on=chassis)
        tyre(model, f"{name} {side}", placed["hub"], preload=-load, rate=30 * load)


def tractor() -> vc.Model:
    """The tractor, its springs set for the trailer's share of weight on the kingpin."""
    model = vc.Model("tractor")
    chassis = model.body("chassis", TRACTOR, (5e3, 2e4, 2e4), at=(TRACTOR_COM, 0, 1.0))
    front, rear = TRACTOR_AXLES
    on_front = (TRACTOR * G * (TRACTOR_COM - rear) + ON_KINGPIN * (KINGPIN - rear)) / (front - rear)
    axle(model, "front", chassis, front, on_front)
    axle(model, "rear", chassis, rear, TRACTOR * G + ON_KINGPIN - on_front)
    model.force("pull", chassis.frame((front, 0, RADIUS)), (vc.functions.SmoothStep(0.2, 1.0, high=PULL), 0, 0))
    return model


def trailer() -> vc.Model:
    """The trailer, its kingpin over the origin."""
    model = vc.Model("trailer")
    chassis = model.body("chassis", TRAILER, (2e4, 2e5, 2e5), at=(TRAILER_COM, 0, 1.6))
    for name, x in zip(("first", "second"), TRAILER_AXLES, strict=True):
        axle(model, name, chassis, x, (TRAILER * G - ON_KINGPIN) / 2)
    return model


def build() -> vc.Model:
    """The truck at rest, in balance."""
    model = vc.Model("truck")
    front = model.add("tractor", tractor())
    rear = model.add("trailer", trailer(), at=(KINGPIN, 0, 0))
    model.spherical("kingpin", front["chassis"], rear["chassis"], at=(KINGPIN, 0, 1.1))
    return model


def main() -> list[float]:
    result = vc.simulate(build(), until=10.0)
    force = result.reaction("kingpin").force
    found = [compare("weight on the kingpin, standing", force[0, 2], ON_KINGPIN, "N"),
             compare("pull of the kingpin at 10 s", force[-1, 0], REFERENCE, "N")]
    nod = abs(result["tractor.front_left.pivot.angle"]).max()
    print(f"\nThe arm 'tractor.front_left.arm' turns by {nod:.4f} rad at most.\n")
    print(result)
    return found


if __name__ == "__main__":
    main()
