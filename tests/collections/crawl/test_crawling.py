"""What is asked for, followed, kept and given up, on a real server."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from aiohttp import web
from crawl_runs import documents, pages, run
from site_server import SiteServer, links, redirect, site

from leadline.collections.documents.collection import Collection
from leadline.collections.duplicates.find import duplicates
from leadline.collections.links.reading import read_links
from leadline.errors import InputError
from leadline.show.check import check


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "crawl"


def test_breadth_first_and_every_page_once(folder: Path) -> None:
    tree = {
        "/": links("/a", "/b", "/a#part", "A/../a"),
        "/a": links("/a1", "/"),
        "/b": links("/b1", "/a"),
        "/a1": links("/a2"),
        "/b1": links(),
        "/a2": links(),
    }
    with site(tree) as server:
        outcome = run(folder, server.url)
    assert server.paths() == ["/", "/a", "/b", "/a1", "/b1", "/a2"]
    assert outcome.finished
    assert outcome.documents == 6
    assert all(agent.startswith("leadline/") for agent in server.agents)


def test_depth_pages_and_patterns(tmp_path: Path) -> None:
    chain = {f"/{place}": links(f"/{place + 1}", f"/x{place}") for place in range(9)} | {"/x*": "leaf"}
    with site(chain) as server:
        run(tmp_path / "depth", f"{server.url}/0", depth=2)
        assert server.paths() == ["/0", "/1", "/x0", "/2", "/x1"]
        server.log.clear()
        limited = run(tmp_path / "pages", f"{server.url}/0", pages=3)
        assert server.paths() == ["/0", "/1", "/x0"]
        assert not limited.finished
        assert run(tmp_path / "pages", pages=5).asked == 2  # goes on with a larger limit
        assert len(server.paths()) == 5
        server.log.clear()
        run(tmp_path / "patterns", f"{server.url}/0", exclude=("*/x?",), include=("*/[0-3]", "*/x*"))
        assert server.paths() == ["/0", "/1", "/2", "/3"]
        server.log.clear()
        run(tmp_path / "hosts", f"{server.url}/0", per_host=2)
        assert server.paths() == ["/0", "/1"]


def test_robots_are_obeyed(folder: Path) -> None:
    rules = "User-agent: *\nDisallow: /\n\nUser-agent: leadline\nDisallow: /private\nAllow: /private/open\n"
    rules += "Sitemap: /map.xml\n"
    sitemap = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{}/hidden</loc></url></urlset>"
    with SiteServer() as server:
        server.pages |= {
            "/robots.txt": rules.replace("/map.xml", f"{server.url}/map.xml"),
            "/hidden": links(),
            "/map.xml": sitemap.format(server.url),
            "/private/open": links(),
            "/": links("/private/x", "/private/open", "/open"),
            "/open": links(),
            "/private/x": links(),
        }
        run(folder, server.url)
    assert sorted(server.paths()) == ["/", "/hidden", "/map.xml", "/open", "/private/open"]
    assert pages(folder)["/private/x"] == ("refused", "robots.txt")


def test_a_robots_txt_that_cannot_be_had_forbids_all_until_it_can(folder: Path) -> None:
    with site({"/robots.txt": web.Response(status=503), "/": links()}) as server:
        outcome = run(folder, server.url)
        assert server.paths() == []
        assert outcome.refused == {"robots.txt unreachable (http 503)": 1}
        server.pages["/robots.txt"] = web.Response(status=404)
        assert run(folder).documents == 1


def test_crawl_delay_and_one_request_at_a_time(folder: Path) -> None:
    now, most = [0], [0]

    async def slow(_request: web.Request) -> web.Response:
        now[0] += 1
        most[0] = max(most[0], now[0])
        await asyncio.sleep(0.02)
        now[0] -= 1
        return web.Response(text=links(*(f"/{number}" for number in range(3))), content_type="text/html")

    with site(
        {"/robots.txt": "User-agent: *\nCrawl-delay: 0.2", "/": slow, **{f"/{n}": slow for n in range(3)}}
    ) as server:
        began = time.monotonic()
        run(folder, server.url)
    assert time.monotonic() - began >= 3 * 0.2  # between four pages; when each arrives depends on the machine
    assert most == [1]
    assert sorted(server.paths()) == ["/", "/0", "/1", "/2"]


def test_nofollow_noindex_and_headers(folder: Path) -> None:
    tree = {
        "/": '<a href="/a">a</a><a rel="nofollow" href="/never">no</a>'
        + links("/noindex", "/nofollow", "/header", "/other"),
        "/a": links(text="kept"),
        "/noindex": links("/behind", head='<meta name="robots" content="NOINDEX">'),
        "/nofollow": links("/never2", head='<meta name="leadline" content="nofollow">'),
        "/behind": links(),
        "/header": web.Response(text=links("/never3"), content_type="text/html", headers={"X-Robots-Tag": "none"}),
        "/other": web.Response(text="x", content_type="text/html", headers={"X-Robots-Tag": "otherbot: noindex"}),
    }
    with site(tree) as server:
        run(folder, server.url)
    assert sorted(server.paths()) == ["/", "/a", "/behind", "/header", "/nofollow", "/noindex", "/other"]
    assert documents(folder) == ["/", "/a", "/behind", "/nofollow", "/other"]
    table = pl.read_parquet(folder / "links.parquet")
    assert table.columns == ["source", "target", "anchor", "nofollow"]
    nofollow = table.filter(pl.col("nofollow"))["target"].to_list()
    assert sorted(each.rsplit("/", 1)[1] for each in nofollow) == ["never", "never2", "never3"]


def test_redirects_canonical_pages_and_default_pages(folder: Path) -> None:
    tree = {
        "/": links("/old", "/index.html", "/copy?utm_source=x", "/loop1", "/r0", "/dir/index.html"),
        "/old": redirect("/new", 301),
        "/new": links(text="new"),
        "/copy": links(head='<link rel="canonical" href="/new">'),
        "/loop1": redirect("/loop2"),
        "/loop2": redirect("/loop1"),
        **{f"/r{n}": redirect(f"/r{n + 1}") for n in range(9)},
        "/dir/index.html": redirect("/dir/"),
        "/dir/": links(text="folder"),
    }
    with site(tree) as server:
        run(folder, server.url)
    assert sorted(server.paths()) == ["/", "/copy", "/dir/", "/new"]
    assert documents(folder) == ["/", "/dir/", "/new"]
    assert "/r6" not in server.paths(302)
    assert pages(folder)["/r5"] == ("failed", "too many redirects")
    targets = pl.read_parquet(folder / "links.parquet")["target"].to_list()
    assert f"{server.url}/old" not in targets
    assert targets.count(f"{server.url}/new") == 2


def test_retries_with_backoff_and_retry_after(folder: Path) -> None:
    times: list[float] = []

    async def busy(_request: web.Request) -> web.Response:
        times.append(time.monotonic())
        if len(times) < 3:
            return web.Response(status=503, headers={"Retry-After": "1"} if len(times) == 1 else {})
        return web.Response(text=links(text="at last"), content_type="text/html")

    with site(
        {"/": links("/busy", "/dead", "/other"), "/busy": busy, "/dead": web.Response(status=500), "/other": links()}
    ) as server:
        outcome = run(folder, server.url, retries=2)
    assert outcome.documents == 3
    assert times[1] - times[0] >= 1.0
    assert server.paths(500) == ["/dead"] * 3
    assert server.paths(503) == ["/busy"] * 2
    assert outcome.failed == {"http 500": 1}
    assert server.log.index(("/other", 200)) < server.log.index(("/busy", 200)), "others do not wait for a busy page"


def test_again_asks_only_for_what_changed(folder: Path) -> None:
    async def with_etag(request: web.Request) -> web.Response:
        if request.headers.get("If-None-Match") == '"1"':
            return web.Response(status=304)
        return web.Response(text=links(text="tagged"), content_type="text/html", headers={"ETag": '"1"'})

    dated = {"Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}

    async def with_date(request: web.Request) -> web.Response:
        if request.headers.get("If-Modified-Since") == dated["Last-Modified"]:
            return web.Response(status=304)
        return web.Response(text=links(text="dated"), content_type="text/html", headers=dated)

    tree: dict[str, Any] = {
        "/": links("/tag", "/date", "/same", "/changes", "/goes"),
        "/tag": with_etag,
        "/date": with_date,
        "/same": links(text="same"),
        "/changes": links(text="first"),
        "/goes": links(text="goes"),
    }
    with site(tree) as server:
        assert run(folder, server.url).documents == 6
        done = run(folder)
        assert (done.asked, done.finished, done.documents) == (0, True, 6)
        before = len(server.log)
        del server.pages["/goes"]
        server.pages["/changes"] = links("/fresh", text="second")
        server.pages["/fresh"] = links(text="fresh")
        outcome = run(folder, again=True)
        assert outcome.changes == {"changed": 1, "gone": 1, "new": 1, "unchanged": 4}
        assert dict(server.log[before:])["/tag"] == dict(server.log[before:])["/date"] == 304
    assert documents(folder) == ["/", "/changes", "/date", "/fresh", "/same", "/tag"]
    assert "second" in Collection.open(folder).document(f"{server.url}/changes").description

    history = sqlite3.connect(folder / "frontier.sqlite").execute(
        "select history.generation, outcome from history join pages on pages.id = page"
        " where address like '%/changes' order by 1"
    )
    assert history.fetchall() == [(0, "new"), (1, "changed")]


def test_seeds_are_checked_before_anything_is_made(folder: Path) -> None:
    for seeds, problem in (
        (["file:///etc/passwd"], "only http and https"),
        ([], "needs the address"),
        (["nothing"], "neither http"),
    ):
        with pytest.raises(InputError, match=problem):
            run(folder, *seeds)
    with pytest.raises(InputError, match="delay: must be between"):
        run(folder, "http://example.com/", delay=-1.0)
    assert not folder.exists()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="has other things in it"):
        run(tmp_path, "http://127.0.0.1:9/")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_damage_to_the_frontier_and_the_tables_is_found(folder: Path) -> None:
    with site({"/": links("/b"), "/b": links("/")}) as server:
        run(folder, server.url)
    assert check(folder) == []
    for name in ("links.parquet", "pages.parquet", "frontier.sqlite", "crawl.json"):
        whole = (folder / name).read_bytes()
        for damaged in (whole[:-40], whole[:-30] + bytes([whole[-30] ^ 1]) + whole[-29:]):
            (folder / name).write_bytes(damaged)
            assert [Path(found.path).name for found in check(folder)] == [name]
        if name == "links.parquet":
            with pytest.raises(InputError, match=r"links\.parquet: is damaged"):
                read_links(folder)
        if name == "frontier.sqlite":
            with pytest.raises(InputError, match="is damaged, its checksum does not fit: crawl into a new folder"):
                run(folder)
        (folder / name).write_bytes(whole)
    assert check(folder) == []


def test_odd_links_of_several_hosts_at_once(folder: Path) -> None:
    """Frames, base, refresh, a circle of redirects and a seed whose robots.txt fails, on three hosts."""
    odd = {
        "/": links("/frames", "/base", "/refresh", "/a", "/odd path", "http://[bad", "javascript:x", "?q=1"),
        "/frames": "<frameset><frame src='/framed'></frameset>", "/framed": "in a frame",
        "/base": "<head><base href='/sub/'></head><a href='inner'>x</a>", "/sub/inner": "inner",
        "/refresh": "<meta http-equiv=Refresh content=\"0; URL='/refreshed'\">", "/refreshed": "here now",
        "/a": redirect("/b"), "/b": redirect("/c"), "/c": redirect("/a"), "/odd%20path": "odd",
    }  # fmt: skip
    failing = {"/robots.txt": web.Response(status=500), "/": "no"}
    with site(odd) as first, site(failing) as second, site({"/": links("/y"), "/y": "y"}) as third:
        outcome = run(folder, f"{first.url}/", f"{second.url}/", f"{third.url}/")
        assert set(first.paths()) == {
            "/", "/?q=1", "/frames", "/framed", "/base", "/sub/inner", "/refresh", "/refreshed", "/odd%20path"
        }  # fmt: skip
        assert first.paths(302) == ["/a", "/b", "/c"]
        assert (second.paths(None), third.paths(None)) == ([], ["/", "/y"])
    assert outcome.refused == {"robots.txt unreachable (http 500)": 1}
    assert len(Collection.open(folder)) == 11


def test_the_best_linked_copy_of_a_page_is_kept(folder: Path) -> None:
    text = " ".join(f"word{number}" for number in range(60))
    tree = {"/": links("/copy", "/one", "/two"), "/copy": links(text=text), "/one": links("/known"),
            "/two": links("/known", "/known", "/two"), "/known": links("/known", text=text)}  # fmt: skip
    with site(tree) as server:
        run(folder, server.url)
    kept = {keep: next(name for _, name, _, first in duplicates(folder, keep=keep).entries if first)
            for keep in ("earliest", "best-linked")}  # fmt: skip
    assert kept == {"earliest": f"{server.url}/copy", "best-linked": f"{server.url}/known"}
