"""Variants that take too long are ended where that can be, and told by name; the others go on.

A variant in a process is interrupted by a signal; what does not listen to it (a library that does not return) is
ended with its process, by who gave the task out: a board in shared memory tells which variant each task is at. In
threads, also those of a Dask worker, a variant has a thread of its own that is interrupted at the next line of Python;
runs of the kernel listen every tenth of a second. What does not listen is left behind in its thread."""

from __future__ import annotations

import contextvars
import ctypes
import math
import mmap
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.model.geometry import Array
from vincolo.studies.variants import Found, FunctionVariants, Variants

GRACE = 1.0  # s to listen, before a process is ended or a thread left behind
AGAIN = 0.2  # s between two interruptions, for what catches the first
ENDED, LEFT, KILLED = "", "; it does not listen, and was left behind in its thread", "; its process was ended"


class TimeIsUp(BaseException):
    """Raised within a variant that takes too long; no variant catches it as an error of its own."""


def limit_of(given: Any, subject: Variants) -> float:
    """A time limit [s], checked; infinite if there is none."""
    if given is None:
        return math.inf
    if isinstance(given, bool) or not isinstance(given, int | float | np.number) or not 0 < given < math.inf:
        raise ModelError(f"study(): limit is {given!r}; the time of a variant [s] is a number above zero.")
    if isinstance(subject, FunctionVariants) and subject.vectorised:
        raise ModelError("study(): limit= is for variants that are computed one by one; a vectorised function "
                         "computes many at once.\n  Leave out one of them.")
    return float(given)


def over(limit: float, how: str) -> str:
    """Why a variant was ended."""
    return f"it took more than {limit:g} s, the limit of a variant{how}"


class Board:
    """What each task is at, where this process and those made of it see it: process, variant, and since when [s]."""

    def __init__(self, slots: int) -> None:
        self._rows = np.frombuffer(mmap.mmap(-1, 24 * slots), dtype=float).reshape(slots, 3)

    def write(self, slot: int, row: int) -> None:
        """This process begins with a variant of the task in a slot."""
        self._rows[slot] = os.getpid(), row, time.monotonic()

    def wipe(self, slot: int) -> None:
        """There is no task in the slot."""
        self._rows[slot] = 0.0

    def overdue(self, slot: int, limit: float) -> tuple[int, int] | None:
        """Process and variant, if the one in the slot is beyond the limit."""
        pid, row, begun = self._rows[slot].tolist()
        return (int(pid), int(row)) if begun and time.monotonic() - begun > limit else None


class Limited:
    """A subject whose variants are evaluated one by one, none for more than `limit` seconds."""

    def __init__(self, subject: Variants, limit: float) -> None:
        self.subject, self.limit = subject, limit
        self.name, self.outputs, self.units = subject.name, subject.outputs, subject.units
        self.parallel = subject.parallel
        self.board: Board | None = None  # where processes say what they are at

    @property
    def mark(self) -> str:
        """That of the subject."""
        return self.subject.mark

    def evaluate(self, values: Array) -> Found:
        """Variants in a thread of their own."""
        return _Watched(self, values).evaluated()

    def on_board(self, values: Array, slot: int) -> Found:
        """Variants in the first thread of a process, which signals interrupt."""
        assert self.board is not None
        alarm, pieces = _Alarm(self.limit), []
        try:
            for row in range(len(values)):
                self.board.write(slot, row)
                pieces.append(self.one(values[row: row + 1], alarm))
        finally:
            self.board.wipe(slot)
            alarm.remove()
        return self.joined(pieces)

    def one(self, row: Array, alarm: _Alarm | _Bell) -> Found:
        """A variant, ended when the alarm rings."""
        found = None
        try:
            alarm.arm()
            found = self.subject.evaluate(row)
        except TimeIsUp:
            pass
        finally:
            alarm.settle()
        return self.failed(ENDED) if alarm.rang or found is None else found

    def failed(self, how: str) -> Found:
        """What is found of a variant that takes too long."""
        return Found(np.full((1, len(self.outputs)), math.nan), {0: over(self.limit, how)})

    def joined(self, pieces: list[Found]) -> Found:
        """Variants behind each other."""
        return Found(np.concatenate([piece.values for piece in pieces]),
                     {k: piece.reasons[0] for k, piece in enumerate(pieces) if piece.reasons})


