"""What a holder is shown of their records, and what is never shown."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minitickets.domain.my_tickets import show_page
from minitickets.domain.page_position import Position, read_position, write_position


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


def shown(*records):
    """Booking ids, each with its status and its seats' statuses."""
    page = show_page("usr_1", Position(), records, more=False)
    return {b.booking_id: (b.status, [s.status for s in b.seats]) for b in page.bookings}


def test_a_booking_is_ready_when_every_seat_is():
    assert shown(record(), record(seat=2)) == {"bk_1": ("ready", ["ready", "ready"])}
    creating = record(seat=2, status="creating")
    assert shown(record(), creating) == {"bk_1": ("creating", ["ready", "creating"])}


def test_seats_without_a_record_are_listed_as_being_created():
    records = [record(seat=seat, quantity=4) for seat in (2, 4)]
    page = show_page("usr_1", Position(), records, more=False)
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
        {"quantity": True},
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
    page = show_page("usr_1", Position(), records, more=False)
    found = {b.booking_id: [s.status for s in b.seats] for b in page.bookings}
    assert found == {"bk_1": ["ready", "creating"], "bk_9": ["ready", "ready"]}
    assert page.unreadable == ["bk_1-00002"]


@pytest.mark.parametrize("name", sorted(record().keys() - {"ticketId", "venue", "timeZone"}))
def test_a_record_that_lacks_an_attribute_is_a_seat_being_created(name):
    page = show_page("usr_1", Position(), [record(), without(name, seat=2)], more=False)
    assert [s.status for s in page.bookings[0].seats] == ["ready", "creating"]
    assert page.unreadable == ["bk_1-00002"]


def test_the_facts_of_most_records_count():
    """A first record that somebody changed does not take the others down."""
    records = [record(seat=seat, quantity=3) for seat in (1, 2, 3)]
    records[0]["eventName"] = "Changed"
    page = show_page("usr_1", Position(), records, more=False)
    assert page.bookings[0].facts.event_name == "Gala"
    assert page.unreadable == ["bk_1-00001"]


def test_a_booking_is_shown_by_facts_alone_when_none_of_its_records_agrees():
    page = show_page(
        "usr_1", Position(), [record(imageKey="tickets/other.png", quantity=1)], more=False
    )
    (booking,) = page.bookings
    assert (booking.status, [s.status for s in booking.seats]) == ("creating", ["creating"])
    assert page.unreadable == ["bk_1-00001"]


def test_a_booking_without_facts_is_left_out_and_reported():
    page = show_page(
        "usr_1", Position(), [without("eventName"), record("bk_2", quantity=1)], more=False
    )
    assert [b.booking_id for b in page.bookings] == ["bk_2"]
    assert page.unreadable == ["bk_1-00001"]


@pytest.mark.parametrize("key", ["", "bk_1", "bk_1-1", "-00001", "bk_1-00001 ", "bk/1-00001", "é"])
def test_a_key_of_another_kind_is_reported_and_stops_nothing(key):
    page = show_page("usr_1", Position(), [record(ticketId=key), record(quantity=1)], more=False)
    assert [b.status for b in page.bookings] == ["ready"]
    assert page.unreadable == [key]


def test_a_seat_above_the_quantity_is_no_seat():
    page = show_page("usr_1", Position(), [record(), record(seat=2), record(seat=3)], more=False)
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
    page = show_page("usr_1", Position(), records, more=False)
    assert [b.booking_id for b in page.bookings] == ["bk_c", "bk_b", "bk_e", "bk_a", "bk_d"]


# ---- Pages


def pages(records, limit):
    """Every page of these records, as Queries of ``limit`` give them, who say there is more
    wherever the limit ends them, and as ``next`` hands on where they begin."""
    ordered = sorted(records, key=lambda r: r["ticketId"].encode())
    begin = Position()
    while True:
        left = [r for r in ordered if r["ticketId"] > begin.after]
        page = show_page("usr_1", begin, left[:limit], more=len(left) >= limit)
        yield page
        if page.next is None:
            return
        assert page.next.after > begin.after
        begin = read_position(write_position(page.next, "usr_1"), "usr_1")


def listed(records, limit):
    """Per booking its parts: each a status and the seats' numbers and statuses."""
    found, cut = {}, set()
    for page in pages(records, limit):
        assert page.unreadable == []
        cut |= {c.booking_id for c in page.next.cut} if page.next else set()
        for b in page.bookings:
            assert not (b.booking_id in cut and b.status == "ready")
            seats = [(s.seat_number, s.status) for s in b.seats]
            found.setdefault(b.booking_id, []).append((b.status, seats))
    return found


def test_a_page_that_is_not_the_last_leaves_its_last_booking_to_the_next():
    records = [record(), record(seat=2), record("bk_2"), record("bk_2", 2)]
    page = show_page("usr_1", Position(), records, more=True)
    assert [b.booking_id for b in page.bookings] == ["bk_1"]
    assert "bk_1-00002" <= page.next.after < "bk_2-00001"
    assert page.next.cut == ()


