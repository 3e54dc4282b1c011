"""The most effective pipeline we found: words, noun phrases, vectors, classes, citations and families together.

The choices were tuned on half of the topics of three collections, those about citations by AP and PRES@100;
docs/effectiveness.md has the variants and the results on the other half. A patent is searched by a language model with
all its words, in logarithmic counts (a word that occurs ten times counts as three), with its noun phrases if the index
has them (`leadline index --fields`), and with its vector if the index has vectors (`leadline index --dense`). Then
results are boosted that share the topic's classes, then documents that the first ten cite, and all members of their
families are added. Of a topic in words, the title of a document counts twice, and the query is expanded with words of
the first results.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.steps import (
    RM3,
    BestTerms,
    Citations,
    ClassAgreement,
    Dense,
    Either,
    FamilyMembers,
    Fuse,
    Search,
    Step,
    Survey,
    Text,
)

MODEL = Search("jelinek-mercer(background=0.85)")
WORDS = Text(counting="log") >> MODEL
PHRASES = Where(("phrases",), then=BestTerms(200, ("phrases",), into="same") >> MODEL, otherwise=WORDS)
MEANING = 0.35  # the share of vectors, where there are any
# A document that cites many shares its credit among them: where citations are many, each says less.
LINKED = Citations(10, 0.5, credit="rank", split="shared", cap=1.5) >> FamilyMembers()


def with_vectors(words: Step) -> Where:
    """Results by words, and where the index has vectors, together with those."""
    both = Fuse((words, Dense()), "linear", (1 - MEANING, MEANING))
    return Where(vectors="stored", then=both, otherwise=words)


BY_WORDS = Fuse((WORDS, PHRASES), "linear", (0.55, 0.45))
AFTER = ClassAgreement("subclass", 0.2) >> LINKED
WITHOUT_VECTORS = BY_WORDS >> AFTER  # what was tuned
PATENT = with_vectors(BY_WORDS) >> AFTER
TITLED = Search("bm25", title=2.0)
EXPANDED = Survey() >> TITLED >> RM3(10, 30, 0.85, chances="equal") >> TITLED
# What helps patents was not measured for topics in words: citations count less.
TEXT = with_vectors(EXPANDED) >> Citations(20, 0.2, credit="rank", cap=2.0) >> FamilyMembers()

PIPELINE = Either(patent=PATENT, text=TEXT)
