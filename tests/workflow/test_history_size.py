"""How long a history gets: what the README's limits rest on."""

from pathlib import Path

from workflow.harness import Fulfilment, booking

README = Path(__file__).resolve().parents[2] / "README.md"


def test_a_history_grows_by_the_readmes_formula(fulfilment: Fulfilment):
    """25 + 19n events of n seats: counted at 3 and at 5 seats."""
    executions = fulfilment.fulfil(booking(quantity=3), booking(quantity=5))
    counted = [len(fulfilment.history(e["executionArn"])) for e in executions]
    assert counted == [25 + 19 * 3, 25 + 19 * 5]
    assert "25 + 19n" in README.read_text()
