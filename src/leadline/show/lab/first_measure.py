"""The measure that a lab begins with: PRES at an effort that fits its runs and its collections."""

from __future__ import annotations

from dataclasses import dataclass

from leadline.measures.definition import Measure
from leadline.measures.evaluate import MAIN_MEASURE
from leadline.measures.notation import parse_measure
from leadline.show.figures.formatting import in_words
from leadline.show.lab.lab import Lab
from leadline.show.lab.of_demo import demo_measure

EFFORTS = (10, 20, 50, 100, 200, 500, 1000)
PART = 10  # a searcher reads at most one document in so many


@dataclass(frozen=True)
class FirstMeasure:
    """A measure, and why a lab begins with it."""

    measure: Measure
    why: str

    def __str__(self) -> str:
        return f"{in_words(self.measure)}: {self.why}."


def first_measure(lab: Lab, depth: int) -> FirstMeasure:
    """The measure that a lab begins with; `depth` is the length of the longest list of its runs, 0 if unknown."""
    if (own := demo_measure(lab)) is not None:
        return FirstMeasure(parse_measure(own), "the measure of the demo's report")
    return fitting_measure(depth, max((_documents(each.made_from()) for each in lab.entries("collection")), default=0))


def fitting_measure(depth: int, documents: int) -> FirstMeasure:
    """The main measure at the largest effort that fits lists of `depth` documents and a collection; 0: unknown.

    >>> first = fitting_measure(1000, 800)
    >>> first.measure.text, first.why
    ('PRES@50', 'at most a tenth of the 800 documents of the collection')
    >>> [fitting_measure(*each).measure.text for each in ((100, 6000), (3, 0), (0, 0), (2000, 10**6))]
    ['PRES@100', 'PRES@10', 'PRES@1000', 'PRES@1000']
    """
    limits = {EFFORTS[-1]: "the usual effort"}
    if documents:
        limits[documents // PART] = f"at most a tenth of the {documents:,} documents of the collection"
    if depth:
        limits[depth] = f"the runs list at most {depth:,} documents for a topic"
    smallest = min(limits)
    effort = max((each for each in EFFORTS if each <= smallest), default=EFFORTS[0])
    name = MAIN_MEASURE.partition("@")[0]
    return FirstMeasure(parse_measure(f"{name}@{effort}"), limits[smallest])


def _documents(manifest: dict[str, object]) -> int:
    """The number of documents of a collection, from its manifest; 0 where it does not say so."""
    counts = manifest.get("counts")
    number = counts.get("documents") if isinstance(counts, dict) else None
    return number if isinstance(number, int) else 0
