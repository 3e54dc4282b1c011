"""XML that comes from anywhere: no entities, no network, no DTD; and the words of an element."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

Element = Any  # lxml's, which has no types of its own


@cache
def _parser(encoding: str) -> Any:
    from lxml import etree

    return etree.XMLParser(
        encoding=encoding,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,  # one document is at most as long as the splitter lets pass
        collect_ids=False,
    )


def parse(content: bytes, encoding: str = "utf-8") -> Element:
    """The root element of one document; ValueError with the parser's words when it is broken.

    >>> parse(b"<p>one <b>two</b></p>").tag
    'p'
    """
    from lxml import etree

    try:
        root = etree.fromstring(content, _parser(encoding))
    except (etree.XMLSyntaxError, LookupError) as error:
        raise ValueError(" ".join(str(error).split())) from None
    if root.getroottree().docinfo.doctype:
        raise ValueError("a document type inside a document is refused: it could define entities")
    return root


def text_of(element: Element | None) -> str:
    """All words under an element, blanks collapsed.

    >>> text_of(parse(b"<p>one\\n  <b>two</b> three</p>"))
    'one two three'
    """
    if element is None:
        return ""
    from lxml import etree

    text: str = etree.tostring(element, method="text", encoding="unicode", with_tail=False)  # ten times itertext
    return " ".join(text.split())


def words_of(elements: Iterator[Element], separator: str = "\n") -> str:
    """The words of several elements, one a line."""
    return separator.join(filter(None, map(text_of, elements)))


def find_text(element: Element, path: str) -> str:
    """The words of the first element at a path, empty where there is none.

    >>> find_text(parse(b"<a><b> x </b></a>"), "b"), find_text(parse(b"<a/>"), "b/c")
    ('x', '')
    """
    return text_of(element.find(path))


def local_name(tag: str) -> str:
    """A tag without its namespace.

    >>> local_name("{http://example.org}claim")
    'claim'
    """
    return tag.rpartition("}")[2]
