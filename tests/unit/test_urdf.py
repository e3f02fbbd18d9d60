"""Robots from URDF files: what they become, and that they move as they should."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.errors import FileWarning
from vincolo.formats.urdf import read_urdf

G = 9.80665


def inertial(mass, xyz="0 0 0", inertia="0.1 0.1 0.1", rpy="0 0 0"):
    xx, yy, zz = inertia.split()
    return (f'<inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass}"/>'
            f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial>')


def link(name, inside=""):
    return f'<link name="{name}">{inside}</link>\n'


def joint(name, parent, child, kind="revolute", inside=""):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}'
            "</joint>\n")


AXIS_Y = '<axis xyz="0 1 0"/>'
TWO_LINKS = (link("base") + link("upper", inertial(2.0, "0.4 0 0", "0.01 0.2 0.2"))
             + link("lower", inertial(1.5, "0.3 0 0", "0.01 0.1 0.1"))
             + joint("shoulder", "base", "upper", inside=AXIS_Y)
             + joint("elbow", "upper", "lower", inside='<origin xyz="0.8 0 0"/>' + AXIS_Y))


@pytest.fixture
def read(tmp_path):
    """Reads a robot from what stands within <robot>."""
    def reader(inside, base="ground"):
        path = tmp_path / "robot.urdf"
        path.write_text(f'<?xml version="1.0"?>\n<robot name="arm">\n{inside}</robot>\n')
        return read_urdf(path, base=base)
    return reader


def at(document, positions, rates):
    """The state with these coordinates and rates of the joints."""
    given = dict(positions) | {f"{name}.rate": value for name, value in rates.items()}
    return vc.assemble(document.system, given=given)


def double_pendulum(q, w):
    """Angles about y (positive downwards from x), absolute: accelerations by Lagrange's equations."""
    m1, c1, i1, m2, c2, i2, length = 2.0, 0.4, 0.2, 1.5, 0.3, 0.1, 0.8
    a, b = q
    M = np.array([[i1 + m1 * c1**2 + m2 * length**2, m2 * length * c2 * np.cos(a - b)],
                  [m2 * length * c2 * np.cos(a - b), i2 + m2 * c2**2]])
    f = np.array([-m2 * length * c2 * np.sin(a - b) * w[1]**2 + (m1 * c1 + m2 * length) * G * np.cos(a),
                  m2 * length * c2 * np.sin(a - b) * w[0]**2 + m2 * c2 * G * np.cos(b)])
    return np.linalg.solve(M, f)


@pytest.mark.parametrize(("q", "rates"), [((0.0, 0.0), (0.0, 0.0)), ((0.7, -1.1), (2.0, 3.0)),
                                          ((-2.0, 2.5), (-1.0, 4.0))])
def test_an_arm_of_two_links_obeys_the_equations_of_the_double_pendulum(read, q, rates):
    state = at(read(TWO_LINKS), {"shoulder.angle": q[0], "elbow.angle": q[1]},
               {"shoulder.angle": rates[0], "elbow.angle": rates[1]})
    absolute = double_pendulum((q[0], q[0] + q[1]), (rates[0], rates[0] + rates[1]))
    found = (state["shoulder.angle.acceleration"], state["elbow.angle.acceleration"])
    assert found == pytest.approx((absolute[0], absolute[1] - absolute[0]), rel=1e-11, abs=1e-11)


def test_it_is_the_same_model_as_written_in_python(read):
    m = vc.Model("arm")
    upper = m.body("upper", 2.0, (0.01, 0.2, 0.2), com=(0.4, 0, 0))
    lower = m.body("lower", 1.5, (0.01, 0.1, 0.1), at=(0.8, 0, 0), com=(0.3, 0, 0))
    m.revolute("shoulder", m.ground, upper, at=(0, 0, 0), axis="y")
    m.revolute("elbow", upper, lower, at=(0.8, 0, 0), axis="y")
    want, found = (vc.simulate(model, until=0.5, outputs=5) for model in (m, read(TWO_LINKS).model))
    for name in ("upper.x", "lower.z", "elbow.angle", "lower.wy"):
        assert found[name] == pytest.approx(want[name], abs=1e-12)


# against another engine


