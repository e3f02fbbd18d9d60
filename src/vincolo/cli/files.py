"""vincolo plot, convert, new and examples."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from vincolo.cli.common import changes_of, guarded, print_json, say
from vincolo.errors import ModelError, suggest

TEMPLATES = ("blank", "slider-crank", "double-wishbone")
CODE = {".py", ".yaml", ".xlsx", ".adm", ".urdf", ".xml"}


def plot_result(path: Path, names: list[str], against: str, output: Path | None, compare: list[Path],
                title: str | None, show: bool) -> None:
    """Plots series of results, or lists them."""
    with guarded():
        sources = [(p.name.removesuffix("_results"), series_of(p)) for p in (path, *compare)]
        if not names:
            _list_series(sources[0][1])
            return
        from vincolo.plots import plot

        target = output or (path / "plot.html" if path.is_dir() else path.with_suffix(".html"))
        plot(sources if len(sources) > 1 else sources[0][1], names, against=against, path=target, title=title)
        say(f"written: {target}")
        if show:
            import webbrowser

            webbrowser.open(target.resolve().as_uri())


def series_of(path: Path) -> Any:
    """A result folder or a table of series."""
    if path.is_dir():
        from vincolo.results.folder import load_folder

        return load_folder(path)
    from vincolo.results.tables import read_table

    return read_table(path)


def _list_series(source: Any) -> None:
    groups: dict[str, list[str]] = {}
    for key in source.keys():  # noqa: SIM118
        owner, _, last = key.rpartition(".")
        groups.setdefault(owner, []).append(last)
    say("Series that can be plotted, as owner.name:")
    for owner, ends in groups.items():
        say(f"  {owner or '(time)'}: {', '.join(ends)}")


def convert_model(source: str, target: Path, changes: list[str], as_json: bool) -> None:
    """Writes a model in another format."""
    with guarded(as_json) as heard:
        from vincolo.formats import convert

        document = convert(source, target, changes_of(changes))
        if as_json:
            print_json({"model": document.model.name, "written": str(target), "left_out": document.report.left_out,
                        "warnings": heard})
            return
        say(f"written: {target}")


def new_model(path: Path, template: str, force: bool) -> None:
    """Writes a model to begin with."""
    with guarded():
        from vincolo.formats.excel import write_template

        if template not in TEMPLATES:
            raise ModelError(f"there is no template {template!r}.{suggest(template, TEMPLATES)}\n"
                             f"  Templates: {', '.join(TEMPLATES)}.")
        if path.suffix.lower() not in (".xlsx", ".yaml"):
            raise ModelError(f"{path.name}: a new model is a workbook (.xlsx) or a YAML file (.yaml).")
        if path.exists() and not force:
            raise ModelError(f"{str(path)!r} is there already.\n  Choose another name, or replace it with --force.")
        if path.suffix.lower() == ".xlsx":
            write_template(template, path)
        else:
            _new_yaml(template, path)
        say(f"written: {path}\n  to run it     vincolo run {path}")


def _new_yaml(template: str, path: Path) -> None:
    """The same model as the workbook's, as YAML."""
    from tempfile import TemporaryDirectory

    from vincolo.formats import convert
    from vincolo.formats.excel import write_template

    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to put {path.name!r} in.")
    with TemporaryDirectory() as folder:
        book = Path(folder) / f"{path.stem}.xlsx"
        write_template(template, book)
        convert(book, path)


def list_or_copy(name: str | None, to: Path) -> None:
    """Lists the examples, or copies one."""
    with guarded():
        known = example_files()
        if name is None:
            for key, path in known.items():
                say(f"  {key:<28}{_title(path)}")
            say("Copy one with: vincolo examples NAME")
            return
        if name not in known:
            raise ModelError(f"there is no example {name!r}.{suggest(name, known)}\n"
                             "  `vincolo examples` lists them.")
        if not to.is_dir():
            raise FileNotFoundError(f"there is no folder {str(to)!r} to copy to.")
        target = to / known[name].name
        if target.exists():
            raise ModelError(f"{str(target)!r} is there already.\n  Choose another folder with --to.")
        if known[name].is_dir():
            shutil.copytree(known[name], target)
        else:
            shutil.copy2(known[name], target)
            helper = known[name].parent / "comparison.py"
            if target.suffix == ".py" and "from comparison import" in target.read_text(encoding="utf-8"):
                shutil.copy2(helper, to / helper.name)
        say(f"written: {target}\n  to run it     vincolo run {target}")


def example_files() -> dict[str, Path]:
    """Examples by name: models in Python, YAML, workbooks, and folders of cards."""
    import vincolo

    inside = Path(vincolo.__file__).parent / "examples"
    root = inside if inside.is_dir() else Path(vincolo.__file__).parents[2] / "examples"
    if not root.is_dir():
        raise ModelError("the examples are not installed here.")
    found: dict[str, Path] = {}
    for path in sorted(root.rglob("*")):
        is_model = path.suffix in CODE and path.name != "make.py" and "__pycache__" not in path.parts
        if is_model and (path.suffix != ".py" or "\ndef build(" in path.read_text(encoding="utf-8")):
            found[path.stem if path.suffix == ".py" else path.name] = path
        elif path.is_dir() and any(path.glob("*.s3d")):
            found[f"cards/{path.name}"] = path
    return found


def _title(path: Path) -> str:
    """The first line of what a file says about itself."""
    if path.suffix in (".py", ".yaml"):
        first = path.read_text(encoding="utf-8").lstrip("\"# \n").splitlines()[0]
        return first.rstrip('".')
    return {".xlsx": "a workbook", "": "a folder of cards"}.get(path.suffix, f"a {path.suffix} file")
