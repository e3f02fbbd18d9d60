"""Sub-models: names, places, what is copied and what is refused."""

import numpy as np
import pytest

import vincolo as vc
from mechanisms import rotation
from vincolo.equations.joints import CATALOGUE
from vincolo.model.joint import Joint
from walking_legs import body, leg

NAN, INF = float("nan"), float("inf")


@pytest.fixture
def walker():
    m = body()
    left = m.add("left", leg(), at=(0, 0, 1), on="trunk")
    return m, left, m.add("right", leg(rate=300), at=(0, 0, 1), mirror="y", on="trunk")


def test_parts_have_paths_as_names(walker):
    m, left, _ = walker
    assert set(m.bodies) == {"trunk", "left.arm", "left.foot", "right.arm", "right.foot"}
    for kind, members in m.groups().items():
        for name, part in members.items():
            assert part.name == name, kind
    assert left.name == "left" and left.on is m.bodies["trunk"]


def test_a_part_is_found_by_its_short_name(walker):
    m, left, right = walker
    assert left["arm"] is m.bodies["left.arm"] and right["arm"] is m.bodies["right.arm"]
    assert left["hip"] is m.joints["left.hip"] and left["toe"] is m.frames["left.toe"]
    assert left["strut"] is m.springs["left.strut"] and right["stop"] is m.laws["right.stop"]
    assert left["push"] is m.loads["left.push"] and left["reach"] is m.measures["left.reach"]
    assert left["slide.travel.drive"] is m.holds["left.slide.travel.drive"]
    assert left["hip.angle"].name == "left.hip.angle"


def test_the_parent_connects_to_parts(walker):
    m, left, right = walker
    rope = m.body("rope", 0.5, 0.01, at=(0, 0, 0.6))  # below the hips: level with them is singular
    m.spherical("tie", left["foot"], rope, at=(0, 0.8, 0.6))
    m.spherical("knot", rope, right["foot"], at=(0, -0.8, 0.6))
    m.spring("band", left["toe"], right["toe"], k=10)
    m.frame("knee", "left.arm", (0, 0.4, 1))
    m.law("friction", "left.hip.angle", "0.1*dd")
    m.actuator("motor", right["hip"]["angle"], 1.0)
    m.hold("gait", "right.hip.angle", "0.1*t")
    result = vc.simulate(m, 0.01, outputs=2)
    for name in ("left.foot.z", "left.strut.force", "right.hip.angle.rate", "left.slide.travel.drive.force", "knee.x",
                 "left.toe.vx", "right.strut.rate", "left.reach.rate", "right.push.power", "friction.force"):
        assert np.isfinite(result[name]).all(), name
    assert result.point("left.toe").shape == (3, 3) and result.reaction("right.hip").force.shape == (3, 3)


def test_drives_that_no_speed_can_follow_are_refused(walker):
    """Feet tied to each other level with the hips are in a singular position, where three given speeds of two freedoms
    agree; no velocity leads out of it, and none of 1e12 m/s is made up."""
    m, left, right = walker
    m.spherical("tie", left["foot"], right["foot"], at=(0, 0, 1))
    m.hold("gait", "right.hip.angle", "0.1*t")
    state = vc.assemble(m)
    assert np.abs(state.y).max() < 10
    with pytest.raises(vc.SimulationError, match="the start is a singular position"):
        vc.simulate(m, 0.01, outputs=2)


def test_a_coordinate_can_be_driven_and_given_by_its_path():
    m = body()
    m.add("left", leg(), on="trunk")
    m.drive("left.hip.angle", "0.2 + t")
    m.fixed("stand", m.ground, m.bodies["trunk"], at=(0, 0, 1))
    assert vc.assemble(m)["left.hip.angle"] == pytest.approx(0.2)
    other = body()
    other.add("left", leg(), on="trunk")
    assert vc.assemble(other, {"left.hip.angle": 0.3})["left.hip.angle"] == pytest.approx(0.3)


def test_the_sub_model_is_not_changed_and_stays_usable():
    sub = leg()
    before = vc.simulate(sub, 0.2, outputs=4)
    m = body()
    m.add("left", sub, at=(1, 2, 3), mirror="y", on="trunk")
    m.body("late", 1)
    after = vc.simulate(sub, 0.2, outputs=4)
    assert (before.y == after.y).all() and sub.submodels == {} and set(sub.bodies) == {"arm", "foot"}
    sub.body("later", 1)
    assert "left.later" not in m.bodies


