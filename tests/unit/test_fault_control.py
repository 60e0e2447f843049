"""The faults over HTTP: seen and changed by another process, by whatever it sends."""

import io
import json
from urllib.parse import quote

import pytest

from local_stack.fault_control import FaultControl
from local_stack.lambda_service import FaultPlan, Subject, parse_fault

STATES = ("AcceptBooking", "Written", "SendEmail")
STORAGE = "Written[3]:error:always"
KIB_4 = 4096


class Caller:
    def __init__(self):
        self.plan = FaultPlan()
        self.control = FaultControl(self.plan)
        self.control.deployed(STATES, 0.02)

    def call(self, method, query="", body=b""):
        environ = {
            "REQUEST_METHOD": method,
            "QUERY_STRING": query,
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
        }
        started = []
        answer = b"".join(self.control(environ, lambda status, _: started.append(status)))
        return int(started[0].split()[0]), json.loads(answer)

    def add(self, fault, **more):
        return self.call("POST", body=json.dumps({"fault": fault} | more).encode())

    def in_force(self):
        return [(each["fault"], each["booking"]) for each in self.call("GET")[1]["faults"]]


@pytest.fixture
def caller():
    return Caller()


def test_it_tells_the_faults_the_states_and_the_time_scale(caller):
    caller.plan.add(parse_fault(STORAGE, STATES))
    assert caller.call("GET") == (
        200,
        {
            "faults": [{"fault": "Written[3]:error:always", "booking": None}],
            "states": ["AcceptBooking", "Written", "SendEmail"],
            "timeScale": 0.02,
        },
    )


def test_an_added_fault_strikes(caller):
    status, answer = caller.add(STORAGE)
    assert (status, answer["faults"]) == (200, [{"fault": STORAGE, "booking": None}])
    assert caller.plan.take("Written", Subject("bk_1", 3)) == "error"
    assert caller.plan.take("Written", Subject("bk_1", 2)) is None


def test_a_fault_of_one_booking_strikes_no_other(caller):
    caller.add(STORAGE, booking="bk_1")
    assert caller.in_force() == [(STORAGE, "bk_1")]
    assert caller.plan.take("Written", Subject("bk_2", 3)) is None
    assert caller.plan.take("Written", Subject("bk_1", 3)) == "error"


def test_the_very_same_is_not_added_twice_and_another_bookings_is(caller):
    for booking in (None, None, "bk_1", "bk_1"):
        caller.add(STORAGE, booking=booking)
    assert caller.in_force() == [(STORAGE, None), (STORAGE, "bk_1")]


def test_a_fault_that_has_struck_is_told_with_the_times_that_are_left(caller):
    caller.add("Written:crash:2")
    caller.plan.take("Written", Subject())
    assert caller.in_force() == [("Written:crash:1", None)]
    caller.plan.take("Written", Subject())
    assert caller.in_force() == []


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("", []),
        ("state=Written", [("SendEmail:ses-reject:1", None)]),
        (
            f"fault={quote(STORAGE)}",
            [("Written:error:1", None), ("SendEmail:ses-reject:1", None), (STORAGE, "bk_1")],
        ),
        (
            f"fault={quote(STORAGE)}&booking=bk_1",
            [(STORAGE, None), ("Written:error:1", None), ("SendEmail:ses-reject:1", None)],
        ),
    ],
)
def test_delete_lifts_what_it_names_and_all_where_it_names_nothing(caller, query, left):
    for fault in (STORAGE, "Written:error:1", "SendEmail:ses-reject:1"):
        caller.add(fault)
    caller.add(STORAGE, booking="bk_1")
    assert caller.call("DELETE", query)[0] == 200
    assert caller.in_force() == left


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("Wrote:error:1", "unknown state 'Wrote'"),
        ("Written[0]:error:1", "a whole number from 1"),
        ("Written:ses-reject:1", "only at SendEmail"),
        ("Written:error:", "for TIMES"),
        ("<script>", "not of the form"),
        (7, "is missing"),
        (None, "is missing"),
    ],
)
def test_a_fault_that_makes_no_sense_is_refused_with_the_sentence(caller, fault, sentence):
    status, answer = caller.add(fault)
    assert status == 400
    assert sentence in answer["message"]
    assert caller.in_force() == []


@pytest.mark.parametrize("booking", ["", 7, [], {"a": 1}, False])
def test_a_booking_that_is_no_id_is_refused(caller, booking):
    assert caller.add(STORAGE, booking=booking)[0] == 400
    assert caller.in_force() == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff", b"[" * KIB_4])
def test_a_body_that_is_no_json_object_is_refused(caller, body):
    assert caller.call("POST", body=body)[0] == 400


def test_a_body_over_4_kib_is_refused_and_one_of_4_kib_is_read(caller):
    body = json.dumps({"fault": STORAGE}).encode()
    assert caller.call("POST", body=body.ljust(KIB_4 + 1))[0] == 413
    assert caller.in_force() == []
    assert caller.call("POST", body=body.ljust(KIB_4))[0] == 200


@pytest.mark.parametrize("query", ["state=Wrote", "state=", "fault=", "all=1", "booking=bk_1",
                                   "state=Written&fault=x"])  # fmt: skip
def test_a_mistyped_delete_lifts_nothing(caller, query):
    caller.add(STORAGE)
    status, answer = caller.call("DELETE", query)
    assert status == 400
    assert answer["message"]
    assert caller.in_force() == [(STORAGE, None)]


def test_another_method_is_refused(caller):
    assert caller.call("PUT")[0] == 405


def test_it_says_that_the_stack_is_starting_until_it_is_deployed():
    caller = Caller()
    caller.control = FaultControl(caller.plan)
    status, answer = caller.add(STORAGE)
    assert (status, answer) == (503, {"message": "The local stack is still starting."})
    assert caller.plan.active() == ()
