"""Runs whose samples go to a file while they run: the same numbers, little memory, and what was computed is kept."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import vincolo as vc
from linkages import parallelogram, pendulum
from vincolo.channels import blocks
from vincolo.errors import FileWarning, WriteError
from vincolo.results import recording
from vincolo.tables.table_files import read_table


def tumbler():
    """A body on a ball whose quaternion comes back with the other sign, and one that turns round and round."""
    model = vc.Model("tumbler", gravity=(0, 0, -9.81))
    bob = model.body("bob", 1.0, [0.01, 0.02, 0.015], at=(0.3, 0, 0), angular_velocity=(7, 9, 11))
    model.spherical("ball", model.ground, bob, at=(0, 0, 0))
    wheel = model.body("wheel", 1.0, [0.01, 0.02, 0.015], at=(2, 0, 0), angular_velocity=(0, 0, 30))
    model.revolute("axle", model.ground, wheel, at=(2, 0, 0), axis="z")
    return model


RUNS = {
    "tumbler": (tumbler, {}),
    "redundant": (lambda: parallelogram(1.0), {}),
    "few long steps": (pendulum, {"integrator": vc.DOP853(rtol=1e-4, atol=1e-4)}),
    "fixed steps": (pendulum, {"integrator": vc.RK4(step=0.01)}),
    "implicit": (tumbler, {"integrator": vc.Radau()}),
    "checkpoints": (tumbler, {"checkpoints": [0.31, 0.62]}),
    "null space": (pendulum, {"formulation": vc.NullSpace()}),
    "natural coordinates": (tumbler, {"formulation": vc.NullSpace(coordinates="natural"),
                                      "integrator": vc.RK4(step=0.002)}),
    "orthogonalised": (pendulum, {"formulation": vc.QTZ(form="orthogonalised"),
                                  "integrator": vc.Radau(index=3, rtol=1e-2, atol=1e-2)}),
}


@pytest.fixture
def small(monkeypatch):
    """Pieces and blocks of few samples, so that short runs have many."""
    monkeypatch.setattr(recording, "PIECE", 1000.0)
    monkeypatch.setattr(blocks, "block_size", lambda system: 17)


@pytest.mark.parametrize("name", RUNS)
def test_recorded_runs_are_those_in_memory_to_the_last_bit(name, small, tmp_path):
    build, options = RUNS[name]
    system = vc.compile(build())
    held = vc.simulate(system, 1.0, outputs=300, **options)
    recorded = vc.simulate(system, 1.0, outputs=300, record=tmp_path / "run.vcr", **options)
    loaded = vc.Result.load(tmp_path / "run.vcr", system)
    assert recorded.in_file and loaded.in_file and not held.in_file and held.complete and recorded.complete
    for other in (recorded, loaded):
        for field in ("t", "y", "turns"):
            assert np.ascontiguousarray(getattr(other, field)).tobytes() == getattr(held, field).tobytes(), field
        assert other.statistics == held.statistics and other.settings == held.settings and other.complete
    assert len(list(loaded.blocks())) == 18 and sum(map(len, loaded.blocks())) == len(held)


def test_quaternions_do_not_jump_from_piece_to_piece(small, tmp_path):
    y = vc.simulate(tumbler(), 2.0, outputs=2000, record=tmp_path / "run.vcr").y
    p = np.asarray(y[:, 3:7])
    assert ((p[1:] * p[:-1]).sum(axis=1) > 0.9).all() and p[:, 0].min() < -0.5 < 0.5 < p[:, 0].max()


@pytest.mark.parametrize("build", [tumbler, lambda: parallelogram(1.0)], ids=["tumbler", "redundant"])
def test_every_series_of_a_record_is_that_in_memory(build, small, tmp_path):
    """Block by block, also where a block begins; reactions to the rounding with which the kernel picks its rows."""
    model = build()
    body = next(iter(model.bodies.values()))
    model.frame("tip", body, body.at + np.array([0.1, 0.2, 0.3]))
    system = vc.compile(model)
    held = vc.simulate(system, 1.0, outputs=100)
    recorded = vc.simulate(system, 1.0, outputs=100, record=tmp_path / "run.vcr")
    assert recorded.keys() == held.keys()
    for name in held.keys():  # noqa: SIM118 - a result is no dictionary
        scale = 1 + np.abs(held[name]).max()
        np.testing.assert_allclose(recorded[name], held[name], rtol=0, atol=1e-9 * scale, err_msg=name)
    for name in ("tip", body.name):
        np.testing.assert_array_equal(recorded.point(name), held.point(name))
        np.testing.assert_allclose(recorded.motion(name).acceleration, held.motion(name).acceleration, atol=1e-9)
    joint = next(iter(system.joints))
    ours, theirs = recorded.reaction(joint), held.reaction(joint)
    np.testing.assert_allclose(ours.torque_on_first, theirs.torque_on_first, atol=1e-9)
    np.testing.assert_array_equal(ours.unique_force, theirs.unique_force)
    assert recorded.summary().splitlines()[1:] == held.summary().splitlines()[1:]
    assert recorded.energy_drift == held.energy_drift
    with pytest.raises(vc.ModelError, match="no joint called 'jiont'"):
        recorded.reaction("jiont")


def test_energies_of_blocks_count_from_the_first_sample_of_all(small, tmp_path):
    recorded = vc.simulate(pendulum(), 1.0, outputs=100, integrator=vc.RK4(step=0.05), record=tmp_path / "run.vcr")
    joined = np.concatenate([block["energy.balance"] for block in recorded.blocks()])
    assert np.abs(joined).max() > 1e-9 and np.array_equal(joined, recorded["energy.balance"])


def test_records_go_on_to_files_of_other_programs(small, tmp_path):
    system = vc.compile(tumbler())
    held = vc.simulate(system, 1.0, outputs=100)
    recorded = vc.simulate(system, 1.0, outputs=100, record=tmp_path / "run.vcr")
    names = ["bob.x", "axle.angle", "energy.total"]
    for result, name in ((held, "held.csv"), (recorded, "recorded.csv")):
        result.to_csv(tmp_path / name, names)
    assert (tmp_path / "held.csv").read_bytes() == (tmp_path / "recorded.csv").read_bytes()
    assert np.array_equal(read_table(recorded.export(tmp_path / "run.mat", names))["axle.angle"], held["axle.angle"])
    recorded.save(tmp_path / "run.npz")
    again = vc.Result.load(tmp_path / "run.npz", system)
    assert again.y.tobytes() == held.y.tobytes() and not again.in_file
    on = vc.simulate(system, 1.5, outputs=3, start=recorded.state())
    assert on.complete and on.t[0] == 1.0
    pytest.importorskip("pandas")
    assert recorded.to_pandas(names).equals(held.to_pandas(names))


def test_a_run_that_fails_or_is_stopped_keeps_what_it_has(small, tmp_path):
    system = vc.compile(pendulum())
    with pytest.warns(vc.SimulationWarning, match="max_steps"):
        early = vc.simulate(system, 10.0, outputs=1000, max_steps=40, record=tmp_path / "run.vcr")
    loaded = vc.Result.load(tmp_path / "run.vcr", system)
    assert 10 < len(early) < 1000 and loaded.reason == early.reason and len(loaded) == len(early)
    whole = vc.simulate(system, 10.0, outputs=1000)
    assert np.array_equal(loaded.y, whole.y[:len(loaded)])

    def stop(t, until):
        raise KeyboardInterrupt

    with pytest.warns(vc.SimulationWarning, match="interrupted at"):
        stopped = vc.simulate(system, 1e5, outputs=1000, record=tmp_path / "run.vcr", progress=stop)
    assert stopped.reason.startswith("interrupted at t = ")
    assert vc.Result.load(tmp_path / "run.vcr", system).reason == stopped.reason


KILLED = """
    import sys
    sys.path.insert(0, {tests!r})
    import vincolo as vc
    from linkages import pendulum
    vc.simulate(pendulum(), 1e6, outputs=5_000_000, integrator=vc.RK4(step=0.01), record={path!r})