def test_parameters_are_arguments_of_the_function_that_builds_it(walker):
    m, left, right = walker
    assert (left["strut"].k, right["strut"].k) == (200, 300)


def test_gravity_is_the_parents(walker):
    m, _, _ = walker
    assert m.gravity.tolist() == [0, 0, -9.80665] and vc.compile(m).gravity[2] == -9.80665


def test_parts_drawn_on_the_ground_stand_on_the_carrier_as_drawn():
    m = body()
    R = rotation(np.random.default_rng(3))
    tilted = m.body("tilted", 1, 1, at=(5, 6, 7), orientation=R)
    left = m.add("left", leg(), at=(0, 0, 1), on=tilted)
    assert left["seat"].body is tilted
    assert left["seat"].drawn_point == pytest.approx([0, 0.3, 1.5])
    assert left["seat"].drawn_axes == pytest.approx(np.eye(3), abs=1e-15)
    assert left["hip"].a.body is tilted and left["hip"].a.drawn_point == pytest.approx([0, 0.1, 1])


def test_velocities_are_added_to_those_of_the_carrier():
    m = vc.Model()
    turntable = m.body("turntable", 1, 1, at=(1, 0, 0), velocity=(0, 0, 2), angular_velocity=(0, 0, 3))
    left = m.add("left", leg(), at=(1, 0, 0), on=turntable)
    assert left["arm"].velocity == pytest.approx([-3 * 0.4, 0, 2 + 0.1])
    assert left["arm"].angular_velocity == pytest.approx([0.5, 0, 3])
    mirrored = m.add("right", leg(), at=(1, 0, 0), mirror="y", on=turntable)
    assert mirrored["arm"].velocity == pytest.approx([3 * 0.4, 0, 2 + 0.1])
    assert mirrored["arm"].angular_velocity == pytest.approx([-0.5, 0, 3])


def test_without_mirror_and_orientation_all_numbers_stay_as_they_are():
    sub, m = leg(), vc.Model()
    placed = m.add("leg", sub)
    for name, b in sub.bodies.items():
        for field in ("mass", "inertia", "at", "orientation", "com", "velocity", "angular_velocity"):
            assert np.array_equal(getattr(placed[name], field), getattr(b, field)), field
    for name, load in sub.loads.items():
        assert placed[name].components == load.components
    assert placed["reach"].terms[0][1] == sub.measures["reach"].terms[0][1]


def test_frames_shared_in_the_sub_model_are_shared_in_the_copy(walker):
    _, left, _ = walker
    assert left["strut"].measure.terms[0][2] is left["seat"] and left["push"].frame is left["toe"]


def test_mirrored_frames_are_right_handed(walker):
    _, _, right = walker
    for frame in (right["toe"], right["seat"], right["hip"].a, right["hip"].b):
        assert np.linalg.det(frame.axes) == pytest.approx(1)
        assert frame.axes @ frame.axes.T == pytest.approx(np.eye(3), abs=1e-15)
    assert right["toe"].drawn_point == pytest.approx([0.1, -0.9, 1])


@pytest.mark.parametrize("kind", CATALOGUE)
def test_rows_and_coordinates_of_every_joint_have_the_same_value_in_the_mirror(kind, rng):
    """Values of all equations between two frames that stand anywhere."""
    given = {"cam": {"profile": vc.Sine(0.2, 1, 0.3, 2)}, "flat_cam": {"support": vc.Sine(0.2, 1, 0.3, 2)},
             "point_on_curve": {"path": (vc.Sine(2, 3), vc.Polynomial([1, 2, 3]))}}
    sub, m = vc.Model(), vc.Model()
    for name in ("a", "b"):
        sub.body(name, 1, 1, at=rng.normal(size=3), orientation=rotation(rng))
    first, second = (sub.bodies[n].frame(rng.normal(size=3), z=rng.normal(size=3)) for n in "ab")
    sub.joints["J"] = Joint("J", kind, first, second, parameters=given.get(kind, CATALOGUE[kind].parameters))
    image = m.add("image", sub, at=(1, 2, 3), orientation=rotation(rng), mirror="z")["J"]
    for found, row in zip(image.rows, sub.joints["J"].rows, strict=True):
        plain = row.measure.tape is None and len(row.measure.terms) == 1 and row.value == 0  # its sign does not matter
        seen = abs if plain else float
        assert seen(found.measure.drawn_value) == pytest.approx(seen(row.measure.drawn_value), abs=1e-13)
        assert found.value == pytest.approx(row.value, abs=1e-13)
        assert (found.level, found.resists) == (row.level, row.resists)
    for name, coordinate in sub.joints["J"].coordinates.items():
        assert image[name].drawn_value == pytest.approx(coordinate.drawn_value, abs=1e-13), name


