"""Pictures: the nearest is seen, and everything is where the camera says."""

import numpy as np
import pytest

import vincolo as vc
from seen import something
from vincolo.scene import poses_of, scene_of
from vincolo.scene.arrows import arrow_of
from vincolo.scene.between import between, slerp
from vincolo.scene.camera import camera_of
from vincolo.scene.meshes import box, capsule
from vincolo.scene.painter import Painter, encloses, projected
from vincolo.scene.picture import Shots, picture
from vincolo.scene.poses import turned
from vincolo.scene.raster import covered, seen
from vincolo.scene.shading import surface_of
from vincolo.scene.subject import subject_of

Image = pytest.importorskip("PIL.Image")


def pendulum(**more):
    m = vc.Model("pendulum")
    arm = m.body("arm", 1.0, 0.1, at=(0.5, 0, 0), com=(0.1, 0, 0), **more)
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="y")
    m.frame("tip", arm, (1, 0, 0))
    return m


@pytest.fixture(scope="module")
def swing():
    return vc.simulate(pendulum(), until=1.0, outputs=50)


def middle(mask):
    rows, columns = np.nonzero(mask)
    return np.array([columns.mean() + 0.5, rows.mean() + 0.5])


# triangles to pixels

def by_hand(flat, near, size):
    """For every pixel: the nearest triangle around its middle, by barycentric coordinates."""
    found = np.full(size[::-1], -1)
    depth = np.full(size[::-1], -np.inf)
    y, x = np.mgrid[0:size[1], 0:size[0]] + 0.5
    for k, (corners, values) in enumerate(zip(flat, near, strict=True)):
        T = np.vstack([corners.T, np.ones(3)])
        if abs(np.linalg.det(T)) < 1e-9:
            continue
        w = np.einsum("ij,jkl->ikl", np.linalg.inv(T), np.stack([x, y, np.ones_like(x)]))
        z = np.einsum("i,ikl->kl", values, w)
        better = (w > 0).all(axis=0) & (z > depth)
        found[better], depth[better] = k, z[better]
    return found, depth


def test_the_nearest_triangle_is_seen_also_where_they_cut_each_other(rng):
    size = (60, 40)
    flat = rng.uniform(-10, 65, (40, 3, 2))
    near = rng.uniform(0.5, 2.0, (40, 3))
    found = seen(flat, near, size)
    which, depth = by_hand(flat, near, size)
    mine = np.full(which.size, -1)
    mine[found.pixels] = found.triangles
    assert (mine == which.reshape(-1)).mean() == 1.0
    assert found.near == pytest.approx(depth.reshape(-1)[found.pixels], abs=1e-6)


def test_a_triangle_covers_as_many_pixels_as_its_area():
    flat = np.array([[(3.2, 2.1), (90.7, 12.4), (40.3, 77.9)]])
    (ax, ay), (bx, by) = flat[0, 1] - flat[0, 0], flat[0, 2] - flat[0, 0]
    assert (covered(flat, (100, 80)) > 0).sum() == pytest.approx(abs(ax * by - ay * bx) / 2, rel=0.01)
    apart = np.concatenate([flat, flat + 5])  # neighbours share no pixel and leave none out
    quad = np.array([[(1.5, 1.5), (70.5, 9.0), (60.0, 70.0)], [(1.5, 1.5), (60.0, 70.0), (5.0, 60.0)]])
    single = sum((covered(q[None], (100, 80)) > 0).astype(int) for q in quad)
    assert single.max() == 1 and covered(apart, (100, 80)).max() == 255


def test_what_is_not_a_number_or_outside_is_left_out():
    flat = np.array([[(np.nan, 0), (5, 0), (0, 5)], [(-50, -50), (-40, -50), (-50, -40)],
                     [(np.inf, 1), (2, 2), (3, 1)]])
    assert len(seen(flat, np.ones((3, 3)), (10, 10)).pixels) == 0


