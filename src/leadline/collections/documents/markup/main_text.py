"""The main text of a page, told from menus, headers and footers.

A page is cut into blocks of text. A block is kept or dropped by its number of words, the share of them inside links,
and the same of its neighbours, with the decision tree of Kohlschütter, Fankhauser and Nejdl, Boilerplate Detection
using Shallow Text Features, WSDM 2010. What a page marks as navigation is dropped before; what it marks as its main
part limits the search. Headings are kept with the text that follows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

UNSEEN = ("script", "style", "noscript", "template", "svg", "iframe", "object", "select", "button", "input", "textarea")
NAVIGATION = ("nav", "aside", "footer", "menu", "dialog")
_NAVIGATION = ", ".join(
    [*NAVIGATION, *(f"[role={role}]" for role in ("navigation", "banner", "contentinfo", "search"))]
)
_MAIN = "main, [role=main], article"
_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hr", "legend", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody",
    "td", "tfoot", "th", "thead", "tr", "ul",
))  # fmt: skip
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_LARGEST_LINKED, _LINKED_BEFORE = 1 / 3, 5 / 9  # shares of words in links, of the block and of the one before it
FEWEST_MAIN = 0.25  # share of a page's words that its marked main part must have to be believed


@dataclass(slots=True)
class TextBlock:
    """A run of text that no block element interrupts."""

    text: str
    words: int
    linked: int  # words inside links
    heading: bool = False

    @property
    def density(self) -> float:
        return self.linked / self.words if self.words else 0.0


def page_texts(tree: LexborHTMLParser) -> tuple[str, str]:
    """The main text and all visible text of a page. The tree loses what is not shown."""
    tree.strip_tags(list(UNSEEN))
    body = tree.body
    if body is None:
        return "", ""
    everything = list(text_blocks(body))
    whole = "\n".join(block.text for block in everything)
    size = sum(block.words for block in everything)
    scope: list[LexborNode] = [body]
    marked = body.css(_MAIN)
    outer = [node for node in marked if not any(_is_inside(node, other) for other in marked if other != node)]
    if outer:
        blocks = [block for node in outer for block in text_blocks(node)]
        if sum(block.words for block in blocks) >= FEWEST_MAIN * size:
            scope = outer
    for node in scope:
        for navigation in node.css(_NAVIGATION):
            navigation.decompose()
    kept = main_blocks([block for node in scope for block in text_blocks(node)])
    return "\n".join(block.text for block in kept), whole


def _is_inside(node: LexborNode, other: LexborNode) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.mem_id == other.mem_id:
            return True
        parent = parent.parent
    return False


def text_blocks(root: LexborNode) -> Iterator[TextBlock]:
    """The blocks of text under an element, in their order. Without recursion: pages may be nested without limit."""
    pieces: list[str] = []
    linked: list[str] = []
    heading = False
    # An element is on the stack once to be opened and, if it is a block or a link, once to be closed.
    stack: list[tuple[LexborNode, bool]] = [(root, False)]
    links = 0
    while stack:
        node, closing = stack.pop()
        tag = node.tag
        if tag == "-text":
            if text := node.text_content:
                pieces.append(text)
                if links:
                    linked.append(text)
            continue
        if tag in _BLOCKS:
            if block := _block(pieces, linked, heading):
                yield block
            pieces.clear()
            linked.clear()
            heading = not closing and tag in _HEADINGS
        elif tag == "a":
            links += -1 if closing else 1
        if not closing:
            if tag in _BLOCKS or tag == "a":
                stack.append((node, True))
            child = node.last_child
            while child is not None:
                if child.tag != "-comment":
                    stack.append((child, False))
                child = child.prev
    if block := _block(pieces, linked, heading):
        yield block


def _block(pieces: Iterable[str], linked: Iterable[str], heading: bool) -> TextBlock | None:
    words = "".join(pieces).split()
    if not words:
        return None
    return TextBlock(" ".join(words), len(words), sum(len(text.split()) for text in linked), heading)


def main_blocks(blocks: list[TextBlock]) -> list[TextBlock]:
    """The blocks that are content, and the headings directly before them."""
    edge = TextBlock("", 0, 0)
    content = [
        is_content(block, blocks[place - 1] if place else edge, blocks[place + 1] if place + 1 < len(blocks) else edge)
        for place, block in enumerate(blocks)
    ]
    for place in reversed(range(len(blocks) - 1)):
        if blocks[place].heading and content[place + 1]:
            content[place] = True
    return [block for block, kept in zip(blocks, content, strict=True) if kept]


def is_content(block: TextBlock, before: TextBlock, after: TextBlock) -> bool:
    """Whether a block is content, by the decision tree on words and links.

    >>> is_content(TextBlock("", 40, 2), TextBlock("", 3, 3), TextBlock("", 0, 0))
    False
    >>> is_content(TextBlock("", 41, 2), TextBlock("", 3, 3), TextBlock("", 0, 0))
    True
    """
    if block.density > _LARGEST_LINKED:
        return False
    if before.density <= _LINKED_BEFORE:
        return block.words > 16 or after.words > 15 or before.words > 4
    return block.words > 40 or after.words > 17
