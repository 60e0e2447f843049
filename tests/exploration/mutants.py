"""Faults to be planted: the order or the condition that a guarantee rests on is taken away."""

import json
from typing import Any

from exploration.system import System

Fields = dict[str, Any]


def mark_before_write(system: System) -> None:
    write, mark = (system.modules[name] for name in ("write_ticket_image", "mark_ticket_ready"))
    write_only = write.handler

    def handler(event: Fields, context: object) -> Fields:
        ticket = write.read_reserved(write.TICKETS, "usr", "bk", event["seatNumber"])
        mark.handler(event | {"createdAt": ticket.created_at}, context)
        return dict(write_only(event, context))

    write.handler = handler


def reservation_without_condition(system: System) -> None:
    table = system.modules["reserve_ticket"].TICKETS
    unused = "ReturnValuesOnConditionCheckFailure"
    _drop(table._dynamodb, "dynamodb.PutItem", "ConditionExpression", unused)


def token_made_at_write(system: System) -> None:
    write = system.modules["write_ticket_image"]
    new_token, read_reserved = system.modules["reserve_ticket"].new_token, write.read_reserved

    def read_and_make_token(*args: Any) -> Any:
        ticket, token = read_reserved(*args), new_token()
        write.TICKETS._dynamodb.update_item(
            TableName=system.aws.tickets,
            Key={"userId": {"S": "usr"}, "ticketId": {"S": ticket.ticket_id}},
            UpdateExpression="SET #token = :token",
            ExpressionAttributeNames={"#token": "token"},
            ExpressionAttributeValues={":token": {"S": token}},
        )
        return ticket._replace(token=token)

    write.read_reserved = read_and_make_token


def record_before_send(system: System) -> None:
    send, record_sent = (
        system.modules["send_email"],
        system.modules["record_email_job"].record_sent,
    )
    send_once = send.send_once

    def record_then_send(jobs: Any, booking: str, owner: Any, send: Any, **rest: Any) -> Any:
        def recorded_send() -> Any:
            record_sent(jobs, booking, owner.execution, "unknown", rest["clock"]())
            return send()

        return send_once(jobs, booking, owner=owner, send=recorded_send, **rest)

    send.send_once = record_then_send


def no_lease(system: System) -> None:
    system.modules["send_email"].JOBS.lease = lambda *_: None


def update_without_exists(system: System) -> None:
    client = system.modules["mark_ticket_ready"].TICKETS._dynamodb

    def change(params: Fields, **_: Any) -> None:
        del params["ConditionExpression"]
        for unused in (":booking", ":created"):
            del params["ExpressionAttributeValues"][unused]

    client.meta.events.register("before-parameter-build.dynamodb.UpdateItem", change)


def image_put_without_condition(system: System) -> None:
    _drop(system.modules["write_ticket_image"].IMAGES._s3, "s3.PutObject", "IfNoneMatch")


def lease_of_the_execution(system: System) -> None:
    """As if a redrive were the same run: it takes over what the stopped step still holds."""
    send = system.modules["send_email"]
    handle = send.handler
    send.handler = lambda event, context: handle(event | {"redriveCount": 0}, context)


def email_not_recorded(system: System) -> None:
    system.modules["record_email_job"].JOBS.record_sent = lambda *_: None


def lease_over_what_is_done(system: System) -> None:
    client = system.modules["send_email"].JOBS._dynamodb

    def change(params: Fields, **_: Any) -> None:
        del params["ConditionExpression"], params["ReturnValuesOnConditionCheckFailure"]
        del params["ExpressionAttributeValues"], params["ExpressionAttributeNames"]

    client.meta.events.register("before-parameter-build.dynamodb.PutItem", change)


def no_last_look_at_the_clock(system: System) -> None:
    send = system.modules["send_email"]
    send_once = send.send_once

    def send_by_a_clock_that_stands(*args: Any, **rest: Any) -> Any:
        now = rest["clock"]()
        return send_once(*args, **rest | {"clock": lambda: now})

    send.send_once = send_by_a_clock_that_stands


def claim_without_condition(system: System) -> None:
    table = system.modules["accept_booking"].JOBS
    unused = "ReturnValuesOnConditionCheckFailure"
    _drop(table._dynamodb, "dynamodb.PutItem", "ConditionExpression", unused)


def later_names_kept(system: System) -> None:
    """As if the first message's names and venue were not those of the whole booking."""
    accept = system.modules["accept_booking"]
    accept_only = accept.accept

    def accept_anew(jobs: Any, booking: Any, *rest: Any) -> Any:
        accept_only(jobs, booking, *rest)
        return booking

    accept.accept = accept_anew


def email_to_somebody_else(system: System) -> None:
    mailer = system.modules["send_email"].MAILER
    send = mailer.send
    mailer.send = lambda _, *rest: send("ann@example.com", *rest)


def every_seat_called_new(system: System) -> None:
    reserve = system.modules["reserve_ticket"]
    reserve_only = reserve.reserve
    reserve.reserve = lambda *args: reserve_only(*args)._replace(status="creating")


def token_in_the_email(system: System) -> None:
    """As if SendEmail could know it."""
    send = system.modules["send_email"]
    write = send.write_confirmation
    send.write_confirmation = lambda booking, url: write(booking, f"{url}/{min(system.tokens)}")


def token_in_the_log(system: System) -> None:
    write = system.modules["write_ticket_image"]
    face = write.face

    def told(ticket: Any) -> Any:
        write.logger.info("drawing", ticket=json.dumps(ticket.token))
        return face(ticket)

    write.face = told


def _drop(client: Any, operation: str, *fields: str) -> None:
    def change(params: Fields, **_: Any) -> None:
        for field in fields:
            params.pop(field, None)

    client.meta.events.register(f"before-parameter-build.{operation}", change)
