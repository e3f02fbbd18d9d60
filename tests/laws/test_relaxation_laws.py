"""Advice on redundant joints: whoever follows it gets the mechanism that was promised."""

import warnings

import pytest

import vincolo as vc
from linkages import parallelogram

USES = {
    "nothing": lambda m: None,
    "drive": lambda m: m.drive("foot0.angle", "0.2*sin(t)"),
    "spring": lambda m: m.spring("twist", "foot0.angle", k=3.0),
    "law": lambda m: m.law("rub", "foot0.angle", "0.1*dd"),
    "coupling": lambda m: m.couple("tie", {"foot0.angle": 1.0, "foot1.angle": -1.0}),
    "hold of a formula": lambda m: m.hold("sine", vc.formula("sin(x)", x=m.joints["foot0"]["angle"])),
    "measure": lambda m: m.measure("turn", m.joints["foot0"]["angle"]),
    "drive of another hinge": lambda m: m.drive("head1.angle", "0.2*sin(t)"),
}


def relaxed(use: str, changes: list) -> vc.Model:
    """The parallelogram with joints of other kinds in the same frames."""
    model = parallelogram(1.0)
    for change in changes:
        joint = model.joints[change.joint]
        del model.joints[change.joint]
        getattr(model, change.to)(change.joint, joint.a, joint.b)
    USES[use](model)
    return model


@pytest.mark.parametrize("use", USES)
def test_advice_can_be_followed_and_keeps_drives_forces_and_freedom(use):
    """One piece of advice at a time, and all of the plan together: names still exist, the freedom is the same, the
    redundancy is smaller by what was promised, and the mechanism moves as before."""
    before = vc.mobility(relaxed(use, []))
    ways = [[way] for way in before.options] + [list(before.relaxations)]
    assert len(ways) > 1
    for changes in ways:
        if any(change.to == "universal" for change in changes):
            continue  # its second axis is not that of the hinge's frames
        model = relaxed(use, changes)
        after = vc.mobility(model)
        assert after.generic == before.generic, changes
        assert after.redundant == before.redundant - sum(change.removes for change in changes), changes
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert vc.simulate(model, 0.05, outputs=2).complete
