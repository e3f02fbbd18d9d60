"""What a reader may and must not do: the limits it works under, what it is watched for, and which errors are good."""

import contextlib
import faulthandler
import os
import re
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import vincolo
from vincolo.errors import VincoloError

ALLOWED = (VincoloError, FileNotFoundError, IsADirectoryError, PermissionError)
SECONDS = float(os.environ.get("VINCOLO_FUZZ_CPU", "5"))  # of processor time, for one input
MEMORY = 1_000_000_000  # bytes, for one input
LONGEST = 60  # s on the clock, for code that cannot be interrupted
LONGEST_MESSAGE = 100_000  # characters
MOST_CALLS = 10  # of a function that are followed line by line, in one input
WATCHED = ("formats", "results", "cli", "model/expression")  # of the package: what guides the search
PACKAGE = str(Path(vincolo.__file__).parent)
SHELL = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "pty.spawn", "socket.connect",
         "pickle.find_class", "webbrowser.open")
WRITES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
          "shutil.copyfile", "shutil.move", "shutil.rmtree", "tempfile.mkstemp", "tempfile.mkdtemp")

Case = dict[str, bytes]  # the files of an input by name


@dataclass(frozen=True)
class Target:
    """A reader: cases to begin with, what reads the folder of a case, and the pattern that its messages begin with."""

    name: str
    seeds: list[Case]
    read: Callable[[Path], Any]
    place: str


class TooLong(BaseException):
    """Raised in a reader that takes too long; no reader catches it."""


class Watch:
    """What the interpreter does while a reader is at work: commands, files that are written, code that is run."""

    def __init__(self) -> None:
        self.on, self.seen = False, []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.on:
            return
        writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        runs = event == "exec" and getattr(args[0], "co_filename", "").startswith(("<unknown>", "<string>"))
        if event.startswith(SHELL) or event in WRITES or writes or runs:
            self.on = False
            self.seen.append(re.sub(r" at 0x\w+", "", f"{event} {args!r:.200}"))


class Coverage:
    """Steps from line to line within the watched parts of the package, in the first calls of each function."""

    def __init__(self) -> None:
        self.edges: set[tuple[int, int, int]] = set()
        self.calls: dict[int, int] = {}  # of each function, in one run
        self._watched = tuple(os.path.join(PACKAGE, *part.split("/")) for part in WATCHED)
        self._others: set[int] = set()

    def __call__(self, frame: Any, event: str, arg: Any) -> Any:
        code = id(frame.f_code)  # comparing the code itself takes long
        if code in self._others:
            return None
        count = self.calls[code] = self.calls.get(code, 0) + 1
        if count > MOST_CALLS:
            return None
        if count == 1 and not frame.f_code.co_filename.startswith(self._watched):
            self._others.add(code)
            return None
        last, edges = frame.f_lineno, self.edges

        def step(frame: Any, event: str, arg: Any) -> Any:
            nonlocal last
            edges.add((code, last, frame.f_lineno))
            last = frame.f_lineno
            return step

        return step


@contextlib.contextmanager
def limits() -> Iterator[None]:
    """Limits of processor time and memory for what is done within."""
    def stop(number: int, frame: Any) -> None:
        raise TooLong(f"more than {SECONDS:g} s of processor time")

    old = resource.getrlimit(resource.RLIMIT_AS)
    pages = Path("/proc/self/statm")
    if pages.exists():
        used = int(pages.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, old[1]))
    signal.signal(signal.SIGPROF, stop)
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    signal.setitimer(signal.ITIMER_PROF, SECONDS, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()
        resource.setrlimit(resource.RLIMIT_AS, old)


def refusal(error: BaseException, target: Target) -> str | None:
    """What is wrong with an error: its class, or its message."""
    text = str(error)
    if not isinstance(error, ALLOWED):
        return f"{type(error).__name__} {_where(error)}"
    if not text.strip() or not re.match(target.place, text):
        return f"no place {_where(error)}"
    if len(text) > LONGEST_MESSAGE:
        return f"long message {_where(error)}"
    return None if text.isascii() or _shown(text) else f"message cannot be shown {_where(error)}"


def _shown(text: str) -> bool:
    with contextlib.suppress(UnicodeEncodeError):
        return bool(text.encode())
    return False


def _where(error: BaseException) -> str:
    """The last line of the package that an error came through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(PACKAGE)]
    return f"{Path(frames[-1].filename).relative_to(PACKAGE)}:{frames[-1].lineno} {frames[-1].name}" if frames else ""
