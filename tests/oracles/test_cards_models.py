"""The models whose cards Vita prints (NumDyn3D, 4.2 and 4.7), read from cards, against motions found without them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import vincolo as vc
from vincolo.formats.cards import CardError, read_cards

VERSION = "NumDyn3D ver. 7.0a\n"


def block(key, **fields):
    lines = "\n".join(f"  {label}={value}" for label, value in fields.items())
    return f"begin({key})\n{lines}\nend({key})\n"


def general(title, until, intervals, names):
    rows = "\n".join(f" {k} |   {name}" for k, name in enumerate(names, 1))
    return f"{title}\nNB   {len(names)}\nTI   0.\nTE   {until}\nST   {intervals}\nPP N\nID |   BODY NAME\n{rows}\n"


def inertias(*bodies):
    form = "begin({0})\nmass={1}\nCoM={2}\ninertia=[\n{3} 0. 0.\n0. {4} 0.\n0. 0. {5}\n]\nend({0})\n"
    return VERSION + "".join(form.format(k, mass, com, x, y, z)
                             for k, (mass, com, x, y, z) in enumerate(bodies, 1))


def positions(*bodies):
    return VERSION + "".join(block(k, **{f"q{i}": v for i, v in enumerate(q, 1)}) for k, q in enumerate(bodies, 1))


def hinge(key, name, body1, body2, p1, p2, axis="z"):
    """A revolute joint about the same axis of both bodies."""
    h, f = {"z": ((0, 0, 1), (0.7071067811865, 0.7071067811865, 0)), "x": ((1, 0, 0), (0, 1, 0))}[axis]
    points = {f"{letter}{i}": " ".join(repr(float(x)) for x in np.add(p, arrow))
              for i, p in ((1, p1), (2, p2)) for letter, arrow in (("P", (0, 0, 0)), ("Q", h), ("R", f))}
    return block(key, name=name, type=1, body1=body1, body2=body2, **points)


def weight(key, body, **force):
    return block(key, name=f"Grav{body}", body=body, type=1, **{"Fx": 0, "Fy": 0, "Fz": 0, **force},
                 Tx=0, Ty=0, Tz=0, px="0.", py="0.", pz="0.")


def folder(path, **cards):
    names = {"initial": "Initial configuration", "driving": "Driving Pos", "spdamp": "SPDamp", "qrtol": "QRTol"}
    for name, text in cards.items():
        (path / f"{names.get(name, name.capitalize())}.s3d").write_text(text)
    return path


# the five-bar linkage ("pentalatero", 4.7.1): the coupler only translates, so it is a pendulum


def five_bar(path, options="ResMethod = 2\ntolRadau = 1.E-8\n"):
    bar, half = (78.0, "0. 0. 0.", 0.13, 6.565, 6.565), (0.9238795325, 0, 0, -0.3826834323)
    left, right = (-0.5, 0, 0), (0.5, 0, 0)
    joints = [(1, 0, left, (0, 0, 0)), (1, 2, right, (-1.25, 0, 0)), (3, 2, right, (1.25, 0, 0)),
              (3, 0, left, (2.5, 0, 0)), (4, 0, left, (1.25, 0, 0)), (4, 2, right, (0, 0, 0))]
    return folder(
        path, general=general("Pentalatero articolato 1 gdl", 8.0, 5000, ["Asta Sx", "Biella", "Asta Dx", "Asta Ce"]),
        connection=VERSION + "".join(hinge(k, f"C{k}", *joint) for k, joint in enumerate(joints, 1)),
        inertial=inertias(bar, (195.0, "0. 0. 0.", 0.325, 101.725, 101.725), bar, bar),
        initial=positions((0.3535533905, -0.3535533905, 0, *half), (1.957106781, -0.707106781, 0, 1, 0, 0, 0),
                          (2.85355339, -0.3535533905, 0, *half), (1.60355339, -0.3535533905, 0, *half)),
        force=VERSION + "".join(weight(k, k, Fy=-1912.95 if k == 2 else -765.18) for k in (1, 2, 3, 4)),
        qrtol=VERSION + options)


def five_bar_angle(times):
    """Angle of the bars from x by the one equation (3 (6.565 + 78/4) + 195) q'' = -(3 78/2 + 195) 9.81 cos q."""
    inertia, moment = 3 * (6.565 + 78 / 4) + 195, (3 * 78 / 2 + 195) * 9.81
    return solve_ivp(lambda _, q: [q[1], -moment / inertia * np.cos(q[0])], (0, times[-1]), [-np.pi / 4, 0], "DOP853",
                     times, rtol=1e-12, atol=1e-13).y[0]


@pytest.mark.parametrize("options, tolerance", [
    ("ResMethod = 0\ntolRadau = 1.E-8\n", 1e-6),
    ("ResMethod = 2\ntolRadau = 1.E-8\n", 1e-6),
    ("ResMethod = orthogonalisation\n", 1e-6),
    ("ResMethod = 1\nODEmethod = 1\ntolODE = 1.E-6\nthreshold = 1.E-14\ntolQRUpdate = 0.999\n", 1e-4),
    ("ResMethod = state form\nODEmethod = 2\ntolODE = 1.E-7\nthreshold = 1.E-14\ntolCorr = 1.E-13\n", 1e-5),
    ("ResMethod = 1\nODEmethod = 3\ntolODE = 1.E-9\nthreshold = 1.E-12\nCorrezione = 0\n", 1e-6)])
def test_five_bar_swings_as_a_pendulum_by_every_method(tmp_path, options, tolerance):
    # errors of the tolerances asked for, grown over four periods; the joints are given to ten digits
    cards = read_cards(five_bar(tmp_path, options))
    times = np.array([0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0])
    result = cards.simulate(outputs=times)
    angle = five_bar_angle(times)
    assert result.complete
    assert result["Asta Sx.x"] == pytest.approx(np.cos(angle) / 2, abs=tolerance)
    assert result["Asta Sx.y"] == pytest.approx(np.sin(angle) / 2, abs=tolerance)


def test_five_bar_has_one_freedom_and_seven_redundant_rows(tmp_path):
    # Vita, 4.7.1
    found = vc.mobility(read_cards(five_bar(tmp_path)).model)
    assert (found.dof, found.redundant) == (1, 7)


# the slider-crank of 4.2: all eight cards


def slider_crank(path, driven):
    joints = [hinge(1, "Rot1", 0, 1, (0, 0, 0), (-0.125, 0, 0)), hinge(2, "Rot2", 1, 2, (0.125, 0, 0), (-0.25, 0, 0)),
              hinge(3, "Rot3", 2, 3, (0.25, 0, 0), (0.04, 0, 0)),
              block(4, name="Pri1", type=2, body1=3, body2=0, P1="0.  0.  0.", Q1="1.  0.  0.", R1="0.  0.  1.",
                    P2="0.5  0.  0.", Q2="1.5  0.  0.", R2="0.5  -1.  0.")]
    torque = block(1, name="Coppia", body=1, type=1, Fx=0, Fy=0, Fz=0, Tx=0, Ty=0, Tz="50*step(4-t)", px=-0.125, py=0,
                   pz=0)
    weights = [weight(2, 1, Fz=-1.962), weight(3, 2, Fz=-3.924), weight(4, 3, Fz=-31.5882).replace("px=0.", "px=-0.15")]
    points = {f"p{i}{axis}": "0." for i in (1, 2) for axis in "xyz"}
    springs = [block(1, name="Molla", type=1, body1=0, body2=3, K="10*abs(q15-0.661)", L0=0.661, C=0, A=0, **points),
               block(2, name="SmorzV", type=2, body1=0, body2=1, K=0, L0="0.",
                     C="2*abs(qp4)*step(t-4)+step(4-t)*8", A=0, ConnectionID=1)]
    laws = VERSION + block("constants", A=0.125, omega=3) + block(
        1, position="q1-A*cos(omega*t)+A-.108", PSI_t="A*sin(omega*t)*omega", PSI_tt="A*cos(omega*t)*omega^2",
        **{"PSI_q(1)": 1, "PSI_qt(1)": 0})
    return folder(
        path, general=general("Manovellismo", 15.0, 30000, ["Manovella", "Biella", "Pistone"]),
        connection=VERSION + "".join(joints),
        inertial=inertias((0.2, "0. 0. 0.", 0.0000034, 0.001, 0.001), (0.4, "0. 0. 0.", 0.00000679, 0.008, 0.008),
                          (3.22, "-0.15 0. 0.", 0.0022, 0.00378, 0.00378)),
        initial=positions((0.108, -0.0625, 0, 0.9658738845942, 0, 0, -0.259012816399),
                          (0.459, -0.0625, 0, 0.9920095389772, 0, 0, 0.1261628890689), (0.661, 0, 0, 1, 0, 0, 0)),
        force=VERSION + torque + "".join(weights), spdamp=VERSION + "".join(springs),
        qrtol=VERSION + "ResMethod = 2\ntolRadau = 1.E-8\n", **({"driving": laws} if driven else {}))


def crank_terms(q):
    """M, M' of the crank's angle q, and x, x' of the piston: crank 0.25 m, rod 0.5 m, pin 0.04 m before its origin."""
    def rod(q):
        return -np.arcsin(np.sin(q) / 2)

    def slopes(q):
        f = rod(q)
        df = -np.cos(q) / 2 / np.cos(f)
        dx, dy = -0.25 * np.sin(q) - 0.25 * np.sin(f) * df, 0.25 * np.cos(q) + 0.25 * np.cos(f) * df
        return df, dx, dy, -0.25 * np.sin(q) - 0.5 * np.sin(f) * df

    def mass(q):
        df, dx, dy, slope = slopes(q)
        return 0.001 + 0.2 * 0.125**2 + 0.008 * df**2 + 0.4 * (dx**2 + dy**2) + 3.22 * slope**2

    h = 1e-5  # central difference: error h^2 M'''/6, about 1e-11
    return mass(q), (mass(q + h) - mass(q - h)) / 2 / h, 0.25 * np.cos(q) + 0.5 * np.cos(rod(q)) - 0.04, slopes(q)[3]


