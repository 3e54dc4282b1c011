"""Carnegie Mellon University at TREC-CHEM 2009 (CMU09Chmtcdd): the whole patent as the query, strict about dates.

What they did: they compared filters by date; the best excluded documents published after the topic's latest priority.
They found that the words of the whole patent with their counts are a better query than those of title and claims. They
used the Indri search engine unchanged, with its structured queries.

What is guessed: which of the two runs is which; the one with the better scores is taken to be the whole patent. The
overview does not report their field weights; here all are equal.

What differs here: the language model is Indri's, with its default mu of 2500; the words of all fields are one text.
Their date filter is the default of every search here. The other date filters that they tried are left out: the step
`dates` has them, and docs/effectiveness.md compares them.

They did not take part in the technical survey: topics must be patents.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.named_systems import Variant
from leadline.retrieval.pipeline.steps import Dates, Search, Text

MODEL = Search("indri-dirichlet(mu=2500)")

VARIANTS = (
    Variant(
        "title-claims",
        "the words of title and claims",
        Text(("title", "claims")) >> Dates("publication") >> MODEL,
        runs="CMU09Chmtcd",
        reported="MAP 0.065",
    ),
    Variant(
        "whole-text",
        "the words of the whole patent",
        Text() >> Dates("publication") >> MODEL,
        runs="CMU09Chmtcdd",
        reported="MAP 0.098; whole text improves over title and claims",
    ),
)
PIPELINE = VARIANTS[-1].pipeline
