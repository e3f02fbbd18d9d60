"""Reading a file as it is and changed in one place, and what became of the change."""

import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

import pytest

from vincolo.errors import VincoloError
from vincolo.formats.document import Document
from vincolo.formats.tree.files import model_data

#: which places are changed: a third of them, drawn once for all; every one takes too long for each run of the tests
SHARES = pytest.mark.parametrize("share", [pytest.param(1 / 3, id="third"),
                                           pytest.param(1.0, id="all", marks=pytest.mark.slow)])
Place = TypeVar("Place")


def drawn(places: Iterable[Place], share: float) -> Iterator[Place]:
    """So many of the places, the same ones in every run."""
    chance = random.Random(7)
    return (place for place in places if chance.random() < share)


class Outcome(NamedTuple):
    """What a reader made of a file: the tree of the model with its settings, and all that it listed; or its refusal."""

    model: str
    listed: frozenset[str]
    refused: str


def outcome(read: Callable[[], Document]) -> Outcome:
    """The outcome of a reader."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            document = read()
        except VincoloError as error:
            return Outcome("", frozenset(), str(error))
    report = document.report
    return Outcome(repr(model_data(document.model, document.settings)),
                   frozenset(report.understood + report.notes + report.unused + report.left_out), "")


def is_noticed(before: Outcome, after: Outcome, *places: str) -> bool:
    """Whether a change is refused, or changes the model, or what is listed; or is listed by its place already."""
    return bool(after.refused) or after.model != before.model or after.listed != before.listed or any(
        place in line for line in after.listed for place in places)
