"""How Sphinx makes the site: Markdown by MyST, a theme with its search in the page, nothing from elsewhere."""

from importlib.metadata import version as _version

project = "vincolo"
author = "The vincolo authors"
copyright = author  # noqa: A001  # Sphinx asks for it by this name
version = release = _version("vincolo")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "vincolo"
html_static_path = ["_static"]
html_extra_path = ["../extra"]  # pages that move
html_css_files = ["own.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
toc_object_entries = False  # every name has a heading already
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
copybutton_exclude = ".linenos, .gp, .go"
# a text block shows what is printed; words of a shell or of cards are not coloured
highlight_language = "none"
nitpicky = False
default_role = "code"


def plain(app, what, name, thing, options, lines):  # noqa: ANN001, ANN201  # as Sphinx calls it
    """Docstrings are plain text: strokes and stars mean themselves."""
    lines[:] = [line.replace("\\", "\\\\").replace("|", r"\|").replace("*", r"\*") for line in lines]


def setup(app):  # noqa: ANN001, ANN201
    app.connect("autodoc-process-docstring", plain)
