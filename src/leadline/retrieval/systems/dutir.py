"""Dalian University of Technology at TREC-CHEM 2009 (DUTIRRun1 to 3, DUTIR09BM25F): sixty terms per field, BM25F.

What they did: from the topic's title, abstract, description and claims they took the 60 terms with the largest TF-IDF
as the query. For the technical survey title and narrative were the query, searched by a language model, in one run with
pseudo relevance feedback; or with BM25F, with a weight for each field.

What differs here: the overview reports neither their weights nor their model for prior art. Here it is BM25F for both
tasks, with weight 3 for the title and 2 for abstract and claims, and the survey also has feedback (RM3, a successor of
the relevance models that they may have used).
"""

from __future__ import annotations

from leadline.retrieval.pipeline.steps import RM3, BestTerms, Either, Search, Survey

SEARCH = Search("bm25f", {"title": 3.0, "abstract": 2.0, "claims": 2.0, "description": 1.0})
FEEDBACK = SEARCH >> RM3(documents=10, terms=20, weight=0.7, most=0.2) >> SEARCH

PIPELINE = Either(patent=BestTerms(60) >> SEARCH, text=Survey(title=2.0, narrative=1.0) >> FEEDBACK)
