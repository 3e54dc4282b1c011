"""Write the lines of a strategy in the syntax of another system."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.records.result import Result, Table, counted
from leadline.retrieval.language.line_writing import WrittenLine, write_line
from leadline.retrieval.language.syntax import Syntax, syntax_named
from leadline.retrieval.language.tree import Heading, Node, Within, WordOrPhrase, nodes_of, query_text
from leadline.retrieval.strategy.lines import StrategyText
from leadline.retrieval.strategy.running import read_lines


@dataclass(frozen=True, repr=False)
class Translation(Result):
    """The lines of a strategy in another syntax, and what each of them loses."""

    name: str
    syntax: str
    to: str
    lines: tuple[tuple[int, str, str, tuple[str, ...]], ...]  # number, as it was, as it is written, notes
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The lines with their numbers, to paste."""
        return "".join(f"{number}. {written}\n" for number, _, written, _ in self.lines)

    @property
    def table(self) -> Table:
        """A row for each line."""
        rows = [[number, query, written, "; ".join(notes)] for number, query, written, notes in self.lines]
        return Table(["line", "query", "translated", "notes"], rows)

    def _shown_table(self) -> Table:
        return self.table

    def _finding(self) -> str:
        losing = sum(bool(notes) for _, _, _, notes in self.lines)
        return f"{self.name}: {counted(len(self.lines), 'line')} from {self.syntax} to {self.to}, {losing:,} with notes"


def translate_lines(text: StrategyText, to: str, name: str = "strategy") -> Translation:
    """Each line in the syntax of another system."""
    target = syntax_named(to, "--to")
    lines = []
    for line, read in read_lines(text):
        notes = [*line.notes, *read.changed, *read.said]
        if read.tree is None:
            lines.append((line.number, line.text, "", (*notes, "was not understood")))
            continue
        written = _written(read.tree, target)
        lines.append((line.number, line.text, written.text, tuple(dict.fromkeys([*notes, *written.lost]))))
    return Translation(name, text.syntax, to, tuple(lines), text.notes)


def _written(tree: Node, target: Syntax | None) -> WrittenLine:
    if target is not None:
        return write_line(tree, target)
    lost = [f'"{each.name}": our own syntax takes its words' for each in nodes_of(tree) if isinstance(each, Heading)]
    return WrittenLine(query_text(_in_words(tree)), tuple(lost))


def _in_words(node: Node) -> Node:
    """A tree with the words of headings in their place."""
    from leadline.retrieval.strategy.headings import with_parts

    if isinstance(node, Heading):
        return Within("title,abstract", WordOrPhrase(node.name, quoted=" " in node.name))
    return with_parts(node, _in_words)
