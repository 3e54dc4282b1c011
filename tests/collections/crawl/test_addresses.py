"""Addresses in one spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.crawl.addresses import AddressError, page_address

BASE = "http://example.com/a/b.html?x=1"


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("HTTP://EXAMPLE.com", "http://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/x", "https://example.com/x"),
        ("http://example.com:8080/x", "http://example.com:8080/x"),
        ("http://example.com./x", "http://example.com/x"),
        ("http://example.com/a/../../b/./c", "http://example.com/b/c"),
        ("http://example.com/a/..", "http://example.com/"),
        ("http://example.com/docs/index.html", "http://example.com/docs/"),
        ("http://example.com/docs/Default.ASPX?b=1", "http://example.com/docs/?b=1"),
        ("http://example.com/?utm_source=mail&utm_medium=x", "http://example.com/"),
        ("http://example.com/?b=2&gclid=zz&a=1", "http://example.com/?a=1&b=2"),
        ("http://example.com/x;jsessionid=AB12?y=1", "http://example.com/x?y=1"),
        ("http://example.com/x#part", "http://example.com/x"),
        ("http://example.com/%7euser/%e4%bd%a0", "http://example.com/~user/%E4%BD%A0"),
        ("http://example.com/你", "http://example.com/%E4%BD%A0"),
        ("http://example.com/100%", "http://example.com/100%25"),
        ("http://example.com/a b\\c", "http://example.com/a%20b/c"),
        ("http://exa\nmple.com/a\tb", "http://example.com/ab"),
        ("  http://example.com/  ", "http://example.com/"),
        ("http://münchen.example/", "http://xn--mnchen-3ya.example/"),
        ("http://EXAMPLE。com/", "http://example.com/"),
        ("//other.example/y", "http://other.example/y"),
        ("/y", "http://example.com/y"),
        ("?y=2", "http://example.com/a/b.html?y=2"),
        ("c.html", "http://example.com/a/c.html"),
        ("http://[::1]:8000/", "http://[::1]:8000/"),
        ("http://[2001:DB8:0:0::1]/", "http://[2001:db8::1]/"),
    ],
)
def test_one_spelling(written: str, canonical: str) -> None:
    assert page_address(written, BASE).canonical == canonical


def test_what_is_asked_keeps_order_and_default_page() -> None:
    assert page_address("http://example.com/index.html?b=2&a=1").asked == "http://example.com/index.html?b=2&a=1"


@pytest.mark.parametrize(
    "spelling",
    ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.0.0.0x1", "127.0.0.1.", "①②⑦.0.0.1", "%31%32%37.0.0.1"],
)
def test_numbers_of_addresses_in_any_spelling(spelling: str) -> None:
    assert page_address(f"http://{spelling}/").canonical == "http://127.0.0.1/"


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("file:///etc/passwd", "file: is not crawled"),
        ("gopher://example.com/", "gopher: is not crawled"),
        ("javascript:alert(1)", "javascript: is not crawled"),
        ("FTP://example.com/", "ftp: is not crawled"),
        ("http://user:secret@example.com/", "user name or password"),
        ("http://", "is not a host"),
        ("http://example.com:99999/", "not an address"),
        ("http://exa mple.com/", "is not a host"),
        ("http://256.256.256.256/", "too large"),
        ("http://1.2.3.4.5/", "ends in a number"),
        ("http://[::zz]/", "not a"),
        ("http://example.com/" + "a" * 3000, "longer than"),
    ],
)
def test_what_is_no_address_of_a_page(written: str, problem: str) -> None:
    with pytest.raises(AddressError, match=problem):
        page_address(written)


@given(st.text(max_size=40), st.text(max_size=30))
def test_the_canonical_address_is_its_own(path: str, query: str) -> None:
    try:
        once = page_address(f"http://example.com/{path}?{query}")
    except AddressError:
        return
    assert page_address(once.canonical).canonical == once.canonical
    assert page_address(once.asked).canonical == once.canonical
    assert once.canonical.isascii()
    assert " " not in once.canonical