def test_the_last_page_has_no_next():
    assert show_page("usr_1", Position(), [record()], more=False).next is None
    assert show_page("usr_1", Position(), [], more=False) == ([], None, [])


def test_a_page_without_records_is_the_last_whatever_is_said():
    """Else who follows ``next`` would follow it for ever. What was cut is still listed."""
    first = show_page("usr_1", Position(), [record(quantity=3)], more=True)
    last = show_page("usr_1", first.next, [], more=True)
    assert last.next is None
    assert [s.seat_number for b in last.bookings for s in b.seats] == [2, 3]


def test_a_booking_that_a_page_cannot_hold_is_shown_in_parts_that_are_never_ready():
    records = [record(seat=seat, quantity=3) for seat in (1, 2, 3)]
    assert listed(records, 2) == {
        "bk_1": [("creating", [(1, "ready"), (2, "ready")]), ("creating", [(3, "ready")])]
    }


def test_a_part_lists_the_missing_seats_before_its_last_record_and_the_last_part_the_rest():
    records = [record(seat=seat, quantity=9) for seat in (2, 4, 7)]
    assert listed([*records, record("bk_2", quantity=1)], 2) == {
        "bk_1": [
            ("creating", [(1, "creating"), (2, "ready"), (3, "creating"), (4, "ready")]),
            ("creating", [(5, "creating"), (6, "creating"), (7, "ready"),
                          (8, "creating"), (9, "creating")]),
        ],
        "bk_2": [("ready", [(1, "ready")])],
    }  # fmt: skip


def test_a_part_behind_the_last_record_has_the_bookings_facts():
    records = [record(seat=seat, quantity=9) for seat in range(1, 5)]
    first, last = pages(records, 4)
    assert last.bookings[0].facts == first.bookings[0].facts
    assert [s.seat_number for s in last.bookings[0].seats] == [5, 6, 7, 8, 9]


@pytest.mark.parametrize("quantities", [[5, 5, 3, 3], [3, 3, 5, 5], [5, 5, 3, 5], [3, 3, 3, 5]])
def test_the_parts_of_a_booking_have_the_quantity_of_the_first(quantities):
    """Else seats were lost, or listed that the first part says there are not."""
    records = [record(seat=n, quantity=q) for n, q in enumerate(quantities, start=1)]
    first, *more = list(pages(records, 2))
    parts = [b for page in (first, *more) for b in page.bookings]
    assert {b.facts.quantity for b in parts} == {quantities[0]}
    assert {b.status for b in parts} == {"creating"}
    seats = [(s.seat_number, s.status) for b in parts for s in b.seats]
    agree = [n for n, q in enumerate(quantities, 1) if q == quantities[0] and n <= q]
    assert seats == [
        (n, "ready" if n in agree else "creating") for n in range(1, quantities[0] + 1)
    ]
    assert [key for page in more for key in page.unreadable] == [
        f"bk_1-{n:05d}" for n in (3, 4) if n not in agree
    ]


def test_a_later_part_counts_whatever_the_position_did_to_the_names():
    records = [record(seat=n, quantity=4, eventName="x" * 50_000) for n in (1, 2, 3, 4)]
    assert [s for _, part in listed(records, 2)["bk_1"] for s in part] == [
        (n, "ready") for n in (1, 2, 3, 4)
    ]


def test_a_booking_that_is_cut_is_not_ready_even_with_all_its_seats():
    """The next page's records may say that it has more."""
    page = show_page("usr_1", Position(), [record(), record(seat=2)], more=True)
    assert [c.booking_id for c in page.next.cut] == ["bk_1"]
    assert [(b.status, [s.status for s in b.seats]) for b in page.bookings] == [
        ("creating", ["ready", "ready"])
    ]


@pytest.mark.parametrize("key", ["\x00", "\x1f", "bk_1-00001\x01", "bk_1-\n00001", "a\x02b\x03"])
def test_a_key_with_a_control_character_ends_a_page_that_can_be_followed(key):
    tickets = [record(quantity=1), record("a", quantity=1), record("bk_2", quantity=1)]
    found = list(pages([*tickets, record(ticketId=key)], 1))
    ids = [s.ticket_id for page in found for b in page.bookings for s in b.seats]
    assert sorted(ids) == ["a-00001", "bk_1-00001", "bk_2-00001"]
    assert [one for page in found for one in page.unreadable] == [key]


def test_a_record_made_between_two_pages_does_not_list_its_booking_again():
    page = show_page("usr_1", Position(), [record(), record("bk_2")], more=True)
    assert [len(b.seats) for b in page.bookings] == [2]
    assert "bk_1-00002" <= page.next.after < "bk_2-00001"


