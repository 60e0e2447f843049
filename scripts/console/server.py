"""Runs the console on 127.0.0.1."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

import uvicorn
from fastapi import FastAPI
from nicegui import app as pages
from nicegui import ui
from nicegui.translations import translations

from console.context import Console
from console.guard import Guard
from console.pages import register
from local_stack.ports import listen

STATIC = Path(__file__).with_name("static")
_LANGUAGE: Final = "en-US"
_GONE = {
    "connection_lost": "The console has stopped, so nothing here is up to date.",
    "trying_to_reconnect": "Start it again as before: this page finds it by itself.",
}


def serve(console: Console, port: int, say: Callable[[str], None], *, lifeline: bool) -> None:
    """Serve until interrupted, or with ``lifeline`` until stdin ends.

    A free port is used when ``port`` is taken or 0. ``say`` hears the address once it answers.
    """
    socket = listen(port)
    taken, port = port, socket.getsockname()[1]
    if taken not in (0, port):
        print(f"Port {taken} is taken, so a free one is used.", file=sys.stderr)
    translations[_LANGUAGE] |= _GONE
    register(console)
    pages.add_static_files("/static", str(STATIC))
    pages.on_startup(lambda: say(f"Console: http://127.0.0.1:{port}"))
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(
        app,
        title="MiniTickets",
        favicon=STATIC / "favicon.svg",
        language=_LANGUAGE,
        tailwind=False,
        show_welcome_message=False,
    )
    app.add_middleware(Guard, port=port)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
    if lifeline:
        threading.Thread(target=_end_with_stdin, args=[server], daemon=True).start()
    server.run(sockets=[socket])


def _end_with_stdin(server: uvicorn.Server) -> None:
    sys.stdin.buffer.read()
    server.should_exit = True
