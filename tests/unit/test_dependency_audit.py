"""What pip-audit says becomes findings; having no answer is told, and fails nothing."""

import json

import pytest

import checks.__main__ as checks
from checks.dependency_audit import NotAudited, read

# As pip-audit 2.10 writes with --format=json.
VULNERABLE = {
    "name": "pillow",
    "version": "9.0.0",
    "vulns": [
        {
            "id": "PYSEC-2022-10",
            "fix_versions": ["9.0.1"],
            "aliases": ["CVE-2022-24303"],
            "description": "…",
        }
    ],
}
CLEAN = {"name": "six", "version": "1.17.0", "vulns": []}
OFFLINE = (
    "Traceback …\nrequests.exceptions.ConnectionError: HTTPSConnectionPool(host='…', port=443)"
)


def test_a_known_vulnerability_is_a_finding_with_the_release_that_mends_it():
    report = json.dumps({"dependencies": [CLEAN, VULNERABLE], "fixes": []})
    assert read(report, "Found 1 known vulnerability") == [
        "pillow 9.0.0 is vulnerable: PYSEC-2022-10, CVE-2022-24303; mended in 9.0.1"
    ]


def test_a_library_that_was_left_out_is_a_finding():
    skipped = {"name": "odd", "skip_reason": "Dependency not found"}
    assert read(json.dumps({"dependencies": [skipped]}), "") == [
        "odd was not audited: Dependency not found"
    ]


def test_nothing_known_is_no_finding():
    assert read(json.dumps({"dependencies": [CLEAN]}), "No known vulnerabilities found") == []


def test_without_network_there_is_no_answer():
    with pytest.raises(NotAudited, match="cannot be reached"):
        read("", OFFLINE)


def test_another_failure_of_the_auditor_is_a_finding():
    assert read("", "ValueError: the lock is torn") == [
        "pip-audit gave no report: ValueError: the lock is torn"
    ]


def test_a_check_that_could_not_be_done_says_so_and_fails_nothing(monkeypatch, capsys):
    def offline() -> list[str]:
        raise NotAudited("osv.dev cannot be reached")

    monkeypatch.setattr(checks, "CHECKS", {"audit": offline, "graph": list})
    assert checks.main([]) == 0
    said = capsys.readouterr().out
    assert "not done" in said
    assert "osv.dev cannot be reached" in said
    assert said.endswith("Passed: graph.\nNot done: audit.\n")


def test_a_vulnerability_fails_the_check(monkeypatch):
    monkeypatch.setattr(checks, "CHECKS", {"audit": lambda: ["pillow is vulnerable"]})
    assert checks.main([]) == 1
