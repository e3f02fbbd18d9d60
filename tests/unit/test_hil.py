"""Models in soft real time: steps in time, wires with bad peers, records that are replayed, the live page, advice."""

import ctypes
import json
import math
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
import typer

import vincolo as vc
import vincolo.realtime.wire
from entered_models import cart_pole, servo
from example_models import FOLDER
from vincolo.cli.exports import Solvers
from vincolo.cli.hil import Bench, measure_hil, run_hil
from vincolo.errors import FileError, ModelError
from vincolo.realtime.library import OK, CModel
from vincolo.realtime.measure import Measured, advice, measured
from vincolo.realtime.page import LivePage
from vincolo.realtime.runner import Manner, Runner, replayed_inputs
from vincolo.realtime.table import plant
from vincolo.realtime.times import StepTimes
from vincolo.realtime.wire import Wire, address_of, packed, unpacked

FREE = Manner(free=True)


def stepper(model=None, step=1e-3):
    return vc.stepper(model or servo(), step, integrator=vc.integrators.RK4(step=step))


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Peer:
    """A program at the other end of a wire."""

    def __init__(self, port):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect(("127.0.0.1", port))
        self.socket.settimeout(5)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def test_a_run_in_real_time_takes_its_time():
    begun = time.monotonic()
    told = Runner(stepper()).run(200)
    assert told.steps == 200 and not told.reason and time.monotonic() - begun >= 0.199
    assert told.times.count == 200 and 0 < told.times.share(0.5) <= told.times.percentiles[3]


def test_times_of_steps_are_counted_as_they_are():
    times, rng = StepTimes(), np.random.default_rng(5)
    given = rng.lognormal(9, 1, 20_000).astype(int)
    for ns in given:
        times.note(int(ns))
    for share in (0.5, 0.99, 0.9999):
        assert times.share(share) == pytest.approx(np.quantile(given, share) / 1000, rel=0.03)
    assert times.percentiles[3] == given.max() / 1000
    assert sum(count for _, count in times.histogram()) == 20_000 and StepTimes().percentiles == (0, 0, 0, 0)


def test_datagrams_come_back_as_they_were():
    assert unpacked(packed(7, 0.5, [1.0, -2.0])) == (7, 0.5, [1.0, -2.0])
    for bad in (b"", b"VINC", packed(0, 0.0, [1.0]), packed(1, 0.0, [1.0])[:-1], b"x" * 32):
        assert unpacked(bad) is None


@pytest.mark.parametrize("url", ["tcp://127.0.0.1:5000", "udp://127.0.0.1", "udp://x:99999", "5000", "udp://:0"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(ModelError, match="is not an address for datagrams"):
        address_of(url)


def test_a_wire_is_on_this_machine_unless_told_otherwise_and_a_port_is_taken_once():
    assert address_of("udp://:5000") == ("127.0.0.1", 5000)
    port = free_port()
    wire = Wire(f"udp://127.0.0.1:{port}")
    with pytest.raises(ModelError, match="it cannot be listened on"):
        Wire(f"udp://127.0.0.1:{port}")
    wire.close()


def test_bad_datagrams_are_counted_and_the_newest_good_one_counts():
    port = free_port()
    wire = Wire(f"udp://127.0.0.1:{port}")
    with Peer(port) as peer:
        for data in (packed(1, 0, [1.0]), packed(1, 0, [9.0]), packed(5, 0, [2.0]), packed(3, 0, [9.0]), b"", b"no",
                     packed(6, 0, [math.nan]), packed(7, 0, [math.inf]), packed(8, 0, [9.0, 9.0]), bytes(60_000)):
            peer.socket.send(data)
        time.sleep(0.05)
        assert wire.receive(1) == [2.0] and wire.receive(1) is None
        wire.send(0.25, [4.0])
        assert unpacked(peer.socket.recv(999)) == (1, 0.25, [4.0])
    c = wire.counts
    assert (c.good, c.lost, c.repeated, c.garbage, c.not_finite, c.oversize) == (2, 3, 2, 2, 2, 2)
    for _ in range(3):  # the peer's socket is closed: nothing is raised, and the run goes on
        wire.send(0.5, [4.0])
        wire.receive(1)
    wire.close()


class PythonWire:
    """Datagrams through the wire of Python."""

    def __init__(self):
        self._wire = Wire(f"udp://127.0.0.1:{free_port()}")

    def take(self, data):
        return self._wire._checked(data, 1)

    def close(self):
        self._wire.close()


class CWire:
    """The same through c/wire.c."""

    def __init__(self, folder):
        source = Path(vincolo.realtime.wire.__file__).parent / "c/wire.c"
        path = folder / "wire.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", path, source], check=True)
        self._library = ctypes.CDLL(str(path))
        self._udp = ctypes.create_string_buffer(1 << 17)  # larger than the structure, all zero

    def take(self, data):
        found = ctypes.c_double(math.nan)
        bad = self._library.wire_unpack(self._udp, data, ctypes.c_size_t(len(data)), ctypes.byref(found), 1)
        return None if bad else [found.value]

    def close(self):
        """It has no socket."""


