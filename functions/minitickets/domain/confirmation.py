"""The confirmation email, as text and as HTML."""

import re
from html import escape
from typing import NamedTuple

from minitickets.domain.booking import Booking
from minitickets.domain.local_time import local_start
from minitickets.domain.names import header_safe, shorten

MAX_NAME_IN_SUBJECT = 80

_URL = re.compile(r"https?://(?!/)[^\s\x00-\x1f\x7f-\x9f\"'<>\\]+", re.IGNORECASE)

# Colours are the reader's own, so that the mail reads in light and dark mode alike; the one button
# brings both of its own.
_HTML = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{subject}</title>
</head>
<body style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,'Segoe UI',Arial,sans-serif">
<div style="max-width:560px;margin:0 auto;overflow-wrap:anywhere">
<p style="margin:0 0 4px;opacity:.75">Your booking is confirmed</p>
<h1 dir="auto" style="margin:0 0 24px;font-size:26px;line-height:1.25">{event_name}</h1>
<table style="width:100%;border-collapse:collapse;text-align:left">
{rows}
</table>
<p style="margin:28px 0"><a href="{url}" style="display:inline-block;padding:12px 22px;\
border-radius:8px;background:#1a56b8;color:#ffffff;font-weight:600;text-decoration:none">\
See my tickets</a></p>
<p style="margin:0 0 12px">{where_tickets_are}</p>
<p style="margin:0;font-size:14px;opacity:.75">{url}</p>
</div>
</body>
</html>
"""
_ROW = """\
<tr style="border-top:1px solid rgba(128,128,128,.4)">\
<th scope="row" style="padding:10px 16px 10px 0;vertical-align:top;font-weight:600">{label}</th>\
<td dir="auto" style="padding:10px 0;width:100%">{value}</td></tr>"""


class Confirmation(NamedTuple):
    """``subject`` is one line without control or bidi characters, whatever the names hold."""

    subject: str
    text: str
    html: str


def write_confirmation(booking: Booking, my_tickets_url: str) -> Confirmation:
    """Raises :class:`ValueError` if the URL is not http(s), or the start or its zone is wrong."""
    if not _URL.fullmatch(my_tickets_url):
        raise ValueError("the address of the tickets is not an http or https URL")
    start = local_start(booking.starts_at, booking.time_zone)
    event_name = header_safe(booking.event_name)
    facts = {"When": f"{start.date_text}, {start.time_text}"}
    if booking.venue:
        facts["Where"] = header_safe(booking.venue)
    facts["Seats"] = "1 seat" if booking.quantity == 1 else f"{booking.quantity} seats"
    facts["Booking"] = header_safe(booking.booking_id)
    # A mail program decodes "=?utf-8?…?=", which could bring back what is not header-safe.
    short_name = shorten(event_name, MAX_NAME_IN_SUBJECT).replace("=?", "= ?")
    subject = f"Booking confirmed: {short_name}, {start.date_text}"
    where_tickets_are = _where_tickets_are(booking.quantity)
    return Confirmation(
        subject=subject,
        text=_text(event_name, facts, where_tickets_are, my_tickets_url),
        html=_HTML.format(
            subject=escape(subject),
            event_name=escape(event_name),
            rows="\n".join(
                _ROW.format(label=label, value=escape(value)) for label, value in facts.items()
            ),
            url=escape(my_tickets_url),
            where_tickets_are=where_tickets_are,
        ),
    )


def _text(event_name: str, facts: dict[str, str], where_tickets_are: str, url: str) -> str:
    rows = "\n".join(f"{label + ':':<9}{value}" for label, value in facts.items())
    return f"Your booking is confirmed.\n\n{event_name}\n\n{rows}\n\n{where_tickets_are}\n\n{url}\n"


def _where_tickets_are(quantity: int) -> str:
    # This email and the tickets are made at the same time, so it promises, and does not report.
    if quantity == 1:
        return "Your ticket, with its QR code for the door, is on this page within minutes:"
    return (
        f"Your {quantity} tickets, each with its own QR code for the door, "
        "are on this page within minutes:"
    )
