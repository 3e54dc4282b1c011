"""Every step, to be imported from one module, and the baselines made of them."""

from __future__ import annotations

from leadline.retrieval.dense.cross_encoder import CrossEncoder
from leadline.retrieval.dense.dense_steps import Dense, Hybrid
from leadline.retrieval.dense.learned_sparse import LearnedSparse
from leadline.retrieval.pipeline.after.anchor_text import AnchorText
from leadline.retrieval.pipeline.after.best_claim import BestClaim
from leadline.retrieval.pipeline.after.citations import Citations
from leadline.retrieval.pipeline.after.claim_scores import ClaimScores
from leadline.retrieval.pipeline.after.class_agreement import ClassAgreement
from leadline.retrieval.pipeline.after.cut import Cut
from leadline.retrieval.pipeline.after.either import Either
from leadline.retrieval.pipeline.after.elsewhere import Elsewhere
from leadline.retrieval.pipeline.after.family_members import FamilyMembers
from leadline.retrieval.pipeline.after.freshness import Freshness
from leadline.retrieval.pipeline.after.fuse import Fuse
from leadline.retrieval.pipeline.after.hits import HubsAuthorities
from leadline.retrieval.pipeline.after.indegree import InDegree
from leadline.retrieval.pipeline.after.one_a_family import OneAFamily
from leadline.retrieval.pipeline.after.one_a_group import OneAGroup
from leadline.retrieval.pipeline.after.pagerank import PageRank
from leadline.retrieval.pipeline.after.refuse import Refuse
from leadline.retrieval.pipeline.after.rm3 import RM3
from leadline.retrieval.pipeline.after.trees import Trees
from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.filters.dates import Dates
from leadline.retrieval.pipeline.filters.likely_classes import LikelyClasses
from leadline.retrieval.pipeline.filters.narrative_dates import NarrativeDates
from leadline.retrieval.pipeline.filters.only import Only
from leadline.retrieval.pipeline.filters.same_class import SameClass
from leadline.retrieval.pipeline.filters.with_entities import WithEntities
from leadline.retrieval.pipeline.pipeline import Pipeline, Step
from leadline.retrieval.pipeline.query.best_terms import BestTerms
from leadline.retrieval.pipeline.query.claims import Claims
from leadline.retrieval.pipeline.query.drop_terms import DropTerms
from leadline.retrieval.pipeline.query.entity_weights import EntityWeights
from leadline.retrieval.pipeline.query.from_run import FromRun
from leadline.retrieval.pipeline.query.nouns import Nouns
from leadline.retrieval.pipeline.query.search import Search
from leadline.retrieval.pipeline.query.survey import Survey
from leadline.retrieval.pipeline.query.text import Text
from leadline.retrieval.pipeline.synonyms.expand import Expand

__all__ = [
    "RM3",
    "AnchorText",
    "BestClaim",
    "BestTerms",
    "Citations",
    "ClaimScores",
    "Claims",
    "ClassAgreement",
    "CrossEncoder",
    "Cut",
    "Dates",
    "Dense",
    "DropTerms",
    "Either",
    "Elsewhere",
    "EntityWeights",
    "Expand",
    "FamilyMembers",
    "Freshness",
    "FromRun",
    "Fuse",
    "HubsAuthorities",
    "Hybrid",
    "InDegree",
    "LearnedSparse",
    "LikelyClasses",
    "NarrativeDates",
    "Nouns",
    "OneAFamily",
    "OneAGroup",
    "Only",
    "PageRank",
    "Pipeline",
    "Refuse",
    "SameClass",
    "Search",
    "Step",
    "Survey",
    "Text",
    "Trees",
    "Where",
    "WithEntities",
]


# Baselines by the names that papers use: `leadline run --system bm25+rm3`.


QUERY = Either(patent=Text(), text=Survey())
BM25 = QUERY >> Search("bm25")

# The name of each baseline, what it does in a few words, and its pipeline.
BASELINES: dict[str, tuple[str, Step]] = {
    "bm25": ("all words of the topic, searched with BM25", BM25),
    "bm25+rm3": ("BM25, and again with words of the first ten results", BM25 >> RM3(10, 30, 0.5) >> Search("bm25")),
    "bm25+dense": (
        "BM25 and vectors, the scores of each from 0 to 1, half and half",
        Fuse((BM25, Dense()), "linear", (0.5, 0.5)),
    ),
    "rrf": ("BM25 and vectors, by reciprocal rank fusion", Fuse((BM25, Dense()), "rrf")),
}