class _Alarm:
    """A signal that interrupts the first thread of this process."""

    def __init__(self, limit: float) -> None:
        self._limit, self._armed, self.rang = limit, False, False
        self._before = signal.signal(signal.SIGALRM, self._ring)

    def _ring(self, *_: Any) -> None:
        if self._armed:
            self.rang = True
            raise TimeIsUp

    def arm(self) -> None:
        """Rings after the limit, and again for what catches it."""
        self.rang, self._armed = False, True
        signal.setitimer(signal.ITIMER_REAL, self._limit, AGAIN)

    def settle(self) -> None:
        """Does not ring from here on."""
        _insisting(self._disarm)

    def _disarm(self) -> None:
        self._armed = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)

    def remove(self) -> None:
        """Signals as before."""
        signal.signal(signal.SIGALRM, self._before)


class _Bell:
    """Interrupts a thread, at its next line of Python. It has no lock: a thread that is interrupted just where it has
    got one would keep it."""

    def __init__(self) -> None:
        self._ident, self._armed, self._ringing, self.rang = 0, False, False, False

    def arm(self) -> None:
        """Of the thread: from here on it may be interrupted."""
        self._ident, self.rang, self._armed = threading.get_ident(), False, True

    def settle(self) -> None:
        """Of the thread: it is not interrupted from here on."""
        _insisting(self._disarm)

    def _disarm(self) -> None:
        self._armed = False
        while self._ringing:
            time.sleep(0)
        _raise_in(threading.get_ident(), None)  # what was sent and has not come

    def ring(self) -> None:
        """Of another thread: interrupts this one, if it may be."""
        self._ringing = True  # before the look: the thread waits for what may still come
        if self._armed:
            self.rang = True
            _raise_in(self._ident, TimeIsUp)
        self._ringing = False


class _Watched:
    """Variants in a thread, with the thread that asked looking at the time."""

    def __init__(self, limited: Limited, values: Array) -> None:
        self._limited, self._values = limited, values
        self._found: list[Found] = []
        self._error: BaseException | None = None
        self._turn = threading.Condition()
        self._bell = _Bell()  # of the thread that counts; others were left behind

    def evaluated(self) -> Found:
        """All of them."""
        try:
            while len(self._found) < len(self._values) and self._error is None:
                self._bell = _Bell()
                work = (self._work, self._bell, len(self._found))
                threading.Thread(target=contextvars.copy_context().run, args=work, daemon=True).start()
                self._watch()
        except BaseException:  # such as Ctrl-C
            self._bell.ring()
            self._bell = _Bell()
            raise
        if self._error is not None:
            raise self._error
        return self._limited.joined(self._found)

    def _work(self, bell: _Bell, row: int) -> None:
        error: BaseException | None = None
        while row < len(self._values) and error is None:
            found = []
            try:
                found.append(self._limited.one(self._values[row: row + 1], bell))
            except BaseException as mistake:
                error = mistake
            with self._turn:
                if self._bell is not bell:
                    return
                self._found, self._error = self._found + found, error
                self._turn.notify_all()
            row += 1

    def _watch(self) -> None:
        """Waits for the thread variant by variant; interrupts one that takes too long, and leaves it behind if it does
        not listen."""
        with self._turn:
            while (done := len(self._found)) < len(self._values) and self._error is None:
                heard = self._moved_on(done, self._limited.limit)
                deadline = time.monotonic() + GRACE
                while not heard and time.monotonic() < deadline:
                    self._bell.ring()
                    heard = self._moved_on(done, AGAIN)
                if not heard:
                    self._bell = _Bell()
                    self._found.append(self._limited.failed(LEFT))
                    return

    def _moved_on(self, done: int, seconds: float) -> bool:
        return self._turn.wait_for(lambda: len(self._found) > done or self._error is not None, seconds)


def _insisting(act: Callable[[], None]) -> None:
    """Does something that may be interrupted until it is done."""
    while True:
        try:
            act()
            return
        except TimeIsUp:
            continue


def _raise_in(ident: int, what: type[BaseException] | None) -> None:
    """Has a thread raise something at its next line of Python; None takes back what it has not raised yet."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), None if what is None else ctypes.py_object(what))
