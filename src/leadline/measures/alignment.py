"""How well runs and judgements fit together; whatever is left out of a score is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import MismatchError
from leadline.measures.definition import Measure
from leadline.measures.join import RunHits
from leadline.records.qrels.qrels import Qrels
from leadline.records.scores.result import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY_LENGTHS = 3  # of lists, beyond which one line says it for all
SHOWN = 8  # names in a list before "and 3 more"


@dataclass(frozen=True)
class Summary:
    """Which judged topics one run answers."""

    answered: NDArray[np.bool_]  # by topic of the judgements
    hits: int
    unjudged_topics: tuple[str, ...]  # topics of the run that are not judged
    longer_lines: int
    longest: int  # documents in the longest list

    @classmethod
    def of(cls, part: RunHits) -> Summary:
        longest = int(part.retrieved.max(initial=0))
        return cls(part.answered, len(part.rank), part.unjudged_topics, part.longer_lines, longest)


@dataclass(frozen=True)
class Alignment:
    """Which judged topics every run answers."""

    runs: Sequence[str]
    qrels: Qrels
    summaries: Sequence[Summary]
    measures: Sequence[Measure] = ()
    missing_are: str = "scored 0"  # how topics missing from a run are treated

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Run × topic."""
        return np.stack([summary.answered for summary in self.summaries])

    def check(self) -> None:
        """Raise an error for a run that shares no topic or document with the judgements, and for a mean of nothing."""
        wanted = min((measure.level for measure in self.measures if not measure.definition.counts), default=0)
        largest = int(self.qrels.grades.max(initial=0))
        if wanted > largest:
            known = f"the largest grade is {largest}" if largest > 0 else "judge some documents first"
            raise MismatchError(
                f"{self.qrels.name}: no document has grade {wanted} or more, so no topic has a score; {known}"
            )
        for run, summary in zip(self.runs, self.summaries, strict=True):
            if not summary.answered.any():
                theirs, ours = summary.unjudged_topics, self.qrels.topics
                raise MismatchError(
                    f"{run} and {self.qrels.name} have no topic in common: the run has {', '.join(theirs[:3])}, "
                    f"the judgements have {', '.join(ours[:3])}; {_likely_cause(theirs, ours)}"
                )
            if summary.hits == 0:
                example = self.qrels.documents[0]
                accents = "" if example.isascii() else ", with accented letters as one character (NFC) or two (NFD)"
                raise MismatchError(
                    f"{run} and {self.qrels.name} share {counted(int(summary.answered.sum()), 'topic')} but not one "
                    f"document: the judgements have ids such as {example!r}; check that both use the same ids{accents}"
                )

    def notes(self) -> list[str]:
        """Return sentences for the reader: topics answered, missing, unknown, without a relevant document."""
        notes: dict[str, list[str]] = {}
        topics = self.qrels.topics
        scored = self.missing_are == "scored 0"
        empty = self._without_relevant(1) if scored else []
        for run, summary in zip(self.runs, self.summaries, strict=True):
            count = int(summary.answered.sum())
            text = f"{count} of {len(topics)} topic{'s' * (len(topics) != 1)}"
            if count < len(topics):
                missing = [topics[t] for t in np.flatnonzero(~summary.answered) if topics[t] not in empty]
                text += f"; missing {listed(missing)} ({self.missing_are})" if missing else ""
            if summary.unjudged_topics:
                text += f"; not judged and left out: {listed(summary.unjudged_topics)}"
                missing = [topics[t] for t in np.flatnonzero(~summary.answered)]
                cause = _difference(summary.unjudged_topics, missing)
                text += f" (some {cause} from those missing)" if cause else ""
            if summary.longer_lines:
                text += f"; {summary.longer_lines} lines with words after the tag, which are not read"
            notes.setdefault(text, []).append(run)
        lines = [text if len(runs) == len(self.runs) else f"{listed(runs, 4)}: {text}" for text, runs in notes.items()]
        if empty:
            topics_word = "topic" if len(empty) == 1 else "topics"
            lines.append(f"{len(empty)} {topics_word} with nothing relevant, left out of means: {listed(empty)}")
        for level in self._levels() if scored else ():
            below = [topic for topic in self._without_relevant(level) if topic not in empty]
            if below:
                number = f"{len(below)} topic{'s' * (len(below) != 1)}"
                lines.append(f"{number} with nothing of grade {level} or more, left out of means: {listed(below)}")
        return [*lines, *self._short_lists()]

    def _levels(self) -> list[int]:
        """The smallest relevant grades that measures ask for, above 1."""
        return sorted({measure.level for measure in self.measures if not measure.definition.counts} - {0, 1})

    def _without_relevant(self, level: int) -> list[str]:
        found = np.bincount(self.qrels.topic_of_document[self.qrels.grades >= level], minlength=len(self.qrels.topics))
        return [topic for topic, count in zip(self.qrels.topics, found.tolist(), strict=True) if count == 0]

    def _short_lists(self) -> list[str]:
        """Notes on runs whose lists all end before the effort of a measure."""
        efforts = {measure.cutoff: measure.text for measure in reversed(self.measures) if measure.cutoff}
        if not efforts:
            return []
        deepest = max(efforts)
        by_length: dict[int, list[str]] = {}
        for run, summary in zip(self.runs, self.summaries, strict=True):
            if summary.longest < deepest:
                by_length.setdefault(summary.longest, []).append(run)
        if len(by_length) > MANY_LENGTHS:
            count = sum(map(len, by_length.values()))
            least, most = min(by_length), max(by_length)
            return [
                f"{count} runs have lists shorter than the effort of {efforts[deepest]}: at most "
                f"{counted(least, 'document')} in {listed(by_length[least], 2)}, up to {most} in "
                f"{listed(by_length[most], 2)}"
            ]
        return [
            f"{'all runs' if len(runs) == len(self.runs) else listed(runs, 4)}: lists of at most "
            f"{counted(longest, 'document')}, shorter than the effort of {efforts[deepest]}"
            for longest, runs in by_length.items()
        ]


