"""Linkages with known closed equations, used by several tests."""

from __future__ import annotations

import numpy as np

import vincolo as vc

G = 9.81


def rod(model: vc.Model, name: str, p: tuple, q: tuple, mass: float = 1.0, inertia: float | None = None) -> vc.Body:
    """A slender rod between two drawn points of the xy plane, its x axis along it."""
    d = np.subtract(q, p)
    length, phi = float(np.hypot(*d)), float(np.arctan2(d[1], d[0]))
    moment = mass * length**2 / 12 if inertia is None else inertia
    middle = (*np.add(p, q) / 2, 0.0)
    turned = [np.cos(phi / 2), 0, 0, np.sin(phi / 2)]
    return model.body(name, mass, [moment / 2, moment, moment], at=middle, orientation=turned)


def flat(p: tuple) -> tuple:
    """A point of the xy plane."""
    return (*p, 0.0)


def pendulum(angle: float = 0.3, gravity=(0, -G, 0)) -> vc.Model:
    """A rod of 1 m and 1 kg hinged at the origin, `angle` from +x."""
    model = vc.Model("pendulum", gravity=gravity)
    bar = rod(model, "bar", (0, 0), (np.cos(angle), np.sin(angle)))
    model.revolute("O", model.ground, bar, at=(0, 0, 0), axis="z")
    return model


def pushed_pendulum() -> vc.Model:
    """A bob on an arm of 0.5 m, with a torque about its hinge."""
    model = vc.Model("pendulum")
    bob = model.body("bob", mass=2.0, inertia=0.01, at=(0.5, 0, 0))
    model.revolute("pin", model.ground, bob, at=(0, 0, 0), axis="y")
    model.torque("push", bob, (0, 0.3, 0))
    return model


def parallelogram(angle: float, speed: float = 0.0, bars: int = 2) -> vc.Model:
    """Bars of 1 m under a coupler, all hinges along z: three redundant rows per loop, flat at angle 0 and pi."""
    model = vc.Model("parallelogram", gravity=(0, -G, 0))
    tip = np.array([np.cos(angle), np.sin(angle)])
    feet = [np.array([2.0 * k, 0.0]) for k in range(bars)]
    coupler = rod(model, "coupler", feet[0] + tip, feet[-1] + tip, mass=2.0)
    for k, foot in enumerate(feet):
        bar = rod(model, f"bar{k}", foot, foot + tip)
        model.revolute(f"foot{k}", model.ground, bar, at=flat(foot), axis="z")
        model.revolute(f"head{k}", bar, coupler, at=flat(foot + tip), axis="z")
    model.measure("speed", model.joints["foot0"]["angle"])
    return model


def equal_slider_crank(angle: float, length: float = 0.25) -> vc.Model:
    """Crank and rod of equal length, weight along -x: at 90 degrees the piston pin stands on the crank's hinge
    and the linkage has two freedoms for an instant."""
    model = vc.Model("slider-crank", gravity=(-G, 0, 0))
    pin = length * np.array([np.cos(angle), np.sin(angle)])
    end = np.array([2 * pin[0], 0.0])
    crank, link = rod(model, "crank", (0, 0), pin, 0.2, 1e-3), rod(model, "rod", pin, end, 0.4, 8e-3)
    piston = model.body("piston", 3.22, [0.0022, 0.00378, 0.00378], at=flat(end))
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.revolute("A", crank, link, at=flat(pin), axis="z")
    model.revolute("B", link, piston, at=flat(end), axis="z")
    model.prismatic("S", model.ground, piston, at=(0, 0, 0), axis="x")
    return model


def equal_slider_crank_motion(start: float, t: np.ndarray, length: float = 0.25) -> np.ndarray:
    """Crank angle over time from its one-freedom equation I(th) th'' + I'(th) th'^2 / 2 + V'(th) = 0."""
    from scipy.integrate import solve_ivp

    L, m1, J1, m2, J2, m3 = length, 0.2, 1e-3, 0.4, 8e-3, 3.22

    def rates(_, y):
        th, speed = y
        rod_share = 9 / 4 * np.sin(th)**2 + np.cos(th)**2 / 4
        inertia = J1 + m1 * L**2 / 4 + J2 + m2 * L**2 * rod_share + 4 * m3 * L**2 * np.sin(th)**2
        slope = (4 * m2 + 8 * m3) * L**2 * np.sin(th) * np.cos(th)  # dI/dth
        weight = -G * np.sin(th) * (m1 * L / 2 + 1.5 * m2 * L + 2 * m3 * L)  # dV/dth
        return [speed, -(0.5 * slope * speed**2 + weight) / inertia]

    return solve_ivp(rates, (t[0], t[-1]), [start, 0.0], t_eval=t, rtol=1e-12, atol=1e-13, method="DOP853").y[0]
