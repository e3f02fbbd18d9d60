"""Mechanisms with a tight reference of one tracked quantity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import one_coordinate
from scipy.integrate import solve_ivp

import references
import slider_crank
import vincolo as vc
from problems import PROBLEMS
from vincolo_engine import TRACKED, build_model

SAMPLES = 200  # output intervals of a run
GRAVITY = 9.81

Track = Callable[[vc.Result], np.ndarray]


@dataclass(frozen=True)
class Case:
    """A mechanism with what it must do: `track` reads the tracked quantity (n, k), `reference` is what it should be."""

    name: str
    system: vc.System
    times: np.ndarray
    track: Track
    reference: np.ndarray
    size: float = 1.0  # m: errors are judged against it
    steps: tuple[float, ...] = (1e-2, 1e-3)  # s, of fixed steps in the comparison

    @property
    def until(self) -> float:
        """End of the run [s]."""
        return float(self.times[-1])

    @cached_property
    def start(self) -> vc.State:
        """The assembled mechanism."""
        return vc.assemble(self.system)

    @cached_property
    def redundant(self) -> int:
        """Rows that say again what others say, at the start."""
        return int(vc.mobility(self.start).redundant)

    def error(self, result: vc.Result) -> float:
        """Largest distance of the tracked quantity from the reference at the samples recorded."""
        found = self.track(result)
        return float(np.linalg.norm(found - self.reference[: len(found)], axis=1).max())


def one_coordinate_motion(inertia: Callable, slope: Callable, torque: Callable, start: float, times: np.ndarray):
    """Angle and rate where I(q) q'' + I'(q) q'^2 / 2 = -V'(q), from rest: a mechanism of one freedom by hand."""

    def rates(_, state):
        q, w = state
        return [w, (torque(q) - 0.5 * slope(q) * w * w) / inertia(q)]

    return solve_ivp(rates, (0, times[-1]), [start, 0], "DOP853", times, rtol=1e-12, atol=1e-13).y


def series(name: str) -> Track:
    """Tracks one series of a result."""
    return lambda result: result[name][:, None]


def oldani(joint: str, torque: float = 10.0) -> Case:
    """Oldani's slider-crank (2010) over 5 s; "spherical" joints leave no row redundant, "revolute" ones do."""
    times = np.linspace(0, 5, SAMPLES + 1)
    angle, _ = one_coordinate.slider_crank_angle(times, torque)
    x = np.cos(angle) + np.sqrt(4 - np.sin(angle) ** 2)
    system = vc.compile(slider_crank.build(joint, torque))
    return Case(f"Oldani, {joint} joints", system, times, series("slider.x"), x[:, None])


def published_problem(name: str, until: float, steps: tuple[float, ...]) -> Case:
    """A problem of the benchmarks with its stored reference, up to a sample near `until` [s]."""
    problem = PROBLEMS[name]()
    samples = int(round(until / problem.interval)) + 1
    return Case(name, vc.compile(build_model(problem)), problem.times[:samples], lambda r: r.point(TRACKED),
                references.load(problem)[:samples], problem.size, steps)


# Vita, section 4.7.2, with the data of the sample cards of 4.2; the rod is as short as the crank
CRITICAL = 0.25  # m, crank and rod
CRANK, ROD, PISTON = (0.2, (3.4e-6, 1e-3, 1e-3)), (0.4, (6.79e-6, 8e-3, 8e-3)), (3.22, (0.0022, 0.00378, 0.00378))
PIN_ON_PISTON, PISTON_COM = 0.04, -0.15  # m, along the piston
CRITICAL_START = np.pi / 6


def turned(angle: float) -> np.ndarray:
    """Rotation about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def critical_model(start: float = CRITICAL_START) -> vc.Model:
    """Slider-crank of equal lengths, weight along -x: crank and rod can fold on each other at 90 and 270 degrees."""
    model = vc.Model("critical slider-crank", gravity=(-GRAVITY, 0, 0))
    pin = CRITICAL * np.array([np.cos(start), np.sin(start), 0])
    end = np.array([2 * pin[0], 0, 0])
    crank = model.body("crank", *CRANK, at=pin / 2, orientation=turned(start))
    rod = model.body("rod", *ROD, at=(pin + end) / 2, orientation=turned(-start))
    piston = model.body("piston", *PISTON, at=end - (PIN_ON_PISTON, 0, 0), com=(PISTON_COM, 0, 0))
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.revolute("A", crank, rod, at=pin, axis="z")
    model.revolute("B", rod, piston, at=end, axis="z")
    model.prismatic("guide", model.ground, piston, at=end, axis="x")
    return model


def critical_slider_crank(until: float = 3.0, samples: int = SAMPLES) -> Case:
    """Vita's slider-crank through critical positions; tracked is the origin of the piston."""
    L, m1, m2, m3 = CRITICAL, CRANK[0], ROD[0], PISTON[0]
    J = CRANK[1][2] + ROD[1][2]
    times = np.linspace(0, until, samples + 1)
    angle, _ = one_coordinate_motion(
        lambda q: J + (m1 + m2) * L * L / 4 + (2 * m2 + 4 * m3) * L * L * np.sin(q) ** 2,
        lambda q: (2 * m2 + 4 * m3) * L * L * np.sin(2 * q),
        lambda q: GRAVITY * np.sin(q) * L * (m1 / 2 + 1.5 * m2 + 2 * m3), CRITICAL_START, times)
    x = 2 * L * np.cos(angle) - PIN_ON_PISTON
    return Case("critical slider-crank", vc.compile(critical_model()), times, series("piston.x"), x[:, None],
                size=0.5, steps=(2e-3, 1e-3))