def test_normals_are_smooth_on_round_parts_and_sharp_at_edges():
    cube = surface_of(box((1, 1, 1)))
    assert np.sort(np.abs(cube.normals), axis=1) == pytest.approx(np.tile([0.0, 0.0, 1.0], (24, 1)), abs=1e-9)
    bar = surface_of(capsule(np.zeros(3), np.array([0.0, 0.0, 2.0]), 0.1))
    side = np.abs(bar.vertices[:, 2] - 1) < 0.99
    out = bar.vertices[side] * (1, 1, 0) / 0.1
    assert (bar.normals[side] * out).sum(axis=1) == pytest.approx(1.0, abs=0.02)


# places

def test_places_between_samples_turn_evenly():
    angle = 1.3
    a, b = np.array([[1.0, 0, 0, 0]]), np.array([[np.cos(angle / 2), 0, 0, np.sin(angle / 2)]])
    for share in (0.0, 0.25, 0.7, 1.0):
        q = slerp(a, -b, np.array([share]))
        exact = [np.cos(share * angle), np.sin(share * angle), 0]
        assert turned(q, np.array([1.0, 0, 0]))[0] == pytest.approx(exact, abs=1e-12)


def test_places_between_samples_are_near_those_of_a_finer_run(swing):
    scene = scene_of(swing.model)
    poses = poses_of(swing, scene)
    times = np.array([0.0, 0.333, 0.5071, 1.0])
    found = between(poses, scene, times)
    finer = vc.simulate(swing.model, until=1.0, outputs=list(times))
    bound = np.linalg.norm(swing.motion("arm").acceleration, axis=1).max() * 0.02**2 / 8  # of a straight line
    assert np.linalg.norm(found.positions["arm"] - finer.point("arm"), axis=1).max() <= 1.05 * bound
    at = between(poses, scene, poses.t)
    assert at.positions["arm"] == pytest.approx(poses.positions["arm"], abs=1e-14)


# pictures

def ball_model(at):
    m = vc.Model(gravity=(0, 0, 0))
    m.body("ball", vc.sphere(0.05, mass=1.0), at=at, colour="red")
    m.body("other", vc.sphere(0.05, mass=1.0), at=(0, 0, 0), colour="blue")
    m.body("third", vc.sphere(0.05, mass=1.0), at=(1, 0.5, 1), colour="green")
    return m


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("view", ["iso", "front", "top", "left"])
def test_a_ball_is_painted_where_the_camera_says(view, parallel):
    subject = subject_of(ball_model((0.8, 0.3, 0.2)))
    shots = Shots(subject, np.zeros(1), view=view, parallel=parallel, size=(300, 200))
    image = np.asarray(shots[0]).astype(int)
    red = (image[:, :, 0] > image[:, :, 1] + 60) & (image[:, :, 0] > image[:, :, 2] + 60)
    wanted, _ = projected(shots.camera(0), np.array([[0.8, 0.3, 0.2]]), (300, 200))
    assert middle(red) == pytest.approx(wanted[0], abs=0.8)


def test_the_front_hides_the_back_where_plates_cut_each_other():
    """Two plates cross: each is in front on one side of the line in which they meet."""
    m = vc.Model(gravity=(0, 0, 0))
    for name, lean, colour in (("a", 0.5, "red"), ("b", -0.5, "blue")):
        m.body(name, vc.box((1, 0.01, 1), mass=1.0), orientation=vc.Rotation.axis_angle("z", lean), colour=colour)
    image = np.asarray(picture(m, view="front", parallel=True, size=(200, 200))).astype(int)
    red, blue = image[:, :, 0] > image[:, :, 2] + 40, image[:, :, 2] > image[:, :, 0] + 40
    # at x < 0 the plate turned by +0.5 about z has y < 0, so it is nearer to an eye at -y
    row = 100
    inner = slice(40, 95)
    assert red[row, inner].all() and not blue[row, inner].any()
    assert blue[row, 105:160].all() and not red[row, 105:160].any()


