"""Writes the workbooks of this folder: the benchmarks of Carvalho (2022), Multibody 3D Simulation Tool for Vehicle
Development, Instituto Superior Tecnico, in the layout of that thesis, and a kinematic slider-crank.

Data are those of the thesis; what is misprinted there is corrected, and listed in the sheet Notes of each workbook.
Run it again after a change: the files are the same byte by byte if nothing has changed.
"""

import io
import math
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from vincolo.results.files import appearing

HERE = Path(__file__).parent
STAMP = (2022, 10, 1, 0, 0, 0)
HEAD, GROUP, UNIT = (PatternFill("solid", fgColor=c) for c in ("BDD7EE", "9DC3E6", "F2F2F2"))
LINE = Border(bottom=Side(style="thin", color="808080"))
Row = dict[str, Any]

#: columns of each sheet: group, header, and unit in SI and MMKS
L, R, V, W = ("m", "mm"), ("rad", "rad"), ("m/s", "mm/s"), ("rad/s", "rad/s")
BODIES = [("", "Bodies ID", ("", "")), *[("Body Frame Origin = CoM", x, L) for x in "xyz"],
          *[("T1: point on x axis BF", f"x-axis {x}", L) for x in "xyz"],
          *[("T1: point on y axis BF", f"y-axis {x}", L) for x in "xyz"],
          *[("T2: Bryant angles X-Y-Z", x, R) for x in ("Roll", "Pitch", "Yaw")],
          *[("T3: axis of rotation", x, ("-", "-")) for x in ("u1", "u2", "u3")],
          ("T3: axis of rotation", "Rot Ang", R),
          ("Dynamic", "Mass", ("kg", "kg")), *[("Dynamic", x, ("kg m2", "kg mm2")) for x in ("Ixx", "Iyy", "Izz")],
          *[("Initial velocity", x, V) for x in ("vx", "vy", "vz")],
          *[("Initial angular velocity", x, W) for x in ("wx", "wy", "wz")],
          *[("Applied force", x, ("N", "N")) for x in ("Fx", "Fy", "Fz")],
          *[("Applied torque", x, ("N m", "N mm")) for x in ("Tx", "Ty", "Tz")]]
JOINTS = [("", "ID", ("", "")), ("", "Name", ("", "")), ("", "Body i", ("", "")), ("", "Body j", ("", "")),
          *[("Point", x, L) for x in "xyz"], *[("Axis s_i", f"s{x}", ("-", "-")) for x in "xyz"],
          *[("Second axis s_j", f"sj {x}", ("-", "-")) for x in "xyz"],
          *[("Second point", f"{x}2", L) for x in "xyz"], ("", "Direction", ("", ""))]
DRIVERS = [("", "Body", ("", "")), ("", "Direction index", ("", "")),
           *[("Direction", x, ("-", "-")) for x in ("u1", "u2", "u3")], ("", "Function", ("@(t)", "@(t)")),
           ("", "First derivative", ("@(t)", "@(t)")), ("", "Second derivative", ("@(t)", "@(t)")),
           ("", "Name", ("", ""))]
ELEMENTS = [("", "ID", ("", "")), ("", "Name", ("", "")), ("", "Body i", ("", "")), ("", "Body j", ("", "")),
            *[("Point on body i", f"{x}i", L) for x in "xyz"], *[("Point on body j", f"{x}j", L) for x in "xyz"],
            ("Linear", "Coefficient", ("-", "-")), ("Linear", "Undeformed length", L),
            ("Functions", "Number of functions", ("-", "-")), ("Functions", "x1", ("-", "-")),
            ("Functions", "x2", ("-", "-")), *[("Functions", f"Function {k}", ("@(t)", "@(t)")) for k in (1, 2, 3)]]
SETTINGS = [("Simulation Characteristics", None, None), ("Run simulation for", "until", "s"),
            ("Time Step", "step", "s"),
            ("Type of Simulation", "type", "[Kin or Dyn]"), ("Gravity Direction", "direction", "Global [x,y,z]"),
            ("Gravity Magnitude", "gravity", "+g/-g"), ("Units System", "units", "[SI/MKS or MMKS]"),
            ("Post Processing", "post", "[Yes or No]"), ("Graphics", None, None),
            ("Position", "position", "[Yes or No]"),
            ("Translational Velocity", "velocity", "[Yes or No]"), ("Angular Velocity", "", "[Yes or No]"),
            ("Translational Acceleration", "", "[Yes or No]"), ("Angular Acceleration", "", "[Yes or No]"),
            ("Center of Mass", "", "[Yes or No]"), ("Joints", "", "[Yes or No]"), ("Animation", "", "[Yes or No]"),
            ("Animation Video", "", "[Yes or No]"), ("Bodies", "bodies", "numbers, such as 2; 3"),
            ("Points", "points", "numbers, order of the sheet Joints"), ("Solver", None, None),
            ("Integrator", "integrator", "a name of vincolo, or ode113, ode45, ode15s"),
            ("Tolerance", "tolerance", "relative"), ("Formulation", "", "a name of vincolo")]


