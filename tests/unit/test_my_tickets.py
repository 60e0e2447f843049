"""What a holder is shown of their records, and what is never shown."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minitickets.domain.my_tickets import show_page


def record(booking="bk_1", seat=1, **changes):
    """A ready ticket of usr_1, written out as the table has it."""
    key = f"{booking}-{seat:05d}"
    return {
        "userId": "usr_1",
        "ticketId": key,
        "bookingId": booking,
        "seatNumber": seat,
        "quantity": 2,
        "eventId": "evt_1",
        "eventName": "Gala",
        "venue": "Tempodrom",
        "startsAt": "2027-03-01T20:00:00+01:00",
        "timeZone": "Europe/Berlin",
        "imageKey": f"tickets/{booking}/{key}.png",
        "status": "ready",
    } | changes


def without(name, **changes):
    return {key: value for key, value in record(**changes).items() if key != name}


def shown(*records, user="usr_1", after="", more=False):
    """Booking ids, each with its status and its seats' statuses."""
    page = show_page(user, after, records, more)
    return {b.booking_id: (b.status, [s.status for s in b.seats]) for b in page.bookings}


def test_a_booking_is_ready_when_every_seat_is():
    assert shown(record(), record(seat=2)) == {"bk_1": ("ready", ["ready", "ready"])}
    creating = record(seat=2, status="creating")
    assert shown(record(), creating) == {"bk_1": ("creating", ["ready", "creating"])}


def test_seats_without_a_record_are_listed_as_being_created():
    records = [record(seat=seat, quantity=4) for seat in (2, 4)]
    page = show_page("usr_1", "", records, more=False)
    (booking,) = page.bookings
    assert booking.status == "creating"
    assert [(s.ticket_id, s.seat_number, s.status) for s in booking.seats] == [
        ("bk_1-00001", 1, "creating"),
        ("bk_1-00002", 2, "ready"),
        ("bk_1-00003", 3, "creating"),
        ("bk_1-00004", 4, "ready"),
    ]
    assert page.unreadable == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"userId": "usr_2"},
        {"userId": "USR_1"},
        {"bookingId": "bk_2"},
        {"seatNumber": 1},
        {"seatNumber": "2"},
        {"imageKey": "tickets/bk_2/bk_2-00002.png"},
        {"imageKey": "tickets/bk_1/bk_1-00001.png"},
        {"status": "READY"},
        {"status": "written"},
        {"quantity": 0},
        {"quantity": 501},
        {"quantity": "2"},
        {"quantity": 3},
        {"eventName": ""},
        {"eventName": 7},
        {"eventName": "Another"},
        {"eventId": "evt_2"},
        {"venue": 7},
        {"venue": "Elsewhere"},
        {"startsAt": "tomorrow"},
        {"startsAt": "2027-03-02T20:00:00+01:00"},
        {"timeZone": "Europe/Nowhere"},
        {"timeZone": 1},
    ],
    ids=str,
)
def test_a_record_that_does_not_agree_is_a_seat_being_created_and_stops_nothing_else(wrong):
    records = [record(), record(seat=2, **wrong), record(booking="bk_9"), record("bk_9", 2)]
    page = show_page("usr_1", "", records, more=False)
    found = {b.booking_id: [s.status for s in b.seats] for b in page.bookings}
    assert found == {"bk_1": ["ready", "creating"], "bk_9": ["ready", "ready"]}
    assert page.unreadable == ["bk_1-00002"]


@pytest.mark.parametrize("name", sorted(record().keys() - {"ticketId", "venue", "timeZone"}))
def test_a_record_that_lacks_an_attribute_is_a_seat_being_created(name):
    page = show_page("usr_1", "", [record(), without(name, seat=2)], more=False)
    assert [s.status for s in page.bookings[0].seats] == ["ready", "creating"]
    assert page.unreadable == ["bk_1-00002"]


def test_the_facts_of_most_records_count():
    """A first record that somebody changed does not take the others down."""
    records = [record(seat=seat, quantity=3) for seat in (1, 2, 3)]
    records[0]["eventName"] = "Changed"
    page = show_page("usr_1", "", records, more=False)
    assert page.bookings[0].facts.event_name == "Gala"
    assert page.unreadable == ["bk_1-00001"]


def test_a_booking_is_shown_by_facts_alone_when_none_of_its_records_agrees():
    page = show_page("usr_1", "", [record(imageKey="tickets/other.png", quantity=1)], more=False)
    (booking,) = page.bookings
    assert (booking.status, [s.status for s in booking.seats]) == ("creating", ["creating"])
    assert page.unreadable == ["bk_1-00001"]


def test_a_booking_without_facts_is_left_out_and_reported():
    page = show_page("usr_1", "", [without("eventName"), record("bk_2", quantity=1)], more=False)
    assert [b.booking_id for b in page.bookings] == ["bk_2"]
    assert page.unreadable == ["bk_1-00001"]


@pytest.mark.parametrize("key", ["", "bk_1", "bk_1-1", "-00001", "bk_1-00001 ", "bk/1-00001", "é"])
def test_a_key_of_another_kind_is_reported_and_stops_nothing(key):
    page = show_page("usr_1", "", [record(ticketId=key), record(quantity=1)], more=False)
    assert [b.status for b in page.bookings] == ["ready"]
    assert page.unreadable == [key]


