"""Tyres: forces and moments over slip, slip angle, inclination and load. Written once, for numbers, arrays and tapes.

Axes are those of ISO 8855 at the contact point: x along the wheel's heading, y to its left, z up. Slip kappa
is positive when driven; tan(alpha) = V_y/|V_x| of the contact point, so that a positive slip angle gives a
force to the right; the inclination gamma is positive if the wheel leans to the right. Magic Formula: Pacejka,
Tire and Vehicle Dynamics, 3rd edition (2012), equations 4.E1 to 4.E78, without inflation pressure and turn
slip; version 5.2 after Pacejka (2002) and the manual of MF-Tyre 5.2. Fiala: Fiala (1954), in the form with a
friction circle over the total slip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vincolo.errors import ModelError

KINDS = ("linear", "fiala", "magic")
#: what formulas need and files may leave out
DEFAULTS = {
    "LFZO": 1.0,
    "LCX": 1.0,
    "LMUX": 1.0,
    "LEX": 1.0,
    "LKX": 1.0,
    "LHX": 1.0,
    "LVX": 1.0,
    "LCY": 1.0,
    "LMUY": 1.0,
    "LEY": 1.0,
    "LKY": 1.0,
    "LHY": 1.0,
    "LVY": 1.0,
    "LKYC": 1.0,
    "LKZC": 1.0,
    "LTR": 1.0,
    "LRES": 1.0,
    "LXAL": 1.0,
    "LYKA": 1.0,
    "LVYKA": 1.0,
    "PCX1": 1.5,
    "PCY1": 1.3,
    "QCZ1": 1.1,
    "RCX1": 1.0,
    "RCY1": 1.0,
    "PKY4": 2.0,
}


@dataclass(frozen=True)
class Tyre:
    """A tyre: its free radius [m], vertical stiffness [N/m] and damping [N s/m], relaxation lengths [m], and the
    numbers of its formulas by name: of "linear" and "fiala" C_kappa [N], C_alpha [N/rad], C_gamma [N/rad], mu; of
    "magic" those of .tir files (PCX1, PDY1, ...) with FNOMIN [N]."""

    name: str
    kind: str
    radius: float
    k: float
    c: float = 0.0
    relaxation_x: float = 0.1
    relaxation_y: float = 0.3
    numbers: Mapping[str, float] = field(default_factory=dict)
    version: float = 6.1
    mirrored: bool = False  # data of a right-hand tyre on the left, or the other way about

    def __post_init__(self) -> None:
        what = f"tyre {self.name!r}"
        if self.kind not in KINDS:
            raise ModelError(f"{what}: kind is {self.kind!r}; it is one of: {', '.join(KINDS)}.")
        for key in ("radius", "k", "c", "relaxation_x", "relaxation_y"):
            value = getattr(self, key)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not np.isfinite(value):
                raise ModelError(f"{what}: {key} is {value!r}; a finite number is needed.")
            if value < 0 or (value == 0 and key != "c"):
                raise ModelError(f"{what}: {key} is {value:g}; it must be positive.")
        for key, value in self.numbers.items():
            if not np.isfinite(value):
                raise ModelError(f"{what}: {key} is {value!r}; a finite number is needed.")
        needed = {
            "linear": ("C_kappa", "C_alpha"),
            "fiala": ("C_kappa", "C_alpha", "mu"),
            "magic": ("FNOMIN", "PDX1", "PKX1", "PDY1", "PKY1", "PKY2"),
        }[self.kind]
        missing = [key for key in needed if key not in self.numbers]
        if missing:
            raise ModelError(f"{what}: a {self.kind} tyre needs {', '.join(missing)}.")

    def __getitem__(self, key: str) -> float:
        return float(self.numbers.get(key, DEFAULTS.get(key, 0.0)))

    def forces(self, kappa: Any, alpha: Any, gamma: Any, load: Any) -> tuple[Any, Any, Any]:
        """F_x, F_y [N] and M_z [N m] for slip, tan of the slip angle, inclination [rad] and vertical load [N]."""
        if self.mirrored:
            x, y, m = FORMULAS[self.kind](self, kappa, -alpha, -gamma, load)
            return x, -y, -m
        found: tuple[Any, Any, Any] = FORMULAS[self.kind](self, kappa, alpha, gamma, load)
        return found

    def __str__(self) -> str:
        formula = f"Magic Formula {self.version:g}" if self.kind == "magic" else f"{self.kind} tyre"
        mirrored = ", mirrored" if self.mirrored else ""
        return f"{self.name}: {formula}, free radius {self.radius:g} m, {self.k:g} N/m{mirrored}"

    def cornering_stiffness(self, load: float) -> float:
        """-dF_y/dalpha [N/rad] at no slip."""
        h = 1e-6
        return float(self.forces(0.0, -h, 0.0, load)[1] - self.forces(0.0, h, 0.0, load)[1]) / (2 * h)


def _linear(tyre: Tyre, kappa: Any, alpha: Any, gamma: Any, load: Any) -> tuple[Any, Any, Any]:
    side = -tyre["C_alpha"] * alpha - tyre["C_gamma"] * gamma
    return tyre["C_kappa"] * kappa, side, -tyre["trail"] * side


def _fiala(tyre: Tyre, kappa: Any, alpha: Any, gamma: Any, load: Any) -> tuple[Any, Any, Any]:
    """F = mu F_z (1 - H^3) along the slip, H = 1 - s/(3 mu F_z); full sliding where s is larger."""
    grip = tyre["mu"] * load + 1e-9
    x, y = tyre["C_kappa"] * kappa, tyre["C_alpha"] * alpha + tyre["C_gamma"] * gamma
    slip = np.sqrt(x * x + y * y + 1e-12)
    stuck = np.maximum(1.0 - slip / (3.0 * grip), 0.0)
    total = grip * (1.0 - stuck * stuck * stuck)
    side = -total * y / slip
    return total * x / slip, side, -tyre["trail"] * stuck * stuck * stuck * side


def _sine(D: Any, C: Any, B: Any, E: Any, x: Any) -> Any:
    """D sin(C atan(B x - E (B x - atan(B x))))"""
    bx = B * x
    return D * np.sin(C * np.arctan(bx - E * (bx - np.arctan(bx))))


def _cosine(C: Any, B: Any, E: Any, x: Any) -> Any:
    """cos(C atan(B x - E (B x - atan(B x))))"""
    bx = B * x
    return np.cos(C * np.arctan(bx - E * (bx - np.arctan(bx))))


def _longitudinal(p: Tyre, kappa: Any, gamma: Any, load: Any, dfz: Any) -> tuple[Any, Any]:
    """F_x at no side slip, and its slip stiffness."""
    x = kappa + (p["PHX1"] + p["PHX2"] * dfz) * p["LHX"]
    mu = (p["PDX1"] + p["PDX2"] * dfz) * (1.0 - p["PDX3"] * gamma * gamma) * p["LMUX"]
    C, D = p["PCX1"] * p["LCX"], mu * load
    E = np.minimum(
        (p["PEX1"] + p["PEX2"] * dfz + p["PEX3"] * dfz * dfz) * (1.0 - p["PEX4"] * np.sign(x)) * p["LEX"], 1.0
    )
    K = load * (p["PKX1"] + p["PKX2"] * dfz) * np.exp(p["PKX3"] * dfz) * p["LKX"]
    shift = load * (p["PVX1"] + p["PVX2"] * dfz) * p["LVX"] * p["LMUX"]
    return _sine(D, C, K / (C * D + 1e-6), E, x) + shift, K


def _lateral(p: Tyre, alpha: Any, gamma: Any, load: Any, dfz: Any) -> dict[str, Any]:
    """F_y without longitudinal slip, and what others need of it."""
    nominal = p["FNOMIN"] * p["LFZO"]
    mu = (p["PDY1"] + p["PDY2"] * dfz) * (1.0 - p["PDY3"] * gamma * gamma) * p["LMUY"]
    C, D = p["PCY1"] * p["LCY"], mu * load
    K = (
        p["PKY1"]
        * nominal
        * np.sin(p["PKY4"] * np.arctan(load / ((p["PKY2"] + p["PKY5"] * gamma * gamma) * nominal)))
        * (1.0 - p["PKY3"] * np.abs(gamma))
        * p["LKY"]
    )
    lean = load * (p["PVY3"] + p["PVY4"] * dfz) * gamma * p["LMUY"] * p["LKYC"]
    rise = load * (p["PVY1"] + p["PVY2"] * dfz) * p["LVY"] * p["LMUY"] + lean
    aside = (p["PHY1"] + p["PHY2"] * dfz) * p["LHY"]
    if p.version < 6:
        aside = aside + p["PHY3"] * gamma
    else:
        aside = aside + (load * (p["PKY6"] + p["PKY7"] * dfz) * p["LKYC"] * gamma - lean) / (K - 1e-6)
    y = alpha + aside
    E = np.minimum(
        (p["PEY1"] + p["PEY2"] * dfz)
        * p["LEY"]
        * (1.0 + p["PEY5"] * gamma * gamma - (p["PEY3"] + p["PEY4"] * gamma) * np.sign(y)),
        1.0,
    )
    B = K / (C * D + 1e-6)
    return {"F": _sine(D, C, B, E, y) + rise, "K": K, "mu": mu, "BC": B * C, "aside": aside, "rise": rise}


def _combined(p: Tyre, kappa: Any, alpha: Any, gamma: Any, dfz: Any) -> tuple[Any, Any]:
    """The weights of F_x by side slip and of F_y by longitudinal slip."""
    B = (p["RBX1"] + p["RBX3"] * gamma * gamma) * np.cos(np.arctan(p["RBX2"] * kappa)) * p["LXAL"]
    E = np.minimum(p["REX1"] + p["REX2"] * dfz, 1.0)
    x = _cosine(p["RCX1"], B, E, alpha + p["RHX1"]) / _cosine(p["RCX1"], B, E, p["RHX1"])
    B = (p["RBY1"] + p["RBY4"] * gamma * gamma) * np.cos(np.arctan(p["RBY2"] * (alpha - p["RBY3"]))) * p["LYKA"]
    E = np.minimum(p["REY1"] + p["REY2"] * dfz, 1.0)
    aside = p["RHY1"] + p["RHY2"] * dfz
    return x, _cosine(p["RCY1"], B, E, kappa + aside) / _cosine(p["RCY1"], B, E, aside)


def _aligning(
    p: Tyre, slips: tuple[Any, Any, Any], load: Any, dfz: Any, side: dict[str, Any], Kx: Any
) -> tuple[Any, Any]:
    """The pneumatic trail [m] and the residual moment [N m]."""
    kappa, alpha, gamma = slips
    cos = 1.0 / np.sqrt(1.0 + alpha * alpha)
    nominal = p["FNOMIN"] * p["LFZO"]
    at = alpha + p["QHZ1"] + p["QHZ2"] * dfz + (p["QHZ3"] + p["QHZ4"] * dfz) * gamma
    ar = alpha + side["aside"] + side["rise"] / (side["K"] - 1e-6)
    share = (Kx / (side["K"] - 1e-6)) * kappa
    at, ar = (np.sqrt(x * x + share * share + 1e-12) * np.sign(x) for x in (at, ar))
    B = (
        (p["QBZ1"] + p["QBZ2"] * dfz + p["QBZ3"] * dfz * dfz)
        * (1.0 + p["QBZ4"] * gamma + p["QBZ5"] * np.abs(gamma) + p["QBZ6"] * gamma * gamma)
        * p["LKY"]
        / p["LMUY"]
    )
    C = p["QCZ1"]
    E = np.minimum(
        (p["QEZ1"] + p["QEZ2"] * dfz + p["QEZ3"] * dfz * dfz)
        * (1.0 + (p["QEZ4"] + p["QEZ5"] * gamma) * (2.0 / np.pi) * np.arctan(B * C * at)),
        1.0,
    )
    D = (
        load
        * (p.radius / nominal)
        * (p["QDZ1"] + p["QDZ2"] * dfz)
        * (1.0 + p["QDZ3"] * (gamma if p.version < 6 else np.abs(gamma)) + p["QDZ4"] * gamma * gamma)
        * p["LTR"]
    )
    trail = D * _cosine(C, B, E, at) * cos
    Br = p["QBZ9"] * p["LKY"] / p["LMUY"] + p["QBZ10"] * side["BC"]
    lean = (p["QDZ8"] + p["QDZ9"] * dfz) * gamma * p["LKZC"]
    lean = lean + (p["QDZ10"] + p["QDZ11"] * dfz) * gamma * np.abs(gamma)
    Dr = load * p.radius * ((p["QDZ6"] + p["QDZ7"] * dfz) * p["LRES"] + lean) * p["LMUY"]
    return trail, Dr * np.cos(np.arctan(Br * ar)) * cos


def _upright_side(p: Tyre, kappa: Any, alpha: Any, load: Any, dfz: Any) -> Any:
    """F'_y that the trail of 6.x acts on: the side force at no inclination (4.E32, 4.E74)."""
    return _combined(p, kappa, alpha, 0.0, dfz)[1] * _lateral(p, alpha, 0.0, load, dfz)["F"]


