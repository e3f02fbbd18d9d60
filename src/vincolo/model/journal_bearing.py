"""Hydrodynamic journal bearings: the short bearing with tilt, squeeze and cavitation (Vita 2005). Mixed into Model.

With the journal's centre at (x, y) from that of the housing, in its axes, the film is h = c - x cos(th) - y sin(th),
and of a short bearing p = 3 mu z (z - B) / h^3 [w (x sin th - y cos th) - 2 (x' cos th + y' sin th)] where that is
positive. The bracket is a sine, so that the film carries on half of the circle, and Sommerfeld's substitution makes the
integrals over it those of plain sines: at every station along the axis the forces are in closed form. Along the axis,
where tilt makes x and y linear in z, they are summed up by Gauss. The pressure does work along both ends of the
journal, so that forces along the displacements of the two ends are all there is: moments come with them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.body import Frame
from vincolo.model.checks import finite_number
from vincolo.model.forces import Law
from vincolo.model.functions.tracer import trace
from vincolo.model.measure import Measure, along, angle
from vincolo.model.named_parts import Parts

STATIONS = 5  # along the axis of a bearing that may tilt
THINNEST = 1e-3  # of the clearance: below, the film is taken to be as thin as this
CENTRED = 1e-9  # of the clearance: nearer to the centre there is no direction to it
TINY = 1e-200


@dataclass(frozen=True)
class Film:
    """Radius, length and radial clearance [m] of a bearing, and the viscosity of its oil [Pa s]."""

    radius: float
    length: float
    clearance: float
    viscosity: float
    squeeze: bool = True

    def load(self, x: Any, y: Any, vx: Any, vy: Any, w: Any) -> tuple[Any, Any]:
        """Force on the journal per -z (z - B) and length, along x and y [N/m3 times m2], at one station."""
        e = np.sqrt(x * x + y * y + TINY)
        off = e > CENTRED * self.clearance
        ex, ey = np.where(off, x / e, 1.0), np.where(off, y / e, 0.0)
        n = np.minimum(e / self.clearance, 1 - THINNEST)
        s, c = w * x, -(w * y)
        if self.squeeze:
            s, c = s - 2 * vy, c - 2 * vx
        along_e, across = c * ex + s * ey, s * ex - c * ey  # the bracket in the directions of the eccentricity
        radial, tangential = self._half(n, along_e, across)
        scale = 3 * self.viscosity * self.radius / self.clearance**3
        return scale * (radial * ex - tangential * ey), scale * (radial * ey + tangential * ex)

    @staticmethod
    def _half(n: Any, a: Any, b: Any) -> tuple[Any, Any]:
        """Integrals of (a cos + b sin) (cos, sin) / (1 - n cos)^3 over the half circle on which a cos + b sin < 0."""
        size = np.sqrt(a * a + b * b + TINY)
        moves = size > 2 * math.sqrt(TINY)  # at rest as if it approached: in the middle alike all round
        c, s, w2 = np.where(moves, -b / size, 0.0), np.where(moves, a / size, 1.0), 1 - n * n
        w = np.sqrt(w2)
        c1, s1 = (c - n) / (1 - n * c), w * s / (1 - n * c)
        c2, s2 = (-c - n) / (1 + n * c), -(w * s) / (1 + n * c)
        first, last = np.arctan2(s1, c1), np.arctan2(s2, c2)
        arc = np.where(last > first, last - first, last - first + 2 * math.pi)
        mixed = 0.5 * (s2 * c2 - s1 * c1)
        cosines = (n * n + 0.5) * arc + 2 * n * (s2 - s1) + mixed
        both = 0.5 * (s2 * s2 - s1 * s1) - n * (c2 - c1)
        sines = 0.5 * arc - mixed
        k = 1 / (w2 * w2 * w)
        return k * (a * cosines + b * both * w), k * (a * both * w + b * sines * w2)

    def whole(self, x: Any, y: Any, vx: Any, vy: Any, w: Any) -> tuple[Any, Any]:
        """Force [N] on a journal that does not tilt."""
        found = self.load(x, y, vx, vy, w)
        return found[0] * (self.length**3 / 6), found[1] * (self.length**3 / 6)

    def friction(self, load: Any, w: Any, psi: float) -> Any:
        """Torque [N m] that resists, by Pighini's law as Vita (2005) has it: f = 3 psi / S, or 3 psi / sqrt(S) for
        S > 1, with S = p psi^2 / (mu w)."""
        r, area, speed = self.radius, 2 * self.radius * self.length, abs(w)
        fast = 3 * r * area * self.viscosity * w / psi
        slow = 3 * r * np.sqrt(area * self.viscosity * speed * load + TINY) * np.sign(w)
        return np.where(load * psi**2 < area * self.viscosity * speed, fast, slow)


class JournalBearings(Parts):
    """The method of a model for bearings with an oil film."""

    def journal_bearing(self, name: str, housing: Frame, journal: Frame, *, radius: float, length: float,
                        clearance: float, viscosity: float, tilt: bool = True, squeeze: bool = True,
                        friction: bool = True, psi: float | None = None) -> dict[str, Law]:
        """A bearing with an oil film between two frames in the middle of its length, whose z is the axis; no joint is
        needed. Radius, length and radial clearance in m, viscosity in Pa s. Without `tilt` the axes are taken to be
        parallel, without `squeeze` the film does not resist being pressed out. Friction after Pighini, as Vita (2005)
        gives it, with psi = clearance / (2 radius) unless given. Its parts are "name.x", "name.y" (with tilt those of
        both ends, "name.x0" to "name.y1") and "name.friction"."""
        what = f"journal bearing {name!r}"
        given = {"radius": radius, "length": length, "clearance": clearance, "viscosity": viscosity}
        numbers = {key: _positive(what, key, value) for key, value in given.items()}
        film = Film(numbers["radius"], numbers["length"], numbers["clearance"], numbers["viscosity"], squeeze)
        if film.clearance >= film.radius:
            raise ModelError(f"{what}: the clearance, {film.clearance:g} m, is not small against the radius, "
                             f"{film.radius:g} m.\n  Give the radial clearance: radius of the housing less that of the "
                             "journal.")
        for frame in (housing, journal):
            if not isinstance(frame, Frame):
                raise ModelError(f"{what}: it needs two frames, such as body.frame((x, y, z), z='x'), not {frame!r}.")
        if housing.body is journal.body:
            raise ModelError(f"{what}: both frames are on the same body {housing.body.name!r}.")
        share = film.clearance / (2 * film.radius) if psi is None else _positive(what, "psi", psi)
        ends = _ends(journal, film.length) if tilt else [journal]
        return self._film_laws(name, film, housing, journal, ends, share if friction else 0.0)

    def _film_laws(self, name: str, film: Film, housing: Frame, journal: Frame, ends: list[Frame],
                   psi: float) -> dict[str, Law]:
        marks = [""] if len(ends) == 1 else ["0", "1"]
        places = {f"{axis}{mark}": along(axis, housing, end)
                  for mark, end in zip(marks, ends, strict=True) for axis in "xy"}
        turn = angle(housing, journal)
        parts: dict[str, Law] = {}
        for key, measure in places.items():
            others = {other: m for other, m in places.items() if other != key} | {"turn": turn}
            parts[key] = self._traced_law(f"{name}.{key}", measure, others, _component(film, marks, key))
        if psi:
            parts["friction"] = self._traced_law(f"{name}.friction", turn, places, _resisting(film, marks, psi))
        return parts

    def _traced_law(self, name: str, measure: Measure, others: dict[str, Measure],
                    force: Callable[[dict[str, Any]], Any]) -> Law:
        """An actuator by a function of what it reads, by name."""
        names = Law.inputs(others)
        tape, _ = trace(lambda *values: force(dict(zip(names, values, strict=True))), names, None, names)
        self._claim(name, "law")
        self.laws[name] = Law(name, measure, tape, None, None, 1.0, tuple(others.items()))
        return self.laws[name]


def _positive(what: str, key: str, value: Any) -> float:
    number = finite_number(f"{what}: {key}", value)
    if number <= 0:
        raise ModelError(f"{what}: {key} is {number:g}; it must be positive.")
    return number


def _ends(journal: Frame, length: float) -> list[Frame]:
    half = 0.5 * length * journal.axes[:, 2]
    return [journal.body.frame(local=journal.point + side * half) for side in (-1, 1)]


def _stations(film: Film, marks: list[str], read: dict[str, Any], w: Any) -> list[tuple[float, float, tuple[Any, Any]]]:
    """Of each station along the axis: where it is, from 0 to 1, its weight, and the force there."""
    if marks == [""]:
        return [(0.0, 1.0, film.whole(read["x"], read["y"], read["x_rate"], read["y_rate"], w))]
    nodes, weights = np.polynomial.legendre.leggauss(STATIONS)
    found = []
    for node, weight in zip(0.5 * (nodes + 1), 0.5 * weights, strict=True):
        x, y, vx, vy = ((1 - node) * read[f"{key}0{rate}"] + node * read[f"{key}1{rate}"]
                        for rate in ("", "_rate") for key in "xy")
        found.append((float(node), float(weight * node * (1 - node) * film.length**3), film.load(x, y, vx, vy, w)))
    return found


def _component(film: Film, marks: list[str], key: str) -> Callable[[dict[str, Any]], Any]:
    """The force along the displacement of one end: the share of the film that moves with it."""
    axis, end = "xy".index(key[0]), key[1:]

    def force(read: dict[str, Any]) -> Any:
        read = {**read, key: read["d"], f"{key}_rate": read["dd"]}
        total = 0.0
        for node, weight, load in _stations(film, marks, read, read["turn_rate"]):
            share = weight if not end else weight * (node if end == "1" else 1 - node)
            total = load[axis] * share + total
        return total

    return force


def _resisting(film: Film, marks: list[str], psi: float) -> Callable[[dict[str, Any]], Any]:
    def force(read: dict[str, Any]) -> Any:
        x = y = 0.0
        for _, weight, load in _stations(film, marks, read, read["dd"]):
            x, y = load[0] * weight + x, load[1] * weight + y
        return -film.friction(np.sqrt(x * x + y * y + TINY), read["dd"], psi)

    return force
