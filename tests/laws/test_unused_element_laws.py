"""No attribute or element of a URDF or MJCF file is passed over in silence: added or changed, it changes the model, is
listed, or refused."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from read_twice import SHARES, Outcome, drawn, is_noticed, outcome
from vincolo.formats.document import Document
from vincolo.formats.mjcf import read_mjcf
from vincolo.formats.urdf import read_urdf

INERTIAL = ('<inertial><origin xyz="0.1 0 0.02" rpy="0 0.1 0"/><mass value="2"/>'
            '<inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.1" iyz="0" izz="0.12"/></inertial>')
URDF = f"""<robot name="arm" version="1.0">
<link name="base"/>
<link name="upper">{INERTIAL}<visual name="v"><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry>
<material name="red"><color rgba="1 0 0 1"/></material></visual></link>
<link name="fore">{INERTIAL}</link>
<link name="tool"><inertial><mass value="0"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="car">{INERTIAL}</link>
<link name="ball">{INERTIAL}</link>
<link name="sheet">{INERTIAL}</link>
<joint name="shoulder" type="revolute"><origin xyz="0 0 1" rpy="0 0 0.2"/><parent link="base"/><child link="upper"/>
<axis xyz="0 1 0.1"/><limit lower="-1" upper="1" effort="5" velocity="2"/>
<dynamics damping="0.1" friction="0.3"/></joint>
<joint name="elbow" type="continuous"><origin xyz="0 0 0.5"/><parent link="upper"/><child link="fore"/>
<axis xyz="0 1 0"/><mimic joint="shoulder" multiplier="2" offset="0.1"/></joint>
<joint name="grip" type="fixed"><origin xyz="0 0 0.3"/><parent link="fore"/><child link="tool"/>
<axis xyz="0 1 0"/></joint>
<joint name="rail" type="prismatic"><parent link="base"/><child link="car"/><dynamics damping="2"/></joint>
<joint name="free" type="floating"><parent link="base"/><child link="ball"/><axis xyz="1 0 0"/></joint>
<joint name="table" type="planar"><parent link="base"/><child link="sheet"/>
<axis xyz="0 0 1"/><dynamics damping="1"/></joint>
<transmission name="t"><type>simple</type></transmission>
</robot>"""
MJCF = """<mujoco model="arm">
<compiler angle="radian" eulerseq="XYZ"/>
<option gravity="0.3 0.4 -9.5" timestep="0.002"/>
<default><joint damping="0.2"/><motor gear="3"/><default class="heavy">
<geom density="2500" rgba="1 0 0 1"/><joint stiffness="1"/><site pos="0 1 0"/><equality active="false"/></default>
<default class="light"><geom density="250"/><joint stiffness="2" damping="0.3" springref="0.1"/>
<site pos="0 2 0" euler="0.1 0 0"/><equality active="false"/></default></default>
<worldbody>
<geom name="floor" type="plane" size="5 5 0.1"/>
<body name="turret" pos="0 0 0.5" euler="0.2 -0.3 0.5">
<joint name="yaw" axis="0.1 0 1" pos="0.02 0 -0.1" stiffness="3" springref="0.4" range="-1 1"/>
<inertial pos="0.1 0.05 0" mass="2.5" fullinertia="0.2 0.25 0.3 0.01 -0.02 0.03"/>
<geom type="box" size="1 1 1"/>
<body name="boom" pos="0.3 0 0.1" quat="0.9 0.1 -0.3 0.2" childclass="heavy">
<joint name="pitch" axis="0 1 0.2"/>
<geom type="capsule" fromto="0 0 0 0.6 0.1 0" size="0.04"/>
<geom type="box" pos="0.3 0 0.1" size="0.1 0.05 0.08" axisangle="1 2 0 0.7" density="800"/>
<frame pos="0.1 0 0" euler="0 0 0.3"><geom type="sphere" size="0.1"/></frame>
<body name="slider" pos="0.6 0.1 0"><joint name="reach" type="slide" axis="1 0.2 0" damping="1.5" stiffness="20"/>
<geom type="cylinder" size="0.05 0.1" mass="1.2" zaxis="1 1 0.5"/><geom type="ellipsoid" size="0.1 0.05 0.07"/>
<body name="tip" pos="0 0 0.1" xyaxes="0.2 1 0 -1 0.2 0.3">
<site name="end" pos="0 0 0.1"/><site pos="1 0 0"/></body></body></body></body>
<body name="disc" pos="1 0 0"><joint name="b" type="ball" damping="0"/><geom type="cylinder" size="0.1 0.02"/></body>
<body name="hull" pos="2 0 0"><freejoint name="f"/><geom type="box" size="0.1 0.1 0.1"/></body>
<body name="arm" pos="3 0 0"><joint name="turn" class="light"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<site name="s"/><light pos="0 0 1"/></body>
</worldbody>
<equality><joint name="e" joint1="yaw" joint2="pitch" polycoef="0.1 2 0 0 0"/>
<connect name="c" body1="arm" body2="turret"
anchor="0 0.1 0"/><weld name="w" body1="arm" body2="boom" solref="0.02 1"/></equality>
<actuator><motor joint="yaw" gear="2"/></actuator>
</mujoco>"""
#: attributes that mean something somewhere, with values that are not what holds without them
WORDS = {
    "urdf": {"xyz": "0.3 0.2 0.1", "rpy": "0.3 0.2 0.1", "value": "3.7", "ixx": "0.37", "ixy": "0.037", "link": "fore",
             "joint": "rail", "multiplier": "3.7", "offset": "0.37", "lower": "-3.7", "upper": "3.7", "effort": "37",
             "velocity": "37", "damping": "0.37", "friction": "0.37", "type": "prismatic", "filename": "a.stl",
             "scale": "2 2 2", "size": "1 2 3", "radius": "0.37", "rising": "0.37", "k_velocity": "3.7"},
    "mjcf": {"pos": "0.3 0.2 0.1", "quat": "0.8 0.6 0 0", "euler": "0.3 0.2 0.1", "axis": "0.6 0 0.8", "mass": "3.7",
             "density": "370", "size": "0.37 0.2 0.1", "fromto": "0 0 0 1 0.2 0.3", "stiffness": "3.7",
             "damping": "3.7", "springref": "0.37", "ref": "0.37", "range": "-0.37 0.37", "armature": "0.37",
             "frictionloss": "0.37", "springdamper": "0.1 1", "limited": "false", "gravcomp": "1", "mocap": "true",
             "anchor": "0.3 0.2 0.1", "relpose": "0.3 0.2 0.1 1 0 0 0", "active": "false", "polycoef": "0.37 1 0 0 0",
             "body1": "disc", "joint2": "reach", "diaginertia": "1.1 1.2 1.3", "fullinertia": "1.1 1.2 1.3 0 0 0",
             "settotalmass": "37", "coordinate": "global", "boundmass": "0.37", "wind": "1 2 3", "friction": "0.37",
             "class": "light", "childclass": "light", "type": "ball", "shellinertia": "true", "gear": "37",
             "inertiafromgeom": "true", "angle": "degree", "eulerseq": "ZYX", "gravity": "1 2 3"}}


def changed_trees(text: str, words: dict[str, str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Every element with an attribute changed or added, an element or a text put in: what was done, the changed texts,
    and words by which a list may name it already."""
    plain = ElementTree.fromstring(text)
    parents = {child: parent for parent in plain.iter() for child in parent}
    for k, element in enumerate(plain.iter()):
        tags, up = [f"<{element.tag}>"], element
        while up is not None:  # an element that is listed as a whole, with what is within it
            tags += [f"<{up.tag}> of link"] if up.tag in ("visual", "collision") else [f": <{up.tag}> has",
                                                                                       f": <{up.tag}> is not used"]
            up = parents.get(up)
        for name, value in {**words, **element.attrib, "qqq": "1"}.items():
            named = [f"{name!r} of <{element.tag}>", *tags[1:]]
            values = _others(value) if name in element.attrib else [value]
            yield f"{element.tag} {k} {name}", [_with(text, k, name, other) for other in values], named
        yield f"{element.tag} {k} within", [_with(text, k, None, "<qqq/>")], tags
        yield f"{element.tag} {k} text", [_with(text, k, None, "37")], tags


