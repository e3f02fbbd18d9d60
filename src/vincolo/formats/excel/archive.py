"""The parts of an .xlsx file: a zip of XML, opened with limits, since a file can claim anything about itself."""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vincolo.errors import FileError

MOST_ON_DISK = 100_000_000  # bytes
MOST_UNPACKED = 200_000_000  # bytes, of all parts together
MOST_PARTS = 5_000
MOST_RATIO = 1_000  # of unpacked to packed bytes, for parts above a megabyte
MOST_ELEMENTS = 10_000_000  # of XML, in the whole file

SAVE_AS = "Open it in Excel or LibreOffice and save it as 'Excel Workbook (*.xlsx)'."
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
BROKEN = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, EOFError, NotImplementedError,
          RuntimeError, OSError, IndexError, OverflowError, ValueError)

Attributes = dict[str, str]
Start = Callable[[str, Attributes], None]


class Archive:
    """The parts of a workbook file by name, read within the limits."""

    def __init__(self, path: Path) -> None:
        self.path = path
        data = _bytes_of(path)
        if not data.startswith(b"PK"):
            raise self.error(_what_it_is(data), SAVE_AS)
        if data.count(b"PK\x01\x02") > MOST_PARTS:  # the signature of an entry in the list of parts
            raise self.error(f"it has more than {MOST_PARTS:,} parts.", "A workbook has a few dozen. " + SAVE_AS)
        try:
            self.zip = zipfile.ZipFile(io.BytesIO(data))
        except BROKEN as error:
            raise self.error(f"the file is damaged or incomplete ({error}).", "Copy or download it again.") from None
        self.infos = {_part_name(info.filename): info for info in self.zip.infolist()}
        self.left = MOST_UNPACKED
        self.elements = 0
        self._check_sizes()

    def error(self, what: str, way_out: str, part: str = "") -> FileError:
        """An error with the file, and the part of it, as the place."""
        return FileError(f"{self.path.name}{', part ' + part if part else ''}: {what}\n  {way_out}")

    def _check_sizes(self) -> None:
        total = sum(info.file_size for info in self.infos.values())
        if total > MOST_UNPACKED:
            raise self.error(f"unpacked, it has {total / 1e6:,.0f} MB; at most {MOST_UNPACKED / 1e6:.0f} MB are read.",
                             "Remove pictures and sheets that are not part of the model.")
        for name, info in self.infos.items():
            if info.file_size > 1_000_000 and info.file_size > MOST_RATIO * info.compress_size:
                raise self.error(f"it claims to unpack {info.compress_size:,} bytes into {info.file_size:,}.",
                                 "No workbook is packed like this. " + SAVE_AS, name)

    def __contains__(self, name: str) -> bool:
        return _part_name(name) in self.infos

    def read(self, name: str) -> bytes:
        """One part, unpacked; never more bytes than are left of the limit."""
        info = self.infos.get(_part_name(name))
        if info is None:
            raise self.error("this part of the workbook is missing.", SAVE_AS, name)
        if info.flag_bits & 1:
            raise self.error("it is protected by a password.", "Remove the password and save it again.", name)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self.error(f"it is packed by an unusual method (number {info.compress_type}).", SAVE_AS, name)
        try:
            with self.zip.open(info) as stream:
                data = stream.read(self.left + 1)
        except BROKEN as error:
            raise self.error(f"it is damaged ({error}).", "Copy or download the file again.", name) from None
        self.left -= len(data)
        if self.left < 0:
            raise self.error(f"unpacked, the file has more than {MOST_UNPACKED / 1e6:.0f} MB.", SAVE_AS, name)
        return data

    def walk(self, name: str, start: Start, prepare: Callable[[Any], None] | None = None,
             trim: Callable[[bytes], bytes] | None = None) -> None:
        """Calls start(local name, attributes) for every element of an XML part; `prepare` may set more handlers, `trim`
        may take out bytes that mean nothing."""
        from xml.parsers import expat

        data = self.read(name) if trim is None else trim(self.read(name))
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = lambda *_: self._no_entities(name)
        parser.StartElementHandler = self._counted(name, start)
        if prepare is not None:
            prepare(parser)
        try:
            parser.Parse(data, True)
        except FileError:
            raise
        except (expat.ExpatError, ValueError, LookupError) as error:
            raise self.error(f"it is not readable as XML ({error}).", SAVE_AS, name) from None

    def _no_entities(self, name: str) -> None:
        raise self.error("it declares a document type, which no workbook does.", SAVE_AS, name)

    def _counted(self, part: str, start: Start) -> Start:
        """`start` with names freed of their namespace prefix, and a limit on the number of elements."""
        known: dict[str, str] = {}

        def counting(name: str, attributes: Attributes) -> None:
            self.elements += 1
            if self.elements > MOST_ELEMENTS:
                raise self.error(f"the file has more than {MOST_ELEMENTS:,} elements.",
                                 "Delete the empty formatted rows and columns around the tables.", part)
            local = known.get(name)
            if local is None:
                local = known[name] = name.rpartition(":")[2]
            start(local, attributes)

        return counting

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """What a part refers to: kind and part name by identifier."""
        folder, base = posixpath.split(part)
        found: dict[str, tuple[str, str]] = {}

        def start(name: str, attributes: Attributes) -> None:
            if name == "Relationship" and attributes.get("TargetMode") != "External":
                kind = attributes.get("Type", "").rpartition("/")[2]
                target = posixpath.normpath(posixpath.join("/" + folder, attributes.get("Target", "")))
                found[attributes.get("Id", "")] = (kind, target.lstrip("/"))

        self.walk(posixpath.join(folder, "_rels", base + ".rels"), start)
        return found


def _bytes_of(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise FileError(f"{path.name}: it is a folder.\n  Name the .xlsx file in it.")
        if path.stat().st_size > MOST_ON_DISK:
            raise FileError(f"{path.name}: the file has {path.stat().st_size / 1e6:,.0f} MB; at most "
                            f"{MOST_ON_DISK / 1e6:.0f} MB are read.\n  Remove pictures from it.")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"{path.name}: the file cannot be opened ({reason}).\n  Check its name and folder.") from None


def _part_name(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def _what_it_is(data: bytes) -> str:
    """What a file is that is not a zip, by its first bytes."""
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if not data:
        return "the file is empty."
    if data.startswith(OLE) and "EncryptedPackage".encode("utf-16-le") in data:
        return "the workbook is protected by a password; remove it first (File, Info, Protect Workbook)."
    if data.startswith(OLE):
        return "this is a workbook of the old kind (.xls), not .xlsx."
    if head.startswith(b"%pdf"):
        return "this is a PDF file, not a workbook."
    if head.startswith((b"<!doctype html", b"<html", b"<table", b"<head", b"<body")):
        return "this is an HTML page, not a workbook."
    if head.startswith(b"<?xml") or head.startswith(b"<"):
        return "this is an XML file, not an .xlsx workbook."
    if b"\x00" not in data[:4096]:
        return "this is a text file (CSV or the like), not an .xlsx workbook."
    return "this is not an .xlsx workbook."
