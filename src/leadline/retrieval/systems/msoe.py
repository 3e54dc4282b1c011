"""Milwaukee School of Engineering at TREC-CHEM 2009 (msoe09TSx1 to x5): evidence from every level of a patent.

What they did: a dimensional database on twelve rented machines counted words and chemical entities at all levels of a
patent: word, sentence, claim, description, abstract, title. A probabilistic graphical model combined the evidence of
all levels.

What is guessed: the model, which is the simplest one, in which levels are independent: the weighted sum of the
log-likelihood of the query at each level. All weights. The overview does not say how the five runs differ.

What differs here: one index on one machine. An index with the fields `sentences` and `entities` adds those levels
(`leadline index --fields`); without them they are left out, and the run says so. Left out: the distribution over
machines, and claims as levels of their own below the field of claims.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.named_systems import Variant
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.steps import Fuse, Search, Survey, Text

WEIGHTS = {"title": 1.0, "abstract": 1.0, "claims": 1.0, "description": 2.0}
MODEL = "jelinek-mercer(background=0.7)"
WORDS, NEED = (query >> Search(MODEL, WEIGHTS, combine="scores") for query in (Text(), Survey()))


def _levels(shares: dict[str, float]) -> tuple[Step, Step]:
    """Words, and searches of other levels for what the topic has there, for patents and for texts."""
    weights = (1 - sum(shares.values()), *shares.values())
    patents = [_if(field, Text((field,), into="same") >> Search(MODEL), WORDS) for field in shares]
    texts = [_if(field, Survey(fields=(field,)) >> Search(MODEL), NEED) for field in shares]
    return Fuse((WORDS, *patents), "linear", weights), Fuse((NEED, *texts), "linear", weights)


def _if(field: str, then: Step, otherwise: Step) -> Step:
    return Where((field,), then=then, otherwise=otherwise)


RUNS = " ".join(f"msoe09TSx{number}{ending}" for ending in ("ta", "") for number in range(1, 6))  # ta: prior art
VARIANTS = (
    Variant("words", "words in each field", WORDS, NEED),
    Variant("sentences", "words and sentences", *_levels({"sentences": 0.25})),
    Variant("entities", "words and entities", *_levels({"entities": 0.15})),
    Variant(
        "levels",
        "words, sentences and entities",
        *_levels({"sentences": 0.25, "entities": 0.15}),
        RUNS,
        "short MAP 0.002; xinfAP 0.038 to 0.069",
    ),
)
PIPELINE = VARIANTS[-1].pipeline
