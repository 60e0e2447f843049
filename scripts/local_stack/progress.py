"""What people watch: each step of each seat as its function answers."""

import contextlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from local_stack.lambda_service import Invocation, Subject, TooManyRequests

_REACHED = {"Creating": "creating", "Written": "written", "Ready": "ready"}
_SKIPPED = "ready"
_SUBJECTS = dict.fromkeys(("Check", "Report"), "reconciliation")


@dataclass(frozen=True)
class StepEvent:
    """One attempt of one step. ``error`` is the error's name, None for a success."""

    state: str
    subject: Subject
    error: str | None
    answer: Mapping[str, object]

    def sentence(self) -> str | None:
        """A line of progress; None for a step that nobody waits for."""
        subject = self.subject.booking or _SUBJECTS.get(self.state, "a message")
        if self.subject.seat is not None:
            subject += f"  seat {self.subject.seat}"
        if self.error:
            return f"{subject}  {self.state} failed: {self.error}"
        if self.state in _REACHED:
            found_ready = self.state == "Creating" and self.answer.get("status") == _SKIPPED
            return f"{subject}  {'ready already' if found_ready else _REACHED[self.state]}"
        if self.state == "SendEmail":
            return f"{subject}  email {self.answer.get('email')}"
        return None


def step_event(state: str, subject: Subject, result: Invocation | TooManyRequests) -> StepEvent:
    if isinstance(result, TooManyRequests):
        return StepEvent(state, subject, "Lambda.TooManyRequestsException", {})
    content = json.loads(result.payload)
    answer = content if isinstance(content, dict) else {}
    error = str(answer.get("errorType")) if result.function_error else None
    return StepEvent(state, subject, error, answer)


def say(sentence: str) -> None:
    """Say it on stderr in one write, since steps of many seats speak at once.

    Nobody has to listen: a closed or full stderr stops nothing.
    """
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(sentence + "\n")


def say_progress(event: StepEvent) -> None:
    sentence = event.sentence()
    if sentence:
        say(sentence)