def test_a_seat_above_the_quantity_is_no_seat():
    page = show_page("usr_1", "", [record(), record(seat=2), record(seat=3)], more=False)
    assert [s.seat_number for s in page.bookings[0].seats] == [1, 2]
    assert page.unreadable == ["bk_1-00003"]


def test_the_newest_event_comes_first_by_its_instant():
    starts = {
        "bk_a": "2027-03-01T20:00:00+01:00",
        "bk_b": "2027-03-01T19:30:00Z",  # half an hour later
        "bk_c": "2027-03-01T19:30:00.5Z",  # half a second later
        "bk_d": "2026-12-31T23:00:00-09:00",
        "bk_e": "2027-03-01T20:30:00+01:00",  # the instant of bk_b
    }
    records = [record(name, startsAt=text, quantity=1) for name, text in starts.items()]
    page = show_page("usr_1", "", records, more=False)
    assert [b.booking_id for b in page.bookings] == ["bk_c", "bk_b", "bk_e", "bk_a", "bk_d"]


# ---- Pages


def test_a_page_that_is_not_the_last_leaves_its_last_booking_to_the_next():
    records = [record(), record(seat=2), record("bk_2"), record("bk_2", 2)]
    page = show_page("usr_1", "", records, more=True)
    assert [b.booking_id for b in page.bookings] == ["bk_1"]
    assert page.ends_at == "bk_1-00002"


def test_the_last_page_has_no_end():
    assert show_page("usr_1", "", [record()], more=False).ends_at is None
    assert show_page("usr_1", "", [], more=False).bookings == []


def test_a_booking_that_fills_a_page_is_shown_in_parts_that_are_never_ready():
    first = [record(seat=seat, quantity=3) for seat in (1, 2)]
    assert shown(*first, more=True) == {"bk_1": ("creating", ["ready", "ready"])}
    assert show_page("usr_1", "", first, more=True).ends_at == "bk_1-00002"
    last = [record(seat=3, quantity=3)]
    assert shown(*last, after="bk_1-00002") == {"bk_1": ("creating", ["ready"])}


def test_bookings_that_hardly_have_records_yet_do_not_swell_a_page():
    """A thousand bookings of 500 seats with a record each would be half a million seats."""
    records = [record(f"bk_{number:04d}", quantity=500) for number in range(1000)]
    seen: list[str] = []
    after = ""
    while True:
        page = show_page("usr_1", after, [r for r in records if r["ticketId"] > after], more=False)
        assert sum(len(b.seats) for b in page.bookings) <= 5000
        seen += [b.booking_id for b in page.bookings]
        if page.ends_at is None:
            break
        after = page.ends_at
    assert sorted(seen) == [f"bk_{number:04d}" for number in range(1000)]


def pages(records, limit):
    """Every page of these records, as Queries of ``limit`` give them."""
    ordered = sorted(records, key=lambda r: r["ticketId"].encode())
    after = ""
    while True:
        left = [r for r in ordered if r["ticketId"] > after]
        page = show_page("usr_1", after, left[:limit], more=len(left) > limit)
        yield page
        if page.ends_at is None:
            return
        assert page.ends_at > after
        after = page.ends_at


def test_nested_ids_keep_each_booking_whole():
    """Seats of a-00001 lie between the seats 1 and 2 of a: no booking is in one piece."""
    records = [record("a", seat, quantity=3) for seat in (1, 2, 3)]
    records += [record("a-00001", seat) for seat in (1, 2)]
    records += [record("b", seat) for seat in (1, 2)]
    for limit in (6, 7, 8):
        found = [(b.booking_id, b.status) for page in pages(records, limit) for b in page.bookings]
        assert sorted(found) == [("a", "ready"), ("a-00001", "ready"), ("b", "ready")]


IDS = st.sampled_from(["a", "a-0", "a-00", "a-00001", "a-00001-00001", "a-00001x", "a-000015",
                       "a-00002", "a-00003-00001", "a_", "aa", "B", "b-00500"])  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(IDS, st.integers(1, 5), max_size=8), st.integers(1, 12))
def test_whatever_the_ids_each_seat_is_shown_once_and_ready(bookings, limit):
    records = [
        record(name, seat, quantity=quantity)
        for name, quantity in bookings.items()
        for seat in range(1, quantity + 1)
    ]
    found = [
        (s.ticket_id, s.status) for p in pages(records, limit) for b in p.bookings for s in b.seats
    ]
    assert sorted(found) == sorted((r["ticketId"], "ready") for r in records)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 5), max_size=8), st.integers(6, 12), st.randoms())
def test_a_page_longer_than_a_booking_shows_bookings_whole_whatever_records_lack(
    quantities, limit, random
):
    """Ids that do not nest, as publishers mint them."""
    expected, records = {}, []
    for number, quantity in enumerate(quantities):
        seats = sorted(random.sample(range(1, quantity + 1), random.randint(1, quantity)))
        expected[f"bk_{number}"] = [
            "ready" if n in seats else "creating" for n in range(1, quantity + 1)
        ]
        records += [record(f"bk_{number}", seat, quantity=quantity) for seat in seats]
    found = [(b.booking_id, [s.status for s in b.seats]) for p in pages(records, limit)
             for b in p.bookings]  # fmt: skip
    assert len(found) == len(expected)
    assert dict(found) == expected


def test_pages_go_forward():
    records = [record(f"bk_{n:03d}", seat) for n in range(40) for seat in (1, 2)]
    ends = [page.ends_at for page in pages(records, 10)]
    assert all(a < b for a, b in pairwise(ends[:-1]))
    assert ends[-1] is None
