"""What a crawl was asked to do; addresses in one spelling, which of them are safe, and addresses without end.

A page has two: its canonical address, under which it is known and which is the id of its document, and the address
that is asked for, which keeps what a server may insist on (the order of parameters, the name of a default page).
"""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import fnmatch
import ipaddress
import re
import socket
import unicodedata
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from leadline.errors import InputError
from leadline.options import Bounds
from leadline.version import __version__

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver

SCHEMES = {"http": 80, "https": 443}
Seconds = Annotated[float, Bounds(0, 86_400)]
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
    """The address that a link or a person wrote; AddressError where it cannot be crawled.

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


# What a crawl was asked to do: its seeds, limits and manners, kept in its folder.


WEB_PACKAGES = ("aiohttp", "protego", "selectolax", "warcio")  # of the extra `web`
USER_AGENT = f"leadline/{__version__} (crawler of the search evaluation program Leadline)"


@dataclass(frozen=True)
class CrawlSettings:
    """The settings of a crawl."""

    seeds: tuple[str, ...] = ()  # as written; each is asked first
    depth: int = 20  # links from a seed
    pages: int = 10_000  # asked in all
    per_host: int = 0  # asked of one host; 0: no limit of its own
    hosts: tuple[str, ...] = ()  # patterns of hosts; empty: those of the seeds
    include: tuple[str, ...] = ()  # patterns of addresses, of which a page must match one
    exclude: tuple[str, ...] = ()  # patterns of addresses that are not asked for
    delay: float = 1.0  # seconds between two requests to a host; robots.txt may ask for more
    user_agent: str = USER_AGENT
    private_hosts: tuple[str, ...] = ()  # names that may lead to private addresses
    sitemaps: bool = True
    chain: int = 300  # pages in a row that only lead on to the next; 0: no limit
    max_bytes: int = 10 << 20  # of a page, after unpacking
    timeout: float = 60.0  # seconds for a whole page
    connections: int = 16  # hosts asked at the same time; of one host only one page at a time
    redirects: int = 5  # in a row
    retries: int = 3  # after the first attempt
    backoff: float = 1.0  # seconds before the first retry; doubled for each next

    def __post_init__(self) -> None:
        for name in ("depth", "per_host", "retries", "redirects", "chain"):
            if getattr(self, name) < 0:
                raise InputError(name, f"must be at least 0, got {getattr(self, name)}")
        for name in ("pages", "max_bytes", "connections"):
            if getattr(self, name) < 1:
                raise InputError(name, f"must be at least 1, got {getattr(self, name)}")
        for name in ("delay", "timeout", "backoff"):
            if not 0 <= getattr(self, name) <= 86_400:
                raise InputError(name, f"must be between 0 and 86,400 seconds, got {getattr(self, name)}")
        if not self.user_agent.isprintable() or not self.user_agent.isascii() or not self.user_agent.strip():
            raise InputError("user agent", f"must be printable ASCII text, got {self.user_agent!r}")
        for host in self.private_hosts:
            try:
                canonical_host(host)
            except AddressError as error:
                raise InputError("--private", str(error)) from None
        _ = self.seed_hosts

    @cached_property
    def seed_hosts(self) -> frozenset[str]:
        """The hosts of the seeds."""
        found = set()
        for seed in self.seeds:
            try:
                found.add(host_of(page_address(seed).canonical))
            except AddressError as error:
                raise InputError(seed, str(error)) from None
        return frozenset(found)

    @cached_property
    def _host_patterns(self) -> re.Pattern[str] | None:
        return _patterns([host.lower() for host in self.hosts])

    @cached_property
    def _includes(self) -> re.Pattern[str] | None:
        return _patterns(self.include)

    @cached_property
    def _excludes(self) -> re.Pattern[str] | None:
        return _patterns(self.exclude)

    def has_host(self, host: str) -> bool:
        """Whether pages of a host are crawled."""
        if self._host_patterns is None:
            return host in self.seed_hosts
        return self._host_patterns.match(host) is not None

    def has_page(self, address: str) -> bool:
        """Whether the patterns let an address in."""
        if self._includes is not None and not self._includes.match(address):
            return False
        return self._excludes is None or not self._excludes.match(address)

    def plain(self) -> dict[str, Any]:
        """The settings as they are stored."""
        return dataclasses.asdict(self)

    @classmethod
    def of(cls, stored: dict[str, Any]) -> CrawlSettings:
        """The settings from what was stored."""
        names = {field.name for field in dataclasses.fields(cls)}
        known: dict[str, Any] = {
            name: tuple(each) if isinstance(each, list) else each for name, each in stored.items() if name in names
        }
        return cls(**known)


def _patterns(written: Sequence[str]) -> re.Pattern[str] | None:
    """Patterns with * and ? as one regular expression; None where there are none."""
    if not written:
        return None
    return re.compile("|".join(f"(?:{fnmatch.translate(each)})" for each in written))


# Which addresses of the network a crawl may connect to.
#
# A page can link or redirect to a machine that only this computer can reach: its own services, those of its network,
# the metadata service of a cloud. So a crawl connects only to public addresses, and to those private ones that a seed
# names itself, at the seed's port. A name is resolved once for a connection, all its addresses are checked, and the
# connection goes to a checked address: a name that changes its address between check and connection gains nothing.


Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Lookup = Callable[[str, int], Awaitable[list[str]]]
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # not 64:ff9b:1::/48, which holds IPv4 where a network wants it
_COMPATIBLE = ipaddress.IPv6Network("::/96")  # an old form of IPv4 inside IPv6
_UNICAST = ipaddress.IPv6Network("2000::/3")  # of IPv6, nothing else was ever given out for public use
_SPECIAL = tuple(  # not for public use, though some versions of Python call them or a part of them global
    # The fourth leads to the next relay of 6to4, the fifth to the service of a cloud for the machine itself.
    map(ipaddress.ip_network, ("192.0.0.0/24", "2001:db8::/32", "3fff::/20", "192.88.99.0/24", "168.63.129.16/32"))
)


class RefusedConnectionError(OSError):
    """A connection that is not made because of where it leads; the message names the address."""


def private_kind(address: Address) -> str:
    """Why an address is not public; empty if it is.

    >>> from ipaddress import ip_address
    >>> private_kind(ip_address("127.0.0.1")), private_kind(ip_address("::ffff:10.0.0.1"))
    ('loopback', 'private')
    >>> private_kind(ip_address("169.254.169.254")), private_kind(ip_address("8.8.8.8"))
    ('link-local', '')
    >>> private_kind(ip_address("fec0::1")), private_kind(ip_address("64:ff9b::10.0.0.1"))
    ('site-local', 'private')
    """
    if isinstance(address, ipaddress.IPv6Address) and (inner := _inner(address)) is not None:
        return private_kind(inner)
    for kind, holds in (
        ("loopback", address.is_loopback),
        ("link-local", address.is_link_local),
        ("unspecified", address.is_unspecified),
        ("multicast", address.is_multicast),
        ("site-local", address.version == 6 and address.is_site_local),
    ):
        if holds:
            return kind
    if address.is_reserved:
        return "reserved"
    if not address.is_global or any(address in network for network in _SPECIAL):
        return "private"
    return "reserved" if address.version == 6 and address not in _UNICAST else ""


def _inner(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if address in _NAT64 or (address in _COMPATIBLE and int(address) > 1):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def literal(host: str) -> Address | None:
    """The address that a canonical host is; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_local_name(host: str) -> bool:
    """Whether a name means this machine by definition."""
    return host == "localhost" or host.endswith(".localhost")


