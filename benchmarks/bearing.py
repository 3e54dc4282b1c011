"""How often `leadline prior-art` is wrong about what bears on a claim; writes the numbers of docs/prior-art.md.

    python benchmarks/bearing.py [--data ../shared/data] [--work DIR] [--check]

Each topic gets its true prior art and random documents of its class in place of hits. A false alarm is a random
document that is not relevant and is said to bear on a claim; a true hit is a relevant document that is. What a user
sees is the first column of rates: of the first ten hits, how many of those said to bear truly do. The collections
are those of effectiveness.py, and so is DIR. `--check` makes only the short form, and compares it; the tests run it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from effectiveness import DATA, ROOT, SMALL_OFFICE, SOURCES, Office, drawn, simulated
from marked_document import write_from_patents

import leadline as ll
from leadline.records.result import Table
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.passages import BEARING, Passages, claim_terms
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import system
from leadline.retrieval.prior_art import DEFAULT_SYSTEM, ClaimBearing, bearing_on_claims, comparison

DOCUMENT = ROOT / "docs" / "prior-art.md"
TOPICS, RANDOM, LISTED = 100, 40, 10  # topics of a collection, random documents of a topic, hits that are listed
COLUMNS = (
    "collection", "compared with", "topics", "right of those said to bear, first 10", "false alarms", "true hits",
    "by a quarter of the words: false alarms", "true hits ", "wrong hits among the first 10", "10 random documents",
)  # fmt: skip


@dataclass
class Counts:
    """Decisions about pairs of a document and a claim, by kind of document."""

    decided: dict[str, list[bool]] = field(default_factory=dict)

    def add(self, kind: str, values: Sequence[bool]) -> None:
        self.decided.setdefault(kind, []).extend(values)

    def share(self, kind: str) -> str:
        values = self.decided.get(kind, [])
        return f"{100 * np.mean(values):.1f} %" if values else ""


def measured(
    office: Office, claims: Mapping[str, Mapping[str, set[int]]] | None = None, most: int = TOPICS
) -> list[object]:
    """A row of the table. `claims` are the claims that each relevant document truly bears on, where that is known."""
    rng, pipeline, judged = np.random.default_rng(1), system(DEFAULT_SYSTEM), ll.read_qrels(office.qrels)
    lab, counts, topics, names = office.lab, Counts(), 0, set[str]()
    for topic in list(office.topics)[:most]:
        request = lab.request(topic)
        among, visible = comparison(lab, request), lab.visible(request)
        relevant = lab.rows([name for name, grade in judged.judgements(topic.id).items() if grade > 0])
        known = relevant[relevant >= 0]
        true = known[visible[known]]
        wrong = among.rows[~np.isin(lab.family_or_self[among.rows], lab.family_or_self[known])]
        if not len(true) or not among.is_enough or not len(wrong):
            continue
        topics += 1
        names.add("the class" if among.name else "all earlier documents")
        ranking = pipeline(lab, request).ranking
        assert ranking is not None
        random = rng.choice(wrong, min(RANDOM, len(wrong)), replace=False)
        first = lab.one_a_family(ranking, LISTED).rows
        is_right = np.isin(lab.family_or_self[first], lab.family_or_self[known])
        listed, right = first[~is_right], first[is_right]
        rows = np.concatenate([true, random, listed, right]).astype(np.int64)
        kinds = ["true"] * len(true) + ["random"] * len(random) + ["listed"] * len(listed) + ["right"] * len(right)
        passages = Passages(lab.collection.documents_named(lab.names(rows)), lab.index.analysis)
        decided, weights = bearing_on_claims(lab, request, ranking, rows.tolist(), passages, among)
        for each in decided:
            found = {one.hit for one in each.found}
            by_words = _by_words(passages, each, weights, lab.index.analysis)
            asked = [
                place for place, kind in enumerate(kinds)
                if kind != "true" or claims is None
                or each.claim.number in claims[topic.id].get(lab.names(rows[place : place + 1])[0], ())
            ]  # fmt: skip
            for kind in ("true", "random", "listed"):
                of_kind = [place for place in asked if kinds[place] == kind]
                counts.add(kind, [place in found for place in of_kind])
                counts.add(f"{kind}, by words", [place in by_words for place in of_kind])
            shown = [place for place in sorted(found) if kinds[place] in ("listed", "right")]
            counts.add("shown", [
                kinds[place] == "right"
                and (claims is None or _bears(lab, claims[topic.id], known, int(rows[place]), each.claim.number))
                for place in shown
            ])  # fmt: skip
            ten = [place for place, kind in enumerate(kinds) if kind == "random"][:LISTED]
            counts.add("ten", [any(place in found for place in ten)])
    kinds_shown = ("shown", "random", "true", "random, by words", "true, by words", "listed", "ten")
    return [office.name, " or ".join(sorted(names)), topics, *(counts.share(kind) for kind in kinds_shown)]


def _bears(lab: SearchContext, claims: Mapping[str, set[int]], known: np.ndarray, row: int, claim: int) -> bool:
    """Whether a document, or one of its family that is relevant, truly bears on a claim."""
    family = known[lab.family_or_self[known] == lab.family_or_self[row]]
    return any(claim in claims.get(name, ()) for name in lab.names(family))


def _by_words(passages: Passages, each: ClaimBearing, weights: Mapping[str, float], analysis: Analysis) -> set[int]:
    """The documents that bear on a claim where there are too few to compare with: by a quarter of the claim's words."""
    (terms,) = claim_terms([each.claim.text], analysis)
    sets = [{term: weights[term] for term in chosen} for chosen in (terms, each.part.terms)]
    (found,) = passages.bearing(sets[:1], sets[1:], BEARING)
    return {best.passage.document for best in found}


def true_claims(file: Path) -> dict[str, dict[str, set[int]]]:
    """The claims that each document truly bears on, by topic, from a file of judgements by claim."""
    found: dict[str, dict[str, set[int]]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        topic, claim, document, grade, *_ = line.split()
        if int(grade) > 0:
            found.setdefault(topic, {}).setdefault(document, set()).add(int(claim.partition(":")[0]))
    return found


def table(rows: Sequence[Sequence[object]]) -> str:
    return Table(COLUMNS, rows).render("markdown")


def short_form() -> str:
    """The table for a small office."""
    with tempfile.TemporaryDirectory() as folder:
        office = simulated(Path(folder), SMALL_OFFICE)
        return table([measured(office, true_claims(Path(folder) / "office" / "qrels.true.claims.txt"), 4)])


def tables(data: Path, work: Path) -> dict[str, str]:
    rows = [measured(drawn(name, data / "patents" / name / source, work)) for name, source in SOURCES.items()]
    rows.append(measured(simulated(work), true_claims(work / "office" / "qrels.true.claims.txt"), TOPICS // 2))
    return {"rates": table(rows)}


def main(arguments: Sequence[str] | None = None) -> None:
    write_from_patents(__doc__, DOCUMENT, short_form, tables, DATA, arguments)


if __name__ == "__main__":
    main()