def test_functions_of_time_are_added_up(rng):
    sub, m, turn = vc.Model(), vc.Model(), rotation(rng)
    given = ("t^2", "t^2", vc.Ramp(2, 0.5))
    sub.force("f", sub.body("ball", 1, 1), given)
    inner = vc.Model()
    inner.add("inner", sub, orientation=turn)
    m.add("once", inner)
    m.add("twice", inner, orientation=turn.T)
    functions = sub.loads["f"].components
    for t in (0.3, 3.0):
        values = np.array([f.derivatives(t) for f in functions])
        for name, Q in (("once", turn), ("twice", np.eye(3))):
            found = [f.derivatives(t) for f in m.loads[f"{name}.inner.f"].components]
            assert np.array(found) == pytest.approx(Q @ values, abs=1e-14)
    assert all(set(f.breaks) == {0.5} for f in m.loads["once.inner.f"].components)


def walk(levels):
    """A model in a model in a model ..."""
    m = leg()
    for k in range(levels):
        outer = vc.Model(f"level{k}")
        outer.body("base", 1, 1)
        outer.add(f"L{k}", m, on="base" if k % 2 else None, mirror="y" if k % 2 else None)
        m = outer
    return m


def test_names_make_a_tree():
    m = walk(3)
    assert set(m.bodies) == {"base", "L2.base", "L2.L1.base", "L2.L1.L0.arm", "L2.L1.L0.foot"}
    assert set(m.submodels) == {"L2", "L2.L1", "L2.L1.L0"}
    top = m.submodels["L2"]
    arm = m.bodies["L2.L1.L0.arm"]
    assert top["L1"]["L0"]["arm"] is arm and top["L1.L0.arm"] is arm and top["L1"]["L0.arm"] is arm
    assert top["L1.L0"] is m.submodels["L2.L1.L0"] and top["L1"]["L0"] is m.submodels["L2.L1.L0"]
    assert top["L1.L0.hip.angle"].name == "L2.L1.L0.hip.angle"
    assert m.submodels["L2.L1"].on is m.bodies["L2.base"]
    assert "L2.L1.L0.arm.x" in vc.simulate(m, 0.01, outputs=1).keys()  # noqa: SIM118 - a result is no dictionary


def test_many_levels_and_long_paths():
    m = walk(40)
    path = ".".join(f"L{k}" for k in reversed(range(40)))
    assert f"{path}.arm" in m.bodies and len(m.submodels) == 40
    assert np.isfinite(vc.assemble(m)[f"{path}.foot.z"])


def test_a_model_without_parts_can_be_added():
    m = vc.Model()
    assert m.add("nothing", vc.Model()).parts == {}


def test_loads_in_world_axes_turn_with_the_place():
    sub = vc.Model()
    ball = sub.body("ball", 1, 1)
    sub.force("f", ball, (1, 2, 3))
    sub.force("g", ball, (0, vc.Sine(2, 3), 0))
    sub.torque("spin", ball, (vc.Spline([0, 1, 2], [1, 5, -1]), 0, 0))
    sub.force("own", ball, ("2*t", 1, vc.Ramp(1)), axes="body")
    m = vc.Model()
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    turned = m.add("turned", sub, orientation=quarter)
    m.add("seen", sub, orientation=quarter, mirror="x")
    at = 0.7
    values = {n: [f(at) for f in p.components] for n, p in m.loads.items()}
    sine, spline = vc.Sine(2, 3)(at), vc.Spline([0, 1, 2], [1, 5, -1])(at)
    assert values["turned.f"] == pytest.approx([-2, 1, 3]) and values["seen.f"] == pytest.approx([-2, -1, 3])
    assert values["turned.g"] == pytest.approx([-sine, 0, 0]) and values["seen.g"] == pytest.approx([-sine, 0, 0])
    assert values["turned.spin"] == pytest.approx([0, spline, 0]) == values["seen.spin"]
    assert turned["own"].components == sub.loads["own"].components
    assert values["seen.own"] == pytest.approx([-2 * at, 1, at])


