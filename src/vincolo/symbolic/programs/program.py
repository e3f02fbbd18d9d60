"""Complete programs for the motion of a model: data, pieces and solver, printed in a language."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import qr
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from vincolo.analyses.assemble import assemble
from vincolo.errors import ModelError, SimulationError
from vincolo.files import appearing
from vincolo.model import Model
from vincolo.model.geometry import Array
from vincolo.state import State
from vincolo.symbolic.names import ascii_text, identifier
from vincolo.symbolic.numbers import body_numbers
from vincolo.symbolic.programs.pieces import Pieces, make_pieces
from vincolo.symbolic.programs.printing import WRITERS, Data, Printed
from vincolo.symbolic.programs.translate import functions_of, instantiated
from vincolo.system import System, as_system

RANK_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Settings:
    """How a program integrates: until [s], outputs, tolerances, or a number of fixed steps between outputs."""

    until: float
    outputs: int = 500
    rtol: float = 1e-9
    atol: float = 1e-11
    steps: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("until", 0.0), ("rtol", 0.0), ("atol", 0.0)):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > least):
                raise ModelError(f"program: {name} is {getattr(self, name)!r}; it must be positive.")
        for name, value in (("outputs", self.outputs), ("steps", self.steps)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ModelError(f"program: {name} is {value!r}; it is a whole number of at least 1.")


class Program:
    """A complete program in a language: its source, how to build and to run it."""

    def __init__(self, system: System, index: int, language: str, state: State, settings: Settings) -> None:
        if language not in WRITERS:
            raise ModelError(f"program: there is no language {language!r}.\n  Take one of: {', '.join(WRITERS)}.")
        self.system, self.index, self.language, self.state, self.settings = system, index, language, state, settings
        self.name = identifier(system.name)

    @cached_property
    def pieces(self) -> Pieces:
        """The model in pieces."""
        return make_pieces(self.system.model, self.index)

    @cached_property
    def printed(self) -> Printed:
        """The text of the program, in the language, and of its build file."""
        source = instantiated((files("vincolo.symbolic.programs") / "solver.txt").read_text())
        source = source.replace("# PIECES", self.pieces.source())
        return WRITERS[self.language](functions_of(source), make_data(self))

    @property
    def text(self) -> str:
        """The source."""
        return self.printed.text

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the source, and beside it a file that builds it where that is needed."""
        file = Path(path)
        ending = self.printed.ending
        if file.suffix.lower() != ending:
            raise ModelError(f"{file.name}: a program in {self.language} is a file that ends in {ending}.")
        with appearing("program", file) as out:
            out.write(self.text.encode())
        if self.printed.command:
            with appearing("program", file.with_suffix(".mk")) as out:
                out.write(build_file(file, self.printed.command).encode())
        return file

    def run(self, folder: str | os.PathLike[str]) -> ProgramRun:
        """Writes, builds and runs the program in a folder; what it wrote."""
        place = Path(folder)
        source = self.save(place / f"{self.name}{self.printed.ending}").resolve()
        if self.printed.command:
            compiler = self.printed.command.split()[0]
            if shutil.which(compiler) is None:
                raise SimulationError(f"program: the compiler {compiler} is not there.\n"
                                      f"  Install it, or build {source.name} elsewhere: make -f {source.stem}.mk")
            _called([*_command(source, self.printed.command)], place)
            ran = _called([str(source.with_suffix(""))], place)
        else:
            ran = _called([sys.executable, str(source)], place)
        return ProgramRun(self, place, ran)


@dataclass(frozen=True, eq=False)
class ProgramRun:
    """What a program wrote: motion and multipliers, and what it said at its end."""

    program: Program
    folder: Path
    said: str

    @cached_property
    def motion(self) -> Array:
        """Samples: t, then of each body x, y, z, e0 to e3, v and w."""
        return np.loadtxt(self.folder / f"{self.program.name}_motion.csv", delimiter=",", skiprows=1, ndmin=2)

    @cached_property
    def multipliers(self) -> Array:
        """Samples: t, then the multiplier of each row."""
        return np.loadtxt(self.folder / f"{self.program.name}_multipliers.csv", delimiter=",", skiprows=1, ndmin=2)

    @property
    def told(self) -> dict[str, float]:
        """What the program said of its run, by name."""
        return {line.rsplit(None, 1)[0]: float(line.rsplit(None, 1)[1]) for line in self.said.splitlines() if line}


