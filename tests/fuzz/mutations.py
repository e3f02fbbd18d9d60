"""Small changes of files at random: of numbers, words, lines and bytes, and of what YAML, XML and zip are made of."""

import io
import json
import random
import re
import xml.etree.ElementTree as xml
import zipfile
import zlib
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

import yaml

LARGEST = 300_000  # bytes of one file
NUMBERS = ("0", "-0.0", "1", "-1", "2", "3", "0.5", "1e-9", "1e-320", "1e308", "-1e308", "1e400", "nan", "inf", "-inf",
           ".nan", "9" * 25, "9" * 400, "4294967296", "9223372036854775808", "1_000", "0x1F", "1,5", "1e", "1.2.3",
           "+-1", "\u0663", "\u00bd", "\u00b2", "1d0", "100000000", "1e9999999999", "0" * 5000)
#: texts that would leave a file called PWNED behind if anything executed them
ATTACKS = ("__import__('os').system('touch PWNED')", "().__class__.__bases__[0].__subclasses__()",
           "f\"{__import__('os').system('touch PWNED')}\"", "(lambda: open('PWNED', 'w'))()",
           "open('PWNED','w').close()",
           "=cmd|'/C touch PWNED'!A0", "=DDE(\"cmd\",\"/C touch PWNED\",\"A0\")", "=HYPERLINK(\"http://localhost/\")",
           "!!python/object/apply:os.system ['touch PWNED']", "`touch PWNED`", "$(touch PWNED)", "; touch PWNED",
           "[x for x in (open('PWNED','w'),)]", "{{''.__class__}}", "{0.__class__.__init__.__globals__}", "%s%s%n",
           "system(\"touch PWNED\"):", "exec(\"open('PWNED','w')\")", "t.__class__", "sin.__globals__",
           "<!ENTITY x SYSTEM \"file:///etc/hostname\">", "&x;", "cos\ns.system\n(S'touch PWNED'\ntR.")
TEXTS = ("", " ", "=", "==", "=1/0", "=t", "=a", "9**9**9**9", "2^99999", "1/0", "sqrt(-1)", "(" * 300, "[" * 300,
         "{" * 300, "-" * 3000 + "1", "1+" * 2000 + "1", "a" * 20_000, "\x00", "\x1b[31m", "\u202e", "\ufeff",
         "\U0001f600", "\u00e9", "\r", "\n", "\t", "null", "true", "~", "no", "ground", "energy", "t", ".", "..",
         "../../../../etc/hostname", "/dev/zero", "/dev/stdin", "model.yaml", "program.py", "a.b", "x -> y", "#REF!",
         "&a", "*a", "<<", "---", "'", "\"", "\\", "%", "!", "/*", "<![CDATA[", "]]>", "<!--", "TRUE", "NaN",
         "1/2/2024", "O.angle", "[0, 0, 0]", "{kind: Sine}")
