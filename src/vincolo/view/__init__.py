"""Ways to look at results: a web page that is complete in itself, pictures, videos, and tables in notebooks."""

from vincolo.scene.picture import picture
from vincolo.view.notebook import mobility_html, model_html, result_html
from vincolo.view.page import page_html, write_page
from vincolo.view.video import video

__all__ = ["mobility_html", "model_html", "page_html", "picture", "result_html", "video", "write_page"]