@pytest.fixture(params=["python", "c"])
def wire_end(request, tmp_path):
    if request.param == "c" and shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    end = PythonWire() if request.param == "python" else CWire(tmp_path)
    yield end
    end.close()


@pytest.mark.parametrize("odd", [[2**64 - 1], [2**63, 2**64 - 1, 1], [900, 800, 700], [5], []], ids=str)
@pytest.mark.parametrize("begun", [1, 1000, 2**40])
def test_inputs_come_again_after_odd_numbers_and_restarts(wire_end, begun, odd):
    """A sender that counts from `begun` on, odd numbers in between, then the same sender or one that counts from 1: at
    most 7 datagrams are left aside, and no odd one is taken."""
    for k in range(20):
        assert wire_end.take(packed(begun + k, 0, [float(k)])) == [float(k)]
    for number in odd:
        assert wire_end.take(packed(number, 0, [-1.0])) is None or begun < number <= begun + 1_000_000
    again = [wire_end.take(packed(begun + 10_000 + k, 0, [float(k)])) for k in range(10)]
    assert again == [[float(k)] for k in range(10)]
    restarted = [wire_end.take(packed(1 + k, 0, [float(k)])) for k in range(40)]
    assert restarted[7:] == [[float(k)] for k in range(7, 40)] and restarted[:7] == [None] * 7
    late = [wire_end.take(packed(1 + k, 0, [9.0])) for k in (5, 3, 30, 7, 2)]
    assert late == [None] * 5
    assert wire_end.take(packed(41, 0, [3.0])) == [3.0]


def test_a_first_datagram_with_the_last_number_blocks_nothing(wire_end):
    wire_end.take(packed(2**64 - 1, 0, [9.0]))
    assert [wire_end.take(packed(k, 0, [1.0])) for k in range(1, 12)][7:] == [[1.0]] * 4


def test_a_peer_controls_a_run_and_a_silent_one_ends_it():
    port = free_port()
    wire = Wire(f"udp://127.0.0.1:{port}")
    runner = Runner(stepper(), Manner(silence=0.15), wire=wire)
    thread = threading.Thread(target=runner.run, args=(5000,))
    thread.start()
    with Peer(port) as peer:
        for k in range(1, 21):
            peer.socket.send(packed(k, 0.0, [2.0]))
            assert unpacked(peer.socket.recv(999)) is not None
    thread.join(20)
    wire.close()
    assert runner.told.reason == "no inputs came for 0.15 s" and runner.stepper.inputs[0] == 2.0
    assert runner.stepper.outputs[0] > 0 and runner.told.steps < 5000


def test_overruns_stop_skip_or_catch_up():
    m = servo()

    @m.controller(every=5e-3, reads=[], writes=["u"])
    def blocks(t):
        time.sleep(0.02)
        return 1.0

    assert "ms late" in Runner(stepper(m, 5e-3), Manner("stop")).run(50).reason
    begun = time.monotonic()
    told = Runner(stepper(m, 5e-3), Manner("skip")).run(6)
    assert told.overruns == 6 and told.missed >= 18 and told.steps == 6 and time.monotonic() - begun > 0.1
    told = Runner(stepper(m, 5e-3), Manner("catch-up")).run(6)
    assert told.overruns == 6 and told.missed == 0 and not told.reason
    with pytest.raises(ModelError, match="one of stop, skip, catch-up"):
        Manner("never")


