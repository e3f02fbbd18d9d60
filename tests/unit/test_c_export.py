"""A model as a project in C: built, run, and compared with the kernel bit by bit; bad peers on its wires."""

import csv
import shutil
import socket
import struct
import subprocess
import sys
import textwrap
import time
from multiprocessing import shared_memory

import numpy as np
import pytest

import vincolo as vc
from entered_models import servo, slider_crank
from exported import libraries, program, run
from vincolo import _kernel
from vincolo.errors import ModelError
from vincolo.realtime.building import KERNELS
from vincolo.realtime.project import write_project
from vincolo.realtime.sources import headers_of, kernel_files, kernel_folder
from vincolo.realtime.table import plant


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The program of a servo."""
    with pytest.MonkeyPatch.context() as patch:
        libraries(patch)
        return program(plant(servo()), tmp_path_factory.mktemp("made") / "servo")


def series(file):
    """Columns of a log, as numbers."""
    with open(file) as lines:
        rows = list(csv.reader(lines))
    return {name: np.array([float(row[k]) for row in rows[1:]]) for k, name in enumerate(rows[0])}


def write_inputs(file, names, values):
    """Inputs of every step, in digits enough."""
    lines = [",".join(names), *(",".join(map(repr, map(float, row))) for row in values)]
    file.write_text("\n".join(lines) + "\n")


def stepped(values, step=1e-3, model=None):
    """The same steps by the stepper; all outputs."""
    s = vc.stepper(model or servo(), step, integrator=vc.integrators.RK4(step=step))
    found = []
    for row in values:
        s.inputs[:] = row
        found.append(s.step().copy())
    return np.array(found)


@pytest.mark.parametrize("cc", ["gcc", "clang"])
def test_the_program_has_the_numbers_of_the_kernel_bit_by_bit(cc, tmp_path, monkeypatch):
    if shutil.which(cc) is None:
        pytest.skip(f"{cc} is not installed")
    libraries(monkeypatch)
    made = program(plant(slider_crank(2)), tmp_path / "crank", cc=cc)
    values = np.sin(0.05 * np.arange(400))[:, None] * [3.0, -1.0]
    write_inputs(tmp_path / "in.csv", ["u0", "u1"], values)
    said = run(made, "--free", "--seconds", "0.4", "--inputs", tmp_path / "in.csv", "--log", tmp_path / "log.csv")
    log = series(tmp_path / "log.csv")
    expected = stepped(values, model=slider_crank(2))
    assert np.array_equal(np.column_stack([log["y0"], log["y1"]]), expected)
    assert np.array_equal(np.column_stack([log["u0"], log["u1"]]), values) and (log["status"] == 0).all()
    assert "400 steps to t = 0.4 s" in said and "0 steps failed" in said


def test_steps_take_nothing_from_the_heap(tmp_path, monkeypatch):
    libraries(monkeypatch)
    counted = program(plant(slider_crank(2)), tmp_path / "crank", counted=True)
    assert "0 allocations in 20000 steps" in run(counted, "--free", "--seconds", "20")


def test_it_lists_its_channels_and_refuses_what_it_does_not_know(model, tmp_path):
    said = run(model, "--list")
    assert "input u [N]" in said and "output x [m]" in said and "parameter back.k = 3" in said
    assert "it is one of stop skip catch-up" in run(model, "--overrun", "never", status=2)
    assert "--colour is unknown" in run(model, "--colour", "red", status=2)
    assert "a number from 0" in run(model, "--seconds", "long", status=2)
    assert "Invalid argument" in run(model, "--listen", "127.0.0.1:99999", status=2)
    assert "No such file" in run(model, "--inputs", tmp_path / "none.csv", status=2)
    (tmp_path / "bad.csv").write_text("u\n1\nnan\n")
    assert "line 3: a number is missing or not finite" in run(model, "--inputs", tmp_path / "bad.csv", status=2)


def test_real_time_takes_as_long_as_it_says(model):
    begun = time.monotonic()
    said = run(model, "--seconds", "0.5", "--priority", "0")
    assert 0.49 <= time.monotonic() - begun < 5 and "500 steps to t = 0.5 s" in said


def packed(sequence, *numbers, magic=b"VINC", count=None):
    """A datagram."""
    said = len(numbers) if count is None else count
    return struct.pack(f"<4sIQd{len(numbers)}d", magic, said, sequence, 0.0, *numbers)


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def test_bad_datagrams_are_counted_and_change_nothing(model, tmp_path):
    port = free_port()
    running = subprocess.Popen([model, "--seconds", "1.5", "--priority", "0", "--listen", str(port), "--log",
                                tmp_path / "log.csv"], stdout=subprocess.PIPE, text=True)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.connect(("127.0.0.1", port))
        peer.settimeout(5)
        for _ in range(200):  # until it listens
            try:
                peer.send(packed(1, 2.0))
                answer = peer.recv(4096)
                break
            except (ConnectionRefusedError, TimeoutError):
                time.sleep(0.01)
        magic, count, _, t, x, both = struct.unpack("<4sIQd2d", answer)
        assert (magic, count) == (b"VINC", 2) and t > 0
        bad = [packed(1, 9.0), packed(5, 3.0), packed(4, 9.0), packed(6, float("nan")), packed(7, float("inf")),
               packed(8, 9.0, magic=b"XXXX"), packed(9, 9.0, count=7), b"", b"VINC", packed(10, 9.0, 9.0),
               bytes(60_000), packed(0, 9.0)]
        for datagram in bad:
            peer.send(datagram)
    said = running.communicate(timeout=60)[0]
    assert running.returncode == 0
    assert "3 lost, 2 late or repeated, 5 garbage, 2 too long, 2 not finite" in said, said
    log = series(tmp_path / "log.csv")
    assert set(log["u"]) <= {0.0, 2.0, 3.0} and log["u"][-1] == 3.0 and len(log["t"]) == 1500


def test_a_peer_that_falls_silent_can_end_it(model):
    said = run(model, "--seconds", "20", "--priority", "0", "--listen", free_port(), "--silence", "0.05", status=5)
    assert "no inputs came for 0.05 s" in said


def test_a_step_that_fails_ends_it_or_is_held(tmp_path, monkeypatch):
    libraries(monkeypatch)
    m = vc.Model("breaking", gravity=(0, 0, 0))
    cart = m.body("cart", 1.0, 0.1, velocity=(1.0, 0, 0))
    m.prismatic("rail", m.ground, cart, at=(0, 0, 0), axis="x")
    m.actuator("root", "rail.travel", "sqrt(0.1 - d)")
    m.output("x", "cart.x")
    made = program(plant(m), tmp_path / "breaking")
    said = run(made, "--free", "--seconds", "1", "--log", tmp_path / "log.csv", status=3)
    assert "error: the step after t = 0.09" in said
    log = series(tmp_path / "log.csv")
    assert log["status"][-1] == 3 and log["t"][-1] == log["t"][-2]
    held = run(made, "--free", "--seconds", "1", "--on-failure", "hold")
    assert "1000 steps to t = 0.09" in held and " 0 steps failed" not in held


def test_overruns_are_counted_or_end_it(tmp_path, monkeypatch):
    libraries(monkeypatch)
    slow = program(plant(servo(), 2e-6, integrator=vc.integrators.RK4(step=1e-8)), tmp_path / "slow")
    assert "ended too late" in run(slow, "--seconds", "1", "--priority", "0", "--overrun", "stop", status=4)
    said = run(slow, "--seconds", "2e-4", "--priority", "0", "--overrun", "skip")
    overruns, missed = (int(said.split(word)[0].split()[-1]) for word in (" overruns", " periods missed"))
    assert overruns == 100 and missed > 100
    said = run(slow, "--seconds", "2e-4", "--priority", "0", "--overrun", "catch-up")
    assert "100 overruns, 0 periods missed" in said


def test_shared_memory_carries_inputs_and_outputs(model):
    name = f"vincolo{free_port()}"
    running = subprocess.Popen([model, "--seconds", "60", "--priority", "0", "--memory", f"/{name}"],
                               stdout=subprocess.PIPE, text=True)
    memory = None
    while memory is None and running.poll() is None:
        try:
            memory = shared_memory.SharedMemory(name, track=False) if sys.version_info >= (3, 13) else attached(name)
        except (FileNotFoundError, ValueError):
            time.sleep(0.005)
    numbers = np.frombuffer(memory.buf, float, 3, 40)
    counts = np.frombuffer(memory.buf, np.uint64, 2, 16)
    while counts[1] == 0 and running.poll() is None:  # until its first step: it clears the memory before
        time.sleep(0.001)
    numbers[0], counts[0] = 4.0, 2
    seen = 0.0
    while seen <= 0.5 and running.poll() is None:
        seen = max(seen, float(numbers[2]))
        time.sleep(0.001)
    del numbers, counts
    memory.close()
    running.terminate()  # it ends as after its last step
    assert running.communicate(timeout=60) and running.returncode == 0 and seen > 0.5


def attached(name):
    """Memory of another program, which this one does not remove."""
    from multiprocessing import resource_tracker

    found = shared_memory.SharedMemory(name)
    resource_tracker.unregister(found._name, "shared_memory")
    return found


def test_a_project_has_only_what_it_needs(tmp_path):
    write_project(plant(slider_crank(1)), tmp_path / "sparse")
    write_project(plant(slider_crank(1), formulation=vc.formulations.NullSpace()), tmp_path / "dense")
    sparse, dense = ((tmp_path / name / "Makefile").read_text() for name in ("sparse", "dense"))
    assert all("-ffp-contract=off" in file.read_text()  # or compilers join products and sums, each in its own way
               for file in (tmp_path / "sparse/Makefile", tmp_path / "sparse/CMakeLists.txt"))
    assert "slopes.cpp" not in sparse and "tree/" not in sparse and "together_dense" not in sparse
    assert "together_dense" in dense and "METHOD(radau)" not in (tmp_path / "dense/kernel/chosen.hpp").read_text()
    assert (tmp_path / "sparse/eigen/COPYING.MPL2").read_text().startswith("Mozilla Public License")
    assert "Redistribution and use" in (tmp_path / "sparse/kernel/LICENSE").read_text()
    assert (tmp_path / "sparse/model.table").read_text() == plant(slider_crank(1)).text()
    headers = headers_of(kernel_files("rk4", "sparse"), kernel_folder())
    assert {"vincolo.h", "table.hpp", "calls.hpp"} <= {path.name for path in headers}


@pytest.mark.parametrize(("method", "formulation"), [("rk4", "sparse"), ("rosenbrock", "sparse"), ("moreau", "sparse"),
                                                     ("rk4", "joint_coordinates"), ("semi_implicit_euler", "qtz")])
def test_a_project_compiles_every_room_that_its_files_enter(method, formulation):
    """What a file includes it may call: a header without its source would fail when all is linked."""
    files = {path.resolve() for path in kernel_files(method, formulation)}
    entered = {path.with_suffix(".cpp") for path in headers_of(sorted(files), kernel_folder())}
    dense = formulation not in ("sparse", "joint_coordinates")
    apart = {"tree"} | (set() if dense else {"formulations"})  # left out of their catalogue
    assert {path.name for path in entered - files if path.is_file() and path.parent.name not in apart} == set()


def test_the_command_writes_projects_and_says_what_is_wrong(tmp_path, capsys):
    import typer

    from vincolo.cli.exports import Solvers, export_model

    example = str(kernel_folder().parent / "examples" / "cart_pole_controller.py")
    asked = {"force": False, "accept_missing": False, "as_json": False}
    export_model(example, [], "table", tmp_path / "a.table", Solvers(outputs=("cart.x", "angle=hinge.angle")), **asked)
    assert "outputs       cart_x, angle" in capsys.readouterr().out
    for kind, solvers, said in (("exe", Solvers(), "one of table, c, fmu2, fmu3"),
                                ("table", Solvers("3kg"), "--step '3kg' has the dimension mass"),
                                ("table", Solvers(integrator="Auto"), "Auto has no|chooses its steps|step"),
                                ("table", Solvers(integrator="RK5"), "no integrator called 'RK5'")):
        with pytest.raises(typer.Exit):
            export_model(example, [], kind, tmp_path / "b.table", solvers, **asked)
        err = capsys.readouterr().err
        assert any(part in err for part in said.split("|")), err
    with pytest.raises(typer.Exit):
        export_model(example, [], "table", tmp_path / "a.table", Solvers(), **asked)
    assert "exists already" in capsys.readouterr().err


BY_KERNEL = """
    import sys
    import numpy as np
    import vincolo as vc
    sys.path[:0] = [sys.argv[1]]
    from entered_models import slider_crank
    s = vc.stepper(slider_crank(2), 1e-3, integrator=vc.integrators.RK4(step=1e-3))
    for _ in range(2000):
        s.step(u0=3.0, u1=-1.0)
    print(*map(float.hex, s.outputs.tolist()))