@pytest.mark.parametrize("have", [range(1, 301), range(1, 501), range(200, 501), [500], [1]])
def test_a_big_booking_among_others_that_hardly_have_records_is_whole(have):
    """Thousands of seats without a record do not fit on its page, and are others'."""
    records = [record("a", seat, quantity=500) for seat in have]
    records += [record(f"b{n:02d}", quantity=500) for n in range(30)]
    found = listed(records, 1000)
    expected = [(n, "ready" if n in have else "creating") for n in range(1, 501)]
    assert found["a"] == [("ready" if len(have) == 500 else "creating", expected)]
    assert [len(parts) for parts in found.values()] == [1] * 31
    assert all(len(parts[0][1]) == 500 for parts in found.values())


def test_bookings_that_hardly_have_records_yet_do_not_swell_a_page():
    """200 bookings of 500 seats with a record each would be 100,000 seats."""
    records = [record(f"bk_{number:04d}", quantity=500) for number in range(200)]
    found = list(pages(records, 1000))
    assert max(sum(len(b.seats) for b in page.bookings) for page in found) <= 5000
    assert [b.booking_id for page in found for b in page.bookings] == [
        f"bk_{number:04d}" for number in range(200)
    ]


def test_nested_ids_keep_each_booking_whole():
    """Seats of a-00001 lie between the seats 1 and 2 of a: no booking is in one piece."""
    records = [record("a", seat, quantity=3) for seat in (1, 2, 3)]
    records += [record("a-00001", seat) for seat in (1, 2)]
    records += [record("b", seat) for seat in (1, 2)]
    for limit in (6, 7, 8):
        found = [(b.booking_id, b.status) for page in pages(records, limit) for b in page.bookings]
        assert sorted(found) == [("a", "ready"), ("a-00001", "ready"), ("b", "ready")]


@pytest.mark.parametrize("have", [[1], [1, 2], [1, 4], [2, 3]])
def test_only_the_booking_around_those_that_fill_a_page_is_cut(have):
    records = [record("a", seat, quantity=4) for seat in have]
    for name in ("a-00001", "a-000015"):
        records += [record(name, seat, quantity=500) for seat in range(1, 501)]
    found = listed(records, 1000)
    assert [seat for _, seats in found.pop("a") for seat in seats] == [
        (n, "ready" if n in have else "creating") for n in (1, 2, 3, 4)
    ]
    assert found == {
        name: [("ready", [(n, "ready") for n in range(1, 501)])] for name in ("a-00001", "a-000015")
    }


IDS = st.sampled_from(["a", "a-0", "a-00", "a-00001", "a-00001-00001", "a-00001x", "a-000015",
                       "a-00002", "a-00003-00001", "a_", "aa", "B", "b-00500"]
                      + [f"big{n:02d}" for n in range(12)])  # fmt: skip
SEATS = st.one_of(st.integers(1, 5), st.just(500))


@st.composite
def some_bookings(draw):
    """Booking ids, each with its quantity and the seats that have a record."""
    quantities = draw(st.dictionaries(IDS, SEATS, max_size=14))
    return {
        name: (quantity, draw(st.sets(st.integers(1, quantity), min_size=1, max_size=12)))
        for name, quantity in quantities.items()
    }


@settings(max_examples=150, deadline=None)
@given(some_bookings(), st.one_of(st.integers(1, 20), st.just(1000)))
def test_over_all_pages_each_seat_is_listed_once_and_whatever_fits_a_page_is_whole(bookings, limit):
    records = [
        record(name, seat, quantity=quantity)
        for name, (quantity, have) in bookings.items()
        for seat in have
    ]
    found = listed(records, limit)
    keys = sorted(r["ticketId"] for r in records)
    assert found.keys() == bookings.keys()
    for name, (quantity, have) in bookings.items():
        parts = found[name]
        assert [seat for _, seats in parts for seat in seats] == [
            (n, "ready" if n in have else "creating") for n in range(1, quantity + 1)
        ]
        status = "ready" if len(have) == quantity else "creating"
        first, last = f"{name}-{min(have):05d}", f"{name}-00500"
        within = [key for key in keys if first <= key <= last]
        seats = sum(bookings[b][0] for b in {key[:-6] for key in within})
        # One record more tells that the booking has ended.
        if len(within) < limit and seats <= 5000:
            assert [part[0] for part in parts] == [status]


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(IDS, st.integers(1, 5), max_size=8), st.integers(1, 12))
def test_whatever_the_ids_each_seat_with_a_record_is_ready(bookings, limit):
    records = [
        record(name, seat, quantity=quantity)
        for name, quantity in bookings.items()
        for seat in range(1, quantity + 1)
    ]
    found = [
        (s.ticket_id, s.status) for p in pages(records, limit) for b in p.bookings for s in b.seats
    ]
    assert sorted(found) == sorted((r["ticketId"], "ready") for r in records)


def test_pages_go_forward():
    records = [record(f"bk_{n:03d}", seat) for n in range(40) for seat in (1, 2)]
    *ends, last = [page.next for page in pages(records, 10)]
    assert all(a.after < b.after for a, b in pairwise(ends))
    assert last is None
