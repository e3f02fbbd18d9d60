"""The time of the picture, by the clock on the wall: frames that come too late are left out, not queued."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

FRAMES = 60.0  # pictures in a second, at most
LEAST = 0.004  # s between two pictures, in which they go out
REST = 0.4  # pause after a picture, as a share of the time it took
#: speeds to choose from
SPEEDS = {"1/1000": 0.001, "1/500": 0.002, "1/200": 0.005, "1/100": 0.01, "1/50": 0.02, "1/20": 0.05, "1/10": 0.1,
          "1/5": 0.2, "1/2": 0.5, "1": 1.0, "2": 2.0, "5": 5.0, "10": 10.0, "20": 20.0, "50": 50.0, "100": 100.0,
          "1000": 1000.0}


class Player:
    """Plays from a first to a last time; `draw` is called with the time to show, from a thread of its own."""

    def __init__(self, span: tuple[float, float], draw: Callable[[float], None],
                 clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.span = span
        self.loop = True
        self.growing = False  # whether more of the motion may come
        self._draw = draw
        self._speed = fitting_speed(span)
        self._playing = False
        self._at, self._since = span[0], clock()
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="vincolo viewer", daemon=True)

    def start(self) -> None:
        """Begins to draw."""
        self._thread.start()

    def end(self) -> None:
        """Stops drawing for good."""
        self._ended = True
        self._wake.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)

    @property
    def playing(self) -> bool:
        """Whether time runs."""
        return self._playing

    @property
    def speed(self) -> float:
        """Seconds of the motion in a second."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        with self._lock:
            self._rebase(self.now())
            self._speed = value

    def now(self) -> float:
        """The time to show now [s]."""
        with self._lock:
            if not self._playing:
                return self._at
            t = self._at + self._speed * (self._clock() - self._since)
            first, last = self.span
            if t <= last:
                return t
            if self.loop and last > first:
                return first + (t - first) % (last - first)
            return last

    def play(self) -> None:
        """Lets time run; from the start again if it stands at the end."""
        with self._lock:
            t = self.now()
            self._rebase(self.span[0] if t >= self.span[1] and not self.growing else t)
            self._playing = self.span[1] > self.span[0] or self.growing
        self.refresh()

    def pause(self) -> None:
        """Stops time."""
        with self._lock:
            self._rebase(self.now())
            self._playing = False
        self.refresh()

    def seek(self, t: float) -> None:
        """Goes to a time; if it plays, it plays on from there."""
        with self._lock:
            self._rebase(min(max(t, self.span[0]), self.span[1]))
        self.refresh()

    def grow(self, last: float) -> None:
        """A motion that is being computed has come further; who waits at its end goes on from there."""
        with self._lock:
            self._rebase(self.now())
            self.span = (self.span[0], last)
        self.refresh()

    def refresh(self) -> None:
        """Asks for a new picture, though time may stand still."""
        self._wake.set()

    def _rebase(self, t: float) -> None:
        self._at, self._since = t, self._clock()

    def frame(self) -> None:
        """Draws the picture of now; at the end of a motion that does not repeat, time stops."""
        self._wake.clear()
        self._draw(self.now())
        with self._lock:
            if self._playing and not self.loop and not self.growing and self.now() >= self.span[1]:
                self._rebase(self.span[1])
                self._playing = False
                self._wake.set()  # one more picture, with the button as it is now

    def _run(self) -> None:
        while not self._ended:
            begun = time.perf_counter()
            self.frame()
            spent = time.perf_counter() - begun
            if self._playing:
                time.sleep(max(1 / FRAMES - spent, REST * spent, LEAST))
            else:
                self._wake.wait()


def fitting_speed(span: tuple[float, float]) -> float:
    """Real time if that takes from 2 to 20 s; else a round speed that takes about 5 s."""
    length = span[1] - span[0]
    if not length > 0 or 2 <= length <= 20:
        return 1.0
    return min(SPEEDS.values(), key=lambda s: abs(length / s - 5.0))
