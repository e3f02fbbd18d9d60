"""Equilibria against closed solutions: positions, reactions, stiffnesses, stability, buckling, springs by wish."""

import numpy as np
import pytest

import quarter_car as car
import vincolo as vc
from linkages import G, parallelogram, pendulum

WEIGHT = 9.80665


@pytest.mark.parametrize("angle", [-1.5, -0.4, 0.0, 0.9, 1.5, 4.0, np.pi / 2 - 1e-5])
def test_a_pendulum_from_anywhere_ends_hanging(angle):
    system = vc.compile(pendulum(0.0))
    rest = vc.statics(system, start=vc.assemble(system, {"O.angle": angle}))
    assert rest["bar.x"] == pytest.approx(0, abs=1e-12) and rest["bar.y"] == pytest.approx(-0.5, abs=1e-12)
    assert rest.stable and rest.idle == 0 and rest.residual < 1e-9
    assert rest.reaction("O").force[0] == pytest.approx([0, G, 0], abs=1e-9)
    # a turn by a moves the middle by a/2 and turns by a: in the metric dr^2 + (length da)^2
    assert rest.stiffness == pytest.approx([0.5 * G / (0.25 + rest.length**2)], rel=1e-9)
    assert rest.energy == pytest.approx(rest["energy.potential"])


def test_a_pendulum_that_stands_exactly_upright_stays_and_is_unstable():
    system = vc.compile(pendulum(np.pi / 2))
    rest = vc.statics(system)
    assert not rest.stable and rest["bar.y"] == pytest.approx(0.5) and rest.lowest < 0
    assert "unstable" in str(rest) and "Start beside it" in rest.message
    beside = vc.assemble(system, {"O.angle": 0.2})
    assert vc.statics(system, start=beside)["bar.y"] == pytest.approx(-0.5)
    assert vc.statics(system, start=beside, stay=True)["O.angle"] == pytest.approx(0, abs=1e-10)


def test_turns_are_counted_while_a_spring_unwinds():
    model = pendulum(-np.pi / 2, gravity=(0, 0, 0))
    model.spring("spiral", "O.angle", k=0.3, length=0.0)
    system = vc.compile(model)
    start = vc.assemble(system, {"O.angle": 25.0})
    rest = vc.statics(system, start=start)
    assert rest["O.angle"] == pytest.approx(0, abs=1e-10) and rest.stable


def test_redundant_bars_hang_as_one():
    """All hinges along z: three redundant rows. Turned by a, the coupler and both bars' ends swing on 1 m."""
    rest = vc.statics(parallelogram(-0.4))
    assert rest["coupler.y"] == pytest.approx(-1.0, abs=1e-12) and rest.stable and len(rest.stiffness) == 1
    moment = (2.0 * 1.0 + 2 * 1.0 * 0.5) * G  # N m per rad
    metric = 1.0 + 2 * (0.25 + rest.length**2)
    assert rest.stiffness[0] == pytest.approx(moment / metric, rel=1e-9)
    assert not rest.reaction("foot0").unique
    held = sum(rest.reaction(f"foot{k}").force[0, 1] for k in range(2))
    assert held == pytest.approx(4.0 * G, rel=1e-10)


def test_a_platform_on_four_springs_sinks_and_tilts_as_linear_theory_says():
    """Springs along world z at the corners, eccentric mass: K (z, roll, pitch) is exact as the springs are vertical
    measures, up to the cosine of the tilt, which Newton by hand takes into account."""
    model = vc.Model("platform")
    plate = model.body("plate", mass=80, inertia=5, at=(0, 0, 0.5), com=(0.1, 0.05, 0.0))
    corners = {"a": (1, 0.5), "b": (1, -0.5), "c": (-1, 0.5), "d": (-1, -0.5)}
    rates = {"a": 9e3, "b": 8e3, "c": 7e3, "d": 6e3}
    floor = model.ground.frame((0, 0, 0))
    model.point_on_plane("side", model.ground, plate, at=(0, 0, 0.5), axis="x")
    model.point_on_plane("front", model.ground, plate, at=(0, 0, 0.5), axis="y")
    model.perpendicular("straight", model.ground, plate, axis="x", axis2="y")
    for name, (x, y) in corners.items():
        model.spring(name, vc.along_world("z", floor, plate.frame((x, y, 0.5))), k=rates[name], length=0.5)
    rest = vc.statics(model)

    def balance(up):
        """Force and moments for z = up[0] and the third row of the rotation, up[1:] its x and y entries."""
        out = np.zeros(3)
        for name, (x, y) in corners.items():
            f = -rates[name] * (up[0] + up[1] * x + up[2] * y)
            out += f * np.array([1, x, y])
        return out - 80 * WEIGHT * np.array([1, 0.1, 0.05])

    A = np.array([balance(one) - balance(np.zeros(3)) for one in np.eye(3)]).T
    up = -np.linalg.solve(A, balance(np.zeros(3)))
    for name, (x, y) in corners.items():
        assert rest[f"{name}.length"] - 0.5 == pytest.approx(up @ [1, x, y], rel=1e-9)
    assert rest["plate.z"] == pytest.approx(0.5 + up[0], rel=1e-10)
    assert rest.stable and len(rest.stiffness) == 3


