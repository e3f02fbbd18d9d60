"""Makes the site in build/site/html: `python docs/site/make.py`. Every warning of Sphinx is an error."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import gallery
import reference
import support
from links import LINK, PAGES, ROOT, lead
from make_pictures import tutorial

from vincolo.view import write_page

HERE = ROOT / "docs" / "site"
BUILD = ROOT / "build" / "site"
SOURCE = BUILD / "source"
#: what the first page has to look up, and pages that are made here
LOOK_UP, MADE = "Look it up", """- [What works with what](support.md): solvers against features, found by runs.
- [Licence](licence.md).

"""
#: a page of the gallery that moves, in place of its picture
PICTURE = r"^!\[.*?\]\(pictures/(\w+)\.png\)$"
MOVING = r'<iframe class="moving" src="gallery/\1_moving.html" title="\1, moving" loading="lazy"></iframe>'


def copy_documents() -> None:
    """The documents of the repository, with links that lead to pages of the site."""
    for path in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "theory").glob("*.md"),
                 *(ROOT / "docs" / "decisions").glob("*.md"), *(ROOT / name for name in PAGES if name.endswith(".md"))]:
        source = path.relative_to(ROOT).as_posix()
        target = SOURCE / (PAGES.get(source) or source.removeprefix("docs/"))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(lead(path.read_text(), source))
    (SOURCE / PAGES["LICENSE"]).write_text(f"# Licence\n\n```text\n{(ROOT / 'LICENSE').read_text()}```\n")
    shutil.copytree(ROOT / "docs" / "pictures", SOURCE / "pictures")
    shutil.copytree(HERE / "static", SOURCE / "_static")
    shutil.copy(HERE / "conf.py", SOURCE)


def entries(body: str) -> list[str]:
    """The pages that the items of a list begin with, by the words that lead there."""
    items = [LINK.match(item) for item in re.split(r"^- ", body, flags=re.MULTILINE)[1:]]
    found = {item[2]: " ".join(item[1].strip("[]").split()) for item in reversed(items) if item}
    return [f"{words} <{page}>" for page, words in reversed(found.items()) if page.endswith(".md")]


def add_trees() -> None:
    """The lists of the first page become the site's tree: a part for each of its headings; its picture moves."""
    path = SOURCE / "index.md"
    text = re.sub(PICTURE, MOVING, path.read_text(), flags=re.MULTILINE)
    title, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    for part in parts:
        heading, _, body = part.partition("\n")
        if heading == LOOK_UP:
            part, body = part.rstrip() + "\n" + MADE, body + MADE
        options = f":hidden:\n:caption: {heading}\n:maxdepth: 1\n\n"
        title += f"## {part}\n```{{toctree}}\n{options}" + "\n".join(entries(body)) + "\n```\n\n"
    path.write_text(title)


def move_tutorial() -> None:
    """The pictures of the first hour become pages that move."""
    path = SOURCE / "tutorial.md"
    for title, result in tutorial().items():
        write_page(result, BUILD / "extra" / f"tutorial_{title}_moving.html", max_mb=1.0)
    moving = MOVING.replace("gallery/", "")
    path.write_text(re.sub(PICTURE, moving, path.read_text(), flags=re.MULTILINE))


def write_sources() -> None:
    """Everything that Sphinx reads."""
    shutil.rmtree(BUILD, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    copy_documents()
    add_trees()
    gallery.write(SOURCE / "gallery", BUILD / "extra" / "gallery")
    move_tutorial()
    for name, text in {**reference.pages(), "support.md": support.page()}.items():
        (SOURCE / name).parent.mkdir(exist_ok=True)
        (SOURCE / name).write_text(text)


if __name__ == "__main__":
    if "--again" not in sys.argv:  # with it: the sources that are there
        write_sources()
    sys.exit(subprocess.call([sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-j", "2",
                              str(SOURCE), str(BUILD / "html")]))
