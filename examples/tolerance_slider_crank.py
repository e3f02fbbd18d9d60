"""Tolerances of a slider-crank: how far the slider is off, over a full turn, and what causes it.

Source: the closed form x = r cos(a) + sqrt(l^2 - r^2 sin^2(a)), whose slopes give the standard deviation and the worst
case of small tolerances. With +-0.05 mm on crank and rod (three standard deviations) and +-0.02 mm on the height of the
bearing, the model's linear theory must meet it at a = 60 degrees within 1e-4 um, and 1024 Sobol samples within 2 %.
"""

import numpy as np

import vincolo as vc
from comparison import compare
from vincolo.tolerance import Clearance, ModelSubject, Normal, Tolerance, linear_tolerances, study

R, L = 0.1, 0.3  # m
SOURCES = [Tolerance("A@crank.x", Normal(5e-5), title="crank"), Tolerance("B@rod.x", Normal(5e-5), title="rod"),
           Tolerance("O@ground.y", Normal(2e-5), title="bearing")]


def build() -> vc.Model:
    """The mechanism, held just often enough: joints that hold it twice would leave no room for deviations."""
    model = vc.Model("slider-crank", gravity=(0, 0, 0))
    crank = model.body("crank", mass=1, inertia=0.01, at=(0, 0, 0))
    rod = model.body("rod", mass=1, inertia=0.01, at=(R, 0, 0))
    slider = model.body("slider", mass=1, inertia=0.01, at=(R + L, 0, 0))
    model.revolute("O", model.ground, crank, at=(0, 0, 0), axis="z")
    model.cylindrical("A", crank, rod, at=(R, 0, 0), axis="z")
    model.spherical("B", rod, slider, at=(R + L, 0, 0))
    model.prismatic("G", model.ground, slider, at=(R + L, 0, 0), axis="x")
    model.drive("O.angle", "2*pi*t")
    return model


def closed_form(angle: float) -> tuple[float, float]:
    """Standard deviation and worst case of the slider's place [m]."""
    c = np.sqrt(1 - (R * np.sin(angle) / L) ** 2)
    slopes = np.array([np.cos(angle) - R * np.sin(angle) ** 2 / (L * c), 1 / c, -R * np.sin(angle) / (L * c)])
    limits = np.array([5e-5, 5e-5, 2e-5])
    return float(np.sqrt(((slopes * limits / 3) ** 2).sum())), float(np.abs(slopes) @ limits)


def main() -> list[float]:
    subject = ModelSubject(build(), ["slider.x"], until=1.0, times=36)
    k = 6  # 60 degrees
    deviation, worst = closed_form(np.pi / 3)
    linear = linear_tolerances(subject, SOURCES)
    samples = study(subject, SOURCES, samples=1024, method="sobol", workers=2)
    found = [compare("standard deviation, linear", 1e6 * linear.deviation[k, 0], 1e6 * deviation, "um"),
             compare("standard deviation, 1024 Sobol samples", 1e6 * samples.deviation()[k], 1e6 * deviation, "um"),
             compare("worst case", 1e6 * (linear.worst[1][k, 0] - linear.nominal[k, 0]), 1e6 * worst, "um")]
    print(f"\n{samples}\n")
    play = linear_tolerances(subject, [*SOURCES, Clearance("A", 2e-5, 0.02)])
    print(f"A pin with a gap of 0.02 mm in A makes it {1e6 * play.deviation[k, 0]:.2f} um; its share is "
          f"{play.contributions(position=k)['clearance of A']:.1%}.")
    return found


if __name__ == "__main__":
    main()
