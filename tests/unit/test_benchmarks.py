"""What the benchmarks measure: that the mechanisms are what they say, that engines agree, and that history can be
compared."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import compare
import history
import machine
import robots
from problems.families import FAMILIES
from vincolo_engine import build_model

#: of a family of `n` bodies: loops, and freedoms
COUNTS = {"chain": lambda n: (0, n), "star": lambda n: (0, n), "tree": lambda n: (0, n),
          "ladder": lambda n: (n // 3, n // 3), "grid": lambda n: (4, 2)}


@pytest.mark.parametrize("family", FAMILIES)
def test_families_have_the_loops_and_freedoms_they_say(family):
    problem = FAMILIES[family](10)
    n = len(problem.bodies)
    loops, freedoms = COUNTS[family](n)
    assert len(problem.spanning_tree()[1]) == loops and vc.mobility(build_model(problem)).dof == freedoms
    assert [len(FAMILIES[family](size).bodies) for size in (100, 1000)] == {
        "ladder": [99, 999], "grid": [105, 990]}.get(family, [100, 1000])


@pytest.mark.parametrize("family", ["chain", "star", "tree"])
def test_peers_find_the_same_accelerations_of_trees(family):
    mujoco = pytest.importorskip("mujoco")
    from peers.mujoco_peer import Simulation

    problem = FAMILIES[family](15)
    state, peer = vc.assemble(build_model(problem)), Simulation(problem)
    peer._start()
    kinds = {"rev": "angle", "pri": "travel"}
    numbers = {id(joint): k for k, joint in enumerate(problem.joints)}
    expected = [state[f"J{numbers[id(b.joint)]}.{kinds[b.joint.kind]}.acceleration"] for b in peer.branches]
    found = [peer.data.qacc[peer.model.body_dofadr[peer.id[b.child]]] for b in peer.branches]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert np.abs(expected).max() > 1 and mujoco.__version__


def test_pinocchio_finds_the_same_accelerations_of_trees():
    pin = pytest.importorskip("pinocchio")
    from peers.pinocchio_peer import build_model as build

    problem = FAMILIES["tree"](15)
    state = vc.assemble(build_model(problem))
    model, joints = build(problem)
    found = pin.aba(model, model.createData(), pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv))
    for k, branch in enumerate(problem.spanning_tree()[0]):
        there = found[model.joints[joints[branch.child]].idx_v]
        assert there == pytest.approx(state[f"J{k}.angle.acceleration"], rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("task", robots.TASKS)
@pytest.mark.parametrize("robot", robots.ROBOTS)
def test_engines_agree_on_robots(robot, task):
    """Accelerations, and the torques that a motion needs, by other algorithms in other coordinates."""
    pytest.importorskip("mujoco")
    names = robots.hinges(robots.robot_model(robot))
    assert len(names) == {"arm6": 6, "humanoid": 31}[robot]
    done = robots.solved(robot, task, robots.a_pose(names))
    assert "mujoco" in done and max(robots.difference(done, engine) for engine in done) < 1e-9
    assert max(map(abs, done["vincolo"].found.values())) > 1


def test_work_is_measured_without_its_preparations(monkeypatch):
    """Preparations of 0.1 s and calls of 2 ms, on a clock of its own."""
    spent = [0.0]

    def work(calls):
        spent[0] += 0.1 + 2e-3 * calls

    monkeypatch.setattr(machine.time, "thread_time", lambda: spent[0])
    assert machine.cpu_per_call(work) == pytest.approx(2e-3)


def test_history_is_appended_and_compared(tmp_path, capsys, monkeypatch):
    path = tmp_path / "history.jsonl"
    history.append("growth", {"chain 10 vincolo [us]": 0.3, "star 10 vincolo [us]": 2.0, "gone [us]": 1.0}, path)
    history.append("robots", {"arm [us]": 3.0}, path)
    history.append("growth", {"chain 10 vincolo [us]": 0.1, "star 10 vincolo [us]": 2.1, "not reached": None}, path)
    with open(path, "a") as file:
        file.write('{"what": "growth", "fig')  # a killed program
    found = history.entries(path)
    assert [e["what"] for e in found] == ["growth", "robots", "growth"]
    assert set(found[0]) == {"what", "date", "processor", "cores", "load", "python", "kernel", "vincolo", "peers",
                             "figures"}
    assert "not reached" not in found[2]["figures"] and len(found[0]["load"]) == 3 and found[0]["processor"]
    monkeypatch.setattr(sys, "argv", ["compare.py", "--file", str(path)])
    compare.main()
    text = capsys.readouterr().out
    assert "chain 10 vincolo [us]" in text and "3.00 times faster" in text and "star" not in text
    assert "2 figures in both, 1 within 1.2; geometric mean of second / first 0.59" in text


def test_comparisons_of_different_machines_are_marked(tmp_path):
    first, second = ({"what": "growth", "date": "d", "vincolo": "0.1", "kernel": kernel, "load": [1, 1, 1], "cores": 2,
                      "figures": {"a [us]": value}} for kernel, value in (("avx2", 1.0), ("portable", 2.0)))
    text = compare.told(json.loads(json.dumps(first)), second, 1.2)
    assert "careful: kernel was 'avx2' and is 'portable'" in text and "2.00 times slower" in text
    with pytest.raises(SystemExit, match="there is no measurement -2: there are 1 of this kind"):
        compare.chosen([first], -2)
