"""Random mechanisms as plain data, which can be built in several ways that must all move alike."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import vincolo as vc

#: what joints of some kinds need besides points and axes
NUMBERS = {"screw": {"pitch": 0.4}, "gear": {"ratio": 1.7, "pressure_angle": 0.35},
           "bevel_gear": {"ratio": 1.7, "radius": 0.3}, "rack_and_pinion": {"radius": 0.3, "pressure_angle": 0.35}}
TREE_JOINTS = ("revolute", "spherical", "universal", "cylindrical", "prismatic", "planar", "guide", "fixed",
               "orientation", "parallel")
LOOP_JOINTS = ("distance", "point_on_plane", "perpendicular", "guide")


@dataclass(frozen=True)
class World:
    """A rigid motion of the whole drawing: x -> shift + Q x."""

    Q: Any = field(default_factory=lambda: np.eye(3))
    shift: Any = field(default_factory=lambda: np.zeros(3))

    def point(self, p):
        return self.shift + self.Q @ np.asarray(p, dtype=float)

    def turned(self, v):
        return self.Q @ np.asarray(v, dtype=float)


@dataclass(frozen=True)
class Link:
    """A body as drawn: everything about its centre of mass, which a body frame may stand away from."""

    name: str
    mass: float
    inertia: Any
    centre: Any
    R: Any
    v: Any
    w: Any


@dataclass(frozen=True)
class Tie:
    """A joint as drawn."""

    name: str
    kind: str
    a: str
    b: str
    at: Any = (0.0, 0.0, 0.0)
    axis: Any = (0.0, 0.0, 1.0)
    axis2: Any = (1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Strut:
    """A spring and damper between two points as drawn."""

    name: str
    a: str
    b: str
    p_a: Any
    p_b: Any
    k: float
    c: float


@dataclass(frozen=True)
class Plan:
    """A mechanism as plain data."""

    links: tuple[Link, ...]
    ties: tuple[Tie, ...] = ()
    struts: tuple[Strut, ...] = ()
    drives: tuple[tuple[str, str], ...] = ()  # coordinate, text in t
    laws: tuple[tuple[str, str, str], ...] = ()  # name, coordinate, text in d, dd, t
    pushes: tuple[tuple[str, str, Any, Any], ...] = ()  # name, link, world point, world components
    gravity: Any = (1.0, -2.0, -9.0)


def rotation(rng) -> np.ndarray:
    """A random rotation."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


def unit(rng) -> np.ndarray:
    """A random direction."""
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def cross_axes(rng) -> tuple[np.ndarray, np.ndarray]:
    """Two random directions at right angles."""
    R = rotation(rng)
    return R[:, 0], R[:, 1]


def cloud_inertia(rng, size: float = 0.5) -> np.ndarray:
    """The inertia of a cloud of points: full, and physically possible."""
    p = size * rng.normal(size=(6, 3))
    p -= p.mean(axis=0)
    return np.eye(3) * (p**2).sum() - p.T @ p


def link(rng, name: str, moving: bool = True) -> Link:
    """A random body."""
    v, w = rng.normal(size=(2, 3)) * moving
    return Link(name, rng.uniform(0.5, 3), cloud_inertia(rng), rng.normal(size=3), rotation(rng), v, w)


def tie(rng, name: str, kind: str, a: str, b: str) -> Tie:
    """A random joint of a kind."""
    axis, axis2 = cross_axes(rng)
    return Tie(name, kind, a, b, rng.normal(size=3), axis, axis2)


def tree(rng, count: int = 4) -> Plan:
    """Bodies joined to the ground or an earlier body, by joints of any kind."""
    links, ties = [], []
    for k in range(count):
        links.append(link(rng, f"body{k}"))
        parent = "ground" if k == 0 else str(rng.choice(["ground", *(b.name for b in links[:-1])]))
        ties.append(tie(rng, f"J{k}", str(rng.choice(TREE_JOINTS)), parent, links[-1].name))
    return Plan(tuple(links), tuple(ties))


def with_forces(plan: Plan, rng) -> Plan:
    """The same with a strut between any two bodies, a law on a coordinate and a push."""
    names = ["ground", *(b.name for b in plan.links)]
    a, b = rng.choice(names, size=2, replace=False)
    strut = Strut("strut", str(a), str(b), *rng.normal(size=(2, 3)), k=rng.uniform(20, 60), c=rng.uniform(1, 5))
    coordinates = coordinates_of(plan)
    laws = (("law", coordinates[0], "4*d + 3*dd*abs(dd) + sin(t)"),) if coordinates else ()
    push = ("push", plan.links[-1].name, rng.normal(size=3), rng.normal(size=3))
    return Plan(plan.links, plan.ties, (strut,), plan.drives, laws, (push,), plan.gravity)


