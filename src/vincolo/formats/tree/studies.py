"""The section study: of a file: what varies, what is kept of each run, and by which plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vincolo.errors import FileError, VincoloError
from vincolo.formats.mistakes import TreeMistakes
from vincolo.formats.tree.changes import powers_of
from vincolo.formats.tree.dimensions import check_units
from vincolo.formats.tree.keys import Keys, checked
from vincolo.formats.tree.source import Source, Where
from vincolo.units import Unit

OF = ("low", "high", "count", "values", "centre", "plus_minus", "distribution", "sigmas")
PLAN = ("samples", "seed")


class StudyKeys(Keys):
    """Of a study: what varies, what is kept of each run, or the plan."""

    of: str | None = None
    low: float | None = None
    high: float | None = None
    count: int | None = None
    values: list[float] | None = None
    centre: float | None = None
    plus_minus: float | None = None
    distribution: str | None = None
    sigmas: float | None = None
    keep: str | None = None
    plan: str | None = None
    samples: int | None = None
    seed: int | None = None


class Rows(dict[str, StudyKeys]):
    """Rows by name, which know where they stand in the file."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source

    def error(self, name: str | None, key: str | None, message: str) -> FileError:
        """An error in a row, or in a value of it; or in the whole study."""
        where = ("study", *(part for part in (name, key) if part is not None))
        return self._source.error(where if self._source.has(where) else self._source.known(where), message)

    @contextmanager
    def at(self, name: str | None, key: str | None) -> Iterator[None]:
        """Mistakes in a value are told with its place."""
        try:
            yield
        except VincoloError as error:
            text = str(error)
            for before in (f"{self._source.file}: ", "study(): ", "Range: "):
                text = text.removeprefix(before)
            raise self.error(name, key, text) from None

    def check_units(self, name: str, keys: tuple[str, ...]) -> None:
        """Refuses units that what varies in a row cannot have, a number of the file."""
        of = str(self[name].of)
        check_units(self._source, ("study", name), of, keys, powers_of(self._source, of))

    def unit(self, name: str, key: str) -> Unit | None:
        """The unit that a number was written with; None if it had none."""
        found = self._source.declared
        return found.get(("study", name, key)) or found.get(("study", name, key, 0))


def study_of(source: Source) -> Rows | None:
    """Rows of the section study:, each of one kind; None if there is none."""
    listed = source.data.get("study")
    if not listed:
        return None
    mistakes = TreeMistakes(source)
    found = Rows(source)
    for name, data in listed.items():
        where = ("study", name)
        with mistakes.at(where, name):
            found[name] = checked(StudyKeys, data, source, where)
            _check(found[name], source, where)
    plans = [name for name, keys in found.items() if keys.plan is not None]
    if len(plans) > 1:
        with mistakes.at(("study", plans[1])):
            raise source.error(("study", plans[1]), f"there is a plan already, in {plans[0]!r}; a study has one.")
    mistakes.refuse(source.file)
    return found


def _check(keys: StudyKeys, source: Source, where: Where) -> None:
    """A row says what varies (of), what is kept (keep), or the plan; and has the numbers of that kind alone."""
    kinds = [key for key in ("of", "keep", "plan") if getattr(keys, key) is not None]
    if len(kinds) != 1:
        raise source.error(where, "give one of these: of, what varies; keep, what is kept of a run; or plan.")
    own = {"of": OF, "keep": (), "plan": PLAN}[kinds[0]]
    for key in (*OF, *PLAN):
        if key not in own and getattr(keys, key) is not None:
            raise source.error((*where, key), f"a row with {kinds[0]!r} has no {key!r}.")
    if kinds[0] == "of":
        ranges, spread = keys.low is not None and keys.high is not None, keys.centre is not None
        if [ranges, keys.values is not None, spread].count(True) != 1:
            raise source.error(where, "give either low and high, or values, or centre with plus_minus.")
        if spread != (keys.plus_minus is not None):
            raise source.error(where, "centre and plus_minus belong together: 2 with plus_minus 0.1.")


def study_data(rows: Rows) -> dict[str, Any]:
    """The section as plain data."""
    return {name: keys.model_dump(exclude_none=True) for name, keys in rows.items()}
