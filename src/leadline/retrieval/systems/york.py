"""York University at TREC-CHEM 2009 (york09caPA01, york09ca07): keywords for long queries, synonyms, abbreviations.

What they did: for prior art an algorithm selected keywords of the long query by statistics of the whole collection. For
the technical survey chemical terms were expanded with names from ChemIDplus and PubChem, and abbreviations with their
long forms. They searched with Okapi, and found both algorithms effective.

What is guessed: york09caPA03 is taken to be the search without the selection. The overview does not say how the survey
runs differ, but that york09ca07 has the expansion. All weights are ours.

What differs here: the overview does not describe the two algorithms. Keywords here are the 100 terms of each field with
the largest TF-IDF, without those in more than half of all documents. Synonyms are those of the package `chemicals`
(names of PubChem and registry numbers; without the package none are added, and the run says so), and abbreviations are
learned from definitions in the collection, "long form (LF)". In the last variant, which `york` means, both tasks have
both. Left out: the pages of ChemIDplus.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.named_systems import Variant
from leadline.retrieval.pipeline.steps import BestTerms, DropTerms, Search, Survey, Text
from leadline.retrieval.pipeline.synonyms.expand import Expand

CHEMICALS = Where(packages=("chemicals",), then=Expand(("chemistry",), weight=0.3))
ABBREVIATIONS = Expand(("abbreviations",), weight=0.3)
EXPANSION = CHEMICALS >> ABBREVIATIONS
KEYWORDS = BestTerms(100) >> DropTerms(most=0.5)
OKAPI = Search("bm25(k1=1.2, b=0.35)")

VARIANTS = (
    Variant("words", "all words", Text() >> OKAPI, Survey() >> OKAPI, "york09caPA03", "MAP 0.034"),
    Variant("keywords", "selected keywords", KEYWORDS >> OKAPI, None, "york09caPA01", "MAP 0.057; keywords help"),
    Variant("synonyms", "names of chemicals added", KEYWORDS >> CHEMICALS >> OKAPI, Survey() >> CHEMICALS >> OKAPI),
    Variant(
        "abbreviations", "long forms added", KEYWORDS >> ABBREVIATIONS >> OKAPI, Survey() >> ABBREVIATIONS >> OKAPI
    ),
    Variant(
        "expanded",
        "keywords; synonyms and abbreviations",
        KEYWORDS >> EXPANSION >> OKAPI,
        Survey() >> EXPANSION >> OKAPI,
        "york09ca07",
        "xinfAP 0.291, the expansion helps",
    ),
)
PIPELINE = VARIANTS[-1].pipeline
