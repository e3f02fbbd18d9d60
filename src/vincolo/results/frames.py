"""Series as frames of pandas and data sets of xarray, with units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vincolo.optional import library
from vincolo.results.columns import choose, gathered

if TYPE_CHECKING:
    from vincolo.results.in_units import InUnits
    from vincolo.results.result import Result


def data_frame(result: Result | InUnits, names: Sequence[str] | str | None) -> Any:
    """A pandas DataFrame over t."""
    pd = library("pandas", "to_pandas() needs pandas", "pandas")
    chosen = choose(result, names)
    found = pd.DataFrame(gathered(result, chosen), index=pd.Index(result["t"], name="t"))
    found.attrs["units"] = {name: result.unit(name) for name in ("t", *chosen)}
    return found


def dataset(result: Result | InUnits, names: Sequence[str] | str | None) -> Any:
    """An xarray Dataset over t; where xarray can tell plots by it, attrs["units"] is as its conventions ask for."""
    xr = library("xarray", "to_xarray() needs xarray", "xarray")
    chosen = choose(result, names)
    series = {name: ("t", values, {"units": result.unit(name)}) for name, values in gathered(result, chosen).items()}
    return xr.Dataset(series, coords={"t": ("t", result["t"], {"units": "s"})})
