"""What a page knows of a result: shapes, places and series, as names and packed numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vincolo.model.body import Frame
from vincolo.model.geometry import Array
from vincolo.plots.sheet import Together
from vincolo.plots.web import Blob, Reference
from vincolo.results.columns import choose
from vincolo.results.ranges import left_ranges
from vincolo.results.result import Result
from vincolo.scene import Poses, poses_of, scene_of
from vincolo.scene.camera import cloud_of, natural_axes
from vincolo.scene.meshes import Mesh
from vincolo.view.page_parts import load_vectors, parts_of

FAR = 1e30  # m: what is farther away cannot be drawn in single precision
MOST_LEFT = 3  # ranges that were left and are told
MOST_AT_START = 12  # series of the file
STARTING_COORDINATES = 3  # plotted if nothing is asked for
MOST_EVENTS = 300  # that are marked
#: units of what pages compute: places, key points and their motion, loads
COMPUTED = ("m", "rad", "m/s", "rad/s", "m/s^2", "rad/s^2", "N", "N m")


def thinned(result: Result, count: int) -> Result:
    """The same run with at most `count` samples, evenly taken; the first and the last one stay."""
    if count >= len(result):
        return result
    which = np.unique(np.linspace(0, len(result) - 1, max(count, 1)).round().astype(int))
    return replace(result, t=result.t[which], y=result.y[which], turns=result.turns[which])


def start_plots(pairs: Sequence[tuple[str, Result]], names: Sequence[str] | str | None) -> list[str]:
    """The series to be plotted at the start: those asked for, those that the file of the model asks for, or the first
    coordinates that move, and energies."""
    if names is not None:
        return choose(Together(pairs), names)
    result = pairs[0][1]
    if result.settings.channels:
        return choose(Together(pairs), result.settings.channels)[:MOST_AT_START]
    coordinates = [str(m.name) for joint in result.system.joints.values() for m in joint.coordinates.values()]
    moving = [name for name in coordinates if np.ptp(np.nan_to_num(result[name])) > 1e-9]
    return [*(moving or coordinates)[:STARTING_COORDINATES], "energy.kinetic", "energy.potential", "energy.total"]


def run_data(label: str, whole: Result, result: Result, blob: Blob, series: bool = True) -> dict[str, Any]:
    """A run in names and references; `result` is `whole` or its thinned samples. Without `series` it has shapes and
    motion alone."""
    scene = scene_of(result.system)
    poses = poses_of(result, scene)
    lost = _make_drawable(poses)
    bodies = {name: k for k, name in enumerate(poses.positions)}
    parts = parts_of(result, bodies, blob.put, series)
    numbers = {(part["kind"], part["name"]): k for k, part in enumerate(parts)}
    return {"label": label, "model": result.system.name, "units": _units(result),
            "notes": _notes(whole, result, lost), "size": scene.size, "radius": scene.radius,
            "centre": scene.centre.tolist(), "axes": natural_axes(scene, cloud_of(scene, poses)).T.tolist(),
            **_motion(result.t, poses, blob),
            "items": [{**_shown(i.kind, i.owner, i.mesh, i.colour, numbers, blob), "body": bodies[i.body]}
                      for i in scene.items],
            "links": [{**_shown(k.kind, k.owner, k.mesh, k.colour, numbers, blob), "a": _place(k.a, bodies),
                       "b": _place(k.b, bodies)} for k in scene.links],
            "parts": parts, "series": _series(result, poses, blob) if series else {},
            "events": _events(whole)}


def _units(result: Result) -> dict[str, list[Any]]:
    """By unit of SI that the page computes in, the one that is shown, and how many of it make one of SI."""
    shown = result.in_units()
    found = {text: shown.unit_for(text) for text in COMPUTED}
    return {text: [unit.name, float(unit.of_si(1.0))] for text, unit in found.items()}


def more_data(whole: Result, piece: Result, blob: Blob) -> dict[str, Any]:
    """What changes in time at samples that come behind those of a run that is shown, and what is to be told of all.
    Some series count from the first sample of the run, and signs of quaternions from the last one before: both are read
    too, and left out."""
    before = int((whole.t < piece.t[0]).sum()) if whole.system is piece.system else 0
    seen = [0, before - 1] if before else []
    skipped = len(seen)
    read = replace(piece, t=np.concatenate([whole.t[seen], piece.t]), y=np.concatenate([whole.y[seen], piece.y]),
                   turns=np.concatenate([whole.turns[seen], piece.turns]))
    poses = poses_of(read, None)
    lost = _make_drawable(poses)
    kept = Poses(poses.t[skipped:], {b: v[skipped:] for b, v in poses.positions.items()},
                 {b: v[skipped:] for b, v in poses.quaternions.items()}, {})
    return {"notes": _notes(whole, whole, lost), **_motion(piece.t, kept, blob),
            "series": _series(read, poses, blob, skipped), "events": _events(whole),
            "loads": load_vectors(piece, blob.put)}


def _motion(times: Array, poses: Poses, blob: Blob) -> dict[str, Any]:
    return {"t": blob.put(times, "<f8"),
            "bodies": [{"name": name, "pose": _pose(poses, name, blob)} for name in poses.positions]}


def _events(whole: Result) -> list[Any]:
    return [[t, title] for t, title in whole.moments[:MOST_EVENTS]]


def _make_drawable(poses: Poses) -> int:
    """Puts bodies where they last were when their place is not a number; the count of such samples."""
    n = len(poses)
    fine = np.ones(n, dtype=bool)
    for name in poses.positions:
        whole = np.hstack([poses.positions[name], poses.quaternions[name]])
        with np.errstate(invalid="ignore"):
            fine &= (np.abs(whole) < FAR).all(axis=1)
    last = np.maximum.accumulate(np.where(fine, np.arange(n), -1))
    first = int(np.argmax(fine)) if fine.any() else -1
    source = np.where(last < 0, first, last)
    for name in poses.positions:
        positions, quaternions = poses.positions[name][source], poses.quaternions[name][source]
        poses.positions[name] = positions if first >= 0 else np.zeros((n, 3))
        poses.quaternions[name] = quaternions if first >= 0 else np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    return int(n - fine.sum())


def _pose(poses: Poses, name: str, blob: Blob) -> list[Reference] | None:
    """Seven series: the place of a body's frame and its quaternion; none of ground."""
    if name == "ground":
        return None
    return [blob.put(column) for column in (*poses.positions[name].T, *poses.quaternions[name].T)]