NUMBER = re.compile(rb"(?<![\w.])[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
WORD = re.compile(rb"[A-Za-z_][\w.]*")

Change = Callable[[random.Random, bytes, bytes], bytes]


def hostile(rng: random.Random) -> str:
    """A text that no file of a model should have."""
    return rng.choice(rng.choice((NUMBERS, ATTACKS, TEXTS)))


def mutated(rng: random.Random, name: str, data: bytes, other: bytes) -> bytes:
    """The file changed one to five times, as its ending asks for; `other` is a file of the same kind to take from."""
    changes = BY_ENDING.get(PurePath(name).suffix.lower(), (text,))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        data = rng.choice(changes)(rng, data, other)[:LARGEST]
    return data


def text(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """A number, a word, a line or some bytes of a text changed."""
    return rng.choice((_number, _number, _word, _word, _line, _line, _inserted, octets))(rng, data, other)


def _replaced(rng: random.Random, pattern: re.Pattern[bytes], data: bytes, new: bytes) -> bytes:
    found = list(pattern.finditer(data))
    if not found:
        return data + new
    match = rng.choice(found)
    return data[:match.start()] + new + data[match.end():]


def _number(rng: random.Random, data: bytes, other: bytes) -> bytes:
    return _replaced(rng, NUMBER, data, rng.choice(NUMBERS).encode())


def _word(rng: random.Random, data: bytes, other: bytes) -> bytes:
    words = WORD.findall(other if rng.random() < 0.5 else data)
    new = hostile(rng).encode() if rng.random() < 0.3 or not words else rng.choice(words)
    return _replaced(rng, WORD, data, new)


def _line(rng: random.Random, data: bytes, other: bytes) -> bytes:
    lines, more = data.splitlines(keepends=True) or [b""], other.splitlines(keepends=True) or [b""]
    k, m = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(5)
    if kind == 0:
        del lines[min(k, m): min(k, m) + rng.choice((1, 1, 3))]
    elif kind == 1:
        lines[k], lines[m] = lines[m], lines[k]
    elif kind == 2:
        lines.insert(k, rng.choice(more))
    elif kind == 3:
        lines[k] = lines[k] * rng.choice((2, 2, 50))
    else:
        lines[k] = rng.choice((b" ", b"  ", b"\t", b"!", b"#", b"$")) + lines[k]
    return b"".join(lines)


def _inserted(rng: random.Random, data: bytes, other: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + hostile(rng).encode() + data[at:]


def octets(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Some bytes changed, left out, doubled or taken from elsewhere."""
    if not data:
        return other
    start = rng.randrange(len(data))
    end = min(len(data), start + rng.choice((1, 1, 2, 4, 8, 60, 1000)))
    kind = rng.randrange(6)
    if kind == 0:
        new = bytes([data[start] ^ 1 << rng.randrange(8)]) + data[start + 1: end]
    elif kind == 1:
        new = rng.randbytes(end - start)
    elif kind == 2:
        new = b""
    elif kind == 3:
        new = data[start:end] * 2
    elif kind == 4:
        new = rng.choice((b"\x00", b"\xff", b"\x80", b"\x7f")) * (end - start)
    else:
        there = rng.randrange(len(other) + 1)
        new = other[there: there + end - start]
    return data[:start] + new + (data[end:] if rng.random() < 0.98 else b"")


# trees

Spot = tuple[Any, Any]  # a list or map, and the key of a value in it


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML with the words of version 1.2: `on` is a text, 1e-3 is a number."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if not tag.endswith(":bool") or first in "tTfF"]
    for first, found in Loader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$"),
                             list("-+.0123456789"))


def tree(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """A value, key or branch of YAML or JSON changed; what is no YAML is changed as text."""
    try:
        top, more = (yaml.load(d, Loader) for d in (data, other))
    except (yaml.YAMLError, ValueError, RecursionError):
        return text(rng, data, other)
    places = spots(top)
    if not places:
        return text(rng, data, other)
    holder, key = rng.choice(places)
    kind = rng.randrange(6)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        holder[hostile(rng)] = holder.pop(key)
    elif kind <= 3:
        holder[key] = value(rng)
    else:
        source, at = rng.choice(spots(more) or places)
        holder[key] = json.loads(json.dumps(source[at], default=str)) if source is not holder else value(rng)
    return json.dumps(top, default=str, indent=rng.choice((None, 1)), ensure_ascii=False).encode(errors="replace")


def spots(top: Any) -> list[Spot]:
    """All values inside lists and maps."""
    found: list[Spot] = []
    waiting = [top]
    while waiting:
        holder = waiting.pop()
        if isinstance(holder, dict | list):
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            found += [(holder, key) for key in keys]
            waiting += [holder[key] for key in keys]
    return found


def value(rng: random.Random) -> Any:
    """Anything that YAML can hold."""
    deep: Any = 1
    for _ in range(rng.choice((1, 2, 60))):
        deep = [deep] if rng.random() < 0.5 else {"kind": deep}
    return rng.choice((None, True, False, [], {}, 0, -1, 10**30, 1e-320, -1e308, [1, 2, 3], [1e308] * 3,
                       [[1, 0, 0]] * 3, hostile(rng), hostile(rng), hostile(rng), [hostile(rng)] * 3,
                       {hostile(rng): hostile(rng)}, deep, list(range(2000))))


def elements(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """An element or attribute of XML changed; what is no XML is changed as text."""
    try:
        top, more = xml.fromstring(data), xml.fromstring(other)
    except (xml.ParseError, ValueError, LookupError):
        return text(rng, data, other)
    inside = [(parent, child) for parent in top.iter() for child in parent] or [(top, top)]
    parent, child = rng.choice(inside)
    kind = rng.randrange(7)
    if kind == 0 and parent is not child:
        parent.remove(child)
    elif kind == 1:
        parent.append(rng.choice(list(more.iter())))
    elif kind == 2:
        child.tag = rng.choice([e.tag for e in more.iter()])
    elif kind == 3 and child.attrib:
        child.attrib.pop(rng.choice(list(child.attrib)))
    elif kind == 4:
        child.text = _xml_text(rng)
    else:
        names = list(child.attrib) or [key for e in more.iter() for key in e.attrib] or ["name"]
        child.set(rng.choice(names), _xml_text(rng) if rng.random() < 0.6 else " ".join(rng.choices(NUMBERS, k=3)))
    try:
        return xml.tostring(top)
    except (ValueError, RecursionError, TypeError):
        return text(rng, data, other)


def _xml_text(rng: random.Random) -> str:
    return re.sub(r"[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", hostile(rng))


def archive(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """One part of a zip changed, left out or called otherwise; what is no zip is changed byte by byte."""
    try:
        parts, more = unpacked(data), unpacked(other)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError, EOFError, zlib.error):
        return octets(rng, data, other)
    name = rng.choice([n for n in parts if "sheet" in n.lower() or rng.random() < 0.3] or list(parts) or [""])
    content, donor = parts.get(name, b""), more.get(name) or rng.choice(list(more.values()) or [b""])
    kind = rng.randrange(24)
    if kind == 0:
        return octets(rng, data, other)
    if kind == 1:
        parts.pop(name, None)
    elif kind == 2:
        parts[rng.choice((hostile(rng)[:500] or "x", "../PWNED", "/PWNED", name.upper()))] = content
    elif kind == 3:
        parts[name] = donor
    elif name.endswith((".xml", ".rels")):
        change = rng.choice((cells, cells, cells, elements, text))
        parts[name] = change(rng, content, donor)
    else:
        parts[name] = octets(rng, content, donor)
    return packed(parts, rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))


def cells(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """The content of a cell, its formula, type or address in the XML of a sheet changed."""
    kind = rng.randrange(6)
    new = _xml_text(rng).replace("&", "&amp;").replace("<", "&lt;").encode()
    if kind < 3:
        return _replaced(rng, re.compile(rb"(?<=<[vtf]>)[^<]*(?=</[vtf]>)"), data, new)
    if kind == 3:
        kinds = (b"s", b"str", b"n", b"b", b"e", b"d", b"inlineStr", b"x")
        return _replaced(rng, re.compile(rb"(?<= t=\")\w+(?=\")"), data, rng.choice(kinds))
    if kind == 4:
        places = (b"A1", b"XFD1048576", b"A0", b"ZZZZ1", b"1A", b"", b"B99999999999", b"$A$1", b"A1:B2", b"a1")
        return _replaced(rng, re.compile(rb"(?<= r=\")[A-Z]+\d+(?=\")"), data, rng.choice(places))
    return _replaced(rng, re.compile(rb"(?<=<v>)[^<]*(?=</v>)"), data, b"</v><f>" + new + b"</f><v>")


def unpacked(data: bytes) -> dict[str, bytes]:
    """The parts of a zip."""
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        return {info.filename: parts.read(info) for info in parts.infolist()[:100] if info.file_size < 10 * LARGEST}


def packed(parts: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """A zip of these parts."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as target:
        for name, content in parts.items():
            target.writestr(zipfile.ZipInfo(name), content, method)
    return stream.getvalue()


BY_ENDING: dict[str, tuple[Change, ...]] = {
    ".yaml": (tree, tree, text), ".json": (tree, text), ".xml": (elements, elements, text),
    ".urdf": (elements, elements, text), ".xlsx": (archive,), ".npz": (archive, octets), ".h5": (octets,),
    ".mat": (octets,)}