def test_a_controller_that_raises_ends_the_run_and_what_was_done_is_kept():
    m = servo()

    @m.controller(every=1e-2, reads=["cart.x"], writes=["u"])
    def breaks(t, x):
        if t > 0.025:
            raise ValueError("no sensor")
        return 1.0

    runner = Runner(stepper(m), FREE, recording=True)
    told = runner.run(100)
    assert "controller 'breaks' raised ValueError at t = 0.03 s: no sensor" in told.reason
    assert told.steps == 30 and len(runner.rows) == 30


def test_an_event_that_stops_ends_the_run():
    m = servo()
    m.event("far", "cart.x - 0.001", direction="up", stop=True)
    s = stepper(m)
    s.inputs[0] = 5.0
    told = Runner(s, FREE).run(5000)
    assert "an event stopped it" in told.reason and told.steps < 5000


def test_a_record_is_replayed_to_the_last_bit(tmp_path):
    s = stepper()
    runner = Runner(s, FREE, recording=True, replayed=np.sin(0.1 * np.arange(50))[:, None])
    runner.run(50)
    runner.write(tmp_path / "run.csv")
    again = Runner(stepper(), FREE, recording=True, replayed=replayed_inputs(tmp_path / "run.csv", ["u"]))
    again.run(50)
    assert [row[:4] for row in again.rows] == [row[:4] for row in runner.rows]


def test_records_that_do_not_fit_are_refused(tmp_path):
    file = tmp_path / "run.csv"
    for text, said in (("t,x\n1,2\n", "no column 'u'"), ("", "no column 'u'"), ("u\nfast\n", "a number is missing"),
                       ("u\n1\nnan\n", "line 3: an input is not finite"), ("t,u\n1\n", "a number is missing")):
        file.write_text(text)
        with pytest.raises(FileError, match=said):
            replayed_inputs(file, ["u"])


def fetched(url, host=None):
    request = urllib.request.Request(url, headers={"Host": host} if host else {})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read()


def test_the_live_page_shows_numbers_and_nobody_elses_page_reads_them():
    runner = Runner(stepper(), FREE)
    runner.run(100)
    page = LivePage(runner.shown, "a <b> servo")
    try:
        assert page.address.startswith("http://127.0.0.1:")
        assert b"a \\u003cb> servo" in fetched(page.address)
        numbers = json.loads(fetched(f"{page.address}numbers"))
        assert numbers["steps"] == 100 and set(numbers["outputs"]) == {"x", "both"} and numbers["inputs"] == {"u": 0.0}
        assert sum(count for _, count in numbers["histogram"]) == 100
        for url, host, code in ((f"{page.address}numbers", "evil.example:80", 403), (f"{page.address}etc", None, 404)):
            with pytest.raises(urllib.error.HTTPError) as caught:
                fetched(url, host)
            assert caught.value.code == code
            caught.value.close()
    finally:
        page.close()


CART = str(FOLDER / "cart_pole_controller.py")


def test_the_command_runs_records_and_replays(tmp_path, capsys):
    asked = Bench(seconds=0.05, record=tmp_path / "a.csv", free=True)
    run_hil(CART, [], Solvers(outputs=("cart.x",)), asked, force=False, as_json=False)
    assert "50 steps: p50" in capsys.readouterr().out
    run_hil(CART, [], Solvers(), Bench(replay=tmp_path / "a.csv", free=True), force=False, as_json=True)
    assert json.loads(capsys.readouterr().out)["steps"] == 50
    for bench, said in ((Bench(overrun="x"), "--overrun 'x' is unknown"), (Bench(io="udp://"), "is not an address"),
                        (Bench(page="x"), "--page 'x' is not an address"), (asked, "exists already")):
        with pytest.raises(typer.Exit):
            run_hil(CART, [], Solvers(), bench, force=False, as_json=False)
        assert said in capsys.readouterr().err


