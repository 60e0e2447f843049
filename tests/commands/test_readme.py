"""What the README shows is what happens."""

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from commands.processes import PATIENCE, PROJECT, environment, finished, running
from local_stack import samples
from minitickets.drawing.ticket_image import TicketFace, draw_ticket

README = (PROJECT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
]
# An AWS account is what these need; the rest of this file runs every other command.
NEED_AN_ACCOUNT = [
    command
    for command in COMMANDS
    if command.startswith(("aws ", "scripts/deploy ", "scripts/minitickets "))
    and "--region eu-west-1" in command
]


def shell(command: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command of the README as it stands, in ``folder`` with a link to the scripts."""
    scripts = folder / "scripts"
    if not scripts.exists():
        scripts.symlink_to(PROJECT / "scripts")
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=2 * PATIENCE,
        check=False,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the README's own booking has been written by the README's own command."""
    (write,) = [command for command in COMMANDS if command.startswith("echo")]
    assert shell(write, tmp_path).returncode == 0
    return tmp_path


def test_every_command_of_the_readme_is_run_by_these_tests():
    written, *_ = [command for command in COMMANDS if command.startswith("echo")]
    assert [c for c in COMMANDS if c not in (written, *NEED_AN_ACCOUNT)] == [
        "scripts/run",
        "scripts/book booking.jsonl",
        "scripts/test",
        "scripts/run --once booking.jsonl --out results",
        "scripts/run --once booking.jsonl --out results --time-scale 0.02 --fault 'Written[2]:error:always'",  # noqa: E501
        "scripts/storm --bookings 60",
        "scripts/run --time-scale 0.02 --fault 'Written[3]:error:9'",
        "scripts/minitickets executions",
        "scripts/minitickets show bk_gala_1",
        "scripts/minitickets redrive bk_gala_1",
        "scripts/deploy --dry-run",
    ]


@pytest.mark.parametrize("command", [c for c in NEED_AN_ACCOUNT if c.startswith("scripts/deploy")])
def test_the_readmes_deployments_are_such_as_the_command_takes(command):
    from deployment.cli import TEMPLATE
    from deployment.cli import command as deploy
    from sam_template import load_sam

    deploy(load_sam(TEMPLATE)).make_context("scripts/deploy", command.split()[1:])


def test_the_readmes_console_on_aws_is_such_as_the_command_takes():
    from operations.commands.console import console

    (command,) = [c for c in NEED_AN_ACCOUNT if c.startswith("scripts/minitickets")]
    _, name, *options = command.split()
    assert name == console.name
    console.make_context(name, options)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_dry_run_reports_artifacts_within_the_readmes_sizes(folder):
    done = shell("scripts/deploy --dry-run", folder)
    assert done.returncode == 0, done.stderr
    sizes = [float(size) for size in re.findall(r"Function +([0-9.]+) ", done.stdout)]
    least, most = map(int, re.findall(r"imports: (\d+) to (\d+) MB unzipped", README)[0])
    assert len(sizes) == 9
    assert least <= min(sizes) <= max(sizes) <= most


@pytest.mark.slow
def test_run_once_fulfils_the_readmes_booking_as_the_readme_shows(folder):
    done = shell("scripts/run --once booking.jsonl --out results", folder)
    assert done.returncode == 0, done.stderr
    shown = json.loads(re.findall(r"```json\n(.*?)```", README, re.DOTALL)[0])
    told = json.loads(done.stdout.splitlines()[-1])
    assert told | {"seconds": 0} == shown | {"seconds": 0}
    table = README.split("| in `results/` | what |")[1].split("\n\n")[0]
    listed = re.findall(r"^\| `([a-z]+/|[a-z]+\.jsonl)", table, re.MULTILINE)
    assert listed == ["tickets/", "emails/", "tickets.jsonl", "executions.jsonl", "logs/"]
    for name in [*listed, "jobs.jsonl"]:
        assert (folder / "results" / name).exists()


@pytest.mark.slow
def test_the_broken_seat_of_the_readme_stops_nothing_else(folder):
    (command,) = [c for c in COMMANDS if "--once" in c and "--fault" in c]
    done = shell(command, folder)
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["executions"] == {"succeeded": 0, "failed": 1}
    assert told["tickets"] == {"creating": 1, "ready": 1}
    assert told["emails"] == 1


@pytest.mark.slow
def test_run_says_what_the_readme_shows(folder):
    said = re.findall(r"```text\n(Starting.*?)```", README, re.DOTALL)[0].splitlines()
    with running("local_stack", "--out", folder / "out", "--port=0", "--console-port=0") as served:
        for line in said:
            if line == "…":
                continue
            port_and_folder = re.sub("451[01]", "[0-9]+", re.escape(line))
            pattern = port_and_folder.replace("out/", ".*out/")
            pattern = pattern.replace(r"scripts/book\ FILE", r"scripts/book\ .*FILE")
            served.wait_for(pattern)


@pytest.mark.slow
def test_the_walk_breaks_a_seat_shows_why_and_redrives_it(tmp_path):
    walk = ("--no-console", "--time-scale", "0.02", "--fault", "Written[3]:error:9")
    shown = re.findall(r"```text\n(IssueTickets.*?)```", README, re.DOTALL)[0]
    with running("local_stack", "--out", tmp_path / "out", "--port=0", *walk) as served:
        url = served.wait_for(r"Listening on (http://127\.0\.0\.1:\d+) ")[1]
        served.wait_for("bk_gala_1 failed")
        at = ("bk_gala_1", "--endpoint", url)
        said = finished("operations", "show", *at).stdout
        assert [line for line in shown.splitlines() if line not in unpadded(said)] == []
        token = seat_3(tmp_path)["token"]
        assert finished("operations", "redrive", *at).returncode == 0
        served.wait_for("bk_gala_1  seat 3  ready")
        said = finished("operations", "show", *at).stdout
        assert "IssueTickets: 4 of 4 done" in unpadded(said)
        served.process.send_signal(signal.SIGINT)
        served.end()
    assert seat_3(tmp_path)["token"] == token


def unpadded(table: str) -> list[str]:
    return [line.rstrip() for line in table.splitlines()]


def seat_3(folder: Path) -> dict[str, str]:
    lines = (folder / "out" / "tickets.jsonl").read_text().splitlines()
    (ticket,) = [t for t in map(json.loads, lines) if t["ticketId"] == "bk_gala_1-00003"]
    return dict(ticket)


TABLES_OF_TESTS = {
    "| what happens | what is durable |": 10,
    "| the seat | is shown as |": 4,
    "| what happens | what it does |": 5,
}


@pytest.mark.parametrize(("heading", "more_than"), TABLES_OF_TESTS.items())
def test_each_row_of_what_happens_links_to_a_test_that_is_there(heading, more_than):
    table = README.split(heading)[1].split("\n\n")[0]
    rows = table.splitlines()[2:]
    assert len(rows) > more_than
    for row in rows:
        links = re.findall(r"\[(test_\w+)\]\(([\w/]+\.py)\)", row)
        assert links, row
        for name, path in links:
            assert f"def {name}(" in (PROJECT / path).read_text(encoding="utf-8"), row


def test_the_commands_that_the_readme_names_are_there_and_explain_themselves():
    for name in ("run", "book", "minitickets", "storm", "test", "check", "bench", "lock"):
        done = subprocess.run(
            [PROJECT / "scripts" / name, "--help"], capture_output=True, text=True,
            timeout=PATIENCE, check=False, env=environment(),
        )  # fmt: skip
        assert done.returncode == 0, name
        assert "usage" in done.stdout.lower(), name


def test_the_readmes_ticket_is_what_the_system_draws():
    face = TicketFace(
        event_name="Winter Gala",
        date_text="Thursday 24 December 2026",
        time_text="19:30 CET (Europe/Berlin)",
        venue="Tempodrom",
        seat_number=2,
        quantity=4,
        ticket_id="bk_gala_1-00002",
        qr_payload="MT1.bk_gala_1-00002.THISISNOREALTOKENJUSTASAMP",
    )
    shown = PROJECT / re.findall(r'<img src="([^"]+)"', README)[0]
    assert shown.read_bytes() == draw_ticket(face).png


def test_the_sample_bookings_are_those_of_the_readme():
    assert json.loads(samples.SAMPLES[0])["bookingId"] in README
