"""scripts/deploy from its arguments to its exit code, in an account in memory."""

import json
from io import StringIO
from pathlib import Path

import click
import pytest
from rich.console import Console

from deployment import cli, deploying
from deployment.artifact import Artifact, Wheel
from fixtures.aws_account import NOW
from fixtures.deployment import Cloud, change, event
from operations.screen import Screen
from sam_template import load_sam

NEW = ("--email-from", "tickets@shop.com", "--email-identity", "shop.com",
       "--my-tickets-url", "https://shop.com/tickets")  # fmt: skip
SAM = load_sam(cli.TEMPLATE)
CODE = change("Modify", "AcceptBookingFunction", "AWS::Lambda::Function", Replacement="False")
LOSS = change("Modify", "TicketsTable", "AWS::DynamoDB::Table", Replacement="True",
              PolicyAction="ReplaceAndRetain")  # fmt: skip


class Deployment:
    """The command, with artifacts that were built already and checks that find nothing."""

    def __init__(self) -> None:
        self.cloud = Cloud()
        self.cloud.cloudformation.pages = [{"Status": "CREATE_COMPLETE", "Changes": [CODE]}]
        self.written = StringIO()
        self.made = 0
        self.terminal = True

    def __call__(self, *arguments: str) -> int:
        console = Console(file=self.written, width=200, highlight=False, markup=False)
        return cli.main(
            arguments, self.cloud.connect, Screen(False, console, console), lambda: self.terminal
        )

    @property
    def said(self) -> str:
        return " ".join(self.written.getvalue().split())

    @property
    def calls(self) -> list[str]:
        return self.cloud.cloudformation.calls

    def make(self, _screen: object, sam: dict, folder: Path) -> list[Artifact]:
        self.made += 1
        path = folder / "some.zip"
        path.write_bytes(b"a zip")
        names = [n for n, r in sam["Resources"].items() if r["Type"] == "AWS::Serverless::Function"]
        return [
            Artifact(n, path, "d1" * 32, 5, (Wheel("w", "1", ("py3-none-any",)),)) for n in names
        ]

    def fulfils(self, status: str = "SUCCEEDED", ready: int = 1, email: bool = True) -> None:
        """What becomes of the smoke test's booking."""
        cloud = self.cloud

        def fulfil(body: str) -> None:
            booking = json.loads(body)["bookingId"]
            arn = cloud.stepfunctions.add(booking, status)
            cloud.tables.claim(booking, arn, quantity=1, userId={"S": "smoke-test"})
            cloud.tables.ready[booking] = ready
            if email:
                cloud.tables.email(booking, arn, NOW)

        cloud.on_publish = fulfil


@pytest.fixture
def deployment(monkeypatch: pytest.MonkeyPatch) -> Deployment:
    made = Deployment()
    monkeypatch.setattr(cli, "load_sam", lambda _: SAM)
    for module in (cli, deploying):
        monkeypatch.setattr(module, "make", made.make)
        monkeypatch.setattr(module, "check", lambda _: None)
    made.fulfils()
    return made


@pytest.fixture
def deployed(deployment: Deployment) -> Deployment:
    """A stage that is there."""
    deployment.cloud.cloudformation.deployed(
        Stage="dev", EmailFrom="tickets@shop.com", EmailIdentity="shop.com",
        MyTicketsUrl="https://shop.com/tickets", AlarmEmail="", ComputeEnabled="true", Gone="x",
    )  # fmt: skip
    return deployment


# ---- From start to end


def test_a_new_stage_is_created_after_a_yes_and_tried_with_one_booking(deployment):
    cloudformation = deployment.cloud.cloudformation
    cloudformation.outcome = [event(2, "CREATE_IN_PROGRESS"), event(3, "CREATE_COMPLETE")]
    deployment.cloud.answers = [True]

    assert deployment(*NEW) == 0, deployment.said

    assert deployment.calls == ["CreateChangeSet", "ExecuteChangeSet"]
    given = {p["ParameterKey"]: p["ParameterValue"] for p in cloudformation.asked["Parameters"]}
    assert given["EmailFrom"] == "tickets@shop.com"
    assert given["Stage"] == "dev"
    assert len(deployment.cloud.published) == 1
    assert "its ticket is ready and its email sent" in deployment.said


def test_what_is_not_given_stays_and_what_the_template_no_longer_has_is_not_sent(deployed):
    assert deployed("--yes") == 0, deployed.said
    sent = deployed.cloud.cloudformation.asked["Parameters"]
    kept = {p["ParameterKey"] for p in sent if p.get("UsePreviousValue")}
    assert {"EmailFrom", "EmailIdentity", "MyTicketsUrl"} <= kept
    assert "Gone" not in {p["ParameterKey"] for p in sent}


