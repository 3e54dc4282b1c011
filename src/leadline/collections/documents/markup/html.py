"""What a page in HTML says: its title, texts, links, dates and what it allows robots."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadline.collections.documents.markup.main_text import page_texts
from leadline.errors import InputError
from leadline.text.days import iso

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

ROBOT = "leadline"  # the name by which pages and servers may address this crawler
MAX_LINKS = 10_000  # of one page
MAX_ANCHOR = 500  # characters
MAX_DEPTH = 2000  # elements inside each other
_REFRESH = re.compile(r"""\s*[\d.]*\s*[;,]\s*(?:url\s*=\s*)?(["']?)([^"'\s]+)\1""", re.IGNORECASE)
_NO_FOLLOW = frozenset({"nofollow", "ugc", "sponsored"})
_DATES = (
    "article:published_time", "citation_publication_date", "citation_date", "dcterms.issued", "dcterms.date",
    "dc.date.issued", "dc.date", "datepublished", "date", "pubdate", "publish-date", "article:modified_time",
    "last-modified",
)  # fmt: skip
_AUTHORS = ("citation_author", "author", "dc.creator", "dcterms.creator")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)[^<>]*>?")
_CLOSED_BY_OTHERS = frozenset(  # or without content: they are never deep
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr", "p",
     "li", "dt", "dd", "option", "tr", "td", "th", "tbody", "thead")
)  # fmt: skip
_LANGUAGE = re.compile(r"\s*([a-zA-Z]{2})(?:[-_].*)?\s*")


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link as the page writes it."""

    href: str
    anchor: str = ""
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """What was read from a page."""

    title: str
    text: str  # the main text; all visible text where no block is content
    summary: str  # the page's own description
    date: str
    language: str
    authors: tuple[str, ...]
    canonical: str  # the address that the page says is its own, as written
    base: str  # what links are relative to, as written
    links: tuple[PageLink, ...]
    noindex: bool
    nofollow: bool


def check_html_packages(what: str) -> None:
    """Refuse to read HTML where the package for it is missing."""
    import importlib.util

    if importlib.util.find_spec("selectolax") is None:
        raise InputError(what, 'needs the package selectolax: pip install "leadline[web]"')


def read_page(markup: str, *, texts: bool = True) -> HtmlPage:
    """Read a page; broken markup is read as browsers read it. Without `texts`, its text is not looked for."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(_without_depth(markup))
    meta = _meta(tree)
    noindex, nofollow = robots_words([*meta.get("robots", ()), *meta.get(ROBOT, ())])
    title = tree.css_first("head > title") or tree.css_first("title")
    base = tree.css_first("base[href]")
    root = tree.css_first("html")
    language = _LANGUAGE.fullmatch((root.attributes.get("lang") if root is not None else "") or "")
    canonical = next(
        (
            node.attributes.get("href") or ""
            for node in tree.css("link[rel][href]")
            if "canonical" in (node.attributes.get("rel") or "").lower().split()
        ),
        "",
    )
    links = (*_refreshed(tree), *_links(tree))
    heading = tree.css_first("h1")
    named = _tidy(title.text() if title is not None else "") or next(iter(meta.get("og:title", ())), "")
    if not named and heading is not None:
        named = _tidy(heading.text())
    main, whole = page_texts(tree) if texts else ("", "")
    return HtmlPage(
        title=named, text=main or whole,
        summary=next(iter(meta.get("description", meta.get("og:description", ()))), ""),
        date=next((day for name in _DATES for text in meta.get(name, ()) if (day := iso(text))), ""),
        language=language[1].lower() if language else "",
        authors=tuple(next((meta[name] for name in _AUTHORS if meta.get(name)), ())),
        canonical=canonical, base=(base.attributes.get("href") or "") if base is not None else "",
        links=links, noindex=noindex, nofollow=nofollow,
    )  # fmt: skip


def _without_depth(markup: str) -> str:
    """The markup; without its elements but links where they are too deep for the parser.

    Its time grows with the square of the depth, and elements inside each other can be as many as a page has bytes.
    """
    if markup.count("<") <= MAX_DEPTH:
        return markup
    depth = 0
    for tag in _TAG.finditer(markup):
        if tag[2].lower() not in _CLOSED_BY_OTHERS:
            depth = max(depth - 1, 0) if tag[1] else depth + 1
            if depth > MAX_DEPTH:
                return _TAG.sub(lambda each: each[0] if each[2].lower() in ("a", "title") else " ", markup)
    return markup


def robots_words(directives: Iterable[str]) -> tuple[bool, bool]:
    """Whether directives such as `noindex, nofollow` forbid to keep a page and to follow its links.

    >>> robots_words(["noindex, follow"]), robots_words(["none"])
    ((True, False), (True, True))
    """
    words = {word.strip().lower() for text in directives for word in re.split(r"[,;\s]+", text)}
    return bool(words & {"noindex", "none"}), bool(words & {"nofollow", "none"})


def robots_header(values: Iterable[str]) -> tuple[bool, bool]:
    """The same of X-Robots-Tag headers; a directive for another robot does not count.

    >>> robots_header(["otherbot: noindex", "leadline: nofollow"])
    (False, True)
    """
    ours = []
    for value in values:
        agent, colon, rest = value.partition(":")
        if not colon or "," in agent or agent.strip().lower() in ("unavailable_after", "max-snippet"):
            ours.append(value)
        elif agent.strip().lower() == ROBOT:
            ours.append(rest)
    return robots_words(ours)


def _meta(tree: LexborHTMLParser) -> dict[str, list[str]]:
    """The contents of meta elements by their names in small letters."""
    found: dict[str, list[str]] = {}
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or ""
        content = _tidy(attributes.get("content") or "")
        if name and content:
            found.setdefault(name.strip().lower(), []).append(content)
    return found


def _refreshed(tree: LexborHTMLParser) -> list[PageLink]:
    """Where a page sends its reader by itself: <meta http-equiv="refresh" content="0; url=/new">."""
    found = []
    for node in tree.css("meta[http-equiv][content]"):
        target = _REFRESH.match(node.attributes.get("content") or "")
        if (node.attributes.get("http-equiv") or "").strip().lower() == "refresh" and target:
            found.append(PageLink(target[2].strip(), "", False))
    return found


def _links(tree: LexborHTMLParser) -> tuple[PageLink, ...]:
    found = []
    for node in tree.css("a[href], area[href], frame[src], iframe[src], link[rel=next][href], link[rel=prev][href]"):
        attributes = node.attributes
        tag = node.tag
        href = attributes.get("src" if tag in ("frame", "iframe") else "href") or ""
        if not href or href.startswith("#"):
            continue
        rel = attributes.get("rel")
        nofollow = rel is not None and not _NO_FOLLOW.isdisjoint(rel.lower().split())
        anchor = _tidy(node.text()) if tag == "a" else _tidy(attributes.get("alt") or "")
        found.append(PageLink(href, anchor[:MAX_ANCHOR], nofollow))
        if len(found) == MAX_LINKS:
            break
    return tuple(found)


def _tidy(text: str) -> str:
    return " ".join(text.split())
