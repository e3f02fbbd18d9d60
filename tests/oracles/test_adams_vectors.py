"""Force and torque vectors of Adams on any parts, against Newton and Euler at every sample of a tumbling motion."""

import numpy as np
import pytest

from vincolo.formats.adams import read_adm

PLACES = {"I": (2, (0.3, 0.1, -0.2)), "J": (3, (-0.4, 0.5, 0.1)), "R": (4, (0.2, -0.6, 0.3))}
MASS, INERTIA = 2.0, 0.5
POINT = np.array([0.1, -0.2, 0.3])  # of the marker I on its part, from the centre of mass
NUMBERS = {"ground": 1, "I": 2, "J": 3, "R": 4}


def deck(statement):
    """Three free bodies that tumble; on each the marker 10 n + 1, turned, beside its mass centre; 10 n + 2 floats."""
    text = ("title\nUNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND\nPART/1, GROUND\n"
            "MARKER/11, PART=1, QP=1, 2, 3, REULER=70D, 80D, 90D\nMARKER/12, PART=1, FLOATING\n")
    for n, (x, y, z) in PLACES.values():
        text += (f"PART/{n}, QG={x}, {y}, {z}, REULER={11 * n}D, {23 * n}D, {37 * n}D, MASS={MASS}, CM={10 * n}\n"
                 f", IP={INERTIA}, {INERTIA}, {INERTIA}, WX={0.7 * n}, WY={-0.4 * n}, WZ=1.1, VX=0.2\n"
                 f"MARKER/{10 * n}, PART={n}\nMARKER/{10 * n + 1}, PART={n}, QP=0.1, -0.2, 0.3\n"
                 f", REULER={40 * n}D, 50D, 60D\n"
                 f"MARKER/{10 * n + 2}, PART={n}, FLOATING\n")
    return text + statement + "\nEND\n"


def run_of(tmp_path, statement):
    path = tmp_path / "deck.adm"
    path.write_text(deck(statement))
    document = read_adm(path)
    assert not document.report.left_out
    return document, document.run(until=1.0, outputs=10)


def axes_of(document, result, on):
    """The axes of marker 11, 21, ... at every sample."""
    frame = document.model.frames[f"MARKER_{10 * NUMBERS[on] + 1}"]
    if on == "ground":
        return np.broadcast_to(frame.drawn_axes, (len(result.t), 3, 3))
    return result.motion(f"PART_{NUMBERS[on]}").rotation @ frame.axes


@pytest.mark.parametrize("on", ["ground", "I", "J", "R"])
@pytest.mark.parametrize("reaction", ["ground", "J", "R"])
@pytest.mark.parametrize("keyword", ["VFORCE", "VTORQUE", "GFORCE"])
def test_components_act_along_the_marker_as_it_moves(tmp_path, keyword, reaction, on):
    force, torque = np.array([3.0, -2.0, 1.5]), np.array([0.7, 1.1, -0.9])
    texts = [f"F{a}={x}*(1+TIME)\\" for a, x in zip("XYZ", force, strict=True)] if keyword != "VTORQUE" else []
    texts += [f"T{a}={x}*(1+TIME)\\" for a, x in zip("XYZ", torque, strict=True)] if keyword != "VFORCE" else []
    ends = f"I=21, JFLOAT={10 * NUMBERS[reaction] + 2}, RM={10 * NUMBERS[on] + 1}"
    document, result = run_of(tmp_path, f"{keyword}/1, {ends}, {', '.join(texts)}")
    axes, growth = axes_of(document, result, on), 1 + result.t[:, None]
    F = growth * (axes @ force) if keyword != "VTORQUE" else np.zeros((len(result.t), 3))
    T = growth * (axes @ torque) if keyword != "VFORCE" else np.zeros((len(result.t), 3))
    moved = {name: result.motion(f"PART_{n}") for name, (n, _) in PLACES.items()}
    at = moved["I"].position + moved["I"].rotation @ POINT
    for name, motion in moved.items():
        sign = 1.0 if name == "I" else -1.0 if name == reaction else 0.0
        assert MASS * motion.acceleration == pytest.approx(sign * F, abs=1e-9)
        turning = sign * (np.cross(at - motion.position, F) + T)
        assert INERTIA * motion.angular_acceleration == pytest.approx(turning, abs=1e-9)


@pytest.mark.parametrize("turning", ["TRANSLATIONAL", "ROTATIONAL"])
def test_action_only_turns_with_another_part(tmp_path, turning):
    document, result = run_of(tmp_path, f"SFORCE/1, {turning}, ACTIONONLY, I=20, J=41, FUNCTION=3")
    way = axes_of(document, result, "R")[:, :, 2] * 3.0
    motion = result.motion("PART_2")
    there = (MASS * motion.acceleration if turning == "TRANSLATIONAL" else INERTIA * motion.angular_acceleration)
    assert there == pytest.approx(way, abs=1e-9)
    assert result.motion("PART_4").acceleration == pytest.approx(0.0, abs=1e-12)


def test_components_may_depend_on_markers(tmp_path):
    """A spring to the ground's marker by its three components, and a damper on another distance."""
    document, result = run_of(tmp_path, "VFORCE/1, I=20, JFLOAT=12, RM=11, FX=-5*DX(20,11,11)\\, FY=-5*DY(20,11,11)\\, "
                                        "FZ=-5*DZ(20,11,11)-VR(31,41)\\")
    frame = document.model.frames["MARKER_11"]
    motion = result.motion("PART_2")
    gap = result.motion("PART_4"), result.motion("PART_3")
    arms = [m.position + m.rotation @ POINT for m in gap]
    speeds = [m.velocity + np.cross(m.angular_velocity, m.rotation @ POINT) for m in gap]
    line = arms[1] - arms[0]
    rate = np.sum((speeds[1] - speeds[0]) * line, axis=1) / np.linalg.norm(line, axis=1)
    want = -5 * (motion.position - frame.drawn_point) - rate[:, None] * frame.drawn_axes[:, 2]
    assert MASS * motion.acceleration == pytest.approx(want, abs=1e-8)
