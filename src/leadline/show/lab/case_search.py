"""What a case finds: its queries on its index, what is new since somebody looked, and the passages for its chart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from leadline.collections.documents.document import Claim, Document
from leadline.errors import InputError, visible
from leadline.records.result import whole_percent
from leadline.retrieval.bearing import GRADES, bearing_on_claims, claims_or_abstract
from leadline.retrieval.choices import BEARING
from leadline.retrieval.language.line_reading import read_line
from leadline.retrieval.language.line_words import ReadLine
from leadline.retrieval.language.syntax import OWN, syntax_named
from leadline.retrieval.language.tree import LETTER_OF, Node, Saved, query_text, ranking_words
from leadline.retrieval.passages import Marker, Passages, claim_terms
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.strategy.headings import with_parts
from leadline.retrieval.strategy.lines import StrategyLine, strategy_text
from leadline.retrieval.strategy.running import UNORDERED, LineFound, StrategyFound, expanded, read_own, run_read
from leadline.retrieval.word_search import weighed
from leadline.show.lab.case import LONGEST_TITLE, MOST_WATCHED, Act, Case, CaseFile, CaseQuery, Cases, Feature
from leadline.show.lab.opened import OpenedLab, clean

COLOURS = 6  # of the words of queries
PASSAGES = 3  # that are offered for a feature of a document
LEAST = 1e-9  # of the words, that the first of them has: any
LEAST_OF_PART = 0.5  # of the words of a part of a claim, from which a passage is suggested for it
MOST_COLUMNS = 40  # documents of a chart
_ANY = re.compile("[*?$#]")


def read_queries(case: Case) -> list[tuple[StrategyLine, ReadLine]]:
    """The queries of a case as they are understood; a pasted line names the lines that were pasted with it."""
    found: list[tuple[StrategyLine, ReadLine]] = []
    understood: list[int] = []
    for query in sorted(case.queries.values(), key=lambda each: each.number):
        line = StrategyLine(query.number, query.text)
        table = syntax_named(query.syntax or OWN)
        if not query.own:
            read = read_own(line, understood) if table is None else read_line(query.text, table, understood)
        else:
            numbers = {
                each.own: each.number
                for each in case.queries.values()
                if each.act.uid == query.act.uid and each.number in understood
            }
            own = StrategyLine(query.own, query.text)
            read = read_own(own, list(numbers)) if table is None else read_line(query.text, table, list(numbers))
            if read.tree is not None:
                read = replace(read, tree=_renumbered(read.tree, numbers))
        found.append((line, read))
        understood += [query.number] if read.tree is not None else []
    return found


def _renumbered(node: Node, numbers: Mapping[int, int]) -> Node:
    """A tree whose numbers of lines are those of the case."""
    if isinstance(node, Saved):
        return Saved(numbers.get(node.number, node.number))
    return with_parts(node, lambda part: _renumbered(part, numbers))


def run_queries(opened: OpenedLab, case: Case, order: str = UNORDERED) -> StrategyFound | None:
    """The queries of a case on its index; None where it has none."""
    if not case.queries:
        return None
    asked = tuple((each.number, each.text, each.syntax, each.own) for each in case.queries.values())
    context = opened.context(case.index)
    entries = [opened.lab.get("index", case.index)]
    return opened.computed(
        "queries of a case",
        entries,
        lambda: run_read(context, read_queries(case), case.name, order=order),
        asked,
        order,
    )


def documents_of(found: StrategyFound, line: LineFound) -> list[str] | None:
    """The ids of a line's documents; None where they are too many to be watched, or the line was not understood."""
    if line.matching is None or (line.documents or 0) > MOST_WATCHED:
        return None
    return found.context.names(np.flatnonzero(line.matching))


@dataclass(frozen=True)
class QueryFound:
    """A query of a case, what it finds now, and which of that is new."""

    query: CaseQuery
    line: LineFound | None
    new: tuple[str, ...]  # documents that were not there when it was looked through
    watched: bool
    whole: str = ""  # as it was understood, with the queries that it names in place of their numbers

    @property
    def says(self) -> str:
        """What is new, in words; empty where nothing is."""
        since = self.query.looked.day if self.query.looked else ""
        return f"{len(self.new):,} new since {since}" if self.new else ""


def queries_found(opened: OpenedLab, case: Case) -> list[QueryFound]:
    """Each query with its documents, and what is new since it was looked through."""
    opened.context(case.index)
    try:
        found = run_queries(opened, case)
    except InputError:  # no line was understood
        found = None
    lines = {} if found is None else {line.number: line for line in found.lines}
    trees = {number: line.tree for number, line in lines.items()}
    listed = []
    for number, query in sorted(case.queries.items()):
        line = lines.get(number)
        now = documents_of(found, line) if found is not None and line is not None else None
        watched = query.watched is not None and now is not None
        new = tuple(sorted(set(now or ()) - query.watched)) if watched and query.watched is not None else ()
        tree = None if line is None or line.tree is None else expanded(line.tree, trees)
        listed.append(QueryFound(query, line, new, watched, "" if tree is None else query_text(tree)))
    return listed


