"""What stands at every other address."""

from fastapi import Request, Response
from nicegui import Client, app, ui

from console.context import Console
from console.frame import frame
from console.parts import heading, style


def register(console: Console) -> None:
    @app.exception_handler(404)
    async def missing(request: Request, _: Exception) -> Response:
        with Client(ui.page(""), request=request) as client, frame(console, "", "No such page"):
            style()
            heading("No such page")
            ui.label(f"The console has nothing at {request.url.path}.")
            ui.link("Show all executions", "/")
        return client.build_response(request, 404)
