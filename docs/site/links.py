"""Where things of the repository stand on the site, and links that lead there."""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\])*\])\(([^)#\s]*)(#[^)]*)?\)")
#: pages that are not in docs/
PAGES = {"README.md": "readme.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md",
         "benchmarks/README.md": "benchmarks.md", "examples": "gallery/index.md", "LICENSE": "licence.md",
         "docs/reference": "reference/index.md"}


def place(path: str) -> str | None:
    """The page or file of the site that shows something of the repository; None if none does."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if re.fullmatch(r"examples/\w+\.py", path):
        return f"gallery/{Path(path).stem}.md"
    return "gallery/index.md" if path.startswith("examples/") else None


def lead(text: str, source: str) -> str:
    """The text of a page with its links led to the pages of the site; what has no place there becomes plain words."""
    here = place(source)
    assert here is not None, f"{source} has no place on the site"

    def new(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        if not target or "://" in target:
            return match[0]
        found = place(os.path.normpath(os.path.join(os.path.dirname(source), target)))
        if found is None:
            return words.strip("[]")
        return f"{words}({os.path.relpath(found, os.path.dirname(here) or '.')}{anchor})"

    # what stands in code is no link
    parts = re.split(r"(^```.*?^```$|`[^`\n]+`)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if k % 2 else LINK.sub(new, part) for k, part in enumerate(_joined(parts)))


def _joined(parts: list[str]) -> list[str]:
    """Texts and code in turn; code within the words of a link belongs to the text."""
    joined = [parts[0]]
    for code, after in zip(parts[1::2], parts[2::2], strict=True):
        if not code.startswith("```") and joined[-1].rfind("[") > joined[-1].rfind("]"):
            joined[-1] += code + after
        else:
            joined += [code, after]
    return joined
