"""The environment of a function, as the template sets it.

Read once, while the function initialises, so that a missing variable fails at start with its name.
"""

import os


class MissingSetting(Exception):
    """The function's environment lacks a variable that the template should set."""


def required(name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise MissingSetting(f"the environment variable {name} is not set; template.yaml sets it")
    return value


def required_seconds(name: str) -> int:
    text = required(name)
    if not text.isdecimal() or int(text) < 1:
        raise MissingSetting(f"the environment variable {name} must be whole seconds above 0")
    return int(text)


def required_whole(name: str) -> int:
    """A whole number, 0 or more."""
    text = required(name)
    if not text.isdecimal():
        raise MissingSetting(f"the environment variable {name} must be a whole number")
    return int(text)