class SafeAddresses:
    """The rule for one crawl: public addresses, and the private ones that its seeds or its user name."""

    def __init__(self, seeds: Iterable[str], private_hosts: Iterable[str] = ()) -> None:
        """`seeds` are canonical addresses; `private_hosts` are names that may lead to private addresses."""
        self._places: set[tuple[str, int]] = set()
        for seed in seeds:
            host, port = _place(seed)
            address = literal(host)
            if is_local_name(host) or (address is not None and private_kind(address)):
                self._places.add((host, port))
        self._private_hosts = frozenset(private_hosts)

    def allows_private(self, host: str, port: int) -> bool:
        """Whether this host and port may be a private address."""
        return (host, port) in self._places or host in self._private_hosts

    @property
    def exceptions(self) -> list[str]:
        """The private hosts that are allowed, for a note."""
        return sorted({f"{host}:{port}" for host, port in self._places} | self._private_hosts)

    def refusal(self, address: str) -> str:
        """Why a canonical address may not be asked for, as far as its spelling says; empty if it may."""
        host, port = _place(address)
        if self.allows_private(host, port):
            return ""
        if is_local_name(host):
            return f"{host} is a loopback address"
        number = literal(host)
        kind = private_kind(number) if number is not None else ""
        return f"{host} is a {kind} address" if kind else ""

    def checked(self, host: str, port: int, found: Iterable[str]) -> list[str]:
        """The resolved addresses that may be connected to; RefusedConnectionError if none may."""
        addresses = list(dict.fromkeys(found))
        if self.allows_private(host, port):
            return addresses
        kinds = {each: private_kind(ipaddress.ip_address(each.partition("%")[0])) for each in addresses}
        public = [each for each in addresses if not kinds[each]]
        if addresses and not public:
            first = addresses[0]
            raise RefusedConnectionError(f"{host} leads to {first}, a {kinds[first]} address")
        return public


def _place(address: str) -> tuple[str, int]:
    parts = urlsplit(address)
    return parts.hostname or "", parts.port or SCHEMES.get(parts.scheme, 0)