def table(sheet: Worksheet, columns: list[tuple[str, str, tuple[str, str]]], rows: list[Row], units: str) -> None:
    """Groups, headers, units, and the rows below them."""
    for k, (group, header, unit) in enumerate(columns, 1):
        first = k == 1 or columns[k - 2][0] != group
        for row, value, fill in ((1, group if first else "", GROUP), (2, header, HEAD),
                                 (3, unit[units == "MMKS"], UNIT)):
            cell = sheet.cell(row, k, value or None)
            cell.fill, cell.border, cell.alignment = fill, LINE, Alignment(wrap_text=row == 2, vertical="top")
            cell.font = Font(bold=row < 3, italic=row == 3)
        for row, data in enumerate(rows, 4):
            sheet.cell(row, k, data.get(header))
        text = max([len(header), 7, *(len(str(data.get(header, ""))) for data in rows)])
        sheet.column_dimensions[get_column_letter(k)].width = min(text + 2, 28)
    sheet.freeze_panes = "B4"


def write(name: str, settings: Row, bodies: list[Row], joints: list[Row], drivers: list[Row], elements: list[Row],
          notes: list[str]) -> None:
    """One workbook of the six sheets and Notes."""
    book = Workbook()
    sheet = book.active
    sheet.title = "SimParam"
    for row, (label, key, allowed) in enumerate(SETTINGS, 1):
        for column, value in enumerate((label, settings.get(key or ""), allowed), 1):
            sheet.cell(row, column, value).font = Font(bold=key is None, italic=column == 3)
        if key is None:
            sheet.cell(row, 1).fill = GROUP
    for column, width in zip("ABC", (28, 16, 48), strict=True):
        sheet.column_dimensions[column].width = width
    ground: Row = {"Bodies ID": "Absolute Frame", "x": 0, "y": 0, "z": 0}
    for title, columns, rows in (("Bodies", BODIES, [ground, *bodies]), ("Joints", JOINTS, joints),
                                 ("Joints Drivers", DRIVERS, drivers), ("Force Elements", ELEMENTS, elements),
                                 ("PosProcessing", [("", "ID", ("", "")), ("", "Point", ("", ""))], [])):
        table(book.create_sheet(title), columns, rows, settings["units"])
    sheet = book.create_sheet("Notes")
    sheet.column_dimensions["A"].width = 120
    for row, text in enumerate(notes, 1):
        sheet.cell(row, 1, text).alignment = Alignment(wrap_text=True, vertical="top")
    save(book, HERE / f"{name}.xlsx")


def save(book: Workbook, path: Path) -> None:
    """The workbook with the same time stamps in every run, so that equal contents are equal files."""
    made = io.BytesIO()
    book.save(made)
    with appearing("make.py", path) as file, zipfile.ZipFile(made) as old, zipfile.ZipFile(file, "w") as new:
        for part in old.infolist():
            data = old.read(part)
            if part.filename == "docProps/core.xml":
                data = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"2022-10-01T00:00:00Z", data)
            info = zipfile.ZipInfo(part.filename, STAMP)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            new.writestr(info, data)


def body(name: str, at: tuple[float, ...], mass: float, inertia: tuple[float, ...], **more: Any) -> Row:
    """A row of Bodies."""
    moments = dict(zip(("Ixx", "Iyy", "Izz"), inertia, strict=True))
    return {"Bodies ID": name, **dict(zip("xyz", at, strict=True)), "Mass": mass, **moments, **more}


def joint(kind: str, i: int, j: int | None, at: tuple[float, ...], axis: str = "", name: str = "", **more: Any) -> Row:
    """A row of Joints."""
    vector = {f"s{x}": int(x == axis) for x in "xyz"} if axis else {}
    return {"ID": kind, "Name": name or None, "Body i": i, "Body j": j, **dict(zip("xyz", at, strict=True)), **vector,
            **more}