def test_the_changes_are_shown_before_the_question(deployed):
    deployed.cloud.answers = [False]
    deployed()
    assert "AcceptBookingFunction is changed in place AWS::Lambda::Function" in deployed.said
    assert deployed.cloud.questions == ["Make this change to minitickets-dev?"]


def test_in_the_end_it_tells_the_stacks_outputs(deployed):
    assert deployed("--yes") == 0
    assert "BookingQueueUrl: https://queue" in deployed.said


def test_code_and_template_go_to_the_artifact_bucket_once(deployed):
    assert deployed("--yes") == 0
    stored = dict(deployed.cloud.s3.objects)
    assert {key.split("/")[0] for key in stored} == {"functions", "templates"}
    (template,) = [body for key, body in stored.items() if key.startswith("templates/")]
    assert f'"S3Key":"functions/{"d1" * 32}.zip"' in template.decode()
    assert '"S3Bucket":"the-artifacts"' in template.decode()
    deployed.cloud.cloudformation.deployed(EmailFrom="a@shop.com", EmailIdentity="shop.com",
                                           MyTicketsUrl="https://shop.com")  # fmt: skip
    assert deployed("--yes") == 0
    assert "0 of 1 artifacts are new" in deployed.said
    assert deployed.cloud.s3.objects == stored


def test_nothing_changed_is_said_and_is_no_failure(deployed):
    reason = "The submitted information didn't contain changes."
    deployed.cloud.cloudformation.pages = [{"Status": "FAILED", "StatusReason": reason}]
    assert deployed() == 0
    assert "Nothing has changed" in deployed.said
    assert deployed.calls == ["CreateChangeSet", "DeleteChangeSet"]
    assert deployed.cloud.published == []


# ---- It asks, and no is no


def test_after_a_no_the_stage_is_as_it_was(deployed):
    deployed.cloud.answers = [False]
    assert deployed() == 1
    assert deployed.calls == ["CreateChangeSet", "DeleteChangeSet"]


def test_after_a_no_a_new_stage_is_not_there_either(deployment):
    deployment.cloud.answers = [False]
    assert deployment(*NEW) == 1
    assert deployment.calls == ["CreateChangeSet", "DeleteChangeSet", "DeleteStack"]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, click.Abort])
def test_ctrl_c_at_the_question_leaves_no_change_set(deployment, monkeypatch, interruption):
    def interrupted(_: object, __: str) -> bool:
        raise interruption

    monkeypatch.setattr(Cloud, "_answer", interrupted)
    assert deployment(*NEW) == 130
    assert deployment.calls == ["CreateChangeSet", "DeleteChangeSet", "DeleteStack"]


def test_ctrl_c_while_the_change_set_is_made_leaves_none(deployment, monkeypatch):
    def interrupted(_: object, __: float) -> None:
        raise KeyboardInterrupt

    deployment.cloud.cloudformation.pages = [{"Status": "CREATE_IN_PROGRESS"}]
    monkeypatch.setattr(Cloud, "_sleep", interrupted)
    assert deployment(*NEW) == 130
    assert deployment.calls == ["CreateChangeSet", "DeleteChangeSet", "DeleteStack"]


def test_ctrl_c_during_the_change_says_that_cloudformation_goes_on(deployed):
    def interrupted() -> None:
        raise KeyboardInterrupt

    deployed.cloud.cloudformation.on_execute = interrupted
    assert deployed("--yes") == 130
    assert "CloudFormation goes on" in deployed.said
    assert "DeleteChangeSet" not in deployed.calls


def test_without_a_terminal_and_without_yes_nothing_is_begun(deployed, capsys):
    deployed.terminal = False
    assert deployed() == 2
    assert deployed.made == 0
    assert "--yes" in capsys.readouterr().err


def test_yes_asks_nothing(deployed):
    deployed.terminal = False
    assert deployed("--yes") == 0
    assert deployed.cloud.questions == []


def test_a_missing_artifact_bucket_is_asked_for_and_not_made_after_a_no(deployed):
    del deployed.cloud.cloudformation.stacks["minitickets-artifacts"]
    deployed.cloud.answers = [False]
    assert deployed() == 1
    assert deployed.calls == []
    assert deployed.cloud.s3.objects == {}


def test_a_bucket_of_ones_own_needs_none_to_be_made(deployed):
    del deployed.cloud.cloudformation.stacks["minitickets-artifacts"]
    assert deployed("--yes", "--bucket", "mine") == 0
    assert "/mine/templates/" in deployed.cloud.cloudformation.asked["TemplateURL"]