#: kinds of shapes and the kinds of parts they belong to
OWNERS = {"mass": "body", "ground": "joint", "rod": "joint", "damper": "spring"}


def _shown(kind: str, owner: str, mesh: Mesh, colour: Any, numbers: dict[tuple[str, str], int],
           blob: Blob) -> dict[str, Any]:
    index = "<u2" if len(mesh.vertices) < 65536 else "<u4"
    return {"kind": kind, "part": numbers.get((OWNERS.get(kind, kind), owner), -1), "colour": list(colour),
            "mesh": [blob.put(mesh.vertices), blob.put(mesh.faces, index)]}


def _place(frame: Frame, bodies: dict[str, int]) -> list[float]:
    return [bodies[frame.body.name], *(float(c) for c in frame.point)]


def _series(result: Result, poses: Poses, blob: Blob, skipped: int = 0) -> dict[str, list[Any]]:
    """Name: unit and reference, without the first samples that are `skipped`. What is the length of three others has
    none; the page computes it."""
    found: dict[str, list[Any]] = {}
    channels, shown = result.channels, result.in_units()
    for name in channels.keys()[1:]:
        kind, *args = channels.entry(name)
        if kind == "reaction" and args[2] is None:
            found[name] = [shown.unit(name), None]
        elif kind == "quaternion":
            found[name] = [channels.unit(name), blob.put(poses.quaternions[args[0]][skipped:, args[1]])]
        else:
            found[name] = [shown.unit(name), blob.put(_drawable(shown[name][skipped:]))]
    return found


def _drawable(values: Array) -> Array:
    """Numbers that single precision can hold; others are gaps."""
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(values) < FAR, values, np.nan)


def _notes(whole: Result, result: Result, lost: int) -> list[str]:
    """What the reader must know about the run."""
    notes = []
    if not whole.complete:
        notes.append(f"The run ended early, at t = {whole.t[-1]:.6g} s of {whole.settings.until:.6g} s: {whole.reason}")
    if len(result) < len(whole):
        notes.append(f"{len(result)} of {len(whole)} samples are on this page, to keep it small.")
    notes += [f"{left}." for left in left_ranges(whole)[:MOST_LEFT]]
    if lost == len(result):
        notes.append("No sample is finite, so the mechanism cannot be shown in its place.")
    elif lost:
        notes.append(f"{lost} of {len(result)} samples are not finite; the mechanism is shown where it last was.")
    if len(whole) == 1 and whole.settings.integrator:  # states have none
        notes.append("The result has one sample only, so nothing moves.")
    elif not result.t[-1] > result.t[0] and whole.settings.integrator:
        notes.append("The run has no length in time, so nothing moves.")
    return notes