def random_arm(rng):
    """Six joints with offsets, turned frames and full tensors of inertia; the third slides."""
    def three(size):
        return " ".join(f"{x:.15g}" for x in rng.uniform(-size, size, 3))

    text = link("base")
    for k in range(1, 7):
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        tensor = Q @ np.diag(rng.uniform(0.05, 0.1, 3)) @ Q.T
        entries = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
        written = " ".join(f'{name}="{tensor[ij]:.17g}"' for name, ij in entries.items())
        text += link(f"l{k}", f'<inertial><origin xyz="{three(0.2)}" rpy="{three(2)}"/>'
                              f'<mass value="{rng.uniform(0.5, 3):.15g}"/><inertia {written}/></inertial>')
        text += joint(f"j{k}", "base" if k == 1 else f"l{k - 1}", f"l{k}", "prismatic" if k == 3 else "continuous",
                      f'<origin xyz="{three(0.5)}" rpy="{three(2)}"/><axis xyz="{three(1)}"/>'
                      f'<limit lower="-9" upper="9" effort="1" velocity="1"/><dynamics damping="{0.3 * k}"/>')
    return text


def test_a_six_axis_arm_accelerates_as_in_mujoco(read, rng, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    document = read(random_arm(rng))
    assert not document.report.left_out and [r.at_most for r in document.model.ranges.values()] == [9.0]
    other = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.urdf"))
    other.opt.gravity[:] = (0, 0, -G)
    data = mujoco.MjData(other)
    names = [f"j{k}.{'travel' if k == 3 else 'angle'}" for k in range(1, 7)]
    for _ in range(4):
        data.qpos[:], data.qvel[:] = rng.uniform(-1, 1, 6), rng.uniform(-2, 2, 6)
        mujoco.mj_forward(other, data)
        state = at(document, dict(zip(names, data.qpos, strict=True)), dict(zip(names, data.qvel, strict=True)))
        assert [state[f"{n}.acceleration"] for n in names] == pytest.approx(data.qacc.tolist(), rel=1e-9, abs=1e-9)


# how links and joints are taken


def test_links_without_mass_are_frames_of_what_they_are_fixed_to(read):
    tool = joint("flange", "lower", "tool", "fixed", '<origin xyz="0.6 0 0" rpy="0 0 1.5707963267948966"/>')
    tip = joint("tip_joint", "tool", "tip", "fixed", '<origin xyz="0 -0.1 0"/>')
    document = read(TWO_LINKS + link("tool") + link("tip") + tool + tip)
    assert list(document.model.bodies) == ["upper", "lower"]
    frame = document.model.frames["tip"]
    assert frame.body.name == "lower"
    assert frame.drawn_point == pytest.approx([0.8 + 0.6 + 0.1, 0, 0])
    assert document.model.frames["tool"].drawn_axes[:, 0] == pytest.approx([0, 1, 0])
    assert "base" in document.model.frames and document.model.frames["base"].body is document.model.ground


def test_a_head_without_mass_is_carried_by_what_is_fixed_to_it(read):
    """The joint moves a frame; the mass hangs on it by fixed joints."""
    text = (link("base") + link("head") + link("lump", inertial(2.0, "0.5 0 0")) + link("second", inertial(1.0))
            + joint("hinge", "base", "head", inside=AXIS_Y) + joint("weld", "head", "lump", "fixed")
            + joint("weld2", "head", "second", "fixed", '<origin xyz="1 0 0"/>'))
    document = read(text)
    assert [(j.kind, j.a.body.name, j.b.body.name) for j in document.model.joints.values()] == [
        ("revolute", "ground", "lump"), ("fixed", "lump", "second")]
    inertia = 0.1 + 2 * 0.5**2 + 0.1 + 1 * 1.0**2
    assert document.start()["hinge.angle.acceleration"] == pytest.approx((2 * 0.5 + 1 * 1.0) * G / inertia, rel=1e-12)


def test_a_heavy_base_is_welded_to_the_ground_or_free(read):
    text = link("hull", inertial(5.0)) + link("arm", inertial(1.0, "0.2 0 0")) + joint("j", "hull", "arm",
                                                                                       inside=AXIS_Y)
    fixed, free = read(text), read(text, base="free")
    assert fixed.model.joints["hull_on_ground"].kind == "fixed"
    assert list(free.model.joints) == ["j"]
    assert free.start().channels["hull.az"][0] == pytest.approx(-G, abs=1e-9)
    assert "free" in str(free.report) and "fixed on the ground" in str(fixed.report)


def test_a_base_called_world_is_the_ground_also_when_the_base_may_move(read):
    text = (link("world") + link("drone", inertial(1.0)) + joint("free", "world", "drone", "floating",
                                                                '<origin xyz="0 0 3"/>'))
    document = read(text, base="free")
    assert not document.model.joints and document.model.bodies["drone"].at.tolist() == [0, 0, 3]
    assert "floating" in str(document.report)


def test_planar_joints_leave_three_freedoms(read):
    text = link("floor") + link("cart", inertial(1.0)) + joint("glide", "floor", "cart", "planar",
                                                               '<axis xyz="0 0 1"/>')
    document = read(text)
    assert vc.mobility(document.model).dof == 3
    assert list(document.model.joints["glide"].coordinates) == ["x", "y", "angle"]


def test_dampers_resist_and_dry_friction_is_listed_as_left_out(read):
    text = TWO_LINKS.replace("</joint>", '<dynamics damping="0.7" friction="0.2"/></joint>', 1)
    with pytest.warns(FileWarning, match="line 6.*dry friction 0.2"):
        document = read(text)
    state = at(document, {"shoulder.angle": 0.4, "elbow.angle": 0.0}, {"shoulder.angle": 3.0, "elbow.angle": 0.0})
    assert document.model.springs["shoulder_damping"].c == 0.7
    assert state["shoulder_damping.force"] == pytest.approx(0.7 * 3.0)
    assert len(document.report.left_out) == 1


def test_a_mimic_follows_its_leader(read):
    gripper = (link("palm", inertial(1.0)) + link("left", inertial(0.1)) + link("right", inertial(0.1))
               + joint("l", "palm", "left", "prismatic", '<axis xyz="0 1 0"/>')
               + joint("r", "palm", "right", "continuous",
                       '<axis xyz="1 0 0"/><mimic joint="l" multiplier="-2.5" offset="0.1"/>'))
    document = read(gripper)
    state = vc.assemble(document.system, given={"l.travel": 0.04, "l.travel.rate": 0.2})
    assert state["r.angle"] == pytest.approx(-2.5 * 0.04 + 0.1, abs=1e-12)
    assert state["r.angle.rate"] == pytest.approx(-0.5, abs=1e-12)
    assert vc.mobility(document.model).dof == 1


def test_what_has_no_part_in_the_motion_is_listed(read):
    drawn = ('<visual><geometry><mesh filename="package://arm/upper.stl" scale="0.001 0.001 0.001"/></geometry>'
             '</visual><collision><geometry><box size="1 2 3"/></geometry></collision>')
    text = (TWO_LINKS.replace('<link name="upper">', f'<link name="upper">{drawn}')
            .replace(AXIS_Y, AXIS_Y + '<limit lower="0.5" upper="2" effort="10" velocity="3"/>', 1)
            + '<transmission name="t1"/><transmission name="t2"/><gazebo reference="upper"/>')
    report = read(text).report
    assert not report.left_out and any("'shoulder': its limits 0.5 to 2 are watched" in line for line in report.notes)
    assert any("mesh 'package://arm/upper.stl', scale '0.001 0.001 0.001'" in line for line in report.unused)
    assert any("<collision> of link 'upper'" in line and "box size 1 2 3" in line for line in report.unused)
    assert any("effort 10, velocity 3" in line for line in report.unused)
    assert any("zero position" in line and "0.5 to 2" in line for line in report.notes)
    assert any("<transmission name='t1'>, and 1 more" in line for line in report.unused)
    assert any("<gazebo>" in line for line in report.unused)


def test_names_that_cannot_be_used_are_changed_with_a_note(read):
    text = (link("base") + link("arm.left", inertial(1.0, "0.1 0 0")) + link("ground", inertial(1.0))
            + joint("arm_left", "base", "arm.left", inside=AXIS_Y) + joint("t", "base", "ground", inside=AXIS_Y))
    document = read(text)
    assert list(document.model.bodies) == ["arm.left", "ground_2"]
    assert list(document.model.joints) == ["arm_left", "t_2"]
    assert "link 'ground' is called 'ground_2' here" in str(document.report)


def test_products_of_inertia_stand_in_the_matrix_as_they_are(read):
    text = link("a", inertial(1.0).replace('ixy="0"', 'ixy="-0.03"')) + link("b", inertial(1.0))
    document = read(text + joint("j", "a", "b", inside=AXIS_Y), base="free")
    assert document.model.bodies["a"].inertia[0, 1] == -0.03
