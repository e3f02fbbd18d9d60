"""Units that measured data may be in, brought to SI."""

from __future__ import annotations

from vincolo.units import readings, si_unit


def si_of(unit: str) -> tuple[float, str] | None:
    """The factor to SI and the SI unit, as channels have it; None of one that no channel has."""
    for found in readings(unit):
        si = si_unit(found)
        if si is not None and not si.startswith("kg"):
            return found.si(1.0), si
    return None
