"""Every claim about who is better that a page or an output makes, and what it disagrees with in the one standing.

A claim is found in the words that people read: a page without its tags, what the terminal prints, a table as text.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from leadline.trust.pairs import Standing
from leadline.trust.verdict import Verdict

NAME = r"([\w.+@()=-]*[\w)])"
WORD = r"(firm|fragile|undecided)"
NUMBER = r"(\d(?:\.\d+)?(?:e-\d+)?|0\.\d+)"


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

    def significant(self, one: str, other: str) -> bool:
        """Whether two runs differ significantly."""
        pairs = self.truth.pairs
        return bool(pairs.significant()[pairs.between(*map(pairs.runs.index, (one, other)))])

    def words(self, where: str, text: str, others: dict[frozenset[str], Verdict] | None = None) -> int:
        """Check every claim in words; `others` are verdicts on pairs without the leader. How many there were."""
        truth, before = self.truth, self.claims
        known, pairs = set(truth.pairs.runs), {frozenset((each.leader, each.other)): each for each in truth.verdicts}
        pairs |= others or {}
        others_in_text = others or {}

        def found(pattern: str) -> list[tuple[str, ...]]:
            rows = re.findall(pattern, text)
            return [row if isinstance(row, tuple) else (row,) for row in rows]

        for (count,) in found(r"([\d,]+) systems cannot be told apart"):
            self.claim(f"{where}, systems told apart", int(count.replace(",", "")), truth.count("undecided") + 1)
        for count, leader in found(rf"([\d,]+) systems cannot be told from {NAME}"):
            said = int(count.replace(",", "")), leader
            self.claim(f"{where}, systems told from the first", said, (truth.count("undecided"), truth.leader))
        for one, other in found(rf"{NAME} and {NAME} cannot be told apart"):
            if {one, other} <= known:
                self.claim(f"{where}, {one} and {other}", self.significant(one, other), False)
        for word, count in found(rf"{WORD} against ([\d,]+)(?! *(?:topics|documents))\b"):
            self.claim(f"{where}, {word} against", int(count.replace(",", "")), truth.count(word))  # type: ignore[arg-type]
        for (leader,) in found(rf"the lead of {NAME} is fragile"):
            self.claim(f"{where}, fragile lead", (leader, 0), (truth.leader, truth.count("undecided")))
        for (leader,) in found(rf"{NAME} is firmly (?:best|ahead of every)"):
            self.claim(f"{where}, firmly best", leader, truth.winner)
        for (leader,) in found(rf"can be told from {NAME}"):
            self.claim(f"{where}, {leader} told from all", 0, truth.count("undecided"))
        for one, other in found(rf"{NAME} is firmly better than {NAME}"):
            if {one, other} <= known:
                verdict = pairs[frozenset((one, other))]
                self.claim(f"{where}, {one} better", (one, "firm"), (verdict.leader, verdict.word))
        for leader in found(rf"(?:the first|First) by \S+ (?:is )?(?:\([^)]*\): )?{NAME} (?:with|0\.|1\.)"):
            if leader[0] in known:
                self.claim(f"{where}, the first", leader[0], truth.leader)
        for name, word in found(rf"Nearest (?:rival: |is )?{NAME}, {WORD}\b"):
            self.claim(f"{where}, the nearest", (name, word), (truth.verdicts[0].other, truth.verdicts[0].word))
        for one, other, word, criterion in found(rf"{NAME} against {NAME}: {WORD} \(([^)]*)\)"):
            if frozenset((one, other)) in pairs:
                verdict = pairs[frozenset((one, other))]
                self.claim(f"{where}, {one} against {other}", (word, criterion), (verdict.word, verdict.criterion))
        for kept, samples in found(r"significant in ([\d,]+) of ([\d,]+) samples"):
            true = {(f"{round(each.significant_in * truth.samples):,}", f"{truth.samples:,}") for each in pairs.values()}
            self.claim(f"{where}, {kept} of {samples} samples", (kept, samples) in true, True)
        for (count,) in found(r"correction for (?:all )?([\d,]+) pairs"):
            self.claim(f"{where}, pairs", count, f"{len(truth.pairs):,}")
        levels = {f"{each.p_corrected:.2g}" for each in pairs.values()}
        for (p,) in [*found(rf"p = {NUMBER} after correction"), *found(rf"p = {NUMBER}, [\d.e-]+ after"), *()]:
            values = levels | {f"{each.p:.2g}" for each in pairs.values()}
            self.claim(f"{where}, p = {p}", p in values, True)
        for (p,) in found(rf", {NUMBER} after correction"):
            self.claim(f"{where}, p after correction {p}", p in levels, True)
        for difference, low, high in found(r"The difference is (\d\.\d+), with 95 % confidence between (\S+) and (\S+);"):
            spans = {(f"{each.difference:.3f}", f"{each.low:.3f}", f"{each.high:.3f}") for each in pairs.values()}
            self.claim(f"{where}, difference {difference}", (difference, low, high) in spans, True)
        score = f"{truth.mean:.3f}"
        for said, low, high in found(rf"(?<![\d.]){re.escape(score)} \[(\S+), (\S+)\]" and rf"({score}) \[(\S+), (\S+)\]"):
            self.claim(f"{where}, interval of {said}", (low, high), (f"{truth.low:.3f}", f"{truth.high:.3f}"))
        del others_in_text
        return self.claims - before
