"""The University of Iowa at TREC-CHEM 2009 (UIowaS09PA1): unnested claims beside everything else, merged.

What they did: each dependent claim got the text of the claims it stands on, so that it could be compared by itself.
There were two Lucene indexes, one of claims and one of title, description, abstract and classes (TDAC); both lists were
merged with the best weights they found. Patents with a later priority than the topic's were left out. Their second run
kept only patents with the topic's main class, their third took a patent's number for its date: both did worse.

What differs here: one index has all fields, so the two searches are in fields of it. Classes are no words of a text but
evidence of their own, mixed with the words of TDAC. A document's score for the claims is that of the claim it fits
best; the weights are ours, for the overview has none. Too late is what was published after the topic's priority, the
rule that the judgements follow; `Dates("priority")` is theirs, and `SameClass(by="main")` their second run's.

They took no part in the technical survey: topics must be patents.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.steps import Claims, ClassAgreement, Fuse, Search, Text

TDAC = ("title", "abstract", "description")
CLAIMS = Claims("unnested") >> Search("tfidf", ("claims",), several="best")
OTHERS = Text(TDAC) >> Search("tfidf", TDAC) >> ClassAgreement("subclass", weight=0.1)

PIPELINE = Fuse((CLAIMS, OTHERS), how="linear", weights=(0.3, 0.7))
