"""The own reader of .xlsx: against openpyxl, and against files that claim what they are not."""

import zipfile
from pathlib import Path

import openpyxl
import pytest

from vincolo.errors import FileError, VincoloError
from vincolo.formats.excel import archive
from vincolo.formats.excel.sheets import Area, Cell, column_name, number, read_workbook

MAIN = ('<workbook xmlns="m" xmlns:r="r"><sheets>{}</sheets></workbook>')
RELATIONS = ('<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/>'
             '<Relationship Id="r2" Type="x/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>')


def raw(path: Path, data: str, strings: str = "<sst/>", **changes: str | bytes | None) -> Path:
    """A workbook of one sheet 'S' from the XML of its rows; `changes` replace or remove parts."""
    parts: dict[str, str | bytes | None] = {
        "xl/workbook.xml": MAIN.format('<sheet name="S" sheetId="1" r:id="r1"/>'),
        "xl/_rels/workbook.xml.rels": RELATIONS, "xl/sharedStrings.xml": strings,
        "xl/worksheets/sheet1.xml": f"<worksheet><sheetData>{data}</sheetData></worksheet>"}
    parts |= {key.replace("__", "/").replace("_0", "."): value for key, value in changes.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive_file:
        for name, text in parts.items():
            if text is not None:
                archive_file.writestr(name, text)
    return path


def cells(path: Path) -> dict[tuple[int, int], Cell]:
    return read_workbook(path).sheets["S"].cells


def test_reads_what_openpyxl_writes(tmp_path):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Bodies"
    values = {(1, 1): "Mass", (2, 3): 1.25, (4, 2): -3.0, (5, 27): "\N{LATIN SMALL LETTER E WITH ACUTE}", (9, 9): True}
    for (row, column), value in values.items():
        sheet.cell(row, column, value)
    book.save(tmp_path / "a.xlsx")
    found = read_workbook(tmp_path / "a.xlsx").sheets["Bodies"]
    assert {key: cell.value for key, cell in found.cells.items()} == values
    assert [row for row, _ in found.rows()] == [1, 2, 4, 5, 9]
    assert dict(found.rows())[2][3].value == 1.25


def test_sheets_keep_their_order_and_hidden_ones_are_noted(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Zeta"
    book.create_sheet("Alpha").sheet_state = "hidden"
    book.create_sheet("Mid").sheet_state = "veryHidden"
    book.save(tmp_path / "a.xlsx")
    found = read_workbook(tmp_path / "a.xlsx")
    assert list(found.sheets) == ["Zeta", "Alpha", "Mid"]
    assert [s.hidden for s in found.sheets.values()] == [False, True, True]
    assert len(found.notes) == 2 and "'Alpha'" in found.notes[0]


def test_a_chart_sheet_is_noted_and_not_read(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "S"
    book.create_chartsheet("Curves")
    book.save(tmp_path / "a.xlsx")
    found = read_workbook(tmp_path / "a.xlsx")
    assert list(found.sheets) == ["S"] and "'Curves'" in found.notes[0]


def test_formulas_with_and_without_a_value_are_told_apart(tmp_path):
    path = raw(tmp_path / "a.xlsx", '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><f>A1*2</f></c>'
               '<c r="C1"><f>A1*3</f><v></v></c><c r="D1" t="e"><f>1/0</f><v>#DIV/0!</v></c>'
               '<c r="E1" t="str"><f>A1&amp;"x"</f><v>2x</v></c><c r="F1" t="str"><f>""</f><v></v></c></row>')
    assert cells(path) == {(1, 1): Cell(2.0, "number", True), (1, 2): Cell("=A1*2", "uncomputed", True),
                           (1, 3): Cell("=A1*3", "uncomputed", True), (1, 4): Cell("#DIV/0!", "error", True),
                           (1, 5): Cell("2x", "text", True)}


def test_rich_text_is_joined_and_phonetic_hints_are_left_out(tmp_path):
    strings = ('<sst><si><r><t>Rod</t></r><r><rPr/><t xml:space="preserve"> 1 </t></r>'
               '<rPh sb="0" eb="1"><t>no</t></rPh></si><si><t>\u00a0two\u00a0</t></si><si><t/></si></sst>')
    path = raw(tmp_path / "a.xlsx", '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>'
               '<c r="C1" t="s"><v>2</v></c><c r="D1" t="inlineStr"><is><r><t>in</t></r><rPh><t>no</t></rPh>'
               '<r><t>line</t></r></is></c><c r="E1" t="b"><v>0</v></c></row>', strings)
    assert {key: cell.value for key, cell in cells(path).items()} == {
        (1, 1): "Rod 1", (1, 2): "two", (1, 4): "inline", (1, 5): False}


def test_missing_references_are_counted_and_prefixes_do_not_matter(tmp_path):
    path = raw(tmp_path / "a.xlsx", "<row><c><v>1</v></c><c/><c><v>3</v></c></row><row/><row><c><v>4</v></c></row>"
               '<x:row xmlns:x="x" r="7"><x:c><x:v>5</x:v></x:c></x:row>')
    assert {key: cell.value for key, cell in cells(path).items()} == {(1, 1): 1.0, (1, 3): 3.0, (3, 1): 4.0,
                                                                      (7, 1): 5.0}


def test_a_cell_at_the_far_corner_costs_nothing(tmp_path):
    path = raw(tmp_path / "a.xlsx", '<row r="1048576"><c r="XFD1048576"><v>7</v></c></row>')
    assert cells(path) == {(1048576, 16384): Cell(7.0, "number")}


def test_a_million_empty_rows_leave_the_rows_below_in_place(tmp_path):
    empty = "".join(f'<row r="{k}" ht="15"/>' for k in range(1, 1_000_001))
    path = raw(tmp_path / "a.xlsx", empty + '<row r="1000002"><c><v>1</v></c></row>')
    assert list(cells(path)) == [(1000002, 1)]


def test_empty_rows_without_numbers_are_counted(tmp_path):
    path = raw(tmp_path / "a.xlsx", '<row r="4"/><row><c><v>1</v></c></row><row ht="2"/><row><c><v>2</v></c></row>')
    assert list(cells(path)) == [(5, 1), (7, 1)]


@pytest.mark.parametrize(("text", "value"), [("0,0003", 3e-4), ("-1.5", -1.5), ("1e-3", 1e-3), ("2,5E+3", 2500.0),
                                             (",5", 0.5), ("7.", 7.0), ("+4", 4.0), ("\N{MINUS SIGN}9,81", -9.81)])
def test_texts_with_a_decimal_point_or_comma_are_numbers(text, value):
    assert number(Cell(text, "text")) == value


@pytest.mark.parametrize("text", ["1.234,5", "1,234.5", "1,234,567", "1 000", "1'000,5"])
def test_thousands_are_not_guessed(text):
    with pytest.raises(FileError, match="two ways"):
        number(Cell(text, "text"))


@pytest.mark.parametrize("text", ["", "x", "1_000", "nan", "inf", "0x10", "1e", "--1", "1e9999", "1 m",
                                  "1.5.2e3", "\N{ARABIC-INDIC DIGIT ONE}"])
def test_other_texts_are_not_numbers(text):
    with pytest.raises(FileError, match="not a number"):
        number(Cell(text, "text"))


def test_errors_name_the_cell(tmp_path):
    path = raw(tmp_path / "car.xlsx", '<row r="7"><c r="C7"><f>A1</f></c><c r="D7" t="e"><v>#REF!</v></c>'
               '<c r="E7" t="b"><v>1</v></c></row>')
    sheet = read_workbook(path).sheets["S"]
    for column, words in ((3, "no computed value"), (4, "#REF!"), (5, "TRUE is not a number"), (6, "is empty")):
        with pytest.raises(FileError, match=words) as caught:
            sheet.number(7, column)
        assert str(caught.value).startswith(f"car.xlsx, sheet 'S', cell {column_name(column)}7: ")
        assert "\n  " in str(caught.value)


def test_merged_cells_are_refused_only_where_they_meet_the_table(tmp_path):
    book = openpyxl.Workbook()
    book.active.merge_cells("B2:C3")
    book.save(tmp_path / "a.xlsx")
    sheet = next(iter(read_workbook(tmp_path / "a.xlsx").sheets.values()))
    assert sheet.merged == [Area(2, 2, 3, 3)]
    assert not sheet.merged_errors(Area(4, 1, 9, 9))
    assert ["B2:C3 are merged" in str(error) for error in sheet.merged_errors(Area(3, 3, 9, 9))] == [True]


@pytest.mark.parametrize(("head", "words"), [
    (b"", "empty"), (archive.OLE + b"x" * 600, "old kind"), (b"\xef\xbb\xbf<!DOCTYPE HTML><html>", "HTML"),
    (archive.OLE + "EncryptedPackage".encode("utf-16-le"), "password"), (b"%PDF-1.7", "PDF"),
    (b"a;b;c\n1;2;3\n", "CSV"), (b"<?xml version='1.0'?><Workbook/>", "XML"), (b"\x00\x01\x02", "not an .xlsx"),
    (b"PK\x03\x04 cut off", "damaged")])
def test_other_files_are_recognised(tmp_path, head, words):
    (tmp_path / "a.xlsx").write_bytes(head)
    with pytest.raises(FileError, match=words):
        read_workbook(tmp_path / "a.xlsx")


def test_missing_files_and_folders_are_told(tmp_path):
    with pytest.raises(FileError, match=r"no\.xlsx: the file cannot be opened"):
        read_workbook(tmp_path / "no.xlsx")
    with pytest.raises(FileError, match="is a folder"):
        read_workbook(tmp_path)
    with pytest.raises(FileError, match="cannot be opened"):
        read_workbook("a\0b.xlsx")


@pytest.mark.parametrize(("data", "changes", "words"), [
    ("<row><c>", {}, "not readable as XML"),
    ("", {"xl__worksheets__sheet1_0xml": None}, "missing"),
    ("", {"xl__workbook_0xml": None}, "not a workbook"),
    ("", {"xl___rels__workbook_0xml_0rels": None}, "missing"),
    ("", {"xl__sharedStrings_0xml": None}, "missing"),
    ("", {"xl__workbook_0xml": MAIN.format("")}, "no sheets"),
    ("", {"xl__workbook_0xml": MAIN.format('<sheet name="S" r:id="r9"/>')}, "list of sheets"),
    ("", {"xl__workbook_0xml": '<!DOCTYPE a [<!ENTITY b "c">]><workbook/>'}, "document type"),
    ("", {"xl__workbook_0bin": b"x"}, "xlsb"),
    ("", {"mimetype": "application/vnd.oasis", "content_0xml": "<a/>"}, "ods"),
    ('<row r="0"><c/></row>', {}, "row with the number"),
    ('<row r="1048577"><c/></row>', {}, "row with the number"),
    ('<row r="x"><c/></row>', {}, "row with the number"), ('<row r="1"><c r="XFE1"/></row>', {}, "cell called"),
    ('<row r="1"><c r="A0"/></row>', {}, "cell called"), ('<row r="1"><c r="ABCD1"/></row>', {}, "cell called"),
    ('<row r="1"><c t="s"><v>0</v></c></row>', {}, "text number"),
    ('<row r="1"><c t="s"><v>-1</v></c></row>', {}, "text number"),
    ('<row r="1"><c><v>1_0</v></c></row>', {}, "number should be"),
    ('<row r="1"><c><v>NaN</v></c></row>', {}, "number should be"),
    ('<row r="1"><c><v>1e999</v></c></row>', {}, "number should be"),
    ('<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>', {}, "twice"),
    (f'<row r="1"><c t="str"><v>{"x" * 32768}</v></c></row>', {}, "32,768 characters"),
    ('<row r="1"><c t="s"><v>0</v></c></row>', {"xl__sharedStrings_0xml": f"<sst><si><t>{'y' * 40000}</t></si></sst>"},
     "40,000 characters"),
    ("", {"xl__workbook_0xml": b"<?xml version='1.0' encoding='utf-7'?><a/>"}, "not readable as XML"),
    ("", {"xl__workbook_0xml": b"\xff\xfe\x00<"}, "not readable as XML"),
])
def test_damaged_workbooks_are_told(tmp_path, data, changes, words):
    with pytest.raises(FileError, match=words) as caught:
        read_workbook(raw(tmp_path / "a.xlsx", data, **changes))
    assert str(caught.value).startswith("a.xlsx, ") or str(caught.value).startswith("a.xlsx: ")


def test_a_bomb_is_refused_by_what_it_declares(tmp_path, monkeypatch):
    path = raw(tmp_path / "a.xlsx", "", other=b"0" * 50_000_000)
    with pytest.raises(FileError, match="claims to unpack"):
        read_workbook(path)
    monkeypatch.setattr(archive, "MOST_UNPACKED", 1_000_000)
    with pytest.raises(FileError, match="50 MB; at most 1 MB"):
        read_workbook(path)


def test_a_bomb_that_declares_little_is_not_unpacked(tmp_path):
    path = raw(tmp_path / "a.xlsx", " " * 3_000_000)
    data = bytearray(path.read_bytes())
    size = zipfile.ZipFile(path).getinfo("xl/worksheets/sheet1.xml").file_size.to_bytes(4, "little")
    assert data.count(size) == 2
    path.write_bytes(bytes(data).replace(size, (100).to_bytes(4, "little")))
    with pytest.raises(FileError, match="damaged|not readable"):
        read_workbook(path)


def test_the_sum_of_all_parts_is_bounded_while_reading(tmp_path, monkeypatch):
    path = raw(tmp_path / "a.xlsx", " " * 3000)
    monkeypatch.setattr(archive.Archive, "_check_sizes", lambda self: None)
    monkeypatch.setattr(archive, "MOST_UNPACKED", 2000)
    with pytest.raises(FileError, match="more than 0 MB"):
        read_workbook(path)


def test_too_many_parts_and_elements_are_refused(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "many.xlsx", "w") as file:
        for k in range(5001):
            file.writestr(str(k), b"")
    with pytest.raises(FileError, match="more than 5,000 parts"):
        read_workbook(tmp_path / "many.xlsx")
    monkeypatch.setattr(archive, "MOST_ELEMENTS", 50)
    with pytest.raises(FileError, match="more than 50 elements"):
        read_workbook(raw(tmp_path / "a.xlsx", "<row/>" * 60))


def test_too_many_cells_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("vincolo.formats.excel.sheets.MOST_CELLS", 10)
    with pytest.raises(FileError, match="more than 10 cells"):
        read_workbook(raw(tmp_path / "a.xlsx", "<row>" + "<c><v>1</v></c>" * 11 + "</row>"))


def test_a_wrong_checksum_is_told(tmp_path):
    path = raw(tmp_path / "a.xlsx", "<row/>")
    crc = zipfile.ZipFile(path).getinfo("xl/worksheets/sheet1.xml").CRC.to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(crc, bytes(4)))
    with pytest.raises(FileError, match="CRC"):
        read_workbook(path)


def test_random_damage_is_always_told_in_words(tmp_path, rng):
    good = raw(tmp_path / "a.xlsx", "<row>" + '<c t="s"><v>0</v></c><c><v>1.5</v></c>' * 5 + "</row>",
               "<sst><si><t>x</t></si></sst>").read_bytes()
    refused = 0
    for _ in range(300):
        data = bytearray(good)
        for place in rng.integers(0, len(data), rng.integers(1, 6)):
            data[place] = rng.integers(0, 256)
        (tmp_path / "b.xlsx").write_bytes(bytes(data[:rng.integers(1, len(data) + 1)] if rng.random() < 0.2 else data))
        try:
            read_workbook(tmp_path / "b.xlsx")
        except VincoloError as error:
            assert isinstance(error, FileError)
            refused += 1
    assert refused > 100