def begin_case(
    opened: OpenedLab,
    person: str,
    role: str,
    *,
    index: str,
    patent: str = "",
    question: str = "",
    title: str = "",
    name: str = "",
) -> CaseFile:
    """Begin a case of a question, or of a patent that the index has; its title is then the patent's."""
    if patent:
        context = opened.context(index)
        request = context.request(patent)
        if not request.is_patent:
            raise InputError(visible(patent), "is not a patent of the index: write its number, or a question")
        if request.row is not None:
            patent = context.index.id_of(request.row)
        words = " ".join(context.document(request).title.split())
        title = title or f"{patent} {clean(words)}"[:LONGEST_TITLE]
    return Cases(opened.lab).begin(person, role, index=index, patent=patent, question=question, title=title, name=name)


def add_query(opened: OpenedLab, file: CaseFile, person: str, role: str, text: str, uid: str = "") -> Case:
    """Add a query in our own language; InputError where it is not understood."""
    return _add(opened, file, person, role, [(0, text)], "", "query", uid)


def add_strategy(
    opened: OpenedLab, file: CaseFile, person: str, role: str, text: str, syntax: str = "", uid: str = ""
) -> Case:
    """Add the lines of a pasted strategy, in the syntax that it has; InputError where none is understood."""
    read = strategy_text(text, syntax or None)
    return _add(
        opened, file, person, role, [(each.number, each.text) for each in read.lines], read.syntax, "strategy", uid
    )


def _add(
    opened: OpenedLab, file: CaseFile, person: str, role: str, lines: Sequence[tuple[int, str]], syntax: str, kind: str,
    uid: str,
) -> Case:  # fmt: skip
    case = file.read()
    act = Act(person, "", "new")
    first = case.last_number + 1
    new = {first + at: CaseQuery(first + at, text, act, syntax, own) for at, (own, text) in enumerate(lines)}
    tried = replace(case, queries={**case.queries, **new})
    found = run_queries(opened, tried)
    assert found is not None
    of_new = [line for line in found.lines if line.number in new]
    if all(line.documents is None for line in of_new):
        raise InputError("query", "; ".join(of_new[-1].notes) or "was not understood")
    stored = [
        {"own": new[line.number].own, "text": new[line.number].text, "watched": documents_of(found, line)}
        for line in of_new
    ]
    return file.do(person, role, kind, uid=uid, lines=stored, syntax=syntax)


def look_through(opened: OpenedLab, file: CaseFile, person: str, role: str, number: int) -> Case:
    """Say that the new documents of a query were looked through."""
    case = file.read()
    found = run_queries(opened, case)
    line = next((each for each in found.lines if each.number == number), None) if found is not None else None
    watched = None if found is None or line is None else documents_of(found, line)
    return file.do(person, role, "looked", number=number, watched=watched)


# Words of the queries in colours.


class ColouredWords:
    """The words of a case's queries, each with its colour, and where they are in a text."""

    def __init__(self, context: SearchContext, case: Case, more: Sequence[str] = ()) -> None:
        trees = [read.tree for _, read in read_queries(case) if read.tree is not None]
        words = dict.fromkeys(word for tree in trees for word in ranking_words(tree))
        self._analysis = context.index.analysis
        self.legend: list[tuple[str, int]] = []
        self._terms: dict[str, int] = {}
        self._begins: list[tuple[str, int]] = []  # of words that are cut off
        for word in (*words, *more):
            colour = len(self.legend) % COLOURS + 1
            shown = word.translate(_WRITTEN)
            if shown in {each for each, _ in self.legend}:
                continue
            self.legend.append((shown, colour))
            if _ANY.search(shown):
                self._begins.append((_ANY.split(shown)[0].lower(), colour))
                continue
            for term in self._analysis.terms(shown):
                self._terms.setdefault(term, colour)

    def pieces(self, text: str, also: Sequence[str] = ()) -> list[dict[str, Any]]:
        """A text cut where the colour changes: 0 for none, -1 for the terms of `also`."""
        weights = dict.fromkeys((*also, *self._terms), 1.0)
        for word in {each.lower() for each in re.findall(r"\w+", text)} if self._begins else ():
            for begin, colour in self._begins:
                if begin and word.startswith(begin):
                    for term in self._analysis.terms(word):
                        self._terms.setdefault(term, colour)
                        weights[term] = 1.0
        found, at = [], 0
        for start, end, term in Marker(self._analysis, weights).marks(text):
            if start < at:
                continue
            found += [(text[at:start], 0), (text[start:end], self._terms.get(term, -1))]
            at = end
        found.append((text[at:], 0))
        return [{"text": clean(part), "colour": colour} for part, colour in found if part]


_WRITTEN = str.maketrans({letter: sign for sign, letter in LETTER_OF.items()})


# The claim chart: features of the claims, documents, and which passage discloses which.


def topic_of(opened: OpenedLab, case: Case) -> Document:
    """What is searched for: the patent of the case, or its question as one claim."""
    if not case.patent:
        return Document("question", title=case.title, claims=(Claim(1, case.question),))
    context = opened.context(case.index)
    return context.document(context.request(case.patent))


