"""One table or figure of a paper: the printed numbers beside ours, and the runs and judgements it is made from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.errors import InputError, LeadlineError
from leadline.measures.evaluate import MAIN_MEASURE
from leadline.records.inputs import read_lengths
from leadline.records.qrels import Qrels
from leadline.records.result import Table
from leadline.records.runs import Run, read_run, run_names, run_paths
from leadline.show.charts import Figure, sentence
from leadline.show.report.drawing import FIGURES
from leadline.show.report.evidence import Evidence

State = Literal["same", "differs", "shown", "other", "needs", "new"]

STATES: dict[State, tuple[str, str]] = {  # the text of a chip, and its meaning
    "same": (
        "● same",
        "the paper prints numbers that are computed again here, and ours round to them, or to what the rounding of the "
        "printed numbers that they are computed from allows, which is said",
    ),
    "differs": ("◐ differs", "computed again here, and a number does not agree; both are given"),
    "shown": ("○ shown", "shown from the printed numbers or the formula; no printed number to compute again"),
    "other": (
        "● other data",
        "the same analysis of a simulated office, of a lab's runs or of an example; the paper's data are not published",
    ),
    "needs": ("◌ needs a lab", "cannot be made from what was published, and the lab lacks what it needs"),
    "new": ("● new", "a question that none of the papers could ask"),
}
PARTS = re.compile(r"(?P<kind>tables?|figures?)|(?P<first>\d+)(?:\([a-z]\))?(?: to (?P<last>\d+))?", re.IGNORECASE)


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a paper, reproduced as far as the data allow."""

    name: str  # as the paper calls it
    about: str  # what it shows
    state: State
    finding: str  # their result and ours in a sentence, or why there is none
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()

    @property
    def parts(self) -> tuple[tuple[str, int], ...]:
        """The tables and figures of the paper that its name lists, as kind and number."""
        return tuple(dict.fromkeys(_parts(self.name)))


@dataclass(frozen=True)
class Paper:
    """A paper and its reproduced tables and figures."""

    name: str  # in addresses
    title: str
    citation: str
    exhibits: tuple[Exhibit, ...]
    n_tables: int = 0  # in the paper
    n_figures: int = 0

    def count(self, *states: State) -> int:
        """The number of tables and figures in these states; an exhibit that is neither counts as one."""
        return sum(max(1, len(exhibit.parts)) for exhibit in self.exhibits if exhibit.state in states)

    def figures(self) -> list[Figure]:
        """The figures of all exhibits."""
        return [figure for exhibit in self.exhibits for figure in exhibit.figures]


def _parts(name: str) -> Iterator[tuple[str, int]]:
    """Each table and figure of a name such as "Tables 3, 4, figures 7 to 10"."""
    kind = ""
    for match in PARTS.finditer(name):
        if match["kind"]:
            kind = match["kind"].lower().rstrip("s")
        elif kind:
            first = int(match["first"])
            yield from ((kind, number) for number in range(first, int(match["last"] or first) + 1))


def renamed(figure: Figure, paper: str) -> Figure:
    """The figure with a name of its own: several papers may show the same kind of figure."""
    return replace(figure, name=f"{paper}-{figure.name}".replace("_", "-"))


def needs_lab(name: str, about: str, what: str) -> Exhibit:
    """An exhibit that cannot be made from what was published."""
    return Exhibit(name, about, "needs", f"Not from published figures: {what}.")


def same_to(printed: float, ours: float, digits: int) -> bool:
    """Whether a number rounds to a printed one, a half up or down.

    >>> same_to(0.88, 0.8783, 2), same_to(0.87, 0.8783, 2), same_to(0.12, 0.125, 2), same_to(0.13, 0.125, 2)
    (True, False, True, True)
    """
    return abs(printed - ours) <= 0.5 * 10.0**-digits + 1e-12


FEW = 5  # numbers that a finding lists
Agreement = Literal["same", "rounded inputs", "differs"]


