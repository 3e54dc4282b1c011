"""BiTeM, University of Applied Sciences Geneva, at TREC-CHEM 2009 (BiTeM09PAcit and others): citations, above all.

What they did: the best runs of the track. To a plain search (MAP 0.067) they added synonyms of the chemicals recognised
in the topic (+2 to 3 %), a reranking by claims (+3 %), a filter by IPC (no gain), and above all a boost for documents
that the first results cite: MAP 0.18, +168 %. They report that this used citations by patents later than the topic.

What differs here: only citations are used that were public before the topic's priority, as a searcher on that day would
have had them, and never those of the topic's own family. `Dates("none") >> … >> Citations(seen="all") >> Dates()` uses
all of them; docs/effectiveness.md compares the two. Synonyms need the package `chemicals`; without it none are added,
and the run says so. The reranking by claims has a weight of 0.1. For the technical survey they tried synonyms and IPC
filters; here it has synonyms and citations.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.steps import Citations, ClaimScores, Either, Search, Survey, Text
from leadline.retrieval.pipeline.synonyms.expand import Expand

SYNONYMS = Where(packages=("chemicals",), then=Expand(("chemistry",), weight=0.2))
FEEDBACK = Citations(documents=30, weight=0.3)
PATENT = Text() >> SYNONYMS >> Search("bm25") >> ClaimScores(weight=0.1) >> FEEDBACK

PIPELINE = Either(patent=PATENT, text=Survey() >> SYNONYMS >> Search("bm25") >> FEEDBACK)
