"""The studio without a browser: messages in, messages out."""

from __future__ import annotations

import json
import time

from vincolo.view.live.messages import unpacked


class Browser:
    """A browser that keeps what it is told."""

    def __init__(self):
        self.heard, self.kept = [], {}

    def send(self, message, replaces=""):
        self.heard.append(unpacked(message)[0] if isinstance(message, bytes) else json.loads(json.dumps(message)))

    def last(self, kind):
        return next((m for m in reversed(self.heard) if m["type"] == kind), None)


class Room:
    """A server that does at once what is asked for."""

    def __init__(self, studio, count=1):
        self.studio, self.browsers, self.calls = studio, [Browser() for _ in range(count)], []
        studio.attach(self)
        for browser in self.browsers:
            studio.on_open(browser)

    def broadcast(self, message, replaces="", but=None):
        for browser in self.browsers:
            browser.send(message, replaces)

    def call(self, what):
        self.calls.append(what)

    def work(self, until, most=20.0):
        """Does what other threads ask for, until something is true."""
        end = time.monotonic() + most
        while not until() and time.monotonic() < end:
            while self.calls:
                self.calls.pop(0)()
            time.sleep(0.005)
        assert until()

    def work_until_over(self):
        """Does what the run asks for, until its last word: pieces that come before it may already say 'over'."""
        self.work(lambda: "reason" in self.browsers[0].last("run"))

    def ask(self, what, /, **data):
        self.studio.on_message(self.browsers[0], {"type": what, "id": 1, **data})
        return self.browsers[0].last("done")

    def answered(self, browser=0, most=20.0):
        """The next answer that comes later."""
        heard = self.browsers[browser].heard
        before = sum(m["type"] == "done" for m in heard)
        self.work(lambda: sum(m["type"] == "done" for m in heard) > before, most)
        return self.browsers[browser].last("done")