@dataclass
class Cells:
    """Printed numbers beside ours: how many are the same, and what is written beside those that are not.

    >>> cells = Cells()
    >>> cells.compare("MAP", 0.87, 0.8783, 2, low=0.868, high=0.888), cells.compare("R", 0.5, 0.53, 2)
    ('rounded inputs', 'differs')
    >>> print(cells.finding())  # doctest: +NORMALIZE_WHITESPACE
    0 of 2 numbers are as printed, 1 is within what its rounded inputs allow (≈: MAP 0.87, computed as 0.8783);
    R is printed as 0.50, computed as 0.5300 (≠).
    """

    same: int = 0
    inputs: list[str] = field(default_factory=list)
    differ: list[str] = field(default_factory=list)

    def compare(
        self,
        name: str,
        printed: float,
        ours: float,
        digits: int,
        *,
        low: float | None = None,
        high: float | None = None,
    ) -> Agreement:
        """Whether ours rounds to the printed number, or else a number that the inputs allow, from low to high."""
        if same_to(printed, ours, digits):
            self.same += 1
            return "same"
        half = 0.5 * 10.0**-digits + 1e-12
        if low is not None and high is not None and low - half <= printed <= high + half:
            self.inputs.append(f"{name} {printed:.{digits}f}, computed as {ours:.{digits + 2}f}")
            return "rounded inputs"
        self.differ.append(f"{name} is printed as {printed:.{digits}f}, computed as {ours:.{digits + 2}f} (≠)")
        return "differs"

    @property
    def state(self) -> State:
        """What the exhibit is: the same if nothing differs."""
        return "differs" if self.differ else "same"

    def finding(self) -> str:
        """How many agree, and what does not."""
        near = len(self.inputs)
        count = self.same + near + len(self.differ)
        if self.same == count:
            return f"All {count} numbers are as printed."
        text = f"{self.same} of {count} numbers are as printed"
        if near:
            them = "is within what its" if near == 1 else "are within what their"
            text += f", {near} {them} rounded inputs allow (≈{': ' * (near <= FEW)}"
            text += f"{'; '.join(self.inputs) if near <= FEW else ''})"
        return f"{text}{''.join(f'; {each}' for each in self.differ)}."


BESIDE: dict[Agreement, str] = {"same": "=", "rounded inputs": "≈", "differs": "≠"}  # of one width


# The runs and judgements on which the analyses of the papers are repeated: the folder of `leadline reproduce LAB`.
#
# LAB/runs/*.run                  the runs
# LAB/qrels.citations.txt         judgements; or qrels.txt, or any one file qrels*
# LAB/qrels.true.txt              the true judgements, if they are known
# LAB/qrels.true.claims.txt       judgements by claim; or qrels.claims.txt
# LAB/topics.csv, topics.tsv      attributes of the topics
# LAB/collection                  the documents; or office/collection
# LAB/lengths.tsv                 the words of each document, if there is no collection


JUDGEMENTS = ("qrels.citations.txt", "qrels.txt", "qrels.true.txt")
TRUE = "qrels.true.txt"
CLAIMS = ("qrels.true.claims.txt", "qrels.claims.txt")
TOPICS = ("topics.csv", "topics.tsv")
LENGTHS = ("lengths.tsv", "words.tsv")
COLLECTIONS = ("collection", "office/collection")


