"""Which addresses of the network a crawl may connect to.

A page can link or redirect to a machine that only this computer can reach: its own services, those of its network, the
metadata service of a cloud. So a crawl connects only to public addresses, and to those private ones that a seed names
itself, at the seed's port. A name is resolved once for a connection, all its addresses are checked, and the connection
goes to a checked address: a name that changes its address between check and connection gains nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from leadline.collections.crawl.addresses import SCHEMES

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Lookup = Callable[[str, int], Awaitable[list[str]]]
_NAT64 = tuple(map(ipaddress.IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48")))
_COMPATIBLE = ipaddress.IPv6Network("::/96")  # an old form of IPv4 inside IPv6


class RefusedConnectionError(OSError):
    """A connection that is not made because of where it leads; the message names the address."""


def private_kind(address: Address) -> str:
    """Why an address is not public; empty if it is.

    >>> from ipaddress import ip_address
    >>> private_kind(ip_address("127.0.0.1")), private_kind(ip_address("::ffff:10.0.0.1"))
    ('loopback', 'private')
    >>> private_kind(ip_address("169.254.169.254")), private_kind(ip_address("8.8.8.8"))
    ('link-local', '')
    """
    if isinstance(address, ipaddress.IPv6Address) and (inner := _inner(address)) is not None:
        return private_kind(inner)
    for kind, holds in (
        ("loopback", address.is_loopback), ("link-local", address.is_link_local),
        ("unspecified", address.is_unspecified), ("multicast", address.is_multicast),
    ):  # fmt: skip
        if holds:
            return kind
    if address.is_reserved:
        return "reserved"
    return "" if address.is_global else "private"


def _inner(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if any(address in network for network in _NAT64) or (address in _COMPATIBLE and int(address) > 1):
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
