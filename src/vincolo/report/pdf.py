"""A page printed to PDF by a browser, if there is one that can do it without a window."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from vincolo.errors import VincoloError
from vincolo.files import appearing, in_words

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge",
            "msedge")
PATIENCE = 180  # s
WAY = "Write the report as .html, open it in any browser, and print it to a PDF file (Ctrl+P)."


class PrintError(VincoloError):
    """A page that could not be printed."""


def browser() -> str | None:
    """A browser that prints without a window, if one is found."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def checked_browser(target: Path) -> str:
    """The browser that prints a page to a file."""
    program = browser()
    if program is None:
        raise PrintError(f"write_report(): {target.name!r}: PDF needs Chromium, Chrome or Edge, and none is found.\n"
                         f"  {WAY}")
    return program


def print_page(text: bytes, target: Path) -> Path:
    """Writes a page as PDF."""
    program = checked_browser(target)
    with tempfile.TemporaryDirectory(prefix="vincolo") as folder:
        page, printed = Path(folder) / "report.html", Path(folder) / "report.pdf"
        with in_words("write_report()", page):
            page.write_bytes(text)
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                   f"--user-data-dir={folder}/profile", f"--print-to-pdf={printed}", page.as_uri()]
        try:
            subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise PrintError(f"write_report(): {Path(program).name} could not print {target.name!r}: {error}\n"
                             f"  {WAY}") from None
        if not printed.is_file() or not printed.stat().st_size:
            raise PrintError(f"write_report(): {Path(program).name} printed nothing for {target.name!r}.\n  {WAY}")
        with appearing("write_report()", target) as file:
            file.write(printed.read_bytes())
    return target
