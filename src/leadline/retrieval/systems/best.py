"""The most effective pipeline we found: words, noun phrases, classes, citations and families together.

Every choice was tuned by PRES@100 on half of the topics of three collections; docs/effectiveness.md has the variants
and the results on the other half. A patent is searched by a language model with all its words, in logarithmic counts (a
word that occurs ten times counts as three), and with its noun phrases if the index has them (`leadline index
--fields`). Then results are boosted that share the topic's classes, then documents that the first twenty cite, and all
members of their families are added. The query of a topic in words is expanded with words of the first results.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.steps import (
    RM3,
    BestTerms,
    Citations,
    ClassAgreement,
    Either,
    FamilyMembers,
    Fuse,
    Search,
    Survey,
    Text,
)  # fmt: skip

MODEL = Search("jelinek-mercer(background=0.85)")
WORDS = Text(counting="log") >> MODEL
PHRASES = Where(("phrases",), then=BestTerms(200, ("phrases",), into="same") >> MODEL, otherwise=WORDS)
LINKED = Citations(20, 0.2, credit="rank") >> FamilyMembers()

PATENT = Fuse((WORDS, PHRASES), "linear", (0.55, 0.45)) >> ClassAgreement("subclass", 0.2) >> LINKED
TEXT = Survey() >> Search("bm25") >> RM3(10, 30, 0.7, chances="equal") >> Search("bm25") >> LINKED

PIPELINE = Either(patent=PATENT, text=TEXT)
