"""Fraunhofer SCAI at TREC-CHEM 2009 (SCAI09PAt*, SCAI09TSNP): noun phrases and entities indexed beside the words.

What they did: 36 runs of prior art, with words, normalised noun phrases, or biomedical and chemical entities as the
query, each in its own field. Words did best. For the technical survey queries were manual (the best), or made of noun
phrases or entities.

What differs here: words, phrases and entities are fused in one run, words with the largest weight, because they did
best. Noun phrases and entities are found by rules, not by trained taggers, and there are no biomedical entities. They
need an index with the fields `phrases` and `entities` (`leadline index --fields`); without these only words are
searched, and the run says so. A topic in words is searched by its words; the results of manual queries of `leadline
search` can be added with the step `run`.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.steps import BestTerms, Either, Fuse, Search, Survey, Text

WORDS = Text() >> Search("bm25")


def _field(field: str) -> Step:
    """A search of a derived field for its best terms; without the field one for words, which keeps the order."""
    terms = BestTerms(100, (field,), into="same")
    return Where((field,), then=terms >> Search("bm25"), otherwise=WORDS)


PATENT = Fuse((WORDS, _field("phrases"), _field("entities")), how="linear", weights=(0.7, 0.2, 0.1))

PIPELINE = Either(patent=PATENT, text=Survey() >> Search("bm25"))
