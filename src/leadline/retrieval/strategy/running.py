"""Run a strategy: each line as it is understood, with its documents; and the result as ids, a run, RIS or CSV."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.records.result import Result, Table, counted
from leadline.retrieval.language.language import Language
from leadline.retrieval.language.line_reading import read_line
from leadline.retrieval.language.line_words import ReadLine
from leadline.retrieval.language.reading import understand
from leadline.retrieval.language.syntax import OWN, SYNTAXES, syntax_named
from leadline.retrieval.language.tree import Node, Saved, query_text
from leadline.retrieval.strategy.headings import Answerable, HeadingNames, with_parts
from leadline.retrieval.strategy.lines import StrategyLine, StrategyText, is_combination, strategy_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.records.runs import Run
    from leadline.retrieval.pipeline.context import SearchContext

    Mask = NDArray[np.bool_]

Status = Literal["understood", "changed", "not understood"]
Form = Literal["ids", "run", "ris", "csv"]
COLUMNS = ("line", "query", "understood", "documents", "notes")
UNORDERED = "none"
ORDERS = (UNORDERED, "newest", "oldest")
ENDINGS: Mapping[str, Form] = {".ris": "ris", ".csv": "csv", ".run": "run"}
MOST_SAID = 3  # lines of a strategy of which a run says how they were changed
AT_ONCE = 500  # documents read at a time
SUFFIXES = (".txt", ".strategy", ".md", "")  # of files with strategies in a folder


@dataclass(frozen=True)
class LineFound:
    """A line of a strategy: how it was understood, and the documents that it matches."""

    number: int
    query: str
    understood: str
    documents: int | None  # None where it was not understood
    status: Status
    notes: tuple[str, ...]
    tree: Node | None = field(default=None, repr=False)
    matching: Mask | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, repr=False)
class StrategyFound(Result):
    """What the lines of a strategy found. The result is that of one line, the last unless another is named."""

    name: str
    syntax: str
    lines: tuple[LineFound, ...]
    notes: tuple[str, ...]
    order: str
    language: Language
    context: SearchContext
    result_line: int

    @property
    def result(self) -> LineFound:
        """The line whose documents are the result."""
        return next(line for line in self.lines if line.number == self.result_line)

    @property
    def matching(self) -> Mask:
        """Which documents are the result, by row."""
        found = self.result.matching
        return np.zeros(len(self.context.index), np.bool_) if found is None else found

    @cached_property
    def _ranking(self) -> tuple[NDArray[np.integer[Any]], NDArray[np.float64]]:
        tree = self.result.tree
        rows = np.flatnonzero(self.matching)
        if self.order == UNORDERED or tree is None or not len(rows):
            rows = rows[np.argsort(self.context.index.ranks[rows])]
            return rows, np.ones(len(rows))
        whole = expanded(tree, {line.number: line.tree for line in self.lines})
        if self.order in ("newest", "oldest"):
            ranking = self.language.ranked(whole, self.matching, self.order, "bm25")  # type: ignore[arg-type]
            return ranking.rows, np.arange(len(ranking.rows), 0, -1, dtype=np.float64)
        from leadline.retrieval.models.searcher import parse_model

        model, parameters = parse_model(self.order)
        ranking = self.language.ranked(whole, self.matching, "score", model, **parameters)
        return ranking.rows, ranking.scores

    @property
    def ids(self) -> list[str]:
        """The documents of the result; without an order, in that of their names."""
        return self.context.names(self._ranking[0])

    def run(self, topic: str | None = None) -> Run:
        """The result as a run of one topic (default: the strategy's name); without an order all scores are 1."""
        from leadline.records.runs import Run

        if not self.matching.any():
            raise InputError(self.name, f"line {self.result_line} finds no document: there is no run to write")
        scores = self._ranking[1].tolist()
        return Run.of({topic or self.name: dict(zip(self.ids, scores, strict=True))}, "strategy")

    def encoded(self, form: Form, topic: str | None = None) -> bytes:
        """The result as a file."""
        checked_choice("form", form, ("ids", "run", "ris", "csv"))
        if form == "run":
            return self.run(topic).to_bytes()
        if form == "ids":
            return "".join(f"{name}\n" for name in self.ids).encode()
        return self._ris() if form == "ris" else self._csv()

    def _documents(self) -> Sequence[Any]:
        rows = self._ranking[0]
        read = [self.context.documents(rows[first : first + AT_ONCE]) for first in range(0, len(rows), AT_ONCE)]
        return [document for each in read for document in each if document is not None]

    def _ris(self) -> bytes:
        out = []
        for document in self._documents():
            fields = [("TY", "JOUR"), ("ID", document.id), ("TI", document.title)]
            fields += [("AU", name) for name in document.inventors]
            fields += [("PY", document.publication), ("AB", document.abstract), ("LA", document.language)]
            out += [f"{tag}  - {' '.join(text.split())}\n" for tag, text in fields if text]
            out.append("ER  - \n\n")
        return "".join(out).encode("utf-8", "replace")

    def _csv(self) -> bytes:
        rows = [
            [each.id, each.title, each.abstract, "; ".join(each.inventors), each.publication]
            for each in self._documents()
        ]
        return Table(["record_id", "title", "abstract", "authors", "year"], rows).encoded("csv")

    @property
    def table(self) -> Table:
        """A row for each line."""
        rows = [
            [each.number, each.query, each.understood, each.documents, "; ".join(each.notes)] for each in self.lines
        ]
        return Table(list(COLUMNS), rows)

    def _shown_table(self) -> Table:
        return self.table

    def _finding(self) -> str:
        return (
            f"{self.name}: {self.summary}; line {self.result_line}: {counted(self.result.documents or 0, 'document')}"
        )

    @property
    def summary(self) -> str:
        """How many lines were understood, in one line."""
        counts = {status: sum(line.status == status for line in self.lines) for status in ("changed", "not understood")}
        whole = len(self.lines) - sum(counts.values())
        said = f"{counted(len(self.lines), 'line')} ({_title(self.syntax)}): {whole:,} understood as asked"
        said += f", {counts['changed']:,} with a change that its notes name" if counts["changed"] else ""
        return said + (f", {counts['not understood']:,} not understood" if counts["not understood"] else "")


def form_of(path: str) -> Form:
    """The form of a file by its name.

    >>> form_of("found.ris"), form_of("found.txt")
    ('ris', 'ids')
    """
    return next((form for ending, form in ENDINGS.items() if path.lower().endswith(ending)), "ids")


def _title(name: str) -> str:
    found = syntax_named(name)
    return "our own syntax" if found is None else found.title


def read_strategy(source: str | os.PathLike[str]) -> tuple[str, str]:
    """The text of a strategy and its name: of a file, or of a text of several lines or that names no file."""
    if isinstance(source, str) and ("\n" in source or not _is_file(source)):
        if "\n" not in source and Path(source).suffix in (".txt", ".strategy") and " " not in source:
            raise InputError(source, "no such file")
        return source, "strategy"
    from leadline.text.source import read_text, stem

    path = os.fspath(source)
    return read_text(path).bytes().decode("utf-8", "replace"), stem(path).removesuffix(".txt")


def _is_file(text: str) -> bool:
    try:
        return text == "-" or Path(text).is_file()
    except (OSError, ValueError):
        return False


def read_lines(text: StrategyText) -> list[tuple[StrategyLine, ReadLine]]:
    """Each line of a strategy as it is understood, apart from any index; our own syntax needs the fields of one."""
    table = syntax_named(text.syntax)
    found: list[tuple[StrategyLine, ReadLine]] = []
    known: list[int] = []
    for line in text.lines:
        read = read_own(line, known) if table is None else read_line(line.text, table, known)
        found.append((line, read))
        known += [line.number] if read.tree is not None else []
    return found


def read_own(line: StrategyLine, known: Sequence[int]) -> ReadLine:
    """A line in our own syntax, or one that combines lines by their numbers."""
    from leadline.retrieval.choices import FIELDS

    if is_combination(line.text):
        return read_line(line.text, SYNTAXES["ovid"], known)
    try:
        asked = understand(line.text, FIELDS, list(known))
    except InputError as error:
        return ReadLine(None, (error.problem,))
    return ReadLine(asked.tree, asked.notes)


def run_lines(
    context: SearchContext,
    text: StrategyText,
    name: str = "strategy",
    *,
    line: int | None = None,
    order: str = UNORDERED,
    headings: HeadingNames | None = None,
) -> StrategyFound:
    """Run each line of a strategy on an index."""
    found = run_read(context, read_lines(text), name, syntax=text.syntax, line=line, order=order, headings=headings)
    notes = [*text.notes, *found.notes]
    if text.comments:
        shown = "; ".join(_short(each, 40) for each in text.comments[:4])
        notes.append(f"{counted(len(text.comments), 'line')} left out as comments: {shown}")
    return replace(found, notes=tuple(notes))


def run_read(
    context: SearchContext,
    read_already: Sequence[tuple[StrategyLine, ReadLine]],
    name: str = "strategy",
    *,
    syntax: str = OWN,
    line: int | None = None,
    order: str = UNORDERED,
    headings: HeadingNames | None = None,
) -> StrategyFound:
    """Run lines that were read, of one syntax or of several. A line is evaluated once, however often it is named."""
    texts = context.texts if context.has_collection else None
    language = Language(context.index, {}, context.searching, texts)
    found: dict[int, Mask | None] = {}
    language.saved = {}
    lines: list[LineFound] = []
    for written, read in read_already:
        one = _run_line(language, written, read, found, headings)
        found[written.number] = one.matching
        if one.tree is not None:
            language.saved[written.number] = one.tree
        lines.append(one)
    numbers = [each.number for each in lines]
    if line is not None and line not in numbers:
        raise InputError("line", f"the strategy has no line {line}; it has {numbers[0]} to {numbers[-1]}")
    usable = [each.number for each in lines if each.documents is not None]
    if not usable:
        raise InputError(name, f"no line was understood: {lines[-1].notes[-1] if lines[-1].notes else ''}")
    notes: list[str] = []
    result = line if line is not None else numbers[-1]
    if line is None and numbers[-1] != usable[-1]:
        result = usable[-1]
        notes.append(f"line {numbers[-1]} was not understood: the result is that of line {result}")
    return StrategyFound(name, syntax, tuple(lines), tuple(notes), order, language, context, result)


def _run_line(
    language: Language,
    written: StrategyLine,
    read: ReadLine,
    found: Mapping[int, Mask | None],
    headings: HeadingNames | None,
) -> LineFound:
    """What one line finds, and what there is to say of it."""
    notes = [*written.notes, *read.changed, *read.said]
    if read.tree is None:
        return LineFound(written.number, written.text, "", None, "not understood", tuple(notes))
    answerable = Answerable(language.index, headings)
    tree = answerable.tree(read.tree)
    notes += [*answerable.changed, *answerable.said]
    if tree is None:
        return LineFound(written.number, written.text, "", None, "not understood", tuple(notes))
    try:
        matching, more = language.documents_of(tree, found)
    except InputError as error:
        return LineFound(
            written.number, written.text, query_text(tree), None, "not understood", (*notes, error.problem)
        )
    if matching is None:
        matching = np.zeros(len(language.index), np.bool_)
        more = [*more, "there is no word to search for"]
    other = any(" taken as " in note for note in more)  # where the index keeps no positions
    status: Status = "changed" if read.changed or answerable.changed or other else "understood"
    count = int(np.count_nonzero(matching))
    return LineFound(
        written.number,
        written.text,
        query_text(tree),
        count,
        status,
        tuple(dict.fromkeys([*notes, *more])),
        tree,
        matching,
    )


def expanded(node: Node, lines: Mapping[int, Node | None]) -> Node:
    """A tree with the lines that it names in place of their numbers."""
    named = lines.get(node.number) if isinstance(node, Saved) else None
    return with_parts(node, lambda part: expanded(part, lines)) if named is None else expanded(named, lines)


def strategies_in(source: str | os.PathLike[str]) -> dict[str, str]:
    """The strategies of a folder by topic, which is the name of the file; or that of one file."""
    path = Path(source)
    if not path.is_dir():
        text, name = read_strategy(source)
        return {name: text}
    files = sorted(
        each for each in path.iterdir() if each.is_file() and each.suffix in SUFFIXES and each.name[0] != "."
    )
    if not files:
        raise InputError(str(path), "has no strategies: name a folder of .txt files, one for each topic")
    found = {}
    for each in files:
        text, name = read_strategy(each)
        found[name] = text
    return found


def _short(text: str, longest: int = 60) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def run_text(
    context: SearchContext,
    source: str | os.PathLike[str],
    *,
    syntax: str | None = None,
    line: int | None = None,
    order: str = UNORDERED,
) -> StrategyFound:
    """Read a strategy and run it."""
    text, name = read_strategy(source)
    return run_lines(context, strategy_text(text, syntax, name), name, line=line, order=order)


def run_strategies(
    context: SearchContext, source: str | os.PathLike[str], *, order: str = UNORDERED
) -> tuple[Run, list[str]]:
    """A run of the strategies of a folder, one for each topic, and notes; a strategy without documents has no lines."""
    from leadline.records.runs import Run

    found: dict[str, dict[str, float]] = {}
    notes: list[str] = []
    for name, text in strategies_in(source).items():
        one = run_lines(context, strategy_text(text, None, name), name, order=order)
        found |= one.run().to_dict() if one.matching.any() else {}
        changed = [line for line in one.lines if line.status != "understood"]
        notes.append(f"{name}: {one.summary}; {counted(one.result.documents or 0, 'document')}")
        notes += [f"{name} line {line.number}: {'; '.join(line.notes)}" for line in changed[:MOST_SAID]]
        if len(changed) > MOST_SAID:
            notes.append(
                f"{name}: {len(changed) - MOST_SAID} more lines have notes: `leadline strategy run` shows them"
            )
    if not found:
        raise InputError(os.fspath(source), f"no strategy finds a document: {notes[0]}")
    return Run.of(found, "strategy"), notes
