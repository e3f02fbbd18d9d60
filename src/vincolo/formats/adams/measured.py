"""Functions of markers as measures: displacements, angles and their rates, and the constraints made of them."""

from __future__ import annotations

from vincolo.formats.adams.bodies import Dataset
from vincolo.formats.adams.functions import Untranslated, translated
from vincolo.formats.adams.text import Statement
from vincolo.model import Frame
from vincolo.model.measure import Measure, along, angle, distance, formula

AXES = "xyz"
OPEN = 1e-3  # m or rad: a constraint drawn more open than this is worth a warning


def turned(axis: str, j: Frame, i: Frame) -> Measure:
    """AX, AY or AZ: the angle about an axis of J from its z (for AZ its x) to the same axis of I."""
    if axis == "z":
        return angle(j, i)
    seen = j.body.frame(local=j.point, z=j.axes[:, AXES.index(axis)], x=j.axes[:, 2])
    return angle(seen, i, "z")


class Markers:
    """The measures that a function names, each once: m0, m1, ... in its text stand for them."""

    def __init__(self, to: Dataset, statement: Statement) -> None:
        self._to, self._statement = to, statement
        self.measures: dict[str, Measure] = {}
        self._names: dict[tuple[str, int, int], str] = {}

    def __call__(self, name: str, markers: list[int]) -> str:
        """The expression of DX(1, 2, 3) and its like, in the units of the dataset."""
        shown = f"{name}({','.join(map(str, markers))})"
        if len(markers) > (4 if name[0] == "V" else 3):
            raise Untranslated(f"{shown} has too many markers")
        i, j, k, seen = [*markers, 0, 0, 0, 0][:4]
        units, rate = self._to.units, name[0] == "V"
        if name in ("DM", "VR"):
            self._refuse_third(shown, markers)
            return self._text(self._name("distance", j, i), units.speed if rate else units.length, rate)
        if name in ("AX", "AY", "AZ"):
            self._refuse_third(shown, markers)
            return self._name(f"turned {name[1].lower()}", j, i)
        if name not in ("DX", "DY", "DZ", "VX", "VY", "VZ"):
            raise Untranslated(f"{shown} is not translated")
        if rate and not (self._frame(k).body.is_ground and self._frame(seen).body.is_ground):
            raise Untranslated(f"{shown} is seen from a part that moves")
        return self._component(f"along {name[1].lower()}", (i, j, k), units.speed if rate else units.length, rate)

    def _refuse_third(self, shown: str, markers: list[int]) -> None:
        if len(markers) > 2:
            raise Untranslated(f"{shown} has too many markers")

    def _component(self, kind: str, markers: tuple[int, int, int], unit: float, rate: bool) -> str:
        """e_k . (p_i - p_j) = e_k . (p_i - p_k) - e_k . (p_j - p_k)"""
        i, j, k = markers
        parts = [self._text(self._name(kind, k, end), unit, rate) for end in (i, j)]
        return f"({parts[0]}-{parts[1]})"

    def _text(self, name: str, unit: float, rate: bool) -> str:
        if not name.startswith("m"):  # a number: both markers are on one part
            return "0" if rate else f"({name}/{unit!r})"
        return f"({name}{'_rate' if rate else ''}/{unit!r})"

    def _frame(self, number: int) -> Frame:
        """A marker; none is the origin of the ground."""
        if number == 0:
            return self._to.origin
        return self._to.marked(self._statement, "FUNCTION", number)

    def _name(self, kind: str, a: int, b: int) -> str:
        """The name of a measure; a number where both markers are on one part."""
        first, second = self._frame(a), self._frame(b)
        word, _, axis = kind.partition(" ")
        if first.body is second.body:
            if word != "along":
                raise Untranslated(f"markers {a} and {b} are on the same part")
            gap = second.drawn_point - first.drawn_point
            return f"({float(first.drawn_axes[:, AXES.index(axis)] @ gap)!r})"
        key = (kind, a, b)
        if key not in self._names:
            made = {"along": lambda: along(axis, first, second), "distance": lambda: distance(first, second),
                    "turned": lambda: turned(axis, first, second)}[word]()
            self._names[key] = f"m{len(self._names)}"
            self.measures[self._names[key]] = made
        return self._names[key]


def add_gcon(to: Dataset, statement: Statement) -> None:
    """GCON: a function of markers and time that is held at zero; with velocities in it, at that level."""
    text = statement.formula("FUNCTION")
    if text is None or statement.has("ROUTINE"):
        raise Untranslated("it has no FUNCTION that can be read")
    markers = Markers(to, statement)
    written = translated(text, to.units.time, markers)
    if not markers.measures:
        raise Untranslated("it holds nothing: no marker moves against another in it")
    held = formula(written, **markers.measures)
    to.model.hold(to.name(statement), held, 0.0)
    if not held.rates and abs(held.drawn_value) > OPEN:
        to.report.warn(statement.place, f"{statement.title}: its function is {held.drawn_value:.3g} as drawn; "
                                        "parts are moved at the start to make it zero.")
