"""The names under which texts have a heading of the thesaurus, and those of the headings under it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leadline.records.result import counted
from leadline.retrieval.language.matching import Phrase, query_words
from leadline.retrieval.language.query_terms import WiderIndex
from leadline.retrieval.language.tree import Heading, query_text

LONGEST_SHOWN = 60  # characters of a heading in a note


def names_of(index: WiderIndex, node: Heading) -> tuple[list[str] | None, list[str]]:
    """The names that a heading asks for, and what to say of it; None where no thesaurus has it."""
    thesaurus, shown = index.thesaurus, query_text(node)[:LONGEST_SHOWN]
    if thesaurus is None:
        where = f"`leadline index COLLECTION -o {index.folder} --update --thesaurus FILE` keeps one"
        return None, [f"{shown} was taken as words: no thesaurus is loaded; {where}"]
    name, stroke, subheading = node.name, "", ""
    if not thesaurus.has(name):
        name, stroke, subheading = (part.strip() for part in node.name.partition("/"))
    exploded, first = thesaurus.exploded(name), thesaurus.heading(name)
    if first is None:
        return None, [f"{shown} was taken as words: not in {thesaurus.source}{thesaurus.nearest(name)}"]
    notes = [f"{shown}: the subheading {subheading[:LONGEST_SHOWN]} is ignored"] if stroke else []
    headings = exploded if node.exploded else [first]
    names = list(dict.fromkeys(each for heading in headings for each in heading.names))
    narrower = f" with {counted(len(headings) - 1, 'narrower heading')}" if node.exploded else ""
    said = f"{shown} is {first.label}{narrower}: {counted(len(names), 'name')} searched for in the texts"
    return names, [*notes, said]


def possible(index: WiderIndex, names: Sequence[str]) -> list[Phrase]:
    """Names as phrases, of which each word is in some document: most names of a large thesaurus are in none."""
    phrases = list(dict.fromkeys(phrase for phrase in index.phrases(names) if phrase is not None))
    units = list({unit: None for phrase in phrases for unit in query_words(phrase)})
    terms = list({term: None for unit in units for term in (unit.term, *unit.others)})
    there = np.zeros(len(terms), np.bool_)
    for name in index.fields:
        there |= index.has_terms(name, terms)
    known = {term for term, is_there in zip(terms, there.tolist(), strict=True) if is_there}
    return [
        phrase
        for phrase in phrases
        if all(unit.pattern or not known.isdisjoint((unit.term, *unit.others)) for unit in query_words(phrase))
    ]
