"""Addresses of pages in one spelling.

A page has two: its canonical address, under which it is known and which is the id of its document, and the address
that is asked for, which keeps what a server may insist on (the order of parameters, the name of a default page).
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

SCHEMES = {"http": 80, "https": 443}
LONGEST = 2000  # characters of an address
DEFAULT_PAGES = frozenset(
    f"{name}.{ending}"
    for name in ("index", "default")
    for ending in ("html", "htm", "shtml", "xhtml", "php", "asp", "aspx", "jsp", "cgi")
)
_TRACKING = re.compile(
    r"utm_\w+|gclid|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|mc_cid|mc_eid|_ga|_gl|_hsenc|_hsmi"
    r"|mkt_tok|vero_id|oly_enc_id|oly_anon_id|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken",
    re.IGNORECASE,
)
_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?;]*", re.IGNORECASE)
_BLANKS = re.compile(r"[\t\n\r]")
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_IN_PATH = "!$&'()*+,;=:@/"
_PERCENT = re.compile(r"%([0-9a-fA-F]{2})?")


class AddressError(ValueError):
    """An address that cannot be crawled; the message says why."""


class PageAddress(NamedTuple):
    """An address as it is known, and as it is asked for."""

    canonical: str
    asked: str

    @property
    def origin(self) -> str:
        """Scheme, host and port: what has one robots.txt and one queue."""
        return origin_of(self.canonical)


def origin_of(address: str) -> str:
    """Scheme, host and port of a canonical address.

    >>> origin_of("http://example.com:8080/a?b")
    'http://example.com:8080'
    """
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.split('/', 1)[0]}"


def host_of(address: str) -> str:
    """The host of a canonical address, without port and brackets."""
    return urlsplit(address).hostname or ""


def page_address(written: str, base: str = "") -> PageAddress:
    """The address that a link or a person wrote; AddressError where it is none that can be crawled.

    >>> page_address("HTTP://Example.COM:80/a/./b/../index.html?utm_source=x&b=2&a=1#top")
    PageAddress(canonical='http://example.com/a/?a=1&b=2', asked='http://example.com/a/index.html?b=2&a=1')
    >>> page_address("../c%7ed e", "http://example.com/a/b/").canonical
    'http://example.com/a/c~d%20e'
    >>> page_address("http://0x7f.1/").canonical, page_address("http://bücher.example./").canonical
    ('http://127.0.0.1/', 'http://xn--bcher-kva.example/')
    """
    text = _BLANKS.sub("", written.strip(" \t\n\r\f\v\0"))
    scheme = text.partition(":")[0].lower() if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", text) else ""
    if scheme and scheme not in SCHEMES:
        raise AddressError(f"{scheme[:20]}: is not crawled, only http and https are")
    if scheme or base:
        before, mark, query = text.partition("?")
        text = before.replace("\\", "/") + mark + query  # as browsers do
    try:
        parts = urlsplit(urljoin(base, text) if base else text)
        port = parts.port
    except ValueError as error:
        raise AddressError(f"is not an address: {str(error).lower()}") from None
    if parts.scheme.lower() not in SCHEMES:
        raise AddressError("is not an address: it begins with neither http:// nor https://")
    if parts.username is not None or parts.password is not None:
        raise AddressError("has a user name or password, which are not sent")
    host = canonical_host(parts.hostname or "")
    scheme = parts.scheme.lower()
    place = f"[{host}]" if ":" in host else host
    if port is not None and port != SCHEMES[scheme]:
        if port == 0:
            raise AddressError("is not an address: port 0")
        place += f":{port}"
    path = _path(_SESSION.sub("", parts.path))
    parameters = [part for part in parts.query.split("&") if part and not _TRACKING.fullmatch(part.partition("=")[0])]
    parameters = [_normal(part, _IN_PATH + "?") for part in parameters]
    folder, _, last = path.rpartition("/")
    known = f"{folder}/" if last.lower() in DEFAULT_PAGES else path
    found = PageAddress(
        f"{scheme}://{place}{known}{'?' * bool(parameters)}{'&'.join(sorted(parameters))}",
        f"{scheme}://{place}{path}{'?' * bool(parameters)}{'&'.join(parameters)}",
    )
    if len(found.asked) > LONGEST:
        raise AddressError(f"is longer than {LONGEST:,} characters")
    return found


@lru_cache(maxsize=4096)
def canonical_host(host: str) -> str:
    """A host in one spelling: small letters, punycode, no dot at the end, numbers as dotted addresses.

    >>> canonical_host("2130706433"), canonical_host("0177.0.0.1"), canonical_host("[::FFFF:7f00:1]".strip("[]"))
    ('127.0.0.1', '127.0.0.1', '::ffff:7f00:1')
    """
    if ":" in host:
        try:
            return str(ipaddress.IPv6Address(host.partition("%")[0]))
        except ValueError:
            raise AddressError(f"{host[:60]!r} is not a host") from None
    plain = unicodedata.normalize("NFKC", _percent_decoded(host)).lower().replace("。", ".").rstrip(".")
    number = _ipv4(plain)
    if number is not None:
        return number
    if not plain.isascii():
        plain = _punycode(plain)
    if not plain or len(plain) > 253 or not _HOST.fullmatch(plain):
        raise AddressError(f"{host[:60]!r} is not a host")
    return plain


def _percent_decoded(host: str) -> str:
    return unquote_to_bytes(host).decode("utf-8", "replace") if "%" in host else host


def _punycode(host: str) -> str:
    try:
        import idna

        return idna.encode(host, uts46=True).decode("ascii")
    except ImportError:
        try:
            return host.encode("idna").decode("ascii")
        except UnicodeError:
            raise AddressError(f"{host[:60]!r} is not a host") from None
    except ValueError:
        raise AddressError(f"{host[:60]!r} is not a host") from None


def _ipv4(host: str) -> str | None:
    """The dotted form of an IPv4 address in any spelling that systems accept; None for a name."""
    parts = host.split(".")
    if not _NUMBER.fullmatch(parts[-1]):
        return None
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        raise AddressError(f"{host[:60]!r} is not a host: it ends in a number")
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        raise AddressError(f"{host[:60]!r} is not a host") from None
    if any(number > 255 for number in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(numbers)):
        raise AddressError(f"{host[:60]!r} is not a host: a number in it is too large")
    whole = numbers[-1]
    for place, number in enumerate(numbers[:-1]):
        whole += number << (8 * (3 - place))
    return str(ipaddress.IPv4Address(whole))


def _number(text: str) -> int:
    if text[:2].lower() == "0x":
        return int(text[2:] or "0", 16)
    return int(text, 8) if len(text) > 1 and text[0] == "0" else int(text)


def _path(path: str) -> str:
    """A path with its dots resolved and its percent-encoding in one form."""
    kept: list[str] = []
    segments = _normal(path, _IN_PATH).split("/")
    for place, segment in enumerate(segments):
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
            continue
        if place == len(segments) - 1:
            kept.append("")
    joined = "/".join(kept)
    return joined if joined.startswith("/") else f"/{joined}"


def _normal(text: str, safe: str) -> str:
    """Percent-encoding in one form: unreserved characters plain, all others that need it encoded, in capitals."""

    def one(match: re.Match[str]) -> str:
        byte = int(match[1] or "25", 16)
        return chr(byte) if byte in _UNRESERVED else f"%{byte:02X}"

    return quote(_PERCENT.sub(one, text), safe=safe + "%")
