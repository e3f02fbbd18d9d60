"""Removal: whatever is taken out of a model takes all that hangs on it along, and nothing else."""

from dataclasses import fields, is_dataclass

import pytest

import vincolo as vc

#: what each part of the model below stands on, directly
ON = {
    "arm": [], "link": [], "wheel": [], "tool": [], "block": [],
    "P": ["arm"], "Q": ["link"], "R": ["wheel"],
    "shoulder": ["arm"], "elbow": ["arm", "link"], "axle": ["link", "wheel"], "by frames": ["P", "Q"],
    "slide": ["P", "tool"], "rail": ["block"],
    "shoulder.angle.drive": ["shoulder"], "motor": ["axle"], "lead.z": ["R"], "steady": ["elbow"],
    "gear": ["shoulder", "elbow"], "curve": ["bend"], "even": ["reach", "shoulder"],
    "bend": ["elbow"], "reach": ["P", "R"], "sum": ["shoulder", "axle"], "own": ["P", "Q"],
    "strut": ["P", "Q"], "twist": ["axle"], "on bend": ["bend"], "on reach": ["reach"], "pull": ["Q", "R"],
    "rub": ["elbow"], "press": ["reach"], "bow": ["own"], "fly": ["axle"], "on the bend": ["bend"],
    "push": ["P"], "weight": ["tool"], "turn": ["link"], "moving": ["P"], "touch": ["link"],
    "u": [], "gain": [], "lag": ["u", "gain"], "follow": ["lag", "elbow"], "servo": ["follow", "rail"],
    "back": ["lag"], "forth": ["back"], "aim": ["u", "block"], "seen": ["follow", "rail"], "load": ["rail"],
    "left": ["arm"], "left.foot": ["left"], "left.leg": ["left"], "left.hip": ["left", "left.leg", "arm"],
    "left.knee": ["left", "left.foot", "left.leg"], "left.swing": ["left", "left.hip"],
    "click": ["elbow", "rail", "gain", "reach"],
    "meant": ["axle"], "room": ["reach"], "left.meant": ["left", "left.knee"], "right.meant": ["right", "right.knee"],
    "end": ["rail"], "dry": ["elbow"], "scrape": ["end", "reach"], "held back": ["rail", "shoulder"],
    "left.limit": ["left", "left.hip"], "left.dry": ["left", "left.knee"],
    "right.limit": ["right", "right.hip"], "right.dry": ["right", "right.knee"],
    "left.step": ["left", "left.hip", "left.knee"], "right.step": ["right", "right.hip", "right.knee"],
    "left.in": ["left"], "left.in.toe": ["left.in"], "left.in.tip": ["left.in", "left.in.toe"],
    "right": [], "right.foot": ["right"], "right.leg": ["right"], "right.hip": ["right", "right.leg"],
    "right.knee": ["right", "right.foot", "right.leg"], "right.swing": ["right", "right.hip"],
    "right.in": ["right"], "right.in.toe": ["right.in"], "right.in.tip": ["right.in", "right.in.toe"],
}


#: in a file a formula or sum is made of coordinates and frames, not of measures with names
IN_FILES = {**ON, "curve": ["elbow"], "even": ["P", "R", "shoulder"], "own": ["by frames", "P", "Q"]}


def leg() -> vc.Model:
    toe = vc.Model("toe")
    toe.frame("tip", toe.body("toe", 0.1, 0.1, at=(0, 0, -3)), (0, 0, -3.1))
    model = vc.Model("leg")
    upper, lower = model.body("leg", 1.0, 0.1, at=(0, 0, -1)), model.body("foot", 1.0, 0.1, at=(0, 0, -2))
    model.revolute("hip", model.ground, upper, at=(0, 0, 0), axis="y")
    model.revolute("knee", upper, lower, at=(0, 0, -1.5), axis="y")
    model.spring("swing", "hip.angle", k=2.0)
    model.event("step", "hip.angle - 0.5", switch_off="knee")
    model.stop("limit", "hip.angle", at_least=-1.0, at_most=2.0)
    model.friction("dry", "knee", 0.1, radius=0.01)
    model.range("meant", "knee.angle", at_most=1.5)
    model.add("in", toe)
    return model


