"""The studio as a program: a model, a server on this computer, and the browser."""

from __future__ import annotations

import time
from pathlib import Path

from vincolo.studio.draft import Draft, opened_draft
from vincolo.studio.opening import EMPTY, Opened
from vincolo.studio.page import studio_page
from vincolo.studio.session import NEWEST, Studio
from vincolo.view.live.listening import LOOPBACK, browse
from vincolo.view.live.server import Server


def studio(path: str | Path | None = None, *, host: str = LOOPBACK, port: int | None = None,
           open_browser: bool = True, journals: Path | None = None) -> tuple[Studio, Server]:
    """Opens a model of any kind, or an empty one, to be edited in the browser. Returns the session and its server,
    which ends with close()."""
    if path is None:
        draft, count = Draft(Opened(EMPTY, None, folder=Path.cwd()), journals), 0
    else:
        draft, count = opened_draft(Path(path), journals)
    session = Studio(draft, count, journals)
    server = Server(studio_page, session, host=host, port=port, newest=NEWEST)
    session.attach(server)
    if open_browser:
        browse(server.url)
    return session, server


def serve(session: Studio, server: Server) -> None:
    """Serves until Ctrl-C."""
    try:
        while True:
            time.sleep(3600.0)
    except KeyboardInterrupt:
        pass
    finally:
        session.end_run()
        server.close()
        session.draft.close()