@dataclass(frozen=True)
class PaperInputs:
    """A folder of runs and judgements. Each file is read when it is first needed."""

    folder: Path
    name: ClassVar[str] = "the lab"

    @classmethod
    def open(cls, folder: str | Path) -> PaperInputs:
        """The folder; an error if it has no runs or no judgements."""
        inputs = cls(Path(folder))
        if not inputs.folder.is_dir():
            raise InputError(str(folder), "is not a folder; give one with runs and judgements")
        _ = inputs.judgements, inputs.paths
        return inputs

    @cached_property
    def judgements(self) -> Path:
        """The file of the judgements."""
        found = self._first(JUDGEMENTS) or next(iter(sorted(self.folder.glob("qrels*"))), None)
        if found is None:
            raise InputError(str(self.folder), f"has no judgements: add a file {' or '.join(JUDGEMENTS[:2])}")
        return found

    @cached_property
    def paths(self) -> list[Path]:
        """The files of the runs."""
        folder = self.folder / "runs"
        found = [Path(path) for path in run_paths([folder])] if folder.is_dir() else sorted(self.folder.glob("*.run"))
        kept = [path for path in found if path.suffix not in (".json", ".unfinished")]
        if not kept:
            raise InputError(str(self.folder), "has no runs: add them to its folder runs")
        return kept

    @cached_property
    def runs(self) -> dict[str, Run]:
        """The runs by name."""
        names = run_names([str(path) for path in self.paths])
        return {name: read_run(path, name) for name, path in zip(names, self.paths, strict=True)}

    @property
    def true(self) -> Path | None:
        """The file of the true judgements, if there is one."""
        return self._first((TRUE,))

    @property
    def files(self) -> list[Path]:
        """All files that a page is made from."""
        manifests = [f"{name}/manifest.json" for name in COLLECTIONS]
        others = [self.true, *map(self._first, (CLAIMS, TOPICS, LENGTHS, manifests))]
        return [self.judgements, *self.paths, *(path for path in others if path is not None)]

    def _first(self, names: Sequence[str]) -> Path | None:
        return next((self.folder / name for name in names if (self.folder / name).is_file()), None)

    def under(self, measure: str) -> Evidence:
        """The runs under the judgements, decided by this measure."""
        return Evidence.of(self.judgements, self.runs, measure, topics=self._first(TOPICS))

    @cached_property
    def evidence(self) -> Evidence:
        """The runs under the judgements."""
        return self.under(MAIN_MEASURE)

    @cached_property
    def lengths(self) -> dict[str, int] | None:
        """The words of every document: of the lab's collection, or of its file of lengths; None if it has neither."""
        stored = self._first(LENGTHS)
        if stored is not None:
            return {document: round(words) for document, words in read_lengths(stored).items()}
        collection = self._collection
        return None if collection is None else dict(collection.records.select("id", "words").rows())

    @cached_property
    def classes(self) -> dict[str, int] | None:
        """How many documents of the lab's collection are in each subclass; None if it has none."""
        collection = self._collection
        if collection is None:
            return None
        symbols = collection.records.select("id", symbol="ipc").explode("symbol").drop_nulls()
        counts = symbols.with_columns(symbol=symbols["symbol"].str.slice(0, 4)).unique()["symbol"].value_counts()
        return dict(sorted(counts.rows()))

    @cached_property
    def _collection(self) -> Collection | None:
        found = next((self.folder / name for name in COLLECTIONS if (self.folder / name).is_dir()), None)
        return None if found is None else Collection.open(found)

    @cached_property
    def by_claim(self) -> Evidence | None:
        """The runs under the judgements by claim, if there are any."""
        claims = self._first(CLAIMS)
        if claims is None:
            return self.evidence if self.evidence.subtopics is not None else None
        return Evidence.of(claims, self.runs, qrels_format="subtopics")

    def counted(self) -> str:
        """What is in the folder, for captions."""
        return f"{self.evidence.counted()}, judged by {self.judgements.name}"


# Figures of the papers drawn from the runs of a lab.


def on_runs(
    lab: PaperInputs,
    paper: str,
    name: str,
    about: str,
    figure: str,
    lacks: str,
    *,
    by_claim: bool = False,
    measure: str | None = None,
    **options: Any,
) -> Exhibit:
    """The registered figure of the same kind, drawn from a lab, under `measure` if that is given."""
    evidence = lab.by_claim if by_claim else lab.evidence if measure is None else lab.under(measure)
    if evidence is None:
        return needs_lab(name, about, lacks)
    try:
        made = FIGURES.named(figure).draw(evidence, **options)
    except LeadlineError as error:
        return needs_lab(name, about, f"the lab does not allow it ({error})")
    why = sentence(lacks)
    if made.chart is None:
        return Exhibit(name, about, "needs", f"{why} For the runs of {lab.name}: {made.reading}")
    said = f"{why} Here is the same for the runs of {lab.name}: {made.title}."
    return Exhibit(name, about, "other", said, (), (renamed(made, paper),))


# The lab that comes with the package: a simulated patent office, for analyses of data that papers did not publish.
#
# `benchmarks/papers_lab.py` makes it. Documents have numbers in place of names, and lists end at rank 100.


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
