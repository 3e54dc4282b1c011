"""Write the lines of a strategy in the syntax of another system."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

from leadline.records.result import Result, Table, counted
from leadline.retrieval.language.line_values import TEXTS
from leadline.retrieval.language.line_words import language_name
from leadline.retrieval.language.syntax import Syntax, Wildcard, syntax_named
from leadline.retrieval.language.tree import (
    DATE_FILTERS,
    FILTERS,
    FROM_LETTERS,
    LETTER_OF,
    And,
    Boosted,
    Heading,
    Near,
    Node,
    Or,
    Same,
    Saved,
    Side,
    Within,
    WordOrPhrase,
    nodes_of,
    query_text,
)
from leadline.retrieval.strategy.headings import with_parts
from leadline.retrieval.strategy.lines import StrategyText
from leadline.retrieval.strategy.running import read_lines

_KINDS: dict[str, Wildcard] = {
    LETTER_OF["*"]: "many",
    LETTER_OF["?"]: "one",
    LETTER_OF["#"]: "one",
    LETTER_OF["$"]: "maybe",
}
_OTHER_FORM = re.compile(r"^\w\*\s|\s\w\*\s\w\*")


@dataclass(frozen=True)
class WrittenLine:
    """A line in another syntax, and what is not said in it."""

    text: str
    lost: tuple[str, ...] = ()


def write_line(tree: Node, syntax: Syntax) -> WrittenLine:
    """A tree in the syntax of a system; what cannot be said there is left out or widened, and named.

    >>> from leadline.retrieval.language.line_reading import read_line
    >>> from leadline.retrieval.language.syntax import SYNTAXES
    >>> asked = read_line("(film$ adj3 metal).ti,ab. or exp Polymers/", SYNTAXES["ovid"]).tree
    >>> write_line(asked, SYNTAXES["embase"]).text
    "(film* NEAR/3 metal):ti,ab OR 'Polymers'/exp"
    >>> write_line(asked, SYNTAXES["ebsco"]).text
    '(TI (film* N2 "metal") OR AB (film* N2 "metal")) OR (MH "Polymers+")'
    """
    writer = _Writer(syntax)
    text = writer.write(tree)
    return WrittenLine(text, tuple(writer.lost))


class _Writer:
    def __init__(self, syntax: Syntax) -> None:
        self.syntax, self.how = syntax, syntax.writing
        self.lost: dict[str, None] = {}

    def lose(self, note: str) -> None:
        self.lost[note] = None

    def write(self, node: Node, fields: str = "") -> str:
        """A part as text; `fields` are those that are around it."""
        if isinstance(node, WordOrPhrase):
            return self._word(node)
        if isinstance(node, Saved):
            return self.how.line.format(node.number)
        if isinstance(node, Heading):
            return self._heading(node)
        if isinstance(node, Within):
            return self._within(node, fields)
        if isinstance(node, Boosted):
            self.lose(f"the weight {node.factor:g} of {_shown(node.part)} cannot be said")
            return self.write(node.part, fields)
        if isinstance(node, Side):
            return self._side(node, fields)
        if isinstance(node, (Near, Same)):
            return self._near(node, fields)
        operator = "AND" if isinstance(node, And) else "OR"
        parts = [self._enclosed(each, fields) for each in node.parts]
        return f" {self._operator(operator)} ".join(filter(None, parts))

    def _operator(self, name: str) -> str:
        name = self.how.but if name == "NOT" else name
        return name.lower() if self.how.small else name

    def _enclosed(self, node: Node, fields: str) -> str:
        text = self.write(node, fields)
        return f"({text})" if isinstance(node, (And, Or, Side, Near, Same)) and text else text

    def _side(self, node: Side, fields: str) -> str:
        kept = [self._enclosed(part, fields) for mark, part in node.parts if mark != "-"]
        out = [self._enclosed(part, fields) for mark, part in node.parts if mark == "-"]
        wanted = [mark for mark, _ in node.parts if mark == "+"]
        joiner = "AND" if wanted or len(kept) < 2 else "OR"
        text = f" {self._operator(joiner)} ".join(filter(None, kept))
        if len(kept) > 1 and out:
            text = f"({text})"
        return f"{text} " * bool(text) + " ".join(f"{self._operator('NOT')} {each}" for each in out if each)

    # Words

    def _word(self, node: WordOrPhrase) -> str:
        if node.slop:
            self.lose(f"~{node.slop} of {_shown(node)} cannot be said: the phrase is asked for")
        text = "".join(self._letters(node.text)) if any(each in node.text for each in _KINDS) else node.text
        truncated = any(each in node.text for each in _KINDS)
        if " " in text.strip():
            if truncated and not self.how.in_phrases:
                operator = self.how.before.format(n=1 - self.how.less) or "AND"
                return f"({f' {operator} '.join(text.split())})"
            return self.how.phrase.format(text.strip())
        if not truncated and not node.exact and self.syntax.forms == "exact" and text.isalpha():
            self.lose(f"{text}: its other forms are not found there: cut it off")
        if node.exact and self.syntax.forms != "exact" and text.isalpha():
            return self.how.phrase.format(text)
        is_operator = text.lower() in ("and", "or", "not", "near", "next", "adj", "same")
        return (
            self.how.phrase.format(text)
            if is_operator or not all(c.isalnum() or c in "*?$#!-[]" for c in text)
            else text
        )

    def _letters(self, text: str) -> list[str]:
        """The text with the wildcards of the system."""
        found = []
        at = 0
        while at < len(text):
            letter = text[at]
            if letter not in _KINDS:
                found.append(letter)
                at += 1
                continue
            kind: Wildcard = _KINDS[letter]
            number = text[at + 1 : at + 2] if letter == LETTER_OF["$"] and text[at + 2 : at + 3] in ("", " ") else ""
            at += 1 + (1 if number.isdigit() else 0)
            found.append(self._sign(kind, int(number) if number.isdigit() else 1, text, counted=number.isdigit()))
        return found

    def _sign(self, kind: Wildcard, count: int, text: str, *, counted: bool) -> str:
        shown = text.translate(FROM_LETTERS)
        if counted and self.how.counted and (count > 1 or "maybe" not in self.how.wildcards):
            return self.how.counted.format(n=count)
        if kind == "maybe" and "maybe" in self.how.wildcards and count <= 9:
            return self.how.wildcards["maybe"] * count
        if kind in self.how.wildcards:
            return self.how.wildcards[kind]
        wide = self.how.wildcards.get("many", "*")
        what = "so many letters" if counted else "one letter"
        self.lose(f"{shown}: {self.syntax.title} cannot leave open {what}: {wide} finds more")
        return wide

    # Distances

    def _near(self, node: Near | Same, fields: str) -> str:
        if isinstance(node, Same):
            sign = self.how.same.get(node.unit)
            if sign is None:
                self.lose(f"SAME {node.unit.upper()} cannot be said: AND is asked for, which finds more")
            joined = f" {sign or self._operator('AND')} ".join(self._enclosed(each, fields) for each in node.parts)
            return joined
        if self.how.near == "~{n}":
            return self._near_pubmed(node, fields)
        text = self._enclosed(node.parts[0], fields)
        for part, within, ordered in zip(node.parts[1:], node.within, node.is_ordered, strict=True):
            text += f" {self._near_sign(within, ordered=ordered)} {self._enclosed(part, fields)}"
        return text

    def _near_sign(self, within: int, *, ordered: bool) -> str:
        if ordered and (not self.how.before or ("{n}" not in self.how.before and within > 1)):
            what = "the order of words" if self.how.near else "a distance"
            self.lose(f"PRE/{within}: {self.syntax.title} cannot say {what}: it finds more")
            ordered = False
        sign = self.how.before if ordered else self.how.near
        return sign.format(n=within - self.how.less) if sign else self._operator("AND")

    def _near_pubmed(self, node: Near, fields: str) -> str:
        """`"thin film"[tiab:~2]`: two whole words; others as AND."""
        choices = [list(each.parts) if isinstance(each, Or) else [each] for each in node.parts]
        plain = len(node.parts) == 2 and all(isinstance(one, WordOrPhrase) for each in choices for one in each)
        cut = any(
            letter in one.text for each in choices for one in each if isinstance(one, WordOrPhrase) for letter in _KINDS
        )
        if not plain or cut or len(choices[0]) * len(choices[1]) > 60:
            self.lose(
                f"{_shown(node)}: PubMed finds only whole words near each other: AND is asked for, which finds more"
            )
            return f" {self._operator('AND')} ".join(self._enclosed(each, fields) for each in node.parts)
        if any(node.is_ordered):
            self.lose(f"{_shown(node)}: PubMed cannot say the order of words: it finds more")
        tag = {"title": "ti", "abstract": "ab"}.get(fields, "tiab")
        pairs = [f'"{one.text} {other.text}"[{tag}:~{node.within[0] - 1}]'  # type: ignore[union-attr]
                 for one, other in product(*choices)]  # fmt: skip
        return " OR ".join(pairs)

    # Fields and filters

    def _within(self, node: Within, fields: str) -> str:
        if node.field in FILTERS:
            return self._filter(node)
        if self.syntax.name == "pubmed":
            return self._pubmed_fields(node)
        template = self._template(node.field)
        return template.replace("{}", self._bare(self.write(node.part, node.field), template))

    def _bare(self, text: str, template: str) -> str:
        """A part without parentheses of its own where the template has some."""
        return text[1:-1] if "({})" in template and _is_enclosed(text) else text

    def _template(self, field: str) -> str:
        """How fields are written; those that the system does not have are named."""
        names = field.split(",")
        known = ",".join(name for name in TEXTS if name in names)
        if known in self.how.tags:
            return self.how.tags[known]
        single = [self.how.tags[name] for name in names if name in self.how.tags]
        missing = [name for name in names if name not in self.how.tags]
        if missing:
            self.lose(f"{', '.join(missing)}: {self.syntax.title} has no such field")
        if not single:
            return self.how.tags.get("", "{}")
        return single[0] if len(single) == 1 else f"({' OR '.join(single)})"

    def _pubmed_fields(self, node: Within) -> str:
        """A tag stands behind every word."""
        tag = self._template(node.field)

        def tagged(part: Node) -> str:
            if isinstance(part, WordOrPhrase):
                return tag.replace("{}", self._word(part))
            if isinstance(part, (And, Or)):
                operator = "AND" if isinstance(part, And) else "OR"
                texts = [tagged(each) if isinstance(each, WordOrPhrase) else f"({tagged(each)})" for each in part.parts]
                return f" {operator} ".join(texts)
            if isinstance(part, Side):
                kept = " OR ".join(tagged(each) for mark, each in part.parts if mark != "-")
                return f"({kept})" + "".join(f" NOT ({tagged(each)})" for mark, each in part.parts if mark == "-")
            if isinstance(part, Near):
                before = dict(self.lost)
                text = self._near_pubmed(part, node.field)
                return text if self.lost == before or "~" in text else tagged(And(part.parts))
            if isinstance(part, Same):
                self.lose(f"SAME {part.unit.upper()} cannot be said: AND is asked for, which finds more")
                return tagged(And(part.parts))
            return self.write(part)

        return tagged(node.part)

    def _heading(self, node: Heading) -> str:
        template = self.how.heading
        if node.exploded:
            template = self.how.exploded or template
            if not self.how.exploded and template:
                self.lose(f'"{node.name}": {self.syntax.title} cannot ask for narrower headings')
        if node.focused:
            template = self.how.focused or template
            if not self.how.focused:
                self.lose(f'"{node.name}": {self.syntax.title} cannot ask for main subjects')
            elif node.exploded:
                self.lose(f'"{node.name}": a main subject with narrower headings is asked for without them')
        if node.under:
            self.lose(f'"{node.name}": the subheading {node.under} was left out')
        if not template:
            self.lose(f'"{node.name}": {self.syntax.title} has no headings: its words are asked for')
            return self.how.tags.get("title,abstract", "{}").replace("{}", self.how.phrase.format(node.name))
        return template.format(node.name)

    def _filter(self, node: Within) -> str:
        assert isinstance(node.part, WordOrPhrase)
        value = node.part.text.translate(FROM_LETTERS)
        if node.field in DATE_FILTERS:
            return self._years(node.field, value)
        if node.field == "language" and self.how.language:
            return self.how.language.format(language_name(value))
        if node.field == "inventor" and self.how.name:
            if _OTHER_FORM.search(value):  # the same name as documents may write it, which other systems need not
                return ""
            many = self.how.wildcards.get("many", "*")
            return self.how.name.format(value.replace("*", many))
        if node.field in self.how.tags:
            return self.how.tags[node.field].replace("{}", value)
        self.lose(f"{query_text(node)} cannot be said in {self.syntax.title}: it was left out")
        return ""

    def _years(self, field: str, value: str) -> str:
        low, _, high = value.partition("..")
        if not self.how.years or (field != "published" and self.syntax.name not in ("espacenet", "stn")):
            self.lose(f"{field}:{value} cannot be said in {self.syntax.title}: it was left out")
            return ""
        whole = all(len(each) in (0, 4) or each.endswith(("-01-01", "-12-31")) for each in (low, high))
        if self.how.days and not whole:
            days = [
                each.replace("-", "/" if self.syntax.name == "pubmed" else "")
                for each in (low or "1800", high or "3000")
            ]
            return self.how.days.format(low=days[0], high=days[1])
        if not whole:
            self.lose(f"{field}:{value}: {self.syntax.title} is asked for whole years, which are more")
        first, last = int(low[:4] or 1800), int(high[:4] or 3000)
        return self.how.years.format(low=first, high=last, low_before=first - 1, high_after=last + 1)


def _is_enclosed(text: str) -> bool:
    """Whether a text is in one pair of parentheses."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return place == len(text) - 1 and text[:1] == "("
    return False


def _shown(node: Node) -> str:
    text = query_text(node)
    return text if len(text) <= 60 else f"{text[:59]}…"


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
    if isinstance(node, Heading):
        return Within("title,abstract", WordOrPhrase(node.name, quoted=" " in node.name))
    return with_parts(node, _in_words)
