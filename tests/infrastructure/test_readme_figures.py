"""The README's figures and lists of what is deployed are the template's and the code's."""

import re
from typing import Any

from deployment.cli import command as deploy
from infrastructure.metrics import ALARMS, own_metrics
from infrastructure.template import PROJECT, RESOURCES, SAM, properties
from operations.cli import minitickets

README = (PROJECT / "README.md").read_text(encoding="utf-8")
# SES publishes these two for a configuration set besides its events:
# https://docs.aws.amazon.com/ses/latest/dg/configuration-sets-export-metrics.html
REPUTATION = 2


def first_column(heading: str) -> list[str]:
    """What stands in code in the first cell of each row of the table under that heading."""
    rows = README.split(heading)[1].split("\n\n")[0].splitlines()[1:]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])]


def under_alarm(*without: str) -> int:
    """Metrics that alarms watch, each of which is paid for, of what is made in any case."""
    return sum(
        1 if "MetricName" in alarm else sum("MetricStat" in each for each in alarm["Metrics"])
        for name, alarm in ALARMS.items()
        if RESOURCES[name].get("Condition") not in without
    )


def figures(pattern: str) -> tuple[int, ...]:
    found = re.search(pattern, re.sub(r"\s+", " ", README))
    assert found, pattern
    return tuple(map(int, found.groups()))


def of_type(kind: str) -> list[dict[str, Any]]:
    return [resource for resource in RESOURCES.values() if resource["Type"] == kind]


def test_what_an_idle_stack_is_billed_for_is_counted_from_the_template():
    assert figures(
        r"(\d+) metrics under alarm at \$0\.10 \((\d+) without the API of My tickets, "
        r"(\d+) while compute is off\)"
    ) == (under_alarm(), under_alarm("ServesHolders"), under_alarm("ServesHolders", "Computes"))
    events = properties("EmailEvents")["EventDestination"]["MatchingEventTypes"]
    counted = len(own_metrics()) + len(events) + REPUTATION
    assert figures(r"up to (\d+) custom metrics at \$0\.30") == (counted,)
    assert (len(of_type("AWS::KMS::Key")), len(of_type("AWS::CloudWatch::Dashboard"))) == (1, 1)
    assert "a key at $1, a dashboard at $3" in README


def test_a_reconciliation_s_price_follows_from_its_states():
    days = int(SAM["Parameters"]["ReconcileHorizonDays"]["Default"]) + 1  # from yesterday
    transitions = 2 * days  # Check and WhatNext? a date
    assert f"of {days} dates is {transitions} transitions" in re.sub(r"\s+", " ", README)
    assert round(transitions * 30 * 0.025 / 1000, 2) == 0.60
    assert "60 cents a month" in README


def test_every_alarm_stands_in_the_table():
    names = {alarm["AlarmName"]["Fn::Sub"] for alarm in ALARMS.values()}
    listed = first_column("| alarm | goes off when |")
    assert len(listed) == len(set(listed))
    assert {f"minitickets-${{Stage}}-{name}" for name in listed} == names


def test_every_metric_of_the_functions_is_named():
    named = README.split("Metrics (CloudWatch namespace `MiniTickets`)")[1].split("\n\n")[0]
    assert set(re.findall(r"`([A-Z][A-Za-z]+)`", named)) >= own_metrics()


def test_every_command_of_the_operators_stands_in_the_table():
    listed = first_column("| `scripts/minitickets …` | what for |")
    assert sorted(each.split()[0] for each in listed) == sorted(minitickets.commands)


def test_every_option_of_a_deployment_that_is_a_parameter_stands_in_the_table():
    listed = {each.split()[0] for each in first_column("| option | meaning |")}
    options = {option for each in deploy(SAM).params for option in each.opts}
    assert listed <= options
    named = {f"--{kebab(name)}" for name in SAM["Parameters"]} - {"--compute-enabled"}
    assert named | {"--compute"} <= listed


def kebab(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