def model_of_everything() -> vc.Model:
    m = vc.Model("everything")
    arm, link = m.body("arm", 1.0, 0.1, at=(0, 0, 0), colour="red"), m.body("link", 1.0, 0.1, at=(1, 0, 0))
    wheel, tool = m.body("wheel", vc.cylinder(0.2, 0.1, mass=1.0), at=(2, 0, 0)), m.body("tool", 1.0, 0.1, at=(0, 1, 0))
    block = m.body("block", 1.0, 0.1, at=(5, 0, 0))
    P, Q, R = m.frame("P", arm, (0.2, 0.1, 0)), m.frame("Q", link, (1.2, 0.1, 0.4)), m.frame("R", wheel, (2, 0.1, 0.3))
    m.revolute("shoulder", m.ground, arm, at=(-0.5, 0, 0), axis="y")
    m.revolute("elbow", arm, link, at=(0.5, 0, 0), axis="y")
    m.revolute("axle", link, wheel, at=(1.5, 0, 0), axis="y")
    m.distance("by frames", P, Q)
    m.guide("slide", P.moving(x="0.1*sin(t)"), tool.frame((0.2, 0.1, 0)))
    m.prismatic("rail", m.ground, block, at=(5, 0, 0), axis="x")
    m.drive("shoulder.angle", "t")
    m.drive("axle.angle", 2.0, name="motor", level="velocity")
    m.trajectory("lead", R, (None, None, "0.3"))
    m.hold("steady", "elbow.angle", 0.0)
    m.couple("gear", {"shoulder.angle": 2.0, "elbow.angle": -1.0})
    m.measure("bend", m.joints["elbow"]["angle"])
    m.measure("reach", vc.distance(P, R))
    m.measure("sum", m.joints["shoulder"]["angle"] + m.joints["axle"]["angle"])
    m.measure("own", vc.distance(P, Q))  # the same as "by frames" holds, but between frames that have names
    m.hold("curve", vc.formula("sin(x)", x=m.measures["bend"]))
    m.couple("even", {"reach": 1.0, "shoulder.angle": 1.0})
    m.spring("strut", P, Q, k=10.0)
    m.spring("twist", "axle.angle", k=1.0)
    m.spring("on bend", "bend", k=1.0)
    m.spring("on reach", "reach", k=1.0)
    m.spring("pull", Q, R, k=3.0)
    m.law("rub", "elbow.angle", "0.1*dd")
    m.actuator("press", "reach", "sin(t)")
    m.law("bow", "own", "d")
    m.rotor("axle.angle", 0.1, 3.0, name="fly")
    m.rotor("bend", 0.2, name="on the bend")
    m.force("push", P, (1, 0, 0))
    m.force("moving", P.moving(y="t"), (1, 0, 0))
    m.force("weight", tool, (0, 0, "-t"))
    m.torque("turn", "link", (0, 1, 0))
    m.look("link", "box", size=(1, 0.1, 0.1))
    m.contact("touch", m.ground, "link", "plane", stiffness=1e3)
    for owner in ("elbow", "motor", "rail"):
        m.switch(owner, False, at=1.0)
    m.input("u", value=1.0, unit="N", between="linear")
    m.variable("gain", 2.0)
    m.state("lag", "gain*(u - lag)/T", T=0.2)
    m.state("follow", "lag - elbow.angle", 0.1, unit="rad", size=10.0)
    m.state("back", 0.0)
    m.state("forth", "back")
    m.rate("back", "lag")
    m.actuator("servo", "rail.travel", "k*follow", k=2.0)
    m.hold("aim", vc.along_world("z", m.ground.frame((0, 0, 0)), block.frame((5, 0, 1))), "1 + 0*u")
    m.output("seen", "follow + rail.travel", unit="m")
    m.output("load", "rail.reaction.force.z")
    m.event("click", "elbow.angle - 1", switch_off="rail", set={"gain": "gain + 1"}, strike={"reach": 0.1}, stop=True)
    add_bounds(m)
    m.law("held back", "rail.travel", "0.1*shoulder.reaction.force*dd", reactions="solved")
    m.add("left", leg(), on="arm")
    m.add("right", leg(), at=(0, 3, 0), mirror="y")
    return m


