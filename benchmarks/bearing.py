"""How often `leadline prior-art` is right about what bears on a claim; writes the numbers of docs/prior-art.md.

    python benchmarks/bearing.py [--data ../shared/data] [--work DIR] [--check]

What a user sees is counted: of the first ten hits of each topic, each marked as bearing on a claim strongly, weakly or
not at all, those that are true prior art to that claim. Simulated offices have judgements by claim, from the known
truth: the shares from which a mark is weak or strong were chosen on two of them, and the others have other seeds. The
real collections have abstracts alone, and citations, which know only a part. Random documents that are not relevant are
compared as well. The collections are those of effectiveness.py, and so is DIR. `--check` makes only the short form, and
compares it; the tests run it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from effectiveness import DATA, OFFICE, ROOT, SMALL_OFFICE, SOURCES, Office, drawn, simulated
from marked_document import write_from_patents

import leadline as ll
from leadline.records.result import Table
from leadline.retrieval.bearing import ABSTRACT, GRADES, bearing_on_claims
from leadline.retrieval.choices import DEFAULT_SYSTEM
from leadline.retrieval.passages import Passages
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import system
from leadline.retrieval.prior_art import prior_art

DOCUMENT = ROOT / "docs" / "prior-art.md"
TOPICS, RANDOM, LISTED = 100, 20, 10  # topics of a collection, random documents of a topic, hits that are listed
CHEMISTRY = "--patents 6000 --topics 100 --seed"
# The offices: what is said of each, and how it is made. The shares were chosen on the first two.
OFFICES = {
    "chosen on: chemistry, seed 11": f"{CHEMISTRY} 11",
    "chosen on: chemistry, seed 12": f"{CHEMISTRY} 12",
    "chemistry, seed 1": f"{CHEMISTRY} 1",
    "chemistry, seed 13": f"{CHEMISTRY} 13",
    "chemistry, seed 14": f"{CHEMISTRY} 14",
    "invented words, 20 000 documents": OFFICE,
}
MEASURED_ON = ("chemistry, seed 1", "chemistry, seed 13", "chemistry, seed 14")  # what is said beside the marks
COLUMNS = (
    "collection", "topics", "pairs", "true", "strong marks", "right", "of the true", "weak marks", "right ",
    "of the true ", "random documents marked strong", "weak",
)  # fmt: skip


@dataclass
class Counts:
    """Pairs of a hit and a claim: the grade of the mark, empty where there is none, and whether it is true."""

    pairs: list[tuple[str, bool]] = field(default_factory=list)
    random: list[str] = field(default_factory=list)
    topics: int = 0

    def row(self, name: str) -> list[object]:
        true = sum(right for _, right in self.pairs)
        cells: list[object] = [name, self.topics, f"{len(self.pairs):,}", f"{true:,}"]
        for grade in GRADES:
            right = [is_right for mark, is_right in self.pairs if mark == grade.name]
            cells += [f"{len(right):,}", _percent(sum(right), len(right)), _percent(sum(right), true)]
        return cells + [_percent(self.random.count(grade.name), len(self.random)) for grade in GRADES]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def measured(office: Office, claims: Mapping[str, Mapping[str, set[int]]] | None = None, most: int = TOPICS) -> Counts:
    """The marks of a collection. `claims` are those that each relevant document bears on, where that is known."""
    rng, pipeline, judged = np.random.default_rng(1), system(DEFAULT_SYSTEM), ll.read_qrels(office.qrels)
    lab, counts = office.lab, Counts()
    for topic in list(office.topics)[:most]:
        request = lab.request(topic)
        relevant = lab.rows([name for name, grade in judged.judgements(topic.id).items() if grade > 0])
        known = relevant[relevant >= 0]
        if not len(known):
            continue
        counts.topics += 1
        found = prior_art(lab, request, pipeline, LISTED, 30)
        for each in found.bearing:
            marks = {one.hit: one.grade.name for one in each.found}
            for place, hit in enumerate(found.hits):
                family = known[lab.family_or_self[known] == lab.family_or_self[hit.row]]
                right = _is_right(lab, family, each.claim.number, None if claims is None else claims[topic.id])
                counts.pairs.append((marks.get(place, ""), right))
        wrong = np.flatnonzero(lab.visible(request) & ~np.isin(lab.family_or_self, lab.family_or_self[known]))
        random = rng.choice(wrong, min(RANDOM, len(wrong)), replace=False)
        passages = Passages(lab.collection.documents_named(lab.names(random)), lab.index.analysis)
        for each in bearing_on_claims(lab, found.topic, passages)[0]:
            of_hits = {one.hit: one.grade.name for one in each.found}
            counts.random += [of_hits.get(place, "") for place in range(len(random))]
    return counts


def _is_right(lab: SearchContext, family: np.ndarray, claim: int, claims: Mapping[str, set[int]] | None) -> bool:
    """Whether a document of a family is relevant; where that is known by claim, to this claim."""
    if claims is None or claim == ABSTRACT:
        return bool(len(family))
    return any(claim in claims.get(name, ()) for name in lab.names(family))


def true_claims(file: Path) -> dict[str, dict[str, set[int]]]:
    """The claims that each document truly bears on, by topic, from a file of judgements by claim."""
    found: dict[str, dict[str, set[int]]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        topic, claim, document, grade, *_ = line.split()
        if int(grade) > 0:
            found.setdefault(topic, {}).setdefault(document, set()).add(int(claim.partition(":")[0]))
    return found


def _of_office(folder: Path, options: str, most: int = TOPICS) -> Counts:
    folder.mkdir(parents=True, exist_ok=True)
    office = simulated(folder, options)
    return measured(office, true_claims(folder / "office" / "qrels.true.claims.txt"), most)


def _together(name: str, several: Iterable[Counts]) -> list[object]:
    """The marks of several collections in one row."""
    parts = list(several)
    pairs = [pair for each in parts for pair in each.pairs]
    random = [mark for each in parts for mark in each.random]
    return Counts(pairs, random, sum(each.topics for each in parts)).row(name)


def table(rows: Sequence[Sequence[object]]) -> str:
    return Table(COLUMNS, rows).render("markdown")


def short_form() -> str:
    """The table for a small office."""
    with tempfile.TemporaryDirectory() as folder:
        return table([_of_office(Path(folder), SMALL_OFFICE, 4).row("simulated")])


def tables(data: Path, work: Path) -> dict[str, str]:
    offices = {name: _of_office(work / f"office {number}", how) for number, (name, how) in enumerate(OFFICES.items())}
    rows = [counts.row(name) for name, counts in offices.items()]
    rows.append(_together("chemistry, seeds 1, 13, 14", [offices[name] for name in MEASURED_ON]))
    for name, source in SOURCES.items():
        rows.append(measured(drawn(name, data / "patents" / name / source, work)).row(f"{name}, citations"))
    return {"rates": table(rows)}


def main(arguments: Sequence[str] | None = None) -> None:
    write_from_patents(__doc__, DOCUMENT, short_form, tables, DATA, arguments)


if __name__ == "__main__":
    main()
