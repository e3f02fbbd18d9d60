"""Forces and torques by three components along the axes of any frame, as laws along measures: what a load, which
knows only time, cannot say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from vincolo.model import Body, Frame
from vincolo.model.measure import RATE, Measure, along, cosine

AXES = "xyz"


@dataclass(frozen=True)
class Vector:
    """Components over t and measures along the axes of a frame, on one frame, with the reaction on a body."""

    name: str
    where: Frame
    axes: Frame
    reaction: Body
    texts: Mapping[int, str]
    others: Mapping[str, Measure]


Row = tuple[str, Measure, str, dict[str, Measure]]


def rows_of(vector: Vector, base: Frame, turning: bool) -> list[Row]:
    """The laws of a force, or of a torque, between its frame and a base on the body that takes the reaction: an ending
    for the name, the measure, the text, and the other measures in it."""
    found = _torques(vector, base) if turning else _forces(vector, base)
    return [(suffix, measure, text, named_in(text, {**vector.others, **others}))
            for suffix, measure, text, others in found]


def named_in(text: str, others: Mapping[str, Measure]) -> dict[str, Measure]:
    """The measures that a text names, by their values or rates."""
    words = set(re.findall(r"[A-Za-z_]\w*", text, re.ASCII))
    return {name: measure for name, measure in others.items() if {name, f"{name}{RATE}"} & words}


def _component(vector: Vector, base: Frame, j: int) -> tuple[str, dict[str, Measure]]:
    """The component along axis j of the base: sum of f_k e_j . e_k."""
    pieces, others = [], {}
    for k, text in vector.texts.items():
        if vector.axes.body is base.body:
            share = float(base.axes[:, j] @ vector.axes.axes[:, k])
            if abs(share) > 1e-15:
                pieces.append(f"({share!r})*({text})")
            continue
        name = f"b{AXES[j]}_{AXES[k]}"
        others[name] = cosine(AXES[j], AXES[k], base, vector.axes)
        pieces.append(f"{name}*({text})")
    return "+".join(pieces), others


def _forces(vector: Vector, base: Frame) -> list[Row]:
    """Along the axes of the base, from its body to I: the reaction then acts at the point of I."""
    found: list[Row] = []
    for j, axis in enumerate(AXES):
        text, others = _component(vector, base, j)
        if text:
            found.append((axis, along(axis, base, vector.where), text, others))
    return found


def _torques(vector: Vector, base: Frame) -> list[Row]:
    """T = sum of u_a x (T x u_a) / 2 over the axes u_a of I. A law of size s on the cosine u_a . b_j turns I by
    s u_a x b_j, and the base by the opposite: s = (T x u_a) . b_j / 2."""
    parts = [_component(vector, base, j) for j in range(3)]
    cosines = {(a, m): cosine(AXES[a], AXES[m], vector.where, base) for a in range(3) for m in range(3)}
    found: list[Row] = []
    for a in range(3):
        for j in range(3):
            pieces: list[str] = []
            others: dict[str, Measure] = {}
            for k, m in permutations(range(3), 2):
                if j in (k, m) or not parts[k][0]:
                    continue
                sign = float(np.linalg.det(np.eye(3)[[k, m, j]]))  # (b_k x b_m) . b_j
                pieces.append(f"({0.5 * sign!r})*u{AXES[a]}_{AXES[m]}*({parts[k][0]})")
                others |= {f"u{AXES[a]}_{AXES[m]}": cosines[a, m], **parts[k][1]}
            if pieces:
                found.append((f"{AXES[a]}{AXES[j]}", cosines[a, j], "+".join(pieces), others))
    return found
