"""The University of Iowa at TREC-CHEM 2009 (UIowaS09PA1): unnested claims beside everything else, merged.

What they did: each dependent claim got the text of the claims it refers to, so that it could be searched by itself.
There were two Lucene indexes, one of claims and one of title, description, abstract and classes (TDAC); their results
were merged with the best weights found. Patents with a later priority than the topic's were left out. Their second run
kept only patents with the topic's main class, their third used a patent's number as its date: both did worse.

What differs here: both searches use one index, in different fields. Classes are not words of a text; their agreement is
mixed with the score of TDAC. A document's score for the claims is that of the best matching claim; the weights are
ours, because the overview has none. Documents published after the topic's priority are excluded, as in the judgements;
`Dates("priority")` is their rule, and `SameClass(by="main")` is that of their second run.

They did not take part in the technical survey: topics must be patents.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.steps import Claims, ClassAgreement, Fuse, Search, Text

TDAC = ("title", "abstract", "description")
CLAIMS = Claims("unnested") >> Search("tfidf", ("claims",), several="best")
OTHERS = Text(TDAC) >> Search("tfidf", TDAC) >> ClassAgreement("subclass", weight=0.1)

PIPELINE = Fuse((CLAIMS, OTHERS), how="linear", weights=(0.3, 0.7))
