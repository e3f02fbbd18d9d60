"""The first tutorial of docs/studio.md, played in a browser as written; its numbers are computed in another way."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from browser import page, shot
from studio_hands import Hands, opened
from vincolo.formats import load_model

pytest.importorskip("websockets")
PAGE = Path(__file__).parents[2] / "docs" / "studio.md"
G = 9.80665


def steps() -> list[str]:
    section = PAGE.read_text().split("## A first mechanism", 1)[1].split("\n## ", 1)[0]
    return re.split(r"^\d\. ", section, flags=re.MULTILINE)[1:]


def bar(a: complex, b: complex, radius: float, density: float) -> tuple[float, float]:
    """Mass, and moment about an axis across through its centre of mass, of a round bar."""
    length = abs(b - a)
    mass = density * np.pi * radius**2 * length
    return mass, mass * (3 * radius**2 + length**2) / 12


def torque(points: list[complex], radius: float, density: float, n: int = 4096) -> np.ndarray:
    """The torque of a motor that turns the crank once in a second about y, over a turn: the rate of the energy by its
    speed. The loop closes by the law of cosines in the plane x + i z, where a turn about y goes from z to x."""
    A, B, C, D = points
    t = np.arange(n) / n
    crank = (B - A) * np.exp(-2j * np.pi * t)
    reach = D - (A + crank)
    inner = np.arccos((abs(C - B)**2 + abs(reach)**2 - abs(D - C)**2) / (2 * abs(C - B) * abs(reach)))
    drawn = np.sign(((C - B) / (D - B)).imag)
    coupler = abs(C - B) * reach / abs(reach) * np.exp(1j * drawn * inner)
    ends = [(A + 0 * crank, A + crank), (A + crank, A + crank + coupler), (A + crank + coupler, D + 0 * crank)]
    energy = sum(_energy(a, b, *bar(p, q, radius, density), t)
                 for (a, b), (p, q) in zip(ends, ((A, B), (B, C), (C, D)), strict=True))
    return _rate(energy) / (2 * np.pi)


def _rate(f: np.ndarray) -> np.ndarray:
    """The derivative of a periodic function of period 1 s, by its Fourier series."""
    k = np.fft.fftfreq(len(f), 1 / len(f))
    found = np.fft.ifft(2j * np.pi * k * np.fft.fft(f))
    return found if np.iscomplexobj(f) else found.real


def _energy(a: np.ndarray, b: np.ndarray, mass: float, moment: float, t: np.ndarray) -> np.ndarray:
    spin = (_rate(b - a) / (b - a)).imag
    return 0.5 * mass * np.abs(_rate((a + b) / 2))**2 + 0.5 * moment * spin**2 + mass * G * ((a + b) / 2).imag


def typed(user: Hands, text: str) -> None:
    user.tab.keyboard.type(text)
    user.press("Enter")
    user.tab.wait_for_selector("#adding", state="detached")


def press(user: Hands, word: str) -> None:
    user.click(f"#palette span:text-is('{word}')")
    user.tab.wait_for_selector("#adding")


def add_links(user: Hands, text: str) -> None:
    assert "Press **link** in the palette, type the name" in text
    shown = {key: float(re.search(rf"its {key}, ([\d.]+)", text)[1]) for key in ("radius", "density")}
    for name in re.findall(r"`(\w+)`", text):
        press(user, "link")
        for key, value in shown.items():
            assert float(user.tab.input_value(f"#adding .field[data-key={key}] input")) == value
        typed(user, name)


def add_joints(user: Hands, text: str) -> list[complex]:
    assert "Press **revolute**" in text
    keys, _, *lines = [[cell.strip() for cell in line.strip().strip("|").split("|")]
                       for line in text.splitlines() if line.strip().startswith("|")]
    for line in lines:
        press(user, "revolute")
        for key, value in zip(keys, line, strict=True):
            user.fill(f"#adding .field[data-key={key}] input", value)
        user.press("Enter")
        user.tab.wait_for_selector("#adding", state="detached")
    assert user.tab.inner_text("#freedom") == re.search(r"it says \*([^*]+)\*", text)[1]
    name, mass = re.search(r"Select\s+`(\w+)` in the tree: the properties say \*([^*]+)\*", text).groups()
    user.select("bodies", name)
    assert user.tab.inner_text("#properties .weight").startswith(mass)
    places = [[float(x) for x in line[keys.index("at")].split(",")] for line in lines]
    return [x + 1j * z for x, _, z in places]


def test_the_first_tutorial_as_it_is_written(tmp_path):
    new, links, joints, drive, run, save = steps()
    with opened(tmp_path) as (session, server), page(server.url, 1440, 900) as tab:
        user = Hands(tab).ready()
        assert new.strip() == "Press **New** and choose *Empty*."
        user.press("Escape")  # the window that opens with the studio
        user.click("#new")
        user.click("dialog button:has-text('Empty')")
        shot(tab, tmp_path, "tutorial_1")
        add_links(user, links)
        shot(tab, tmp_path, "tutorial_2")
        points = add_joints(user, joints)
        shot(tab, tmp_path, "tutorial_3")
        measure, function = re.match(r"Press \*\*drive\*\*. It suggests `([^`]+)`.*? and `([^`]+)`", drive,
                                     re.DOTALL).groups()
        press(user, "drive")
        assert tab.input_value("#adding .field[data-key=measure] input") == measure
        assert tab.input_value("#adding .field[data-key=function] input") == function
        shot(tab, tmp_path, "tutorial_4")
        user.press("Enter")
        tab.wait_for_selector("#adding", state="detached")
        assert run.startswith("Ctrl+Enter runs it.")
        user.run()
        assert session.result.reason is None
        channel, peak, digits = re.search(r"to plot `([\w.]+)`.* at most (\d+\.(\d+)) N m", run,
                                          re.DOTALL).groups()
        user.select("drives", channel.split(".")[0])
        user.click("[role=tab]:has-text('Results')")
        user.click(f"#side .values button:text-is('{re.search(r'press `([^`]+)`', run)[1]}')")
        tab.wait_for_selector(f"#plots .chip:has-text('{channel}')")
        shot(tab, tmp_path, "tutorial_5")
        user.press("Control+s")
        tab.keyboard.type(re.search(r"type the name `([^`]+)`", save)[1])
        user.press("Enter")
        tab.wait_for_selector("dialog", state="detached")
        user.fine()
        found = session.result[channel]
        expected = torque(points, 0.01, 7850.0)
        assert found == pytest.approx(np.interp(session.result.t, np.arange(len(expected)) / len(expected), expected,
                                                period=1.0), abs=1e-5 * np.abs(expected).max())
        assert round(float(np.abs(expected).max()), len(digits)) == float(peak)
        assert list(load_model(tmp_path / "four_bar.yaml").bodies) == ["crank", "coupler", "rocker"]
