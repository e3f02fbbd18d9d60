"""Where the browser looks from: standard views, with perspective or nearly without, and pictures of what it shows."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from vincolo.errors import ModelError
from vincolo.scene import Poses, Scene
from vincolo.scene.camera import ANGLE, VIEWS, Camera, camera_of

NARROW = 0.02  # rad: viser has no parallel projection; from this far away perspective cannot be seen
WAIT = 20.0  # s, for a picture from the browser


class Views:
    """Standard views of a scene and its motion."""

    def __init__(self, server: Any, scene: Scene, poses: Poses) -> None:
        self._server, self._scene, self._poses = server, scene, poses
        self.parallel = False
        self.view = "iso"

    def begin(self) -> None:
        """What a browser sees first."""
        camera, first = self._camera(self.view, 1.3), self._server.initial_camera
        self._server.scene.set_up_direction(tuple(float(u) for u in camera.up))
        first.position, first.look_at, first.up = camera.eye, camera.target, camera.up
        first.fov = camera.angle
        first.near, first.far = self._depths(camera)

    def look(self, client: Any, view: str) -> None:
        """Turns the camera of one browser."""
        self.view = view
        aspect = float(client.camera.aspect)
        camera = self._camera(view, aspect if np.isfinite(aspect) and aspect > 0 else 1.3)
        with client.atomic():
            client.camera.up_direction = _off(camera)
            client.camera.position = camera.eye
            client.camera.look_at = camera.target
            client.camera.fov = camera.angle
            client.camera.near, client.camera.far = self._depths(camera)
        client.flush()

    def project(self, client: Any, parallel: bool) -> None:
        """The same view with or without perspective: the eye moves away as the opening gets narrow."""
        self.parallel = parallel
        eye, target = np.array(client.camera.position), np.array(client.camera.look_at)
        angle = NARROW if parallel else ANGLE
        ratio = np.tan(float(client.camera.fov) / 2) / np.tan(angle / 2)
        moved = Camera(target + ratio * (eye - target), target, np.array(client.camera.up_direction), angle)
        with client.atomic():
            client.camera.position, client.camera.look_at = moved.eye, moved.target
            client.camera.fov = angle
            client.camera.near, client.camera.far = self._depths(moved)
        client.flush()

    def _camera(self, view: str, wide: float) -> Camera:
        camera = camera_of(self._scene, self._poses, view, wide=wide)
        if not self.parallel:
            return camera
        ratio = np.tan(ANGLE / 2) / np.tan(NARROW / 2)
        return Camera(camera.target + ratio * (camera.eye - camera.target), camera.target, camera.up, NARROW)

    def _depths(self, camera: Camera) -> tuple[float, float]:
        """What is nearer or further than this is not drawn."""
        distance = float(np.linalg.norm(camera.eye - camera.target))
        return max(0.002 * self._scene.size, distance - 40 * self._scene.size), distance + 100 * self._scene.size


def _off(camera: Camera) -> Any:
    """The direction up of the picture: never along the line of sight."""
    return camera.axes[1]


def picture(client: Any, most: int = 1600) -> bytes:
    """What a browser shows, as the bytes of a PNG file."""
    import imageio.v3 as iio

    width, height = int(client.camera.image_width), int(client.camera.image_height)
    share = min(1.0, most / max(width, height, 1))
    try:
        image = client.get_render(height=max(1, round(share * height)), width=max(1, round(share * width)),
                                  transport_format="png", timeout=WAIT)
    except (RuntimeError, TimeoutError, ValueError) as error:
        raise ModelError(f"the browser sent no picture ({error}).\n"
                         "  Bring its tab to the front and try again.") from None
    data = io.BytesIO()
    iio.imwrite(data, on_white(image), extension=".png")
    return data.getvalue()


def on_white(image: Any) -> Any:
    """A picture without see-through parts."""
    if image.shape[-1] < 4:
        return image
    share = image[..., 3:].astype(float) / 255
    return np.clip(image[..., :3] * share + 255 * (1 - share), 0, 255).astype(np.uint8)


__all__ = ["VIEWS", "Views", "on_white", "picture"]
