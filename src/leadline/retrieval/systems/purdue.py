"""Purdue University at TREC-CHEM 2009 (purduePA09r1 and r2, purdueTS09r1): thirty terms per field, synonyms, classes.

What they did: the query was all words of the title and the 30 best terms by TF-IDF of claims, abstract and description,
with the PubChem synonyms of the chemicals among them; the documents' fields were searched with different weights.
Documents were filtered by date, and the rest reranked by the similarity of their IPC classes to the topic's. For the
technical survey title and narrative had separate weights, with synonyms too; recognised entities raised or lowered the
weights of terms, and removed documents from the result.

What is guessed: how entities do that: their terms count one and a half times, and documents that name none of them are
removed. How purduePA09r1 differs from r2, which the overview does not say: r1 is taken to lack the reranking. All
weights are ours.

What differs here: synonyms are those of the package `chemicals`, whose names are PubChem's, for names whose terms were
all chosen; without the package none are added, and the run says so. Documents published after the topic's priority are
excluded, as in the judgements. Left out: a search of the whole document beside its fields.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.named_systems import Variant
from leadline.retrieval.pipeline.steps import BestTerms, ClassAgreement, EntityWeights, Search, Survey, WithEntities
from leadline.retrieval.pipeline.synonyms.expand import Expand

SYNONYMS = Where(packages=("chemicals",), then=Expand(("chemistry",), weight=0.3))
SEARCH = Search("bm25", {"title": 2.0, "abstract": 1.5, "claims": 1.5, "description": 1.0}, combine="scores")
TERMS = BestTerms({"abstract": 30, "claims": 30, "description": 30}) >> SYNONYMS >> SEARCH
NEED, WEIGHTS = Survey(title=2.0, narrative=1.0) >> SYNONYMS, EntityWeights(raised=1.5)

VARIANTS = (
    Variant("terms", "30 terms of each field, synonyms", TERMS, NEED >> SEARCH, "purduePA09r1", "short MAP 0.065"),
    Variant("entity-weights", "terms of entities raised", None, NEED >> WEIGHTS >> SEARCH),
    Variant(
        "reranked",
        "reranked by classes; for texts documents without an entity removed",
        TERMS >> ClassAgreement("group", weight=0.2),
        NEED >> WEIGHTS >> WithEntities() >> SEARCH,
        "purduePA09r2 purdueTS09r1",
        "short MAP 0.068; xinfAP 0.293",
    ),
)
PIPELINE = VARIANTS[-1].pipeline
