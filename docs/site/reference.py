"""Pages of the reference: every public name with its signature, words, an example, and where documents use it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from uses import HEADING, SPACES, Name, module_of, public, shown, uses

__all__ = ["HEADING", "SPACES", "pages", "slug"]
SHORT = 80  # letters of a value that is shown


def slug(heading: str) -> str:
    """The anchor of a heading, as MyST makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def example(which: Name) -> str:
    """The example of a name: under the first of those that share one, else a word on where it is."""
    found = shown().get(which)
    if found is None:
        return ""
    if found.names[0] == which.name:
        return f"\n{found.text}\n"
    return f"\nAn example is under [{found.names[0]}](#{slug(found.names[0])}).\n"


def constant(space: str, name: str) -> str:
    """What the comment over a constant says of it."""
    said = re.compile(rf"^#: (.+)\n(?:#: (.+)\n)?{name}\b", re.MULTILINE)
    place = Path(module_of(space).__file__)
    files = sorted(place.parent.glob("*.py")) if place.stem == "__init__" else [place]
    found = next(filter(None, (said.search(file.read_text()) for file in files)), None)
    return " ".join(filter(None, found.groups())) if found else ""


def entry(space: str, name: str) -> str:
    """One name: what autodoc says of it, its example, and where it is used."""
    path = f"vincolo.{space}.{name}" if space else f"vincolo.{name}"
    thing: Any = getattr(module_of(space), name)
    kind = "autoclass" if inspect.isclass(thing) else "autofunction" if inspect.isroutine(thing) else "py:data"
    options = "   :members:\n" if kind == "autoclass" and not issubclass(thing, BaseException) else ""
    if kind == "py:data":
        value = f"   :value: {thing!r}\n" if len(repr(thing)) < SHORT else ""
        options += f"   :type: {type(thing).__name__}\n{value}\n   {constant(space, name)}\n"
    elif space and name in public(""):  # described there
        options += "   :no-index:\n"
    text = f"## {name}\n\n```{{eval-rst}}\n.. {kind}:: {path}\n{options}```\n{example(Name(space, name))}"
    if places := uses().get(Name(space, name)):
        links = ", ".join(f"[{heading}](../{page}#{slug(heading)})" for page, heading in places[:3])
        text += f"\nIn use: {links}.\n"
    return text


def pages() -> dict[str, str]:
    """The pages of the reference, by name."""
    written = {}
    for space, words in SPACES.items():
        title = f"vincolo.{space}" if space else "vincolo"
        body = "\n".join(entry(space, name) for name in public(space))
        written[f"reference/{space or 'vincolo'}.md"] = f"# {title}\n\n{words}\n\n{body}"
    listed = "\n".join(Path(page).stem for page in written)
    titled = {space or "vincolo": says for space, says in SPACES.items()}
    words = "\n".join(f"- [{space}]({space}.md): {says}" for space, says in titled.items())
    written["reference/index.md"] = (
        "# Reference\n\nEvery public name, with an example or the places of the documents in which it is used. `vc` is "
        f"what `import vincolo as vc` gives.\n\n{words}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n")
    return written