REFUSED = [
    (lambda m: m.add("left", leg()), "sub-model 'left': there is already a sub-model called 'left'.*choose another"),
    (lambda m: m.add("trunk", leg()), "sub-model 'trunk': there is already a body called 'trunk'"),
    (lambda m: m.body("left", 1), "body 'left': there is already a sub-model called 'left'"),
    (lambda m: m.hold("left.strut", "left.hip.angle"), "hold 'left.strut': there is already a spring called"),
    (lambda m: [m.hold("new.strut", "left.hip.angle"), m.add("new", leg())],
     "spring 'new.strut': there is already a drive called 'new.strut'"),
    (lambda m: m.add("a.b", leg()), "sub-model 'a.b': a name has no '.' in it"),
    (lambda m: m.add("", leg()), "a sub-model needs a name"),
    (lambda m: m.add(3, leg()), "a sub-model needs a name.*not 3"),
    (lambda m: m.add("energy", leg()), "program itself has something called 'energy'"),
    (lambda m: m.add("residual", leg()), "program itself has something called 'residual'"),
    (lambda m: m.add("new", leg), "sub-model 'new': <function leg.*is not a Model.*pass what it returns"),
    (lambda m: m.add("new", vc.compile(leg())), "is not a Model"),
    (lambda m: m.add("new", m), "sub-model 'new': a model cannot be added to itself.*of its own"),
    (lambda m: m.add("new", leg(), at=(0, NAN, 0)), "sub-model 'new': at is .*nan.*three finite numbers"),
    (lambda m: m.add("new", leg(), at=(0, INF, 0)), "sub-model 'new': at is .*inf"),
    (lambda m: m.add("new", leg(), at=3), "sub-model 'new': at is 3"),
    (lambda m: m.add("new", leg(), orientation=(0, 0, 0, NAN)), "sub-model 'new': orientation is .*nan"),
    (lambda m: m.add("new", leg(), orientation=np.diag([1, -1, 1])), "orientation: the matrix is not a rotation"),
    (lambda m: m.add("new", leg(), mirror="q"), "sub-model 'new': mirror is 'q'; it is None, 'x', 'y' or 'z'.*right"),
    (lambda m: m.add("new", leg(), mirror=(0, 1, 0)), "mirror is \\(0, 1, 0\\); it is None"),
    (lambda m: m.add("new", leg(), mirror=np.array([0, 1, 0])), "mirror is array.*it is None"),
    (lambda m: m.add("new", leg(), on="trunc"), "sub-model 'new': on: there is no body called 'trunc'.*'trunk'"),
    (lambda m: m.add("new", leg(), on="left.am"), "no body called 'left.am'.*Did you mean 'left.arm'"),
    (lambda m: m.add("new", leg(), on=body().bodies["trunk"]), "on: body 'trunk' belongs to another model"),
    (lambda m: m.add("new", leg(), on=leg().ground), "on: body 'ground' belongs to another model"),
    (lambda m: m.add("new", leg(), on=m.submodels["left"]), "sub-model 'new': on: .*is not a body"),
    (lambda m: m.submodels["left"]["foott"], "sub-model 'left': it has nothing called 'foott'.*It has: arm, foot.*"
                                             "Did you mean 'foot'"),
    (lambda m: m.submodels["left"]["hip.angel"], "revolute joint 'left.hip' has no coordinate 'angel'.*'angle'"),
    (lambda m: m.submodels["left"][3], "sub-model 'left': a part is read by its name.*not by 3"),
    (lambda m: m.drive("left.hip.angel", 0), "drive 'left.hip.angel': revolute joint 'left.hip'.*Did you mean 'angle'"),
    (lambda m: m.drive("left.hip", 0), "'left.hip' is a joint.*'left.hip.angle'"),
    (lambda m: m.drive("lefd.hip.angle", 0), "nothing called 'lefd.hip.angle'.*Did you mean 'left.hip.angle'"),
    (lambda m: m.drive("left.slide.travel", 0), "drive 'left.slide.travel': it is driven already"),
    (lambda m: m.spherical("x", leg().bodies["arm"], m.bodies["trunk"], at=(0, 0, 0)), "'arm' belongs to another"),
    (lambda m: m.revolute("x", m.bodies["left.arm"], m.bodies["left.arm"], at=(0, 0, 0), axis="x"),
     "both sides are on the same body 'left.arm'"),
    (lambda m: vc.simulate(m, 0.01)["left.fooot.x"], "no channel called 'left.fooot.x'. Did you mean 'left.foot.x'"),
    (lambda m: vc.simulate(m, 0.01)["left.foot"], "no channel called 'left.foot'.*'left.foot' has: x, "),
    (lambda m: vc.simulate(m, 0.01).reaction("left.hop"), "no joint called 'left.hop'.*Did you mean 'left.hip'"),
]