def test_a_picture_of_a_result_is_that_of_its_sample(swing, tmp_path):
    scene = scene_of(swing.model)
    poses = poses_of(swing, scene)
    mine = Painter(scene, poses, (240, 160)).paint(20, camera_of(scene, poses))
    file = tmp_path / "swing.png"
    taken = picture(swing, file, t=float(swing.t[20]), size=(240, 160))
    assert np.abs(np.asarray(mine).astype(int) - np.asarray(taken)).mean() < 0.01
    with Image.open(file) as read:
        assert (np.asarray(read) == np.asarray(taken)).all()
    assert (np.asarray(picture(swing, size=(240, 160))) ==
            np.asarray(picture(swing, t=1.0, size=(240, 160)))).all()
    assert list(tmp_path.iterdir()) == [file]


def test_models_and_states_have_pictures_also_if_they_cannot_be_assembled(swing):
    m = pendulum()
    drawn, state = picture(m, size=(200, 150)), picture(vc.assemble(m), size=(200, 150))
    assert (np.asarray(drawn) == np.asarray(state)).all()
    broken = pendulum()
    far = broken.body("far", 1.0, 0.1, at=(9, 0, 0))
    broken.distance("rod", broken.ground.frame((0, 0, 0)), broken.frames["tip"], length=5.0)
    broken.fixed("weld", broken.ground, far, at=(9, 0, 0))
    with pytest.raises(vc.AssemblyError):
        vc.assemble(broken)
    assert something(picture(broken, size=(200, 150))).any()
    assert something(picture(vc.Model(), size=(64, 48))).sum() == 0


def test_a_large_solid_without_a_look_is_seen_through():
    m = vc.Model()
    chassis = m.body("chassis", 100.0, 10.0)
    for k, (x, y, z) in enumerate(np.ndindex(2, 2, 2)):
        m.frame(f"corner {k}", chassis, (x, 0.6 * y, 0.5 * z))
    m.body("engine", vc.box((0.2, 0.2, 0.2), mass=1.0), at=(0.5, 0.3, 0.25), colour="red")
    scene = scene_of(m)
    assert [i.name for i in scene.items if encloses(i, scene)] == ["chassis"]
    image = np.asarray(picture(m, size=(300, 200))).astype(int)
    reddish = image[:, :, 0] > image[:, :, 2] + 25
    assert reddish.sum() > 100  # the engine inside


def test_numbers_that_are_none_leave_the_rest_of_the_picture(swing):
    scene = scene_of(swing.model)
    poses = poses_of(swing, scene)
    camera = camera_of(scene, poses)
    painter = Painter(scene, poses, (120, 90))
    whole = something(painter.paint(30, camera)).sum()
    poses.positions["arm"][30] = np.nan
    assert 20 < something(painter.paint(30, camera)).sum() < whole  # the ground is still there


@pytest.mark.parametrize(("given", "says"), [
    ({"t": 1.5}, r"t is 1.5; the motion is from 0 to 1 s"), ({"t": "late"}, "t is 'late'"),
    ({"view": "frnt"}, "Did you mean 'front'"), ({"size": (5, 5)}, "16 to 8000 pixels"),
    ({"size": "large"}, "width and height"), ({"labels": ["arn"]}, "Did you mean 'arm'"),
    ({"traces": ["tpi"]}, "Did you mean 'tip'"), ({"vectors": ["tip.speed"]}, "velocity"),
    ({"vectors": ["tp.velocity"]}, "Did you mean 'tip'"), ({"vectors": ["P.reaction.force"]}, "There are: O"),
    ({"vectors": ["push.force"]}, "no load or spring"), ({"follow": "arn"}, "Did you mean 'arm'"),
    ({"path": "x.bmp"}, "does not end as a picture does")])
