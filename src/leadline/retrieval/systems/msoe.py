"""Milwaukee School of Engineering at TREC-CHEM 2009 (msoe09TSx1 to x5): evidence from every level of a patent.

What they did: a dimensional database on twelve rented machines counted words and chemical entities at all levels of a
patent: word, sentence, claim, description, abstract, title. A probabilistic graphical model combined the evidence of
all levels.

What differs here: one index on one machine, and the simplest graphical model, in which levels are independent: the
weighted sum of the log-likelihood of the query in each field. An index with the fields `sentences` and `entities` adds
those levels (`leadline index --fields`); without them they are left out, and the run says so.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.steps import Either, Fuse, Search, Survey, Text

WEIGHTS = {"title": 1.0, "abstract": 1.0, "claims": 1.0, "description": 2.0}
MODEL = "jelinek-mercer(background=0.7)"
LEVELS = Search(MODEL, WEIGHTS, combine="scores")


def _level(field: str, otherwise: Step) -> Step:
    """A search of one field for the patent's terms in that field."""
    return Where((field,), then=Text((field,), into="same") >> Search(MODEL), otherwise=otherwise)


WORDS = Text() >> LEVELS
PATENT = Fuse((WORDS, _level("sentences", WORDS), _level("entities", WORDS)), how="linear", weights=(0.6, 0.25, 0.15))

PIPELINE = Either(patent=PATENT, text=Survey() >> LEVELS)