def add_bounds(m: vc.Model) -> None:
    """What bounds, rubs on and watches the measures of the model."""
    m.stop("end", "rail.travel", at_most=2.0, restitution=0.5)
    m.friction("dry", "elbow", 0.1, radius=0.01, mu_static=0.2)
    m.friction("scrape", "end", 0.3, along="reach")
    m.range("meant", "axle.angle", at_least=-1.0, at_most=1.0)
    m.range("room", "reach", at_most=3.0)


def names(model: vc.Model) -> set[str]:
    return {name for group in model.groups().values() for name in group}


def reached(thing: object, seen: dict[int, object]) -> dict[int, object]:
    """All objects that a part refers to, itself included, by identity."""
    if id(thing) in seen or isinstance(thing, str | int | float | bool | type(None)):
        return seen
    seen[id(thing)] = thing
    inner = [getattr(thing, f.name) for f in fields(thing)] if is_dataclass(thing) else []
    inner += list(thing.values()) if isinstance(thing, dict) else []
    for part in [*inner, *(thing if isinstance(thing, tuple | list) else ())]:
        reached(part, seen)
    return seen


def closure(name: str, table: dict[str, list[str]] = ON) -> set[str]:
    """A part with all that stands on it, by the table."""
    gone = {name}
    while True:
        more = {n for n, owners in table.items() if n not in gone and gone & set(owners)}
        if not more:
            return gone
        gone |= more


def test_the_table_has_every_part_and_every_kind():
    model = model_of_everything()
    assert names(model) == set(ON)
    assert all(model.groups().values()), "a kind of part is missing"


@pytest.mark.parametrize("name", ON)
def test_removal_takes_what_hangs_on_a_part_and_nothing_else(name, tmp_path):
    model = model_of_everything()
    parts = {n: part for group in model.groups().values() for n, part in group.items()}
    lost = model.remove(name)
    assert {name, *lost} == closure(name) and len(lost) == len(set(lost)) and name not in lost
    assert names(model) == set(ON) - closure(name)
    kept = [part for group in model.groups().values() for part in group.values()]
    left = reached(kept, {})
    for gone in {name, *lost}:
        assert id(parts[gone]) not in left, f"{gone} is still referred to"
        assert gone not in model.looks and gone not in model.colours
    assert all(s.owner in names(model) for s in model.switches)
    if not model.bodies:
        return
    system = vc.compile(model)
    channels = system.drawn.channels.keys()
    assert not any(c.startswith(f"{gone}.") for c in channels for gone in {name, *lost})
    again = vc.load_model(vc.save_model(model, tmp_path / "left.yaml"))
    assert names(again) == names(model)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return vc.save_model(model_of_everything(), tmp_path_factory.mktemp("removal") / "everything.yaml")


@pytest.mark.parametrize("name", ["arm", "P", "elbow", "shoulder", "axle", "by frames", "reach", "bend", "left"])
def test_removal_from_a_model_that_was_read_is_the_same(name, file):
    model = vc.load_model(file)
    assert {name, *model.remove(name)} == closure(name, IN_FILES)


def test_what_is_not_there_cannot_be_removed():
    with pytest.raises(vc.ModelError, match="nothing called 'elbo' in this model. Did you mean 'elbow'"):
        model_of_everything().remove("elbo")
