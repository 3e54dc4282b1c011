"""Example queries for an index, made from its own titles, classes and numbers, so that each finds something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.errors import LeadlineError
from leadline.retrieval.choices import COMMON
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.word_search import search_words

TITLES = 400  # that are read, the first of the collection
LONG = 8  # letters of a word that is worth cutting off
BEGINNING = 5  # letters that are left of it
_WORD = re.compile(r"[a-z]{4,}")
_CLASS = re.compile(r"[A-H][0-9]{2}[A-Z]")
_IN_ALL_TITLES = """
method methods process processes apparatus device system systems composition compositions comprising containing
preparation producing production improved based using thereof therefor same having with their making from said which
wherein used including between under without such
"""
_USUAL = frozenset(_IN_ALL_TITLES.split())


@dataclass(frozen=True)
class ExampleQuery:
    """A query, and what it shows."""

    query: str
    shows: str


def example_queries(context: SearchContext) -> list[ExampleQuery]:
    """Queries that show words, a phrase, words cut off, a class and a number, each only where it finds something."""
    if not context.has_collection or not len(context.collection):
        return []
    return [example for example in _proposed(context.collection) if _finds(context, example.query)]


def _proposed(collection: Collection) -> Iterator[ExampleQuery]:
    rows = np.arange(min(TITLES, len(collection)))
    known = [
        row for frame in collection.texts(["id", "title", "office", "ipc"], rows) for row in frame.iter_rows(named=True)
    ]
    known = _in_one_language(known)
    titles = [[word for word in _WORD.findall(row["title"].lower()) if word not in _USUAL] for row in known]
    words = Counter(word for title in titles for word in dict.fromkeys(title))
    pairs = Counter(
        pair
        for row in known
        for pair in dict.fromkeys(pairwise(re.findall(r"[a-z]+", row["title"].lower())))
        if words[pair[0]] and words[pair[1]] and pair[0] != pair[1]
    )
    frequent = [word for word, _ in words.most_common(40)]
    phrase = next((pair for pair, _ in pairs.most_common(1)), ())
    # Words of one title that are no phrase, so that the rarer one is seen to count.
    apart = Counter(
        pair for title in titles for pair in dict.fromkeys(combinations(dict.fromkeys(title), 2)) if not pairs[pair]
    )
    two = next((pair for pair, _ in apart.most_common() if not {*pair} & {*phrase}), tuple(frequent[:2]))
    if len(two) > 1:
        yield ExampleQuery(" ".join(two), "both words count, the rarer one more")
    if phrase:
        yield ExampleQuery(f'"{" ".join(phrase)}"', "a phrase: these words side by side")
    long = next((word for word in frequent if len(word) >= LONG and word not in (*phrase, *two)), "")
    if long:
        yield ExampleQuery(f"{long[:BEGINNING]}*", f"words that begin with {long[:BEGINNING]}, as {long}")
    if phrase:
        yield ExampleQuery(f"{phrase[0]} NEAR/5 {phrase[1]}", "within five words of each other")
    classes = Counter(symbol for row in known for symbol in {each[:4] for each in row["ipc"] or ()})
    usual = next((symbol for symbol, _ in classes.most_common() if _CLASS.fullmatch(symbol)), "")
    if usual and frequent:
        yield ExampleQuery(f"class:{usual} {frequent[0]}", "only documents of a class")
        yield ExampleQuery(f"title:{frequent[0]} -class:{usual}", "in the title; without a class")
    number = next((row["id"] for row in known if row["office"]), "")
    if number:
        yield ExampleQuery(f"number:{number}", "one document, by its number")


def _in_one_language(known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The documents whose titles are in the language that most are in, by its common words; all if none has any."""
    of = []
    for row in known:
        words = [word.encode() for word in re.findall(r"[^\W\d_]+", row["title"].lower())]
        found = {language: sum(word in common for word in words) for language, common in COMMON.items()}
        language = max(found, key=lambda name: (found[name], name == "en"))
        of.append(language if found[language] else "")
    usual = next((language for language, _ in Counter(of).most_common() if language), "")
    return [row for row, language in zip(known, of, strict=True) if language == usual] if usual else known


def _finds(context: SearchContext, query: str) -> bool:
    try:
        return search_words(context, query, 1).found > 0
    except LeadlineError:  # as an index without positions answers a phrase
        return False
