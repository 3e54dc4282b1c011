"""Does the outcome depend on whose marks count? Rank and compare the systems by the marks of each person and stage.

The order of the systems, Kendall's tau between the orders, and the verdict that `leadline compare verdict` would give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from leadline.errors import LeadlineError
from leadline.measures.hits import Array
from leadline.records.inputs import RunsLike
from leadline.records.qrels.qrels import Qrels
from leadline.records.scores.scores import Scores
from leadline.records.scores.table import Table
from leadline.trust.deciding import decide
from leadline.trust.study import open_study
from leadline.trust.tau import tau_b
from leadline.trust.verdict import Verdicts, outcome

NONE = "no verdict"  # fewer than two systems, or too few topics that are judged


@dataclass(frozen=True)
class OutcomeByMarks:
    """The scores and the verdict by each set of marks; the last set is the one that counts."""

    measure: str
    scores: Mapping[str, Scores]
    verdicts: Mapping[str, Verdicts | None]  # None where the marks allow none

    @property
    def final(self) -> str:
        return list(self.scores)[-1]

    def tau(self, one: str, other: str) -> float:
        """Kendall's tau between the orders of the systems by two sets of marks."""
        first, second = (self._means(name) for name in (one, other))
        return float(tau_b(first, second)) if len(first) > 1 else float("nan")

    def changed(self) -> list[str]:
        """The sets of marks whose verdict is another than the final one: another winner, or none where there is one."""
        wanted = _decision(self.verdicts[self.final])
        return [name for name, found in self.verdicts.items() if found is not None and _decision(found) != wanted]

    def sentence(self) -> str:
        """Whether the verdict changes with whose marks count."""
        known = [name for name, found in self.verdicts.items() if found is not None]
        if self.final not in known or len(known) < 2:
            needed = "it needs two systems, and judged topics in two sets of marks"
            return f"Whether the verdict changes cannot be said: {needed}."
        final, changed = _within(self._said(self.final)), self.changed()
        if not changed:
            others = f"all {len(known)} sets of marks" if len(known) > 2 else "both sets of marks"
            return f"The verdict does not change: by {others}, {final}.{self._other_leaders(known)}"
        by = "; ".join(f"by {_whose(name)}, {_within(self._said(name))}" for name in changed)
        return f"The verdict does change: by {_whose(self.final)}, {final}, but {by}."

    def table(self) -> Table:
        """A row for each set of marks: the first system, its score, tau to every other order, and the verdict."""
        names = list(self.scores)
        compared = [self.final, *(name for name in names if name != self.final)]
        rows = [
            [name, found.runs[found.ranking()[0]], float(self._means(name)[found.ranking()[0]]),
             *(self.tau(name, other) for other in compared), self._said(name)]
            for name, found in self.scores.items()
        ]  # fmt: skip
        columns = ["marks_of", "first_system", self.measure, *(f"tau_to_{name}" for name in compared), "verdict"]
        return Table(columns, rows)

    def _means(self, name: str) -> Array:
        return np.asarray(self.scores[name].order_means()[:, 0])

    def _said(self, name: str) -> str:
        found = self.verdicts[name]
        return NONE if found is None else outcome(found)

    def _other_leaders(self, known: list[str]) -> str:
        """Who else is first, where nobody wins firmly."""
        leaders = {name: found.leader for name in known if (found := self.verdicts[name]) is not None}
        others = {name: leader for name, leader in leaders.items() if leader != leaders[self.final]}
        if not others:
            return ""
        said = ", ".join(f"{leader} by {_whose(name)}" for name, leader in others.items())
        return f" The first is not always the same: {leaders[self.final]} by {_whose(self.final)}, {said}."


def outcome_by_marks(
    marks: Mapping[str, Qrels],
    runs: RunsLike,
    measure: str,
    *,
    samples: int = 100,
    alpha: float = 0.05,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> OutcomeByMarks:
    """Evaluate and compare the runs by each set of marks; the last set is the one that counts."""
    scores: dict[str, Scores] = {}
    verdicts: dict[str, Verdicts | None] = {}
    for done, (name, qrels) in enumerate(marks.items(), start=1):
        study = open_study(qrels, runs, measure)
        scores[name] = study.scores()
        text = study.measures[0].text
        try:
            verdicts[name] = decide(scores[name], text, study=study, samples=samples, alpha=alpha, seed=seed)
        except LeadlineError:  # one system, or no topic that all systems have a score for
            verdicts[name] = None
        if progress is not None:
            progress(done, len(marks))
    return OutcomeByMarks(text, scores, verdicts)


def _decision(found: Verdicts | None) -> tuple[str, str]:
    """What a buyer would take from a verdict: its word against the nearest rival, and the leader unless undecided."""
    if found is None:
        return NONE, ""
    word = "undecided" if found.count("undecided") else "firm" if found.winner else "fragile"
    return word, "" if word == "undecided" else found.leader


def _whose(name: str) -> str:
    """Whose marks they are, in words."""
    return f"the {name} marks" if name in ("merged", "final") else f"the marks of {name}"


def _within(said: str) -> str:
    """An outcome in the middle of a sentence."""
    return said.replace("No firm winner", "no firm winner", 1)