# Vita, example 2 of chapter 2: three parallel bars and a coupler
BAR_MASS, BAR_INERTIA, COUPLER_MASS, COUPLER_INERTIA = 1.0, 0.1, 2.0, 0.2


def five_bar_model(start: float) -> vc.Model:
    """The linkage at rest with its bars at the angle `start` from x; bars of 1 m on pivots at x = 0, 1 and 2 m."""
    model = vc.Model("five-bar of Vita", gravity=(0, -GRAVITY, 0))
    bar = np.array([np.cos(start), np.sin(start), 0])
    coupler = model.body("coupler", COUPLER_MASS, COUPLER_INERTIA, at=bar + (1, 0, 0))
    for k in range(3):
        foot = np.array([float(k), 0, 0])
        body = model.body(f"bar{k}", BAR_MASS, BAR_INERTIA, at=foot + bar / 2, orientation=turned(start))
        model.revolute(f"foot{k}", model.ground, body, at=foot, axis="z")
        model.revolute(f"head{k}", body, coupler, at=foot + bar, axis="z")
    return model


def vita_five_bar(until: float = 5.0, start: float = -np.pi / 4) -> Case:
    """The planar five-bar; its coupler only translates, so all bars swing as one pendulum."""
    times = np.linspace(0, until, SAMPLES + 1)
    inertia = 3 * (BAR_INERTIA + BAR_MASS / 4) + COUPLER_MASS
    moment = GRAVITY * (1.5 * BAR_MASS + COUPLER_MASS)
    angle, _ = one_coordinate_motion(lambda q: inertia, lambda q: 0.0, lambda q: -moment * np.cos(q), start, times)
    points = references.planar(1 + np.cos(angle), np.sin(angle))
    return Case("five-bar of Vita", vc.compile(five_bar_model(start)), times, lambda r: r.point("coupler"), points,
                steps=(1e-2, 2.5e-3))


# Carvalho, Tables 4.3 and 4.4: the pendulum A01 as two bodies, in SI units
LINK_MASS, LINK_INERTIA, BALL_MASS, BALL_INERTIA = 1.0, 1e-6, 11.21, 21967e-6
CARVALHO_GRAVITY = 9.80665  # the printed 9.86 is probably a slip


def carvalho_pendulum() -> Case:
    """A01 with Carvalho's data over 10 s: a link on a hinge, a ball on a spherical joint at its end."""
    model = vc.Model("A01 of Carvalho", gravity=(0, -CARVALHO_GRAVITY, 0))
    link = model.body("link", LINK_MASS, LINK_INERTIA, at=(-0.5, 0, 0))
    ball = model.body("ball", BALL_MASS, BALL_INERTIA, at=(-1, 0, 0))
    model.revolute("O", model.ground, link, at=(0, 0, 0), axis="z")
    model.spherical("A", link, ball, at=(-1, 0, 0))
    times = np.linspace(0, 10, 2001)
    inertia = LINK_INERTIA + LINK_MASS / 4 + BALL_MASS
    moment = CARVALHO_GRAVITY * (LINK_MASS / 2 + BALL_MASS)
    angle, _ = one_coordinate_motion(lambda q: inertia, lambda q: 0.0, lambda q: -moment * np.cos(q), np.pi, times)
    return Case("A01 of Carvalho", vc.compile(model), times, series("ball.y"), np.sin(angle)[:, None])


CASES: dict[str, Callable[[], Case]] = {
    "oldani_spherical": lambda: oldani("spherical"),
    "oldani_revolute": lambda: oldani("revolute"),
    "A01": lambda: published_problem("A01", 10.0, (2e-2, 5e-3)),
    "A02_2": lambda: published_problem("A02_2", 4.0, (1e-2, 4e-3)),
    "A03": lambda: published_problem("A03", 0.02, (1e-4, 5e-5)),
    "A04": lambda: published_problem("A04", 2.0, (2e-2, 5e-3)),
    "A05_short": lambda: published_problem("A05", 0.1, (1e-3, 1e-4)),
    "wishbone": lambda: published_problem("wishbone", 1.0, (5e-3, 2.5e-3)),
    "critical": critical_slider_crank,
    "five_bar": vita_five_bar,
}
