"""The strongest pipeline found: words, noun phrases, classes, citations and families together.

Every choice was tuned on half of the topics of three collections, one after the other, by PRES@100; what was tried, and
what it does on the other half, is in docs/effectiveness.md. Of a patent every word is sought by a language model, a
word that stands there ten times counting as three; noun phrases where the index has them (`leadline index --fields`).
Results that share the topic's classes gain, then what the first twenty cite, and with a document its whole family is
found. Of a need in words, the first results add words to the query.
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
CITED, FAMILY = Citations(20, 0.2, credit="rank"), FamilyMembers()

PATENT = Fuse((WORDS, PHRASES), "linear", (0.55, 0.45)) >> ClassAgreement("subclass", 0.2) >> CITED >> FAMILY
NEED = Survey() >> Search("bm25") >> RM3(10, 30, 0.7, chances="equal") >> Search("bm25") >> CITED >> FAMILY

PIPELINE = Either(patent=PATENT, text=NEED)
