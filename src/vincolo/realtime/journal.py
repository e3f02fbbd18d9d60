"""A mechanism as the list of calls that made it in the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vincolo import _kernel
from vincolo.system import System

Call = tuple[str, tuple[Any, ...]]


class Journal:
    """A kernel under construction that keeps every call that adds to it or changes it. It answers to all names of the
    kernel, so that whatever a model is compiled to is in the list."""

    def __init__(self) -> None:
        self._kernel = _kernel.core().Kernel()
        self.calls: list[Call] = []

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._kernel, name)
        return self._kept(name, method) if name.startswith(("add_", "set_")) else method

    def _kept(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            self.calls.append((name, given))
            return method(*given)
        return call


def calls_of(system: System) -> list[Call]:
    """The calls that make a system, with what was lent to bodies without inertia where it was assembled."""
    journal = Journal()
    System(system.model, journal)
    lent = list(enumerate(system.kernel.lent()))
    return [*journal.calls, *(("set_ballast", (k, ballast, mass)) for k, (ballast, mass, _) in lent),
            *(("set_held", (k, held)) for k, (_, _, held) in lent)]
