"""The viewer in the browser, as far as it goes without one: time, places, picking and arrows."""

from dataclasses import replace

import numpy as np
import pytest

import vincolo as vc

pytest.importorskip("viser")
pytest.importorskip("trimesh")

from viewed_arm import R, W, arm, linear_pendulum
from vincolo.scene import scene_of
from vincolo.scene.meshes import box
from vincolo.view.live.arrows import field_of
from vincolo.view.live.measuring import angle, hit, spot_of
from vincolo.view.live.modes import FAR, first_vibration, swing, titles
from vincolo.view.live.part_values import key_point, number, parts_of
from vincolo.view.live.player import Player, fitting_speed
from vincolo.view.live.stage import creased
from vincolo.view.live.track import Track


@pytest.fixture(scope="module")
def result() -> vc.Result:
    return vc.simulate(arm(), until=3.0, outputs=300)


@pytest.fixture(scope="module")
def track(result: vc.Result) -> Track:
    return Track("", result, scene_of(result.model))


def test_places_between_samples_are_on_the_circle(track: Track) -> None:
    k = track.bodies.index("bar")
    for t in (0.0, 0.503, 1.0, 2.9971):
        pose = track.at(t)
        exact = R * np.array([np.cos(W * t), 0.0, -np.sin(W * t)])
        assert pose.positions[k] == pytest.approx(exact, abs=R * (W * 0.01) ** 2 / 8 + 1e-9)  # error of a chord
        half = np.array([np.cos(W * t / 2), 0.0, np.sin(W * t / 2), 0.0])
        assert abs(pose.quaternions[k] @ half) == pytest.approx(1.0, abs=1e-9)


def test_before_and_behind_the_motion_it_stands_still(track: Track) -> None:
    assert (track.at(-1.0).positions == track.at(0.0).positions).all()
    assert (track.at(99.0).positions == track.at(3.0).positions).all()


def test_a_link_reaches_from_end_to_end(track: Track) -> None:
    pose, n = track.at(1.234), track.links.index("coil/0")
    assert pose.starts[n] == pytest.approx((2, 0, 0))
    assert pose.lengths[n] == pytest.approx(-pose.positions[track.bodies.index("weight")][2])


def test_pieces_with_other_signs_of_quaternions_do_not_turn_back(result: vc.Result) -> None:
    first, second = (replace(result, t=result.t[s], y=result.y[s].copy(), turns=result.turns[s])
                     for s in (slice(0, 101), slice(101, None)))
    for k in range(2):
        second.y[:, 13 * k + 3: 13 * k + 7] *= -1.0  # the same turn
    grown = Track("", first, scene_of(result.model))
    grown.extend(second, result)
    whole = Track("", result, scene_of(result.model))
    seam = 0.5 * (result.t[100] + result.t[101])
    assert np.abs((grown.at(seam).quaternions * whole.at(seam).quaternions).sum(axis=1)) == pytest.approx(1.0)


def test_samples_that_are_not_finite_are_left_out_and_told(result: vc.Result) -> None:
    y = result.y.copy()
    y[200:210, 2] = np.nan
    broken = Track("", replace(result, y=y, reason="it blew up"), scene_of(result.model))
    assert len(broken.t) == len(result) - 10
    assert "10 samples are not shown" in broken.note()
    assert "ended early" in broken.note()
    assert "it blew up" in broken.note()


# time


class Wall:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.t = 100.0

    def __call__(self) -> float:
        return self.t


def test_late_frames_are_left_out_not_queued() -> None:
    wall, shown = Wall(), []

    def slowly(t: float) -> None:
        shown.append(t)
        wall.t += 0.7  # every picture takes this long

    player = Player((0.0, 10.0), slowly, wall)
    player.play()
    for _ in range(5):
        player.frame()
    assert shown == pytest.approx([0.0, 0.7, 1.4, 2.1, 2.8])


def test_playing_follows_the_clock_with_its_speed_and_loops() -> None:
    wall = Wall()
    player = Player((1.0, 4.0), lambda t: None, wall)
    player.play()
    player.speed = 2.0
    wall.t += 1.0
    assert player.now() == pytest.approx(3.0)
    wall.t += 1.0
    assert player.now() == pytest.approx(2.0)  # 5 s is 1 s behind the end
    player.pause()
    wall.t += 50.0
    assert player.now() == pytest.approx(2.0)
    player.seek(99.0)
    assert player.now() == 4.0


def test_without_a_loop_it_stops_at_the_end_and_plays_again_from_the_start() -> None:
    wall = Wall()
    player = Player((0.0, 2.0), lambda t: None, wall)
    player.loop = False
    player.play()
    wall.t += 5.0
    player.frame()
    assert not player.playing
    assert player.now() == 2.0
    player.play()
    assert player.now() == 0.0


def test_a_run_that_grows_is_waited_for() -> None:
    wall = Wall()
    player = Player((0.0, 0.0), lambda t: None, wall)
    player.growing, player.loop = True, False
    player.play()
    wall.t += 3.0
    assert player.now() == 0.0
    player.grow(2.0)
    wall.t += 0.5
    assert player.now() == pytest.approx(0.5)  # from where it waited, not a jump
    player.frame()
    assert player.playing


