"""Measure each line of a strategy by judgements: what it finds, and what the result would be without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError, nearest
from leadline.records.result import Result, Table, counted
from leadline.retrieval.language.tree import And, Node, Or, Saved, Side, nodes_of
from leadline.retrieval.strategy.running import LineFound, StrategyFound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.records.qrels import Qrels

COLUMNS = (
    "line",
    "query",
    "documents",
    "relevant",
    "recall",
    "precision",
    "without_documents",
    "without_relevant",
    "advice",
)


@dataclass(frozen=True)
class LineMeasured:
    """What a line finds, and the result without it; None where the result does not use it."""

    found: LineFound
    relevant: int
    recall: float
    precision: float
    without_documents: int | None
    without_relevant: int | None
    advice: str


@dataclass(frozen=True, repr=False)
class StrategyMeasured(Result):
    """Recall and precision of each line, the lines that could be dropped, and those that lose relevant documents."""

    strategy: StrategyFound
    topic: str
    lines: tuple[LineMeasured, ...]
    relevant: int  # documents of the index that are judged relevant
    notes: tuple[str, ...]

    @property
    def droppable(self) -> list[int]:
        """The lines without which the result has every relevant document that it has, and no more to read."""
        return [each.found.number for each in self.lines if each.advice.startswith("could be dropped")]

    @property
    def losing(self) -> list[int]:
        """The lines without which the result would have more relevant documents."""
        return [each.found.number for each in self.lines if each.advice.startswith("loses")]

    @property
    def table(self) -> Table:
        """A row for each line."""
        rows = [
            [
                each.found.number,
                each.found.query,
                each.found.documents,
                each.relevant,
                each.recall,
                each.precision,
                each.without_documents,
                each.without_relevant,
                each.advice,
            ]
            for each in self.lines
        ]
        return Table(list(COLUMNS), rows)

    def _shown_table(self) -> Table:
        return self.table

    def _finding(self) -> str:
        whole = next(each for each in self.lines if each.found.number == self.strategy.result_line)
        said = f"{self.strategy.name}: {whole.relevant:,} of {counted(self.relevant, 'relevant document')}"
        return f"{said} among {whole.found.documents or 0:,}"


def measure_lines(strategy: StrategyFound, qrels: Qrels, topic: str | None = None, rel: int = 1) -> StrategyMeasured:
    """Measure the lines of a strategy by the judgements of a topic."""
    topic = _topic(strategy, qrels, topic)
    grades = qrels.judgements(topic)
    relevant = [name for name, grade in grades.items() if grade >= rel]
    index = strategy.context.index
    there = [name for name in relevant if index.has(name)]
    if not there:
        raise InputError("QRELS", f"topic {topic}: none of its {len(relevant):,} relevant documents is in the index")
    wanted = np.zeros(len(index), np.bool_)
    wanted[[index.row(name) for name in there]] = True
    notes = [*strategy.notes]
    if len(there) < len(relevant):
        notes.append(
            f"{counted(len(relevant) - len(there), 'relevant document')} of topic {topic} not in the index: not counted"
        )
    lines = tuple(_measured(strategy, line, wanted) for line in strategy.lines)
    measured = StrategyMeasured(strategy, topic, lines, len(there), ())
    if drop := measured.droppable:
        notes.append(f"lines you could drop, one at a time: {', '.join(map(str, drop))}")
    if lose := measured.losing:
        notes.append(f"lines that lose relevant documents: {', '.join(map(str, lose))}")
    return StrategyMeasured(strategy, topic, lines, len(there), tuple(notes))


def _topic(strategy: StrategyFound, qrels: Qrels, topic: str | None) -> str:
    if topic is None:
        topic = strategy.name if strategy.name in qrels.topics else qrels.topics[0] if len(qrels.topics) == 1 else None
        if topic is None:
            raise InputError("QRELS", f"has {len(qrels.topics):,} topics: name one with --topic")
    if topic not in qrels.topics:
        raise InputError("topic", f"the judgements have no topic {topic}{nearest(topic, list(qrels.topics))}")
    return topic


def _measured(strategy: StrategyFound, line: LineFound, wanted: NDArray[np.bool_]) -> LineMeasured:
    if line.matching is None:
        return LineMeasured(line, 0, 0.0, 0.0, None, None, "was not understood")
    found, total = int((line.matching & wanted).sum()), int(wanted.sum())
    documents = line.documents or 0
    recall, precision = found / total, found / documents if documents else 0.0
    without = _without(strategy, line.number)
    if without is None:
        advice = "the result" if line.number == strategy.result_line else "the result does not use it"
        if line.number != strategy.result_line and _joins(line.tree):
            advice = "joins other lines"
        return LineMeasured(line, found, recall, precision, None, None, advice)
    count, kept = int(without.sum()), int((without & wanted).sum())
    now, now_kept = int(strategy.matching.sum()), int((strategy.matching & wanted).sum())
    return LineMeasured(line, found, recall, precision, count, kept, _advice(count - now, kept - now_kept))


def _advice(documents: int, relevant: int) -> str:
    """What to say of a line without which the result has so many more or fewer documents, and relevant ones.

    >>> _advice(0, 0), _advice(-12, 0), _advice(40, 3)
    ('could be dropped: the result is the same', 'could be dropped: 12 documents fewer to read, no relevant one lost',
     'loses 3 relevant documents: without it there are 40 documents more')
    >>> _advice(100, 0), _advice(-9, -2)
    ('saves reading 100 documents', 'finds 2 relevant documents that no other line does')
    """
    if relevant > 0:
        change = (
            f"{counted(documents, 'document')} more" if documents >= 0 else f"{counted(-documents, 'document')} fewer"
        )
        return f"loses {counted(relevant, 'relevant document')}: without it there are {change}"
    if relevant < 0:
        return f"finds {counted(-relevant, 'relevant document')} that no other line does"
    if documents > 0:
        return f"saves reading {counted(documents, 'document')}"
    if documents < 0:
        return f"could be dropped: {counted(-documents, 'document')} fewer to read, no relevant one lost"
    return "could be dropped: the result is the same"


def _without(strategy: StrategyFound, number: int) -> NDArray[np.bool_] | None:
    """The documents of the result without a line; None where the result does not use it."""
    trees = {line.number: line.tree for line in strategy.lines}
    uses = _used(trees, strategy.result_line)
    tree = trees[number]
    found: dict[int, Any] = {line.number: line.matching for line in strategy.lines}
    limited = tree.parts[0] if isinstance(tree, And) and isinstance(tree.parts[0], Saved) and not _joins(tree) else None
    if number == strategy.result_line:
        return None if limited is None else found[limited.number]
    if number not in uses or _joins(tree):
        return None
    found[number] = None if limited is None else found.get(limited.number)  # a limit is taken away, a part left out
    changed = {number}
    for line in strategy.lines:
        if line.number not in uses and line.number != strategy.result_line:
            continue
        named = (
            {each.number for each in nodes_of(line.tree) if isinstance(each, Saved)} if line.tree is not None else set()
        )
        if line.number != number and line.tree is not None and named & changed:
            found[line.number], _ = strategy.language.documents_of(line.tree, found)
            changed.add(line.number)
    result = found[strategy.result_line]
    return np.zeros(len(strategy.context.index), np.bool_) if result is None else result


def _joins(tree: Node | None) -> bool:
    """Whether a line is nothing but other lines, joined."""
    return tree is not None and all(isinstance(each, (Saved, And, Or, Side)) for each in nodes_of(tree))


def _used(trees: Mapping[int, Any], number: int) -> set[int]:
    """The lines that a line names, and those that these name."""
    used: set[int] = set()
    waiting = [number]
    while waiting:
        tree = trees.get(waiting.pop())
        for each in nodes_of(tree) if tree is not None else ():
            if isinstance(each, Saved) and each.number not in used:
                used.add(each.number)
                waiting.append(each.number)
    return used
