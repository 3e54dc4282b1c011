"""A web server on loopback for the crawler to visit: real sockets, real pages, and a log of every request."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path

from aiohttp import web

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
Page = str | bytes | web.Response | Answer


class SiteServer:
    """A site in a thread of its own. `pages` has what each path answers; `folder` serves files beside them."""

    def __init__(
        self,
        pages: Mapping[str, Page] | None = None,
        folder: Path | None = None,
        certificate: ssl.SSLContext | None = None,
    ) -> None:
        self._certificate = certificate
        self.pages: dict[str, Page] = dict(pages or {})
        self.folder = folder
        self.log: list[tuple[str, int]] = []  # path with query, and status, of every request that was answered in full
        self.headers: list[tuple[str, Mapping[str, str]]] = []
        self.agents: set[str] = set()
        self.host, self.port = "127.0.0.1", 0
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        return f"http{'' if self._certificate is None else 's'}://{self.host}:{self.port}"

    def paths(self, status: int | None = 200) -> list[str]:
        """The paths that were answered with a status, in their order; robots.txt left out."""
        return [path for path, found in self.log if path != "/robots.txt" and status in (None, found)]

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        self._ready.set()
        self._loop.run_forever()

    async def _start(self) -> None:
        async def answer(request: web.BaseRequest) -> web.StreamResponse:
            self.agents.add(request.headers.get("User-Agent", ""))
            self.headers.append((request.path_qs, dict(request.headers)))
            response = await self._answer(request)
            if not response.prepared:
                await response.prepare(request)
                await response.write_eof()
            self.log.append((request.path_qs, response.status))
            return response

        runner = web.ServerRunner(web.Server(answer, access_log=None), shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, self.host, 0, ssl_context=self._certificate)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        page = self.pages.get(request.path_qs, self.pages.get(request.path))
        if page is None:
            page = next((each for path, each in self.pages.items() if path.endswith("*")
                         and request.path_qs.startswith(path[:-1])), None)  # fmt: skip
        if page is None and self.folder is not None:
            file = self.folder / (request.path.strip("/") or "index.html")
            if file.is_file():
                kind = {"html": "text/html", "css": "text/css", "svg": "image/svg+xml"}.get(
                    file.suffix[1:], "text/plain"
                )
                body = file.read_bytes()
                return web.Response(body=body, content_type=kind, charset="utf-8" if kind == "text/html" else None)
        if page is None:
            return web.Response(status=404, text="not here")
        if isinstance(page, web.Response):  # a response can be sent once
            return web.Response(status=page.status, body=page.body, headers=page.headers)
        if isinstance(page, (str, bytes)):
            return web.Response(body=page if isinstance(page, bytes) else page.encode(), content_type="text/html")
        return await page(request)  # type: ignore[arg-type]

    def __enter__(self) -> SiteServer:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)


def links(*targets: str, head: str = "", text: str = "") -> str:
    """A page with some links."""
    anchors = "".join(f'<p><a href="{target}">to {target}</a></p>' for target in targets)
    return f"<!doctype html><html><head><title>page</title>{head}</head><body>{anchors}<p>{text}</p></body></html>"


def redirect(target: str, status: int = 302) -> web.Response:
    return web.Response(status=status, headers={"Location": target})


@contextlib.contextmanager
def site(
    pages: Mapping[str, Page] | None = None, folder: Path | None = None, certificate: ssl.SSLContext | None = None
) -> Iterator[SiteServer]:
    """A running site."""
    with SiteServer(pages, folder, certificate) as server:
        yield server
