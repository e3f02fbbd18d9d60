"""Models to begin with: templates and examples, with a picture of each."""

from __future__ import annotations

import base64
import io
from functools import cache
from pathlib import Path

import vincolo.version
from vincolo.errors import ModelError, VincoloError, suggest
from vincolo.formats.excel.template_models import TEMPLATES
from vincolo.formats.excel.templates import template_of
from vincolo.formats.excel.vehicle_templates import vehicle_templates
from vincolo.scene.picture import picture
from vincolo.studio.opening import Opened, open_tree, seen_from, template_tree
from vincolo.studio.reading import read_tree

CODE = {".py", ".yaml", ".xlsx", ".adm", ".urdf", ".xml"}
SIZE = (300, 200)


def example_files() -> dict[str, Path]:
    """Examples by name: models in Python, YAML, workbooks, and folders of cards."""
    here = Path(vincolo.version.__file__).parent
    root = here / "examples" if (here / "examples").is_dir() else here.parents[1] / "examples"
    if not root.is_dir():
        raise ModelError("the examples are not installed here.")
    found: dict[str, Path] = {}
    for path in sorted(root.rglob("*")):
        is_model = path.suffix in CODE and path.name != "make.py" and "__pycache__" not in path.parts
        if is_model and (path.suffix != ".py" or "\ndef build(" in path.read_text(encoding="utf-8")):
            found[path.stem if path.suffix == ".py" else path.name] = path
        elif path.is_dir() and any(path.glob("*.s3d")):
            found[f"cards/{path.name}"] = path
    return found


def title_of(path: Path) -> str:
    """The first line of what a file says about itself."""
    if path.suffix in (".py", ".yaml"):
        first = path.read_text(encoding="utf-8").lstrip("\"# \n").splitlines()[0]
        return first.rstrip('".')
    return {".xlsx": "a workbook", "": "a folder of cards"}.get(path.suffix, f"a {path.suffix} file")


def beginnings() -> list[dict[str, str]]:
    """Templates and examples, each with what it is."""
    made = [{"name": f"template:{name}", "title": name, "about": str(template.tree.get("name", name))}
            for name, template in {**TEMPLATES, **vehicle_templates()}.items() if name != "blank"]
    try:
        return made + [{"name": f"example:{name}", "title": name, "about": title_of(path)}
                       for name, path in example_files().items()]
    except ModelError:
        return made


def begun(name: str) -> Opened:
    """The tree of a template or example."""
    kind, _, which = name.partition(":")
    if kind == "template":
        template_of(which)  # refuses what is not there
        return Opened(template_tree(which), None, folder=Path.cwd())
    known = example_files()
    if kind != "example" or which not in known:
        raise ModelError(f"there is no example {which!r}.{suggest(which, known)}")
    opened = open_tree(known[which])
    return Opened(seen_from(opened.tree, opened.folder, Path.cwd()), None, opened.notes, folder=Path.cwd())


@cache
def picture_of(name: str) -> str:
    """A small picture of a beginning as the address of data; nothing if it cannot be drawn."""
    try:
        opened = begun(name)
        document = read_tree(opened.tree, opened.folder / "model.yaml").document
        if document is None:
            return ""
        data = io.BytesIO()
        picture(document.model, size=SIZE).save(data, format="PNG", optimize=True)
    except (VincoloError, OSError):
        return ""
    return "data:image/png;base64," + base64.b64encode(data.getvalue()).decode()