def crank_motion(begin, times):
    """Torque of 50 N m and damping 8 up to 4 s, then damping 2 |e0'|; the spring 10 |x - 0.661| (x - 0.661)."""
    def rates(early):
        def found(_, state):
            q, w = state
            M, dM, x, slope = crank_terms(q)
            c = 8.0 if early else 2 * abs(np.sin(q / 2) * w / 2)
            moment = 50.0 * early - c * w - 10 * abs(x - 0.661) * (x - 0.661) * slope - dM * w**2 / 2
            return [w, moment / M]
        return found

    accuracy = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-12}
    first = solve_ivp(rates(True), (0, 4), [begin, 0], t_eval=times[times <= 4], **accuracy)
    second = solve_ivp(rates(False), (4, times[-1]), first.y[:, -1], t_eval=times[times > 4], **accuracy)
    return np.concatenate([first.y[0], second.y[0]])


def test_slider_crank_turns_as_its_one_equation_says(tmp_path):
    cards = read_cards(slider_crank(tmp_path, driven=False))
    times = np.array([0.0, 0.1, 0.5, 1.0, 2.0, 4.0, 4.2, 5.0])
    start = cards.start()
    begin = np.arctan2(start["Manovella.y"], start["Manovella.x"])
    angle = crank_motion(begin, times)
    result = cards.simulate(until=5.0, outputs=times)
    assert result.complete
    # tolerance 1e-8 of the run, grown over some five turns
    assert result["Rot1.angle"] - result["Rot1.angle"][0] == pytest.approx(angle - begin, abs=2e-6)
    assert result["Pistone.x"] == pytest.approx([crank_terms(q)[2] for q in angle], abs=1e-6)


