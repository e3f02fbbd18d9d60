"""Mode shapes in motion: bodies swing about a state along the shape of a mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from vincolo.analyses.linearize import LinearSystem
from vincolo.errors import ModelError
from vincolo.model.geometry import Array
from vincolo.results.result import Result
from vincolo.scene import Scene, scene_of
from vincolo.scene.poses import turned
from vincolo.view.live.controls import Controls
from vincolo.view.live.listening import LOOPBACK, waits
from vincolo.view.live.shown import of_states
from vincolo.view.live.viewer import Viewer

PERIOD = 2.0  # s of a swing on the screen, whatever the frequency is
SAMPLES = 48
FAR = 0.10  # of the size of the mechanism: how far its fastest point goes at amplitude 1
FREE = 1e-6  # of the highest frequency: below this nothing holds the motion
TURN = 0.5  # rad, at most, at amplitude 1


def show_modes(linear: LinearSystem, *, port: int | None = None, host: str = LOOPBACK, open_browser: bool = True,
               block: bool | None = None) -> Viewer:
    """Shows the mode shapes of linearize() in the browser. Waits until Ctrl-C unless block=False or in a notebook."""
    if not isinstance(linear, LinearSystem):
        raise ModelError(f"show_modes(): {linear!r:.80} is not a linear system.\n"
                         "  Pass what linearize(state) returned.")
    if not len(linear.modes):
        raise ModelError("show_modes(): there are no modes: nothing can vibrate.")
    names, scene = titles(linear), scene_of(linear.state.system)
    first = first_vibration(linear)
    viewer = Viewer(swing(linear, scene, first), host=host, port=port, values=False)
    viewer.options = {"play": True}
    controls = viewer.controls = Controls(viewer.server, "Modes")

    def renew(_: Any) -> None:
        mode, size = names.index(controls.value("mode")), float(controls.value("amplitude"))
        viewer.renew(swing(linear, scene, mode, size))

    controls.choice("mode", "Mode", names, names[first], renew)
    controls.slider("amplitude", "Amplitude", 0.1, 4.0, 0.1, 1.0, renew)
    controls.text("about", f"{linear.state.system.name} at t = {linear.state.t:g} s. Every mode swings once in "
                  f"{PERIOD:g} s at speed 1.")
    viewer.open(open_browser)
    if waits(block):
        viewer.wait()
    return viewer


def titles(linear: LinearSystem) -> list[str]:
    """What the modes are called in the list."""
    rows = zip(linear.frequencies, linear.damped_frequencies, linear.damping_ratios, strict=True)
    free = FREE * float(linear.frequencies.max(initial=0.0))
    return [f"{k}: " + ("free motion" if f <= free else f"{f:.4g} Hz, does not vibrate" if d <= free else
                        f"{f:.4g} Hz, damping {100 * z:.3g} %" if abs(z) > 1e-9 else f"{f:.4g} Hz")
            for k, (f, d, z) in enumerate(rows, 1)]


def first_vibration(linear: LinearSystem) -> int:
    """The number of the slowest mode that vibrates; 0 if none does."""
    vibrates = np.flatnonzero(linear.damped_frequencies > FREE * float(linear.frequencies.max(initial=0.0)))
    return int(vibrates[0]) if len(vibrates) else 0


def swing(linear: LinearSystem, scene: Scene, mode: int, amplitude: float = 1.0) -> Result:
    """One period of a mode as states: each body displaced by the real part of amplitude * shape * e^(i phase)."""
    shape = linear.modes[mode]
    factor = amplitude * scale_of(linear, scene, shape)
    phases = np.linspace(0.0, 2 * np.pi, SAMPLES + 1)
    states = [linear.state.displaced(np.real(factor * shape * np.exp(1j * (p - np.pi / 2)))) for p in phases]
    return of_states(states, PERIOD * phases / (2 * np.pi))


def scale_of(linear: LinearSystem, scene: Scene, shape: Array) -> float:
    """A factor that moves the fastest point of what is drawn by FAR of the size, and turns nothing by more than
    TURN."""
    state, fastest = linear.state, 0.0
    for item in scene.items:
        if item.body == "ground" or item.kind == "ground":
            continue
        k = state.system.body_of(item.body)
        lever = turned(np.broadcast_to(state.channels.quaternions(item.body)[0], (len(item.mesh.vertices), 4)),
                       item.mesh.vertices - state.system.centred[k].body.com)
        v = shape[k, :3] + np.cross(shape[k, 3:], lever)
        fastest = max(fastest, float(np.linalg.norm(np.abs(v), axis=1).max()))
    turning = float(np.linalg.norm(np.abs(shape[:, 3:]), axis=1).max(initial=0.0))
    limits = [FAR * scene.size / fastest if fastest > 0 else np.inf, TURN / turning if turning > 0 else np.inf]
    return min(limits) if np.isfinite(min(limits)) else 0.0
