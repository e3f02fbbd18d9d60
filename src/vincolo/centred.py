"""Bodies as the kernel holds them: about their centres of mass, in principal axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vincolo.model import Body, Frame, Model
from vincolo.model.geometry import Array

BALLAST = 1e-3  # share of mass x length^2 lent to an axis without inertia
THIN = 1e-5  # of the largest inertia of a body: an axis with less is lent some as well


@dataclass(frozen=True)
class Centred:
    """A body about its centre of mass in principal axes, as the kernel holds it."""

    body: Body
    principal: Array  # columns: principal axes in body axes
    moments: Array
    ballast: Array
    length: float
    mass_ballast: float = 0.0  # lent to a body without mass
    turned: bool = True  # whether principal axes are others than those of the body

    def local(self, frame: Frame) -> tuple[Array, Array]:
        """A frame's lever from the centre of mass and its axes, in principal axes."""
        lever = frame.point - self.body.com
        return (self.principal.T @ lever, self.principal.T @ frame.axes) if self.turned else (lever, frame.axes)


def reaches(model: Model) -> dict[str, float]:
    """Largest distance of a joint or force from the centre of mass of each body [m]."""
    reach: dict[str, float] = {}
    frames: list[Frame] = []
    for joint in model.joints.values():
        frames += [joint.a, joint.b]
    measures = [s.measure for s in model.springs.values()] + [law.measure for law in model.laws.values()]
    measures += [part.measure for group in (model.rotors, model.stops, model.frictions)
                 for part in group.values()]
    for measure in measures + [held.measure for held in model.holds.values()]:
        frames += [f for _, _, a, b in measure.terms for f in (a, b)]
    if not frames:
        return reach
    levers = np.concatenate([f.point for f in frames]) - np.concatenate([f.body.com for f in frames])
    for frame, distance in zip(frames, np.sqrt((levers**2).reshape(-1, 3).sum(axis=1)).tolist(), strict=True):
        reach[frame.body.name] = max(reach.get(frame.body.name, 0.0), distance)
    return reach


def centred_body(body: Body, reach: float, usual: float) -> Centred:
    """A body with joints and forces up to a distance `reach` [m]; `usual` is a mass [kg] to lend from."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia.tolist()
    products = max(abs(xy), abs(xz), abs(yz))
    size = max(products, abs(xx), abs(yy), abs(zz))
    turned = products > 1e-15 * size
    if not turned:
        moments, principal = np.array([xx, yy, zz]), np.eye(3)
    else:
        moments, principal = np.linalg.eigh(body.inertia)
        if np.linalg.det(principal) < 0:
            principal[:, 0] = -principal[:, 0]
    mass = body.mass or usual
    gyration = math.sqrt(size / mass)
    length = max(reach, gyration) or 1.0
    empty = moments <= 1e-13 * body.mass * length**2
    moments = np.where(empty, 0.0, moments)
    light = empty | (moments < THIN * moments.max())
    ballast = np.where(light, BALLAST * mass * length**2, 0.0)
    return Centred(body, principal, moments, ballast, length, 0.0 if body.mass else BALLAST * usual, turned)


def usual_mass(bodies: Sequence[Body], rotors: Sequence[Body], extent: float) -> float:
    """A mass [kg] to lend from: the smallest that a body has; of models with inertias alone, the smallest that has
    such an inertia over the extent [m] of the model. Where nothing has any, drives must determine all, and any does."""
    every = [*bodies, *rotors]
    masses = [b.mass for b in bodies if b.mass > 0] or [b.mass for b in every if b.mass > 0]
    if masses:
        return min(masses)
    return min((float(np.abs(b.inertia).max()) / extent**2 for b in every if b.inertia.any()), default=1.0)


def extent_of(model: Model) -> float:
    """Diagonal of the box around all bodies, joints and forces as drawn [m]: what is small is small against it."""
    frames = [f for j in model.joints.values() for f in (j.a, j.b)]
    groups: list[dict[str, Any]] = [model.springs, model.laws, model.holds, model.stops, model.frictions]
    measures = [x.measure for group in groups for x in group.values()]
    frames += [f for m in measures for _, _, a, b in m.terms for f in (a, b)]
    owners = [*model.bodies.values(), *(f.body for f in frames)]
    levers = np.concatenate([*(b.com for b in model.bodies.values()), *(f.point for f in frames)]).reshape(-1, 1, 3)
    turned = (np.concatenate([b.orientation for b in owners]).reshape(-1, 3, 3) * levers).sum(axis=2)
    points = np.concatenate([b.at for b in owners]).reshape(-1, 3) + turned
    return math.hypot(*(points.max(axis=0) - points.min(axis=0)).tolist()) or 1.0