def test_slider_crank_has_three_redundant_rows(tmp_path):
    # Vita, 4.7.2
    found = vc.mobility(read_cards(slider_crank(tmp_path, driven=False)).model)
    assert (found.dof, found.redundant) == (1, 3)


def test_slider_crank_follows_its_law_of_motion(tmp_path):
    cards = read_cards(slider_crank(tmp_path, driven=True))
    times = np.linspace(0, 0.8, 9)
    result = cards.simulate(until=0.8, outputs=times)
    x = 0.108 + 0.125 * (np.cos(3 * times) - 1)
    angle = -np.arccos(x / 0.125)
    assert result["Manovella.x"] == pytest.approx(x, abs=1e-9)
    assert result["Pistone.x"] == pytest.approx([crank_terms(q)[2] for q in angle], abs=1e-8)


def test_the_printed_law_asks_for_more_than_the_crank_can_reach(tmp_path):
    # x goes down to 0.108 - 0.25 = -0.142 m, the crank's centre only to -0.125 m
    locks = brentq(lambda t: 0.108 + 0.125 * (np.cos(3 * t) - 1) + 0.125, 0.5, 1.0)
    with pytest.warns(vc.SimulationWarning):
        result = read_cards(slider_crank(tmp_path, driven=True)).simulate(until=1.0, outputs=1000)
    assert not result.complete
    assert result.t[-1] == pytest.approx(locks, abs=2e-3)  # to the last sample, 1 ms apart