async def system_lookup(host: str, port: int) -> list[str]:
    """The addresses of a name, as the system resolves it."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(each[4][0]) for each in found]


def safe_resolver(rule: SafeAddresses, lookup: Lookup = system_lookup) -> AbstractResolver:
    """A resolver for aiohttp whose answers are all allowed: it connects to these and to nothing else."""
    from aiohttp.abc import AbstractResolver, ResolveResult

    class SafeResolver(AbstractResolver):
        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[ResolveResult]:
            checked = rule.checked(host.rstrip(".").lower(), port, await lookup(host, port))
            found: list[ResolveResult] = []
            for each in checked:
                kind = socket.AF_INET6 if ":" in each else socket.AF_INET
                if family in (socket.AF_UNSPEC, kind):
                    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
                    found.append(ResolveResult(hostname=host, host=each, port=port, family=kind, proto=0, flags=flags))
            if not found:
                raise OSError(f"{host} has no address")
            return found

        async def close(self) -> None:
            return None

    resolver: Any = SafeResolver()
    return resolver


# Addresses without end: calendars, paths that repeat themselves, ever new parameters, pages that only lead on.


MOST_SEGMENTS = 20  # of a path
MOST_PARAMETERS = 12
MOST_REPEATS = 3  # how often a segment may be in a path
MOST_QUERIES = 200  # different parameters for one path
MOST_OF_A_CALENDAR = 400  # pages of one calendar: more than thirty years of months
YEARS_AHEAD = 2
FIRST_YEAR = 1970  # of a calendar; documents about older years are not pages of one
CHAIN = "endless chain"
_DIGITS = re.compile(r"\d+")
_CODES = re.compile(r"(?=[\w-]*\d)[\w-]{6,}|\d+")  # longer words with a digit, and numbers
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|[2-9]\d\d\d)(?!\d)")
_MONTH = re.compile(r"(?<!\d)(?:19|20|21)\d\d[-/_.]?(?:0?[1-9]|1[0-2])(?!\d{2})")
_CALENDAR = re.compile(r"calend|kalend|/events?(?:/|$)|agenda|(?:^|[?&])(?:year|month|week|day|date)=", re.IGNORECASE)


def trap_in(address: str, today: datetime.date | None = None) -> str:
    """What makes one address look endless; empty if nothing does.

    >>> trap_in("http://a.example/x/y/x/y/x/y/x")
    'repeated segments'
    >>> trap_in("http://a.example/calendar?year=2999&month=1"), trap_in("http://a.example/docs/2999.html")
    ('calendar', '')
    """
    parts = urlsplit(address)
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > MOST_SEGMENTS:
        return "deep path"
    if segments and max(Counter(segments).values()) > MOST_REPEATS:
        return "repeated segments"
    if any(segments[place] == segments[place + 1] == segments[place + 2] for place in range(len(segments) - 2)):
        return "repeated segments"
    if parts.query.count("&") >= MOST_PARAMETERS:
        return "endless parameters"
    if _is_calendar(parts.path, parts.query):
        years = [int(year) for year in _YEAR.findall(f"{parts.path}?{parts.query}")]
        this_year = (today or datetime.datetime.now(datetime.UTC).date()).year
        if any(year > this_year + YEARS_AHEAD or year < FIRST_YEAR for year in years):
            return "calendar"
    return ""


def _is_calendar(path: str, query: str) -> bool:
    """Whether an address is that of a day or a month."""
    whole = f"{path}?{query}"
    return _CALENDAR.search(whole) is not None or (bool(query) and _MONTH.search(query) is not None)


def folder_shape(address: str) -> str:
    """The folder of an address and the names of its parameters, without numbers.

    A folder whose pages are ever farther from the seeds is a chain: each of them leads on to the next.

    >>> folder_shape("http://a.example/list/2024/7?page=3"), folder_shape("http://a.example/next/9")
    ('http://a.example/list/0/?page', 'http://a.example/next/')
    """
    parts = urlsplit(address)
    names = "&".join(sorted({each.partition("=")[0] for each in parts.query.split("&")}))
    folder = _CODES.sub("0", parts.path.rpartition("/")[0])
    return f"{parts.scheme}://{parts.netloc}{folder}/{'?' if names else ''}{names}"


def shapes(address: str) -> list[tuple[str, int, str]]:
    """What many addresses of a trap share, how many of that are allowed, and what they are then called.

    >>> shapes("http://a.example/list?sort=name&page=7")
    [('?http://a.example/list', 200, 'endless parameters')]
    """
    parts = urlsplit(address)
    place = f"{parts.scheme}://{parts.netloc}{parts.path}"
    found = []
    if parts.query:
        found.append((f"?{place}", MOST_QUERIES, "endless parameters"))
    if _is_calendar(parts.path, parts.query):
        shape = _DIGITS.sub("0", f"{place}?{parts.query}")
        found.append((f"#{shape}", MOST_OF_A_CALENDAR, "calendar"))
    return found
