"""What a measure means, where one topic's score comes from, and its curve of precision against recall."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from leadline.errors import InputError
from leadline.measures.characters import example
from leadline.measures.definition import MEASURES, Definition, Measure, MeasureLike, parse_measure
from leadline.measures.evaluate import (
    check_needs,
    hits_of_runs,
    open_qrels,
    open_sources,
    timed_by_log,
    view_with_reads,
)
from leadline.measures.hits import Array, Characters, Hits, Integers, Reading, characters_together
from leadline.measures.join import RunHits, join, together
from leadline.measures.run_source import Source
from leadline.records.inputs import QrelsLike, RunLike
from leadline.records.other_packages import Order
from leadline.records.qrels import Qrels
from leadline.records.result import Result, Table, number
from leadline.records.runs import Run

SECTIONS = ("Formula", "Paper", "Range", "Unjudged", "Short list")


@dataclass(frozen=True)
class Term:
    """A relevant document and what it adds to the score. Rank 0: not in the list."""

    document: str
    grade: int
    rank: int
    adds: float


@dataclass(frozen=True, repr=False)
class Breakdown(Result):
    """One topic's score, term by term: `before` + the terms + `after` = `value`."""

    measure: str
    topic: str
    terms: tuple[Term, ...]
    before: float  # the score of the list without its relevant documents
    after: float  # what other documents below the last relevant one change
    value: float

    def _finding(self) -> str:
        found = sum(term.rank > 0 for term in self.terms)
        relevant = f"{found} of {len(self.terms)} relevant documents found"
        return f"{self.measure} of topic {self.topic}: {number(self.value, least=4)}; {relevant}"

    def _shown_table(self) -> Table:
        return self.table()

    def table(self) -> Table:
        """A row for each relevant document: its grade, its rank and what it adds."""
        rows: list[list[object]] = []
        if abs(self.before) > 1e-12:
            rows.append(["(start)", None, None, self.before])
        rows += [[term.document, term.grade, term.rank or "not found", term.adds] for term in self.terms]
        if abs(self.after) > 1e-12:
            rows.append(["(below the last relevant)", None, None, self.after])
        rows.append(["score", None, None, self.value])
        return Table(["document", "grade", "rank", "adds"], rows, best={(len(rows) - 1, 3)}, digits=4)


def measure_to_explain(text: str, *, rel: int | None = None) -> Measure:
    """Parse a measure; a name alone gets example values for the options that it needs.

    >>> [measure_to_explain(name).text for name in ("P", "AP", "Rnorm", "nDCG@20")]
    ['P@10', 'AP', 'Rnorm(size=1000)', 'nDCG@20']
    """
    definition = MEASURES.find(text.strip())
    if definition is None:
        return parse_measure(text, rel=rel)
    needed = [name for name, option in definition.parameters.items() if option.default is option.empty]
    given = ",".join(f"{name}=1000" for name in needed if name != definition.at)
    cutoff = "0.5" if definition.at is not None and definition.types[definition.at] is float else "10"
    ending = (f"({given})" if given else "") + (f"@{cutoff}" if definition.at in needed else "")
    return parse_measure(f"{text.strip()}{ending}", rel=rel)


def sections(definition: Definition) -> dict[str, str]:
    """Return the docstring by heading; its first line is `Meaning`."""
    text = (inspect.getdoc(definition.function) or "").split(">>>")[0]
    paragraphs = [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text) if paragraph.strip()]
    found: dict[str, str] = {}
    heading = "Meaning"
    for paragraph in paragraphs:
        headed = re.match(r"([A-Z][a-z]+(?: [a-z]+)?): (.*)", paragraph)
        if headed and found:
            heading = headed[1]
            found[heading] = headed[2]
        elif heading != SECTIONS[-1]:  # text after the last section introduces the doctest
            found[heading] = f"{found[heading]} {paragraph}" if heading in found else paragraph
    return found


def options_of(measure: Measure) -> list[tuple[str, str, str]]:
    """Return each option's name, its value, and the values it may have."""
    listed = []
    for name, value in measure.options.items():
        choices = measure.definition.choices(name)
        kind = measure.definition.types[name]
        allowed = " | ".join(map(str, choices)) if choices else re.sub(r"<class '(\w+)'>", r"\1", str(kind))
        where = " (after @)" if name == measure.definition.at else ""
        listed.append((name + where, "-" if value is None else str(value), allowed))
    return listed


