"""A walker and its legs, as models within a model."""

import vincolo as vc


def leg(rate=200.0):
    """A swinging arm with a foot on a slide, a strut, a drive, a measure and loads."""
    m = vc.Model("leg", gravity=(0, 0, 99))
    arm = m.body("arm", 2, (0.1, 0.2, 0.25), at=(0, 0.4, 0), velocity=(0, 0, 0.1), angular_velocity=(0.5, 0, 0))
    foot = m.body("foot", 1, 0.01, at=(0, 0.8, 0))
    hip = m.revolute("hip", m.ground, arm, at=(0, 0.1, 0), axis="x")
    m.prismatic("slide", arm, foot, at=(0, 0.8, 0), axis="z")
    m.frame("toe", foot, (0.1, 0.9, 0))
    m.frame("seat", m.ground, (0, 0.3, 0.5))
    m.spring("strut", m.frames["seat"], arm.frame((0, 0.5, 0)), k=rate, c=4)
    m.measure("reach", vc.distance(m.frames["seat"], m.frames["toe"]))
    m.drive("slide.travel", vc.Sine(0.1, 3))
    m.hold("free", 0.5 * hip["angle"], "0")
    m.law("stop", "reach", "3*d")
    m.actuator("muscle", "hip.angle", 2.0)
    m.force("push", m.frames["toe"], (1, 2, 3), axes="body")
    m.torque("twist", arm, (0, "t", 0))
    m.holds.pop("free")
    return m


def body():
    """A model with a trunk, for legs."""
    m = vc.Model("walker")
    m.body("trunk", 10, 1.0, at=(0, 0, 1), velocity=(1, 0, 0))
    return m
