"""Spatial slider-crank with Haug's data: crank about x, slider along x."""

from __future__ import annotations

import numpy as np

from problems.description import GROUND, Problem, unit

PIVOT, PIN, SLIDER = np.array([0, 0.1, 0.12]), np.array([0, 0.1, 0.2]), np.array([0.2, 0, 0])
X, Y, _ = np.eye(3)
CRANK_SPEED = 6.0  # rad/s


def slider_crank() -> Problem:
    problem = Problem("slidercrank", duration=1.0, gravity=np.array([0, 0, -9.81]))
    along_rod = unit(PIN - SLIDER)
    cross_axis = unit(np.cross(along_rod, Y))
    rod_axes = np.column_stack([np.cross(cross_axis, along_rod), along_rod, cross_axis])
    rod_inertia = rod_axes @ np.diag([4e-3, 4e-4, 4e-3]) @ rod_axes.T
    crank = problem.add_body("crank", 0.12, (PIVOT + PIN) / 2, [1e-4, 1e-4, 1e-5])
    slider = problem.add_body("slider", 2.0, SLIDER, [1e-4] * 3)
    rod = problem.add_body("rod", 0.5, (PIN + SLIDER) / 2, rod_inertia)
    problem.add_joint("rev", GROUND, crank, PIVOT, X)
    problem.add_joint("pri", GROUND, slider, SLIDER, X)
    problem.add_joint("uni", slider, rod, SLIDER, Y, cross_axis)
    problem.add_joint("sph", crank, rod, PIN)
    _set_velocities(problem, along_rod, cross_axis)
    problem.track(slider, SLIDER)
    return problem


def _set_velocities(problem: Problem, along_rod: np.ndarray, cross_axis: np.ndarray) -> None:
    """Velocities of all three bodies that fit the crank's speed."""
    crank, slider, rod = problem.bodies
    crank.angular_velocity = CRANK_SPEED * X
    crank.velocity = np.cross(crank.angular_velocity, (PIN - PIVOT) / 2)
    pin_velocity = np.cross(crank.angular_velocity, PIN - PIVOT)
    # the rod keeps its length: both ends move equally fast along it
    slider.velocity = (pin_velocity @ along_rod) / (X @ along_rod) * X
    # pin_velocity = slider velocity + w x (PIN - SLIDER), with w in the plane of the universal joint's axes
    lever = PIN - SLIDER
    axes = np.column_stack([Y, cross_axis])
    turning = np.cross(axes.T, lever).T
    rates = np.linalg.lstsq(turning, pin_velocity - slider.velocity, rcond=None)[0]
    rod.angular_velocity = axes @ rates
    rod.velocity = slider.velocity + np.cross(rod.angular_velocity, lever / 2)
