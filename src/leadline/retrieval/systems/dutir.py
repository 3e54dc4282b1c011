"""Dalian University of Technology at TREC-CHEM 2009 (DUTIRRun1 to 3, DUT09TSRun1 to 6): sixty terms, BM25F.

What they did: from the topic's title, abstract, description and claims they took the 60 terms with the largest TF-IDF
as the query of prior art. For the technical survey title and narrative were the query: the first three runs by a
language model, the third with pseudo relevance feedback; the last three by BM25F, with a weight for each field.

What is guessed: the model of each run of prior art (here the same as in the survey run of the same number); all weights
and parameters; Dirichlet smoothing. DUT09TSRun4 is taken to weigh all fields alike, DUT09TSRun6 not.

What differs here: the feedback is RM3, a successor of the relevance models that they may have used. Left out: how the
first survey run differs from the second, which the overview does not say.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.named_systems import Variant
from leadline.retrieval.pipeline.steps import RM3, BestTerms, Search, Survey

TERMS, NEED = BestTerms(60), Survey(title=2.0, narrative=1.0)
LM = Search("indri-dirichlet")
FEEDBACK = LM >> RM3(documents=10, terms=20, weight=0.7, most=0.2, chances="likelihood") >> LM
EQUAL = Search("bm25f")
BM25F = Search("bm25f", {"title": 3.0, "abstract": 2.0, "claims": 2.0, "description": 1.0})

VARIANTS = (
    Variant(
        "lm",
        "60 terms of each field; language model",
        TERMS >> LM,
        NEED >> LM,
        "DUTIRRun1 DUT09TSRun1 DUT09TSRun2",
        "short MAP 0.020; xinfAP 0.211, 0.248",
    ),
    Variant(
        "lm-feedback",
        "language model with feedback",
        TERMS >> FEEDBACK,
        NEED >> FEEDBACK,
        "DUTIRRun2 DUT09TSRun3",
        "short MAP 0.020; xinfAP 0.239",
    ),
    Variant("bm25f-equal", "BM25F, all fields alike", TERMS >> EQUAL, NEED >> EQUAL, "DUT09TSRun4", "xinfAP 0.248"),
    Variant(
        "bm25f",
        "BM25F, title, abstract and claims raised; no feedback",
        TERMS >> BM25F,
        NEED >> BM25F,
        "DUTIRRun3 DUT09TSRun6 DUTIR09BM25F",
        "short MAP 0.020; xinfAP 0.301, 0.245, the best of all teams",
    ),
)
PIPELINE = VARIANTS[-1].pipeline