def test_solvers_are_measured_and_one_is_recommended(capsys):
    system = vc.compile(cart_pole())
    found = list(measured(system, 1e-3, vc.assemble(system, {"hinge.angle": 0.3}), steps=200, span=0.05))
    pairs = {(m.integrator, m.formulation): m for m in found}
    assert {("RK4", "Sparse"), ("RK4", "JointCoordinates"), ("Rosenbrock", "Sparse"),
            ("SemiImplicitEuler", "AugmentedLagrangian"), ("LinearlyImplicitEuler", "Sparse")} <= set(pairs)
    assert ("Rosenbrock", "JointCoordinates") not in pairs  # it solves equations of its own
    assert pairs["RK4", "Sparse"].error < 1e-8 < pairs["SemiImplicitEuler", "Sparse"].error
    assert all(m.rate > 0 and m.times.count >= 200 for m in found)
    measure_hil(CART, [], Solvers(), 100, as_json=False)
    out = capsys.readouterr().out
    assert "highest rate" in out and ("Take " in out or "None of them" in out)


def times_of(us):
    made = StepTimes()
    made.note(int(1000 * us))
    return made


def test_advice_is_the_closest_that_is_fast_enough():
    fast = Measured("SemiImplicitEuler", "Sparse", times_of(5), 1e-3)
    good = Measured("RK4", "Sparse", times_of(100), 1e-9)
    slow = Measured("RK4", "NullSpace", times_of(900), 1e-10)
    assert advice([fast, good, slow], 1e-3, 1.0).startswith("Take RK4 with Sparse")
    assert advice([fast, good, slow], 1e-4, 1.0).startswith("Take SemiImplicitEuler with Sparse")
    assert "fast enough for 1,000,000 Hz" in advice([fast, good], 1e-6, 1.0)
    assert "lose the motion" in advice([Measured("Euler", "Sparse", times_of(5), 0.5)], 1e-3, 1.0)
    assert "take a smaller one" in advice([Measured("Heun", "Sparse", None)], 1e-3, 1.0)
    still = [Measured(name, "Sparse", times_of(us), 1e-17, way=0.0) for name, us in (("RK4", 100), ("Heun", 9))]
    said = advice(still, 1e-3, 1.0)
    assert said.startswith("Take Heun with Sparse, the fastest") and "stays where it is" in said


def test_a_mechanism_at_rest_is_not_said_to_be_met_exactly():
    system = vc.compile(cart_pole())
    hanging = vc.assemble(system, {"hinge.angle": np.pi})
    ways = [{m.way for m in measured(system, 1e-3, start, steps=50, span=0.02)}
            for start in (hanging, vc.assemble(system, {"hinge.angle": 0.3}))]
    assert len(ways[0]) == len(ways[1]) == 1 and max(ways[0]) < 1e-12 < 1e-6 < max(ways[1])


@pytest.mark.parametrize("name", ["SemiImplicitEuler", "LinearlyImplicitEuler", "Rosenbrock", "RK4"])
def test_methods_of_a_fixed_cost_make_steps_of_a_fixed_cost(name):
    """The evaluations of a step do not depend on the motion: a cap of two steps' worth is never met in a thousand."""
    c = CModel(plant(servo(), integrator=getattr(vc.integrators, name)(step=1e-3)).text())
    assert c.set_cap(16) == OK
    for k in range(1000):
        c.inputs[0] = 100 * math.sin(k * k)
        assert c.step() == OK


def test_iterations_that_meet_their_cap_fail_the_step_and_keep_the_state():
    iterated = vc.formulations.AugmentedLagrangian(alpha=1.0, iterations=1, tolerance=1e-14)
    m = vc.Model("pendulum")
    arm = m.body("arm", 2.0, 0.1, at=(0.5, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    c = CModel(plant(m, formulation=iterated).text())
    kept = c.state
    assert c.step() == 3 and c.reason in ("not finite", "not converged") and np.array_equal(c.state, kept)
