"""Text and claims of the Red Book, the American markup of 2001 to 2004, in both its forms: PATDOC and PAP."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from leadline.collections.documents.claims import limited
from leadline.collections.documents.document import Claim
from leadline.collections.documents.fields.us_parts import read_claim
from leadline.collections.documents.markup.xml import Element

_BREAK = "\N{PARAGRAPH SEPARATOR}"  # `str.split` treats it as a blank, so it never ends up inside a word


def mark_breaks(root: Element, blocks: Iterable[str], cells: Iterable[str], silent: Iterable[str]) -> None:
    """Mark a tree for `lines`: a break around every block, a blank around every cell; silent elements are emptied."""
    for node in list(root.iter(*silent)):
        node.clear(keep_tail=True)
    for names, mark in ((blocks, _BREAK), (cells, " ")):
        for node in root.iter(*names):
            node.text = mark + (node.text or "")
            node.tail = mark + (node.tail or "")


def lines(element: Element | None) -> Iterator[str]:
    """The lines of an element in a tree that `mark_breaks` has marked."""
    from lxml import etree

    if element is not None:
        text: str = etree.tostring(element, encoding="unicode", method="text", with_tail=False)
        for line in text.split(_BREAK):
            if words := " ".join(line.split()):
                yield words


def read_claims(found: Sequence[Element], name: str, reference: str, target: str) -> tuple[Claim, ...]:
    """The claims. `name` is the attribute with their id, CLM-00001 ...; `target` that of a `reference` to a claim."""
    digits = [re.search(r"[0-9]{1,6}", claim.get(name, "")) for claim in found]
    numbers = [int(match[0]) if match else 0 for match in digits]
    if any(one >= other for one, other in zip([0, *numbers], numbers, strict=False)):
        numbers = list(range(1, len(found) + 1))  # they do not count up: take the places instead
    by_name = {claim.get(name): number for claim, number in zip(found, numbers, strict=True)}
    texts = [" ".join(lines(claim)) for claim in found]
    marked = [
        [by_name[one] for mark in claim.iter(reference) for one in mark.get(target, "").split() if one in by_name]
        for claim in found
    ]
    read = (read_claim(*parts) for parts in zip(numbers, texts, marked, strict=True))
    return limited(claim for claim in read if claim.text)
