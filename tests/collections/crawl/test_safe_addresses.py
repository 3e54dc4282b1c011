"""No connection to a private address: redirects, names, odd spellings, other schemes; on a real server."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from site_server import SiteServer, links, redirect, site

from leadline.collections.crawl.addresses import RefusedConnectionError, SafeAddresses, private_kind, safe_resolver
from leadline.collections.crawl.crawl_folder import CrawlOutcome
from leadline.collections.crawl.crawl_folder import crawl_into as crawl
from leadline.errors import InputError

SPELLINGS = (
    "127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "0.0.0.0", "127.0.0.1.", "localhost",
    "LOCALHOST.", "sub.localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]", "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]", "①②⑦.⓪.⓪.①", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1",
    "224.0.0.1", "240.0.0.1", "255.255.255.255", "[fe80::1]", "[fc00::1]", "[fec0::1]", "[ff02::1]", "198.18.0.1",
    "192.0.2.1", "192.0.0.9",
)  # fmt: skip


def names(**hosts: list[str]) -> Callable[[str, int], Awaitable[list[str]]]:
    """A resolver with these names; the answers of a name are used one after another, the last for good."""
    left = {host.replace("_", "."): list(answers) for host, answers in hosts.items()}

    async def lookup(host: str, _port: int) -> list[str]:
        answers = left.get(host)
        if answers is None:
            raise OSError("no such name")
        return [answers.pop(0) if len(answers) > 1 else answers[0]]

    return lookup


def run(folder: Path, *seeds: str, **more: object) -> CrawlOutcome:
    return crawl(folder, seeds, **{"delay": 0.0, "retries": 0, "backoff": 0.01, **more})  # type: ignore[arg-type]


def reason(folder: Path, address: str) -> str:
    import polars as pl

    pages = pl.read_parquet(folder / "pages.parquet").filter(pl.col("address") == address)
    return f"{pages['state'][0]}: {pages['reason'][0]}"


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_links_and_redirects_to_private_addresses(spelling: str, tmp_path: Path) -> None:
    with site({"/secret": "inside"}) as other, SiteServer() as public:
        target = f"http://{spelling}:{other.port}/secret"
        public.pages |= {"/": links(target, "/away"), "/away": redirect(target)}
        outcome = run(tmp_path / "crawl", public.url + "/", hosts=("*",))
    assert other.log == []
    assert outcome.refused == {"private address": 1}
    assert outcome.failed == {"redirect to private address": 1}
    assert public.paths(302) == ["/away"]


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "gopher://127.0.0.1:70/", "ftp://example.com/", "data:text/html,x"]
)
def test_other_schemes(target: str, tmp_path: Path) -> None:
    with site({"/": links(target, "/away"), "/away": redirect(target)}) as server:
        outcome = run(tmp_path / "crawl", server.url + "/")
    assert outcome.passed_over == {"not http or https": 1}
    assert outcome.failed == {"redirect to an address that is not crawled": 1}
    with pytest.raises(InputError, match=r"only http and https are"):
        run(tmp_path / "other", target)


def test_a_name_that_leads_to_a_private_address_is_not_connected_to(tmp_path: Path) -> None:
    with site({"/": "inside"}) as server:
        seed = f"http://public.example:{server.port}/"
        outcome = run(tmp_path / "crawl", seed, lookup=names(public_example=["127.0.0.1"]))
        assert server.log == []
    assert outcome.refused == {"private address": 1}
    assert reason(tmp_path / "crawl", seed) == "refused: private address"


def test_a_name_that_changes_to_a_private_address(tmp_path: Path) -> None:
    """Rebinding: public when it is checked, private when it is connected to. Each connection uses a checked address."""
    with site({"/": "inside", "/robots.txt": "x"}) as server:
        seed = f"http://rebind.example:{server.port}/"
        lookup = names(rebind_example=["192.88.99.1", "127.0.0.1"])  # the first answers nobody
        outcome = run(tmp_path / "crawl", seed, lookup=lookup, timeout=0.5)
        assert server.log == []
    assert outcome.documents == 0


def test_a_name_may_be_allowed(tmp_path: Path) -> None:
    with site({"/": links(text="an intranet")}) as server:
        seed = f"http://intranet.example:{server.port}/"
        lookup = names(intranet_example=["127.0.0.1"])
        outcome = run(tmp_path / "crawl", seed, lookup=lookup, private_hosts=("intranet.example",))
    assert outcome.documents == 1
    assert outcome.private == ["intranet.example"]


def test_a_private_seed_opens_its_own_port_only(tmp_path: Path) -> None:
    with site({"/": "other service"}) as other, SiteServer() as server:
        server.pages |= {"/": links(other.url + "/", "/away"), "/away": redirect(other.url + "/")}
        outcome = run(tmp_path / "crawl", server.url + "/", hosts=("*",))
    assert other.log == []
    assert outcome.refused == {"private address": 1}
    assert outcome.private == [f"127.0.0.1:{server.port}"]


def test_robots_and_sitemaps_do_not_lead_inside_either(tmp_path: Path) -> None:
    with site({"/robots.txt": "User-agent: *\nDisallow:", "/map.xml": "x"}) as other, SiteServer() as server:
        server.pages |= {"/": links(), "/robots.txt": f"Sitemap: {other.url}/map.xml\n"}
        run(tmp_path / "crawl", server.url + "/")
    assert other.log == []


def test_the_resolver_hands_out_checked_addresses_only() -> None:
    rule = SafeAddresses(["http://public.example/"])

    async def lookup(_host: str, _port: int) -> list[str]:
        return ["10.0.0.1", "93.184.216.34", "::ffff:127.0.0.1"]

    async def resolve() -> list[str]:
        return [each["host"] for each in await safe_resolver(rule, lookup).resolve("public.example", 80, 0)]  # type: ignore[arg-type]

    assert asyncio.run(resolve()) == ["93.184.216.34"]
    with pytest.raises(RefusedConnectionError, match=r"leads to 10[.]0[.]0[.]1, a private address"):
        rule.checked("public.example", 80, ["10.0.0.1"])


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_public_addresses(address: str) -> None:
    assert private_kind(ipaddress.ip_address(address)) == ""


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("fec0::1", "site-local"), ("feff:ffff::1", "site-local"), ("fe80::1", "link-local"), ("fc00::1", "private"),
        ("fdff::1", "private"), ("ff02::1", "multicast"), ("::ffff:192.168.0.1", "private"), ("::10.0.0.1", "private"),
        ("::ffff:0:10.0.0.1", "reserved"), ("64:ff9b::10.0.0.1", "private"), ("64:ff9b:1::7f00:1", "reserved"),
        ("64:ff9b:1:a00:0:100:808:808", "reserved"), ("192.88.99.1", "private"), ("168.63.129.16", "private"),
        ("2002:a00:1::", "private"), ("2002:7f00:1::1", "loopback"), ("2001:db8::1", "private"), ("3fff::1", "private"),
        ("100::1", "reserved"), ("5f00::1", "reserved"), ("4000::1", "reserved"), ("100.64.0.1", "private"),
        ("100.127.255.255", "private"), ("192.0.0.1", "private"), ("192.0.0.9", "private"), ("192.0.0.192", "private"),
        ("198.18.0.1", "private"), ("198.19.255.255", "private"), ("203.0.113.1", "private"), ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"), ("239.255.255.250", "multicast"), ("0.0.0.0", "unspecified"),
        ("0.1.2.3", "private"), ("169.254.169.254", "link-local"),
    ],
)  # fmt: skip
def test_special_addresses(address: str, kind: str) -> None:
    assert private_kind(ipaddress.ip_address(address)) == kind


@pytest.mark.parametrize("address", ["100.128.0.1", "198.20.0.1", "192.0.1.1", "2002:808:808::", "64:ff9b::808:808"])
def test_neighbours_of_special_addresses_are_public(address: str) -> None:
    assert private_kind(ipaddress.ip_address(address)) == ""
