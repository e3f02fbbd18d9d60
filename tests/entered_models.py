"""Models for runs that are entered: with inputs, outputs, states and controllers."""

import vincolo as vc

MOTION = ["rail.travel", "rail.travel.rate", "hinge.angle", "hinge.angle.rate"]


def cart_pole(friction=0.1):
    """A cart with a pole that stands upright, pushed by an input."""
    m = vc.Model("cart and pole", gravity=(0, 0, -9.8))
    cart = m.body("cart", 0.5, 0.01)
    pole = m.body("pole", 0.2, 0.006, at=(0, 0, 0.3))
    m.prismatic("rail", m.ground, cart, at=(0, 0, 0), axis="x")
    m.revolute("hinge", cart, pole, at=(0, 0, 0), axis="-y")
    if friction:
        m.law("friction", "rail.travel", "c*dd", c=friction)
    m.input("push", unit="N")
    m.actuator("motor", "rail.travel", "push")
    return m


def slider_crank(inputs=10):
    """A slider-crank with so many inputs and outputs."""
    m = vc.Model("slider-crank")
    crank = m.body("crank", 1.0, 0.1, at=(0.5, 0, 0))
    rod = m.body("rod", 2.0, 0.2, at=(2, 0, 0))
    slider = m.body("slider", 4.0, 0.3, at=(3, 0, 0))
    m.revolute("O", m.ground, crank, at=(0, 0, 0), axis="y")
    m.spherical("A", crank, rod, at=(1, 0, 0))
    m.spherical("B", rod, slider, at=(3, 0, 0))
    m.prismatic("C", m.ground, slider, at=(3, 0, 0), axis="x")
    for k in range(inputs):
        m.input(f"u{k}")
    m.actuator("motor", "O.angle", " + ".join(f"u{k}" for k in range(inputs)) or "0")
    seen = ["O.angle", "O.angle.rate", "C.travel", "C.travel.rate", "crank.x", "crank.vz", "rod.wy", "slider.x",
            "slider.vx", "u0 + O.angle"]
    for k in range(inputs):
        m.output(f"y{k}", seen[k % len(seen)])
    return m


def servo(between="held"):
    """A cart pushed by a filtered input: m x'' = f, f' = (u - f)/T, with a spring."""
    m = vc.Model("servo", gravity=(0, 0, 0))
    cart = m.body("cart", 2.0, 0.1, (0, 0, 0))
    m.prismatic("rail", m.ground, cart, (0, 0, 0), "x")
    m.input("u", value=0.0, unit="N", between=between)
    m.variable("gain", 1.0)
    m.state("f", "(gain*u - f)/T", unit="N", T=0.2)
    m.actuator("push", "rail.travel", "f")
    m.spring("back", "rail.travel", k=3.0, c=0.5)
    m.output("x", "cart.x", unit="m")
    m.output("both", "cart.x + 2*f")
    return m