def test_mistakes_are_told(swing, given, says):
    with pytest.raises(vc.ModelError, match=says):
        picture(swing, **{"size": (64, 48), **given})


def test_only_what_moves_has_a_picture():
    with pytest.raises(vc.ModelError, match="not of list"):
        picture([1, 2])


# what is written over it

def test_labels_traces_and_vectors_are_where_they_belong(swing):
    size, t = (480, 320), float(swing.t[25])
    plain = np.asarray(picture(swing, t=t, size=size)).astype(int)
    traced = np.asarray(picture(swing, t=t, size=size, traces=["tip"])).astype(int)
    changed = np.abs(traced - plain).sum(axis=2) > 60
    shots = Shots(subject_of(swing), np.array([t]), size=size)
    path, _ = projected(shots.camera(0), swing.point("tip"), size)
    rows, columns = np.nonzero(changed)
    path = np.column_stack([np.interp(np.arange(0, 50.01, 0.05), range(51), x) for x in path.T])
    gaps = np.linalg.norm(np.column_stack([columns, rows])[:, None] + 0.5 - path[None], axis=2).min(axis=1)
    assert changed.sum() > 50 and np.quantile(gaps, 0.99) < 4  # the dot has a radius of 3 pixels
    named = np.asarray(picture(swing, t=t, size=size, labels=["tip"])).astype(int)
    rows, columns = np.nonzero(np.abs(named - plain).sum(axis=2) > 60)
    assert np.linalg.norm([columns.mean() - path[500, 0], rows.mean() - path[500, 1]]) < 40


def test_arrows_have_the_values_of_the_result(swing):
    r = swing
    assert arrow_of(r.channels, "tip.velocity").values == pytest.approx(r.motion("tip").velocity)
    spin = arrow_of(r.channels, "arm.angular_velocity")
    assert spin.values[:, 1] == pytest.approx(r["arm.wy"]) and spin.turning and spin.unit == "rad/s"
    hinge = arrow_of(r.channels, "O.reaction.force")
    assert hinge.values[:, 2] == pytest.approx(r["O.reaction.force.z"]) and hinge.unit == "N"
    assert np.abs(hinge.points).max() < 1e-9


def test_a_spring_pulls_as_much_as_it_carries():
    m = vc.Model()
    body = m.body("mass", 2.0, 0.1, at=(0, 0, -1))
    m.spring("s", m.ground.frame((0, 0, 0)), body.frame((0, 0, -1)), k=100.0, length=1 - 2 * 9.80665 / 100)
    m.force("push", body.frame((0, 0, -1)), ("3*t", 0, 0), axes="body")
    at_rest = vc.assemble(m).channels
    force = arrow_of(at_rest, "s.force")
    assert force.values[0] == pytest.approx([0, 0, 2 * 9.80665]) and force.points[0] == pytest.approx([0, 0, -1])
    later = vc.simulate(m, until=0.5, outputs=5)
    push = arrow_of(later.channels, "push.force")
    assert np.linalg.norm(push.values, axis=1) == pytest.approx(3 * later.t, abs=1e-9)


def test_a_camera_that_follows_keeps_its_body_in_place():
    m = vc.Model(gravity=(0, 0, 0))
    m.body("a", vc.sphere(0.2, mass=1.0), velocity=(3, 1, 0), colour="red")
    m.body("b", vc.sphere(0.2, mass=1.0), at=(1, 0, 1), velocity=(3, 0, 0), colour="blue")
    result = vc.simulate(m, until=2.0, outputs=20)

    def place(follow, t):
        image = np.asarray(picture(result, t=t, follow=follow, size=(200, 150))).astype(int)
        return middle(image[:, :, 0] > image[:, :, 2] + 60)

    assert place("a", 0.0) == pytest.approx(place("a", 1.73), abs=0.3)
    assert np.linalg.norm(place(None, 0.0) - place(None, 1.73)) > 30
