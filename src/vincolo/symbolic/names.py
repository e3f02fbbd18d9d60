"""Names of users as identifiers: of symbols, and of the languages programs are written in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

LONGEST = 63  # of Fortran
LETTERS = {"ß": "ss", "æ": "ae", "Æ": "Ae", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "þ": "th",
           "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"}
#: words that mean something in one of the languages, in lower case
WORDS = """
    and as assert async await break class continue def del elif else except false finally for from global if import
    in is lambda none nonlocal not or pass raise return true try while with yield match case auto char const
    default do double enum extern float goto inline int long register restrict short signed sizeof static struct
    switch typedef union unsigned void volatile bool complex imaginary main allocatable allocate assign assignment
    associate backspace block call character close codimension common concurrent contains contiguous critical cycle
    data deallocate deferred dimension elemental elsewhere end endif enddo entry enumerator equivalence error exit
    exponent extends external final format function generic implicit inquire integer intent interface intrinsic
    kind len logical module namelist nullify only open operator optional parameter pause pointer precision print
    private procedure program protected public pure read real recursive result rewind save select sequence stop
    submodule subroutine sync target then type use value wait where write sin cos tan asin acos atan atan2 sinh
    cosh tanh exp log sqrt abs min max sign floor mod pow fabs
"""
RESERVED = frozenset(WORDS.split())


def ascii_text(text: str, other: str = "?") -> str:
    """A text in plain letters, for comments and headings: umlauts written out, what is not printable replaced."""
    found = "".join(LETTERS.get(c, c) for c in unicodedata.normalize("NFC", text))
    found = unicodedata.normalize("NFKD", found).encode("ascii", "ignore").decode()
    return "".join(c if c.isprintable() else other for c in found)


def plain(name: str) -> str:
    """A name with letters, digits and single underscores only; it begins with a letter."""
    found = re.sub(r"\W+|_+", "_", ascii_text(name, "_")).strip("_")
    if not found:  # nothing of it is Latin: the numbers of its letters
        found = "u" + "_".join(f"{ord(c):x}" for c in name.strip()[:8])
    return found if found[0].isalpha() else f"n{found}"


def identifier(name: str, taken: Collection[str] = ()) -> str:
    """A name that is valid in C, Fortran and Python and differs from others by more than large and small letters."""
    found = plain(name)[:LONGEST - 4]
    if found.lower() in RESERVED:
        found += "_"
    known, count, base = {x.lower() for x in taken}, 1, found
    while found.lower() in known:
        count += 1
        found = f"{base}_{count}"
    return found