# ---- After a stage was deleted


def stored_template(deployment: Deployment) -> dict:
    objects = deployment.cloud.s3.objects
    (text,) = [body for key, body in objects.items() if key.startswith("templates/")]
    return json.loads(text)


def test_what_a_deleted_stage_left_is_taken_back_by_its_written_out_name(deployment):
    # A Ref or Sub in the name would make CloudFormation create it, and fail: it is there.
    deployment.cloud.cloudformation.outcome = [event(2, "CREATE_COMPLETE")]
    assert deployment(*NEW, "--yes", "--adopt", "--stage", "qa") == 0, deployment.said
    assert deployment.cloud.cloudformation.asked["ImportExistingResources"] is True
    resources = stored_template(deployment)["Resources"]
    assert resources["TicketsTable"]["Properties"]["TableName"] == "minitickets-qa-tickets"
    assert resources["TicketImagesBucket"]["Properties"]["BucketName"] == (
        "minitickets-qa-tickets-123456789012-eu-west-1"
    )
    retained = [each for each in resources.values() if "DeletionPolicy" in each]
    # RetainExceptOnCreate would delete what a failing first operation has made.
    assert {each["DeletionPolicy"] for each in retained} == {"Retain"}
    for each in retained:
        names = [v for k, v in each["Properties"].items() if k in ("TableName", "BucketName")]
        assert [type(name) for name in names] == [str]


def test_nothing_is_taken_over_unless_it_is_asked_for(deployed):
    assert deployed("--yes") == 0
    assert deployed.cloud.cloudformation.asked["ImportExistingResources"] is False
    name = stored_template(deployed)["Resources"]["TicketsTable"]["Properties"]["TableName"]
    assert name == {"Fn::Sub": "minitickets-${Stage}-tickets"}


# ---- What is refused


def test_losing_something_stateful_is_refused_even_with_yes(deployed):
    deployed.cloud.cloudformation.pages = [{"Status": "CREATE_COMPLETE", "Changes": [CODE, LOSS]}]
    assert deployed("--yes") == 1
    assert deployed.calls == ["CreateChangeSet", "DeleteChangeSet"]
    assert "TicketsTable is REPLACED" in deployed.said
    assert "--allow-loss TicketsTable" in deployed.said


def test_it_is_done_when_it_is_named(deployed):
    deployed.cloud.cloudformation.pages = [{"Status": "CREATE_COMPLETE", "Changes": [LOSS]}]
    assert deployed("--yes", "--allow-loss", "TicketsTable") == 0


@pytest.mark.parametrize("status", ["RUNNING", "PENDING_REDRIVE"])
def test_compute_is_not_switched_off_under_executions_that_run(deployed, status):
    deployed.cloud.stepfunctions.add("bk_under_way", status)
    assert deployed("--yes", "--compute", "off") == 1
    assert deployed.calls == []
    assert deployed.made == 0
    assert "would fail without their functions: run-of-bk_under_way." in deployed.said


def test_of_very_many_that_run_some_are_named(deployed):
    for number in range(30):
        deployed.cloud.stepfunctions.add(f"bk_{number}", "RUNNING")
    assert deployed("--yes", "--compute", "off") == 1
    assert deployed.said.count("run-of-bk_") == 10
    assert "and more" in deployed.said
    assert deployed.cloud.stepfunctions.calls["ListExecutions"] < 3


def test_nor_under_one_that_began_while_the_question_was_open(deployed, monkeypatch):
    def answer(cloud: Cloud, _: str) -> bool:
        cloud.stepfunctions.add("bk_late", "RUNNING")
        return True

    monkeypatch.setattr(Cloud, "_answer", answer)
    assert deployed("--compute", "off") == 1
    assert deployed.calls == ["CreateChangeSet", "DeleteChangeSet"]


def test_switched_off_nothing_is_tried(deployed):
    deployed.cloud.stepfunctions.add("bk_done", "SUCCEEDED")
    deployed.cloud.stepfunctions.add("bk_failed", "FAILED")
    assert deployed("--yes", "--compute", "off") == 0, deployed.said
    sent = {
        p["ParameterKey"]: p.get("ParameterValue")
        for p in deployed.cloud.cloudformation.asked["Parameters"]
    }
    assert sent["ComputeEnabled"] == "false"
    assert deployed.cloud.published == []


