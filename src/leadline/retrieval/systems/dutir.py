"""Dalian University of Technology at TREC-CHEM 2009 (DUTIRRun1 to 3, DUTIR09BM25F): sixty terms a field, BM25F.

What they did: from the topic's title, abstract, description and claims they took the 60 terms with the largest TF-IDF
and searched with those. For the technical survey title and narrative were the query, searched by a language model, with
pseudo relevance feedback in one run; or field by field with BM25F, each field with a weight of its own.

What differs here: the overview names neither their weights nor what was searched with for prior art. Here it is BM25F
for both tasks, a word of the title counting three times and one of abstract or claims twice, and the survey has the
feedback too (RM3, which came of the relevance models they may have used).
"""

from __future__ import annotations

from leadline.retrieval.pipeline.steps import RM3, BestTerms, Either, Search, Survey

SEARCH = Search("bm25f", {"title": 3.0, "abstract": 2.0, "claims": 2.0, "description": 1.0})
FEEDBACK = SEARCH >> RM3(documents=10, terms=20, weight=0.7, most=0.2) >> SEARCH

PIPELINE = Either(patent=BestTerms(60) >> SEARCH, text=Survey(title=2.0, narrative=1.0) >> FEEDBACK)
