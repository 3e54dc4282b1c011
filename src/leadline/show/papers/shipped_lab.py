"""The lab that comes with the package: a simulated patent office, for analyses of data that papers did not publish.

`benchmarks/papers_lab.py` makes it. Documents have numbers in place of names, and lists end at rank 100.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from leadline.records.qrels.qrels import Qrels
from leadline.records.runs.run import Run
from leadline.show.figures.evidence import Evidence
from leadline.show.papers.inputs import PaperInputs

STORED = "simulated_lab.npz"
DEPTH = 100  # ranks
ATTRIBUTES = ("office", "class", "words")


class ShippedLab(PaperInputs):
    """The stored lab, used as a folder of runs and judgements would be."""

    name = "a simulated patent office"

    @cached_property
    def _stored(self) -> dict[str, Any]:
        with resources.files("leadline.show.papers").joinpath(STORED).open("rb") as file, np.load(file) as arrays:
            return {name: arrays[name] for name in arrays.files}

    @property
    def topics(self) -> list[str]:
        return [str(topic) for topic in self._stored["topics"]]

    @cached_property
    def runs(self) -> dict[str, Run]:
        """The runs by name."""
        lists = self._stored["lists"]
        return {
            str(name): Run.of(
                {
                    topic: {f"d{number}": -float(place) for place, number in enumerate(lists[r, t]) if number}
                    for t, topic in enumerate(self.topics)
                },
                str(name),
            )
            for r, name in enumerate(self._stored["runs"])
        }

    @cached_property
    def qrels(self) -> Qrels:
        topics = self.topics
        rows = self._stored["cited"].tolist()
        names, documents = [topics[t] for t, _ in rows], [f"d{number}" for _, number in rows]
        return Qrels.from_columns(names, documents, [1] * len(rows), "citations of a simulated office")

    @property
    def attributes(self) -> dict[str, dict[str, Any]]:
        """Office, class and words of every topic."""
        columns = self._stored["attributes"].T.tolist()
        return {
            name: dict(zip(self.topics, map(int, column) if name == "words" else column, strict=True))
            for name, column in zip(ATTRIBUTES, columns, strict=True)
        }

    def under(self, measure: str) -> Evidence:
        """The runs under the judgements, decided by this measure."""
        return Evidence.of(self.qrels, self.runs, measure, topics=self.attributes)

    @cached_property
    def evidence(self) -> Evidence:
        """The runs under the judgements."""
        return self.under("PRES@100")

    @cached_property
    def by_claim(self) -> Evidence | None:
        """The runs under the judgements by claim."""
        topics = self.topics
        rows = self._stored["claimed"].tolist()
        qrels = Qrels.from_columns(
            [topics[t] for t, *_ in rows],
            [f"d{number}" for _, _, number, *_ in rows],
            [row[3] for row in rows],
            "claims of a simulated office",
            subtopics=[str(row[1]) for row in rows],
            weights=[row[4] / 2 for row in rows],
        )
        return Evidence.of(qrels, self.runs, "CT(theta=given)@10")

    @cached_property
    def lengths(self) -> dict[str, int]:
        """The words of every document that a run lists or a judgement names."""
        return {f"d{number}": int(words) for number, words in enumerate(self._stored["words"], start=1)}

    @cached_property
    def classes(self) -> dict[str, int]:
        """How many documents of the office are in each subclass."""
        stored = self._stored
        return dict(zip(map(str, stored["classes"]), stored["class_counts"].tolist(), strict=True))

    @property
    def size(self) -> int:
        """How many documents the office has."""
        return int(self._stored["documents"][0])

    def counted(self) -> str:
        """What the lab holds, for captions."""
        return f"{self.evidence.counted()}, a simulated office of {self.size:,} documents"


@lru_cache(maxsize=1)
def shipped_lab() -> ShippedLab:
    """The lab that comes with the package."""
    return ShippedLab(Path())