def _others(value: str) -> list[str]:
    """Other values in the place of one: each number in turn by another, or another word."""
    numbers = value.split()
    try:
        found = [[str(change(float(x))) if k == j else x for j, x in enumerate(numbers)]
                 for change in (lambda x: x + 0.37, lambda x: -x - 0.11) for k in range(len(numbers))]
    except ValueError:
        return [value + "q", "0.37"]
    return [" ".join(one) for one in found]


def _with(text: str, number: int, name: str | None, value: str) -> str:
    tree = ElementTree.fromstring(text)
    element = list(tree.iter())[number]
    if name is not None:
        element.set(name, value)
    elif value.startswith("<"):
        element.append(ElementTree.fromstring(value))
    else:
        element.text = value
    return ElementTree.tostring(tree, encoding="unicode")


def silent(text: str, words: dict[str, str], path: Path, read: Callable[[Path], Document], share: float) -> list[str]:
    """What can be changed in a file without a word, of a share of its places."""
    def made(content: str) -> Outcome:
        path.write_text(content)
        return outcome(partial(read, path))

    before = made(ElementTree.tostring(ElementTree.fromstring(text), encoding="unicode"))
    assert not before.refused, before.refused
    return [what for what, others, named in drawn(changed_trees(text, words), share)
            if not all(is_noticed(before, made(other), *named) for other in others)]


FORMATS = [("urdf", URDF, read_urdf), ("mjcf", MJCF, read_mjcf)]


@SHARES
@pytest.mark.parametrize(("kind", "text", "read"), FORMATS)
def test_no_attribute_or_element_is_passed_over_in_silence(kind, text, read, share, tmp_path):
    assert silent(text, {}, tmp_path / f"robot.{kind}", read, share) == []


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "text", "read"), FORMATS)
def test_no_attribute_that_means_something_elsewhere_is_passed_over_in_silence(kind, text, read, tmp_path):
    assert silent(text, WORDS[kind], tmp_path / f"robot.{kind}", read, 1.0) == []
