"""What fails deep inside gives its name to the execution."""

import pytest

from workflow.engine import Gate, chain, inline_map, task


@pytest.mark.parametrize("depth", ["map", "parallel", "map in parallel"])
def test_an_execution_ends_by_the_timeout_of_a_step_inside(engine, depth):
    """https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html"""
    engine.functions["slow"] = held = Gate()
    slow = chain(Slow=task("slow", TimeoutSeconds=1))
    items = inline_map(slow, ItemsPath="$.items")
    state = {
        "map": items,
        "parallel": {"Type": "Parallel", "Branches": [slow], "End": True},
        "map in parallel": {"Type": "Parallel", "Branches": [chain(Map=items)], "End": True},
    }[depth]
    arn = engine.run(chain(Outer=state), {"items": [1]})
    held.open()
    described = engine.describe(arn)
    assert (described["status"], described["error"]) == ("FAILED", "States.Timeout")