def coordinates_of(plan: Plan) -> list[str]:
    """Names of the angles and travels of a plan; the x and y of a plane depend on axes that nobody has drawn."""
    from vincolo.equations.joints import JOINTS

    return [f"{t.name}.{c}" for t in plan.ties for c in JOINTS[t.kind].coordinates if c.startswith(("angle", "travel"))]


def with_drive(plan: Plan, coordinate: str) -> Plan:
    """The same with a coordinate driven from its drawn value, zero (a cross: a right angle)."""
    return Plan(plan.links, plan.ties, plan.struts, ((coordinate, "0.4*sin(3*t) + 0.2*t^2"),), plan.laws, plan.pushes,
                plan.gravity)


def loop(rng) -> Plan:
    """A tree closed by rows between its bodies."""
    plan = tree(rng, 4)
    closing = [tie(rng, f"L{k}", kind, "body0" if k % 2 else "ground", "body3")
               for k, kind in enumerate(rng.choice(LOOP_JOINTS, size=2))]
    first = [tie(rng, "J0", "spherical", "ground", "body0"), tie(rng, "J3", "spherical", "body2", "body3")]
    middle = [t for t in plan.ties if t.name in ("J1", "J2") and t.kind != "fixed"]
    return Plan(plan.links, (*first, *middle, *closing))


def four_bar(rng, bars: int = 2) -> Plan:
    """A planar linkage in a tilted plane, all joints hinges: a coupler on `bars` bars of random lengths."""
    R, normal = rotation(rng), np.array([0.0, 0.0, 1.0])
    length = 1.0 if bars > 2 else None  # more than two bars move only as a parallelogram
    links, ties = [], []
    coupler = Link("coupler", 2.0, cloud_inertia(rng), R @ np.array([1.0, 1.2, 0]), rotation(rng), *np.zeros((2, 3)))
    for k in range(bars):
        foot = np.array([1.5 * k, 0.0, 0.0])
        head = foot + (length or rng.uniform(0.8, 1.2)) * np.array([0.6, 0.8, 0.0])
        middle = R @ (foot + head) / 2
        links.append(Link(f"bar{k}", 1.0 + k, cloud_inertia(rng), middle, rotation(rng), *np.zeros((2, 3))))
        ties.append(Tie(f"foot{k}", "revolute", "ground", f"bar{k}", R @ foot, R @ normal))
        ties.append(Tie(f"head{k}", "revolute", f"bar{k}", "coupler", R @ head, R @ normal))
    first = links[0]
    links[0] = Link(first.name, first.mass, first.inertia, first.centre, first.R, first.v, 2 * R @ normal)
    return Plan((*links, coupler), tuple(ties))


def hinged_twice(rng) -> Plan:
    """A tree whose first hinge is there twice, as on a door: five redundant rows."""
    plan = tree(rng, 3)
    axis, at = unit(rng), rng.normal(size=3)
    doors = [Tie(f"hinge{k}", "revolute", "ground", "body0", at + k * axis, axis) for k in range(2)]
    return Plan(plan.links, (*doors, *plan.ties[1:]))


def plans() -> dict[str, Plan]:
    """The mechanisms on which laws of systems are tested, by name."""
    found: dict[str, Plan] = {}
    for seed in range(4):
        rng = np.random.default_rng(100 + seed)
        found[f"tree {seed}"] = with_forces(tree(rng), rng)
        found[f"loop {seed}"] = with_forces(loop(rng), rng)
        found[f"four-bar {seed}"] = with_forces(four_bar(rng), rng)
        found[f"door {seed}"] = with_forces(hinged_twice(rng), rng)
    rng = np.random.default_rng(300)
    found["parallelogram"] = with_forces(four_bar(rng, bars=4), rng)
    found["driven four-bar"] = with_drive(with_forces(four_bar(rng), rng), "foot0.angle")
    found["driven door"] = with_drive(with_forces(hinged_twice(rng), rng), "hinge1.angle")
    found["driven parallelogram"] = with_drive(four_bar(rng, bars=3), "head2.angle")
    return found


