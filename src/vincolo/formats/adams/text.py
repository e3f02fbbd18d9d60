"""The text of a dataset: statements KEYWORD/id, ARGUMENT=value, ..., over continued lines, with comments."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from vincolo.errors import FileError, suggest
from vincolo.formats.adams.written import Written, plain_text
from vincolo.formats.sources import number_of, short

KIND = "a dataset of Adams Solver (.adm)"
MOST_CHARACTERS = 1_000_000  # of one statement
MOST_LISTED, SHOWN = 20, 60  # unknown arguments of a statement, and characters of a value, in the report
JOIN = "\x01"  # stands where a line begins with a comma, which continues the line before

#: arguments of the statements that are read; any unique beginning of a word does
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "ACCGRAV": ("IGRAV", "JGRAV", "KGRAV"),
    "BUSHING": ("I", "J", "K", "C", "KT", "CT", "FORCE", "TORQUE"),
    "COUPLER": ("JOINTS", "SCALES", "TYPE", "FUNCTION"),
    "GCON": ("I", "FUNCTION", "ROUTINE"),
    "GEAR": ("JOINTS", "CV"),
    "GFORCE": ("I", "JFLOAT", "RM", "FX", "FY", "FZ", "TX", "TY", "TZ", "FUNCTION"),
    "JOINT": ("I", "J", "IC", "ICTRAN", "ICROT", "PD", "PITCH", "CONVEL", "CYLINDRICAL", "FIXED", "HOOKE", "PLANAR",
              "RACKPIN", "REVOLUTE", "SCREW", "SPHERICAL", "TRANSLATIONAL", "UNIVERSAL"),
    "JPRIM": ("I", "J", "ATPOINT", "INLINE", "INPLANE", "ORIENTATION", "PARALLEL_AXES", "PERPENDICULAR"),
    "MARKER": ("PART", "QP", "REULER", "EULER", "ZP", "XP", "USEXP", "FLOATING", "POINT_MASS", "FLEX_BODY", "NODE_ID"),
    "MOTION": ("JOINT", "I", "J", "X", "Y", "Z", "B1", "B2", "B3", "TRANSLATIONAL", "ROTATIONAL", "DISPLACEMENT",
               "VELOCITY", "ACCELERATION", "ICDISP", "ICVEL", "FUNCTION", "ROUTINE"),
    "PART": ("GROUND", "MASS", "CM", "IM", "IP", "QG", "REULER", "EULER", "ZG", "XG", "VX", "VY", "VZ", "WX", "WY",
             "WZ", "VM", "WM", "EXACT", "MATERIAL"),
    "SFORCE": ("I", "J", "TRANSLATIONAL", "ROTATIONAL", "ACTIONONLY", "FUNCTION", "ROUTINE"),
    "SPRINGDAMPER": ("I", "J", "TRANSLATIONAL", "ROTATIONAL", "K", "C", "LENGTH", "FORCE", "KT", "CT", "ANGLE",
                     "TORQUE"),
    "UNITS": ("FORCE", "MASS", "LENGTH", "TIME", "SYSTEM", "UCF"),
    "VFORCE": ("I", "JFLOAT", "RM", "FX", "FY", "FZ", "FUNCTION"),
    "VTORQUE": ("I", "JFLOAT", "RM", "TX", "TY", "TZ", "FUNCTION"),
}
FORMULAS = ("FUNCTION", "FX", "FY", "FZ", "TX", "TY", "TZ")  # their values run to a backslash or the end
#: statements that say nothing about the motion
IDLE = ("GRAPHICS", "REQUEST", "OUTPUT", "RESULTS", "MATERIAL", "EQUILIBRIUM", "PREFERENCES", "IC", "KINEMATICS",
        "LSOLVER", "ARRAY", "STRING", "VARIABLE", "SPLINE", "CURVE", "DEBUG", "INTEGRATOR", "MATRIX")
#: statements of Adams that are not translated
OTHERS = ("BEAM", "CONTACT", "CVCV", "DIFF", "FIELD", "FLEX_BODY", "FRICTION", "GSE", "LSE", "MFORCE", "NFORCE",
          "PINPUT", "POINT_MASS", "POUTPUT", "PTCV", "PTSF", "SENSOR", "SURFACE", "TFSISO", "TIRE", "UCON")
ALIASES = {"GRAVITY": "ACCGRAV"}
KEYWORDS = (*ARGUMENTS, *IDLE, *OTHERS, *ALIASES)

_STATEMENT = re.compile(r"\s*([A-Za-z_]\w*)\s*/", re.ASCII)
_VIEW_NAME = re.compile(r"adams_view_name\s*=\s*'([^']*)'")
_ASSIGNED = re.compile(r"[\s,\x01\\]*([A-Za-z_]\w*)\s*=\s*", re.ASCII)
_BARE = re.compile(r"[\s,\x01\\]*([^,\x01\\=]*)", re.ASCII)
_VALUE = re.compile(r"\"[^\"]*\"|'[^']*'|[^,\x01\\]*", re.ASCII)


@dataclass
class Statement(Written):
    """One statement: its keyword in full, its number, its arguments with their values as texts."""

    keyword: str
    file: str
    line: int
    lines: list[str]  # behind the slash, with the lines that continue it
    view_name: str | None = None
    number: int = 0
    arguments: dict[str, list[str]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)  # arguments that were asked for

    @property
    def text(self) -> str:
        """Everything after the slash."""
        return JOIN.join(self.lines)

    @property
    def title(self) -> str:
        """How messages call it."""
        return f"{self.keyword}/{self.number or ''}"

    @property
    def name(self) -> str:
        """The name that Adams View gave it, or one made of its number."""
        return self.view_name or f"{self.keyword}_{self.number}"

    def has(self, name: str) -> bool:
        """Whether an argument is there; a word without a value is used by that."""
        if self.arguments.get(name) == []:
            self.used.add(name)
        return name in self.arguments

    def words(self, name: str) -> list[str]:
        """The values of an argument, which is used by that; none if it is not there."""
        self.used.add(name)
        return self.arguments.get(name, [])

    @property
    def unused(self) -> list[str]:
        """Arguments that are there, known, and were never asked for."""
        return [name for name in self.arguments if name not in self.used]

    def formula(self, name: str) -> str | None:
        """The text of a function, or None."""
        words = self.words(name)
        return words[0] if words else None

    def numbers(self, name: str, count: tuple[int, ...], angles: bool = False) -> list[float] | None:
        """The numbers of an argument, None if it is not there; angles may have a D for degrees."""
        if name not in self.arguments:
            return None
        words = self.words(name)
        found = [angle_of(word) if angles else number_of(word) for word in words]
        if len(found) not in count or None in found:
            wanted = " or ".join(str(n) for n in count)
            raise self.error(f"{name} is {short(', '.join(words))}; {wanted} finite number(s) are needed.",
                             f"Write {name}={', '.join(['0.0'] * count[0])}.")
        return [value for value in found if value is not None]

    def value(self, name: str, default: float = 0.0, angles: bool = False) -> float:
        """One number, or the default."""
        found = self.numbers(name, (1,), angles)
        return default if found is None else found[0]

    def vector(self, name: str, default: tuple[float, ...] = (0.0, 0.0, 0.0), angles: bool = False) -> list[float]:
        """Three numbers, or the default."""
        found = self.numbers(name, (3,), angles)
        return list(default) if found is None else found

    def ids(self, name: str, most: int = 1) -> list[int]:
        """The numbers of other statements that an argument names."""
        words = self.words(name)
        if len(words) > most or any(not word.isascii() or not word.isdigit() for word in words):
            raise self.error(f"{name} is {short(', '.join(words))}; it names statements by their numbers.",
                             f"Write {name}=12.")
        return [int(word[-18:]) for word in words]


def angle_of(word: str) -> float | None:
    """An angle in rad, from rad or, with a D after it, degrees; None if it is not a number."""
    degrees = word[-1:] in ("D", "d")
    number = number_of(word[:-1].rstrip() if degrees else word)
    return number if number is None or not degrees else number * (3.141592653589793 / 180)


def full_name(word: str, known: tuple[str, ...]) -> str | None:
    """The known word that a word is, or is the only beginning of."""
    upper = word.upper()
    if upper in known:
        return upper
    found = [name for name in known if name.startswith(upper)]
    return found[0] if len(found) == 1 else None


def read_statements(path: str | os.PathLike[str]) -> tuple[str, list[Statement]]:
    """The title of a dataset and its statements up to END, each with the line it begins on."""
    text, file = plain_text(path, KIND)
    title, raw = _lines(text.replace(JOIN, " "), file)
    if not raw:
        raise FileError(f"{file}: there is no statement in it.\n  Give the path of {KIND}.")
    for statement in raw:
        if sum(map(len, statement.lines)) > MOST_CHARACTERS:
            raise FileError(f"{statement.place}: the statement has more than {MOST_CHARACTERS} characters.\n"
                            f"  Check that this is {KIND}.")
        if statement.keyword in ARGUMENTS:
            _parse(statement)
    return title, raw


def _lines(text: str, file: str) -> tuple[str, list[Statement]]:
    """Statements with their continued lines put together; the first line is a title, unless it is a statement."""
    title, view_name, first = "", None, True
    found: list[Statement] = []
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        body, _, comment = line.partition("!")
        named = _VIEW_NAME.search(comment)
        view_name = named[1] if named else view_name
        body = body.strip()
        if not body:
            continue
        if body.upper() == "END":
            break
        match = _STATEMENT.match(body)
        keyword = full_name(match[1], KEYWORDS) if match else None
        if first and keyword is None:
            title = body.partition("model name:")[2].strip() or body
        elif body.startswith(",") and found:
            found[-1].lines.append(body[1:])
        else:
            for part in body.split(";"):
                if part.strip():
                    found.append(_begun(part, file, number, view_name))
            view_name = None
        first = False
    return title, found


def _begun(body: str, file: str, line: int, view_name: str | None) -> Statement:
    match = _STATEMENT.match(body)
    if match is None:
        return Statement("", file, line, [body])
    keyword = full_name(match[1], KEYWORDS) or match[1].upper()
    return Statement(ALIASES.get(keyword, keyword), file, line, [body[match.end():]], view_name)


def _parse(statement: Statement) -> None:
    """Takes the arguments of a statement apart."""
    known, text, position = ARGUMENTS[statement.keyword], statement.text, 0
    head = re.match(r"\s*(\d+)\s*(?:[,\x01\\]|$)", text, re.ASCII)
    if head:
        statement.number, position = int(head[1][-18:]), head.end(1)
    last: list[str] | None = None
    while position < len(text):
        assigned = _ASSIGNED.match(text, position)
        if assigned:
            name = full_name(assigned[1], known)
            value, position = _value_at(text, assigned.end(), name in FORMULAS)
            last = _entry(statement, name, assigned[1])
            last.append(value)
            continue
        bare = _BARE.match(text, position)
        word = bare[1].strip() if bare else ""
        position = max(bare.end() if bare else 0, position + 1)
        if not word:
            continue
        flag = full_name(word, known)
        if angle_of(word) is not None and last is not None:
            last.append(word)
        elif flag is not None:
            last = _entry(statement, flag, word)
        else:
            statement.unknown.append(word)


def _entry(statement: Statement, name: str | None, word: str) -> list[str]:
    """The list for the values of an argument; those of an unknown one go nowhere."""
    if name is None:
        statement.unknown.append(word)
        return []
    name = {"EULER": "REULER"}.get(name, name)
    if name in statement.arguments:
        raise statement.error(f"{name} is given twice.", "Keep one of them.")
    return statement.arguments.setdefault(name, [])


def _value_at(text: str, start: int, formula: bool) -> tuple[str, int]:
    """A value and where it ends."""
    if formula:
        end = text.find("\\", start)
        end = len(text) if end < 0 else end
        return _joined(text[start:end]), end
    match = _VALUE.match(text, start)
    assert match is not None  # it matches nothing too
    return match[0].strip().strip("\"'"), match.end()


def _joined(text: str) -> str:
    """A formula over several lines: the comma before a line only continues it, except between two arguments."""
    pieces = text.split(JOIN)
    found = pieces[0].strip()
    for piece in pieces[1:]:
        rest = piece.strip()
        inside = found.count("(") > found.count(")")
        between = inside and found[-1:] not in "(,+-*/:" and rest[:1] not in ")+-*/:"
        found += ("," if between else " ") + rest
    return found


def unknown_argument(statement: Statement) -> str:
    """The sentence on arguments that are not read."""
    words = [short(word) for word in statement.unknown[:MOST_LISTED]]
    more = f" and {len(statement.unknown) - len(words)} more" if len(statement.unknown) > len(words) else ""
    near = suggest(statement.unknown[0], ARGUMENTS[statement.keyword])
    return f"{statement.title}: {', '.join(words)}{more} not read.{near}"


def unused_argument(statement: Statement, name: str) -> str:
    """The sentence on an argument that has no effect on the statement it stands in."""
    value = ", ".join(statement.arguments[name])
    return f"{statement.title}: {name}{f'={value[:SHOWN]}' if value else ''} is not used here."
