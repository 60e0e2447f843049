"""How a policy's texts match: wildcards, actions, and ARNs.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_action.html
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
"""

import functools
import re

_ARN_FIELDS = 6


def matches(pattern: str, text: str) -> bool:
    """Whether ``text`` is ``pattern``, in which ``*`` is any characters and ``?`` any one."""
    return bool(_compiled(pattern).fullmatch(text))


def action_matches(pattern: str, action: str) -> bool:
    """An action's case does not matter."""
    return matches(pattern.lower(), action.lower())


def arn_matches(pattern: str, arn: str) -> bool:
    """A wildcard stays within its field of the ARN, and matches ``/`` and, in the last, ``:``."""
    if pattern == "*":
        return True
    fields = list(zip(_fields(pattern), _fields(arn), strict=False))
    return len(fields) == _ARN_FIELDS and all(matches(mine, its) for mine, its in fields)


def is_arn(text: str) -> bool:
    """Whether it has an ARN's six fields; AWS would fill a shorter one up with wildcards."""
    return text.startswith("arn:") and len(_fields(text)) == _ARN_FIELDS


def _fields(arn: str) -> list[str]:
    return arn.split(":", _ARN_FIELDS - 1)


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    translated = {"*": ".*", "?": "."}
    return re.compile("".join(translated.get(c, re.escape(c)) for c in pattern), re.DOTALL)
