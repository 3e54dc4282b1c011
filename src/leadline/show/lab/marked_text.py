"""Texts from files as pages show them: control characters visible, and the words of a query marked."""

from __future__ import annotations

from typing import Any

from leadline.errors import visible
from leadline.retrieval.answers.snippets import Snippet


def clean(text: str) -> str:
    """A text in which control codes are visible, and line ends stay."""
    return visible(text, "\t\n")


def pieces(snippet: Snippet) -> list[dict[str, Any]]:
    """A snippet as pieces of text, each with whether it is a word of the query.

    >>> pieces(Snippet("a bent nail", ((2, 6),)))
    [{'text': 'a ', 'marked': False}, {'text': 'bent', 'marked': True}, {'text': ' nail', 'marked': False}]
    """
    found, at = [], 0
    for start, end in snippet.marks:
        found += [(snippet.text[at:start], False), (snippet.text[start:end], True)]
        at = end
    found.append((snippet.text[at:], False))
    return [{"text": clean(text), "marked": marked} for text, marked in found if text]
