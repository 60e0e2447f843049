"""``/tickets/<booking>/<seat>.png``: a ticket's image, for who looks at the seat.

It holds the seat's token, so it is stored nowhere: neither by the browser nor by a proxy.
"""

from typing import Annotated

from botocore.exceptions import ClientError
from fastapi import Path, Response
from nicegui import app

from console.context import Console
from minitickets.domain.booking import image_key
from operations.failures import sentence

_MISSING = ("NoSuchKey", "404")
Booking = Annotated[str, Path(pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
Seat = Annotated[int, Path(ge=1, le=99_999)]


def path_of(booking: str, seat: int) -> str:
    return f"/tickets/{booking}/{seat}.png"


def register(console: Console) -> None:
    target = console.operator.target

    @app.get("/tickets/{booking}/{seat}.png")
    def ticket(booking: Booking, seat: Seat) -> Response:
        key = image_key(booking, seat)
        try:
            found = target.client("s3").get_object(Bucket=target.image_bucket, Key=key)
        except ClientError as error:
            missing = error.response["Error"].get("Code") in _MISSING
            words = "There is no such ticket." if missing else sentence(error, console.where, None)
            return Response(words, status_code=404 if missing else 403, media_type="text/plain")
        headers = {"Cache-Control": "no-store"}
        return Response(found["Body"].read(), media_type="image/png", headers=headers)
