"""Milwaukee School of Engineering at TREC-CHEM 2009 (msoe09TSx1 to x5): evidence from every level of a patent.

What they did: a database by dimensions, on twelve rented machines, counted words and chemical entities at all levels of
a patent: word, sentence, claim, description, abstract, title. A probabilistic graphical model put the evidence of all
levels together.

What differs here: one index on one machine, and for the graphical model its simplest form, in which levels do not
depend on each other: the logarithm of each field's likelihood of saying the query, times how far the field is trusted,
added up. An index with the fields `sentences` and `entities` gives those levels too (`leadline index --fields`);
without them they are left out, and the run says so.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.steps import Either, Fuse, Search, Survey, Text

TRUST = {"title": 1.0, "abstract": 1.0, "claims": 1.0, "description": 2.0}
MODEL = "jelinek-mercer(background=0.7)"
LEVELS = Search(MODEL, TRUST, combine="scores")


def _level(field: str, otherwise: Step) -> Step:
    """A patent's terms of a level, sought there."""
    return Where((field,), then=Text((field,), into="same") >> Search(MODEL), otherwise=otherwise)


WORDS = Text() >> LEVELS
PATENT = Fuse((WORDS, _level("sentences", WORDS), _level("entities", WORDS)), how="linear", weights=(0.6, 0.25, 0.15))

PIPELINE = Either(patent=PATENT, text=Survey() >> LEVELS)