def listed(names: Sequence[str], most: int = SHOWN) -> str:
    """Return names for a sentence, cut when there are many.

    >>> listed(["12", "31"]), listed(list("abcde"), 3)
    ('12, 31', 'a, b, c and 2 more')
    """
    text = ", ".join(names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"


def _likely_cause(theirs: Sequence[str], ours: Sequence[str]) -> str:
    """The likeliest cause of two sets of topics without a common one."""
    if cause := _difference(theirs, ours):
        return f"they {cause}"
    ends = set(ours)
    prefixes = {name[: -len(end)] for name in theirs for end in _ends(name) & ends}
    starts = set(theirs)
    prefixes |= {name[: -len(end)] for name in ours for end in _ends(name) & starts}
    if len(prefixes) == 1:
        return f"one side has {min(prefixes)!r} before the topic"
    return "are the judgements of another year or collection?"


def _ends(name: str) -> set[str]:
    """The ends of a name after something that is not a digit: `CLEF-501` ends in 501, and 401 not in 1."""
    return {name[place:] for place in range(1, len(name)) if not name[place - 1].isdigit()}


def _difference(theirs: Sequence[str], ours: Sequence[str]) -> str:
    """In what some names of two sets differ, if they are the same otherwise."""
    for change, words in _CHANGES:
        if {change(name) for name in theirs} & {change(name) for name in ours}:
            return f"differ {words}"
    return ""


def _composed(name: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFC", name)


_CHANGES: tuple[tuple[Callable[[str], str], str], ...] = (
    (lambda name: name.lstrip("0"), "in leading zeros"),
    (str.lower, "in upper and lower case"),
    (_composed, "in how accented letters are written: one character (NFC) or two (NFD)"),
)