def test_a_chain_between_two_walls_hangs_as_equal_links_must():
    """Nodes loaded by one link's weight each: the slopes of neighbouring links differ by weight over horizontal pull,
    tan a_k+1 - tan a_k = w/H, the discrete catenary, exact for uniform links."""
    count, span = 10, 0.75
    model = vc.Model("chain")
    size = 1.0 / count
    up = np.sqrt(1 - span**2)
    previous = model.ground
    for k in range(count):  # drawn as a roof
        sign = 1 if k < count // 2 else -1
        start = np.array([k * size * span, 0, up * size * (k if sign > 0 else count - k)])
        along = np.array([span, 0, sign * up])
        angle = -np.arctan2(along[2], along[0])
        link = model.body(f"link{k}", mass=0.2, inertia=(1e-6, 0.2 * size**2 / 12, 0.2 * size**2 / 12),
                          at=tuple(start + size / 2 * along), orientation=[np.cos(angle / 2), 0, np.sin(angle / 2), 0])
        model.revolute(f"pin{k}", previous, link, at=tuple(start), axis="y")
        previous = link
    model.revolute("end", previous, model.ground, at=(span, 0, 0), axis="y")
    rest = vc.statics(model)
    assert rest.stable
    pull = rest.reaction("pin0").force[0]  # of the wall on the first link
    assert pull[2] == pytest.approx(count * 0.2 * WEIGHT / 2, rel=1e-9)
    points = np.array([rest.state.channels.point(model.joints[f"pin{k}"].b)[0] for k in range(count)]
                      + [[span, 0, 0]])
    d = np.diff(points, axis=0)
    slopes = d[:, 2] / d[:, 0]
    assert np.diff(slopes) == pytest.approx(np.full(count - 1, 0.2 * WEIGHT / abs(pull[0])), rel=1e-8)
    assert np.linalg.norm(d, axis=1) == pytest.approx(np.full(count, size), rel=1e-10)
    assert points[count // 2, 2] < -0.2


def test_a_chain_of_balls_thrown_anywhere_hangs_straight_and_its_links_can_spin(rng):
    """Six links of 1 m on spherical joints: the lowest middle is 5.5 m below; six spins about the vertical are idle."""
    model = vc.Model("balls")
    previous, point = model.ground, np.zeros(3)
    for k in range(6):
        along = rng.normal(size=3)
        along /= np.linalg.norm(along)
        link = model.body(f"link{k}", mass=1, inertia=(0.1, 0.12, 0.15), at=point + along / 2)
        model.spherical(f"ball{k}", previous, link, at=point)
        previous, point = link, point + along
    rest = vc.statics(model)
    assert [rest[f"link{k}.z"] for k in range(6)] == pytest.approx(-0.5 - np.arange(6), abs=1e-9)
    assert rest.stable and rest.idle == 6 and rest.idle_bodies == tuple(model.bodies)
    assert rest.reaction("ball0").force[0] == pytest.approx([0, 0, 6 * WEIGHT], abs=1e-7)


def test_drives_hold_and_loads_push_as_at_the_time_asked_for():
    model = pendulum(0.0)
    model.drive("O.angle", "0.5*t")
    rest = vc.statics(model, t=1.2)
    assert rest["O.angle"] == pytest.approx(0.6) and rest.stable and len(rest.stiffness) == 0
    assert "held still" in rest.message
    loaded = pendulum(-np.pi / 2)
    loaded.force("wind", loaded.bodies["bar"], ("3*t", 0, 0))
    assert np.tan(vc.statics(loaded, t=2.0)["O.angle"]) == pytest.approx(6 / G, rel=1e-10)


def test_formulas_and_curves_balance():
    """A hardening law against a weight: k d + c d^3 = m g, by formula and by a curve; a damper does nothing."""
    model = vc.Model("scales")
    pan = model.body("pan", mass=3, inertia=0.1)
    model.prismatic("slide", model.ground, pan, at=(0, 0, 0), axis="z")
    model.law("hard", "slide.travel", "k*d + q*d^3 + 50*dd", k=400, q=3e4)
    model.law("line", "slide.travel", vc.Spline([-1, 0, 1], [-100, 0, 100]))
    d = vc.statics(model)["slide.travel"]
    assert 500 * d + 3e4 * d**3 == pytest.approx(-3 * WEIGHT, rel=1e-10)


def test_a_force_that_turns_with_its_body_has_no_potential_and_is_balanced():
    """A follower force at the tip of two hinged, sprung rods: moments about both hinges by hand."""
    model = vc.Model("follower", gravity=(0, 0, 0))
    one = model.body("one", mass=1, inertia=0.1, at=(0.5, 0, 0))
    two = model.body("two", mass=1, inertia=0.1, at=(1.5, 0, 0))
    a = model.revolute("a", model.ground, one, at=(0, 0, 0), axis="z")
    b = model.revolute("b", one, two, at=(1, 0, 0), axis="z")
    model.spring("ka", a["angle"], k=10.0)
    model.spring("kb", b["angle"], k=7.0)
    model.force("jet", two.frame((2, 0, 0)), (-4.0, 1.5, 0), axes="body")
    rest = vc.statics(model)
    assert 7.0 * rest["b.angle"] == pytest.approx(1.5, rel=1e-10)
    beta = rest["b.angle"]
    moment = 1.5 + np.cos(beta) * 1.5 + np.sin(beta) * -4.0  # at the first hinge, in the axes of the second rod
    assert 10.0 * rest["a.angle"] == pytest.approx(moment, rel=1e-9)
    assert "no potential" in rest.message


def test_a_wheel_that_can_spin_is_idle_and_no_error():
    model = pendulum(-1.0)
    wheel = model.body("wheel", mass=1, inertia=0.1, at=(np.cos(-1.0), np.sin(-1.0), 0))
    model.revolute("axle", model.bodies["bar"], wheel, at=(np.cos(-1.0), np.sin(-1.0), 0), axis="z")
    rest = vc.statics(model)
    assert rest.stable and rest.idle == 1 and rest.idle_bodies == ("wheel",)
    assert "'wheel' that no force holds" in str(rest)
    assert rest["wheel.y"] == pytest.approx(-1.0) and rest.lowest > 0


def test_a_quarter_car_rests_where_the_hand_calculation_says():
    rest, q = vc.statics(car.quarter_car()), car.rest_by_hand()
    assert rest["chassis.z"] == pytest.approx(car.CENTRE[1] + q[0], abs=1e-10)
    assert rest["upright.z"] == pytest.approx(car.places(q)[3, 1], abs=1e-10)
    assert rest["strut.length"] == pytest.approx(car.strut(q[1]), abs=1e-10)
    total = sum(m for m, _, _ in car.BODIES.values()) * WEIGHT
    assert rest["tyre.force"] == pytest.approx(-total, rel=1e-9) and rest.stable


def column(k=50.0, length=1.2):
    """A rigid column on a sprung hinge, with a unit load on its top."""
    model = vc.Model("column", gravity=(0, 0, 0))
    post = model.body("post", mass=1, inertia=0.1, at=(0, 0, length / 2))
    model.revolute("foot", model.ground, post, at=(0, 0, 0), axis="y")
    model.spring("hinge", "foot.angle", k=k)
    model.force("P", model.frame("top", post, (0, 0, length)), (0, 0, -1.0))
    return model


def test_a_column_buckles_at_k_over_length():
    sweep = vc.load_sweep(column(), "P", np.linspace(0, 80, 9))
    assert sweep.critical == (pytest.approx(50 / 1.2, rel=1e-9),) and sweep.jumps == ()
    assert sweep.stable.tolist() == [p < 50 / 1.2 for p in sweep.values]
    assert sweep.lowest == pytest.approx((50 - 1.2 * sweep.values) / (0.36 + sweep.equilibria[0].length**2), rel=1e-8)
    assert abs(sweep["foot.angle"]).max() == 0 and "41.66666" in str(sweep)


def test_two_hinged_columns_buckle_at_the_root_of_their_determinant():
    """Two links of length l, springs k at both hinges: det [[2k - Pl, -k], [-k, k - Pl]] = 0, so that
    P l = (3 - sqrt 5)/2 k."""
    model = vc.Model("two links", gravity=(0, 0, 0))
    one = model.body("one", mass=1, inertia=0.1, at=(0, 0, 0.4))
    two = model.body("two", mass=1, inertia=0.1, at=(0, 0, 1.2))
    a = model.revolute("a", model.ground, one, at=(0, 0, 0), axis="y")
    b = model.revolute("b", one, two, at=(0, 0, 0.8), axis="y")
    model.spring("ka", a["angle"], k=30.0)
    model.spring("kb", b["angle"], k=30.0)
    model.force("P", two.frame((0, 0, 1.6)), (0, 0, -1.0))
    sweep = vc.load_sweep(model, "P", [0, 10, 20])
    assert sweep.critical == (pytest.approx((3 - np.sqrt(5)) / 2 * 30 / 0.8, rel=1e-9),)


def test_an_imperfect_column_bends_and_stays_stable():
    """k a = P l sin a + e l cos a has a stable branch that goes on; it must not be left for the unstable one."""
    model = column()
    model.force("side", model.frames["top"], (0.01, 0, 0))
    sweep = vc.load_sweep(model, "P", np.linspace(0, 80, 9))
    a, P = sweep["foot.angle"], sweep.values
    assert 50 * a == pytest.approx(1.2 * (P * np.sin(a) + 0.01 * np.cos(a)), rel=1e-8)
    assert sweep.stable.all() and sweep.critical == () and (np.diff(a) > 0).all() and a[-1] > 1.5


def test_a_shallow_spring_snaps_through_at_the_largest_force():
    model = vc.Model("snap", gravity=(0, 0, 0))
    slider = model.body("slider", mass=1, inertia=0.1, at=(0, 0, 0.3))
    model.prismatic("guide", model.ground, slider, at=(0, 0, 0), axis="z")
    model.spring("s", model.ground.frame((1, 0, 0)), slider.frame((0, 0, 0.3)), k=1000.0)
    model.force("P", slider, (0, 0, -1.0))
    sweep = vc.load_sweep(model, "P", np.linspace(0, 9, 10))
    drawn = np.hypot(1, 0.3)
    z = np.sqrt(drawn ** (2 / 3) - 1)  # where (L0/L - 1) z is largest: L^3 = L0
    assert sweep.jumps == (pytest.approx(1000 * (drawn / np.hypot(1, z) - 1) * z, rel=1e-6),)
    assert sweep["slider.z"][4] > 0.15 and (sweep["slider.z"][5:] < -0.3).all() and sweep.stable.all()


def test_a_sweep_by_a_function_and_over_gravity():
    def stiffen(model, k):
        model.springs["hinge"] = type(model.springs["hinge"])("hinge", model.springs["hinge"].measure, k, 0.0, 0.0, 0.0)

    model = column()
    sweep = vc.load_sweep(model, stiffen, [3.0, 2.0, 1.0])
    assert sweep.critical == (pytest.approx(1.2, rel=1e-9),) and model.springs["hinge"].k == 50.0
    scales = vc.Model("scales")
    pan = scales.body("pan", mass=3, inertia=0.1)
    scales.prismatic("slide", scales.ground, pan, at=(0, 0, 0), axis="z")
    scales.spring("s", "slide.travel", k=400.0)
    sunk = vc.load_sweep(scales, "gravity", [0, 1, 2])["pan.z"]
    assert sunk == pytest.approx(-3 * WEIGHT / 400 * np.arange(3), rel=1e-10) and scales.gravity[2] == -WEIGHT


@pytest.mark.parametrize("change", ["length", "k", "preload"])
def test_a_spring_by_wish_brings_the_wish(change):
    """Round trip: with what is found, a fresh model rests at the wished height."""
    model = car.quarter_car()
    wished = vc.statics(model)["chassis.z"] + 0.02
    found = vc.spring_for(model, "strut", {"chassis.z": wished}, change)
    assert found.equilibrium["chassis.z"] == pytest.approx(wished, abs=1e-9)
    assert vc.statics(found.model)["chassis.z"] == pytest.approx(wished, abs=1e-9)
    assert getattr(found.model.springs["strut"], change) == found.value and model.springs["strut"].length == car.REST


def test_length_and_preload_by_wish_are_the_same_force():
    model = vc.Model("car")
    chassis = model.body("chassis", mass=300, inertia=10, at=(0, 0, 0.4))
    model.prismatic("guide", model.ground, chassis, at=(0, 0, 0), axis="z")
    model.spring("strut", model.ground.frame((0, 0, 0)), chassis.frame((0, 0, 0.4)), k=2e4)
    wish = {"chassis.z": 0.31}
    assert vc.spring_for(model, "strut", wish).value == pytest.approx(0.31 + 300 * WEIGHT / 2e4, rel=1e-9)
    assert vc.spring_for(model, "strut", wish, "k").value == pytest.approx(300 * WEIGHT / 0.09, rel=1e-9)
    assert vc.spring_for(model, "strut", wish, "preload").value == pytest.approx(2e4 * 0.09 - 300 * WEIGHT, rel=1e-9)