@pytest.mark.parametrize(("act", "phrases"), REFUSED)
def test_the_message_says_what_and_where(walker, act, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        act(walker[0])


def test_a_refused_sub_model_leaves_the_model_as_it_was(walker):
    m, _, _ = walker
    m.hold("new.strut", "left.hip.angle")
    before = {kind: dict(members) for kind, members in m.groups().items()}
    with pytest.raises(vc.ModelError):
        m.add("new", leg())
    assert m.groups() == before


def broken(**change):
    """A four-bar that cannot be closed."""
    m = vc.Model("four-bar")
    a, b = m.body("crank", 1, 0.1, at=(0, 0, 1)), m.body("rocker", 1, 0.1, at=(5, 0, 1))
    m.revolute("A", m.ground, a, at=(0, 0, 0), axis="y")
    m.revolute("B", m.ground, b, at=(5, 0, 0), axis="y")
    m.distance("coupler", a.frame((0, 0, 2)), b.frame((5, 0, 2)), length=50.0)
    return m


def test_errors_of_assembly_show_the_path():
    m = vc.Model("hall")
    m.add("press", broken())
    with pytest.raises(vc.AssemblyError, match="distance 'press.coupler' \\(press.crank - press.rocker\\)"):
        vc.assemble(m)


def test_errors_of_compiled_models_show_the_path():
    sub = vc.Model("sub")
    rod = sub.body("rod", 1, 0.0)
    sub.spherical("end", sub.ground, rod, at=(1, 0, 0))
    sub.torque("twist", rod, (0.1, 0, 0))  # about the axis without inertia
    m = vc.Model("hall")
    m.add("press", sub)
    with pytest.raises(vc.ModelError, match="body 'press.rod' has no inertia about an axis"):
        vc.simulate(m, 1.0)
    two = vc.Model("two")
    wheel = two.body("wheel", 1, 1)
    two.revolute("axle", two.ground, wheel, at=(0, 0, 0), axis="y")
    two.drive("axle.angle", "t", name="first")
    two.drive("axle.angle", "2*t", name="second")
    m = vc.Model("hall")
    m.add("press", two)
    with pytest.raises(vc.ModelError, match="'press.first', 'press.second' fight for the same motion"):
        vc.assemble(m)


@pytest.mark.parametrize("mirror", [None, "x", "y", "z"])
def test_moving_frames_and_switches_come_along(mirror, rng):
    """Two bodies on frames that move on the ground; one is let go."""
    def part():
        sub = vc.Model(gravity=(0, 0, 0))
        for k, axis in enumerate("xyz"):
            body = sub.body(f"body{k}", 1, [0.1, 0.15, 0.2], at=(k, 0.5, 0.2))
            place = sub.ground.frame((k, 0.4, 0), z=(1, 2, 3), x=(0, 1, 0))
            moving = place.moving("0.1*t", "0.2*t^2", "sin(t)", angle="t + t^2", axis=axis)
            sub.fixed(f"J{k}", moving, body.frame((k, 0.4, 0), z=(1, 2, 3), x=(0, 1, 0)))
        sub.switch("J1", False, at=0.5)
        return sub
    whole = vc.Model(gravity=(0, 0, 0))
    whole.add("part", part(), mirror=mirror)
    tight = vc.DOP853(rtol=1e-11, atol=1e-12)
    alone, placed = (vc.simulate(m, 1.0, outputs=20, integrator=tight) for m in (part(), whole))
    M = np.array([-1.0 if axis == mirror else 1.0 for axis in "xyz"])
    for k in range(3):
        for axis, sign in zip("xyz", M, strict=True):
            found = placed[f"part.body{k}.{axis}"]
            assert found == pytest.approx(sign * alone[f"body{k}.{axis}"], abs=1e-9)


def test_parts_that_are_removed_are_forgotten():
    sub, whole = vc.Model(), vc.Model()
    sub.spherical("pivot", sub.ground, sub.body("arm", 1.0, 0.1), at=(0, 0, 0))
    placed = whole.add("left", sub)
    assert whole.remove("left.arm") == ["left.pivot"]
    with pytest.raises(vc.ModelError, match="it has nothing called 'arm'"):
        placed["arm"]
    with pytest.raises(vc.ModelError, match="it has nothing called 'pivot'"):
        placed["pivot"]
