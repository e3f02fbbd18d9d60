"""Videos: even frames of the motion, whole files or none."""

import sys
from pathlib import Path

import numpy as np
import pytest

import vincolo as vc
from vincolo.scene.picture import picture
from vincolo.view.video import frame_times, video

Image = pytest.importorskip("PIL.Image")
SIZE = (320, 200)


@pytest.fixture(scope="module")
def crank():
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
    import slider_crank

    return vc.simulate(slider_crank.build(), until=1.0, outputs=60)


def frames_of_mp4(path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    reader = ffmpeg.read_frames(str(path), pix_fmt="rgb24")
    about = next(reader)
    width, height = about["size"]
    return about, [np.frombuffer(f, dtype=np.uint8).reshape(height, width, 3).astype(int) for f in reader]


def frames_of_gif(path):
    found, delays = [], []
    with Image.open(path) as image:
        for k in range(image.n_frames):
            image.seek(k)
            found.append(np.asarray(image.convert("RGB")).astype(int))
            delays.append(image.info["duration"])
    return found, delays


def test_a_second_of_the_slider_crank_as_mp4(crank, tmp_path):
    pytest.importorskip("imageio_ffmpeg")
    calls = []
    path = video(crank, tmp_path / "crank.mp4", fps=30, size=(321, 199), progress=lambda done, all_: calls.append(
        (done, all_)))
    about, frames = frames_of_mp4(path)
    assert about["codec"] == "h264" and about["pix_fmt"].startswith("yuv420p") and about["fps"] == pytest.approx(30)
    assert about["size"] == (322, 200)  # even
    assert len(frames) == 31 and calls == [(k, 31) for k in range(1, 32)]
    for k, t in ((0, 0.0), (17, 17 / 30), (30, 1.0)):
        still = np.asarray(picture(crank, t=t, size=(322, 200))).astype(int)
        assert np.abs(frames[k] - still).mean() < 2  # of 255: noise of coding
    changes = [np.abs(b - a).sum(axis=2).max() for a, b in zip(frames, frames[1:], strict=False)]
    assert min(changes) > 100  # the crank turns all the time
    assert [f.name for f in tmp_path.iterdir()] == ["crank.mp4"]


def test_the_same_as_gif(crank, tmp_path):
    path = video(crank, tmp_path / "crank.gif", fps=12, size=SIZE, traces=["rod"])
    frames, delays = frames_of_gif(path)
    assert len(frames) == 13 and frames[0].shape == (200, 320, 3)
    still = np.asarray(picture(crank, t=0.0, size=SIZE, traces=["rod"])).astype(int)
    assert np.abs(frames[0] - still).mean() < 1
    assert all(np.abs(b - a).max() > 60 for a, b in zip(frames, frames[1:], strict=False))
    assert sum(delays) == pytest.approx(1000 * 13 / 12, abs=10)  # 12 per second does not go into 0.01 s


def test_frames_are_at_even_times():
    assert frame_times(0.0, 1.0, 30, 1.0, None) == pytest.approx(np.arange(31) / 30)
    assert frame_times(2.0, 3.0, 10, 0.5, None) == pytest.approx(2 + np.arange(21) / 20)
    assert frame_times(0.0, 0.03, 30, 1.0, 5.0) == pytest.approx(np.linspace(0, 0.03, 151))
    assert frame_times(0.0, 0.99, 10, 1.0, None)[-1] == pytest.approx(0.9)


def test_a_camera_can_follow_a_body(tmp_path):
    m = vc.Model(gravity=(0, 0, 0))
    m.body("a", vc.sphere(0.2, mass=1.0), velocity=(3, 0, 0), colour="red")
    m.body("b", vc.sphere(0.2, mass=1.0), at=(1, 0, 1), colour="blue")
    path = video(vc.simulate(m, until=1.0, outputs=10), tmp_path / "a.gif", fps=5, size=(160, 120), follow="a")
    frames, _ = frames_of_gif(path)
    places = [np.argwhere(f[:, :, 0] > f[:, :, 2] + 60).mean(axis=0) for f in frames]
    assert np.ptp(places, axis=0).max() < 1
    others = [np.argwhere(f[:, :, 2] > f[:, :, 0] + 60).mean(axis=0) for f in frames[:3]]
    assert np.ptp(others, axis=0).max() > 5


@pytest.mark.parametrize("ending", ["mp4", "gif"])
def test_an_interrupted_video_leaves_nothing_behind(crank, tmp_path, ending):
    if ending == "mp4":
        pytest.importorskip("imageio_ffmpeg")

    def stop(done, _):
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        video(crank, tmp_path / f"x.{ending}", size=SIZE, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_an_old_video_stays_if_a_new_one_fails(crank, tmp_path):
    path = tmp_path / "x.gif"
    path.write_bytes(b"old")

    def stop(done, _):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        video(crank, path, size=SIZE, progress=stop)
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize(("given", "says"), [
    ({"fps": 0}, "fps is 0; it must be positive"), ({"speed": -1}, "speed is -1"), ({"fps": "fast"}, "fps"),
    ({"speed": 2, "duration": 3}, "both given"), ({"speed": 100}, "a single frame at 30 per second"),
    ({"speed": 1e-6}, "frames; at most"), ({"size": (0, 0)}, "16 to 8000"), ({"view": "tpo"}, "Did you mean 'top'"),
    ({"follow": "crnk"}, "Did you mean 'crank'"), ({"path": "x.avi"}, "does not end with .mp4 or .gif")])
def test_mistakes_are_told_before_anything_is_written(crank, tmp_path, given, says):
    path = tmp_path / given.pop("path", "x.gif")
    with pytest.raises(vc.ModelError, match=says):
        video(crank, path, **given)
    assert list(tmp_path.iterdir()) == []


def test_only_results_move(tmp_path):
    with pytest.raises(vc.ModelError, match="a result is needed, not Model"):
        video(vc.Model(), tmp_path / "x.gif")


def test_a_missing_folder_is_told(crank, tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder"):
        video(crank, tmp_path / "no" / "x.gif", size=SIZE)


def test_a_missing_encoder_is_told(crank, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(vc.ModelError, match=r"imageio-ffmpeg.*\n.*pip install imageio-ffmpeg"):
        video(crank, tmp_path / "x.mp4")
