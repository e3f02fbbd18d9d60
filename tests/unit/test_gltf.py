"""Scenes as glTF: read again by another program they have the same shapes, places and motion."""

import io
import json
import struct

import numpy as np
import pytest

import vincolo as vc
from example_models import built
from linkages import pendulum
from vincolo.scene import poses_of, scene_of
from vincolo.view import write_scene
from vincolo.view.gltf import scene_bytes

trimesh = pytest.importorskip("trimesh")


@pytest.fixture(scope="module")
def result():
    return vc.simulate(built("mcpherson"), 0.5, outputs=20)


def parts(data: bytes):
    """The JSON and the numbers of a file."""
    kind, number, whole = struct.unpack_from("<4sII", data)
    assert kind == b"glTF" and number == 2 and whole == len(data)
    size, name = struct.unpack_from("<I4s", data, 12)
    assert name == b"JSON" and size % 4 == 0
    rest, bins = struct.unpack_from("<I4s", data, 20 + size)
    assert bins == b"BIN\0" and 28 + size + rest == len(data)
    return json.loads(data[20: 20 + size]), data[28 + size:]


def array(about, numbers, k):
    told = about["accessors"][k]
    view = about["bufferViews"][told["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[told["type"]]
    kind = {5126: "<f4", 5125: "<u4"}[told["componentType"]]
    return np.frombuffer(numbers, kind, told["count"] * width, view["byteOffset"]).reshape(told["count"], width)


def test_another_program_reads_shapes_where_they_are(result):
    read = trimesh.load(io.BytesIO(scene_bytes(result)), file_type="glb")
    scene = scene_of(result.system)
    poses = poses_of(result, scene)
    assert len(read.geometry) == len(scene.items) + len(scene.links)
    about, _ = parts(scene_bytes(result))
    turn = np.array(about["nodes"][0]["rotation"])  # upright: z becomes y
    upright = trimesh.transformations.quaternion_matrix(turn[[3, 0, 1, 2]])[:3, :3]
    assert upright @ scene.up == pytest.approx([0, 1, 0], abs=1e-12)
    for name, where in poses.positions.items():
        if name != "ground":
            place, _ = read.graph.get(name)
            assert place[:3, 3] == pytest.approx(upright @ where[0], abs=1e-6)


def test_the_motion_is_that_of_the_result(result):
    about, numbers = parts(scene_bytes(result, fps=1000))
    (motion,) = about["animations"]
    names = [node["name"] for node in about["nodes"]]
    poses = poses_of(result, scene_of(result.system))
    seen = 0
    for channel in motion["channels"]:
        sampler, target = motion["samplers"][channel["sampler"]], channel["target"]
        assert array(about, numbers, sampler["input"])[:, 0] == pytest.approx(result.t, abs=1e-6)
        name, values = names[target["node"]], array(about, numbers, sampler["output"])
        if name in poses.positions:
            expected = {"translation": poses.positions[name], "rotation": poses.quaternions[name][:, [1, 2, 3, 0]]}
            assert values == pytest.approx(expected[target["path"]], abs=1e-6)
            seen += 1
    assert seen >= 1


def test_long_runs_are_thinned_and_runs_without_motion_are_still(tmp_path):
    run = vc.simulate(pendulum(), 1.0, outputs=500)
    about, numbers = parts(scene_bytes(run, fps=30))
    times = array(about, numbers, about["animations"][0]["samplers"][0]["input"])[:, 0]
    assert len(times) == 31 and times[-1] == pytest.approx(1.0)
    still = vc.simulate(pendulum(), 0.001, outputs=1)
    assert run.show(tmp_path / "a.glb") == tmp_path / "a.glb" and scene_bytes(still)[:4] == b"glTF"


@pytest.mark.parametrize(("use", "message"), [
    (lambda r, d: write_scene(r, d / "a.gltf"), "does not end in .glb"),
    (lambda r, d: write_scene(r, d / "a.glb", fps=0), "fps is 0; it must be a positive number"),
    (lambda r, d: r.show(d / "a.obj"), r"ends in .html \(a page.*or .glb"),
    (lambda r, d: r.show(d / "a.glb", title="x"), "a glTF file has no title"),
])
def test_mistakes(result, tmp_path, use, message):
    with pytest.raises(vc.ModelError, match=message):
        use(result, tmp_path)
    assert not list(tmp_path.iterdir())
