"""The public function that crawls."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from typing import Any

from leadline.collections.crawl.crawl_folder import crawl as crawl_into
from leadline.collections.crawl.crawl_outcome import CrawlOutcome
from leadline.collections.crawl.crawl_settings import WEB_PACKAGES
from leadline.collections.crawl.crawler import CrawlProgress
from leadline.errors import InputError


def crawl(
    seeds: str | Sequence[str],
    folder: str | os.PathLike[str],
    *,
    depth: int | None = None,
    pages: int | None = None,
    per_host: int | None = None,
    hosts: Sequence[str] | None = None,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    delay: float | None = None,
    timeout: float | None = None,
    max_size: int | None = None,
    chain: int | None = None,
    connections: int | None = None,
    user_agent: str | None = None,
    private: Sequence[str] | None = None,
    sitemaps: bool | None = None,
    again: bool = False,
    progress: Callable[[CrawlProgress], None] | None = None,
) -> CrawlOutcome:
    """Crawl pages of the web into a folder that is a collection; the options are those of `leadline crawl`.

    The same folder again goes on where an earlier crawl stopped, with its seeds and options where these are not given;
    `again` asks for what changed since. `max_size` is in MiB. `progress` is called with how far the crawl is.
    """
    missing = [name for name in WEB_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        words = f"needs the package{'s' * (len(missing) > 1)} {', '.join(missing)}"
        raise InputError("crawl", f'{words}: pip install "leadline[web]"')
    given: dict[str, Any] = {
        "depth": depth, "pages": pages, "per_host": per_host, "delay": delay, "timeout": timeout, "chain": chain,
        "connections": connections, "user_agent": user_agent, "sitemaps": sitemaps,
        "max_bytes": None if max_size is None else max_size << 20,
    }  # fmt: skip
    lists = {"hosts": hosts, "include": include, "exclude": exclude, "private_hosts": private}
    for name, values in lists.items():
        if isinstance(values, str):
            raise InputError(name.removesuffix("_hosts"), f"must be a list, got {values!r}; write [{values!r}]")
        given[name] = None if values is None else tuple(values)
    return crawl_into(
        folder,
        [seeds] if isinstance(seeds, str) else seeds,
        again=again,
        report=progress,
        **{name: value for name, value in given.items() if value is not None},
    )
