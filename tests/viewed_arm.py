"""Models that the viewer shows."""

import vincolo as vc

W, R = 2.0, 0.5  # rad/s and m of a driven arm


def arm() -> vc.Model:
    """A bar that turns uniformly about y, its end at a radius R; and a weight on a spring."""
    model = vc.Model("arm")
    bar = model.body("bar", 1.0, 0.1, at=(R, 0, 0))
    model.revolute("O", model.ground, bar, at=(0, 0, 0), axis="y")
    model.drive("O.angle", f"{W}*t")
    weight = model.body("weight", 2.0, 0.1, at=(2, 0, -1))
    model.prismatic("slide", model.ground, weight, at=(2, 0, 0), axis="z")
    model.spring("coil", model.ground.frame((2, 0, 0)), weight.frame((2, 0, -1)), k=100.0, length=0.8)
    return model


def linear_pendulum() -> vc.LinearSystem:
    model = vc.Model("pendulum")
    bob = model.body("bob", 1.0, 0.0, at=(0, 0, -1))
    model.revolute("O", model.ground, bob, at=(0, 0, 0), axis="y")
    return vc.linearize(vc.assemble(model))


def chain(count: int, outputs: int = 240) -> vc.Result:
    """Links that wave, each driven against the one before."""
    model, before = vc.Model("chain"), None
    for k in range(count):
        link = model.body(f"link {k}", 1.0, 0.01, at=(0.1 * k + 0.05, 0, 0))
        model.revolute(f"J{k}", before or model.ground, link, at=(0.1 * k, 0, 0), axis="y")
        model.drive(f"J{k}.angle", f"0.2*sin(2*t + {k})")
        before = link
    return vc.kinematics(model, until=12.0, outputs=outputs)
