"""Purdue University at TREC-CHEM 2009 (purduePA09r1, purdueTS09r1): thirty terms per field, synonyms, classes.

What they did: the query was all words of the title and the 30 best terms by TF-IDF of claims, abstract and description,
with the PubChem synonyms of the chemicals among them; the documents' fields were searched with different weights.
Documents were filtered by date, and the rest reranked by the similarity of their IPC classes to the topic's. For the
technical survey title and narrative had separate weights, with synonyms too, and entities raised or lowered the weight
of terms.

What differs here: synonyms are those of the package `chemicals`, whose names are PubChem's, for names whose terms were
all chosen; without the package none are added, and the run says so. Weights are ours. Documents published after the
topic's priority are excluded, as in the judgements. Terms of the survey are not reweighted by entities, because the
overview does not say how.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.steps import BestTerms, ClassAgreement, Either, Search, Survey
from leadline.retrieval.pipeline.synonyms.expand import Expand

SYNONYMS = Where(packages=("chemicals",), then=Expand(("chemistry",), weight=0.3))
SEARCH = Search("bm25", {"title": 2.0, "abstract": 1.5, "claims": 1.5, "description": 1.0}, combine="scores")
TERMS = BestTerms({"abstract": 30, "claims": 30, "description": 30})
PATENT = TERMS >> SYNONYMS >> SEARCH >> ClassAgreement("group", weight=0.2)

PIPELINE = Either(patent=PATENT, text=Survey(title=2.0, narrative=1.0) >> SYNONYMS >> SEARCH)
