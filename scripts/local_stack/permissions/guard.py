"""Decides whether a role may do what it asks for, and remembers which grants were of use."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from local_stack.aws import ACCOUNT
from local_stack.permissions.policy import Grant, Need, PolicyError, judge, read_policy
from local_stack.permissions.refusal import sentence

Policies = Callable[[str], tuple[str, ...]]
"""From a role's name to the texts of its policies, as they are now."""


@dataclass(frozen=True)
class Caller:
    """A session of a role. ``role`` is the role's name."""

    role: str
    session: str

    @classmethod
    def of(cls, role_arn: str, session: str) -> "Caller":
        return cls(role_arn.rpartition("/")[2], session)

    @property
    def arn(self) -> str:
        return f"arn:aws:sts::{ACCOUNT}:assumed-role/{self.role}/{self.session}"


class Guard:
    """``used`` holds each grant that ever allowed something, with the name of its role."""

    def __init__(self, policies: Policies) -> None:
        self._policies = policies
        self.used: set[tuple[str, Grant]] = set()

    def check(self, roles: Iterable[str]) -> None:
        """Read every policy of the roles. Raises PolicyError, which names the role."""
        for role in roles:
            try:
                for policy in self._policies(role):
                    read_policy(policy)
            except PolicyError as error:
                raise PolicyError(_not_enforced(role, error)) from error

    def granted(self, role: str) -> set[Grant]:
        """All that the role's statements allow, under a condition or not."""
        return {
            grant
            for policy in self._policies(role)
            for statement in read_policy(policy)
            if statement.allows
            for grant in statement.grants()
        }

    def why_not(self, caller: Caller, *needs: Need) -> str | None:
        """Why the caller may not do all of it, in AWS's words; None if it may."""
        try:
            verdicts = [(need, judge(self._policies(caller.role), need)) for need in needs]
        except PolicyError as error:
            return _not_enforced(caller.role, error)
        for need, verdict in verdicts:
            if not verdict.allowed:
                return sentence(caller.arn, need, verdict)
        self.used.update(
            (caller.role, grant) for _, verdict in verdicts for grant in verdict.grants
        )
        return None


def _not_enforced(role: str, error: PolicyError) -> str:
    return f"A policy of the role {role} cannot be enforced: {error}."
