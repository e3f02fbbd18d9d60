"""XML files as a tree of elements that know their lines. What a description of a mechanism has no need of and an
attacker has, declarations of types and entities, is refused."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from vincolo.errors import FileError, suggest
from vincolo.formats.report import Report
from vincolo.formats.sources import file_bytes, number_of, short

DEEPEST = 200  # elements inside elements


@dataclass
class Element:
    """An element: its tag, its attributes, the elements within it, and the line it begins on."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""
    seen: bool = False  # whether a reader asked for it
    used: set[str] = field(default_factory=set)  # attributes that a reader asked for
    origins: dict[str, Element] = field(default_factory=dict)  # the elements of attributes that come from elsewhere

    @property
    def place(self) -> str:
        """The file and the line."""
        return f"{self.file}, line {self.line}"

    @property
    def title(self) -> str:
        """How messages call it: the tag, with the name if it has one."""
        name = self.attributes.get("name")
        return f"<{self.tag} name={short(name)}>" if name is not None else f"<{self.tag}>"

    def error(self, what: str, way_out: str) -> FileError:
        """An error at this element."""
        return FileError(f"{self.place}: {what}\n  {way_out}")

    def all(self, tag: str) -> list[Element]:
        """The elements with this tag directly within it."""
        found = [child for child in self.children if child.tag == tag]
        for child in found:
            child.seen = True
        return found

    def one(self, tag: str) -> Element | None:
        """The one element with this tag within it, or None."""
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].error(f"{self.title} has a second <{tag}>; the first is in line {found[0].line}.",
                                 "Keep one of them.")
        return found[0] if found else None

    def get(self, name: str, default: str | None = None) -> str | None:
        """An attribute without blanks around it."""
        self.origins.get(name, self).used.add(name)
        value = self.attributes.get(name)
        return default if value is None else value.strip()

    def need(self, name: str) -> str:
        """An attribute that must be there and not empty."""
        value = self.get(name)
        if not value:
            raise self.error(f"{self.title} has no {name!r}.",
                             f"Write {name}=\"...\".{suggest(name, self.attributes)}")
        return value

    def numbers(self, name: str, count: int, default: Any = None) -> list[float]:
        """An attribute of so many finite numbers, with blanks between."""
        text = self.get(name)
        if text is None and default is not None:
            return [float(value) for value in default]
        found = [number_of(word) for word in self.need(name).split()]
        if len(found) != count or None in found:
            wanted = "one finite number is" if count == 1 else f"{count} finite numbers with blanks between are"
            raise self.error(f"{name} of {self.title} is {short(text)}; {wanted} needed.",
                             f"Write {name}=\"{' '.join(['0.1'] * count)}\", with decimal points.")
        return [value for value in found if value is not None]

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute of one finite number."""
        return self.numbers(name, 1, None if default is None else (default,))[0]


def read_xml(path: str | os.PathLike[str], root: str, kind: str) -> Element:
    """The tree of a file, whose outermost element must be `root`; `kind` is what the file should be."""
    data = file_bytes(path, kind)
    found = _Builder(Path(path).name, kind).build(data)
    if found.tag != root:
        raise found.error(f"the file begins with {found.title}, not with <{root}>.", f"Give the path of {kind}.")
    return found


class _Builder:
    """Follows the parser and puts elements into each other."""

    def __init__(self, file: str, kind: str) -> None:
        self.file, self.kind = file, kind
        self.open: list[Element] = []
        self.top: Element | None = None
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._declared
        self.parser.EntityDeclHandler = self._declared

    def build(self, data: bytes) -> Element:
        """The outermost element."""
        try:
            self.parser.Parse(data, True)
        except FileError:
            raise
        except expat.ExpatError as error:
            raise self._refusal(error.lineno, f"this is not well-formed XML ({expat.ErrorString(error.code)}).",
                                f"Correct it there, or check that this is {self.kind}.") from None
        except (ValueError, LookupError) as error:
            raise self._refusal(1, f"the text cannot be decoded ({error}).", "Save the file as UTF-8.") from None
        if self.top is None:
            raise self._refusal(1, "the file is empty.", f"Give the path of {self.kind}.")
        return self.top

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open) >= DEEPEST:
            raise self._here(f"elements are nested more than {DEEPEST} deep.",
                             f"Check that this is {self.kind}.")
        element = Element(tag, attributes, self.file, self.parser.CurrentLineNumber)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.top = element
        self.open.append(element)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _text(self, text: str) -> None:
        if self.open and not text.isspace():
            self.open[-1].text += text

    def _declared(self, *_: Any) -> None:
        raise self._here("the file declares a document type or entities, which are not read.",
                         "Remove <!DOCTYPE ...> and what is in it.")

    def _here(self, what: str, way_out: str) -> FileError:
        return self._refusal(self.parser.CurrentLineNumber, what, way_out)

    def _refusal(self, line: int, what: str, way_out: str) -> FileError:
        return FileError(f"{self.file}, line {line}: {what}\n  {way_out}")


def walk(element: Element) -> Iterator[Element]:
    """An element and all elements within it, in their order."""
    waiting = [element]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(reversed(found.children))


def take_all(top: Element) -> None:
    """Marks an element with all that is within it as asked for, when it is listed as a whole."""
    for element in walk(top):
        element.seen, element.text = True, ""
        element.used |= set(element.attributes)


def list_unused(top: Element, report: Report) -> None:
    """Lists what a reader did not ask for: elements, attributes and texts, each kind once with its number."""
    found: dict[str, list[Element]] = {}
    waiting = [top]
    while waiting:
        element = waiting.pop()
        waiting += [child for child in reversed(element.children) if child.seen]
        for child in element.children:
            if not child.seen:
                found.setdefault(f"<{child.tag}> is not used here.", []).append(child)
        for name in element.attributes:
            if name not in element.used and not name.startswith("xmlns"):
                near = suggest(name, element.used - set(element.attributes))
                found.setdefault(f"{name!r} of <{element.tag}> is not used here.{near}", []).append(element)
        if element.text:
            found.setdefault(f"the text in <{element.tag}> is not used here.", []).append(element)
    for words, members in found.items():
        also = f", and {len(members) - 1} more" if len(members) > 1 else ""
        tell = report.warn if "Did you mean" in words else report.not_used
        tell(members[0].place, f"{members[0].title}{also}: {words}")
