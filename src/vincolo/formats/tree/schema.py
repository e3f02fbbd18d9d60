"""The keys of a model file and what each of them takes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from vincolo.formats.tree.keys import Keys

Vector = Annotated[list[float], Field(min_length=3, max_length=3)]
Direction = str | list[float]
Section = dict[str, Any] | None


class File(Keys):
    """The top of a file."""

    vincolo: int = 1
    name: str = "mechanism"
    gravity: Vector = [0.0, 0.0, -9.80665]
    parameters: Section = None
    suspensions: Section = None
    tyres: Section = None
    vehicles: Section = None
    bodies: Section = None
    looks: Section = None
    submodels: Section = None
    frames: Section = None
    joints: Section = None
    measures: Section = None
    inputs: Section = None
    variables: Section = None
    states: Section = None
    drives: Section = None
    holds: Section = None
    springs: Section = None
    laws: Section = None
    actuators: Section = None
    rotors: Section = None
    loads: Section = None
    stops: Section = None
    frictions: Section = None
    contacts: Section = None
    controllers: Section = None
    events: Section = None
    ranges: Section = None
    outputs: Section = None
    switches: list[Any] | None = None
    tolerances: Section = None
    limits: Section = None
    load_cases: Section = None
    study: Section = None
    run: dict[str, Any] | None = None


class RunKeys(Keys):
    """How the model asks to be run."""

    analysis: str = "dynamics"
    start: float = 0.0
    until: float | None = None
    outputs: int | None = None
    integrator: str | dict[str, Any] | None = None
    formulation: str | dict[str, Any] | None = None
    stabilisation: str | dict[str, Any] | None = None
    channels: list[str] = []
    units: list[str] = []
    position: dict[str, list[float]] = {}


class BodyKeys(Keys):
    """A body, by its mass or by shapes."""

    mass: float | None = None
    inertia: float | list[float] | list[list[float]] | None = None
    shape: dict[str, Any] | list[Any] | None = None
    at: Vector = [0.0, 0.0, 0.0]
    orientation: Any = None
    com: Vector | None = None
    inertia_checked: bool = True
    velocity: Vector = [0.0, 0.0, 0.0]
    angular_velocity: Vector = [0.0, 0.0, 0.0]
    colour: str | None = None
    outline: list[Vector] = []


class LooksKeys(Keys):
    """How a body looks."""

    colour: str | None = None
    shapes: list[dict[str, Any]] = []


class FrameKeys(Keys):
    """A frame on a body."""

    on: str
    at: Vector | None = None
    local: Vector | None = None
    z: Direction | None = None
    x: Direction | None = None
    axes: list[Vector] | None = None
    name: str | None = None
    moves: dict[str, Any] | None = None
    unnamed: bool = False


class SideKeys(Keys):
    """The frame of a joint."""

    joint: str
    side: str


class SavedJoint(Keys):
    """A joint between two frames, with the parameters of its equations."""

    kind: str
    between: Annotated[list[Any], Field(min_length=2, max_length=2)]
    length: float | None = None
    mirrored: bool = False
    parameters: dict[str, Any] = {}


class TouchingKeys(Keys):
    """A body, or a frame, with the shape that touches."""

    on: str
    shape: str | dict[str, Any] | None = None


class ContactKeys(Keys):
    """Who meets whom: names of bodies or frames, or lists of them, and what happens where they touch."""

    a: str | dict[str, Any] | list[Any]
    b: str | dict[str, Any] | list[Any] | None = None
    shape_a: str | dict[str, Any] | None = None
    shape_b: str | dict[str, Any] | None = None
    friction: float = 0.0
    restitution: float | None = None
    stiffness: float | None = None
    exponent: float | None = None
    damping: float | None = None
    law: str = "hunt-crossley"
    speed: float | None = None
    creep: float | None = None


class SubmodelKeys(Keys):
    """Another file in its place; or, as saved, the name of parts that are in this one."""

    use: str | None = None
    at: Vector = [0.0, 0.0, 0.0]
    orientation: Any = None
    mirror: str | None = None
    on: str = "ground"
    parameters: dict[str, Any] = {}
    parts: list[str] | None = None


class TermKeys(Keys):
    """A measure between two frames, or a coordinate by name; times a factor."""

    factor: float = 1.0
    of: str | None = None
    kind: str | None = None
    axes: list[str | float] = []
    swapped: bool = False
    sign: float = 1.0
    between: Annotated[list[Any], Field(min_length=2, max_length=2)] | None = None
    name: str | None = None
    unit: str = ""


class SumKeys(Keys):
    """A sum of measures."""

    sum: Annotated[list[Any], Field(min_length=1)]
    name: str | None = None
    unit: str = ""


class FormulaKeys(Keys):
    """A formula of measures."""

    formula: str
    of: dict[str, Any]
    constants: dict[str, float] = {}
    functions: dict[str, Any] = {}
    name: str | None = None
    unit: str = ""


class TapeKeys(Keys):
    """A formula of measures, by its operations."""

    tape: Any
    terms: Annotated[list[Any], Field(min_length=1)]
    functions: list[Any] = []
    rates: bool = False
    name: str | None = None
    unit: str = ""


class HeldKeys(Keys):
    """A drive or a held measure."""

    measure: Any
    function: Any = 0.0
    level: str = "position"
    hold: bool | None = None


class SpringKeys(Keys):
    """A spring on a measure, or between two frames."""

    measure: Any = None
    between: Annotated[list[Any], Field(min_length=2, max_length=2)] | None = None
    k: float
    c: float = 0.0
    length: float | None = None
    preload: float = 0.0


class LawKeys(Keys):
    """A law or actuator."""

    measure: Any
    force: Any = None
    constants: dict[str, float] = {}
    others: dict[str, Any] = {}
    reads: dict[str, str] = {}
    tape: Any = None
    reactions: str | None = None
    drives: bool | None = None


class InputKeys(Keys):
    """An input."""

    value: float = 0.0
    unit: str = ""
    between: str = ""


class VariableKeys(Keys):
    """A variable, or a sensor by what it is set to."""

    value: float = 0.0
    unit: str = ""
    senses: str | None = None


class ControllerKeys(Keys):
    """A ready block that is called every so many seconds."""

    block: str
    every: float
    first: float = 0.0
    reads: list[str] = []
    writes: list[str] = []
    numbers: dict[str, Any] = {}


class StateKeys(Keys):
    """A state with a rate of its own."""

    rate: str | float | None = None
    constants: dict[str, float] = {}
    others: dict[str, Any] = {}
    reads: dict[str, str] = {}
    tape: Any = None
    start: float = 0.0
    unit: str = ""
    size: float = 1.0


class OutputKeys(Keys):
    """What is read from a run."""

    what: str | None = None
    constants: dict[str, float] = {}
    others: dict[str, Any] = {}
    reads: dict[str, str] = {}
    tape: Any = None
    unit: str = ""


class SignalKeys(Keys):
    """A function of time that reads the run."""

    kind: str
    text: str | None = None
    constants: dict[str, float] = {}
    others: dict[str, Any] = {}
    reads: dict[str, str] = {}
    tape: Any = None


class RotorKeys(Keys):
    """A rotor on a measure."""

    measure: Any
    inertia: float
    ratio: float = 1.0


class RangeKeys(Keys):
    """The limits of a measure."""

    measure: Any
    at_least: float | None = None
    at_most: float | None = None


class StopKeys(Keys):
    """A measure that is bounded."""

    measure: Any
    at_least: float | None = None
    at_most: float | None = None
    restitution: float = 0.0
    rest: float = 1e-4
    force: str | None = None
    back: str | None = None


class FrictionKeys(Keys):
    """Friction on a joint, a stop or a measure."""

    on: str | None = None
    measure: Any = None
    along: Any = None
    mu: float
    mu_static: float | None = None
    stribeck: float = 0.0
    viscous: float = 0.0
    radius: float = 0.0
    length: float = 0.0
    end_radius: float = 0.0
    normal: str | float | None = None
    regularised: float = 0.0
    rest: float = 1e-9


class LoadKeys(Keys):
    """A force or torque."""

    kind: str
    where: Any
    components: Annotated[list[Any], Field(min_length=3, max_length=3)]
    axes: str = "world"


class ToleranceKeys(Keys):
    """A tolerance of something, or the clearance of a joint."""

    of: str | None = None
    clearance: str | None = None
    on: str | None = None
    distribution: str | None = None
    plus_minus: float | None = None
    lower: float | None = None
    upper: float | None = None
    sigmas: float | None = None
    peak: float | None = None
    values: list[float] | None = None
    gap: float | None = None
    gap_plus_minus: float | None = None
    length: float | None = None
    length_plus_minus: float | None = None
    radius: float | None = None
    cost: float | None = None
    cost_power: float | None = None
    correlated: dict[str, float] = {}


class SwitchKeys(Keys):
    """A joint or drive switched on or off."""

    of: str
    on: bool
    at: float | None = None
    rows: list[int] | None = None
