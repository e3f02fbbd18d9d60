"""Workbooks to begin with: explained, coloured, with drop-down lists and checks."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from vincolo.errors import ModelError, suggest
from vincolo.files import appearing
from vincolo.formats.excel.book import new_book, packed, put
from vincolo.formats.excel.layout import TABLES, Column, Table
from vincolo.formats.excel.template_models import TEMPLATES, Template
from vincolo.formats.excel.units import si_name, split
from vincolo.formats.excel.vehicle_templates import vehicle_templates
from vincolo.formats.excel.write import Grid, grids
from vincolo.formats.tree.mechanism import AXIS_COUNTS, KINDS
from vincolo.formats.tree.settings import names_of

TOP = 4  # the row of headings
ROWS = 200  # rows that have lists and checks
# sheets that only templates of suspensions have
OF_VEHICLES = ("suspensions", "vehicles", "tyres", "load_cases", "limits")
LISTS = "# Lists"
DARK, LIGHT, NEEDED, WRONG = "1F4E78", "DDEBF7", "FFF2CC", "F8CBAD"

#: headings that every template shows, by section
SHOWN = {
    "parameters": ("value", "unit"), "points": ("x", "y", "z"),
    "suspensions": ("kind", "spring", "bar", "steered", "k", "c", "wheel radius"),
    "limits": ("metric", "rig", "low", "high"), "vehicles": ("front", "rear", "mass", "tyre front", "tyre rear"),
    "tyres": ("kind", "file", "radius", "k"), "load_cases": ("ax", "ay", "az"),
    "bodies": ("mass", "inertia xx", "inertia yy", "inertia zz", "at"),
    "looks": ("colour", "shapes"), "frames": ("on", "at", "z", "x"),
    "joints": ("kind", "a", "b", "at", "axis", "axis2"),
    "measures": ("kind", "between 1", "between 2", "axes", "of", "formula", "unit"), "drives": ("measure", "function"),
    "holds": ("measure", "function"), "springs": ("measure", "between 1", "between 2", "k", "c", "length", "preload"),
    "laws": ("measure", "force"), "actuators": ("measure", "force"),
    "rotors": ("measure", "inertia", "ratio"), "ranges": ("measure", "at least", "at most"),
    "loads": ("kind", "where", "components x", "components y", "components z")}
#: headings that a row cannot do without
COMPULSORY = {"suspensions": ("kind",), "limits": ("metric",), "vehicles": ("front", "rear", "mass"),
              "parameters": ("value",), "points": ("x", "y", "z"), "bodies": ("mass",), "frames": ("on",),
              "joints": ("kind", "a", "b"), "drives": ("measure", "function"), "holds": ("measure",), "springs": ("k",),
              "laws": ("measure", "force"), "actuators": ("measure", "force"),
              "rotors": ("measure", "inertia"), "ranges": ("measure",),
              "loads": ("kind", "where", "components x", "components y", "components z")}
ABOUT = {
    "model": "What is simulated, and how it is run.",
    "parameters": "Numbers with a name. Formulas on all sheets may use them: write 2*l, without '=' in front.",
    "points": "Hardpoints in the world, in the drawn position. Use their names wherever a point is asked for.",
    "suspensions": "A row for each axle: its parts are made from the points called name_role, such as "
                   "front_lower_ball.",
    "vehicles": "The car: its chassis, and which suspensions and tyres it stands on.",
    "tyres": "Tyres by the numbers of their formulas, or from .tir files.",
    "load_cases": "Accelerations of the car, for the loads of 'vincolo suspension --loads'.",
    "limits": "What the curves of 'vincolo suspension' must keep; write values with their unit, such as -3 deg.",
    "bodies": "Rigid bodies. 'ground' is always there. Inertia is about the centre of mass, in body axes.",
    "looks": "What bodies look like in pictures. Without a row here a body is drawn from its joints.",
    "frames": "Points with axes on a body, for rods, springs and measures.",
    "joints": "What connects the bodies. An axis is x, y, z, -x, three numbers 0; 1; 1, or A -> B between points.",
    "measures": "Distances, angles and formulas that you want to see or drive.",
    "drives": "Motors: they move a coordinate, such as O.angle, along a function of the time t.",
    "holds": "Coordinates that are kept at a value.",
    "springs": "Springs with dampers, between two frames or on a measure. Tension is positive.",
    "laws": "Forces that resist: texts over d (the measure), dd (its rate) and t.",
    "actuators": "Forces that drive: texts over d, dd and t, or functions.",
    "ranges": "Limits that a coordinate or measure is meant to stay in; a run says where it leaves them.",
    "rotors": "Inertia that turns with a coordinate, such as the rotor of a geared motor.",
    "loads": "Forces and torques in world axes: numbers, or texts in t."}

STEPS = (("", "1. Change the sheets and save the workbook."), ("", "2. In a terminal, in the folder of this file:"),
         ("code", "vincolo check {name}"), ("code", "vincolo run {name}"), ("code", "vincolo run {name} --write-back"),
         ("", "The last one adds the results to this workbook, with charts; close it in Excel first."))
RULES = (("head", "Colours"), ("dark", "headings; point at one to read what it is for"),
         ("needed", "must be filled in"), ("wrong", "is missing in a row that has a name"), ("", ""), ("head", "Rules"),
         ("", "Numbers are in SI units: m, kg, s, N, rad. A heading may name another unit: x [mm], angle [deg]."),
         ("", "Results are in the units of the setting 'units' on the sheet Model, such as mm; deg; kN."),
         ("", "A number cell takes a number, an Excel formula, or a text over the parameters such as 2*l + 0.1."),
         ("", "Names of parts are used once. Results are called name.x, name.angle and so on."),
         ("", "Columns called comment, rows that begin with # and sheets whose names begin with # are not read."),
         ("", "All joints are in the catalogue (docs/catalogue.md), all columns in docs/workbook.md."))


def write_template(kind: str, path: str | Path) -> None:
    """Writes a workbook to begin with: "blank", "slider-crank" or "double-wishbone"."""
    template, target = template_of(kind), Path(path)
    book = new_book()
    _read_me(book.create_sheet("Read me"), template, target.name)
    made = {_section(grid.table): grid for grid in grids(template.tree)}
    for section in ABOUT:
        if section in OF_VEHICLES and section not in template.tree:
            continue
        grid = made.get(section, Grid(TABLES[section], [TABLES[section].first], []))
        _fill(book.create_sheet(grid.table.sheet), section, _in_units(grid, template.units), template)
    _lists(book)
    content = packed(book)
    with appearing("write_template()", target) as file:
        file.write(content)


def template_of(kind: str) -> Template:
    """A template by its name."""
    known = {**TEMPLATES, **vehicle_templates()}
    if kind not in known:
        raise ModelError(f"there is no template {kind!r}.{suggest(kind, known)}\n  Templates: {', '.join(known)}.")
    return known[kind]


def _in_units(grid: Grid, units: tuple[str, ...]) -> Grid:
    """A grid with its lengths and angles in other units: x [m] becomes x [mm]."""
    names = {heading: heading.replace(f"[{si}]", f"[{unit}]") for heading in grid.headings
             for si, unit in (("m", "mm"), ("rad", "deg")) if unit in units and heading.endswith(f" [{si}]")}
    factors = {heading: 1000.0 if "[mm]" in name else 180 / math.pi for heading, name in names.items()}
    rows = [{names.get(heading, heading): round(value * factors[heading], 9) if heading in names and isinstance(
        value, float | int) else value for heading, value in row.items()} for row in grid.rows]
    return Grid(grid.table, [names.get(heading, heading) for heading in grid.headings], rows)


def _section(table: Table) -> str:
    return next(section for section, other in TABLES.items() if other is table)


def _read_me(sheet: Any, template: Template, name: str) -> None:
    """The sheet of explanations."""
    from openpyxl.styles import Alignment, Font, PatternFill

    lines = [("title", template.title), ("", ""), ("head", "What to do"), *(
        (style, text.format(name=name)) for style, text in STEPS), ("", ""), ("head", "This model"),
        *(("", note) for note in template.notes), ("", ""), *RULES]
    fills = {"dark": DARK, "needed": NEEDED, "wrong": WRONG}
    for r, (style, text) in enumerate(lines, 1):
        if text:
            cell = put(sheet, r, 1, text)
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            cell.font = {"title": Font(bold=True, size=16, color=DARK), "head": Font(bold=True, size=12, color=DARK),
                         "code": Font(name="Consolas"), "dark": Font(bold=True, color="FFFFFF")}.get(style, Font())
            if style in fills:
                cell.fill = PatternFill("solid", fgColor=fills[style])
    sheet.column_dimensions["A"].width = 110
    sheet.sheet_view.showGridLines = False


def _fill(sheet: Any, section: str, grid: Grid, template: Template) -> None:
    """One sheet: title, headings with explanations, rows, lists and checks."""
    from openpyxl.styles import Font

    put(sheet, 1, 1, grid.table.sheet).font = Font(bold=True, size=14, color=DARK)
    put(sheet, 2, 1, ABOUT[section]).font = Font(italic=True, color="595959")
    titles = _titles(section, grid)
    for c, title in enumerate(titles, 1):
        _heading(sheet, c, title, section, grid.table)
    names: list[str] = []
    for r, row in enumerate(grid.rows, TOP + 1):
        comment = template.comments.get((section, str(row[grid.table.first])))
        for c, title in enumerate(titles, 1):
            value = row.get(title, comment if title == "comment" else None)
            if value is not None:
                put(sheet, r, c, value)
        names.append(str(row[grid.table.first]))
    sheet.freeze_panes = sheet.cell(TOP + 1, 2)
    _widths(sheet, titles)
    plain = [split(title)[0] for title in titles]
    _model_lists(sheet, names) if section == "model" else _checks(sheet, section, plain)


def _titles(section: str, grid: Grid) -> list[str]:
    """The headings: those that are always shown, those that are used, and comment; the model has none of its own."""
    if section == "model":
        return grid.headings
    table, order = grid.table, list(grid.table.columns)
    titles = {split(title)[0]: title for title in grid.headings}
    for words in SHOWN[section]:
        column, part = table.find(words) or (None, None)
        if column is not None and words not in titles:
            unit = si_name(column.dimensions) if part is not None or column.kind == "number" else ""
            titles[words] = words + unit

    def place(words: str) -> tuple[int, str]:
        found = table.find(words)
        return (-1, "") if words == table.first or found is None else (
            order.index(next(h for h, c in table.columns.items() if c is found[0])), found[1] or "")

    return [*(titles[words] for words in sorted(titles, key=place)), "comment"]


def _heading(sheet: Any, c: int, title: str, section: str, table: Table) -> None:
    from openpyxl.comments import Comment
    from openpyxl.styles import Alignment, Font, PatternFill

    cell = put(sheet, TOP, c, title)
    cell.font, cell.fill = Font(bold=True, color="FFFFFF"), PatternFill("solid", fgColor=DARK)
    cell.alignment = Alignment(vertical="center", wrap_text=True)
    text = _help(split(title)[0], section, table)
    cell.comment = Comment(text, "vincolo", height=30 + 18 * (1 + len(text) // 40), width=300)


def _help(words: str, section: str, table: Table) -> str:
    """What a heading is for."""
    found: tuple[Column, str | None] | None = table.find(words)
    if section == "model":
        return {"setting": "What is set.", "value": "Its value.", "comment": "For you; it is not read."}[words]
    if found is None:
        return "For you; it is not read." if words == "comment" else "A name of your own, used once in the workbook."
    return found[0].help


def _widths(sheet: Any, titles: list[str]) -> None:
    from openpyxl.utils import get_column_letter

    for c, title in enumerate(titles, 1):
        cells = [sheet.cell(r, c).value for r in range(TOP, sheet.max_row + 1)]
        longest = max(len(str(value)) for value in cells if value is not None)
        least = {"name": 18, "setting": 18, "value": 20, "comment": 50}.get(title, 12)
        sheet.column_dimensions[get_column_letter(c)].width = min(max(least, longest + 2), 60)


# lists and checks

def _column_range(c: int) -> str:
    from openpyxl.utils import get_column_letter

    letter = get_column_letter(c)
    return f"{letter}{TOP + 1}:{letter}{TOP + ROWS}"


def _checks(sheet: Any, section: str, plain: list[str]) -> None:
    """Drop-down lists, limits of numbers, and colours for what is missing."""
    from openpyxl.formatting.rule import FormulaRule
    from openpyxl.styles import PatternFill
    from openpyxl.utils import get_column_letter

    for c, words in enumerate(plain, 1):
        _validation(sheet, section, words, _column_range(c))
        if words in COMPULSORY.get(section, ()):
            cell = f"{get_column_letter(c)}{TOP + 1}"
            missing = f'AND($A{TOP + 1}<>"",LEFT($A{TOP + 1},1)<>"#",{cell}="")'
            sheet.conditional_formatting.add(_column_range(c), FormulaRule(
                formula=[missing], fill=PatternFill("solid", bgColor=WRONG), stopIfTrue=True))
            for r in range(TOP + 1, TOP + 1 + max(10, sheet.max_row - TOP)):
                sheet.cell(r, c).fill = PatternFill("solid", fgColor=NEEDED)


def _validation(sheet: Any, section: str, words: str, cells: str) -> None:
    kinds = {("joints", "kind"): "A", ("joints", "a"): "B", ("joints", "b"): "B", ("frames", "on"): "B",
             ("measures", "kind"): "C", ("loads", "where"): "B"}
    column = kinds.get((section, words))
    if column is not None:
        _list(sheet, cells, f"'{LISTS}'!${column}$2:${column}${ROWS + 2}")
    elif (section, words) == ("loads", "kind"):
        _list(sheet, cells, '"force,torque"')
    elif (section, words) == ("bodies", "mass"):
        _positive(sheet, cells)


def _list(sheet: Any, cells: str, formula: str) -> None:
    """A drop-down list; other texts can be typed as well."""
    from openpyxl.worksheet.datavalidation import DataValidation

    rule = DataValidation(type="list", formula1=formula, allow_blank=True, showErrorMessage=False)
    rule.add(cells)
    sheet.add_data_validation(rule)


def _positive(sheet: Any, cells: str) -> None:
    """Numbers above zero; a text is a formula of parameters and passes."""
    from openpyxl.worksheet.datavalidation import DataValidation

    first = cells.split(":")[0]
    rule = DataValidation(type="custom", formula1=f"OR(ISTEXT({first}),{first}>0)", allow_blank=True,
                          showErrorMessage=True, errorTitle="Mass", error="A mass is above zero.")
    rule.add(cells)
    sheet.add_data_validation(rule)


def _model_lists(sheet: Any, settings: list[str]) -> None:
    from openpyxl.styles import PatternFill

    lists = {"analysis": '"dynamics,kinematics"', "integrator": f"'{LISTS}'!$D$2:$D${ROWS + 2}",
             "formulation": f"'{LISTS}'!$E$2:$E${ROWS + 2}", "stabilisation": f"'{LISTS}'!$F$2:$F${ROWS + 2}"}
    for r, name in enumerate([*settings, *(key for key in lists if key not in settings)], TOP + 1):
        if name not in settings:
            put(sheet, r, 1, name)
            put(sheet, r, 3, TABLES["model"].columns[name].help)
        sheet.cell(r, 2).fill = PatternFill("solid", fgColor=LIGHT)
        if name in lists:
            _list(sheet, f"B{r}", lists[name])


def _lists(book: Any) -> None:
    """A sheet that is not read, with what the drop-down lists offer."""
    sheet = book.create_sheet(LISTS)
    columns = {"joints": KINDS, "bodies": ["ground"], "measures": list(AXIS_COUNTS),
               "integrators": names_of("integrator"), "formulations": names_of("formulation"),
               "stabilisations": names_of("stabilisation")}
    for c, (title, words) in enumerate(columns.items(), 1):
        for r, word in enumerate([title, *words], 1):
            put(sheet, r, c, word)
    for r in range(ROWS):  # the names on the sheet Bodies
        cell = f"Bodies!$A${TOP + 1 + r}"
        sheet.cell(r + 3, 2).value = f'=IF({cell}="","",{cell})'
    sheet.sheet_state = "hidden"
