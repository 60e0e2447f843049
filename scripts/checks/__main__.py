"""`scripts/check`: every check, each with its result, and all of them even if one fails."""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from checks.dependency_audit import NotAudited

PROJECT = Path(__file__).resolve().parents[2]
TEMPLATE = PROJECT / "template.yaml"
DEFINITIONS = PROJECT / "statemachines"
LOCK = PROJECT / "scripts" / "requirements.lock"

# Where one failure must not stop the rest, and the next run is the recovery: what is caught there
# goes on with other work, or to a Task that fails by the same name (tests/infrastructure).
CATCHES = {"reconcile_tickets.asl.yaml"}

OK, FAILED, NOT_DONE = "ok", "FAILED", "not done"

Findings = list[str]


def lint() -> Findings:
    """Find mistakes and unused code with ruff."""
    return _tool("ruff", "check", "--quiet", "--output-format", "concise")


def layout() -> Findings:
    """Find files that `ruff format` would lay out in another way."""
    return _tool("ruff", "format", "--check", "--quiet")


def types() -> Findings:
    """Check types with mypy, strictly."""
    return _tool("mypy", "--no-error-summary")


def graph() -> Findings:
    """Check each workflow's graph, and its substitutions against the template."""
    from checks.asl_graph import check_file
    from sam_template import definitions, load_sam, substitutions

    sam, machines = load_sam(TEMPLATE), definitions(TEMPLATE)
    paths = sorted(DEFINITIONS.glob("*.asl.*"))
    if not paths:
        return [f"{DEFINITIONS.relative_to(PROJECT)} holds no workflow (*.asl.yaml)"]
    findings = [
        f"{path.relative_to(PROJECT)}: {finding}"
        for path in sorted(machines)
        for finding in check_file(
            path, substitutions(sam, machines[path]), allow_catch=path.name in CATCHES
        )
    ]
    unused = [path for path in paths if path not in machines]
    return findings + [f"{path.relative_to(PROJECT)}: no machine runs it" for path in unused]


def template() -> Findings:
    """Check the translated template with cfn-lint, the workflow's definition in it."""
    from checks.linted_template import check_template

    return check_template(TEMPLATE)


def audit() -> Findings:
    """Look up known vulnerabilities of the pinned libraries; without network, say so."""
    from checks.dependency_audit import audit as look_up

    return look_up(LOCK)


def rules() -> Findings:
    """Check the template against this project's own rules: tags, lifetimes, TLS, alarms, places."""
    from checks.template_rules import check_rules

    return check_rules(TEMPLATE)


def security() -> Findings:
    """Check the template with cfripper for access that is too wide."""
    from checks.security_scan import check_security

    return check_security(TEMPLATE)


def roles() -> Findings:
    """Check that each role of the template names what it grants."""
    from checks.role_rules import names_what_it_grants
    from sam_template import load_sam, translate

    return list(names_what_it_grants(translate(load_sam(TEMPLATE))))


CHECKS: dict[str, Callable[[], Findings]] = {
    check.__name__: check
    for check in (lint, layout, types, graph, template, rules, roles, security, audit)
}


def main(arguments: list[str]) -> int:
    """Run the named checks, or all; return 1 if one found something."""
    parser = argparse.ArgumentParser(
        prog="scripts/check",
        description="Checks the project, all checks unless some are named.",
        epilog="\n".join(f"  {name:10}{check.__doc__}" for name, check in CHECKS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checks", nargs="*", metavar="CHECK", help="one of the names below")
    wanted = parser.parse_args(arguments).checks or list(CHECKS)
    for name in wanted:
        if name not in CHECKS:
            parser.error(f"there is no check {name!r}; there are {', '.join(CHECKS)}")
    results = {name: _run(name) for name in wanted}
    failed = [name for name in wanted if results[name] == FAILED]
    if failed:
        print(f"{len(failed)} of {len(wanted)} checks failed: {', '.join(failed)}")
        return 1
    for words, result in (("Passed", OK), ("Not done", NOT_DONE)):
        names = [name for name in wanted if results[name] == result]
        if names:
            print(f"{words}: {', '.join(names)}.")
    return 0


def _run(name: str) -> str:
    started = time.monotonic()
    not_done = ""
    findings: Findings = []
    try:
        findings = CHECKS[name]()
    except NotAudited as reason:
        not_done = str(reason)
    except FileNotFoundError as error:
        findings = [f"{error.filename} is missing"]
    except ValueError as error:  # a template or a definition that cannot be read
        findings = [str(error)]
    result = FAILED if findings else NOT_DONE if not_done else OK
    print(f"{name:10}{result:10}{time.monotonic() - started:5.1f} s")
    for line in findings or [not_done] * bool(not_done):
        print(f"  {line}")
    return result


def _tool(*command: str) -> Findings:
    """Run a checker on the project: what it prints, if it is not content."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return []
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines or [f"{command[0]} ended with status {done.returncode}"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
