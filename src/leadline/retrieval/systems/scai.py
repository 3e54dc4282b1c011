"""Fraunhofer SCAI at TREC-CHEM 2009 (SCAI09PAt*, SCAI09TSNP): noun phrases and entities indexed beside the words.

What they did: 36 runs of prior art, with words, normalised noun phrases, or biomedical and chemical entities as the
query, each sought in a field of its own. Words did best. For the technical survey queries were written by hand (the
best), made of noun phrases, or of entities.

What differs here: the three kinds of evidence are fused in one run, words weighing most, because that is what their
results teach. Noun phrases and entities are found by rules, not by trained taggers, and biomedical entities are not
looked for. The index must have the fields `phrases` and `entities` (`leadline index --fields`); without them words
stand alone, and the run says so. A need in words is sought by its words; for queries written by hand there is `leadline
search`, and the step `run` takes what they found.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.steps import BestTerms, Either, Fuse, Search, Survey, Text

WORDS = Text() >> Search("bm25")


def _kind(field: str) -> Step:
    """The best terms of a kind, sought in its field; words where the index lacks it, which changes no order."""
    terms = BestTerms(100, (field,), into="same")
    return Where((field,), then=terms >> Search("bm25"), otherwise=WORDS)


PATENT = Fuse((WORDS, _kind("phrases"), _kind("entities")), how="linear", weights=(0.7, 0.2, 0.1))

PIPELINE = Either(patent=PATENT, text=Survey() >> Search("bm25"))