# the Cardan joint of 4.7.3: shafts at 10 degrees, each arm of the cross in two hinges


BEND = np.radians(10)
LAWS = (block("constants", omega=2) + block(1, position="q4-cos(1/2*omega*t)", PSIit="1/2*sin(1/2*omega*t)*omega",
                                             PSIitt="1/4*cos(1/2*omega*t)*omega^2", **{"PSIQ(4)": 1}),
        block(2, position="q5-sin(1/2*omega*t)", PSIit="-1/2*cos(1/2*omega*t)*omega",
              PSIitt="1/4*sin(1/2*omega*t)*omega^2", **{"PSIQ(5)": 1}))


def cardan(path, laws):
    """Input shaft along x, its fork's axis along z; cross; output shaft bent in the plane x, y. All origins meet in
    the centre of the cross."""
    out, arm = np.array([np.cos(BEND), np.sin(BEND), 0]), np.array([-np.sin(BEND), np.cos(BEND), 0])

    def joint(key, body1, body2, point, axis, f):
        points = {f"{letter}{i}": " ".join(repr(float(x)) for x in np.add(point, arrow))
                  for i in (1, 2) for letter, arrow in (("P", (0, 0, 0)), ("Q", axis), ("R", f))}
        return block(key, name=f"R{key}", type=1, body1=body1, body2=body2, **points)

    x, z = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
    joints = [joint(1, 0, 1, -0.2 * x, x, z), joint(2, 1, 2, 0.03 * z, z, x), joint(3, 1, 2, -0.03 * z, z, x),
              joint(4, 2, 3, 0.03 * arm, arm, z), joint(5, 2, 3, -0.03 * arm, arm, z),
              joint(6, 0, 3, 0.2 * out, out, z)]
    return folder(path, general=general("Giunto di Cardano", 4.0, 400, ["Entrata", "Crociera", "Uscita"]),
                  connection=VERSION + "".join(joints),
                  inertial=inertias(*[(1.0, "0. 0. 0.", 0.01, 0.01, 0.01)] * 3),
                  initial=positions(*[(0, 0, 0, 1, 0, 0, 0)] * 3), driving=laws or block("constants", omega=2))


def test_cardan_joint_has_thirteen_dependent_equations(tmp_path):
    # Vita, 4.7.3: 33 equations with 3 of Euler parameters, 20 independent, 13 dependent
    found = vc.mobility(read_cards(cardan(tmp_path, "")).model)
    assert (found.dof, found.redundant) == (1, 13)


def test_cardan_joint_turns_unevenly(tmp_path):
    # w_out = w cos b/(1 - sin^2 b sin^2(w t)), the fork's axis being normal to the plane of the shafts at t = 0
    cards = read_cards(cardan(tmp_path, "".join(LAWS)))
    result = cards.simulate()
    t = result.t
    speed = 2 * np.cos(BEND) / (1 - np.sin(BEND) ** 2 * np.sin(2 * t) ** 2)
    assert result["Entrata.wx"] == pytest.approx(2.0, abs=1e-9)
    assert result["R6.angle.rate"] == pytest.approx(speed, abs=1e-7)
    assert speed.min() == pytest.approx(1.969615506, abs=1e-9)  # the reference's extremes
    assert speed.max() == pytest.approx(2.030853224, abs=1e-5)  # 5 ms from a sample at most


def test_one_law_for_an_euler_parameter_is_refused(tmp_path):
    # with e0 alone the sense of turning is open, and NumDyn3D finds a wrong e1 (Vita, 4.7.3)
    with pytest.raises(CardError, match="(?s)Driving Pos.s3d, line 5.*q4-cos.*sense of turning.*q5 - sin"):
        read_cards(cardan(tmp_path, LAWS[0]))