@pytest.mark.parametrize("arguments", [
    ("--email-form", "a@b.com"),
    ("--stage", "Not A Stage"),
    ("--compute", "maybe"),
    ("--email-from", "nobody"),
])  # fmt: skip
def test_what_the_template_does_not_take_is_bad_usage(deployment, arguments, capsys):
    assert deployment(*NEW, *arguments) == 2
    assert deployment.calls == []
    assert arguments[0] in capsys.readouterr().err


def test_a_new_stage_without_a_sender_is_bad_usage(deployment, capsys):
    assert deployment() == 2
    assert "--email-from" in capsys.readouterr().err
    assert deployment.made == 0


# ---- When it fails


@pytest.mark.parametrize(
    "given", [("--jwt-issuer", "https://idp.example"), ("--jwt-audience", "shop")]
)
def test_half_of_who_signs_in_is_bad_usage_and_a_rehearsal_says_so(deployed, given, capsys):
    assert deployed(*given) == 2
    assert "--jwt-issuer and --jwt-audience go together" in capsys.readouterr().err
    assert deployed("--dry-run", *given) == 0
    assert "--jwt-issuer and --jwt-audience" in deployed.said


def test_a_failed_deployment_names_what_failed_and_why(deployed):
    deployed.cloud.cloudformation.outcome = [
        event(2, "UPDATE_FAILED", "BookingQueue", ResourceStatusReason="It exists already"),
        event(3, "UPDATE_ROLLBACK_COMPLETE"),
    ]
    assert deployed("--yes") == 1
    assert "UPDATE_ROLLBACK_COMPLETE" in deployed.said
    assert "BookingQueue (AWS::SQS::Queue): It exists already" in deployed.said
    assert deployed.cloud.published == []
    assert "DeleteStack" not in deployed.calls


def test_a_first_deployment_that_fails_leaves_nothing_in_the_next_ones_way(deployment):
    # Rolled back, the stack is an empty name that could only be deleted.
    deployment.cloud.cloudformation.outcome = [
        event(2, "CREATE_FAILED", "BookingQueue", ResourceStatusReason="It exists already"),
        event(3, "ROLLBACK_COMPLETE"),
    ]
    assert deployment(*NEW, "--yes") == 1
    assert deployment.calls[-1] == "DeleteStack"


@pytest.mark.parametrize(("fate", "trouble"), [
    ({"status": "FAILED"}, "ended FAILED: InjectedError"),
    ({"ready": 0}, "its ticket is not ready"),
    ({"email": False}, "its email is not recorded as sent"),
    ({"status": "RUNNING"}, "its execution is RUNNING, 180 s after"),
])  # fmt: skip
def test_a_stage_that_does_not_fulfil_the_booking_fails_the_deployment(deployed, fate, trouble):
    deployed.fulfils(**fate)
    assert deployed("--yes") == 1
    assert trouble in deployed.said
    assert "scripts/minitickets show smoke-" in deployed.said


def test_a_booking_that_nothing_takes_up_is_not_waited_for_without_end(deployed):
    deployed.cloud.on_publish = lambda _: None
    assert deployed("--yes") == 1
    assert "no execution has accepted it, 180 s after" in deployed.said
    assert deployed.cloud.slept < 300


def test_the_smoke_test_writes_to_nobody(deployed):
    deployed("--yes")
    (body,) = deployed.cloud.published
    assert json.loads(body)["email"] == "success@simulator.amazonses.com"


def test_a_finding_of_the_checks_stops_it_before_anything_is_built(monkeypatch):
    from checks.__main__ import CHECKS

    deployment = Deployment()
    monkeypatch.setattr(deploying, "make", deployment.make)
    monkeypatch.setitem(CHECKS, "graph", lambda: ["Creating: dangling"])
    monkeypatch.setitem(CHECKS, "template", list)
    assert deployment(*NEW, "--yes") == 1
    assert "Creating: dangling" in deployment.said
    assert (deployment.made, deployment.calls) == (0, [])


# ---- Without an account


def test_a_dry_run_asks_no_account_and_no_person(deployment, monkeypatch):
    deployment.terminal = False
    monkeypatch.setattr(Cloud, "connect", lambda *_: pytest.fail("it asked for an account"))
    assert deployment("--dry-run") == 0
    assert deployment.made == 1
    assert "would ask CloudFormation what changes in minitickets-dev" in deployment.said


def test_help_teaches_the_templates_own_parameters(deployment, capsys):
    assert deployment("--help") == 0
    told = " ".join(capsys.readouterr().out.split())
    for words in ("--email-from", "--my-tickets-url", "--dry-run", "Exit codes", "0 deployed"):
        assert words in told
