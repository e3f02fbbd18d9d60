"""Putting one more sheet into a workbook file, part by part: whatever else the file holds stays as it is, byte by byte.

A library that loads and saves the whole workbook would lose pictures, and the values that Excel has computed.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

from vincolo.formats.excel.archive import SAVE_AS, Archive, Attributes
from vincolo.formats.excel.book import add

TYPES = "[Content_Types].xml"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT = b"http://purl.oclc.org/ooxml/"
KINDS = {"worksheets": "spreadsheetml.worksheet", "drawings": "drawing", "charts": "drawingml.chart"}
_DONOR = re.compile(r"xl/(worksheets|drawings|charts)/(_rels/)?[a-z]+([0-9]+)\.xml(\.rels)?")
_NAMED = re.compile(rb'"/xl/(drawings|charts)/[a-z]+([0-9]+)\.xml"')


def merged(path: Path, make: Callable[[str], bytes]) -> tuple[str, bytes]:
    """The workbook file with a sheet that make(name) gives as a workbook of its own; and the name, which is free."""
    archive = Archive(path)
    main = next((part for kind, part in archive.relations("").values() if kind == "officeDocument"), "")
    if main not in archive or TYPES not in archive:
        raise archive.error("this is not a workbook that a sheet can be added to.", SAVE_AS)
    names, numbers = _sheets(archive, main)
    title = _free(names)
    stem = next(f"vincolo{k}_" for k in range(1, 10_000) if f"xl/worksheets/vincolo{k}_1.xml" not in archive)
    new = _parts(make(title), stem)
    folder, _, base = main.rpartition("/")
    relations = f"{folder}/_rels/{base}.rels".lstrip("/")
    identifier = f"rIdVincolo{stem}{max(numbers, default=0) + 1}"
    entry = (f'sheet xmlns:r="{RELATIONS}" name="{title}" sheetId="{max(numbers, default=0) + 1}" '
             f'r:id="{identifier}"/>')
    link = (f'Relationship Id="{identifier}" Type="{RELATIONS}/worksheet" '
            f'Target="/xl/worksheets/{stem}1.xml"/>')
    types = [f'Override PartName="/{name}" ContentType="application/vnd.openxmlformats-officedocument.'
             f'{KINDS[name.split("/")[1]]}+xml"/>' for name in new if not name.endswith(".rels")]
    changes = {main.lower(): ("sheets", [entry]), relations.lower(): ("Relationships", [link]),
               TYPES.lower(): ("Types", types)}
    return title, _written(archive, changes, new)


def _sheets(archive: Archive, main: str) -> tuple[list[str], list[int]]:
    """Names and numbers of the sheets that are there."""
    names: list[str] = []
    numbers: list[int] = []

    def start(element: str, attributes: Attributes) -> None:
        if element == "sheet":
            names.append(attributes.get("name", "").casefold())
            number = attributes.get("sheetId", "")
            numbers.append(int(number) if number.isdecimal() and len(number) < 6 else 0)

    archive.walk(main, start)
    return names, numbers


def _free(names: list[str]) -> str:
    if "results" not in names:
        return "Results"
    return next(f"Results {k}" for k in range(2, len(names) + 3) if f"results {k}" not in names)


def _parts(donor: bytes, stem: str) -> dict[str, bytes]:
    """The sheet of a workbook with its drawing and charts, under names of their own."""
    found: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(donor)) as parts:
        for name in parts.namelist():
            match = _DONOR.fullmatch(name)
            if match:
                folder, inner, number, ending = match[1], match[2] or "", match[3], match[4] or ""
                content = _NAMED.sub(lambda m: b'"/xl/%s/%s%s.xml"' % (m[1], stem.encode(), m[2]), parts.read(name))
                found[f"xl/{folder}/{inner}{stem}{number}.xml{ending}"] = content
    return found


def _written(archive: Archive, changes: dict[str, tuple[str, list[str]]], new: dict[str, bytes]) -> bytes:
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as target:
        for key, info in archive.infos.items():
            if info.is_dir():
                continue
            content = archive.read(info.filename)
            if key in changes:
                content = _inserted(archive, info.filename, content, *changes[key])
            target.writestr(info, content)
        for name, content in new.items():
            add(target, name, content)
    return result.getvalue()


def _inserted(archive: Archive, part: str, content: bytes, element: str, entries: list[str]) -> bytes:
    """A part with entries before the end of one of its elements, with the prefix it uses."""
    found = list(re.finditer(rb"</((?:[A-Za-z][\w.-]*:)?)" + element.encode() + rb"\s*>", content))
    if len(found) != 1 or STRICT in content:
        raise archive.error("a sheet cannot be added to a file of this kind.", SAVE_AS, part)
    prefix, at = found[0][1], found[0].start()
    added = b"".join(b"<" + prefix + entry.encode() for entry in entries)
    return content[:at] + added + content[at:]