def breakdown(measure: Measure, hits: Hits, documents: Sequence[str], topic: str = "") -> Breakdown:
    """Return the score of a single row, term by term.

    A document adds the score of the list down to it minus the score of the list above it, so the terms of any
    measure sum to its value.

    >>> parts = breakdown(parse_measure("AP"), Hits.of(ranks=[1, 4], relevant=2), ["d1", "d2"])
    >>> [(term.rank, term.adds) for term in parts.terms], parts.value
    ([(1, 0.5), (4, 0.25)], 0.75)
    """
    relevant = hits.relevant(measure.level)
    ranks = hits.rank[relevant]
    # The score of each prefix of the list: above the first relevant document, down to each, and the whole.
    limits = np.concatenate([ranks[:1] - 1, ranks, [np.iinfo(np.int64).max]])
    values = measure.raw(_prefixes(hits, limits))
    values[:-1] = np.nan_to_num(values[:-1])  # some measures are undefined until something relevant is found
    steps = np.diff(values)
    found = [
        Term(documents[place], int(hits.grade[hit]), int(hits.rank[hit]), float(steps[i]))
        for i, (hit, place) in enumerate(zip(np.flatnonzero(relevant), hits.document[relevant].tolist(), strict=True))
    ]
    missed = np.flatnonzero(hits.judged.grades >= measure.level)
    missed = missed[~np.isin(missed, hits.document[relevant])]
    lacking = [Term(documents[place], int(hits.judged.grades[place]), 0, 0.0) for place in missed.tolist()]
    return Breakdown(
        measure.text,
        topic,
        (*found, *lacking),
        before=float(values[0]) if len(ranks) else 0.0,
        after=float(steps[-1]) if len(ranks) else 0.0,
        value=float(values[-1]),
    )


def _prefixes(hits: Hits, limits: Integers) -> Hits:
    """The single row of `hits` once per limit, without the hits below it; the list keeps its length."""
    many = len(limits)
    kept = hits.rank[None, :] <= limits[:, None]
    place = np.tile(np.arange(len(hits.rank)), (many, 1))[kept]
    return replace(
        hits,
        offsets=np.concatenate([[0], np.cumsum(kept.sum(axis=1))]),
        rank=hits.rank[place],
        grade=hits.grade[place],
        document=hits.document[place],
        tie_first=hits.tie_first[place],
        tie_last=hits.tie_last[place],
        retrieved=np.repeat(hits.retrieved, many),
        topic=np.repeat(hits.topic, many),
        reading=None if hits.reading is None else _repeated(hits.reading, many),
        characters=None if hits.characters is None else _passages_to(hits.characters, limits),
    )


def _passages_to(characters: Characters, limits: Integers) -> Characters | None:
    """The single row once per limit, without the passages of documents below it."""
    return characters_together([characters.where(characters.rank <= limit) for limit in limits.tolist()])


def _repeated(reading: Reading, many: int) -> Reading:
    length = int(reading.offsets[-1])
    return Reading(
        np.arange(many + 1) * length,
        None if reading.words is None else np.tile(reading.words, many),
        None if reading.seconds is None else np.tile(reading.seconds, many),
        None if reading.iterations is None else np.tile(reading.iterations, many),
    )


def explain_topic(
    measure: MeasureLike,
    qrels: QrelsLike,
    run: RunLike,
    topic: str,
    *,
    order: Order = "score",
    rel: int | None = None,
    reads: str | None = None,
    lengths: Mapping[str, float] | None = None,
    qrels_format: str | None = None,
) -> Breakdown:
    """Return the score of one topic of one run, term by term.

    measure: such as "nDCG(gain=exp)@10"
    """
    wanted = parse_measure(measure, rel=rel)
    judged = open_qrels(qrels, format=qrels_format)
    if topic not in judged.topics:
        raise InputError(judged.name, f"no topic {topic!r}; it has {', '.join(judged.topics[:8])}")
    if reads is not None:
        wanted = timed_by_log(wanted)
    judged = judged.restricted_to([topic])
    check_needs([wanted], judged)
    (source, *more) = open_sources(run)
    if more:
        raise InputError("run", "only one run can be explained at a time")
    return _explained(wanted, judged, source, topic, order=order, reads=reads, lengths=lengths)


def _explained(
    measure: Measure,
    qrels: Qrels,
    source: Source,
    topic: str,
    *,
    order: Order = "score",
    reads: str | None = None,
    lengths: Mapping[str, float] | None = None,
) -> Breakdown:
    view = view_with_reads(measure, reads)
    hits = together(list(hits_of_runs([source], qrels, view, order, reads=reads, lengths=lengths)), qrels)
    return breakdown(measure, hits, qrels.documents.names(), topic)


