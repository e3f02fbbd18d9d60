"""Models that are the same to the last bit, after a file or otherwise."""

import numpy as np

import vincolo as vc
from dense import kernel_rows
from mechanisms import moved_state
from vincolo.formats import load_model, save_model

T = 0.317  # some time at which functions of time are anything but zero


def bits(x):
    return np.asarray(x, dtype=float).tobytes()


def numbers(model, seed=7):
    """Everything the kernel computes of a model at a random state."""
    system = vc.compile(model)
    drawn = system.drawn
    moved = moved_state(drawn, np.random.default_rng(seed))
    state = vc.State(system, T, moved.y, drawn.turns)
    with np.errstate(all="ignore"):
        rows, found = kernel_rows(state), state.solve()
        channels = [state[name] for name in state.channels.keys()]  # noqa: SIM118
    masses = [x for c in system.centred for x in (c.body.mass, *c.moments, *c.ballast, c.length)]
    found = {"drawn": drawn.y, "turns": drawn.turns, **rows, "acceleration": found.acceleration, "lam": found.lam,
             "channels": channels, "mass": masses, "corners": system.numbers.corners_between(-1.0, 5.0)}
    return found, [str(row) for row in system.rows]


def again(model, tmp_path):
    return load_model(save_model(model, tmp_path / "model.yaml"))


def assert_same(model, tmp_path):
    copy = again(model, tmp_path)
    first = (tmp_path / "model.yaml").read_text()
    assert save_model(copy, tmp_path / "copy.yaml").read_text() == first
    for kind, group in model.groups().items():
        assert list(copy.groups()[kind]) == list(group), kind
        assert [type(part) for part in copy.groups()[kind].values()] == [type(part) for part in group.values()]
    assert copy.switches == model.switches and copy.name == model.name
    if model.bodies:
        (before, names), (after, names_after) = numbers(model), numbers(copy)
        assert names_after == names and np.isfinite(before["acceleration"]).all()
        for key, value in before.items():
            assert bits(after[key]) == bits(value), key
    return copy
