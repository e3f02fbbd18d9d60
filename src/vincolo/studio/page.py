"""The page of the studio: the stage, and around it the tree, the palette, panels and curves."""

from __future__ import annotations

from vincolo.plots.web import asset
from vincolo.view.live.feeding import RATE
from vincolo.view.page import stage_page

PACKAGE = "vincolo.studio"
#: the program of the page, after that of the stage
SCRIPTS = ("studio_symbols.js", "studio_model.js", "studio_tree.js", "studio_fields.js", "studio_panel.js",
           "studio_palette.js", "studio_handles.js", "studio_curves.js", "studio_files.js", "studio_runs.js",
           "studio_lessons.js", "studio.js")
#: what joins a page to the program
LINE = ("link.js", "controls.js", "live.js")


def studio_page() -> bytes:
    """The page as bytes of UTF-8."""
    scripts = [*(asset("vincolo.view", name) for name in LINE), *(asset(PACKAGE, name) for name in SCRIPTS)]
    return stage_page(asset(PACKAGE, "studio.html"), scripts, {"title": "vincolo studio", "fps": RATE},
                      styles=[asset(PACKAGE, "studio.css")], connect="'self'")
