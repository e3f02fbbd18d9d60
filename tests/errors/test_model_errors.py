"""Whatever is wrong with a model, the message says what, in the user's names, with the numbers and a way out."""

import copy
import re

import numpy as np
import pytest

import vincolo as vc
from vincolo.model.model import MEANT

NAN, INF = float("nan"), float("inf")


def rig():
    """Two arms on two hinges: O on the ground, A between them."""
    m = vc.Model("rig")
    arm, bar = m.body("arm", 1, 0.1, at=(0.5, 0, 0)), m.body("bar", 1, 0.1, at=(1.5, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="z")
    m.revolute("A", arm, bar, at=(1, 0, 0), axis="z")
    return m


def place(m, name="arm"):
    return m.bodies[name].frame((0.2, 0.3, 0.1))


NAMES = [
    (lambda m: m.frame("tip", "amr"), "frame 'tip'.*no body called 'amr'.*arm, bar.*Did you mean 'bar'"),
    (lambda m: m.revolute("X", "arm", "brr", at=(0, 0, 0), axis="z"), "revolute joint 'X'.*'brr'.*Did you mean 'bar'"),
    (lambda m: m.revolute("X", 3, "bar", at=(0, 0, 0), axis="z"), "3 is not a body.*model.body"),
    (lambda m: m.drive("O.angel", "t"), "drive 'O.angel': revolute joint 'O'.*it has: angle.*Did you mean 'angle'"),
    (lambda m: m.drive("P.angle", "t"), "nothing called 'P.angle'.*O.angle, A.angle.*Did you mean"),
    (lambda m: m.drive("O", "t"), "'O' is a joint.*'O.angle'"),
    (lambda m: m.drive(3, "t"), "3 is not a measure.*joint\\['angle'\\]"),
    (lambda m: m.joints["O"]["travel"], "revolute joint 'O' has no coordinate 'travel'"),
    (lambda m: m.spring("s", "O.angel", k=1), "spring 's'.*Did you mean 'angle'"),
    (lambda m: m.body("arm", 1), "body 'arm': there is already a body called 'arm'.*choose another"),
    (lambda m: m.revolute("O", "arm", "bar", at=(0, 0, 0), axis="z"), "already a joint called 'O'"),
    (lambda m: m.force("O", "arm", (0, 0, 1)), "force 'O': there is already a joint called 'O'"),
    (lambda m: m.body("ground", 1), "program itself has something called 'ground'"),
    (lambda m: m.body("arm.x", 1), "body 'arm.x': 'arm.x' is a result of 'arm'.*Choose another"),
    (lambda m: m.frame("O.angle.tip", "arm", (0, 0, 0)), "'O.angle' is a result of 'O'"),
    (lambda m: m.body("a..b", 1), "no two in a row"),
    (lambda m: m.body(".b", 1), "no dot at its beginning"),
    (lambda m: m.body("", 1), "a body needs a name"),
    (lambda m: m.body(3, 1), "a body needs a name.*not 3"),
    (lambda m: m.body("x" * 300, 1), "1 to 200 characters"),
    (lambda m: [m.body("new.vx", 1), m.body("new", 1)], "body 'new': there is already a part called 'new.vx'"),
    (lambda m: [m.drive("O.angle", "t") for _ in range(2)], "drive 'O.angle': it is driven already.*remove one"),
]

BODIES = [
    ({"mass": -1}, "body 'x': the mass is -1 kg; it must not be negative.*write 0"),
    ({"mass": -1}, "the mass is -1 kg"),
    ({"mass": NAN}, "body 'x': mass is nan.*finite number"),
    ({"mass": "heavy"}, "mass is 'heavy'"),
    ({"mass": True}, "mass is True"),
    ({"inertia": [1, 1, 3]}, "triangle inequality.*1, 1, 3 kg m2.*units"),
    ({"inertia": -1}, "negative about some axis.*-1, -1, -1.*products"),
    ({"inertia": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, "negative about some axis"),
    ({"inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}, "not symmetric.*both sides"),
    ({"inertia": [1, 1]}, "inertia is \\[1, 1\\].*3x3"),
    ({"inertia": NAN}, "inertia is nan"),
    ({"inertia": "round"}, "inertia is 'round'"),
    ({"at": (0, 0, INF)}, "body 'x': at is .*inf.*three finite numbers"),
    ({"at": (0, 0, 10**400)}, "body 'x': at is .*three finite numbers"),
    ({"at": (0, 0.5, 10**400)}, "body 'x': at is .*three finite numbers"),
    ({"at": (0, 0)}, "at is \\(0, 0\\)"),
    ({"com": (0, NAN, 0)}, "com is .*nan"),
    ({"velocity": 3}, "velocity is 3"),
    ({"angular_velocity": (0, 0, "fast")}, "angular_velocity is"),
    ({"orientation": (0, 0, 0, 0)}, "orientation is .*not all zero"),
    ({"orientation": (1, 0, 0, NAN)}, "orientation is"),
    ({"orientation": np.diag([1, 1, -1])}, "not a rotation.*determinant -1"),
    ({"orientation": np.eye(3) * 1.1}, "not a rotation"),
    ({"orientation": (1, 2, 3, 4, 5)}, "quaternion"),
]

JOINTS = [
    ({"at": (0, 0, 0), "axis": (0, 0, 0)}, "revolute joint 'X': axis is .*points nowhere.*\\(0, 0, 1\\)"),
    ({"at": (0, 0, 0), "axis": (0, NAN, 0)}, "axis is .*nan"),
    ({"at": (0, 0, 0), "axis": "w"}, "axis is 'w'; write 'x', 'y', 'z'"),
    ({"at": (0, 0, 0)}, "the axis is missing.*axis='x'"),
    ({"axis": "z"}, "the point is missing.*world coordinates"),
    ({"at": (0, 0, INF), "axis": "z"}, "at is .*inf"),
    ({"at": (0, 0), "axis": "z"}, "three finite numbers"),
]

PARTS = [
    (lambda m: m.revolute("X", "arm", "arm", at=(0, 0, 0), axis="z"), "same body 'arm'.*the ground"),
    (lambda m: m.distance("X", place(m), place(m)), "distance 'X'.*same body 'arm'"),
    (lambda m: m.distance("X", m.bodies["arm"], m.bodies["bar"]), "two frames are needed"),
    (lambda m: m.distance("X", place(m), place(m, "bar")), "length is .* m; it must be positive.*spherical"),
    (lambda m: m.distance("X", place(m), m.ground.frame((1, 1, 1)), length=-1), "length is -1 m"),
    (lambda m: m.distance("X", place(m), m.ground.frame((1, 1, 1)), length=NAN), "length is nan"),
    (lambda m: m.revolute("X", place(m), "bar", at=(0, 0, 0), axis="z"), "not one of each"),
    (lambda m: m.revolute("X", place(m), place(m, "bar"), at=(0, 0, 0)), "leave out at= and axis="),
    (lambda m: m.universal("X", place(m), place(m, "bar"), axis="x"), "leave out at=, axis= and axis2="),
    (lambda m: m.universal("X", "arm", "bar", at=(0, 0, 0), axis="z", axis2="z"), "same direction.*right angles"),
    (lambda m: m.universal("X", "arm", "bar", at=(0, 0, 0), axis="z"), "two axes are needed"),
    (lambda m: m.bodies["arm"].frame((0, 0, 0), local=(0, 0, 0)), "on body 'arm'.*not both"),
    (lambda m: m.bodies["arm"].frame((0, 0, 0), x="z", z="-z"), "same direction"),
    (lambda m: m.bodies["arm"].frame((0, 0, 0), z=(0, 0, 0)), "z is .*points nowhere"),
    (lambda m: m.bodies["arm"].frame((0, NAN, 0)), "its point is"),
    (lambda m: m.frame("tip", "arm", local=(0, 0)), "frame 'tip' on body 'arm': local is"),
    (lambda m: vc.Model(gravity=-9.81), "gravity is -9.81"),
    (lambda m: setattr(m, "gravity", -9.81), "gravity is -9.81"),
    (lambda m: vc.compile(vc.Model("nothing")), "model 'nothing' has no bodies.*model.body"),
    (lambda m: vc.compile(None), "takes a Model, not NoneType"),
    (lambda m: vc.simulate("rig", 1), "takes a Model, not str.*load_model"),
    (lambda m: vc.simulate(vc.assemble(m), 1), "takes a Model, not State.*state.system, until, start=state"),
    (lambda m: NAN * m.joints["O"]["angle"], "factor of a measure is nan"),
    (lambda m: vc.along("w", place(m), place(m, "bar")), "'x', 'y' or 'z', not 'w'"),
    (lambda m: vc.along_world((0, 0, 0), place(m), place(m, "bar")), "points nowhere"),
    (lambda m: vc.distance(m.bodies["arm"], place(m)), "needs two frames.*body.frame"),
    (lambda m: vc.angle(place(m), place(m)), "same body 'arm' never changes"),
]

FORCES = [
    (lambda m: m.spring("s", place(m), m.ground.frame((1, 1, 1)), k=NAN), "spring 's': k is nan"),
    (lambda m: m.spring("s", place(m), m.ground.frame((1, 1, 1)), k=1, length="long"), "length is 'long'"),
    (lambda m: m.spring("s", place(m), place(m, "bar"), k=1, length=0.2),
     "spring 's': its two points coincide.*Leave them out"),
    (lambda m: m.spring("s", place(m), place(m), k=1), "spring 's'.*same body 'arm'"),
    (lambda m: m.spring("s", place(m), k=1), "spring 's': it needs two frames.*or one measure"),
    (lambda m: m.spring("s", m.bodies["arm"], m.bodies["bar"], k=1), "spring 's': it needs two frames"),
    (lambda m: m.law("L", "O.angle", [3]), "law 'L': the force is \\[3\\].*a finite number is needed"),
    (lambda m: m.law("L", "O.angle", vc.Sine(1, 2)), "law 'L': the force is Sine.*Spline"),
    (lambda m: m.actuator("motor", "O.angle", NAN), "actuator 'motor': the force is nan"),
    (lambda m: m.force("F", "arm", (0, 1)), "force 'F': \\(0, 1\\) is not three components"),
    (lambda m: m.force("F", "arm", 3.0), "force 'F': 3.0 is not three components"),
    (lambda m: m.force("F", "arm", "xyz"), "not three components"),
    (lambda m: m.force("F", "arm", (0, 0, NAN)), "force 'F', component z: .*nan"),
    (lambda m: m.force("F", "arm", (0, [], 0)), "force 'F', component y: a function of time cannot be made"),
    (lambda m: m.force("F", m.ground, (0, 0, 1)), "acts on the ground"),
    (lambda m: m.force("F", 3, (0, 0, 1)), "force 'F': 3 is not a body"),
    (lambda m: m.torque("T", "arm", (0, 0, 1), axes="local"), "torque 'T': axes is 'local'; it is 'world' or 'body'"),
    (lambda m: m.drive("O.angle", [1, 2]), "drive 'O.angle.drive': a function of time cannot be made"),
    (lambda m: m.drive("O.angle", NAN), "drive 'O.angle.drive': .*nan"),
]


@pytest.mark.parametrize(("act", "phrases"), NAMES + PARTS + FORCES)
def test_the_message_says_what_and_where(act, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        act(rig())


@pytest.mark.parametrize(("data", "phrases"), BODIES, ids=str)
def test_bodies_that_cannot_be(data, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        rig().body("x", **{"mass": 1.0, "inertia": 1.0, **data})


@pytest.mark.parametrize(("data", "phrases"), JOINTS, ids=str)
def test_joints_that_cannot_be(data, phrases):
    with pytest.raises(vc.ModelError, match=f"(?s){phrases}"):
        rig().revolute("X", "arm", "bar", **data)


EXPRESSIONS = [
    (lambda m: m.drive("O.angle", "sin(omga*t)"), "drive 'O.angle.drive'", "omga"),
    (lambda m: m.drive(m.joints["O"]["angle"], "2t", name="motor"), "drive 'motor'", "missing before 't'"),
    (lambda m: m.hold("gear", 2 * m.joints["O"]["angle"], "1/0"), "hold 'gear'", "no finite value"),
    (lambda m: m.law("bush", "O.angle", "k*x"), "law 'bush'", "'x' is not known"),
    (lambda m: m.law("bush", "O.angle", "k*d", k=NAN), "law 'bush'", "constant 'k'.*nan"),
    (lambda m: m.actuator("motor", "O.angle", "10*sim(t)"), "actuator 'motor'", "Did you mean 'sin'"),
    (lambda m: m.force("wind", "arm", (0, "t +", 0)), "force 'wind', component y", "ends too early"),
    (lambda m: m.torque("brake", "arm", (0, 0, "w")), "torque 'brake', component z", "'w' is not known"),
]


@pytest.mark.parametrize(("act", "owner", "phrases"), EXPRESSIONS)
def test_a_formula_that_cannot_be_read_is_named_by_its_owner(act, owner, phrases):
    with pytest.raises(vc.ExpressionError, match=f"(?s)^{owner}: .*{phrases}"):
        act(rig())


FOREIGN = [
    lambda m, o: m.revolute("X", o.bodies["arm"], "bar", at=(0, 0, 0), axis="z"),
    lambda m, o: m.revolute("X", o.ground, "bar", at=(0, 0, 0), axis="z"),
    lambda m, o: m.revolute("X", place(o), place(m, "bar")),
    lambda m, o: m.universal("X", place(o), place(m, "bar")),
    lambda m, o: m.distance("X", o.bodies["arm"].frame((1, 1, 1)), place(m, "bar")),
    lambda m, o: m.drive(o.joints["O"]["angle"], "t"),
    lambda m, o: m.hold("X", o.joints["O"]["angle"] + m.joints["O"]["angle"]),
    lambda m, o: m.measure("X", o.joints["O"]["angle"]),
    lambda m, o: m.spring("X", o.bodies["arm"].frame((1, 1, 1)), place(m, "bar"), k=1),
    lambda m, o: m.law("X", o.joints["O"]["angle"], "d"),
    lambda m, o: m.force("X", o.bodies["arm"], (0, 0, 1)),
    lambda m, o: m.torque("X", place(o), (0, 0, 1)),
    lambda m, o: m.frame("X", o.bodies["arm"]),
]


@pytest.mark.parametrize("act", FOREIGN)
def test_bodies_of_another_model_are_refused(act):
    with pytest.raises(vc.ModelError, match="belongs to another model"):
        act(rig(), rig())


def test_a_refused_part_leaves_the_model_as_it_was():
    model = rig()
    before = repr(model), dict(model.holds), dict(model.laws)
    for act, _ in NAMES[:-2] + PARTS + FORCES:
        with pytest.raises(vc.ModelError):
            act(model)
    assert (repr(model), dict(model.holds), dict(model.laws)) == before


@pytest.mark.parametrize("size", [1e-9, 1e9, 1e200])
def test_a_direction_of_any_length_is_a_direction(size):
    joint = rig().revolute("X", "arm", "bar", at=(0, 0, 0), axis=(0, 3 * size, 4 * size))
    assert joint.a.drawn_axes[:, 2] == pytest.approx([0, 0.6, 0.8])


def test_likely_names_of_methods_say_which_one_is_meant():
    """Every name that is listed leads to a method that exists; others to the nearest; private ones stay plain."""
    model = vc.Model("m")
    for name, meant in MEANT.items():
        with pytest.raises(AttributeError, match=rf"a Model has no '{name}'. Did you mean {re.escape(meant)}"):
            getattr(model, name)
        method = meant.split("(")[0]
        assert hasattr(vc, method.removeprefix("vincolo.")) if "." in method else callable(getattr(vc.Model, method))
        assert not hasattr(vc.Model, name)
    with pytest.raises(AttributeError, match="Did you mean 'revolute'"):
        _ = model.revolut
    assert not hasattr(model, "__deepcopy__") and copy.deepcopy(model).name == "m"
