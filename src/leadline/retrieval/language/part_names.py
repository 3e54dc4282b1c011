"""Parts of a query as text: in the terms of the index, and as the query writes them."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.retrieval.language.spans import AnyOf, Phrase, Positional, QueryWord, Together
from leadline.retrieval.language.tree import Node, query_text


def part_name(part: Positional) -> str:
    """A part as a query would write it, in the terms of the index."""
    if isinstance(part, Phrase):
        words = [_word(unit) if unit is not None else "_" for unit in part.words]
        slop = f"~{part.slop}" if part.slop else ""
        return words[0] if len(words) == 1 else f'"{" ".join(words)}"{slop}'
    if isinstance(part, AnyOf):
        return f"({' OR '.join(map(part_name, part.parts))})"
    if isinstance(part, Together):
        return f"({f' SAME {part.kind.upper()} '.join(map(part_name, part.parts))})"
    names = map(part_name, part.parts)
    ordered = part.ordered or (False,) * len(part.within)
    return next(names) + "".join(
        f" {'PRE' if in_order else 'NEAR'}/{within} {name}"
        for within, in_order, name in zip(part.within, ordered, names, strict=True)
    )


def _word(unit: QueryWord) -> str:
    return unit.pattern or unit.term.decode()


def as_typed(name: str, node: Node, fields: Sequence[str], known: str = "") -> str:
    """A part as the query writes it, with the fields that its name has; added to other words of the same term.

    >>> from leadline.retrieval.language.tree import WordOrPhrase
    >>> as_typed("title:film", WordOrPhrase("Films"), ["title"]), as_typed("film", WordOrPhrase("film"), [], "Films")
    ('title:Films', 'Films, film')
    """
    prefix = f"{','.join(fields)}:"
    shown = (prefix if name.startswith(prefix) else "") + query_text(node)
    return f"{known}, {shown}" if known and shown not in known.split(", ") else known or shown
