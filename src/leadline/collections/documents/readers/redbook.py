"""Text and claims of the Red Book, the American markup of 2001 to 2004, in both its forms: PATDOC and PAP."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from leadline.collections.documents.document import Claim
from leadline.collections.documents.readers.american import read_claim
from leadline.collections.documents.readers.xml import Element

_BREAK = "\N{PARAGRAPH SEPARATOR}"  # a blank to everyone else, so that it cannot end up in a word


def mark_breaks(root: Element, blocks: Iterable[str], cells: Iterable[str], silent: Iterable[str]) -> None:
    """Make a tree ready to be read: blocks are lines of their own, cells words of their own, silent elements empty."""
    for node in list(root.iter(*silent)):
        node.clear(keep_tail=True)
    for names, mark in ((blocks, _BREAK), (cells, " ")):
        for node in root.iter(*names):
            node.text = mark + (node.text or "")
            node.tail = mark + (node.tail or "")


def lines(element: Element | None) -> Iterator[str]:
    """The lines of an element of a marked tree."""
    from lxml import etree

    if element is not None:
        text: str = etree.tostring(element, encoding="unicode", method="text", with_tail=False)
        for line in text.split(_BREAK):
            if words := " ".join(line.split()):
                yield words


def claims(found: Sequence[Element], name: str, reference: str, target: str) -> tuple[Claim, ...]:
    """The claims, whose attribute `name` is CLM-00001 and so on, to which `reference` elements point by `target`."""
    digits = [re.search(r"[0-9]{1,6}", claim.get(name, "")) for claim in found]
    numbers = [int(match[0]) if match else 0 for match in digits]
    if any(one >= other for one, other in zip([0, *numbers], numbers, strict=False)):
        numbers = list(range(1, len(found) + 1))  # they do not count up, so their places must tell
    by_name = {claim.get(name): number for claim, number in zip(found, numbers, strict=True)}
    texts = [" ".join(lines(claim)) for claim in found]
    marked = [
        [by_name[one] for mark in claim.iter(reference) for one in mark.get(target, "").split() if one in by_name]
        for claim in found
    ]
    read = (read_claim(*parts) for parts in zip(numbers, texts, marked, strict=True))
    return tuple(claim for claim in read if claim.text)
