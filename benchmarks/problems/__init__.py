"""The catalogue of benchmark problems by name."""

from __future__ import annotations

from collections.abc import Callable

from problems.andrews import squeezing_mechanism
from problems.chain import chain
from problems.description import Problem
from problems.iftomm import bricard, flyball_governor, n_four_bar, simple_pendulum
from problems.mcpherson import mcpherson
from problems.slider_crank import slider_crank
from problems.wishbone import bushed_wishbone, double_wishbone

PROBLEMS: dict[str, Callable[[], Problem]] = {
    "A01": simple_pendulum,
    "A02_2": lambda: n_four_bar(2),
    "A02_40": lambda: n_four_bar(40),
    "A03": squeezing_mechanism,
    "A04": bricard,
    "A05": flyball_governor,
    "slidercrank": slider_crank,
    "wishbone": double_wishbone,
    "mcpherson": mcpherson,
    "bushings": bushed_wishbone,
    "chain_10": lambda: chain(10),
    "chain_100": lambda: chain(100),
    "chain_1000": lambda: chain(1000),
}
