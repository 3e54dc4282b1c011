"""Addresses of pages: every choice is in the link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode


def link(path: str, values: Mapping[str, Any] | None = None, /, **changed: Any) -> str:
    """The address of a page with these values, some of them changed; empty ones are left out.

    >>> link("/search", {"q": "tin nail", "page": 3}, page=None, model="bm25")
    '/search?q=tin+nail&model=bm25'
    """
    chosen = {**(values or {}), **changed}
    written = {name: value for name, value in chosen.items() if value not in (None, "", False)}
    query = urlencode({name: "1" if value is True else value for name, value in written.items()}, errors="replace")
    return f"{path}?{query}" if query else path


def document_link(collection: str, document: str, /, **values: Any) -> str:
    """The address of a document's page.

    >>> document_link("patents", "EP 1/A", topic="7")
    '/document/patents/EP%201%2FA?topic=7'
    """
    return link(f"/document/{_quoted(collection)}/{_quoted(document)}", values)


def thing_link(page: str, name: str, /, **values: Any) -> str:
    """The address of a page of a thing in the lab, such as /collection/patents."""
    return link(f"/{page}/{_quoted(name)}", values)


def _quoted(name: str) -> str:
    return quote(name, safe="", errors="replace")
