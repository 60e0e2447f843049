import pytest
from hypothesis import given
from hypothesis import strategies as st

from minitickets.domain.email_address import InvalidAddressError, encode_address

# The A-labels are those of the registries and of RFC 3492, section 7.1.
ENCODED = [
    ("pat@example.com", "pat@example.com"),
    ("Pat.O'Neil+x@EXAMPLE.Com", "Pat.O'Neil+x@example.com"),
    ("a@exämple.com", "a@xn--exmple-cua.com"),
    ("a@EXÄMPLE.com", "a@xn--exmple-cua.com"),
    ("a@exa\u0308mple.com", "a@xn--exmple-cua.com"),  # decomposed
    ("a@xn--exmple-cua.com", "a@xn--exmple-cua.com"),
    ("a@XN--EXMPLE-CUA.com", "a@xn--exmple-cua.com"),
    ("a@bücher.de", "a@xn--bcher-kva.de"),
    ("a@straße.de", "a@xn--strae-oqa.de"),  # IDNA 2003 made "strasse.de" of it
    ("a@例え。テスト", "a@xn--r8jz45g.xn--zckzah"),  # the ideographic full stop is a dot
    ("a@президент.рф", "a@xn--d1abbgf6aiiy.xn--p1ai"),
    ("!#$%&'*+/=?^_`{|}~-@a.bc", "!#$%&'*+/=?^_`{|}~-@a.bc"),
    ("a@1.2.3.4.in-addr.arpa", "a@1.2.3.4.in-addr.arpa"),
]


@pytest.mark.parametrize(("written", "encoded"), ENCODED)
def test_the_domain_is_encoded_and_the_local_part_kept(written: str, encoded: str) -> None:
    assert encode_address(written) == encoded
    assert encode_address(encoded) == encoded


@pytest.mark.parametrize(
    "address",
    [
        "",
        "@",
        "pat",
        "pat@",
        "@example.com",
        "a@b@example.com",
        "a@example.com, b@example.com",
        "a@example.com,b@example.com",
        "a@example.com;b@example.com",
        "Pat <pat@example.com>",
        "<pat@example.com>",
        "a b@example.com",
        " a@example.com",
        "a@example.com ",
        "a@ example.com",
        ".a@example.com",
        "a.@example.com",
        "a..b@example.com",
        '"a b"@example.com',
        "a(comment)@example.com",
        "a\\@example.com",
        "jürgen@example.com",
        "\uff41@example.com",  # a full-width letter
        "a\u0661@example.com",  # an Arabic-Indic digit
        "a@example.com\n",
        "a\n@example.com",
        "a@example\n.com",
        "a@example.com\r\nBcc: x@evil.example",
        "a\x00@example.com",
        "a@exam\x7fple.com",
        "a@exam\x85ple.com",
        "a@exam\u2028ple.com",
        "a\ud800@example.com",
        "a@\ud800.com",
        "a@localhost",
        "a@example.com.",
        "a@example.com。",
        "a@.example.com",
        "a@example..com",
        "a@-example.com",
        "a@example-.com",
        "a@ab--cd.com",
        "a@exa_mple.com",
        "a@exam!ple.com",
        "a@[127.0.0.1]",
        "a@127.0.0.1",
        "a@example.123",
        "a@example.１２３",
        "a@xn--.com",
        "a@xn--a.com",
        "a@xn--exmple-cua-.com",
        "a@xn--99999999.com",
        "a@xn--ls8h.la",  # an emoji: IDNA 2003 had it, IDNA 2008 has not
        "a@💩.la",
        "a@\u0301a.com",
        "a@אa.com",  # breaks the Bidi rule
    ],
)
def test_whatever_is_not_one_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidAddressError):
        encode_address(address)


def test_lengths_count_after_encoding() -> None:
    label = "x" * 63
    domain = f"{label}.{label}.{label}"  # 191
    assert encode_address("a" * 62 + "@" + domain)  # 254
    with pytest.raises(InvalidAddressError, match="longer than 254"):
        encode_address("a" * 63 + "@" + domain)
    assert encode_address("a" * 64 + "@b.cd")
    with pytest.raises(InvalidAddressError, match="local part longer than 64"):
        encode_address("a" * 65 + "@b.cd")
    with pytest.raises(InvalidAddressError):
        encode_address(f"a@{label}x.com")
    # 61 letters, but 63 and more once they are an A-label.
    with pytest.raises(InvalidAddressError):
        encode_address("a@" + "ü" + "x" * 60 + ".com")


@given(st.text(), st.text())
def test_any_text_is_encoded_or_refused_and_never_echoed(local_part: str, domain: str) -> None:
    secret = f"{local_part}@zzsecretzz{domain}"
    for text in (secret, domain, f"a@{domain}", f"a@xn--{domain}.com", f"a@{domain}.com"):
        address, error = encoded_or_refused(text)
        # idna quotes the domain, and its error would come along as a context.
        assert error is None or ("zzsecretzz" not in str(error) and error.__context__ is None)
        assert address.isascii()
        assert address.isprintable()
        assert " " not in address
        assert encoded_or_refused(address) == (address, None) or error


def encoded_or_refused(text: str) -> tuple[str, InvalidAddressError | None]:
    try:
        return encode_address(text), None
    except InvalidAddressError as error:
        return "", error
