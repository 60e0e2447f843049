"""One email address, in the form in which SES takes it.

The local part is a dot-atom (RFC 5322, section 3.2.3) in ASCII: SES does not take others
(https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_Destination.html). The domain goes
through IDNA 2008 with the mapping of UTS #46.
"""

import re

import idna

MAX_LOCAL_PART = 64
MAX_ADDRESS = 254

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_DOT_ATOM = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
_DIGITS = re.compile(r"[0-9]+")


class InvalidAddressError(ValueError):
    """The text says why, and never holds the address."""


def encode_address(text: str) -> str:
    """The address with its domain in ASCII and lower case; the local part stays as it is."""
    local_part, at, domain = text.rpartition("@")
    if not at:
        raise InvalidAddressError("has no @")
    if not _DOT_ATOM.fullmatch(local_part):
        raise InvalidAddressError("has a local part that is not an ASCII dot-atom")
    if len(local_part) > MAX_LOCAL_PART:
        raise InvalidAddressError(f"has a local part longer than {MAX_LOCAL_PART}")
    address = f"{local_part}@{_encode_domain(domain)}"
    if len(address) > MAX_ADDRESS:
        raise InvalidAddressError(f"is longer than {MAX_ADDRESS}")
    return address


def _encode_domain(domain: str) -> str:
    encoded = _idna(domain)
    if encoded is None:
        raise InvalidAddressError("has a domain that IDNA 2008 does not allow")
    if encoded.endswith("."):
        raise InvalidAddressError("has a domain with a trailing dot")
    _, dot, top_level = encoded.rpartition(".")
    if not dot:
        raise InvalidAddressError("has a domain without a dot")
    if _DIGITS.fullmatch(top_level):
        raise InvalidAddressError("has a domain with a numeric last label")
    return encoded


def _idna(domain: str) -> str | None:
    # Its errors quote the domain, so none of them may become the context of one that travels.
    try:
        return idna.encode(domain, uts46=True, std3_rules=True).decode("ascii")
    except UnicodeError:
        return None
