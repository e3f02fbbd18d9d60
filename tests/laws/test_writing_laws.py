"""What must hold for everything that writes: full disks, links, killed programs, others that write at the same time."""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import writers
from vincolo.errors import WriteError
from vincolo.files import REMAINDER, appearing, appearing_folder
from vincolo.report.pdf import browser
from vincolo.tables.folder import load_folder, save_folder

ALL = {**writers.FILES, **writers.FOLDERS}
PRINTING = pytest.mark.skipif(browser() is None, reason="there is no browser that prints a report as PDF")
NAMES = [pytest.param(name, marks=PRINTING) if name == "report.pdf" else name for name in ALL]
SLOWLY = [pytest.param(name, marks=(PRINTING, pytest.mark.slow)) if name == "report.pdf" else name for name in ALL]
PROGRAM = Path(writers.__file__)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits and links as on Unix")


@pytest.fixture(scope="module")
def run():
    return writers.pendulum_run()


@pytest.fixture(scope="module", params=["room", pytest.param("size", marks=pytest.mark.slow)])
def full(request, tmp_path_factory):
    """What everything that writes does on a disk without room, or where files may not be so large."""
    folder = tmp_path_factory.mktemp("full")
    command = [sys.executable, str(PROGRAM), str(folder), request.param]
    if request.param == "room":
        inside = 'mount -t tmpfs -o size=256k tmpfs "$0" && exec "$@"'
        command = ["unshare", "-rm", "sh", "-c", inside, str(folder), *command]
        if not shutil.which("unshare") or subprocess.run([*command[:6], "true"], capture_output=True).returncode:
            pytest.skip("no disk of a size of its own can be mounted here")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}
    return found, done


@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk_is_a_clear_error_and_the_old_file_stays(full, name):
    found, done = full
    assert name in found and "over" in found[name], f"the interpreter ended: {done.returncode}\n{done.stderr}"
    told = found[name]
    for case in writers.cases(name):
        assert told[f"{case}_kind"] == "WriteError", told[case]
        assert "cannot be written: " in told[case] and "what was there is as it was" in told[case]
        assert ".part" not in told[case]
        assert told[f"{case}_same"], "something else is there than before"


def test_a_full_disk_leaves_no_words_of_other_libraries(full):
    found, done = full
    if "room" in str(done.args):
        assert done.returncode == 0 and done.stderr == ""


@pytest.mark.parametrize("name", SLOWLY)
def test_links_stay_links_and_no_hidden_file_stays(run, tmp_path, name):
    (tmp_path / "elsewhere").mkdir()
    link, target = tmp_path / name, tmp_path / "elsewhere" / f"real{Path(name).suffix}"
    link.symlink_to(target)
    if name == "added.xlsx":
        writers.old(run, name, target)
    before = target.read_bytes() if target.is_file() else None
    ALL[name](run, link)
    assert link.is_symlink() and Path(os.readlink(link)) == target and target.exists()
    assert target.is_dir() == (name in writers.FOLDERS) and (target.is_dir() or target.read_bytes() != before)
    ALL[name](run, link)
    assert link.is_symlink()
    assert {p.name for p in (*tmp_path.iterdir(), *target.parent.iterdir())} == {name, "elsewhere", target.name}


@pytest.mark.parametrize("name", NAMES)
def test_circles_of_links_are_refused(run, tmp_path, name):
    (tmp_path / name).symlink_to(tmp_path / f"other{Path(name).suffix}")
    (tmp_path / f"other{Path(name).suffix}").symlink_to(tmp_path / name)
    with pytest.raises(WriteError, match="a link that leads back to itself.\n  Remove it"):
        ALL[name](run, tmp_path / name)


def test_rights_of_a_replaced_file_stay(run, tmp_path):
    path = run.to_csv(tmp_path / "private.csv")
    path.chmod(0o600)
    run.to_csv(path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_devices_and_pipes_are_not_replaced(run, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(WriteError, match="a device or a pipe"):
        run.to_csv(tmp_path / "pipe.csv")
    assert (tmp_path / "pipe.csv").is_fifo()


KILLED = """
import os, signal, sys
from vincolo.files import appearing, appearing_folder
how, path = sys.argv[1:]
with (appearing("x", path) if how == "file" else appearing_folder("x", path, lambda p: None)) as made:
    made.write(b"half") if how == "file" else (made / "half").write_bytes(b"half")
    if how == "swap":  # between the two moves
        import vincolo.files as w
        plain = os.rename
        def once(a, b):
            plain(a, b)
            if "old" in os.path.relpath(b, os.path.dirname(path)).split(os.sep):
                os.kill(os.getpid(), signal.SIGKILL)
        w.os.rename = once
    else:
        print("ready", flush=True)
        sys.stdin.read()
"""


def started(how: str, path: Path) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", KILLED, how, str(path)], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)


def remainders(folder: Path) -> list[str]:
    return [p.name for p in folder.iterdir() if REMAINDER.fullmatch(p.name)]


@pytest.mark.parametrize("how", ["file", "folder"])
def test_what_a_killed_program_left_goes_with_the_next_that_writes_there(tmp_path, how):
    program = started(how, tmp_path / "made")
    assert program.stdout.readline() == "ready\n" and len(remainders(tmp_path)) == 1
    with appearing("x", tmp_path / "mine") as file:
        file.write(b"whole")
    assert len(remainders(tmp_path)) == 1, "it belongs to a program that lives"
    program.kill()
    program.communicate()
    assert len(remainders(tmp_path)) == 1
    with appearing("x", tmp_path / "mine") as file:
        file.write(b"whole")
    assert [p.name for p in tmp_path.iterdir()] == ["mine"]


def test_a_folder_moved_away_by_a_killed_program_comes_back(tmp_path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "old").write_bytes(b"years of work")
    program = started("swap", tmp_path / "made")
    program.communicate()
    assert program.returncode == -9 and not (tmp_path / "made").exists()
    with appearing("x", tmp_path / "mine"):
        pass
    assert (tmp_path / "made" / "old").read_bytes() == b"years of work" and not remainders(tmp_path)


def test_runs_that_end_in_one_folder_at_the_same_moment_all_end_well(run, tmp_path):
    """The last one stays, whole; nothing is left beside it."""
    other, failed = writers.pendulum_run(2.0), []
    gate = threading.Barrier(4)

    def write(result):
        for _ in range(12):
            gate.wait()
            try:
                save_folder(result, tmp_path / "run")
            except Exception as error:  # all that is wrong is shown at the end
                failed.append(repr(error))

    hands = [threading.Thread(target=write, args=(r,)) for r in (run, other, run, other)]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join()
    assert not failed
    assert [p.name for p in tmp_path.iterdir()] == ["run"] and len(load_folder(tmp_path / "run")) == len(run)


def test_what_is_put_into_a_folder_while_it_is_replaced_is_not_lost(tmp_path):
    (tmp_path / "made").mkdir()

    def check(place):
        if (place / "thesis.tex").exists():
            raise ValueError("it has other files")

    with pytest.raises(ValueError, match="other files"), appearing_folder("x", tmp_path / "made", check) as fresh:
        (fresh / "result").write_bytes(b"new")
        (tmp_path / "made" / "thesis.tex").write_bytes(b"years of work")
    assert writers.contents(tmp_path) == {"made/thesis.tex": b"years of work"}
