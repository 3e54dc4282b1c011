"""York University at TREC-CHEM 2009 (york09caPA01, york09ca07): keywords for long queries, synonyms, abbreviations.

What they did: for prior art an algorithm selected keywords of the long query by statistics of the whole collection. For
the technical survey chemical terms were expanded with names from ChemIDplus and PubChem, and abbreviations with their
long forms. They searched with Okapi.

What differs here: the overview does not describe the two algorithms. Keywords here are the 100 terms of each field with
the largest TF-IDF, without those in more than half of all documents. Synonyms are those of the package `chemicals`
(names of PubChem and registry numbers; without the package none are added, and the run says so), and abbreviations are
learned from definitions in the collection, "long form (LF)". Both tasks have both.
"""

from __future__ import annotations

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.steps import BestTerms, DropTerms, Either, Search, Survey
from leadline.retrieval.pipeline.synonyms.expand import Expand

CHEMICALS = Where(packages=("chemicals",), then=Expand(("chemistry",), weight=0.3))
ABBREVIATIONS = Expand(("abbreviations",), weight=0.3)
KEYWORDS = BestTerms(100) >> DropTerms(most=0.5)

PIPELINE = Either(patent=KEYWORDS, text=Survey()) >> CHEMICALS >> ABBREVIATIONS >> Search("bm25(k1=1.2, b=0.35)")
