"""Loads in members and wheels against statics of the whole model, and against sums that must come out."""

from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc
from vincolo.vehicle.car import Car, G, mass_transfer
from vincolo.vehicle.loads import LoadCase, load_table, member_loads, patch_forces
from vincolo.vehicle.rigs import sweep
from vincolo.vehicle.starters import EXAMPLES, example


@pytest.fixture(scope="module")
def car():
    return Car(
        "car",
        example("fs u-bar", "front", 0.8),
        example("fs pull rod", "rear", -0.75),
        230.0,
        (0.0, 0.0, 0.28),
        (20.0, 80.0, 90.0),
    )


@pytest.mark.parametrize("name", [n for n in EXAMPLES if n not in ("live axle", "fs corner")])
def test_member_loads_are_those_of_statics_with_the_same_springs(name):
    """A model whose springs carry what the loads ask for is in balance as drawn; its reactions are the member loads."""
    s = replace(
        example(name),
        bar_k=0.0,
        third_k=0.0,
        third_c=0.0,
        bar="none",
        bar_on="",
        points={r: p for r, p in example(name).points.items() if not r.startswith(("bar_", "third_"))},
    )
    forces = {"left": np.array([-300.0, 200.0, 900.0]), "right": np.array([-300.0, -200.0, 900.0])}
    found = member_loads(s, forces)
    spring = found.springs["front_left_spring"]
    model = vc.Model("loaded")
    axle = vc.vehicle.add_axle(model, replace(s, preload=spring))
    for side, force in forces.items():
        centre, spin = s.point("wheel_centre", side), s.spindle(side)
        up = np.array([0, 0, 1.0]) - spin * spin[2]
        model.force(f"{side} road", axle.carrier(side).frame(centre - s.wheel_radius * up / np.linalg.norm(up)), force)
    if s.steered:
        model.hold("rack place", f"{s.name}_rack.travel", 0.0)
    rest = vc.statics(model)
    assert abs(rest["front_left_wheel_centre.z"] - s.point("wheel_centre")[2]) < 1e-6
    for rod, force in found.axial.items():
        joint = model.joints[rod]
        along = joint.b.drawn_point - joint.a.drawn_point
        pull = -rest.reaction(rod).force[0] @ along / np.linalg.norm(along)  # on its second end, towards the first
        assert force == pytest.approx(pull, abs=1e-3), rod
    for joint, force in found.joints.items():
        body = model.joints[joint].b.body
        reaction = rest.reaction(joint)
        expected = reaction.force_on_first[0] if body.is_ground else reaction.force[0]
        assert force == pytest.approx(expected, abs=1e-3), joint
    assert found.unbalanced < 1e-8


def test_a_push_rod_is_pressed_and_a_pull_rod_is_drawn():
    up = {side: np.array([0.0, 0.0, 800.0]) for side in ("left", "right")}
    assert member_loads(example("fs push rod"), up).axial["front_left_push_rod"] < 0
    assert member_loads(example("fs pull rod"), up).axial["front_left_pull_rod"] > 0


def test_springs_carry_vertical_loads_by_their_motion_ratio():
    s = replace(example("semi-trailing arm"), upright_mass=0.0, wheel_mass=0.0)
    up = {side: np.array([0.0, 0.0, 1000.0]) for side in ("left", "right")}
    ratio = vc.vehicle.curves(s, count=3)
    patch = 1 / ratio.at("left.spring_ratio")  # the contact point goes up as the wheel's centre does, but for camber
    lift = 1000.0 * patch
    found = member_loads(s, up).springs["front_left_spring"]
    assert found == pytest.approx(lift, rel=0.01) and found > 0


def test_mass_transfer_balances_forces_and_moments(car):
    mass, com = car.total
    for ax, ay in ((0.0, 0.0), (-8.0, 0.0), (0.0, 7.0), (-5.0, 6.0)):
        z = mass_transfer(car, ax, ay).loads
        assert sum(z.values()) == pytest.approx(mass * G, rel=1e-12)
        pitch = sum(f * float(car.axles[n.split("_")[0]].point("wheel_centre")[0]) for n, f in z.items())
        assert pitch == pytest.approx(mass * G * com[0] - mass * ax * car.height, rel=1e-9)
        roll = sum(
            f * car.at_rest(n.split("_")[0], "track") / 2 * (1 if n.endswith("left") else -1) for n, f in z.items()
        )
        assert roll == pytest.approx(
            -mass * ay * car.height, rel=2e-3, abs=1e-9
        )  # springs see the body's roll centre axis


def test_a_stiffer_front_bar_moves_load_to_the_front_wheels(car):
    stiff = replace(car, front=replace(car.front, bar_k=3 * car.front.bar_k))
    soft = mass_transfer(car, 0.0, 5.0).lateral
    hard = mass_transfer(stiff, 0.0, 5.0).lateral
    assert hard["front"] > soft["front"] and hard["rear"] < soft["rear"]


def test_the_table_has_all_members_and_mirrored_cases_are_mirrored(car, tmp_path):
    cases = [LoadCase("left", 0.0, 9.0), LoadCase("right", 0.0, -9.0), LoadCase("brake", -12.0)]
    table = load_table(car, cases)
    for member in table.members:
        if "_left_" in member:
            other = member.replace("_left_", "_right_")
            assert table[member, "left"] == pytest.approx(table[other, "right"], rel=1e-9, abs=1e-7), member
            assert table[member, "brake"] == pytest.approx(table[other, "brake"], rel=1e-9, abs=1e-7), member
    low, high = table.envelope["front_left_push_rod"]
    assert low == min(table["front_left_push_rod", c.name] for c in cases) and high <= 0 or low < high
    lines = table.to_csv(tmp_path / "loads.csv").read_text().splitlines()
    assert lines[0] == "member,left,right,brake,least,largest" and len(lines) == len(table.members) + 1
    with pytest.raises(vc.ModelError, match="Did you mean 'brake'"):
        table["front_left_push_rod", "braek"]


def test_road_forces_carry_the_car(car):
    mass, _ = car.total
    forces = patch_forces(car, LoadCase("mixed", -6.0, 7.0))
    total = sum(forces.values())
    assert total == pytest.approx([mass * -6.0, mass * 7.0, mass * G], rel=1e-9)


def test_wrong_cars_and_loads_are_named(car):
    with pytest.raises(vc.ModelError, match="the front axle has the larger x"):
        replace(car, front=car.rear, rear=car.front)
    with pytest.raises(vc.ModelError, match="a share is from 0 to 1"):
        replace(car, brake_front=60.0)
    with pytest.raises(vc.ModelError, match="not between the axles"):
        print(replace(car, com=(2.0, 0.0, 0.3)).shares)
    with pytest.raises(vc.ModelError, match="three numbers"):
        member_loads(car.front, {"left": (0, 0, 1)})
    with pytest.raises(vc.ModelError, match="do not hold both wheels"):
        member_loads(replace(car.front, k=0.0), {"left": np.ones(3), "right": np.ones(3)})


def test_loads_that_are_not_told_apart_are_refused():
    """Two rows that are the same: their members could share a load in any way."""
    s = example("fs push rod")
    place = sweep(s, "parallel", -1e-6, 1e-6, 3)
    place.jacobian[1][5] = place.jacobian[1][4]
    forces = {side: np.array([0.0, 0.0, 800.0]) for side in ("left", "right")}
    with pytest.raises(vc.ModelError, match=r"share these loads is not settled \(1 rows depend on others"):
        member_loads(s, forces, at=place)
