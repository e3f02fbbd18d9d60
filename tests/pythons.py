"""Runs the tests on every supported Python that is on this machine: python tests/pythons.py [words for pytest]."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def interpreter(version: str) -> str | None:
    """Where a Python of this version is: on the path, as Debian has them, or among those that uv or pyenv installed.
    What only stands in for one, as a shim of pyenv does for versions that are not switched on, is passed over."""
    places = [shutil.which(f"python{version}"), _answer("uv", "python", "find", "--no-python-downloads", version)]
    installed = Path(_answer("pyenv", "root") or ROOT / "nowhere") / "versions"
    places += [str(place / "bin" / "python") for place in sorted(installed.glob(f"{version}.*"), reverse=True)]
    tell = "import sys; print('%d.%d' % sys.version_info[:2])"
    return next((place for place in places if place and _answer(place, "-c", tell) == version), None)


def _answer(*command: str) -> str | None:
    """What a command says; None if there is no such command, or it fails."""
    if shutil.which(command[0]) is None:
        return None
    asked = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    return asked.stdout.strip() if asked.returncode == 0 else None


def tested(version: str, python: str, words: list[str]) -> bool:
    """Whether all tests pass on one Python, with the newest libraries that pip brings it, in an environment of its own;
    vincolo is built and installed anew."""
    folder = ROOT / ".pythons" / version
    own = str(folder / "bin" / "python")
    steps = [[python, "-m", "venv", str(folder)],
             [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade",
              "--upgrade-strategy", "eager", ".[test]"],
             [own, "-m", "pytest", *words]]
    return all(subprocess.run(step, cwd=ROOT, check=False).returncode == 0 for step in steps)


def main(words: list[str]) -> int:
    """Tells of every version whether it is there and passes; zero if all that are there do, and one at least is."""
    there = {version: interpreter(version) for version in VERSIONS}
    outcomes = {version: tested(version, python, words) for version, python in there.items() if python}
    for version, python in there.items():
        outcome = "passes" if outcomes.get(version) else "fails" if python else "is not on this machine"
        print(f"Python {version} {outcome}{f' ({python})' if python else ''}")
    return 0 if outcomes and all(outcomes.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
