"""write_report(): everything about a run on one page."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from vincolo.analyses.plausibility import doubts
from vincolo.errors import ModelError, VincoloError
from vincolo.files import appearing, check_place
from vincolo.report.charts import Charts
from vincolo.report.checks import WORDS, Check, checks_of, unchecked, verdict
from vincolo.report.elements import (
    Safe,
    counted,
    duration,
    element,
    joined,
    listed,
    number,
    paragraph,
    safe,
    section,
    table,
)
from vincolo.report.extremes import extremes, reaction_peaks
from vincolo.report.figures import Plot, checked_plots, mechanism_figures, plot_figures
from vincolo.report.freedom import freedom
from vincolo.report.model_tables import model_tables
from vincolo.report.pdf import checked_browser, print_page
from vincolo.report.preface import logo_element, preface
from vincolo.report.style import CSS
from vincolo.report.tolerances import tolerances_chapter
from vincolo.results.in_units import InUnits, settled
from vincolo.results.result import Result
from vincolo.tolerance.results import Tolerated
from vincolo.version import __version__
from vincolo.view.page import page_html

Plots = Sequence[str | Sequence[str] | Plot]
ANIMATION_MB = 8
#: opens the animation when it comes into view; browsers do not show what is drawn outside of it
OPEN = """for (const frame of document.querySelectorAll('iframe[data-page]')) {
  new IntersectionObserver((seen, watch) => {
    if (!seen.some((s) => s.isIntersecting)) return;
    frame.srcdoc = frame.dataset.page;
    watch.disconnect();
  }, { threshold: 0.1 }).observe(frame);
}"""
LIBRARIES = ("numpy", "scipy")


def write_report(result: Result | InUnits, path: str | os.PathLike[str], *, plots: Plots | None = None,
                 title: str | None = None, author: str | None = None, text: str | None = None,
                 logo: str | os.PathLike[str] | None = None, animation: bool = True,
                 tolerances: Tolerated | None = None) -> Path:
    """Writes a report of a run as one HTML file that needs no network, or as PDF if a browser is there to print it:
    model, freedom, settings, plots, extreme values, checks, pictures and the animation. `plots` are names of series,
    lists of names, or Plot(names, against=..., title=...); those of key_plots(result) if none are given. `text` is put
    before all else, in paragraphs; `logo` is a file with a picture. A study of tolerances gets a chapter."""
    target = Path(path)
    kind = checked_ending(target)
    check_place("write_report()", target)
    data = report_html(result, plots=plots, title=title, author=author, text=text, logo=logo,
                       animation=animation and kind != ".pdf", tolerances=tolerances)
    if kind == ".pdf":
        return print_page(data, target)
    with appearing("write_report()", target) as file:
        file.write(data)
    return target


def checked_ending(path: Path) -> str:
    """The ending of a report, if one can be written that way here."""
    kind = path.suffix.lower()
    if kind not in (".html", ".htm", ".pdf"):
        raise ModelError(f"write_report(): {path.name!r} does not end in .html or .pdf.\n"
                         "  Name a file such as 'report.html'.")
    if kind == ".pdf":
        checked_browser(path)
    return kind


def report_html(shown: Result | InUnits, *, plots: Plots | None = None, title: str | None = None,
                author: str | None = None, text: str | None = None, logo: str | os.PathLike[str] | None = None,
                animation: bool = True, tolerances: Tolerated | None = None) -> bytes:
    """The same report as bytes of UTF-8."""
    result = settled(shown)
    if not isinstance(result, Result):
        raise ModelError(f"write_report(): {type(result).__name__} is not a result.\n"
                         "  Pass what simulate() returned, or load_folder(folder).")
    name = result.system.name if title is None else str(title)
    wanted = checked_plots(result, plots)
    checks, charts = checks_of(result), Charts()
    top = logo_element(logo), preface(text)
    some = len(result) > 0
    chapters = {
        "Summary": _summary(result, checks),
        "Animation": animation_of(result, name) if some and animation else Safe(""),
        "Model": joined([model_tables(result.model, result.in_units().usual), _doubts(result)]),
        "Freedom and redundancy": freedom(result) if some else Safe(""),
        "Settings of the run": _settings(result),
        "Plots": plot_figures(result, wanted, charts) if some else Safe(""),
        "Extreme values": extremes(result) if some else Safe(""),
        "Tolerances": Safe("") if tolerances is None else tolerances_chapter(tolerances, charts),
        "Checks": _checks(checks)}
    return whole_page(name, author, {title: content for title, content in chapters.items() if content}, charts, top)


def whole_page(name: str, author: str | None, chapters: Mapping[str, Safe], charts: Charts,
               top: tuple[Safe, Safe]) -> bytes:
    """A page of chapters with their contents, a logo and a preface at its top."""
    links = [element("a", title, href=f"#{_anchor(title)}") for title in chapters]
    written = [section(title, content, name=_anchor(title)) for title, content in chapters.items()]
    byline = " · ".join(text for text in (author, date.today().isoformat(), f"vincolo {_version('vincolo')}") if text)
    header = element("header", top[0], element("h1", name), element("div", byline, class_="byline"),
                     element("nav", *links, aria_label="contents"))
    body = element("body", header, top[1], *written, element("footer", _footer()), charts.script())
    head = (f'<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{safe(name)}</title>\n<style>{charts.style()}{CSS}</style>\n")
    return f'<!doctype html>\n<html lang="en">\n<head>\n{head}</head>\n{body}\n</html>\n'.encode()


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _summary(result: Result, checks: Sequence[Check]) -> Safe:
    level, sentence = verdict(list(checks))
    parts: list[object] = [element("div", sentence, class_=f"verdict {level}"),
                           paragraph(unchecked(result), class_="not-checked")]
    if not result.complete:
        parts.append(element("div", checks[0].text, class_="verdict bad"))
    parts.append(element("div", *(_tile(value, what) for value, what in _tiles(result)), class_="tiles"))
    if len(result):
        parts.append(mechanism_figures(result))
    return joined(parts)


def _tile(value: object, what: object) -> Safe:
    return element("div", element("b", value), element("span", what), class_="tile")


def _tiles(result: Result) -> list[tuple[object, object]]:
    """The numbers to see first."""
    model = result.model
    found: list[tuple[object, object]] = [
        (counted(len(model.bodies), "body", "bodies"), f"{counted(len(model.joints), 'joint')}, "
         f"{counted(sum(h.drive for h in model.holds.values()), 'drive')}")]
    if not len(result):
        return found
    m = result.mobility
    found.append((counted(m.dof, "degree"), f"of freedom, {counted(m.redundant, 'redundant condition')}"))
    found.append((joined([number(float(result.t[-1]) - result.settings.start), " s"]),
                  joined(["simulated in ", duration(result.seconds)])))
    peaks = [p for p in reaction_peaks(result) if p.force > 0]
    if peaks:
        worst = max(peaks, key=lambda p: p.force)
        found.append((joined([number(worst.force), " N"]),
                      joined([f"largest reaction, in {worst.joint} at ", number(worst.force_at), " s"])))
    return found


def animation_of(result: Result, name: str) -> Safe:
    """The page with the moving mechanism, within this one; a sentence if it cannot be made."""
    try:
        text = page_html(result, title=name, max_mb=ANIMATION_MB)
    except (VincoloError, OSError) as error:
        return paragraph(f"There is no animation: {error}", class_="small")
    frame = element("iframe", data_page=text.decode("utf-8"), title="animation", class_="screen",
                    sandbox="allow-scripts allow-downloads")
    on_paper = paragraph("The animation is in the HTML file of this report.", class_="paper small")
    return joined([frame, Safe(f"<script>{OPEN}</script>"), on_paper])


def _doubts(result: Result) -> Safe:
    """Numbers of the model that are probably wrong."""
    found = doubts(result.model)
    if not found:
        return Safe("")
    return element("div", "Worth a second look:", listed(found), class_="verdict fair")


def _settings(result: Result) -> Safe:
    asked, s = result.settings, result.statistics
    span = joined([number(asked.start, 6), " to ", number(asked.until, 6), " s asked for"])
    kinematic = asked.analysis == "kinematics"
    rows: list[list[object]] = [["motion" if kinematic else "integrator", asked.integrator],
                                ["positions" if kinematic else "stabilisation", asked.stabilisation],
                                ["formulation", asked.formulation], ["time", span], ["samples", f"{len(result):,}"]]
    if s.get("steps"):
        rejected = f", {s['rejected']:,} more rejected" if s.get("rejected") else ""
        rows.append(["steps", f"{s['steps']:,}{rejected}"])
    if s.get("largest_step"):
        sizes = joined([number(s.get("smallest_step"), 3), " to ", number(s["largest_step"], 3), " s"])
        rows.append(["step size", sizes])
    if s.get("evaluations"):
        rows.append(["evaluations", f"{s['evaluations']:,}"])
    if s.get("changes"):
        rows.append(["stiffness", joined(["implicit from t = ", number(s.get("first_change"), 3), " s on, rates to ",
                                          number(s.get("fastest"), 2), " 1/s"])])
    rows.append(["CPU time", duration(result.seconds)])
    return table(["setting", "value"], [row for row in rows if row[1] not in ("", "0")], "ll", narrow=True)


def _checks(checks: Sequence[Check]) -> Safe:
    rows = [[c.title, element("span", WORDS[c.level], class_=f"tag {c.level}"), c.text, c.limits] for c in checks]
    return element("div", table(["check", "verdict", "what was found", "limits"], rows, "llll"), class_="checks")


def _footer() -> str:
    used = [f"{name} {_version(name)}" for name in LIBRARIES if _version(name)]
    return (f"Made with vincolo {_version('vincolo')}, Python {platform.python_version()}, {', '.join(used)} on "
            f"{platform.system()} {platform.machine()}. Numbers are in the units beside them, else in SI.")


def _version(name: str) -> str:
    if name == "vincolo":
        return str(__version__)
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