@pytest.mark.parametrize(("length", "least", "most"), [(10.0, 10, 10), (0.05, 2, 20), (3600.0, 2, 20)])
def test_the_first_speed_fits_the_eye(length: float, least: float, most: float) -> None:
    assert least <= length / fitting_speed((0.0, length)) <= most


# picking and measuring


def test_a_ray_meets_the_nearest_side_of_a_box() -> None:
    mesh = box((2.0, 2.0, 2.0))
    assert hit(mesh, np.array([0.2, 0.3, 9.0]), np.array([0.0, 0.0, -1.0])) == pytest.approx((0.2, 0.3, 1.0))
    assert hit(mesh, np.array([3.0, 0.0, 9.0]), np.array([0.0, 0.0, -1.0])) is None
    assert hit(mesh, np.array([0.0, 0.0, 9.0]), np.array([0.0, 0.0, 1.0])) is None  # it lies behind


def test_a_spot_stays_on_its_body(track: Track) -> None:
    pose = track.at(1.0)
    place = pose.positions[track.bodies.index("bar")]
    spot = spot_of("bar", box((0.2, 0.2, 0.2)), (place + (0.0, -5.0, 0.0), (0.0, 1.0, 0.0)), track, pose)
    assert spot is not None
    assert spot.point == pytest.approx((0.0, -0.1, 0.0), abs=1e-9)  # the axis of the turn is y
    assert spot.world(track, track.at(0.0)) == pytest.approx((R, -0.1, 0.0), abs=1e-9)


def test_angle_of_three_points() -> None:
    a, b, c = np.array([1.0, 0, 0]), np.zeros(3), np.array([0.5, np.sqrt(0.75), 0])
    assert np.degrees(angle(a, b, c)) == pytest.approx(60.0)


def test_edges_of_a_box_are_sharp_and_its_sides_stay() -> None:
    mesh = box((1.0, 2.0, 3.0))
    vertices, faces = creased(mesh)
    assert len(vertices) == 24  # four of their own for each of six sides
    assert vertices[faces] == pytest.approx(mesh.vertices[mesh.faces])


# values and arrows


def test_values_of_parts_are_those_of_the_laws(result: vc.Result, track: Track) -> None:
    parts = {part.name: part for part in parts_of(result)}
    rows = {name: {row.title: row for row in part.rows} for name, part in parts.items()}
    v = track.value(rows["bar"]["velocity"].series(result), 0.0)
    assert v == pytest.approx((0.0, 0.0, -W * R), abs=1e-9)
    assert rows["O"]["angle"].series(result)[-1] == pytest.approx(W * 3.0)
    assert rows["O"]["angle"].unit == "rad"
    spring = rows["coil"]
    assert spring["force"].series(result) == pytest.approx(100.0 * (spring["length"].series(result) - 0.8))
    assert parts["coil"].kind == "spring"
    assert parts["slide"].kind == "prismatic joint"


def test_a_key_point_moves_with_its_body(result: vc.Result) -> None:
    part = key_point("tip", "bar", np.array([R, 0.0, 0.0]))  # twice as far out as the bar's origin
    speed = np.linalg.norm(part.rows[1].series(result), axis=1)
    assert speed == pytest.approx(2 * R * W, abs=1e-6)


def test_arrows_of_reactions_and_springs_point_the_right_way(result: vc.Result) -> None:
    pull = field_of(result, "spring force")
    weight = result.motion("weight")
    assert pull.owners == ["coil"]
    assert pull.feet[:, 0] == pytest.approx(weight.position)
    balance = pull.vectors[:, 0, 2] - 2.0 * 9.80665
    assert balance == pytest.approx(2.0 * weight.acceleration[:, 2], abs=1e-6)  # m a = F - m g
    hinge = field_of(result, "reaction force")
    k = hinge.owners.index("O")
    centre = result.channels.motion(0, np.zeros(3))
    assert hinge.vectors[:, k] == pytest.approx(centre.acceleration + (0, 0, 9.80665), abs=1e-6)  # mass 1 kg


@pytest.mark.parametrize(("value", "text"), [(0.0, "0"), (-1e-15, "0"), (1234567.0, "1.23457e+06"),
                                             (float("nan"), "not finite")])
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text


def test_a_mode_swings_to_both_sides_as_far_as_asked() -> None:
    linear = linear_pendulum()
    scene = scene_of(linear.state.system)
    motion = swing(linear, scene, 0, amplitude=0.5)
    x = motion["bob.x"]
    lowest = -min(item.mesh.vertices[:, 2].min() - 1.0 for item in scene.items if item.body == "bob")
    angle_of_it = 0.5 * FAR * scene.size / lowest
    assert x[0] == pytest.approx(0.0, abs=1e-12)
    assert x[len(x) // 4] == pytest.approx(-x[3 * len(x) // 4])
    assert abs(x).max() == pytest.approx(angle_of_it, rel=0.02)  # a displacement along the tangent


def test_modes_are_listed_with_their_frequency() -> None:
    linear = linear_pendulum()
    assert titles(linear) == [f"1: {np.sqrt(9.80665) / (2 * np.pi):.4g} Hz"]
    assert first_vibration(linear) == 0
