"""Pools that follow the judgements: which document to judge next, and what each rule would have found.

- depth: by best rank over the runs, as a pool that grows deeper;
- move-to-front (Cormack, Palmer and Clarke, SIGIR 1998): the run with the highest priority gives the next document; a
  run loses priority with every document that is not relevant;
- bandit (after Losada, Parapar and Barreiro, SAC 2016): the run whose documents were relevant most often gives the
  next one, by the mean of a Beta distribution in which older judgements fade.

>>> list(by_depth([["a", "b"], ["c", "a"]], lambda document: True, np.random.default_rng(1)))
['a', 'c', 'b']
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.records.qrels import Qrels
from leadline.records.result import Table
from leadline.records.runs import Run

FADING = 0.9  # the weight of a run's earlier judgements with each new one

Lists = Sequence[Sequence[str]]  # the documents of each run for one topic, best first
Judge = Callable[[str], bool]  # whether a document is relevant
Rule = Callable[[Lists, Judge, np.random.Generator], Iterator[str]]


def by_depth(lists: Lists, judge: Judge, rng: np.random.Generator) -> Iterator[str]:
    """The first documents of all runs, then the second, and so on."""
    seen = set[str]()
    for rank in range(max(map(len, lists), default=0)):
        for listed in lists:
            if rank < len(listed) and listed[rank] not in seen:
                seen.add(listed[rank])
                yield listed[rank]


def move_to_front(lists: Lists, judge: Judge, rng: np.random.Generator) -> Iterator[str]:
    """The next document of the run with the highest priority, which falls with every miss; ties at random."""
    priority = rng.random(len(lists)) * 0.5  # the fraction breaks ties, once

    def learn(place: int, relevant: bool) -> None:
        priority[place] -= not relevant

    yield from _by_priority(lists, judge, priority, learn)


def bandit(lists: Lists, judge: Judge, rng: np.random.Generator) -> Iterator[str]:
    """The next document of the run with the largest mean of Beta(1 + hits, 1 + misses); ties at random."""
    hits, misses = np.zeros(len(lists)), np.zeros(len(lists))
    ties = rng.random(len(lists)) * 1e-9
    value = 0.5 + ties

    def learn(place: int, relevant: bool) -> None:
        hits[place] = FADING * hits[place] + relevant
        misses[place] = FADING * misses[place] + (not relevant)
        value[place] = (1 + hits[place]) / (2 + hits[place] + misses[place]) + ties[place]

    yield from _by_priority(lists, judge, value, learn)


def _by_priority(
    lists: Lists,
    judge: Judge,
    priority: np.ndarray[tuple[int], np.dtype[np.float64]],
    learn: Callable[[int, bool], None],
) -> Iterator[str]:
    """Documents from the run with the highest priority, each once; `learn` is told which run it was and the outcome."""
    at = [0] * len(lists)
    seen = set[str]()
    left = np.array([len(listed) > 0 for listed in lists])
    while left.any():
        place = int(np.where(left, priority, -np.inf).argmax())
        while at[place] < len(lists[place]) and lists[place][at[place]] in seen:
            at[place] += 1
        if at[place] == len(lists[place]):
            left[place] = False
            continue
        document = lists[place][at[place]]
        seen.add(document)
        yield document
        learn(place, judge(document))


RULES: Mapping[str, Rule] = {"depth": by_depth, "move-to-front": move_to_front, "bandit": bandit}


def next_documents(
    runs: Sequence[Run], judged: Qrels, rule: str, count: int, *, depth: int = 100, level: int = 1, seed: int = 1
) -> dict[str, list[str]]:
    """The documents of each topic to judge next: those a rule asks for before `count` of them are not judged yet.

    A rule cannot look past what it does not know: where it meets an unjudged document it takes it as not relevant.
    """
    chosen = RULES[checked_choice("rule", rule, tuple(RULES))]
    wanted: dict[str, list[str]] = {}
    for topic, lists in _lists(runs, depth).items():
        known = judged.judgements(topic) if topic in judged.topics else {}
        asked = chosen(lists, _judge(known, level), _rng(seed, topic))
        new = wanted.setdefault(topic, [])
        for document in asked:
            if known.get(document, -1) < 0:
                new.append(document)
            if len(new) == count:
                break
    return wanted


def compare_rules(
    runs: Sequence[Run], truth: Qrels, budgets: Sequence[int], *, depth: int = 100, level: int = 1, seed: int = 1
) -> Table:
    """What each rule would have found: the share of the known relevant documents, for budgets of documents a topic.

    `truth` plays the judge: a document that it does not have is not relevant.
    """
    if not budgets or min(budgets) < 1:
        raise InputError("budget", f"must be at least 1, got {', '.join(map(str, budgets))}")
    rows: list[list[object]] = []
    by_topic = _lists(runs, depth)
    for name, rule in RULES.items():
        found = np.zeros(len(budgets))
        read = np.zeros(len(budgets))
        total = 0
        for topic in truth.topics:
            known = truth.judgements(topic)
            relevant = sum(grade >= level for grade in known.values())
            if topic not in by_topic or not relevant:
                continue
            total += relevant
            asked = rule(by_topic[topic], _judge(known, level), _rng(seed, topic))
            outcome = [known.get(document, 0) >= level for _, document in zip(range(max(budgets)), asked, strict=False)]
            hits = np.cumsum([0, *outcome])
            places = np.minimum(budgets, len(outcome))
            found += hits[places]
            read += places
        if not total:
            raise InputError(truth.name, "has no relevant document for the topics of the runs")
        rows += [
            [name, budget, int(read[b]), int(found[b]), float(found[b] / total)] for b, budget in enumerate(budgets)
        ]
    return Table(["rule", "budget", "judged", "relevant_found", "share_found"], rows)


def _lists(runs: Sequence[Run], depth: int) -> dict[str, list[list[str]]]:
    """The first documents of every run, by topic."""
    lists: dict[str, list[list[str]]] = {}
    for run in runs:
        for t, topic in enumerate(run.topics):
            lines = run.order[run.offsets[t] : run.offsets[t + 1]][:depth].tolist()
            lists.setdefault(topic, []).append([run.documents[line] for line in lines])
    return lists


def _judge(known: Mapping[str, int], level: int) -> Judge:
    return lambda document: known.get(document, 0) >= level


def _rng(seed: int, topic: str) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(topic.encode("utf-8", "surrogateescape"))])