"""


def test_a_killed_run_keeps_what_was_computed(tmp_path):
    path, system = tmp_path / "run.vcr", vc.compile(pendulum())
    code = textwrap.dedent(KILLED.format(tests=os.path.dirname(os.path.dirname(__file__)), path=str(path)))
    child = subprocess.Popen([sys.executable, "-c", code])
    try:
        until = time.monotonic() + 60
        while not path.exists() or not len(vc.Result.load(path, system)):
            assert child.poll() is None and time.monotonic() < until
            time.sleep(0.1)
        live = vc.Result.load(path, system)
        assert "still going on" in live.reason and len(live) > 0
        with pytest.raises(WriteError, match="is being written by another run"):
            vc.simulate(system, 1.0, record=path)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    found = vc.Result.load(path, system)
    assert not found.complete and "was killed" in found.reason and f"t = {found.t[-1]:.6g} s" in found.reason
    assert len(found) >= len(live) and np.allclose(np.diff(found.t), 0.2)
    assert "ended early" in found.summary() and found.statistics["steps"] > 0


def test_a_full_disk_ends_the_run_with_what_fits(small, tmp_path):
    """The limit of the size of files stands for a disk: the system refuses to write in the middle of a row."""
    resource = pytest.importorskip("resource")
    system, path = vc.compile(pendulum()), tmp_path / "run.vcr"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_001, before[1]))
    try:
        with pytest.warns(vc.SimulationWarning, match="could not be written further"):
            result = vc.simulate(system, 10.0, outputs=1000, record=path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    whole = vc.simulate(system, 10.0, outputs=1000)
    assert "larger than files may be" in result.reason and "start=result.state()" in result.reason
    assert 50 < len(result) < 1000 and np.array_equal(result.y, whole.y[:len(result)])
    loaded = vc.Result.load(path, system)
    assert loaded.reason == result.reason and len(loaded) == len(result)
    assert vc.simulate(system, 10.0, start=loaded.state()).complete


def test_what_a_record_cannot_be_written_to(tmp_path, monkeypatch):
    system = vc.compile(pendulum())
    (tmp_path / "notes.txt").write_text("mine")
    for path, phrase in ((tmp_path / "notes.txt", "exists, and is not the record of a run"),
                         (tmp_path, "is a folder; name a file"), (tmp_path / "no" / "run.vcr", "there is no folder")):
        with pytest.raises(OSError, match=phrase):
            vc.simulate(system, 1.0, record=path)
    assert (tmp_path / "notes.txt").read_text() == "mine" and len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr(recording.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1000})())
    with pytest.raises(WriteError, match=r"201 samples need 2.57e-05 GB; on the disk of .* 1e-06 GB are free"):
        vc.simulate(system, 1.0, record=tmp_path / "run.vcr")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="rights do not bind this user")
def test_a_write_protected_folder_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(WriteError, match="write-protected"):
            vc.simulate(pendulum(), 1.0, record=tmp_path / "run.vcr")
    finally:
        tmp_path.chmod(0o700)


@pytest.fixture
def record(tmp_path):
    system = vc.compile(pendulum())
    vc.simulate(system, 1.0, outputs=100, record=tmp_path / "run.vcr")
    return system, tmp_path / "run.vcr"


def test_a_record_that_is_cut_off_gives_what_is_there(record):
    system, path = record
    whole, data = vc.Result.load(path, system), path.read_bytes()
    path.with_name("cut.vcr").write_bytes(data[:-1000])
    with pytest.warns(FileWarning, match=r"is cut off: 93 of 101 samples are there"):
        cut = vc.Result.load(path.with_name("cut.vcr"), system)
    assert np.array_equal(cut.y, whole.y[:93]) and not cut.complete and "is cut off" in cut.summary()


def test_a_record_of_which_only_the_beginning_is_there(record):
    system, path = record
    data = path.read_bytes()
    for length in (8, 9, 15, 16, 100, 4000, 4096, 4100):
        path.with_name("cut.vcr").write_bytes(data[:length])
        with pytest.raises(vc.ModelError, match="is damaged.*\n.*Copy it again"):
            vc.Result.load(path.with_name("cut.vcr"), system)
    path.with_name("cut.vcr").write_bytes(data[:5])
    with pytest.raises(vc.ModelError, match="is not a file of a vincolo result"):
        vc.Result.load(path.with_name("cut.vcr"), system)


def test_a_record_of_another_version_or_model_is_refused(record):
    system, path = record
    data = path.read_bytes()
    path.with_name("new.vcr").write_bytes(data[:8] + b"\x02\0\0\0" + data[12:])
    with pytest.raises(vc.ModelError, match="is a record of format 2; this version of vincolo reads format 1"):
        vc.Result.load(path.with_name("new.vcr"), system)
    with pytest.raises(vc.ModelError, match="other joints or measures|other bodies"):
        vc.Result.load(path, tumbler())
    other = vc.Model()
    other.revolute("O", other.ground, other.body("rod", 1, 1, (1, 0, 0)), (0, 0, 0), "y")
    with pytest.raises(vc.ModelError, match="other bodies"):
        vc.Result.load(path, other)


def test_one_damaged_slot_leaves_the_other(record):
    """As when the machine stops while a slot is written: the one before counts."""
    system, path = record
    data = bytearray(path.read_bytes())
    data[4096 + recording.SLOT + 200] ^= 1
    path.write_bytes(data)
    found = vc.Result.load(path, system)
    assert len(found) == 0 and "has no end" in found.reason
    data[4096 + 200] ^= 1
    path.write_bytes(data)
    with pytest.raises(vc.ModelError, match="does not say how many samples it has"):
        vc.Result.load(path, system)


def test_damage_anywhere_in_the_head_is_told(record, rng):
    """No bit of it makes anything but a result or a message."""
    system, path = record
    data = path.read_bytes()
    for at in [*range(0, 60), *rng.integers(60, 4096 + 2 * recording.SLOT, 200).tolist()]:
        changed = bytearray(data)
        changed[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
        try:
            found = vc.Result.load(path, system)
        except vc.ModelError:
            continue
        assert len(found) in (0, 101), at


MEMORY = """
    import re, sys
    sys.path.insert(0, {tests!r})
    import vincolo as vc
    from linkages import pendulum

    def anonymous():
        return int(re.search(r"RssAnon:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024

    system, seen = vc.compile(pendulum()), []
    vc.simulate(system, 1.0, outputs=10)["energy.total"]
    before = anonymous()
    look = lambda *_: seen.append(anonymous())
    result = vc.simulate(system, 1000.0, outputs=1_000_000, integrator=vc.RK4(step=0.05), progress=look,
                         record={path!r})
    seen.append(anonymous())
    total, steps = 0.0, 0
    for block in result.blocks():
        total += block["energy.kinetic"].sum()
        steps += len(block)
        seen.append(anonymous())
    assert steps == len(result) == 1_000_001 and total > 0
    print(max(seen) - before, anonymous() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is read from Linux")
def test_memory_does_not_grow_with_the_samples(tmp_path):
    """A million samples are 128 MB in the file and 250 MB in memory without it. What is left are their times: in a list
    of Python as the run begins, then 16 bytes each."""
    path = tmp_path / "run.vcr"
    code = textwrap.dedent(MEMORY.format(tests=os.path.dirname(os.path.dirname(__file__)), path=str(path)))
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    highest, at_end = map(float, out.split())
    assert path.stat().st_size > 128e6
    assert highest < 80 and at_end < 64  # MB
