"""Workbooks of Carvalho (2022): the sheets SimParam, Bodies, Joints, Joints Drivers, Force Elements, PosProcessing."""

from __future__ import annotations

import numpy as np

from vincolo.analyses import assemble
from vincolo.errors import FileError
from vincolo.formats.document import Document
from vincolo.formats.excel.carvalho.bodies import Bodies, read_bodies
from vincolo.formats.excel.carvalho.drivers import read_drivers
from vincolo.formats.excel.carvalho.elements import read_elements
from vincolo.formats.excel.carvalho.joints import Points, read_joints
from vincolo.formats.excel.carvalho.settings import Parameters, numbers_or_names, read_settings
from vincolo.formats.excel.carvalho.tables import Column, Layout, Reading, list_unused, plain, read_table
from vincolo.formats.excel.sheets import Sheet, Workbook
from vincolo.formats.mistakes import refuse
from vincolo.formats.report import Report
from vincolo.layout import MOTION, of_body
from vincolo.model import Model
from vincolo.state import State
from vincolo.system import System

#: sheets by their plain names
SHEETS = {"simparam": "SimParam", "bodies": "Bodies", "body": "Bodies", "joints": "Joints", "joint": "Joints",
          "jointsdrivers": "Joints Drivers", "jointdrivers": "Joints Drivers", "drivers": "Joints Drivers",
          "jointsdriver": "Joints Drivers", "jointdriver": "Joints Drivers", "forceelements": "Force Elements",
          "forceelement": "Force Elements", "posprocessing": "PosProcessing", "postprocessing": "PosProcessing"}
CORRECTED = 0.01  # share of a typed velocity whose correction is told

POST = Layout((Column("id", ("id", "matlabid", "part", "partid")),
               Column("point", ("point", "points", "pointid", "number")),
               Column("name", ("name", "description", "label"))), ("id", "point"), least=2)


def is_carvalho(workbook: Workbook) -> bool:
    """Whether a workbook is in this layout: it has a sheet SimParam."""
    return any(plain(name) == "simparam" for name in workbook.sheets)


def read_carvalho(workbook: Workbook) -> Document:
    """The model of a workbook in the layout of Carvalho (2022), in SI units, with its settings; all mistakes in it are
    raised together."""
    reading = Reading(Report(notes=list(workbook.notes)))
    sheets = _sheets(reading, workbook)
    parameters = read_settings(reading, sheets["SimParam"])
    reading.length = parameters.length
    model = Model(workbook.path.stem, gravity=parameters.gravity)
    bodies = read_bodies(reading, sheets["Bodies"], model, parameters)
    if reading.mistakes and not bodies.names:  # without bodies every other sheet would be wrong
        refuse(workbook.name, reading.mistakes)
    points = Points()
    if "Joints" in sheets:
        points = read_joints(reading, sheets["Joints"], model, bodies, parameters.length)
    if "Joints Drivers" in sheets:
        read_drivers(reading, sheets["Joints Drivers"], model, bodies, parameters)
    if "Force Elements" in sheets:
        _elements(reading, sheets["Force Elements"], model, bodies, parameters)
    if parameters.analysis == "kinematics" and not model.holds and not reading.mistakes:
        reading.mistakes.append(FileError(f"{workbook.name}: a kinematic simulation moves by its drivers, but there "
                                          "are none.\n  Fill in the sheet 'Joints Drivers', or write Dyn in SimParam."))
    _post(reading, workbook, sheets, points, parameters)
    channels = _channels(reading, sheets["SimParam"], model, bodies, points, parameters)
    list_unused(reading)
    refuse(workbook.name, reading.mistakes)
    _understood(reading.report, model, parameters)
    begin = _Start(reading.report, workbook.name) if parameters.analysis == "dynamics" else None
    return Document(model, parameters.settings(channels), reading.report, workbook.path, begin)


def _sheets(reading: Reading, workbook: Workbook) -> dict[str, Sheet]:
    found: dict[str, Sheet] = {}
    for name, sheet in workbook.sheets.items():
        known = SHEETS.get(plain(name))
        if known is None:
            reading.report.not_used(f"{workbook.name}, sheet '{name}'", "it is not one of the six sheets.")
        elif known in found:
            raise FileError(f"{workbook.name}: the sheets '{found[known].name}' and '{name}' have the same meaning.\n"
                            "  Delete or rename one of them.")
        else:
            found[known] = sheet
    missing = [name for name in ("SimParam", "Bodies") if name not in found]
    if missing:
        raise FileError(f"{workbook.name}: there is no sheet '{missing[0]}'.\n  The sheets are SimParam, Bodies, "
                        f"Joints, Joints Drivers, Force Elements, PosProcessing. "
                        f"Here are: {', '.join(workbook.sheets)}.")
    return found


