"""Files and folders that appear only when they are complete: made under a name of their own, then moved into place.

What a killed program leaves behind is locked by nobody, so the next one that writes there knows it and removes it.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from vincolo.errors import WriteError

try:
    import fcntl
except ImportError:  # Windows has no locks that end with their process; there remainders are known by their age
    fcntl = None  # type: ignore[assignment]

Name = str | os.PathLike[str]

REMAINDER = re.compile(r"\.vincolo-[0-9a-f]{16}\.part")
FORGOTTEN = 86_400.0  # s: the age of what nobody can have been writing for so long
TRIES = 100  # at a place that others take at the same moment
NEW, OLD = "new", "old"  # within the folder in which another is made

#: what the operating system says, in words
REASONS = {errno.ENOSPC: "there is no room left on its disk", errno.EDQUOT: "your quota on its disk is used up",
           errno.EFBIG: "it would be larger than files may be here", errno.EROFS: "its disk is read-only",
           errno.EACCES: "it, or its folder, is write-protected", errno.EPERM: "it, or its folder, is write-protected",
           errno.EIO: "its disk reports an error", errno.ENAMETOOLONG: "its name is too long",
           errno.ENOENT: "its folder takes no files"}


@contextmanager
def appearing(who: str, path: Name) -> Iterator[IO[bytes]]:
    """A file to write to that gets its name only when complete; `who` asks for it. A link stays: its target is
    replaced."""
    target = check_place(who, path)
    sweep(target.parent)
    with in_words(who, target), _new_file(target.parent) as (file, temporary):
        yield file
        file.flush()
        os.fsync(file.fileno())  # some disks tell only now that they are full
        if target.exists():
            shutil.copymode(target, temporary)
        if fcntl is None:
            file.close()  # Windows moves no open file
        os.replace(temporary, target)


def appear_together(who: str, contents: Mapping[Path, bytes]) -> None:
    """Several files: none gets its name before all are complete."""
    with ExitStack() as files:
        for path, content in contents.items():
            file = files.enter_context(appearing(who, path))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


@contextmanager
def appearing_folder(who: str, path: Name, check: Callable[[Path], None]) -> Iterator[Path]:
    """An empty folder to be filled, which gets its name when complete. What has that name is replaced if `check` does
    not raise; where two do so at the same moment, the later one stays."""
    target = place_in_folder(who, path)
    check(target)
    sweep(target.parent)
    with in_words(who, target, whole=True), _workshop(target.parent) as work:
        fresh = work / NEW
        fresh.mkdir()
        yield fresh
        _put(fresh, target, work, check)


def place_of(who: str, path: Name) -> Path:
    """Where a file really is or will be, behind all links."""
    place = Path(os.path.realpath(path))
    if os.path.islink(place):
        raise WriteError(f"{who}: {str(path)!r} is a link that leads back to itself.\n"
                         "  Remove it, or choose another name.")
    return place


def place_in_folder(who: str, path: Name) -> Path:
    """Refuses a place that has no folder around it; returns it behind all links."""
    place = place_of(who, path)
    if not os.path.isdir(place.parent):
        raise FileNotFoundError(f"{who}: there is no folder {str(Path(path).parent)!r} to put {Path(path).name!r} in.")
    with in_words(who, place), suppress(FileNotFoundError):
        os.lstat(place)  # its name may be too long
    return place


def check_place(who: str, path: Name) -> Path:
    """Refuses a place where no file can appear; returns it behind all links."""
    place = place_in_folder(who, path)
    if place.is_dir():
        raise IsADirectoryError(f"{who}: {str(path)!r} is a folder; name a file.")
    if place.exists() and not place.is_file():
        raise WriteError(f"{who}: {str(path)!r} is a device or a pipe, not a file.\n  Choose another name.")
    if place.exists() and not os.access(place, os.W_OK):
        raise _worded(who, place, PermissionError(errno.EACCES, "write-protected"))
    return place


def try_out(who: str, place: Path) -> None:
    """Refuses a place in whose folder nothing can be written, by writing there."""
    with in_words(who, place), _new_file(place.parent):
        pass


@contextmanager
def in_words(who: str, place: Path, whole: bool = False) -> Iterator[None]:
    """Says what the operating system refuses at a place, and why; of a `whole` folder also for the files in it."""
    try:
        yield
    except Exception as error:
        refused = _of_system(error)
        if refused is None or refused.errno not in REASONS or (isinstance(error, WriteError) and not whole):
            raise
        raise _worded(who, place, refused) from error


def _of_system(error: Exception) -> OSError | None:
    """What the operating system refused, if it did. lxml, with which openpyxl writes where it is installed, has its own
    words for it, such as IO_ENOSPC."""
    lxml = sys.modules.get("lxml.etree")
    if lxml is None or not isinstance(error, lxml.SerialisationError):
        return error if isinstance(error, OSError) else None
    code = getattr(errno, str(error).removeprefix("IO_"), errno.EIO)
    return OSError(code, os.strerror(code))


def why(place: Path, error: OSError) -> str:
    """Why something cannot be written at a place, in words if there are any for it."""
    free = ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        with suppress(OSError):
            free = f" ({shutil.disk_usage(place.parent).free / 1e6:,.1f} MB are free)"
    return f"{REASONS.get(error.errno or 0, str(error))}{free}"


def _worded(who: str, place: Path, error: OSError) -> WriteError:
    made = WriteError(f"{who}: {str(place)!r} cannot be written: {why(place, error)}.\n"
                      "  Choose another place, or change that; what was there is as it was.")
    made.errno = error.errno
    return made


@contextmanager
def growing(path: Path) -> Iterator[IO[bytes]]:
    """A file that is there, to be written further under its own name, without a buffer; others see by its lock that
    this program is at it."""
    with open(path, "r+b", buffering=0) as file:
        _hold(file.fileno(), otherwise=True)
        yield file


@contextmanager
def claimed(path: Path) -> Iterator[IO[bytes] | None]:
    """A file to be written further as by growing(), empty if it was not there; None if another program, or another
    thread of this one, has it: nothing comes between the look and the lock."""
    number = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    with open(number, "r+b", buffering=0) as file:
        yield file if _hold(number, otherwise=True) else None


def in_use(path: Path) -> bool:
    """Whether another program is writing a growing file; never where there are no locks."""
    with _lock(path, otherwise=True) as free:
        return not free and path.exists()


def sweep(folder: Path) -> None:
    """Removes from a folder what programs that were killed left there; what they had moved away comes back."""
    with suppress(OSError):  # a folder that cannot be read is none to write to either, which is said then
        for entry in list(os.scandir(folder)):
            if REMAINDER.fullmatch(entry.name) and not entry.is_symlink():
                forgotten = time.time() - entry.stat().st_mtime > FORGOTTEN
                with suppress(OSError), _lock(Path(entry.path), otherwise=forgotten) as abandoned:
                    if abandoned:
                        _remove(Path(entry.path))


def _remove(remainder: Path) -> None:
    if not remainder.is_dir():
        remainder.unlink()
        return
    for aside in sorted((remainder / OLD).glob("*/*"), reverse=True):
        with suppress(OSError):  # its place is taken
            os.rename(aside, remainder.parent / aside.name)
    shutil.rmtree(remainder, ignore_errors=True)


@contextmanager
def _lock(path: Path, otherwise: bool) -> Iterator[bool]:
    """Takes the lock of a file or folder; False if another program has it. `otherwise` is the answer where there are
    no locks."""
    if fcntl is None:
        yield otherwise
        return
    try:
        number = os.open(path, os.O_RDONLY)
    except FileNotFoundError:  # a sweep was quicker
        yield False
        return
    try:
        yield _hold(number, otherwise)
    finally:
        os.close(number)


def _hold(number: int, otherwise: bool) -> bool:
    """Takes the lock of an open file, which ends with this program; False if another has it. `otherwise` is the answer
    where there are no locks."""
    if fcntl is None:
        return otherwise
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return otherwise
    return True


def _free_name(folder: Path) -> Path:
    return folder / f".vincolo-{os.urandom(8).hex()}.part"


@contextmanager
def _new_file(folder: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """A locked file under a name of its own, which is gone afterwards unless it was moved."""
    for _ in range(TRIES):
        temporary = _free_name(folder)
        try:
            with open(temporary, "x+b") as file:
                if _hold(file.fileno(), otherwise=True) and temporary.exists():  # no sweep was quicker
                    yield file, temporary
                    return
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def _workshop(folder: Path) -> Iterator[Path]:
    """A locked folder in which another is made; it is gone afterwards. What was moved into it comes back if its place
    is still free."""
    for _ in range(TRIES):
        work = _free_name(folder)
        work.mkdir()
        with _lock(work, otherwise=True) as ours:
            if ours and work.exists():
                try:
                    yield work
                finally:
                    _remove(work)
                return


def _put(fresh: Path, target: Path, work: Path, check: Callable[[Path], None]) -> None:
    """Moves a complete folder into its place, once what is there was moved into `work`; where another program puts its
    folder there in between, that one is moved too."""
    for k in range(TRIES):
        with suppress(FileExistsError), _taken():
            os.rename(fresh, target)  # also over an empty folder
            return
        aside = work / OLD / f"{k:03d}" / target.name
        aside.parent.mkdir(parents=True)
        with suppress(FileNotFoundError):
            os.rename(target, aside)
        if aside.exists():
            check(aside)
    raise WriteError(f"{str(target)!r} is being replaced by other programs all the time.\n  Choose another folder.")


@contextmanager
def _taken() -> Iterator[None]:
    """One error for a name that a folder with files has, whatever the system calls it."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise
        raise FileExistsError(*error.args) from error
