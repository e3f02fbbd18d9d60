"""A page that shows a run in real time while it goes on; for this machine, unless another address is asked for."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from vincolo.errors import ModelError
from vincolo.results.facts import json_ready

PAGE = Path(__file__).parent / "page.html"
HERE = ("127.0.0.1", "localhost", "[::1]")


class LivePage:
    """Serves one page and its numbers; nothing can be changed through it."""

    def __init__(self, shown: Callable[[], dict[str, Any]], name: str, host: str = "127.0.0.1", port: int = 0) -> None:
        page = PAGE.read_text(encoding="utf-8").replace("{{name}}", json.dumps(name).replace("<", "\\u003c")).encode()
        local = host in ("127.0.0.1", "localhost")

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = str(self.headers.get("Host", "")).rpartition(":")[0]
                if local and asked not in HERE:  # a page of somebody else's whose name leads here
                    self.send_error(403)
                elif self.path == "/":
                    self._answer(page, "text/html; charset=utf-8")
                elif self.path == "/numbers":
                    self._answer(json.dumps(json_ready(shown()), allow_nan=False).encode(), "application/json")
                else:
                    self.send_error(404)

            def _answer(self, data: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing: the terminal is for the run."""

        try:
            self._server = ThreadingHTTPServer((host, port), Handler)
        except OSError as error:
            raise ModelError(f"--page {host}:{port}: it cannot be listened on: {error.strerror}.\n"
                             "  Choose another port.") from None
        self._server.daemon_threads = True
        self.address = f"http://{host}:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()
