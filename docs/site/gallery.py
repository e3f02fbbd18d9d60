"""Pages of the examples: what each is, how it looks, what it prints, and its source; some of them moving."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import io
import sys
from collections.abc import Collection
from pathlib import Path
from types import ModuleType
from typing import Any

from links import ROOT, lead

import vincolo as vc
from vincolo.scene.picture import picture
from vincolo.view import write_page

FOLDER = ROOT / "examples"
#: examples that are shown moving, with how long they run [s]
MOVING = {"slider_crank": 2.0, "mcpherson": 2.0, "bricard": 2.0, "flyball_governor": 1.0, "andrews_squeezer": 0.05}


def load(path: Path) -> ModuleType:
    """An example as a module, with its folder on the search path as when it is run as a script."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(module: ModuleType) -> str:
    """What the example prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        module.main()
    return out.getvalue().rstrip()


def model_of(module: ModuleType) -> vc.Model | None:
    """The model of an example whose build() needs nothing."""
    made: Any = module.build() if hasattr(module, "build") and not _needs(module.build) else None
    return made if isinstance(made, vc.Model) else None


def _needs(function: Any) -> bool:
    return any(p.default is p.empty for p in inspect.signature(function).parameters.values())


def shown(name: str, model: vc.Model | None, folder: Path, beside: Path) -> str:
    """A picture of the example, or its page that moves, which goes beside; nothing where there is no single model."""
    if model is None:
        return ""
    if name in MOVING:
        write_page(vc.simulate(model, MOVING[name], outputs=200), beside / f"{name}_moving.html", max_mb=2.0)
    rigid = any(contact.rigid for contact in model.contacts.values())  # only Moreau's steps know such contact
    steps = {"integrator": vc.integrators.Moreau(step=1e-3)} if rigid else {}
    state = vc.simulate(model, MOVING.get(name, 0.2), outputs=20, **steps)
    picture(state, t=state.t[len(state.t) // 2]).quantize(200, dither=0).save(folder / f"{name}.png", optimize=True)
    if name not in MOVING:
        return f"![{name}]({name}.png)\n\n"
    return (f'<iframe class="moving" src="{name}_moving.html" title="{name}, moving" loading="lazy"></iframe>\n\n'
            f'<a href="{name}_moving.html">The page alone</a>\n\n')


def page(path: Path, folder: Path, beside: Path, taken: Collection[str] = ()) -> tuple[str, str, str]:
    """The page of one example, its heading, which is none of those taken, and its title."""
    source = path.read_text()
    words = ast.get_docstring(ast.parse(source)) or ""
    title, _, rest = words.partition("\n")
    module = load(path)
    model = model_of(module)
    names = [*([model.name] if model else []), path.stem.replace("_", " ")]
    heading = next(name for name in (f"{name[0].upper()}{name[1:]}" for name in names) if name not in taken)
    image = shown(path.stem, model, folder, beside)
    text = (f"# {heading}\n\n{title}\n\n{rest.strip()}\n\n{image}"
            f"It prints\n\n```text\n{printed(module)}\n```\n\n## Source\n\n```python\n{source.rstrip()}\n```\n")
    return lead(text, f"examples/{path.name}"), heading, title


def write(folder: Path, beside: Path) -> None:
    """All pages of the gallery, and the pages that move, which go into the site as they are."""
    folder.mkdir(parents=True)
    beside.mkdir(parents=True)
    cards, names = [], dict[str, str]()
    for path in sorted(FOLDER.glob("*.py")):
        if path.stem == "comparison":
            continue
        text, heading, title = page(path, folder, beside, names)
        (folder / f"{path.stem}.md").write_text(text)
        small = f"[![]({path.stem}.png)]({path.stem}.md)\n\n" if (folder / f"{path.stem}.png").exists() else ""
        cards.append(f":::{{container}} card\n{small}[{heading}]({path.stem}.md)\n\n{title}\n:::\n")
        names[heading] = path.stem
    tree = "\n".join(names.values())
    (folder / "index.md").write_text(
        "# Examples\n\nEvery example prints the number it must meet. `vincolo examples` copies them to a folder.\n\n"
        f"::::{{container}} gallery\n{chr(10).join(cards)}\n::::\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n")
