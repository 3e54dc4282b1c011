"""The University of Iowa at TREC-CHEM 2009 (UIowaS09PA1 to 3): unnested claims as units, beside everything else.

What they did: each dependent claim got the text of the claims it refers to, so that claims "could stand as independent
documents". There were two Lucene indexes, one of claims and one of title, description, abstract and classes (TDAC);
their results were merged with the best weights found. Patents with a later priority than the topic's were left out.
Their second run kept only patents with the topic's main class, their third used a patent's number as its date.

What is guessed: the best claim of a document gives its score; the weights of the merge; that the second and third run
merge as the first does.

What differs here: one index, in which the 200 first patents of the field of claims are scored again, claim by claim.
Classes are not words of a text; their agreement is mixed with the score of TDAC. The last variant, which `iowa` means,
leaves out what was published after the topic's priority, as the judgements do. Left out: how they tuned the weights.

They did not take part in the technical survey: topics must be patents.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.named_systems import Variant
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.steps import BestClaim, Claims, ClassAgreement, Dates, Fuse, SameClass, Search, Text

TDAC = ("title", "abstract", "description")
CLAIMS = Claims("unnested") >> Search("tfidf", ("claims",), several="best") >> BestClaim(200, "tfidf")
OTHERS: Step = Text(TDAC) >> Search("tfidf", TDAC) >> ClassAgreement("subclass", weight=0.1)
MERGED = Fuse((CLAIMS, OTHERS), how="linear", weights=(0.3, 0.7))

VARIANTS = (
    Variant("tdac", "title, description, abstract and classes alone", OTHERS),
    Variant("claims", "claims alone, the best claim of a patent", CLAIMS),
    Variant(
        "main-class",
        "merged; only patents with the topic's main class",
        Dates("priority") >> SameClass(by="main") >> MERGED,
        runs="UIowaS09PA2",
        reported="short MAP 0.005",
    ),
    Variant(
        "numbers",
        "merged; dates by number",
        Dates("numbers alone") >> MERGED,
        runs="UIowaS09PA3",
        reported="short MAP 0.007",
    ),
    Variant(
        "priorities",
        "merged; no patent with a later priority",
        Dates("priority") >> MERGED,
        runs="UIowaS09PA1",
        reported="MAP 0.068; short MAP 0.049",
    ),
    Variant("merged", "merged; nothing published after the topic's priority", MERGED),
)
PIPELINE = VARIANTS[-1].pipeline
