"""Controls in the side panel of the page: what they show, and what is done when a browser uses them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vincolo.errors import ModelError
from vincolo.view.live.messages import Message
from vincolo.view.live.server import Server


class Controls:
    """A titled list of controls, the same in all browsers. Each is named, and `act` is called with its new value."""

    def __init__(self, server: Server, title: str) -> None:
        self._server, self._title = server, title
        self._made: dict[str, Message] = {}
        self._acts: dict[str, Callable[[Any], None]] = {}

    def text(self, name: str, text: str = "") -> None:
        """A text."""
        self._made[name] = {"kind": "text", "name": name, "text": text}

    def progress(self, name: str) -> None:
        """A bar that fills from 0 to 1."""
        self._made[name] = {"kind": "progress", "name": name, "value": 0.0}

    def button(self, name: str, label: str, act: Callable[[Any], None], hint: str = "") -> None:
        """A button."""
        self._made[name] = {"kind": "button", "name": name, "label": label, "hint": hint}
        self._acts[name] = act

    def choice(self, name: str, label: str, options: list[str], value: str, act: Callable[[Any], None]) -> None:
        """One of several texts."""
        self._made[name] = {"kind": "choice", "name": name, "label": label, "options": options, "value": value}
        self._acts[name] = act

    def slider(self, name: str, label: str, low: float, high: float, step: float, value: float,
               act: Callable[[Any], None]) -> None:
        """A number between two others."""
        self._made[name] = {"kind": "slider", "name": name, "label": label, "low": low, "high": high, "step": step,
                            "value": value}
        self._acts[name] = act

    def value(self, name: str) -> Any:
        """What a control stands at, or the text it shows."""
        made = self._made[name]
        return made["text"] if made["kind"] == "text" else made["value"]

    def show(self, name: str, **values: Any) -> None:
        """Changes what a control shows, in all browsers."""
        made = self._made[name]
        if any(made.get(key) != value for key, value in values.items()):
            made.update(values)
            self._server.broadcast({"type": "control", "name": name, **values}, replaces=f"control {name}")

    def message(self) -> Message:
        """All of them, for a browser."""
        return {"type": "controls", "title": self._title, "controls": list(self._made.values())}

    def use(self, message: Message) -> None:
        """Does what a browser asks for."""
        name, value = message.get("name"), message.get("value")
        if not isinstance(name, str) or name not in self._acts:
            raise ModelError(f"there is no control called {name!r:.80}.")
        made = self._made[name]
        if made["kind"] == "choice" and value not in made["options"]:
            raise ModelError(f"{value!r:.80} is not one of the choices of {name!r}.")
        if made["kind"] == "slider" and not (isinstance(value, int | float) and made["low"] <= value <= made["high"]):
            raise ModelError(f"{value!r:.80} is not between {made['low']} and {made['high']}.")
        if "value" in made:
            self.show(name, value=value)
        self._acts[name](value)
