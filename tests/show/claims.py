"""The claims about who is better that pages and outputs make in words, compared with the one standing.

A claim is found in what people read: a page without its tags, what the terminal prints.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from leadline.records.result import decimals
from leadline.trust.pairs import Standing
from leadline.trust.verdict import Verdict

NAME, WORD, COUNT = r"([\w.+@()=-]*[\w)])", r"(firm|fragile|undecided)", r"(\d+(?:,\d{3})*)"
LEVEL = r"(\d[\d.]*(?:e-\d+)?)"
Pairs = Mapping[frozenset[str], Verdict]


def text_of(page: str) -> str:
    """The words of a page, without scripts, styles and tags."""
    page = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


@dataclass
class Checked:
    """What was compared with a standing, and what disagreed."""

    truth: Standing
    claims: int = 0
    wrong: list[str] = field(default_factory=list)

    def claim(self, where: str, said: object, true: object) -> None:
        """Count a claim, and note one that is not so."""
        self.claims += 1
        if said != true:
            self.wrong.append(f"{where}: {said!r} is said, and {true!r} is so")

    def words(self, where: str, text: str, others: Pairs | None = None) -> None:
        """Compare every claim in a text; `others` are the verdicts on pairs without the leader."""
        pairs = {frozenset((each.leader, each.other)): each for each in self.truth.verdicts} | dict(others or {})
        self._of_all(where, text)
        self._of_pairs(where, text, pairs)
        self._numbers(where, text, pairs)

    def _of_all(self, where: str, text: str) -> None:
        """Who is first, whether firmly, and against how many each word holds."""
        truth = self.truth
        undecided = truth.count("undecided")
        for count in re.findall(rf"{COUNT} systems cannot be told apart", text):
            self.claim(f"{where}, told apart", count, f"{undecided + 1:,}")
        for count, leader in re.findall(rf"{COUNT} systems cannot be told from {NAME}", text):
            self.claim(f"{where}, told from the first", (count, leader), (f"{undecided:,}", truth.leader))
        for word, count in re.findall(rf"{WORD} against {COUNT}(?=[,) ◌◐●.]|$)", text):
            self.claim(f"{where}, {word}", count, f"{truth.count(word):,}")
        for leader in re.findall(rf"the lead of {NAME} is fragile", text):
            self.claim(f"{where}, fragile", (leader, 0), (truth.leader, undecided))
        for leader in re.findall(rf"{NAME} is firmly (?:best|ahead of every)", text):
            self.claim(f"{where}, firmly", leader, truth.winner)
        for leader in re.findall(rf"Every other system can be told from {NAME}", text):
            self.claim(f"{where}, all told", (leader, 0), (truth.leader, undecided))
        for leader in re.findall(rf"the first by \S+ is {NAME} with", text, re.IGNORECASE):
            self.claim(f"{where}, the first", leader, truth.leader)
        for name, word in re.findall(rf"Nearest (?:rival: |is ){NAME}, {WORD}\b", text):
            nearest = truth.verdicts[0]
            self.claim(f"{where}, the nearest", (name, word), (nearest.other, nearest.word))

    def _of_pairs(self, where: str, text: str, pairs: Pairs) -> None:
        """What is said of two runs."""
        for one, other, word, criterion in re.findall(rf"{NAME} against {NAME}: {WORD} \(([^)]*)\)", text):
            verdict = pairs[frozenset((one, other))]
            self.claim(f"{where}, {one} and {other}", (word, criterion), (verdict.word, verdict.criterion))
        for one, other in re.findall(rf"{NAME} and {NAME} cannot be told (?:apart|from)", text):
            if (verdict := pairs.get(frozenset((one, other)))) is not None:
                self.claim(f"{where}, {one} and {other}", "undecided", verdict.word)
        for one, other in re.findall(rf"{NAME} is firmly better than {NAME}", text):
            verdict = pairs[frozenset((one, other))]
            self.claim(f"{where}, {one} and {other}", (one, "firm"), (verdict.leader, verdict.word))
        for one, other in re.findall(rf"{NAME} is ahead of {NAME}, and the lead is fragile", text):
            verdict = pairs[frozenset((one, other))]
            self.claim(f"{where}, {one} and {other}", (one, "fragile"), (verdict.leader, verdict.word))

    def _numbers(self, where: str, text: str, pairs: Pairs) -> None:
        """Samples, p and intervals: each is one of those that are so."""
        truth = self.truth
        known, levels = pairs.values(), {f"{each.p_corrected:.2g}" for each in pairs.values()}
        samples = {(str(round(each.significant_in * truth.samples)), str(truth.samples)) for each in known}
        for said in re.findall(rf"significant in {COUNT} of {COUNT} samples", text):
            self.claim(f"{where}, samples {said}", said in samples, True)
        for count in re.findall(rf"correct(?:ion|ed) for (?:all )?{COUNT} pairs", text):
            self.claim(f"{where}, pairs", count, f"{len(truth.pairs):,}")
        for p in re.findall(rf"(?:p =|,) {LEVEL} after correction", text):
            self.claim(f"{where}, p {p}", p in levels, True)
        spans = {
            tuple(f"{value:.{places}f}" for value in (each.difference, each.low, each.high))
            for each in known
            for places in [decimals([each.difference])]
        }
        for span in re.findall(r"The difference is (\S+), with 95 % confidence between (\S+) and (\S+);", text):
            self.claim(f"{where}, difference {span}", span in spans, True)
        for mean, low, high in re.findall(rf"{re.escape(truth.leader)} with ([\d.]+) \[([\d.-]+), ([\d.-]+)\]", text):
            places = len(mean.partition(".")[2])
            own = tuple(f"{value:.{places}f}" for value in (truth.mean, truth.low, truth.high))
            self.claim(f"{where}, interval", (mean, low, high), own)
