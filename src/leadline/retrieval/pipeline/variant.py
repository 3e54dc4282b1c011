"""The variants of a named system: the runs that a team submitted, each with its pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from leadline.errors import InputError, not_a_choice
from leadline.retrieval.pipeline.after.either import Either
from leadline.retrieval.pipeline.after.refuse import Refuse
from leadline.retrieval.pipeline.pipeline import Pipeline, Step, pipeline_of

PATENTS, TEXTS = "prior art", "survey"  # the tasks: topics that are patents, topics in words


@dataclass(frozen=True)
class Variant:
    """One way in which a team searched: `leadline run --system cmu:title-claims`."""

    name: str
    does: str  # in a few words
    patent: Step | None = None  # the pipeline for topics that are patents
    text: Step | None = None  # the pipeline for topics in words
    runs: str = ""  # the team's runs by the overview's names; empty for a pipeline that is ours
    reported: str = ""  # what the overview reports of it

    def __post_init__(self) -> None:
        if self.patent is None and self.text is None:
            raise InputError(f"variant {self.name}", "has no pipeline: give `patent`, `text` or both")

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks it has a pipeline for."""
        known = ((PATENTS, self.patent), (TEXTS, self.text))
        return tuple(task for task, pipeline in known if pipeline is not None)

    @cached_property
    def pipeline(self) -> Pipeline:
        """One pipeline for both tasks. A topic of a task that the team did not take part in is refused."""
        if self.text is None:
            return pipeline_of(self.patent, self.name)
        refused = Refuse(f"is a patent, and the variant {self.name} is for topics in words")
        return pipeline_of(Either(patent=self.patent or refused, text=self.text), self.name)


def variant_named(system: str, name: str, variants: Sequence[Variant]) -> Variant:
    """The variant with a name, or with one of the overview's names of runs."""
    if not variants:
        raise InputError("system", f"{system} has no variants: write --system {system}")
    for variant in variants:
        if name == variant.name or name in variant.runs.split():
            return variant
    names = [variant.name for variant in variants]
    if near := [run for variant in variants for run in variant.runs.split() if run.lower() == name.lower()]:
        raise not_a_choice(f"variant of {system}", name, [*names, *near])
    raise not_a_choice(f"variant of {system}", name, names)