def worked_example(measure: Measure) -> tuple[str, Breakdown]:
    """Return a small example for this measure: its description, and its score term by term."""
    needs = measure.view.needs
    documents = [f"d{k}" for k in range(1, 11)]
    run = Run.from_columns(
        ["1"] * 10, documents, np.arange(10.0, 0.0, -1.0), "example", order=measure.view.order or "score"
    )
    judged = ["d1", "d3", "d4", "d6", "d20"]
    grades = [2, 1, 0, 1, 2]
    story = "ten documents d1 to d10; relevant are d1 (grade 2), d3, d6 and d20 (grade 2); d4 is judged not relevant"
    if "characters" in needs:
        return _example_of_passages(measure)
    if "subtopics" in needs:
        labels = ["1", "1", "1", "2", "2"]
        theta = [0.7] * 3 + [0.3] * 2
        qrels = Qrels.from_columns(["1"] * 5, judged, grades, "example", subtopics=labels, weights=theta)
        story += "; d1, d3 and d4 are judged for subtopic 1, d6 and d20 for subtopic 2"
    elif "strata" in needs:
        labels = ["1", "1", "1", "2", "2", "2"]
        qrels = Qrels.from_columns(["1"] * 6, [*judged, "d5"], [*grades, -1], "example", strata=labels)
        story += "; d5 is in the pool but not judged; d1, d3 and d4 are of stratum 1, the others of stratum 2"
    else:
        qrels = Qrels.from_columns(["1"] * 5, judged, grades, "example")
        if "prels" in needs:
            chances = np.array([1.0, 0.5, 0.5, 0.25, 0.25])
            names = qrels.documents.names()
            by_name = dict(zip(judged, chances, strict=True))
            qrels = replace(qrels, kind="prels", probabilities=np.array([by_name[name] for name in names]))
            story += "; they were sampled with probability 1, ½, ½ (d4), ¼ and ¼"
    hits = together([_example_hits(run, qrels, measure)], qrels)
    if needs & {"words", "seconds", "iterations"}:
        story += "; every document has 150 words"
    return story, breakdown(measure, hits, qrels.documents.names(), "1")


def _example_of_passages(measure: Measure) -> tuple[str, Breakdown]:
    passages = [("d1", 100, 400), ("d2", 0, 300), ("d1", 400, 300), ("d3", 50, 200)]
    hits = example(passages, {"d1": [(200, 600)], "d3": [(0, 150)], "d4": [(0, 250)]})
    story = (
        "four passages: characters 100 to 499 of d1, 0 to 299 of d2, 400 to 699 of d1, 50 to 249 of d3; "
        "relevant are d1 from 200 to 599, d3 from 0 to 149 and d4 from 0 to 249"
    )
    assert hits.qrels is not None
    return story, breakdown(measure, hits, hits.qrels.documents.names(), "1")


def _example_hits(run: Run, qrels: Qrels, measure: Measure) -> RunHits:
    reading = None
    if measure.view.needs & {"words", "seconds", "iterations"}:
        reading = Reading(np.array([0, 10]), np.full(10, 150.0), np.full(10, 30.0), np.arange(10) // 5)
    return join(run, qrels, kernels=False, reading=reading)


class PrecisionRecall(NamedTuple):
    """Recall and precision at every rank, and the interpolated precision at that recall."""

    recall: Array
    precision: Array
    interpolated: Array  # the highest precision at any rank where recall is no less


def precision_recall(relevant: Sequence[bool], total: int) -> PrecisionRecall:
    """The curve of a list whose documents are relevant or not, of `total` that are relevant.

    Formula: precision@k = relevant among the first k / k; recall@k = the same / total; interpolated precision at recall
    r is the largest precision@k where recall@k >= r. Garg and Sharma 2012, section 5.4.1.1.

    >>> curve = precision_recall([True, False, True, False], total=4)
    >>> [part.round(2).tolist() for part in curve]
    [[0.25, 0.25, 0.5, 0.5], [1.0, 0.5, 0.67, 0.5], [1.0, 1.0, 0.67, 0.67]]
    """
    found = np.cumsum(np.asarray(relevant, np.float64))
    precision = found / np.arange(1, len(found) + 1)
    best_after = np.maximum.accumulate(precision[::-1])[::-1]
    # At ranks of the same recall the interpolated precision is that of the first of them.
    first = np.searchsorted(found, found)
    return PrecisionRecall(found / total if total else np.full(len(found), np.nan), precision, best_after[first])


def topic_curve(qrels: Qrels, run: Run, topic: str, rel: int = 1) -> PrecisionRecall:
    """The curve of a run for one topic."""
    grades = qrels.judgements(topic)
    ranked = [grades.get(document, 0) >= rel for document, _ in run.ranking(topic)]
    return precision_recall(ranked, sum(grade >= rel for grade in grades.values()))
