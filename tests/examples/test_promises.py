"""What the documents say of names, arguments, defaults, commands, libraries and printed text is so."""

import ast
import inspect
import re
import sys
import tomllib
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

import pythons
import vincolo as vc
from vincolo.cli import doctor
from vincolo.cli.app import app
from vincolo.solvers import formulations, integrators, stabilisation

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {str(path.relative_to(ROOT)): path.read_text() for path in
         [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "benchmarks" / "README.md"]
         if path.name != "CHANGELOG.md"}
README = TEXTS["README.md"]
GUIDE = "\n".join(text for name, text in TEXTS.items() if name.startswith("docs/guide"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
PRINTED = re.compile(r"^```python\n((?:(?!^```).)*)^```\n\n(?:It prints\n\n)?^```text\n(.*?)^```",
                     re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```text\n(\$ .*?)^```", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"\d[\d,]*(\.\d+)?(e[+-]?\d+)?")
VARY = ("real time", "steps", "residuals", "balance kept", "work of")  # lines whose numbers depend on the machine


def inline_code(text):
    return INLINE.findall(FENCED.sub("", text))


# --- printed text


def same_words(found, promised):
    """Two outputs, line by line: the same words, and the same numbers where they do not depend on the machine."""
    found, promised = found.rstrip().splitlines(), promised.rstrip().splitlines()
    assert len(found) == len(promised), "\n".join(found)
    for one, other in zip(found, promised, strict=True):
        assert NUMBER.sub("#", one).split() == NUMBER.sub("#", other).split()
        if not any(word in other for word in VARY):
            assert one.rstrip() == other.rstrip()


def outputs():
    return [(name, k) for name, text in TEXTS.items() for k, _ in enumerate(PRINTED.finditer(text))]


@pytest.mark.parametrize(("name", "k"), outputs())
def test_a_block_prints_the_text_that_follows_it(name, k, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = TEXTS[name]
    promise = list(PRINTED.finditer(text))[k]
    names = {"__name__": "document"}
    for block in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if block.start() <= promise.start():
            capsys.readouterr()
            exec(compile(block[1], name, "exec"), names)
    same_words(capsys.readouterr().out, promise[2])


def test_there_are_printed_texts():
    assert {name for name, _ in outputs()} >= {"README.md", "docs/guide_motion.md"} and CONSOLE.search(README)


@pytest.mark.parametrize("name", [name for name, text in TEXTS.items() if CONSOLE.search(text)])
def test_commands_print_what_follows_them(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for session in CONSOLE.findall(TEXTS[name]):
        for part in re.split(r"^\$ vincolo ", session, flags=re.MULTILINE)[1:]:
            words, _, promise = part.partition("\n")
            found = CliRunner().invoke(app, words.split())
            assert found.exit_code == 0, found.output
            same_words(found.stdout, promise)


# --- arguments


def callables():
    """What users call, by name: everything exported, and the methods of models and results."""
    owners = [vc.Model, vc.Rotation, vc.Body, vc.Frame, vc.Result, vc.State, vc.MassProperties]
    spaces = [vc, vc.functions, vc.shapes, vc.integrators, vc.formulations, vc.stabilisations]
    found = {name: getattr(space, name) for space in spaces for name in space.__all__ if callable(getattr(space, name))}
    found |= {f"{space.__name__.removeprefix('vincolo.')}.{name}": found[name] for space in spaces[1:]
              for name in space.__all__ if name in found}
    for owner in owners:
        for name, method in inspect.getmembers(owner, callable):
            if not name.startswith("_"):
                found.setdefault(name, getattr(owner, name) if inspect.ismethod(method) else method)
                found[f"{owner.__name__}.{name}"] = method
                found.setdefault(f"m.{name}", method)  # m is a model, where it has such a method
    return found


CALLABLES = callables()


def calls():
    """Calls written in running text and tables: document, text, name, and the call as Python reads it."""
    for document, text in TEXTS.items():
        for code in inline_code(text):
            written = re.sub(r"=\s*(?=[,)])", "=None", code.replace("\\|", "|")).replace("...", "")
            written = re.sub(r",\s*(?=[,)])", "", written)
            try:
                tree = ast.parse(written.strip(), mode="eval").body
            except SyntaxError:
                continue
            if isinstance(tree, ast.Call):
                name = ast.unparse(tree.func).removeprefix("vc.")
                if name in CALLABLES:
                    yield pytest.param(document, name, tree, id=f"{document}: {code}")


def parameters(name):
    found = list(inspect.signature(CALLABLES[name]).parameters.values())
    return [p for p in found if p.name != "self"]


@pytest.mark.parametrize(("document", "name", "call"), list(calls()))
def test_calls_in_the_text_have_arguments_that_exist_in_their_places(document, name, call):
    known = parameters(name)
    by_name = {p.name: p for p in known}
    places = [p.name for p in known if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    takes_all = {p.kind for p in known}
    for k, given in enumerate(call.args):
        own = by_name.get(given.id) if isinstance(given, ast.Name) else None
        if own and own.kind != own.VAR_POSITIONAL:
            assert places[k:k + 1] == [given.id], f"{name}: {given.id} is not argument {k + 1} of {places}"
        assert k < len(places) or inspect.Parameter.VAR_POSITIONAL in takes_all, f"{name} takes {len(places)}"
    for given in call.keywords:
        assert given.arg in by_name or inspect.Parameter.VAR_KEYWORD in takes_all, f"{name} has no {given.arg}="


def test_many_calls_are_looked_at():
    assert len(list(calls())) > 60


# --- defaults


def solvers():
    for module in (integrators, formulations, stabilisation):
        yield from (thing for _, thing in inspect.getmembers(module, inspect.isclass)
                    if thing.__name__ in module.__all__
                    and thing.__name__ not in ("Integrator", "Formulation", "Stabilisation"))


def defaults():
    """The kinds of solvers that a run takes if nothing is said, by running one."""
    m = vc.Model()
    m.revolute("O", m.ground, m.body("bob", 1.0, 0.1, (1, 0, 0)), (0, 0, 0), "y")
    m.spring("s", "O.angle", k=1.0)  # of trees without springs see the guide
    settings = vc.simulate(m, until=0.01).settings
    chosen = {settings.integrator, settings.stabilisation, settings.formulation}
    return {thing for thing in solvers() if thing is not vc.OwnFormulation and str(thing()) in chosen}


def test_what_is_called_the_default_is_the_default():
    found = defaults()
    assert len(found) == 3
    for thing in solvers():
        said = "the default" in " ".join(thing.__doc__.split())
        assert thing in found or not said, f"{thing.__name__} is not the default"
    said = {re.search(r"`(\w+)\(", row)[1] for row in GUIDE.splitlines()
            if row.startswith("| `") and "the default" in row and re.search(r"`(\w+)\(", row)}
    assert said == {thing.__name__ for thing in found}


# --- what is there and what is not


def listed_as_missing(text, mark):
    found = re.search(rf"{mark} ((?:.|\n)+?)\.\n", text)[1]
    return [item.strip() for item in re.split(r",\s+|\s+and\s+|\s+or\s+", " ".join(found.split()))]


def test_both_lists_of_what_is_missing_agree_and_name_nothing_that_is_there():
    missing = listed_as_missing(README, "What it cannot do yet:")
    assert missing == listed_as_missing(GUIDE, "- Missing:")
    able = README[README.index("## What it can do now"):README.index("What it cannot do yet")].lower()
    for item in missing:
        assert item.lower() not in able, f"{item!r} is called missing, but the table above has it"
    package = {path.stem for path in (ROOT / "src" / "vincolo").rglob("*") if "__" not in path.name}
    for folder in ("flexible", "codegen"):
        assert folder not in package, f"{folder} is there now: take it off the lists of what is missing"


def requirement(text):
    return re.split(r"[><=;\[ ]", text)[0].lower()


def test_the_installation_names_what_is_needed_and_every_extra():
    needed = re.search(r"what it needs to run: (.+?)\.\n", README, re.DOTALL)[1]
    assert set(re.split(r",\s+|\s+and\s+", needed.lower())) == {requirement(r) for r in PROJECT["dependencies"]}
    extras = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", README[README.index("| extra |"):], re.MULTILINE))
    others = {"all"}
    assert set(extras) == set(PROJECT["optional-dependencies"]) - others
    for extra in ("formats", "view", "symbolic", "studies", "bench"):
        assert {requirement(r) for r in PROJECT["optional-dependencies"][extra]} == set(extras[extra].split(", "))


SOURCES = [path.read_text() for path in (ROOT / "src" / "vincolo").rglob("*.py") if path.name != "doctor.py"]


def imported(name):
    """Whether the package imports a library anywhere, in a statement or by its name in a text."""
    module = {"pillow": "PIL", "imageio-ffmpeg": "imageio_ffmpeg", "cmeel-eigen": "cmeel"}.get(name, name)
    return any(re.search(rf'\b(import|from) {module}\b|"{module}["\.]', text) for text in SOURCES)


def test_doctor_looks_for_the_optional_libraries_that_are_used_and_no_others():
    comparisons = {name for name, use in doctor.OPTIONAL.items() if "compar" in use}
    assert comparisons == {requirement(r) for r in PROJECT["optional-dependencies"]["bench"]}
    for name in set(doctor.OPTIONAL) - comparisons:
        assert imported(name), f"nothing imports {name}"
    for extra in ("formats", "view", "symbolic", "studies"):
        assert {requirement(r) for r in PROJECT["optional-dependencies"][extra]} <= set(doctor.OPTIONAL), extra


# --- commands, targets, files


def commands():
    return typer.main.get_command(app).commands


def test_the_table_of_commands_has_every_command_and_no_other():
    listed = re.findall(r"`vincolo (\w+)[^`]*`", TEXTS["docs/command_line.md"].split("## Models")[0])
    assert set(listed) - {"COMMAND"} == set(commands())


def test_every_option_in_the_documents_exists():
    known = {option for command in commands().values() for p in command.params for option in p.opts}
    known |= {"--help", "--install-completion"}
    for name in ("docs/command_line.md", "docs/viewing.md", "docs/report.md", "docs/results.md", "README.md"):
        for code in inline_code(TEXTS[name]):
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", code):
                assert option in known, f"{name}: there is no {option}"


def test_every_make_target_in_the_documents_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for name, text in TEXTS.items():
        assert set(re.findall(r"`make ([a-z-]+)", text)) <= targets, name
    listed = set(re.findall(r"`make ([a-z-]+)`", TEXTS["CONTRIBUTING.md"]))
    assert listed == targets, "CONTRIBUTING.md lists the targets"


def test_every_file_named_in_the_documents_exists():
    for name, text in TEXTS.items():
        for code in inline_code(text):
            for path in re.findall(r"(?<![\w/.])(?:src|docs|tests|benchmarks|core|examples)/[\w./-]+", code):
                assert (ROOT / path).exists(), f"{name} names {path}"


def steps():
    """Numbered steps of CONTRIBUTING.md that name files of the kernel or of the package."""
    for step in re.findall(r"^\d\. (.+?)(?=^\d\. |^$)", TEXTS["CONTRIBUTING.md"], re.MULTILINE | re.DOTALL):
        paths = [ROOT / code for code in inline_code(step) if re.fullmatch(r"(core|src|tests|docs)/[\w./]+", code)]
        files = [file for path in paths for file in (path.iterdir() if path.is_dir() else [path])]
        if files:
            yield " ".join(step.split()), files


@pytest.mark.parametrize(("step", "files"), list(steps()))
def test_every_name_in_a_step_of_the_contributors_is_in_its_files(step, files):
    """In `core/system.hpp` add it to `MeasureKind`: there is a MeasureKind in it."""
    text = "".join(path.read_text() for path in files if path.suffix in (".py", ".hpp", ".cpp"))
    for name in inline_code(step):
        if re.fullmatch(r"[A-Za-z_]\w*", name) and text:
            assert re.search(rf"\b{name}\b", text), name


def test_the_pythons_that_are_promised_are_those_that_are_tested():
    promised = [c.rsplit(" ", 1)[1] for c in PROJECT["classifiers"] if "Python :: 3." in c]
    assert list(pythons.VERSIONS) == promised and PROJECT["requires-python"] == f">={promised[0]}"
    assert re.search(r"`make test-pythons` \|.* Python (3\.\d+) to (3\.\d+)", TEXTS["CONTRIBUTING.md"]).groups() == (
        promised[0], promised[-1])


def test_pythons_that_are_not_here_are_told_and_none_at_all_is_a_failure(monkeypatch, capsys):
    monkeypatch.setattr(pythons, "interpreter", lambda version: None)
    assert pythons.main([]) == 1 and "Python 3.13 is not on this machine" in capsys.readouterr().out
    monkeypatch.setattr(pythons, "interpreter", lambda version: sys.executable if version == "3.12" else None)
    for passes in (True, False):
        monkeypatch.setattr(pythons, "tested", lambda version, python, words, passes=passes: passes)
        assert pythons.main([]) == (not passes)


def test_rounded_numbers_in_the_documents_do_not_show_the_sign_of_a_zero():
    """-1e-17 rounds to -0., on one machine and not on the next; + 0.0 makes it 0."""
    for name, text in TEXTS.items():
        for line in re.findall(r"^print\(.*np\.round\(.*$", text, re.MULTILINE):
            assert line.count("np.round(") == line.count(" + 0.0"), f"{name}: {line}"