def element(kind: str, i: int, j: int, first: tuple[float, ...], second: tuple[float, ...], **more: Any) -> Row:
    """A row of Force Elements."""
    return {"ID": kind, "Body i": i, "Body j": j, **{f"{x}i": p for x, p in zip("xyz", first, strict=True)},
            **{f"{x}j": p for x, p in zip("xyz", second, strict=True)}, **more}


def settings(until: float, step: float, units: str = "SI", **more: Any) -> Row:
    """SimParam of a dynamic simulation with gravity along y."""
    g = -9806.65 if units == "MMKS" else -9.80665
    return {"until": until, "step": step, "type": "Dyn", "direction": "y", "gravity": g, "units": units, "post": "No",
            "position": "Yes", "velocity": "Yes", "integrator": "DOP853", "tolerance": 1e-10, **more}


SOURCE = "Data of Carvalho (2022), Multibody 3D Simulation Tool for Vehicle Development, MSc thesis, Univ. Lisboa."
GRAVITY = "Gravity 9.80665 m/s2 as in the thesis' example sheet (figure 3.7)."


def pendulum() -> None:
    """A01, tables 4.3 and 4.4."""
    write("a01_pendulum", settings(10, 0.005, "MMKS", bodies=3, points=1),
          [body("Massless Link", (-500, 0, 0), 1, (1, 1, 1)),
           body("Pendulum Mass", (-1000, 0, 0), 11.21, (21967, 21967, 21967))],
          [joint("Revolute", 1, 2, (0, 0, 0), "z", "Pivot"), joint("Spherical", 2, 3, (-1000, 0, 0), name="Ball"),
           joint("Points", 3, None, (-1000, 0, 0), name="Sphere")], [], [],
          [SOURCE, "Benchmark A01, simple pendulum: tables 4.3 and 4.4. Units mmks.",
           "The text prints g = 9.86 m/s2, probably a misprint. " + GRAVITY,
           "The axis of the hinge (z) is not printed. The link called massless has 1 kg."])


def four_bars() -> None:
    """A02, tables 4.8 and 4.9."""
    flat, upright, v = (1.71e-4, 9.14e-2, 9.15e-2), (9.14e-2, 1.71e-4, 9.15e-2), 1.5
    swing, shift = {"vx": v / 2, "wz": -v}, {"vx": v}
    pins = [(1, 2, 0, 0), (2, 3, 0, 1), (3, 4, 1, 1), (4, 1, 1, 0), (4, 5, 1, 1), (5, 6, 2, 1), (6, 1, 2, 0)]
    write("a02_four_bars", settings(10, 0.005, bodies="2; 3", points=1),
          [body("Link 1", (0, 0.5, 0), 1.03, (9.14e-2, 1.7e-4, 9.15e-2), **swing),
           body("Link 2", (0.5, 1, 0), 1.03, flat, **shift), body("Link 3", (1, 0.5, 0), 1.03, upright, **swing),
           body("Link 4", (1.5, 1, 0), 1.03, flat, **shift), body("Link 5", (2, 0.5, 0), 1.03, upright, **swing)],
          [*[joint("Revolute", i, j, (x, y, 0), "z") for i, j, x, y in pins],
           joint("Points", 2, None, (0, 1, 0), name="B0")], [], [],
          [SOURCE, "Benchmark A02, N-four-bar mechanism, N = 2: tables 4.8 and 4.9. " + GRAVITY,
           "The thesis gives B0 an initial velocity of 1.5 m/s (1 m/s in the literature). Here all links have the "
           "velocities that belong to it; typed for one link alone, the correction onto the joints would change it.",
           "The text counts six hinges, its table has these seven. The axes (z) are not printed."])


#: centres of mass x, y [m], masses [kg], moments Izz [kg m2], and pins at the start, to 13 digits
ANDREWS = {"OF": (0.0009182485980308, -5.674074562905e-05, 0.04325, 2.194e-6),
           "FE": (-0.004491433359933, 0.0002775362557943, 0.00365, 4.41e-7),
           "BED": (-0.01874218667032, 0.02048510678907, 0.02373, 5.255e-6),
           "EG": (-0.03022293983016, 0.01207118235666, 0.00706, 5.667e-7),
           "GA": (-0.0532368281557, 0.01663184796662, 0.0705, 1.169e-5),
           "AH": (-0.05926240280179, -0.01060069833271, 0.05498, 1.912e-5),
           "HE": (-0.02854326853678, -0.01072225470725, 0.00706, 5.667e-7)}
