"""The equations of a model, part by part, in any coordinates: rows that joints and drives hold, bodies, forces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from vincolo.equations.arithmetic import total
from vincolo.equations.measures import Measure as Equation
from vincolo.equations.measures import Moving
from vincolo.errors import ModelError
from vincolo.kernel_terms import TURNING
from vincolo.model import Frame, Measure, Model
from vincolo.model.joint import LEVELS
from vincolo.symbolic.calculus import Derivative
from vincolo.symbolic.coordinates import Coordinates, Nodes, Vector, add
from vincolo.symbolic.functions import Functions
from vincolo.symbolic.graph import Graph, Node
from vincolo.symbolic.parameters import Parameters
from vincolo.symbolic.parts import WRITERS, entries, of_formula, refuse_unknown
from vincolo.symbolic.rows import Part, Row, Value

AXES = {"x": (0, 1, 2), "y": (1, 2, 0), "z": (2, 0, 1)}


class Mechanism:
    """All parts of a model in given coordinates."""

    def __init__(self, model: Model, coordinates: Callable[[Graph, Mechanism], Coordinates],
                 asked: Mapping[str, Any] | str | None = None, bodies: Sequence[str] | None = None) -> None:
        self.model = model
        self.graph = Graph()
        self.parameters = Parameters(self.graph, asked)
        self.functions = Functions(self.graph)
        self.numbers = {name: k for k, name in enumerate(model.bodies if bodies is None else bodies)}
        self.turning: dict[tuple[Any, ...], tuple[Equation, Frame, Frame]] = {}  # angles that are counted over turns
        self._frames: dict[int, tuple[Frame, tuple[Nodes, Nodes]]] = {}
        if bodies is None:
            refuse_unknown(model)
        self.coordinates = coordinates(self.graph, self)
        self._along_time = Derivative(self.graph, self.coordinates.flow)
        self._by_clock = Derivative(self.graph, {self.coordinates.time: self.graph.one})
        self._directions: dict[int, Derivative] = {}
        self._by_speed: dict[int, Derivative] = {}

    @cached_property
    def parts(self) -> list[Part]:
        """All of them, in the order of the model: bodies, joints, drives, forces."""
        return [self.part(*entry) for entry in entries(self.model)]

    def part(self, kind: str, name: str, thing: Any) -> Part:
        """One of them."""
        return WRITERS[kind](self, name, thing)

    # frames and measures

    def lever(self, name: str, frame: Frame) -> tuple[Nodes, Nodes]:
        """Point, from the centre of mass, and axes of a frame in the axes of its body, as numbers of the model."""
        s = frame.point if frame.body.is_ground else frame.point - frame.body.com
        point = [self.parameters.number(f"{name}.{x}", clean(s[k]), "s") for k, x in enumerate("xyz")]
        axes = [[self.parameters.number(f"{name}.axes.{i + 1}{j + 1}", clean(frame.axes[i, j])) for j in range(3)]
                for i in range(3)]
        return np.array(point, dtype=object), np.array(axes, dtype=object)

    def frame(self, name: str, frame: Frame) -> tuple[Nodes, Nodes]:
        """A frame in the world."""
        if id(frame) not in self._frames:
            self._frames[id(frame)] = (frame, self._placed(name, frame))
        return self._frames[id(frame)][1]

    def _placed(self, name: str, frame: Frame) -> tuple[Nodes, Nodes]:
        s, C = self.lever(name, frame)
        if frame.motion is not None:
            s, C = self._moved(name, frame, s, C)
        if frame.body.is_ground:
            return s, C
        r, A = self.coordinates.pose(self.numbers[frame.body.name])
        return r + A @ s, A @ C

    def _moved(self, name: str, frame: Frame, s: Nodes, C: Nodes) -> tuple[Nodes, Nodes]:
        """A frame that moves on its body: along its own axes, and turned about one of them."""
        motion = frame.motion
        assert motion is not None
        for k, along in enumerate(motion.along):
            if along is not None:
                s = s + C[:, k] * self.functions.of(along, f"{name}_{'xyz'[k]}")(self.coordinates.time)
        if motion.turn is None:
            return s, C
        angle = self.functions.of(motion.turn, f"{name}_turn")(self.coordinates.time)
        c, n = self.graph.make("cos", angle), self.graph.make("sin", angle)
        i, j, k = AXES[motion.axis]
        turned = C.copy()
        turned[:, j], turned[:, k] = c * C[:, j] + n * C[:, k], c * C[:, k] - n * C[:, j]
        assert turned[0, i] is C[0, i]
        return s, turned

    def moving(self, placed: tuple[Nodes, Nodes]) -> Moving:
        """A frame in the world with its rates."""
        p, R = placed
        rate = np.vectorize(self._along_time, otypes=[object])
        return Moving(p, R, rate(p), rate(R))

    def simple(self, name: str, e: Equation, a: Frame, b: Frame) -> Value:
        """A measure of two frames."""
        A, B = self.frame(f"{name}.a", a), self.frame(f"{name}.b", b)
        if e.kind in VELOCITY_KINDS:
            return Value(None, self.graph.node(e.velocity(self.moving(A), self.moving(B))))
        value = self.graph.node(e(A, B))
        if e.kind in TURNING:
            value = self._counted(e, a, b, value)
        return Value(value, self._along_time(value))

    def _counted(self, e: Equation, a: Frame, b: Frame, value: Node) -> Node:
        """An angle counted over turns; the sign of a measure counts the same turns the other way."""
        first, second = (b, a) if e.swapped else (a, b)
        key = (e.kind, e.axes, id(first), id(second))
        self.turning.setdefault(key, (e, a, b))
        plain = value if e.sign > 0 else -value
        counted = self.graph.turning(key, plain)
        return counted if e.sign > 0 else -counted

    def measure(self, name: str, measure: Measure) -> Value:
        """A measure, a sum of measures, or a formula of them."""
        found = [self.simple(name if not k else f"{name}.{k + 1}", e, a, b)
                 for k, (_, e, a, b) in enumerate(measure.terms)]
        factors = [f for f, *_ in measure.terms]
        if measure.tape is not None:
            return self._formula(name, measure, found, factors)
        rate = self._sum(factors, [x.rate for x in found])
        known = [x.value for x in found if x.value is not None]
        return Value(self._sum(factors, known) if len(known) == len(found) else None, rate)

    def _sum(self, factors: list[float], nodes: list[Node]) -> Node:
        return self.graph.node(total(f * x for f, x in zip(factors, nodes, strict=True)))

    def _formula(self, name: str, measure: Measure, found: list[Value], factors: list[float]) -> Value:
        t, zero = self.coordinates.time, self.graph.zero
        parts = [self.functions.of(f, name) for f in measure.parts]
        inputs = [f * (zero if x.value is None else x.value) for f, x in zip(factors, found, strict=True)]
        assert measure.tape is not None
        if measure.rates:
            inputs += [f * x.rate for f, x in zip(factors, found, strict=True)]
            return Value(None, self.functions.formula(measure.tape, t, inputs, parts))
        value = self.functions.formula(measure.tape, t, inputs, parts)
        if any(x.value is None for x in found):
            raise ModelError(f"{name!r}: a formula of a velocity without its rate has no equation.")
        return Value(value, self._along_time(value))

    def gradient(self, x: Value, bodies: tuple[int, ...]) -> Vector:
        """The row J of a measure on the velocities of bodies."""
        found: Vector = {}
        for column in self.columns(bodies):
            entry = self.direction(column)(x.value) if x.value is not None else self.by_speed(column)(x.rate)
            add(found, column, entry)
        return found

    def columns(self, bodies: tuple[int, ...]) -> list[int]:
        """Numbers of the velocities that move any of some bodies."""
        return sorted({column for body in bodies for column in self.coordinates.columns(body)})

    def direction(self, column: int) -> Derivative:
        """The derivative by a position, along the direction of a velocity."""
        if column not in self._directions:
            self._directions[column] = Derivative(self.graph, self.coordinates.direction(column))
        return self._directions[column]

    def by_speed(self, column: int) -> Derivative:
        """The derivative by a velocity."""
        if column not in self._by_speed:
            self._by_speed[column] = Derivative(self.graph, {self.coordinates.u[column]: self.graph.one})
        return self._by_speed[column]

    def touched(self, *measures: Measure) -> tuple[int, ...]:
        """Numbers of the bodies that measures are between."""
        frames = [f for m in measures for _, _, a, b in m.terms for f in (a, b)]
        return tuple(dict.fromkeys(self.numbers[f.body.name] for f in frames if not f.body.is_ground))

    def row(self, owner: str, resists: str, level: str, measure: Measure, held: Node) -> Row:
        """A measure held at a function of time: its value, or from a level on its rate or acceleration."""
        x, zero, at = self.measure(owner, measure), self.graph.zero, LEVELS.index(level)
        J = self.gradient(x, self.touched(measure))
        bias = self._along_time(x.rate)
        f = [held, self._by_clock(held), self._by_clock(self._by_clock(held))]
        phi = x.value - f[0] if at == 0 and x.value is not None else zero
        rate = x.rate - f[1 - at] if at <= 1 else zero
        gamma = f[2 - at] - bias
        if x.value is not None and at == 0:
            by_time = self._by_clock(phi)
        else:
            by_time = rate - self.graph.node(sum(J[k] * self.coordinates.u[k] for k in J)) if at <= 1 else zero
        return Row(owner, resists, at, phi, rate, gamma, by_time, J)

    def along(self, bodies: tuple[int, ...], force: Node, row: Vector) -> Vector:
        """A force along a measure: on each velocity its entry of the row times the force."""
        found: Vector = {}
        for column, entry in row.items():
            add(found, column, force * entry)
        return found

    def pushed(self, body: int, point: Nodes, force: Nodes, torque: Nodes) -> Vector:
        """A force at a point of a body and a torque on it, both in world axes."""
        found: Vector = {}
        for column in self.coordinates.columns(body):
            along = self.direction(column)
            for k in range(3):
                add(found, column, force[k] * along(point[k]) + torque[k] * self.coordinates.spin(body, column)[k])
        return found

    def auxiliary(self, name: str) -> Node:
        """The symbol of an input, variable or state."""
        return self.graph.symbol(("auxiliary", name))

    @cached_property
    def state_rates(self) -> dict[str, Node]:
        """The rates of states that are integrated with the motion, by name."""
        return {name: of_formula(self, name, state.rate) for name, state in self.model.states.items()
                if state.rate is not None}

    def along_time(self, node: Node) -> Node:
        """d/dt at u' = 0."""
        return self._along_time(node)


VELOCITY_KINDS = ("skid", "roll")


def clean(x: float) -> float:
    """A number without the rounding of directions and points that are meant to be 0 or 1."""
    near = round(float(x))
    return float(near) if abs(x - near) < 4e-16 else float(x)
