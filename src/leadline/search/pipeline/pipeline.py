"""Steps, and pipelines made of them: `Text() >> Search("bm25(k1=0.9)") >> Citations() >> OneAFamily()`.

A step is a small frozen dataclass: its fields are its options, and calling it with a laboratory and a request gives
the next request. The decorator `step` enters it into the register, under the name that files of pipelines use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, ClassVar, TypeVar, dataclass_transform, get_type_hints

from leadline.errors import InputError
from leadline.records.runs.run import Run
from leadline.register import Register
from leadline.search.pipeline.answering import Answers, Asked, Progress, answered
from leadline.search.pipeline.journal import Journal
from leadline.search.pipeline.options import checked_option
from leadline.search.pipeline.request import Request

if TYPE_CHECKING:
    from leadline.search.pipeline.laboratory import Laboratory


@dataclass(frozen=True)
class Step:
    """One small piece of a system."""

    name: ClassVar[str] = ""
    needs_patent: ClassVar[bool] = False  # whether only a patent can be its topic

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self), include_extras=True)
        for option in fields(self):
            value = checked_option(self.name, option.name, getattr(self, option.name), hints[option.name])
            object.__setattr__(self, option.name, value)

    def __call__(self, lab: Laboratory, request: Request) -> Request:
        raise NotImplementedError

    def __rshift__(self, other: Step) -> Pipeline:
        return Pipeline((*_parts(self), *_parts(other)))

    @property
    def wants_patent(self) -> bool:
        """Whether it, or any step in it, makes something of a patent that is the topic."""
        return self.needs_patent

    @property
    def last(self) -> str:
        """The name of the step that has the last word."""
        return self.name

    def run(
        self, lab: Laboratory, topics: Asked, k: int = 1000, *, name: str = "run", progress: Progress | None = None
    ) -> Run:
        """The k best documents of every topic: topics are patents of the collection, other patents, or texts."""
        return self.answer(lab, topics, k, progress=progress).run(name)

    def answer(
        self,
        lab: Laboratory,
        topics: Asked,
        k: int = 1000,
        *,
        progress: Progress | None = None,
        journal: Journal | None = None,
    ) -> Answers:
        """The same, with what there is to tell of topics. A journal keeps what is done, and knows it after a stop."""
        return answered(self, lab, topics, k, progress, journal)


def _parts(one: Step) -> tuple[Step, ...]:
    return one.steps if isinstance(one, Pipeline) else (one,)


@dataclass(frozen=True)
class Pipeline(Step):
    """Steps one after the other; a step itself."""

    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        if not self.steps:
            raise InputError("pipeline", "has no steps")

    def __call__(self, lab: Laboratory, request: Request) -> Request:
        for each in self.steps:
            request = each(lab, request)
        return request

    @property
    def wants_patent(self) -> bool:
        return any(each.wants_patent for each in self.steps)

    @property
    def last(self) -> str:
        return self.steps[-1].last


# The register

Kind = TypeVar("Kind", bound=type[Step])
STEPS = Register[type[Step]](
    "step",
    "leadline.search.pipeline.query",
    "leadline.search.pipeline.filters",
    "leadline.search.pipeline.after",
    "leadline.search.pipeline.synonyms",
    "leadline.search.dense",
    entry_points="leadline.steps",
)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def step(name: str) -> Callable[[Kind], Kind]:
    """Enter a step into the register, as a frozen dataclass."""

    def enter(kind: Kind) -> Kind:
        dataclass(frozen=True)(kind)
        kind.name = name
        STEPS.add(name, kind, home=kind.__module__)
        return kind

    return enter