PINS = {"O": (0, 0, 0), "A": (-0.06934, -0.00227, 0), "B": (-0.03635, 0.03273, 0), "C": (0.014, 0.072, 0),
        "D": (-0.01047239388881, 0.02535778853028, 0), "E": (-0.02096002234635, 0.001295169193707, 0),
        "F": (0.006986674115451, -0.0004317230645689, 0), "G": (-0.03399720388584, 0.016461971675, 0),
        "H": (-0.03163313450741, -0.0156188686683, 0)}


def andrews() -> None:
    """A03, tables 4.12 to 4.14, with the literature's digits."""
    pins = [(1, 2, "O"), (2, 3, "F"), (3, 4, "E"), (4, 1, "B"), (4, 5, "E"), (5, 6, "G"), (6, 1, "A"), (1, 7, "A"),
            (7, 8, "H"), (8, 3, "E")]
    write("a03_andrews", settings(0.05, 5e-5, gravity=0, points="1; 2", tolerance=1e-11),
          [body(name, (x, y, 0), m, (0, 0, Izz), **({"Tz": 0.033} if name == "OF" else {}))
           for name, (x, y, m, Izz) in ANDREWS.items()],
          [*[joint("Revolute", i, j, PINS[at], "z") for i, j, at in pins],
           joint("Points", 3, None, PINS["E"], name="E"), joint("Points", 2, None, PINS["F"], name="F")], [],
          [element("Spring", 1, 4, PINS["C"], PINS["D"], **{"Coefficient": 4530, "Undeformed length": 0.07785})],
          [SOURCE, "Benchmark A03, Andrews' squeezing mechanism: tables 4.12 to 4.14. No gravity.",
           "Corrected against the literature (Schiehlen 1990; test set for initial value problems): centre of mass of "
           "FE (printed 4.49e-3, 2.8e-3), x of BED (printed -1.8174e-2), y of AH (printed -1.663e-2), mass of HE "
           "(printed 7.06e-2); the torque of 0.033 is printed in N/m.",
           "All numbers have the digits of the literature, which the thesis rounds to three; points are those of its "
           "consistent start. The run is 0.05 s as in the literature (thesis 0.005 s)."])


def bricard() -> None:
    """A04, tables 4.17 and 4.18."""
    along_x, along_y, along_z = (4.71e-5, 7.86e-2, 7.87e-2), (7.86e-2, 4.71e-5, 7.86e-2), (7.86e-2, 7.86e-2, 4.71e-5)
    pins = [(1, 2, (0, 1, 0), "x"), (2, 3, (0, 0, 0), "z"), (3, 4, (1, 0, 0), "y"), (4, 5, (1, 0, -1), "x"),
            (5, 6, (1, 1, -1), "z"), (6, 1, (0, 1, -1), "y")]
    write("a04_bricard", settings(10, 0.005, bodies=4, points=1),
          [body("Rod 1", (0, 0.5, 0), 0.94, (9.14e-2, 1.71e-4, 9.15e-2)), body("Rod 2", (0.5, 0, 0), 0.94, along_x),
           body("Rod 3", (1, 0, -0.5), 0.94, along_z), body("Rod 4", (1, 0.5, -1), 0.94, along_y),
           body("Rod 5", (0.5, 1, -1), 0.94, along_x)],
          [*[joint("Revolute", i, j, at, axis) for i, j, at, axis in pins],
           joint("Points", 4, None, (1, 0, -1), name="P3")], [], [],
          [SOURCE, "Benchmark A04, Bricard's mechanism: tables 4.17 and 4.18. " + GRAVITY,
           "The header of table 4.18 says mm; its values are in m. Axes and the point P3 are not printed; they are "
           "those of the literature (Gonzalez et al. 2006), in the frame of the thesis.",
           "The inertia of Rod 1 is as printed, and probably a slip: that of a link of table 4.8.",
           "The printed moments of Rods 2 and 5 (7.87e-2 besides 7.86e-2 and 4.71e-5) are rounded to three digits, so "
           "that no body can have them; the reader takes 7.862645e-2 and 7.867355e-2, both within the rounding."])


