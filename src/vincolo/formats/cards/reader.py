"""Reading a folder of cards."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from vincolo.formats.cards.bodies import Start, add_bodies, left_matrix, read_general, read_starts
from vincolo.formats.cards.connections import Names, read_connections
from vincolo.formats.cards.driving import add_drives
from vincolo.formats.cards.forces import Mechanism, add_force, add_spring, guarded
from vincolo.formats.cards.report import CardError, Report
from vincolo.formats.cards.settings import Settings, read_settings
from vincolo.formats.cards.text import CARDS, blocks_of, find_card
from vincolo.model import Model
from vincolo.model.geometry import Array
from vincolo.results import Result, State
from vincolo.system import System, compile

NEEDED = ("General", "Connection", "Inertial", "Initial configuration")


@dataclass(frozen=True, eq=False)
class Cards:
    """A model read from cards, how the cards ask to run it, and what was understood of them."""

    model: Model
    settings: Settings
    report: Report
    starts: tuple[Start, ...]

    @cached_property
    def system(self) -> System:
        """The model, compiled."""
        return compile(self.model)

    def start(self) -> State:
        """The closed mechanism at TI. As in NumDyn3D, rates in the card that are not zero are asked for, by least
        squares; the others follow from the joints."""
        from vincolo.analyses import assemble

        state = assemble(self.system, t=self.settings.start)
        return _with_rates(state, self.starts)

    def simulate(self, **changes: Any) -> Result:
        """The run that the cards ask for; arguments of vincolo.simulate() change it."""
        from vincolo.analyses import simulate

        s = self.settings
        asked: dict[str, Any] = {"until": s.until, "outputs": s.outputs, "integrator": s.integrator,
                                 "formulation": s.formulation, "stabilisation": s.stabilisation, **changes}
        if "start" not in asked:
            asked["start"] = self.start()
        return simulate(self.system, **asked)


def _with_rates(state: State, starts: tuple[Start, ...]) -> State:
    """The least velocities that the joints allow and that meet the rates of coordinates given, where not zero."""
    system = state.system
    equations = state.equations()
    J, count = equations.J, len(starts)
    nu = J @ equations.u - equations.Phi_dot
    y = state.y[:13 * count].reshape(count, 13).copy()
    rows, wanted = [], []
    for k, start in enumerate(starts):
        given, p = start.rates, y[k, 3:7]
        p = p if p @ start.euler > 0 else -p  # both are the same position, with rates of opposite sign
        full = np.zeros((7, 6 * count))
        full[:3, 6 * k: 6 * k + 3] = np.eye(3)
        full[3:, 6 * k + 3: 6 * k + 6] = 0.5 * left_matrix(p).T
        rows += [full[i] for i in range(7) if given[i] != 0]
        wanted += [float(v) for v in given if v != 0]
    u = np.zeros(6 * count)
    if len(J):
        u = np.asarray(np.linalg.lstsq(J, nu, rcond=1e-9)[0], dtype=float)
    if rows:
        free = _kernel(J) if len(J) else np.eye(6 * count)
        asked = np.array(rows)
        u = np.asarray(u + free @ np.linalg.lstsq(asked @ free, np.array(wanted) - asked @ u, rcond=1e-9)[0])
    for k in range(count):
        y[k, 7:10] = u[6 * k: 6 * k + 3]
        y[k, 10:] = _turned_back(y[k, 3:7], u[6 * k + 3: 6 * k + 6])
    return State(system, state.t, np.concatenate([y.ravel(), state.y[13 * count:]]), state.turns)


def _kernel(J: Array) -> Array:
    _, sizes, V = np.linalg.svd(J)
    rank = int((sizes > 1e-9 * max(1.0, float(sizes.max(initial=0.0)))).sum())
    return np.asarray(V[rank:].T, dtype=float)


def _turned_back(p: Array, w: Array) -> Array:
    """A vector of world axes in body axes."""
    from vincolo.model.geometry import matrix_of

    return np.asarray(matrix_of(p).T @ w, dtype=float)


def read_cards(folder: str | os.PathLike[str], *, strict: bool = True) -> Cards:
    """Reads a folder of NumDyn3D cards (.s3d). A force or law of motion that cannot be translated is an error; with
    strict=False it is left out and listed in the report."""
    where, report = Path(folder), Report()
    paths = _paths(where, report)
    general = read_general(paths["General"], report)
    names = Names(report)
    bodies_by_name = [names.free(name, "body") for name in general.names]
    starts = read_starts(paths["Initial configuration"], general, report)
    model = Model(general.title or where.name, gravity=(0.0, 0.0, 0.0))
    bodies = add_bodies(model, paths["Inertial"], general, starts, bodies_by_name, report)
    connections = read_connections(model, paths["Connection"], bodies, names, report)
    to = Mechanism(model, bodies, starts, connections, names, report)
    counts = {"General": f"{len(starts)} bodies", "Connection": f"{len(connections)} joints",
              "Inertial": f"{len(starts)} masses", "Initial configuration": f"{len(starts)} positions"}
    for card, add in (("Force", add_force), ("SPDamp", add_spring)):
        if card in paths:
            blocks = blocks_of(paths[card], report)
            for block in blocks:
                guarded(to, block, add, strict)
            counts[card] = f"{len(blocks)} blocks"
    if "Driving Pos" in paths:
        counts["Driving Pos"] = f"{add_drives(to, paths['Driving Pos'], general, strict)} drives"
    settings = read_settings(paths.get("QRTol"), general, report)
    counts["QRTol"] = f"{settings.method}: {settings.integrator}" + ("" if "QRTol" in paths else " (no card)")
    report.understood += [f"{card}: {what}" for card, what in counts.items()]
    return Cards(model, settings, report, tuple(starts))


def _paths(folder: Path, report: Report) -> dict[str, Path]:
    """The cards that are there; refuses a folder without those that must be."""
    if not folder.is_dir():
        raise CardError(f"there is no folder '{folder}'.\n  Give the folder that has General.s3d and the other cards.")
    found = {name: path for name in CARDS if (path := find_card(folder, name)) is not None}
    missing = [f"{name}.s3d" for name in NEEDED if name not in found]
    if missing:
        raise CardError(f"the folder '{folder.name}' has no {', '.join(missing)}.\n"
                        f"  Cards in it: {', '.join(p.name for p in found.values()) or 'none'}. These must be there: "
                        f"{', '.join(f'{name}.s3d' for name in NEEDED)}.")
    used = {path.name for path in found.values()}
    report.unused += [f"{path.name}: not a card of NumDyn3D" for path in sorted(folder.iterdir())
                      if path.suffix.lower() == ".s3d" and path.name not in used]
    return found
