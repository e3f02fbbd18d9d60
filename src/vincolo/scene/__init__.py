"""Pictures of mechanisms: shapes, symbols and their motion, for every way of showing them."""

from vincolo.scene.poses import Poses, poses_of
from vincolo.scene.scene import Item, Link, Scene, scene_of

__all__ = ["Item", "Link", "Poses", "Scene", "poses_of", "scene_of"]