"""


#: compilers with instructions: the kernel joins products with sums itself, so that compilers have no say in it
BUILT = [("gcc", "portable"), ("clang", "portable"), ("gcc", "avx2"), ("clang", "avx2")]


@pytest.mark.slow
@pytest.mark.parametrize(("cc", "instructions"), BUILT)
def test_a_whole_project_builds_and_has_the_numbers_of_the_kernel(cc, instructions, tmp_path):
    cxx = {"gcc": "g++", "clang": "clang++"}[cc]
    if instructions == "avx2" and not _kernel.core().supports_avx2():
        pytest.skip("this processor has no AVX2")
    if shutil.which(cxx) is None:
        pytest.skip(f"{cxx} is not installed")
    write_project(plant(slider_crank(2)), tmp_path / "crank")
    run("make", "-j2", f"CC={cc}", f"CXX={cxx}", f"INSTRUCTIONS={KERNELS[instructions]}", cwd=tmp_path / "crank",
        timeout=1200)
    write_inputs(tmp_path / "in.csv", ["u0", "u1"], [[3.0, -1.0]] * 2000)
    run(tmp_path / "crank/model", "--free", "--seconds", "2", "--inputs", tmp_path / "in.csv", "--log",
        tmp_path / "log.csv")
    log = series(tmp_path / "log.csv")
    own = {"VINCOLO_KERNEL": {"portable": "portable", "avx2": ""}[instructions], "PATH": ""}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(BY_KERNEL), str(kernel_folder().parent / "tests")],
                          check=True, capture_output=True, text=True, env=own)
    assert [float(log[name][-1]).hex() for name in ("y0", "y1")] == done.stdout.split()


@pytest.mark.slow
def test_a_whole_project_builds_with_cmake(tmp_path):
    write_project(plant(servo()), tmp_path / "servo")
    run("cmake", "-B", "build", "-S", ".", cwd=tmp_path / "servo")
    run("cmake", "--build", "build", "-j2", cwd=tmp_path / "servo", timeout=1200)
    assert "100 steps" in run(tmp_path / "servo/build/model", "--free", "--seconds", "0.1")


def test_a_model_without_a_compiler_is_told(monkeypatch):
    from vincolo.realtime.building import compiler

    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ModelError, match="there is no compiler .no-such-compiler."):
        compiler("c++")