def features_of(case: Case, topic: Document) -> list[Feature]:
    """The rows of the chart: those that somebody wrote, or the claims."""
    return list(case.features) or [
        Feature(str(claim.number), claim.number, claim.text) for claim in claims_or_abstract(topic)
    ]


_BETWEEN = re.compile(
    r";\s+(?:and\s+)?|\n+|(?<=\bcomprising)[:,]?\s+|(?<=\bcharacteri[sz]ed in that)[:,]?\s+"
    r"|,\s+(?=wherein\b|whereby\b|characteri[sz]ed\b)"
)


def split_claim(feature: Feature) -> list[Feature]:
    """The parts of a claim, where it is divided by its own signs; itself where it is not.

    >>> nail = Feature("1", 1, "A nail comprising: a tip; and a head, wherein the tip is bent.")
    >>> [each.text for each in split_claim(nail)]
    ['A nail comprising', 'a tip', 'a head', 'wherein the tip is bent.']
    """
    parts = [part.strip(" ,:;") for part in _BETWEEN.split(feature.text) if part and part.strip(" ,:;")]
    if len(parts) < 2 or len(parts) > 26:
        return [feature]
    return [
        Feature(f"{feature.claim}{letter}", feature.claim, part) for letter, part in zip(_LETTERS, parts, strict=False)
    ]


_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def features_text(features: Sequence[Feature]) -> str:
    """Features as the lines that `read_features` reads."""
    return "\n".join(f"{each.key}: {' '.join(each.text.split())}" for each in features)


@dataclass(frozen=True)
class Offered:
    """A passage for a feature: which share of the feature's words it has; `grade` where the machine suggests it."""

    where: str
    text: str
    share: float
    grade: str = ""
    of_part: bool = False  # of a claim, for which it was not measured how often suggestions are right

    @property
    def right(self) -> str:
        """How often such a suggestion was right where that was measured."""
        if self.of_part:
            return "not measured"
        return next((whole_percent(each.right) for each in GRADES if each.name == self.grade), "")

    @property
    def precision(self) -> str:
        """The same as a sentence."""
        if self.of_part:
            return "the claim as a whole has this mark; for parts of claims it was not measured how often it is right"
        return next(
            (
                f"{whole_percent(each.right)} of such marks on claims were right"
                for each in GRADES
                if each.name == self.grade
            ),
            "",
        )


def offered_passages(
    opened: OpenedLab, case: Case, documents: Sequence[str]
) -> dict[tuple[str, str], tuple[Offered, ...]]:
    """For each feature and document the passages with most of the feature's words, the suggested one first."""
    context = opened.context(case.index)
    topic = topic_of(opened, case)
    features = features_of(case, topic)
    entries = [opened.lab.get("index", case.index)]

    def make() -> dict[tuple[str, str], tuple[Offered, ...]]:
        rows = context.rows(documents)
        read = [each for each in context.documents(rows[rows >= 0].astype(np.int64)) if each is not None]
        return dict(_offered(context, topic, features, read))

    return opened.computed("chart", entries, make, case.patent, case.question, tuple(features), tuple(documents))


def _offered(
    context: SearchContext, topic: Document, features: Sequence[Feature], documents: Sequence[Document]
) -> Iterator[tuple[tuple[str, str], tuple[Offered, ...]]]:
    if not documents or not features:
        return
    analysis = context.index.analysis
    passages = Passages(documents, analysis)
    bearing, _ = bearing_on_claims(context, topic, passages)
    suggested = {(each.claim.number, one.hit): one for each in bearing for one in each.found}
    terms = claim_terms([each.text for each in features], analysis)
    weights = weighed(context, list(dict.fromkeys(term for each in terms for term in each)))
    shares = passages.shares([{term: weights[term] for term in each} for each in terms])
    of_document: list[list[int]] = [[] for _ in documents]
    for place, item in enumerate(passages.items):
        of_document[item.document].append(place)
    for column, feature in enumerate(features):
        for number, document in enumerate(documents):
            places = sorted(of_document[number], key=lambda place: (-shares[place, column], place))[:PASSAGES]
            best = [
                Offered(passages.items[place].where, passages.items[place].text, float(shares[place, column]))
                for place in places
                if shares[place, column] >= (BEARING if place != places[0] else LEAST)
            ]
            mark = suggested.get((feature.claim, number))
            if mark is not None and not feature.is_part:
                first = Offered(mark.passage.where, mark.passage.text, mark.share, mark.grade.name)
                best = [first, *(each for each in best if each.where != first.where)][:PASSAGES]
            elif mark is not None and best and best[0].share >= LEAST_OF_PART:
                best[0] = replace(best[0], grade=mark.grade.name, of_part=True)
            yield (feature.key, document.id), tuple(best)


def chart_documents(case: Case) -> list[str]:
    """The documents of the chart: those with ticks, then the shortlist; what is graded as not relevant is left out."""
    ticked = dict.fromkeys(document for _, document in case.ticks)
    listed = [each.id for each in case.shortlist if case.value_of(each) != 0]
    return list(dict.fromkeys([*ticked, *listed]))[:MOST_COLUMNS]