def join(model: vc.Model, kind: str, name: str, a: Any, b: Any, size: float = 1.0, **drawn: Any) -> vc.Joint:
    """A joint of any kind of the catalogue between two bodies, given what it needs of at=, axis=, axis2=; what it needs
    of lengths is in proportion to the size [m]."""
    if kind == "distance":
        end = np.add(drawn["at"], size * np.asarray(drawn["axis"]))
        return model.distance(name, a.frame(drawn["at"]), b.frame(end))
    method = getattr(model, kind)
    wanted = inspect.signature(method).parameters
    other = np.add(drawn["at"], 1.3 * size * np.asarray(drawn["axis2"]))  # across the axis
    numbers = dict(NUMBERS.get(kind, {}))
    numbers.update({key: size * numbers[key] for key in ("pitch", "radius") if key in numbers})
    more = {"at2": other, "end": other, "along": drawn["axis2"], **numbers}
    return method(name, a, b, **{key: value for key, value in {**drawn, **more}.items() if key in wanted})


def reversed_tie(t: Tie) -> Tie:
    """The same joint given from its other body."""
    if t.kind == "distance":
        return Tie(t.name, t.kind, t.b, t.a, np.add(t.at, t.axis), np.negative(t.axis))
    if t.kind in ("universal", "perpendicular", "elbow"):
        return Tie(t.name, t.kind, t.b, t.a, t.at, t.axis2, t.axis)
    return Tie(t.name, t.kind, t.b, t.a, t.at, t.axis)


def build(plan: Plan, world: World | None = None, *, order: Any = None, base: Any = None,
          swap: bool = False) -> vc.Model:
    """The model of a plan: moved as a whole, bodies in another order, body frames elsewhere on their bodies
    (`base` gives random ones), joints given the other way round."""
    w = world or World()
    model = vc.Model("random", gravity=w.turned(plan.gravity))
    links = [plan.links[k] for k in order] if order is not None else plan.links
    bodies = {"ground": model.ground, **{x.name: _add_link(model, x, w, base) for x in links}}
    ties = plan.ties[::-1] if order is not None else plan.ties
    for t in map(reversed_tie, ties) if swap else ties:
        join(model, t.kind, t.name, bodies[t.a], bodies[t.b], at=w.point(t.at), axis=w.turned(t.axis),
             axis2=w.turned(t.axis2))
    _add_forces(model, plan, bodies, w)
    return model


def _add_link(model: vc.Model, x: Link, w: World, base: Any) -> vc.Body:
    C, c = (np.eye(3), np.zeros(3)) if base is None else (rotation(base), base.normal(size=3))
    R = w.Q @ x.R  # of the body as drawn; its frame stands at c with axes C on it
    v, omega = w.turned(x.v), w.turned(x.w)
    return model.body(x.name, x.mass, C.T @ x.inertia @ C, at=w.point(x.centre) + R @ c, orientation=R @ C,
                      com=-C.T @ c, velocity=v + np.cross(omega, R @ c), angular_velocity=omega)


def _add_forces(model: vc.Model, plan: Plan, bodies: dict[str, vc.Body], w: World) -> None:
    for s in plan.struts:
        ends = bodies[s.a].frame(w.point(s.p_a)), bodies[s.b].frame(w.point(s.p_b))
        model.spring(s.name, *ends, k=s.k, c=s.c, length=0.7)
    for coordinate, text in plan.drives:
        model.drive(coordinate, text)
    for name, coordinate, text in plan.laws:
        model.law(name, coordinate, text)
    for name, body, point, components in plan.pushes:
        model.force(name, bodies[body].frame(w.point(point)), w.turned(components))


def motions(state: vc.State) -> dict[str, tuple[np.ndarray, ...]]:
    """Centre of mass, axes of the body frame, velocity and angular velocity of every body."""
    from vincolo.model.geometry import matrix_of

    found = {"ground": (np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))}
    for name, k in state.system.body_numbers.items():
        y = state.y[13 * k: 13 * k + 13]
        R = matrix_of(y[3:7] / np.linalg.norm(y[3:7])) @ state.system.centred[k].principal.T
        found[name] = (y[:3], R, y[7:10], y[10:13])
    return found


def moved_state(state: vc.State, rng, size: float = 0.2) -> vc.State:
    """The state with random small displacements and new random velocities: a guess to assemble from."""
    y = state.y.copy()
    for k in range(len(state.system.centred)):
        y[13 * k: 13 * k + 7] += size * rng.normal(size=7)
        y[13 * k + 3: 13 * k + 7] /= np.linalg.norm(y[13 * k + 3: 13 * k + 7])
        y[13 * k + 7: 13 * k + 13] = rng.normal(size=6)
    return state.with_vector(y)
