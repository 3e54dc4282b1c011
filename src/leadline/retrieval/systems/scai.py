"""Fraunhofer SCAI at TREC-CHEM 2009 (SCAI09PAt*, SCAI09TSNP): noun phrases and entities indexed beside the words.

What they did: 36 runs of prior art, with words, normalised noun phrases, or biomedical and chemical entities as the
query, each in its own field. Words did best (bpref 0.40). For the technical survey queries were manual (the best), or
made of noun phrases or entities.

What is guessed: SCAI09PAf1e, whose bpref is 0.40, is taken to be of words; the overview does not say what the other
letters mean. SCAI09TSPM is taken to be of entities. BM25, the 100 best terms of a field, and all weights are ours.

What differs here: noun phrases and entities are found by rules, not by trained taggers. They need an index with the
fields `phrases`, `entities` (chemistry) and `biology` (`leadline index --fields`). Without them a patent is searched by
its words and a text by its nouns, and the run says so. The last variant, which `scai` means, fuses all for patents and
searches texts by noun phrases, their best automatic run, with the words. Left out: manual queries (SCAI09TSMAN); the
results of those of `leadline search` can be added with the step `run`.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.named_systems import Variant
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.steps import BestTerms, Fuse, Nouns, Search, Survey, Text

BM25 = Search("bm25")
WORDS, NEED = Text() >> BM25, Survey() >> BM25
NOUNS = Survey() >> Nouns() >> BM25


def _patent(*fields: str) -> Step:
    """A search of derived fields for their best terms; without a field one for words, which keeps the order."""
    return Where(fields, then=BestTerms(100, fields, into="same") >> BM25, otherwise=WORDS)


def _text(*fields: str) -> Step:
    return Where(fields, then=Survey(fields=fields) >> BM25, otherwise=NOUNS)


ENTITIES = Where(("biology",), then=_patent("entities", "biology"), otherwise=_patent("entities"))
TOGETHER = Fuse((WORDS, _patent("phrases"), ENTITIES), how="linear", weights=(0.7, 0.2, 0.1))
PHRASES = Fuse((_text("phrases"), NOUNS), how="linear", weights=(0.7, 0.3))

VARIANTS = (
    Variant("words", "all words", WORDS, NEED, "SCAI09PAf1e", "bpref 0.40, the best of 36 runs"),
    Variant("phrases", "noun phrases alone", _patent("phrases"), _text("phrases"), "SCAI09TSNP", "xinfAP 0.244"),
    Variant(
        "entities",
        "entities of chemistry and biology alone",
        ENTITIES,
        _text("entities", "biology"),
        "SCAI09TSPM",
        "xinfAP 0.153",
    ),
    Variant("together", "words, phrases and entities; for texts phrases and nouns", TOGETHER, PHRASES),
)
PIPELINE = VARIANTS[-1].pipeline