def _elements(reading: Reading, sheet: Sheet, model: Model, bodies: Bodies, parameters: Parameters) -> None:
    read_elements(reading, sheet, model, bodies, parameters.length)
    if parameters.analysis == "kinematics" and (model.springs or model.laws):
        reading.report.note(sheet.file, "Force Elements: they do not change a kinematic simulation, only the forces of "
                            "its drivers.")


def _post(reading: Reading, workbook: Workbook, sheets: dict[str, Sheet], points: Points,
          parameters: Parameters) -> None:
    """PosProcessing: which point is which part; noted, since nothing is said of what is computed from them."""
    sheet = sheets.get("PosProcessing")
    if sheet is None or not sheet.cells:
        if parameters.post:
            reading.mistakes.append(FileError(f"{workbook.name}: SimParam asks for post processing, but there is no "
                                              "sheet 'PosProcessing' with points.\n  Add it, or write No."))
        return
    if not parameters.post:
        reading.report.not_used(f"{workbook.name}, sheet '{sheet.name}'", "Post Processing in SimParam is not Yes.")
        return
    for row in read_table(reading, sheet, POST):
        if row.need("point", "the point") and row.need("id", "the ID"):
            with reading.at(row.where("point")):
                name = points.find(row.text("point"))
                reading.report.note(row.place, f"the point {name!r} is {row.text('id')!r} {row.text('name')}".rstrip())


def _channels(reading: Reading, sheet: Sheet, model: Model, bodies: Bodies, points: Points,
              parameters: Parameters) -> tuple[str, ...]:
    """The series that SimParam asks for: of centres of mass, of points, and coordinates of joints."""
    owners: list[str] = []
    row, text = parameters.bodies
    with reading.at(sheet.place(row or 1)):
        for entry in numbers_or_names(text):
            index = bodies.index(entry)
            if index is None or index == 0:
                raise FileError(f"{sheet.place(row or 1)}: there is no moving body {entry!r} to draw.\n"
                                f"  Bodies: {', '.join(f'{k} {n}' for k, n in enumerate(bodies.names[:20], 1))}.")
            owners.append(bodies.names[index])
    row, text = parameters.points
    with reading.at(sheet.place(row or 1)):
        owners += [points.find(entry) for entry in numbers_or_names(text)]
    found = [f"{owner}.{prefix}{axis}" for owner in owners for prefix in parameters.graphs for axis in "xyz"]
    if parameters.joints:
        found += [c.name for joint in model.joints.values() for c in joint.coordinates.values() if c.name]
    return tuple(dict.fromkeys(found))


def _understood(report: Report, model: Model, parameters: Parameters) -> None:
    unit = "mm, kg, N, s" if parameters.length < 1 else "m, kg, N, s"
    run = f"{parameters.analysis}, {parameters.until:g} s, {parameters.outputs} outputs"
    report.understood += [f"SimParam: {run}; units {unit}",
                          f"Bodies: {len(model.bodies)}", f"Joints: {len(model.joints)}, points: {len(model.frames)}",
                          f"Drivers and held coordinates: {len(model.holds)}",
                          f"Force elements: {len(model.springs) + len(model.laws)}, applied loads: {len(model.loads)}"]


class _Start:
    """Closes the mechanism; velocities that are typed are estimates, and what becomes of them is reported."""

    def __init__(self, report: Report, name: str) -> None:
        self.report, self.name = report, name

    def __call__(self, system: System, t: float) -> State:
        state = assemble(system, t=t)
        for number, centred in enumerate(system.centred):
            body, found = centred.body, of_body(state.y, number)[MOTION]
            typed = np.concatenate([body.velocity, body.angular_velocity])
            change = float(np.abs(found - typed).max())
            if typed.any() and change > CORRECTED * float(np.abs(typed).max()):
                v, w = (", ".join(f"{x:.6g}" for x in part) for part in (found[:3], found[3:]))
                self.report.warn(self.name, f"body {body.name!r}: the joints allow other velocities than typed; it "
                                 f"starts with v = ({v}) m/s, w = ({w}) rad/s.")
        return state
