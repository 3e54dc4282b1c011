"""Example queries for an index, made from its own titles, classes and numbers, so that each finds something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.errors import LeadlineError
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
    titles = [[word for word in _WORD.findall(row["title"].lower()) if word not in _USUAL] for row in known]
    words = Counter(word for title in titles for word in dict.fromkeys(title))
    pairs = Counter(
        pair
        for row in known
        for pair in dict.fromkeys(pairwise(re.findall(r"[a-z]+", row["title"].lower())))
        if words[pair[0]] and words[pair[1]] and pair[0] != pair[1]
    )
    frequent = [word for word, _ in words.most_common(40)]
    if len(frequent) > 1:
        yield ExampleQuery(f"{frequent[0]} {frequent[1]}", "both words count, the rarer one more")
    phrase = next((pair for pair, _ in pairs.most_common(1)), ())
    long = next((word for word in frequent if len(word) >= LONG and word not in phrase), "")
    if phrase and long:
        yield ExampleQuery(
            f'"{" ".join(phrase)}" OR {long[:BEGINNING]}*', f"a phrase, or words that begin with {long[:BEGINNING]}"
        )
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


def _finds(context: SearchContext, query: str) -> bool:
    try:
        return search_words(context, query, 1).found > 0
    except LeadlineError:  # as an index without positions answers a phrase
        return False