def flyball() -> None:
    """A05, tables 4.21 to 4.24."""
    spin, slope, reach = 2 * math.pi, math.pi / 6, math.hypot(0.901 - 0.05, 1 - 0.5088)
    tip, x, y = 0.05 + 0.5 * math.cos(slope), 0.05 + reach * math.cos(slope), 1 - reach * math.sin(slope)
    rod = (1.0867e-2, 3.5e-1, 3.5e-1)

    def turning(name: str, x: float, y: float, mass: float, inertia: tuple[float, ...], **more: float) -> Row:
        return body(name, (x, y, 0), mass, inertia, vz=-spin * x, wy=spin, **more)

    links = [element(kind, 5, n, (0.05 * side, 0.5, 0), (side * tip, 0.75, 0), **more)
             for kind, more in (("Spring", {"Coefficient": 8e5, "Undeformed length": 0.5}),
                                ("Damper", {"Coefficient": 4e4})) for n, side in ((3, 1), (4, -1))]
    write("a05_flyball", settings(10, 0.005, gravity=-9.81, bodies=5, integrator="Radau", tolerance=1e-9),
          [turning("Base", 0, 0.5171, 0.9758, (8.662e-2, 7.808e-5, 8.662e-2)),
           turning("Rod 1", x, y, 5.9425, rod, u1=0, u2=0, u3=1, **{"Rot Ang": -slope}),
           turning("Rod 2", -x, y, 5.9425, rod, u1=0, u2=0, u3=1, **{"Rot Ang": slope}),
           turning("Spring/Damper Supp", 0, 0.5, 3, (5e-3, 5e-3, 5e-3))],
          [joint("Revolute", 1, 2, (0, 0, 0), "y"), joint("Revolute", 2, 3, (0.05, 1, 0), "z"),
           joint("Revolute", 2, 4, (-0.05, 1, 0), "z"), joint("Translation", 2, 5, (0, 0.5, 0), "y"),
           joint("Points", 5, None, (0, 0.5, 0), name="Slider")], [], links,
          [SOURCE, "Benchmark A05, flyball governor: tables 4.21 to 4.24. Gravity 9.81 m/s2 as there.",
           "The ends of springs and dampers on the rods are printed as 0.483, 0.750; here they are 0.5 m from the "
           "pivot to all digits. The centres of mass of the rods are printed as 0.901, 0.5088; here they are at this "
           "distance from the pivot (0.9825876 m), on the axis of the rod to all digits. "
           "Table 4.24 prints the type Spring for the dampers, and 10^2 for 10^-2.",
           "The thesis gives the base 2 pi rad/s; here all bodies turn with it, which the joints ask for."])


def slider_crank() -> None:
    """A kinematic slider-crank, fully driven; lengths in mm."""
    crank, rod, start = 100.0, 300.0, math.pi / 3
    x, y = crank * math.cos(start), crank * math.sin(start)
    far = x + math.sqrt(rod**2 - y**2)
    middle = {"x": (x + far) / 2, "y": y / 2, "z": 0}
    axes = {"x-axis x": far, "x-axis y": 0, "x-axis z": 0, "y-axis x": middle["x"] + y,
            "y-axis y": middle["y"] + far - x, "y-axis z": 0}
    turned = {"u1": 0, "u2": 0, "u3": 1}
    write("a06_slider_crank_kinematic",
          settings(3, 0.01, "MMKS", type="Kin", bodies="2; 4", points=1, integrator=None, tolerance=None),
          [{"Bodies ID": "Crank", "x": x / 2, "y": y / 2, "z": 0, **turned, "Rot Ang": start},
           {"Bodies ID": "Rod", **middle, **axes}, {"Bodies ID": "Slider", "x": far, "y": 0, "z": 0}],
          [joint("Revolute", 1, 2, (0, 0, 0), "z", "O"), joint("Revolute", 2, 3, (x, y, 0), "z", "A"),
           joint("Spherical", 3, 4, (far, 0, 0), name="B"), joint("Translation", 1, 4, (far, 0, 0), "x", "S"),
           joint("Points", 2, None, (x, y, 0), name="Pin")],
          [{"Body": 2, "Direction index": 6, **turned, "Function": "@(t) 4*t + 0.5*sin(2*t).^2",
            "First derivative": "@(t) 4 + sin(4*t)", "Second derivative": "@(t) 4.*cos(4*t)", "Name": "Motor"}], [],
          ["A slider-crank of our own, crank 100 mm, rod 300 mm: the kinematic example of the thesis has no data.",
           "The crank turns by 4 t + 0.5 sin(2 t)^2 rad from 60 degrees, through dead centres, for 3 s. Rotations are "
           "driven relative to the drawn position."])


def main() -> None:
    for make in (pendulum, four_bars, andrews, bricard, flyball, slider_crank):
        make()
    print(*sorted(path.name for path in HERE.glob("*.xlsx")), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
