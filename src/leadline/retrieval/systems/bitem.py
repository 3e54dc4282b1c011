"""BiTeM, University of Applied Sciences Geneva, at TREC-CHEM 2009 (BiTeM09PAcit and others): citations, above all.

What they did: the best runs of prior art. To a plain search (MAP 0.067) they added synonyms of the chemicals recognised
in the topic (+2 to 3 %), a reranking by claims (+3 %), a filter by IPC (no gain), and above all a boost for documents
that the first results cite: MAP 0.18, +168 %. They report that this used citations by patents later than the topic. For
the technical survey they tried synonyms, IPC filters, and families as the unit of the index (po), which did best.

What is guessed: what each name stands for, from its letters and scores. qe is taken to have citations too (MAP 0.182);
cl, which is below the plain search, to be the claims alone; cba and cbb to be all steps, without and with IPC; the
number in ipc1, ipc3 and ipc5 to be that of the classes that are kept, those that the first results have most often;
ipc3b to boost instead of filter; comb to merge. The runs with ipc and comb have synonyms and families, as their scores
are near those of qepo. All weights are ours.

What differs here: BM25 is the plain search. A family is a unit by its best member: all get its score. The last variant
is the one that `bitem` means: prior art with only those citations that were public before the topic's priority, as a
searcher on that day would have had them; the survey by families. No citation is ever that of the topic's own family.
Synonyms are those of the package `chemicals`; without the package none are added, and the run says so. Left out: their
own recogniser of names, and their thesaurus.
"""

from __future__ import annotations

from typing import Any, Literal

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.named_systems import Variant
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.steps import (
    Citations,
    Claims,
    ClaimScores,
    Dates,
    FamilyMembers,
    Fuse,
    LikelyClasses,
    SameClass,
    Search,
    Survey,
    Text,
)
from leadline.retrieval.pipeline.synonyms.expand import Expand

SYNONYMS = Where(packages=("chemicals",), then=Expand(("chemistry",), weight=0.2))
BM25, CLAIMS, FAMILIES = Search("bm25"), ClaimScores(weight=0.1), FamilyMembers()
SEEN = Citations(documents=30, weight=0.3)
LATER = Citations(documents=30, weight=0.3, seen="all")
QEPO = Survey() >> SYNONYMS >> BM25 >> FAMILIES


def _later(query: Step, search: Step) -> Step:
    """Citations by patents later than the topic are used, although the result must not have those patents."""
    return query >> Dates("none") >> search >> LATER >> Dates()


def _ipc(n: int, how: Literal["filter", "boost"] = "filter") -> Step:
    """The search for a text, limited to the commonest classes of its first results."""
    again = BM25 >> FAMILIES if how == "filter" else FAMILIES
    return Survey() >> SYNONYMS >> BM25 >> LikelyClasses(n, how=how) >> again


QUERY = Text() >> SYNONYMS
COMB = Fuse((QEPO, _ipc(1), _ipc(3), _ipc(3, "boost")), how="rrf")
ROWS: tuple[tuple[Any, ...], ...] = (
    ("baseline", "all words", Text() >> BM25, Survey() >> BM25, "BiTeM09PAbl BiTeM09", "MAP 0.067; xinfAP 0.157"),
    ("expansion", "with synonyms", QUERY >> BM25, Survey() >> SYNONYMS >> BM25, "BiTeM09qe",
     "+2 to 3 % MAP; xinfAP 0.094"),
    ("claims", "reranked by claims", Text() >> BM25 >> CLAIMS, None, "", "+3 % MAP"),
    ("claims-only", "the claims alone", Claims(each="together") >> BM25, None, "BiTeM09PAcl", "MAP 0.049"),
    ("ipc", "only the topic's classes", SameClass() >> Text() >> BM25, None, "", "no significant gain"),
    ("citations", "with what the first results cite", _later(Text(), BM25), None, "BiTeM09PAcit", "MAP 0.180, +168 %"),
    ("citations-expansion", "citations, synonyms", _later(QUERY, BM25), None, "BiTeM09PAqe", "MAP 0.182"),
    ("combination-a", "synonyms, claims, citations", _later(QUERY, BM25 >> CLAIMS), None, "BiTeM09PAcba", "MAP 0.184"),
    ("combination-b", "the same within the topic's classes", SameClass() >> _later(QUERY, BM25 >> CLAIMS), None,
     "BiTeM09PAcbb", "MAP 0.158"),
    ("families", "families as units", Text() >> BM25 >> FAMILIES, Survey() >> BM25 >> FAMILIES, "BiTeM09po",
     "xinfAP 0.179"),
    ("families-expansion", "families, synonyms", QUERY >> BM25 >> FAMILIES, QEPO, "BiTeM09qepo", "xinfAP 0.109"),
    ("ipc1", "only the likeliest class", None, _ipc(1), "BiTeM09ipc1", "xinfAP 0.107"),
    ("ipc3", "only the 3 likeliest classes", None, _ipc(3), "BiTeM09ipc3", "xinfAP 0.111"),
    ("ipc3b", "the 3 likeliest classes boosted", None, _ipc(3, "boost"), "BiTeM09ipc3b", "xinfAP 0.110"),
    ("ipc5", "only the 5 likeliest classes", None, _ipc(5), "BiTeM09ipc5", "xinfAP 0.108"),
    ("comb", "families with synonyms and classes, merged", None, COMB, "BiTeM09comb", "xinfAP 0.109"),
    ("seen-citations", "combination a with citations public before the topic; families for texts",
     QUERY >> BM25 >> CLAIMS >> SEEN, Survey() >> BM25 >> FAMILIES),
)  # fmt: skip
VARIANTS = tuple(Variant(*row) for row in ROWS)
PIPELINE = VARIANTS[-1].pipeline