def _magic(p: Tyre, kappa: Any, alpha: Any, gamma: Any, load: Any) -> tuple[Any, Any, Any]:
    if p.version < 6:
        alpha = np.arctan(alpha)
    else:
        gamma = np.sin(gamma)
    nominal = p["FNOMIN"] * p["LFZO"]
    dfz = (load - nominal) / nominal
    x0, Kx = _longitudinal(p, kappa, gamma, load, dfz)
    side = _lateral(p, alpha, gamma, load, dfz)
    weight_x, weight_y = _combined(p, kappa, alpha, gamma, dfz)
    rise = (
        side["mu"]
        * load
        * (p["RVY1"] + p["RVY2"] * dfz + p["RVY3"] * gamma)
        * np.cos(np.arctan(p["RVY4"] * alpha))
        * np.sin(p["RVY5"] * np.arctan(p["RVY6"] * kappa))
        * p["LVYKA"]
    )
    x, y = weight_x * x0, weight_y * side["F"]
    trail, residual = _aligning(p, (kappa, alpha, gamma), load, dfz, side, Kx)
    straight = y if p.version < 6 else _upright_side(p, kappa, alpha, load, dfz)
    lever = p.radius * (p["SSZ1"] + p["SSZ2"] * ((y + rise) / nominal) + (p["SSZ3"] + p["SSZ4"] * dfz) * gamma)
    return x, y + rise, -trail * straight + residual + lever * x


FORMULAS = {"linear": _linear, "fiala": _fiala, "magic": _magic}
