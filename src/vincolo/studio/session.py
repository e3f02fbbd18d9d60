"""The session of the studio: it answers the messages of browsers, which all see the same model."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vincolo.errors import ModelError, VincoloError
from vincolo.formats.tree.notation import fill
from vincolo.formats.tree.source import Source
from vincolo.studio.catalogue import catalogue
from vincolo.studio.draft import Draft, Needed, parts_of_text
from vincolo.studio.filing import Filing
from vincolo.studio.journal import abandoned
from vincolo.studio.places import has, place_of, with_value
from vincolo.studio.suggestions import suggested_drive
from vincolo.studio.trying import LATER
from vincolo.view.live.server import Client, Server

Message = dict[str, Any]
log = logging.getLogger("vincolo.studio")
#: types of messages of which only the newest counts
NEWEST = ("move", "preview")
LONGEST_TEXT = 2_000_000


class Studio(Filing):
    """One model, edited by one or several browsers."""

    def __init__(self, draft: Draft, recovered: int = 0, journals: Path | None = None) -> None:
        super().__init__(draft, journals)
        self._recovered = recovered
        self._answers: dict[str, Callable[[Client, Message], Message | None]] = {
            "act": self._act, "try": self._try, "enter": self._enter, "add": self._add, "undo": self._undo,
            "redo": self._redo, "copy": self._copy, "paste": self._paste, "dependents": self._dependents,
            "freedom": self._freedom, "suggest": self._suggest, **self.filing,
            **self.showing, **self.handling, **self.trying}

    def attach(self, server: Server) -> None:
        """Tells which server the browsers are at."""
        self.server = server

    # connections

    def on_open(self, client: Client) -> None:
        """A browser has come: it gets everything."""
        client.send({"type": "catalogue", **catalogue()})
        if self._recovered:
            client.send({"type": "note", "text": f"{self._recovered} actions of a session that broke off were done "
                                                 "again. Undo takes them back."})
        client.send({"type": "remains", "remains": [
            {"journal": r.journal.name, "path": str(r.path or "untitled"), "count": r.count, "when": r.when}
            for r in abandoned(None, self.journals)][:12]})
        client.send(self.model_message())
        self.show(client, fit=True)

    def on_message(self, client: Client, message: Message) -> None:
        """Answers a message; what is wrong is told with the answer."""
        answer = self._answers.get(message["type"])
        if answer is None:
            raise ModelError(f"there is no message {str(message['type'])[:40]!r}.")
        number = message.get("id")
        try:
            found = answer(client, message) or {}
        except (VincoloError, OSError) as error:
            found = {"error": str(error)}
            if isinstance(error, Needed):
                found["others"] = [list(place) for place in error.others]
        except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
            found = {"error": f"the message {message['type']!r} cannot be answered as it is ({error})."}
            log.exception("the message %.200r could not be answered", message)
        if found is not LATER and (number is not None or "error" in found):
            client.send({"type": "done", "id": number, **found})

    # editing

    def _act(self, client: Client, message: Message) -> Message | None:
        self.draft.act(message.get("action"))
        self.changed()
        return None

    def _try(self, client: Client, message: Message) -> Message | None:
        self.draft.tried(message.get("action"))
        return None

    def _enter(self, client: Client, message: Message) -> Message | None:
        """A value as the user types it; `dry` only says whether it would do."""
        place, text = place_of(message.get("at")), message.get("text")
        action = entered(self.draft.tree, place, text, str(message.get("kind", "")))
        if action is None:
            return {"same": True}
        self._do_or_try(action, message)
        return None

    def _add(self, client: Client, message: Message) -> Message | None:
        """A new part from typed texts: places within the part, texts and kinds of fields."""
        value: Any = None
        for row in message.get("fields") or []:
            place, text, kind = row if isinstance(row, list) and len(row) == 3 else (None, "", "")
            typed = _text(text).strip()
            if typed and isinstance(place, list):
                value = with_value(value, tuple(place), value_of(typed, str(kind)))
        action = {"do": "add", "section": message.get("section"), "name": message.get("name"),
                  "value": {} if value is None else value}
        self._do_or_try(action, message)
        return None

    def _do_or_try(self, action: Message, message: Message) -> None:
        """Does an action; with `dry` only says whether it would do."""
        if message.get("dry"):
            self.draft.tried(action)
            return
        self.draft.act(action)
        self.changed()

    def _undo(self, client: Client, message: Message) -> Message | None:
        title = self.draft.undo()
        self.changed()
        return {"title": title}

    def _redo(self, client: Client, message: Message) -> Message | None:
        title = self.draft.redo()
        self.changed()
        return {"title": title}

    def _copy(self, client: Client, message: Message) -> Message | None:
        at = _places(message)
        text = self.draft.copied(at)
        if message.get("cut"):
            self.draft.act({"do": "remove", "at": at, "dependents": "remove" if message.get("all") else "refuse"})
            self.changed()
        return {"text": text}

    def _paste(self, client: Client, message: Message) -> Message | None:
        before = {(s, n) for s, group in self.draft.tree.items() if isinstance(group, dict) for n in group}
        shift = message.get("shift")
        text = _text(message.get("text"))
        self.draft.act({"do": "paste", "parts": parts_of_text(text), **({"shift": shift} if shift else {})})
        self.changed()
        return {"added": [[s, n] for s, group in self.draft.tree.items() if isinstance(group, dict) for n in group
                          if (s, n) not in before]}

    def _dependents(self, client: Client, message: Message) -> Message | None:
        return {"others": [list(place) for place in self.draft.dependents(_places(message))]}

    def _freedom(self, client: Client, message: Message) -> Message | None:
        return {"text": self.insight.explained()}

    def _suggest(self, client: Client, message: Message) -> Message | None:
        """What a new drive may move; `joint` is the one that the user has selected."""
        return dict(suggested_drive(self.insight, message.get("joint")))


def entered(tree: Any, place: Any, text: Any, kind: str) -> Message | None:
    """The action that a typed text stands for: nothing typed takes an optional value away."""
    typed = _text(text).strip()
    if not typed:
        return {"do": "remove", "at": list(place)} if has(tree, place) else None
    return {"do": "change", "at": list(place), "value": value_of(typed, kind)}


def value_of(typed: str, kind: str) -> Any:
    """A typed text as a value: numbers, formulas with '=', texts, and lists and maps as in YAML."""
    if kind == "text" or typed.startswith("="):
        return typed
    if kind in ("vector", "point", "direction", "words", "inertia", "functions", "pair") and "," in typed \
            and typed[0] not in "[{" or kind == "words" and typed[0] != "[":
        typed = f"[{typed}]"
    source = Source("what is typed")
    fill(source, typed)
    return source.data


def _text(text: Any) -> str:
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise ModelError("a text is needed here.")
    return text


def _places(message: Message) -> list[Any]:
    at = message.get("at")
    if not isinstance(at, list) or not at or not all(isinstance(one, list) for one in at):
        raise ModelError("a list of places is needed, such as [[bodies, crank]].")
    return at
