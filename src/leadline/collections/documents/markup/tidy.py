"""Prepare trees for extracting text: drop namespaces, and mark where a new word or a new line begins.

Text goes through the parser's own serialiser, which is several times faster than collecting strings in Python.
"""

from __future__ import annotations

from collections.abc import Iterator

from leadline.collections.documents.markup.xml import Element, local_name

# Elements that end a word: often only a tag separates "comprising:" from the step that follows.
_WORDS = (
    *("claim", "claim-text", "sec"),
    *("br", "dd", "dl", "dt", "label", "li", "list-item", "ol", "ul"),
    *("entry", "row", "table", "td", "th", "tr"),
)
_LINES = ("heading", "p", "title")
_LINE = "\r"  # not in any parsed text, since parsers turn it into \n; `str.split` treats it as a blank


def tidy(element: Element, prefix: str = "") -> Element:
    """The same tree, changed in place. An office's `prefix` of element names is dropped.

    >>> from leadline.collections.documents.markup.xml import parse
    >>> wording(tidy(parse(b"<x:claim xmlns:x='http://x.org'>A nail<x:claim-text>bent</x:claim-text></x:claim>")))
    'A nail bent'
    >>> tidy(parse(b"<a><fr-claims/></a>"), "fr-")[0].tag
    'claims'
    """
    for node in element.iter("*"):
        name = node.tag
        if name[0] == "{":
            node.tag = name = local_name(name)
        if prefix and name.startswith(prefix):
            node.tag = name[len(prefix) :]
    for tags, mark in ((_WORDS, " "), (_LINES, _LINE)):
        for block in element.iter(*tags):
            block.text = mark + (block.text or "")
            tail = block.tail
            if tail and not tail[0].isspace():
                block.tail = mark + tail
    return element


def _raw(element: Element) -> str:
    from lxml import etree

    return etree.tostring(element, method="text", encoding="unicode", with_tail=False)


def _collapsed(text: str) -> str:
    text = text.strip()
    if text.isascii() and "\n" not in text and "\r" not in text and "\t" not in text and "  " not in text:
        return text  # most paragraphs: checking is four times faster than splitting and joining
    return " ".join(text.split())


def wording(element: Element | None) -> str:
    """The text of an element with blanks collapsed; empty for None."""
    return "" if element is None else _collapsed(_raw(element))


def has_words(element: Element) -> bool:
    """Whether there is any text under an element."""
    text = _raw(element)
    return bool(text) and not text.isspace()


def paragraphs(element: Element | None) -> str:
    """The text of an element, one line for each paragraph and heading.

    >>> from leadline.collections.documents.markup.xml import parse
    >>> paragraphs(tidy(parse(b"<a><sec><title>Nails</title><p>A <b>bent</b> nail.</p><p/><p>A bolt.</p></sec></a>")))
    'Nails\\nA bent nail.\\nA bolt.'
    """
    return "" if element is None else "\n".join(filter(None, map(_collapsed, _raw(element).split(_LINE))))


def listed(element: Element) -> str:
    """The text of an element's parts, with commas between them.

    >>> from leadline.collections.documents.markup.xml import parse
    >>> listed(parse(b"<article><author>Doe</author><serial><title>Nails</title><year>1998</year></serial></article>"))
    'Doe, Nails, 1998'
    """
    return ", ".join(filter(None, _parts(element)))


def _parts(element: Element) -> Iterator[str]:
    if len(element) and not (element.text or "").strip():
        for child in element:
            yield from _parts(child)
    else:
        yield wording(element)
