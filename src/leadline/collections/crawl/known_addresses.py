"""Which addresses a crawl knows: a hash of each in memory, the addresses themselves on disk."""

from __future__ import annotations

from leadline.collections.crawl.frontier import Frontier

RECENT = 1 << 16  # addresses kept in memory: most pages of a site link to the same others


class KnownAddresses:
    """The addresses of a frontier. One of a million takes about 100 bytes of memory, however long it is.

    A hash that is not there is a new address. One that is there may be that of another, so the frontier decides.
    """

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self._hashes = {hash(address) for address in frontier.addresses()}
        self._recent: set[str] = set()

    def __contains__(self, address: str) -> bool:
        if address in self._recent:
            return True
        if hash(address) not in self._hashes or not self._frontier.knows(address):
            return False
        self._remember(address)
        return True

    def add(self, address: str) -> None:
        """Add an address that is put into the frontier as well."""
        self._hashes.add(hash(address))
        self._remember(address)

    def _remember(self, address: str) -> None:
        if len(self._recent) >= RECENT:
            self._recent.clear()
        self._recent.add(address)
