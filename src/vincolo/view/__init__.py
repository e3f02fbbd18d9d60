"""Ways to look at results: a web page that is complete in itself, pictures, videos, and tables in notebooks."""

from vincolo.scene.picture import picture
from vincolo.view.gltf import write_scene
from vincolo.view.notebook import mobility_html, model_html, result_html
from vincolo.view.page import page_html, write_page
from vincolo.view.video import video
from vincolo.view.written import write_motion

__all__ = ["mobility_html", "model_html", "page_html", "picture", "result_html", "video", "write_motion", "write_page",
           "write_scene"]
