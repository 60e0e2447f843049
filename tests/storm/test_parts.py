"""Parts of the storm that need something real: an image, a worker."""

import io

import pytest
from PIL import Image

from fixtures.lambda_service import call, spec
from local_stack.lambda_service import LambdaService
from minitickets.drawing.ticket_image import TicketFace, draw_ticket
from storming.collecting import decoded

PAYLOAD = "MT1.bk_1-00001." + "A" * 26


def ticket_image():
    face = TicketFace(
        event_name="Winter Gala", date_text="Thursday 24 December 2026", time_text="19:30 CET",
        venue=None, seat_number=1, quantity=1, ticket_id="bk_1-00001", qr_payload=PAYLOAD,
    )  # fmt: skip
    return draw_ticket(face).png


def blank():
    png = io.BytesIO()
    Image.new("L", (300, 300), 255).save(png, "PNG")
    return png.getvalue()


def test_a_tickets_image_says_what_its_code_holds_and_a_blank_one_nothing():
    assert decoded(ticket_image()) == PAYLOAD
    assert decoded(blank()) is None


def test_an_image_with_two_codes_says_nothing():
    one = Image.open(io.BytesIO(ticket_image()))
    both = Image.new("RGB", (one.width * 2, one.height))
    both.paste(one, (0, 0))
    both.paste(one, (one.width, 0))
    png = io.BytesIO()
    both.save(png, "PNG")
    assert decoded(png.getvalue()) is None


@pytest.fixture
def service(tmp_path):
    functions = [spec("well_behaved.echo"), spec("well_behaved.echo", name="idle")]
    with LambdaService(functions, log_dir=tmp_path, workers_per_function=1) as service:
        yield service


def test_a_killed_worker_is_replaced_by_the_next_call(service):
    first = call(service)["pid"]
    assert service.kill_worker("f", 5)
    met = service.invoke("f", b"1")  # it may meet the dying worker, and fails as in a crash
    assert met.function_error is None or b"Runtime.ExitError" in met.payload
    assert call(service)["pid"] != first


def test_a_function_without_workers_has_none_to_kill(service):
    assert not service.kill_worker("idle", 0)
