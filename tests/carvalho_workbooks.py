"""Small workbooks in the layout of Carvalho (2022), for tests: sheets as lists of rows, changed cell by cell."""

from pathlib import Path
from typing import Any

import openpyxl

from vincolo.formats.document import Document
from vincolo.formats.excel.carvalho import read_carvalho
from vincolo.formats.excel.sheets import read_workbook

Rows = list[list[Any]]
BODY = ["Bodies ID", "x", "y", "z", "x-axis x", "x-axis y", "x-axis z", "y-axis x", "y-axis y", "y-axis z", "Roll",
        "Pitch", "Yaw", "u1", "u2", "u3", "Rot Ang", "Mass", "Ixx", "Iyy", "Izz", "vx", "vy", "vz", "wx", "wy", "wz",
        "Fx", "Fy", "Fz", "Tx", "Ty", "Tz"]
JOINT = ["ID", "Name", "Body i", "Body j", "x", "y", "z", "sx", "sy", "sz", "sj x", "sj y", "sj z", "x2", "y2", "z2",
         "Direction"]
DRIVER = ["Body", "Direction index", "u1", "u2", "u3", "Function", "First derivative", "Second derivative", "Name"]
ELEMENT = ["ID", "Name", "Body i", "Body j", "xi", "yi", "zi", "xj", "yj", "zj", "Coefficient", "Undeformed length",
           "Number of functions", "x1", "x2", "Function 1", "Function 2", "Function 3"]
HEADERS = {"Bodies": BODY, "Joints": JOINT, "Joints Drivers": DRIVER, "Force Elements": ELEMENT}


def settings(**changes: Any) -> Rows:
    """The rows of SimParam."""
    found = {"Run simulation for": 1, "Time Step": 0.01, "Type of Simulation": "Dyn", "Gravity Direction": "y",
             "Gravity Magnitude": -9.81, "Units System": "SI", **changes}
    return [[key, value] for key, value in found.items()]


def rows(kind: str, *parts: dict[str, Any]) -> Rows:
    """A header, and a row for each part."""
    header = HEADERS[kind]
    for part in parts:
        assert set(part) <= set(header), set(part) - set(header)
    return [list(header), *[[part.get(name) for name in header] for part in parts]]


def body(name: str = "Bar", x: float = 1.0, **more: Any) -> dict[str, Any]:
    """A body of 2 kg at (x, 0, 0)."""
    return {"Bodies ID": name, "x": x, "y": 0, "z": 0, "Mass": 2, "Ixx": 0.1, "Iyy": 0.2, "Izz": 0.2} | more


GROUND = {"Bodies ID": "Absolute Frame"}
HINGE = {"ID": "Revolute", "Name": "O", "Body i": 1, "Body j": 2, "x": 0, "y": 0, "z": 0, "sx": 0, "sy": 0, "sz": 1}


def sheets(bodies: list[dict[str, Any]] | None = None, joints: list[dict[str, Any]] | None = None,
           drivers: list[dict[str, Any]] | None = None, elements: list[dict[str, Any]] | None = None,
           **changes: Any) -> dict[str, Rows]:
    """All sheets; a pendulum if nothing is said."""
    return {"SimParam": settings(**changes),
            "Bodies": rows("Bodies", GROUND, *([body()] if bodies is None else bodies)),
            "Joints": rows("Joints", *([HINGE] if joints is None else joints)),
            "Joints Drivers": rows("Joints Drivers", *(drivers or [])),
            "Force Elements": rows("Force Elements", *(elements or []))}


def save(path: Path, content: dict[str, Rows]) -> Path:
    """The workbook of these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, lines in content.items():
        sheet = book.create_sheet(name)
        for number, line in enumerate(lines, 1):
            for column, value in enumerate(line, 1):
                if value is not None:
                    cell = sheet.cell(number, column)
                    cell.value = value
    book.save(path)
    return path


def read(path: Path) -> Document:
    """What the workbook holds."""
    return read_carvalho(read_workbook(path))


def made(folder: Path, content: dict[str, Rows] | None = None, **parts: Any) -> Document:
    """The document of sheets, or of what sheets() makes of the parts."""
    return read(save(folder / "car.xlsx", sheets(**parts) if content is None else content))
