"""Studies on a Dask cluster of this computer: the same bits, and nothing lost when workers, the scheduler or the client
are killed."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc

pytest.importorskip("distributed", reason="the package distributed is not installed")
pytestmark = [pytest.mark.slow,
              pytest.mark.filterwarnings("ignore"),  # of threads and sockets of the cluster that is being killed
              pytest.mark.skipif(sys.platform != "linux", reason="signals and /proc are those of Linux")]

PROGRAM = textwrap.dedent("""
    import sys, time
    import vincolo as vc

    def slow(x):
        time.sleep(0.02)
        return x * x

    if __name__ == "__main__":
        found = vc.study(slow, {"x": list(range(COUNT))}, "y", folder=sys.argv[1], progress=False, **eval(sys.argv[2]))
        print("whole" if found.complete else found.reason, len(found.failures))
""")


class Background:
    """Programs of a cluster, ended with the test."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp_path, self.running = tmp_path, []

    def start(self, *words: str) -> subprocess.Popen:
        env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(self.tmp_path)}
        with open(self.tmp_path / f"log{len(self.running)}.txt", "w") as log:
            self.running.append(subprocess.Popen([sys.executable, *words], stdout=log, stderr=log, env=env,
                                                 start_new_session=True, cwd=self.tmp_path))
        return self.running[-1]

    def scheduler(self, port: int) -> subprocess.Popen:
        return self.start("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port),
                          "--no-dashboard")

    def worker(self, port: int) -> subprocess.Popen:
        return self.start("-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}", "--nthreads", "1",
                          "--no-dashboard", "--no-nanny", "--host", "127.0.0.1")

    def end(self) -> None:
        for program in self.running:
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGKILL)
                program.wait()


@pytest.fixture
def cluster(tmp_path):
    found = Background(tmp_path)
    yield found
    found.end()


def free_port() -> int:
    import socket

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def rows_of(folder: Path) -> list[int]:
    """Numbers of all variants in the journal."""
    found = []
    for line in (folder / "journal.txt").read_bytes().splitlines()[1:]:
        _, start, count, *_ = line.split(b" ")
        found += range(int(start), int(start) + int(count))
    return found


def waited(folder: Path, rows: int, seconds: float = 120) -> None:
    """Waits until a study has so many rows."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if (folder / "journal.txt").exists() and len(rows_of(folder)) >= rows:
            return
        time.sleep(0.05)
    raise AssertionError(f"no {rows} rows after {seconds} s")


def program(tmp_path: Path, count: int) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.replace("COUNT", str(count)))
    return path


def whole(folder: Path, count: int) -> None:
    """The table is complete, and each row is there once."""
    assert sorted(rows_of(folder)) == list(range(count))
    assert np.array_equal(np.load(folder / "table.npy")[:, 0], np.arange(count, dtype=float) ** 2)


def test_the_same_bits_on_two_workers(cluster):
    port = free_port()
    cluster.scheduler(port)
    cluster.worker(port), cluster.worker(port)
    model = vc.load_model(Path(__file__).parents[2] / "examples/studies/slider_crank.yaml")
    args = (model, {"crank.mass": (0.5, 2.0), "motor.y": (5, 20)}, ["max slider.vx", "rms bearing.reaction.force.x"])
    more = {"plan": "sobol", "samples": 120, "until": 0.5, "times": 40, "progress": False}
    alone = vc.study(*args, **more, how="serial")
    for how in ({"how": "threads", "workers": 2}, {"how": "processes", "workers": 2},
                {"scheduler": f"tcp://127.0.0.1:{port}"}):
        assert np.array_equal(alone.values, vc.study(*args, **more, **how).values), how


def test_variants_that_hang_are_ended_on_a_cluster(cluster):
    port = free_port()
    cluster.scheduler(port)
    cluster.worker(port), cluster.worker(port)

    def hangs(x: float) -> float:
        while x == 5:
            pass
        time.sleep(6 if x == 11 else 0)
        return x

    found = vc.study(hangs, {"x": list(range(30))}, "y", limit=0.5, scheduler=f"tcp://127.0.0.1:{port}", progress=False)
    reason = "it took more than 0.5 s, the limit of a variant"
    assert found.complete and list(found.failures) == [5, 11] and found.failures[5] == reason
    assert "left behind in its thread" in found.failures[11]
    assert np.array_equal(np.delete(found["y"], [5, 11]), np.delete(np.arange(30.0), [5, 11]))


def test_a_worker_is_killed_and_another_takes_over(cluster, tmp_path):
    port, folder = free_port(), tmp_path / "s"
    cluster.scheduler(port)
    first = cluster.worker(port)
    client = cluster.start(str(program(tmp_path, 400)), str(folder), repr({"scheduler": f"tcp://127.0.0.1:{port}"}))
    waited(folder, 20)
    first.send_signal(signal.SIGKILL)
    cluster.worker(port)
    assert client.wait(timeout=180) == 0
    whole(folder, 400)


def test_the_scheduler_is_restarted(cluster, tmp_path):
    port, folder = free_port(), tmp_path / "s"
    scheduler = cluster.scheduler(port)
    worker = cluster.worker(port)
    client = cluster.start(str(program(tmp_path, 400)), str(folder), repr({"scheduler": f"tcp://127.0.0.1:{port}"}))
    waited(folder, 20)
    for gone in (scheduler, worker):
        gone.send_signal(signal.SIGKILL)
        gone.wait()
    cluster.scheduler(port)
    cluster.worker(port)
    assert client.wait(timeout=240) == 0
    whole(folder, 400)


@pytest.mark.parametrize("how", ["serial", "processes", "cluster"])
def test_the_client_is_killed_and_goes_on(cluster, tmp_path, how):
    port, folder = free_port(), tmp_path / "s"
    given: dict = {"how": how, "workers": 2}
    if how == "cluster":
        cluster.scheduler(port), cluster.worker(port)
        given = {"scheduler": f"tcp://127.0.0.1:{port}"}
    path = str(program(tmp_path, 300))
    for rows in (30, 100):
        client = cluster.start(path, str(folder), repr(given))
        waited(folder, rows)
        os.killpg(client.pid, signal.SIGKILL)
        client.wait()
        done = len(rows_of(folder))
        assert rows <= done < 300
    last = cluster.start(path, str(folder), repr(given))
    assert last.wait(timeout=180) == 0
    whole(folder, 300)


def test_processes_are_killed_in_mid_run(cluster, tmp_path):
    folder = tmp_path / "s"
    client = cluster.start(str(program(tmp_path, 400)), str(folder), repr({"how": "processes", "workers": 2}))
    waited(folder, 30)
    children = Path(f"/proc/{client.pid}/task/{client.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGKILL)
    assert client.wait(timeout=180) == 0
    whole(folder, 400)
    assert json.loads((folder / "journal.txt").read_text().splitlines()[0][9:])["outputs"] == ["y"]


def test_a_scheduler_that_is_not_there_is_named():
    from vincolo.studies.crews import Cluster
    from vincolo.studies.variants import FunctionVariants

    with pytest.raises(vc.ModelError, match="there is no Dask scheduler at 'tcp://127.0.0.1:1'"):
        Cluster(FunctionVariants(lambda x: x, ["x"], ["y"]), "tcp://127.0.0.1:1", patience=0.0)
