"""Thousands of lines in ten syntaxes, made at random, against a small matcher of its own: sets over lists of words.

The matcher knows the rules of each system from a table of its own; it shares nothing with the reader of lines.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from tests.conftest import examples
from tests.retrieval.strategy.conftest import searched

from leadline.collections.documents.document import Document
from leadline.retrieval.language.syntax import SYNTAXES
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.strategy.lines import StrategyLine, StrategyText
from leadline.retrieval.strategy.running import run_lines

WORDS = (
    "film",
    "films",
    "foil",
    "foils",
    "metal",
    "metals",
    "acid",
    "acids",
    "colour",
    "color",
    "woman",
    "women",
    "photographic",
)
DOCUMENTS = 40
CASES = 150  # lines of each syntax in the short form
Set = frozenset[int]


def collection(draw: random.Random) -> list[Document]:
    text = lambda most: " ".join(draw.choice(WORDS) for _ in range(draw.randint(0, most)))  # noqa: E731
    return [Document(f"D{n}", kind="record", title=text(5) or "acid", abstract=text(12)) for n in range(DOCUMENTS)]


@dataclass(frozen=True)
class Rules:
    """How a system writes and means what the generator makes."""

    fields: dict[str, str]  # by t(itle), a(bstract), b(oth)
    near: Callable[[str, str, int], str] | None
    before: Callable[[str, str, int], str] | None
    operators: tuple[str, str, str]  # AND, OR, NOT
    order: tuple[frozenset[str], ...]  # tightest first
    forms: str = "exact"
    many: str = "*"
    one: str = ""
    maybe: str = ""
    group: bool = True  # whether alternatives may be near something
    nested: bool = True  # whether a field may enclose operators


def _levels(*levels: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(level.split()) for level in levels)


AND_FIRST, LEFT = _levels("NOT", "AND", "OR"), _levels("AND OR NOT")
CAPITALS = ("AND", "OR", "NOT")
RULES = {
    "ovid": Rules(
        {"t": "({}).ti.", "a": "({}).ab.", "b": "({}).ti,ab."},
        lambda x, y, n: f"{x} adj{n} {y}",
        None,
        ("and", "or", "not"),
        AND_FIRST,
        "exact",
        "$",
        "#",
        "?",
    ),
    "pubmed": Rules({"t": "{}[ti]", "a": "{}[ab]", "b": "{}[tiab]"}, None, None, CAPITALS, LEFT, nested=False),
    "embase": Rules(
        {"t": "({}):ti", "a": "({}):ab", "b": "({}):ti,ab"},
        lambda x, y, n: f"{x} NEAR/{n} {y}",
        lambda x, y, n: f"{x} NEXT/{n} {y}",
        CAPITALS,
        LEFT,
        "exact",
        "*",
        "?",
        "$",
    ),
    "cochrane": Rules(
        {"t": "({}):ti", "a": "({}):ab", "b": "({}):ti,ab"},
        lambda x, y, n: f"{x} near/{n} {y}",
        lambda x, y, n: f"{x} next/{n} {y}",
        ("and", "or", "not"),
        AND_FIRST,
        "exact",
        "*",
        "?",
    ),
    "ebsco": Rules(
        {"t": "TI ( {} )", "a": "AB ( {} )"},
        lambda x, y, n: f"{x} N{n - 1} {y}",
        lambda x, y, n: f"{x} W{n - 1} {y}",
        CAPITALS,
        AND_FIRST,
        "forms",
        "*",
        "?",
        "#",
    ),
    "scopus": Rules(
        {"t": "TITLE({})", "a": "ABS({})", "b": "TITLE-ABS-KEY({})"},
        lambda x, y, n: f"{x} W/{n - 1} {y}",
        lambda x, y, n: f"{x} PRE/{n - 1} {y}",
        ("AND", "OR", "AND NOT"),
        _levels("OR", "AND", "NOT"),
        "forms",
        "*",
        "?",
    ),
    "proquest": Rules(
        {"t": "TI({})", "a": "AB({})", "b": "TI,AB({})"},
        lambda x, y, n: f"{x} NEAR/{n} {y}",
        lambda x, y, n: f"{x} PRE/{n} {y}",
        CAPITALS,
        _levels("AND", "OR", "NOT"),
        "forms",
        "*",
        "?",
    ),
    "wos": Rules(
        {"t": "TI=({})", "a": "AB=({})", "b": "TS=({})"},
        lambda x, y, n: f"{x} NEAR/{n - 1} {y}",
        None,
        CAPITALS,
        AND_FIRST,
        "forms",
        "*",
        "?",
        "$",
    ),
    "espacenet": Rules(
        {"t": "ti=({})", "a": "ab=({})", "b": "ta=({})"},
        lambda x, y, n: f"{x} prox/distance<{n + 1} {y}",
        lambda x, y, n: f"{x} prox/distance<={n}/ordered=true {y}",
        CAPITALS,
        LEFT,
        "exact",
        "*",
        "#",
        "?",
    ),
    "stn": Rules(
        {"t": "({})/TI", "a": "({})/AB", "b": "({})/TI,AB"},
        lambda x, y, n: f"{x}({n - 1}A){y}",
        lambda x, y, n: f"{x}({n - 1}W){y}",
        CAPITALS,
        AND_FIRST,
        "exact",
        "?",
        "!",
        "#",
    ),
}


class Maker:
    """Makes a line as text, and what it finds as a set."""

    def __init__(self, draw: random.Random, rules: Rules, documents: list[Document]) -> None:
        self.draw, self.rules = draw, rules
        self.texts = [{"t": each.title.split(), "a": each.abstract.split()} for each in documents]

    # Words: the text, and the expression that words of documents match

    def word(self) -> tuple[str, str]:
        draw, rules = self.draw, self.rules
        kind = draw.random()
        if kind < 0.15:
            stem = draw.choice(("fil", "meta", "aci", "photo"))
            most = "{0,5}" if rules is RULES["proquest"] else "*"
            return stem + rules.many, stem + "." + most
        if kind < 0.25 and rules.one:
            return f"wom{rules.one}n", "wom.n"
        if kind < 0.35 and rules.maybe:
            return f"colo{rules.maybe}r", "colo.?r"
        word = draw.choice(WORDS)
        if rules.forms == "forms" and word.rstrip("s") + "s" in WORDS:
            return word, word.rstrip("s") + "s?"
        return word, word

    def phrase(self) -> tuple[str, list[str]]:
        words = [self.draw.choice(WORDS) for _ in range(2)]
        quote = "'" if self.rules is RULES["embase"] else '"'
        return f"{quote}{' '.join(words)}{quote}", words

    # Places of parts in a list of words: the first and the last word of each occurrence

    @staticmethod
    def places(words: list[str], asked: list[str]) -> set[tuple[int, int]]:
        return {
            (at, at + len(asked) - 1)
            for at in range(len(words) - len(asked) + 1)
            if all(re.fullmatch(pattern, words[at + n]) for n, pattern in enumerate(asked))
        }

    def leaf(self) -> tuple[str, Callable[[list[str]], bool]]:
        """Something in one field: a word, a phrase, words near each other."""
        draw, rules = self.draw, self.rules
        kind = draw.random()
        if kind < 0.2:
            text, asked = self.phrase()
            return text, lambda words: bool(self.places(words, asked))
        ways = [(way, ordered) for way, ordered in ((rules.near, False), (rules.before, True)) if way]
        if kind < 0.55 and ways:
            way, ordered = draw.choice(ways)
            (one, left), (other, right) = self.operand(), self.operand()
            within = draw.randint(1, 4)

            def near(words: list[str]) -> bool:
                starts = {place for each in left for place in self.places(words, each)}
                ends = {place for each in right for place in self.places(words, each)}
                return any(
                    0 < second[0] - first[1] <= within or (not ordered and 0 < first[0] - second[1] <= within)
                    for first in starts
                    for second in ends
                )

            return way(one, other, within), near
        text, pattern = self.word()
        return text, lambda words: bool(self.places(words, [pattern]))

    def operand(self) -> tuple[str, list[list[str]]]:
        """What may be near something: a word, a phrase, alternatives."""
        kind = self.draw.random()
        if kind < 0.2:
            text, asked = self.phrase()
            return text, [asked]
        if kind < 0.4 and self.rules.group:
            (one, first), (other, second) = self.word(), self.word()
            return f"({one} {self.rules.operators[1]} {other})", [[first], [second]]
        text, pattern = self.word()
        return text, [[pattern]]

    def fielded(self) -> tuple[str, Set]:
        """A leaf, or a small Boolean part, in a field."""
        field = self.draw.choice(sorted(self.rules.fields))
        names = ("t", "a") if field == "b" else (field,)
        if self.draw.random() < 0.3 and self.rules.nested:
            parts = [self.leaf() for _ in range(self.draw.randint(2, 3))]
            sets = [self.having(test, names) for _, test in parts]
            # NEAR binds more tightly than operators everywhere but in Scopus, so that it is put in parentheses.
            return self.chain([(f"({text})", found) for (text, _), found in zip(parts, sets, strict=True)],
                              self.rules.fields[field])  # fmt: skip
        text, test = self.leaf()
        return self.rules.fields[field].format(text), self.having(test, names)

    def having(self, test: Callable[[list[str]], bool], names: tuple[str, ...]) -> Set:
        return frozenset(n for n, each in enumerate(self.texts) if any(test(each[name]) for name in names))

    def chain(self, parts: list[tuple[str, Set]], frame: str = "{}") -> tuple[str, Set]:
        """Parts joined by operators without parentheses, and what that means by the order of the system."""
        signs = [self.draw.choice(("AND", "OR", "NOT")) for _ in parts[1:]]
        written = dict(zip(("AND", "OR", "NOT"), self.rules.operators, strict=True))
        text = parts[0][0] + "".join(
            f" {written[sign]} {part}" for sign, (part, _) in zip(signs, parts[1:], strict=True)
        )
        sets, left = [found for _, found in parts], list(signs)
        for level in self.rules.order:
            at = 0
            while at < len(left):
                if left[at] not in level:
                    at += 1
                    continue
                one, other, sign = sets[at], sets.pop(at + 1), left.pop(at)
                sets[at] = one & other if sign == "AND" else one | other if sign == "OR" else one - other
        return frame.format(text), sets[0]

    def line(self, depth: int = 2) -> tuple[str, Set]:
        parts = []
        for _ in range(self.draw.randint(1, 4)):
            if depth and self.draw.random() < 0.3:
                text, found = self.line(depth - 1)
                parts.append((f"({text})", found))
            else:
                parts.append(self.fielded())
        return self.chain(parts)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[SearchContext, list[Document]]:
    documents = collection(random.Random(7))
    return searched(documents, tmp_path_factory.mktemp("fuzz")), documents


@cache
def seeds(name: str) -> int:
    return sum(map(ord, name))


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(RULES))
def test_lines_made_at_random_find_what_sets_find(made: Any, name: str, soak: bool) -> None:
    context, documents = made
    assert set(RULES) == set(SYNTAXES)
    maker = Maker(random.Random(seeds(name)), RULES[name], documents)
    cases = [maker.line() for _ in range(examples(CASES) if not soak else 2000)]
    text = StrategyText(tuple(StrategyLine(n, query) for n, (query, _) in enumerate(cases, 1)), name)
    wrong = []
    for line, (query, expected) in zip(run_lines(context, text).lines, cases, strict=True):
        found = (
            {int(each[1:]) for each in context.names(line.matching.nonzero()[0])} if line.matching is not None else None
        )
        if found != expected:
            wrong.append(f"{query}\n  understood {line.understood} {line.notes}\n  {found} is not {set(expected)}")
    assert not wrong, f"{len(wrong)} of {len(cases)}: " + "\n".join(wrong[:5])