def _called(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SimulationError(f"program: {' '.join(command)} ended with {done.returncode}.\n"
                              f"  {(done.stdout + done.stderr).strip()[-2000:]}")
    return done.stdout


def _command(source: Path, command: str) -> list[str]:
    return [word.replace("SOURCE", source.name).replace("TARGET", source.stem) for word in command.split()]


def build_file(source: Path, command: str) -> str:
    """A makefile for one program."""
    return f"{source.stem}: {source.name}\n\t{' '.join(_command(source, command))}\n"


# data of a program


def make_data(program: Program) -> Data:
    """All constants, tables and work arrays of a program."""
    pieces, system, s = program.pieces, program.system, program.settings
    elements = pieces.elements
    nb, nr = len(system.model.bodies), sum(len(e.levels) for e in elements)
    width = max(len(e.bodies) for e in elements)
    rows = max([1, *(len(e.levels) for e in elements)])
    first = np.cumsum([0, *(len(e.levels) for e in elements)]).tolist()
    redundant, given_q, given_u = _freedom(program.state, nr)
    place, band = _order(pieces, first, nb, nr, redundant)
    turns = [(e, key) for e in elements for key in e.turns]
    stops, flags = _stops(system, s)
    numbers = [body_numbers(program.state, b) for b in range(nb)]
    start_q = [numbers[b]["q", b, k] for b in range(nb) for k in range(7)]
    start_u = [numbers[b]["v" if k < 3 else "w", b, k % 3] for b in range(nb) for k in range(6)]
    nsys = 6 * nb + nr
    data = Data(program.name, _title(program), _columns(program))
    data.integers = {"NBOD": nb, "NROW": nr, "NELE": len(elements), "NPOS": 7 * nb, "NVEL": 6 * nb, "NSYS": nsys,
                     "MAXB": width, "MAXD": 6 * width, "MAXX": 12 * width, "MAXR": rows, "NTURN": len(turns),
                     "BAND": band, "WIDTH": 3 * band + 1, "NSTOP": len(stops), "INDEX": program.index,
                     "STEPS": s.steps or 0, "MOSTROUNDS": 60 if s.steps else 16, "NDEN": nsys if redundant else 1,
                     "NALL": nr + 7 * nb, "NTAB": max(1, len(pieces.table))}
    data.reals = {"TWOPI": 2 * math.pi, "RTOL": s.rtol, "ATOL": s.atol, "NEWTON": min(0.01, 1e-13 / s.rtol),
                  "FIRST": 1e-4 * s.until / max(1, min(s.outputs, 100)) ** 0.5, **radau_numbers()[0]}
    data.tables = {"e_shape": [e.shape for e in elements], "e_nb": [len(e.bodies) for e in elements],
                   "e_nr": [len(e.levels) for e in elements], "e_row": first[:-1],
                   "e_par": _offsets([len(e.numbers) for e in elements]),
                   "e_trn": _offsets([len(e.turns) for e in elements]),
                   "e_body": [e.bodies + [0] * (width - len(e.bodies)) for e in elements],
                   "level": [x for e in elements for x in e.levels] or [0],
                   "own": [x for e in elements for x in e.own] or [0],
                   "par": [x for e in elements for x in e.numbers] or [0.0], "tab": pieces.table or [0.0],
                   "place": place, "stops": stops, "stop_out": flags, "start_q": start_q, "start_u": start_u,
                   "given_q": given_q, "given_u": given_u, "switches": [int(redundant > 0)],
                   "turn_start": [_angle(program.state, e, key) for e, key in turns] or [0.0], **radau_numbers()[1]}
    data.notes = {"par": [f"{e.part.kind} {e.part.name}: {', '.join(e.titles)}" for e in elements if e.titles],
                  "start_q": [f"{name}: x y z e0 e1 e2 e3" for name in system.model.bodies],
                  "given_q": ["1: the value above is kept when the start is completed"]}
    data.arrays = _work_arrays()
    return data


def _work_arrays() -> dict[str, tuple[str, str]]:
    """Work arrays by type and size."""
    found = {name: ("real", size) for names, size in (
        ("now_res err_x err_u st_u st_a vel acc", "NVEL"), ("now_g mul st_l", "NROW"), ("pos st_q", "NPOS"),
        ("turn angle", "NTURN"), ("zu ru rx", "3, NVEL"), ("zq", "3, NPOS"), ("zl rg", "3, NROW"), ("rr", "3, NBOD"),
        ("el_phi el_rate el_gam", "NELE, MAXR"), ("el_res", "NELE, MAXD"),
        ("el_jac el_row el_gx el_gu", "NELE, MAXR, MAXD"), ("el_rx el_ru el_ra", "NELE, MAXD, MAXD"),
        ("om", "NALL, NVEL"), ("oe", "NALL, NROW"), ("ob", "NALL"), ("ortho", "NROW, NROW")) for name in names.split()}
    found |= {name: ("int", size) for name, size in (("used", "NALL"), ("chosen", "NALL"), ("counts", "4"))}
    for kind in ("real", "cplx"):
        found |= {f"{name}_{kind}": (kind, size) for names, size in (
            ("mat", "NSYS, WIDTH"), ("den", "NDEN, NDEN"), ("rhs", "NSYS"), ("line", "WIDTH"), ("pb", "NBOD, 10"),
            ("fx fu du dx", "NVEL"), ("fg dl", "NROW")) for name in names.split()}
        found[f"piv_{kind}"] = ("int", "NSYS")
    return found


def _offsets(sizes: list[int]) -> list[int]:
    return [int(x) for x in np.cumsum([0, *sizes])[:-1]]


def _title(program: Program) -> list[str]:
    s, model = program.settings, program.system.model
    steps = f"{s.steps} fixed steps between outputs" if s.steps else f"rtol {s.rtol:g}, atol {s.atol:g}"
    return [f"{ascii_text(model.name)}: motion of {len(model.bodies)} bodies, a DAE of index {program.index}",
            f"Radau IIA of order 5, {steps}; {s.outputs} outputs to {s.until:g} s; SI units",
            "Positions r of centres of mass, Euler parameters of body axes, v and w in world axes."]


def _columns(program: Program) -> tuple[list[str], list[str]]:
    bodies = [ascii_text(name).replace(",", " ").replace('"', "'") for name in program.system.model.bodies]
    words = ("x", "y", "z", "e0", "e1", "e2", "e3", "vx", "vy", "vz", "wx", "wy", "wz")
    motion = ["t", *(f"{b}.{word}" for b in bodies for word in words)]
    rows = [f"{ascii_text(row.owner)} ({row.resists})".replace(",", " ").replace('"', "'")
            for e in program.pieces.elements for row in e.part.rows]
    return motion, ["t", *rows]


def _stops(system: System, s: Settings) -> tuple[list[float], list[int]]:
    """Times of outputs and corners, and which of them are outputs."""
    outputs = np.linspace(0.0, s.until, s.outputs + 1).tolist()
    corners = [t for t in system.numbers.corners_between(0.0, s.until)
               if min(abs(t - x) for x in outputs) > 1e-12 * s.until]
    stops = sorted([*outputs, *corners])
    known = set(outputs)
    return stops, [int(t in known) for t in stops]


def _freedom(state: State, nr: int) -> tuple[int, list[int], list[int]]:
    """How many rows are redundant, and a smallest set of coordinates and velocities that determine the rest."""
    nb = len(state.system.model.bodies)
    J = state.jacobian()[0][:, :6 * nb] if nr else np.zeros((0, 6 * nb))
    _, size, Vt = np.linalg.svd(J) if nr else (None, np.zeros(0), np.eye(6 * nb))
    rank = int((size > RANK_TOLERANCE * max(size, default=0.0)).sum())
    free = Vt[rank:].T
    rates = np.vstack([_rate_matrix(state, b) @ free[6 * b: 6 * b + 6] for b in range(nb)])
    return nr - rank, _chosen(rates), _chosen(free)


def _rate_matrix(state: State, body: int) -> Array:
    """q' by u of a body."""
    numbers = body_numbers(state, body)
    e0, e1, e2, e3 = (numbers["p", body, k] for k in range(4))
    found = np.zeros((7, 6))
    found[:3, :3] = np.eye(3)
    found[3:, 3:] = 0.5 * np.array([[-e1, -e2, -e3], [e0, e3, -e2], [-e3, e0, e1], [e2, -e1, e0]])
    return found


def _chosen(basis: Array) -> list[int]:
    """Flags of the entries that determine all others, found by pivoting."""
    flags = [0] * len(basis)
    if basis.shape[1]:
        for k in qr(basis.T, mode="r", pivoting=True)[1][:basis.shape[1]]:
            flags[int(k)] = 1
    return flags


def _order(pieces: Pieces, first: list[int], nb: int, nr: int, redundant: int) -> tuple[list[int], int]:
    """Places of velocities and multipliers in the matrix, and how far from its diagonal entries are."""
    n = 6 * nb + nr
    if redundant:
        return list(range(n)), n - 1
    cliques = [[6 * b + k for b in e.bodies for k in range(6)] + [6 * nb + first[i] + k for k in range(len(e.levels))]
               for i, e in enumerate(pieces.elements)]
    i = np.concatenate([np.repeat(c, len(c)) for c in cliques])
    j = np.concatenate([np.tile(c, len(c)) for c in cliques])
    pattern = coo_matrix((np.ones(len(i)), (i, j)), shape=(n, n)).tocsr()
    place = np.empty(n, dtype=int)
    place[reverse_cuthill_mckee(pattern, symmetric_mode=True)] = np.arange(n)
    return place.tolist(), int(np.abs(place[i] - place[j]).max())


def _angle(state: State, element: Any, key: tuple[Any, ...]) -> float:
    """An angle at the start, with its turns."""
    e, a, b = element.turning[key]
    return float(state.turns[state.system.numbers.turn(e, a, b)])


def radau_numbers() -> tuple[dict[str, float], dict[str, Any]]:
    """The method: nodes c, the inverse of A, its eigenvalues and vectors, and the weights of the error estimate."""
    root = math.sqrt(6.0)
    c = np.array([(4 - root) / 10, (4 + root) / 10, 1.0])
    powers = np.vander(c, 3, increasing=True)
    A = (powers * c[:, None] / np.arange(1, 4)) @ np.linalg.inv(powers)  # collocation: A c^k = c^(k+1)/(k+1)
    mu, V = np.linalg.eig(np.linalg.inv(A))
    one, two = int(np.argmin(np.abs(mu.imag))), int(np.argmax(mu.imag))
    ordered = np.column_stack([V[:, one], V[:, two], V[:, two].conj()])
    W = np.linalg.inv(ordered)
    scalars = {"MU_REAL": mu[one].real, "MU_RE": mu[two].real, "MU_IM": mu[two].imag}
    dd = [-(13 + 7 * root) / 3, (-13 + 7 * root) / 3, -1 / 3]
    arrays = {"rk_c": c.tolist(), "rk_ai": np.linalg.inv(A).tolist(), "dd": dd,
              "v_real": (ordered[:, 0] / ordered[2, 0]).real.tolist(), "vi_real": (W[0] * ordered[2, 0]).real.tolist(),
              "v_re": ordered[:, 1].real.tolist(), "v_im": ordered[:, 1].imag.tolist(),
              "vi_re": W[1].real.tolist(), "vi_im": W[1].imag.tolist()}
    return {k: float(v) for k, v in scalars.items()}, arrays


def make_program(model: Model | System, index: int, language: str, *, until: float, start: Any = None,
                 **settings: Any) -> Program:
    """A program for a model; `start` is a state, or values of coordinates as for assemble()."""
    system = as_system(model)
    state = start if isinstance(start, State) else assemble(system, start) if start else assemble(system)
    return Program(system, index, language, state, Settings(float(until), **settings))
