"""Steps, and pipelines made of them: `Text() >> Search("bm25(k1=0.9)") >> Citations() >> OneAFamily()`.

A step is a small frozen dataclass: its fields are its options, and calling it with a search context and a request
returns the next request. The decorator `step` registers it under the name that pipeline files use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform, get_type_hints

from leadline.errors import InputError, nearest
from leadline.records.runs.run import Run
from leadline.register import Register
from leadline.retrieval.pipeline.answering import Answers, Narratives, Progress, TopicsInput, answer_topics
from leadline.retrieval.pipeline.journal import Journal
from leadline.retrieval.pipeline.options import checked_option
from leadline.retrieval.pipeline.request import Request

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@dataclass(frozen=True)
class Step:
    """One step of a pipeline."""

    name: ClassVar[str] = ""
    needs_patent: ClassVar[bool] = False  # whether its topic must be a patent

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self), include_extras=True)
        for option in fields(self):
            value, hint = getattr(self, option.name), hints[option.name]
            if hint in (tuple[Step, ...], Step | None):
                value = _with_pipelines(value, hint, f"{self.name}: {option.name}")
            else:
                value = checked_option(self.name, option.name, value, hint)
            object.__setattr__(self, option.name, value)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        raise NotImplementedError

    def __rshift__(self, other: Step) -> Pipeline:
        return Pipeline((*_parts(self), *_parts(other)))

    @property
    def wants_patent(self) -> bool:
        """Whether this step, or any step within it, needs a patent as topic."""
        return self.needs_patent

    @property
    def last(self) -> str:
        """The name of the last step."""
        return self.name

    def run(
        self,
        context: SearchContext,
        topics: TopicsInput,
        k: int = 1000,
        *,
        name: str = "run",
        progress: Progress | None = None,
        narratives: Narratives = "dates",
    ) -> Run:
        """The k best documents of every topic: topics are patents of the collection, other patents, or texts.

        A text that asks for dates, "published after 1997", limits the search, unless `narratives` is "words".
        """
        return self.answer(context, topics, k, progress=progress, narratives=narratives).run(name)

    def answer(
        self,
        context: SearchContext,
        topics: TopicsInput,
        k: int = 1000,
        *,
        progress: Progress | None = None,
        journal: Journal | None = None,
        narratives: Narratives = "dates",
    ) -> Answers:
        """Like `run`, with notes about topics. A journal keeps finished topics, so that a stopped run can continue."""
        return answer_topics(self, context, topics, k, progress, journal, narratives)


def _parts(one: Step) -> tuple[Step, ...]:
    return one.steps if isinstance(one, Pipeline) else (one,)


@dataclass(frozen=True)
class Pipeline(Step):
    """Steps that run in order; itself a step."""

    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        if not self.steps:
            raise InputError("pipeline", "has no steps")

    def __call__(self, context: SearchContext, request: Request) -> Request:
        for each in self.steps:
            request = each(context, request)
        return request

    @property
    def wants_patent(self) -> bool:
        return any(each.wants_patent for each in self.steps)

    @property
    def last(self) -> str:
        return self.steps[-1].last


# The register

StepType = TypeVar("StepType", bound=type[Step])
STEPS = Register[type[Step]](
    "step",
    "leadline.retrieval.pipeline.query",
    "leadline.retrieval.pipeline.filters",
    "leadline.retrieval.pipeline.after",
    "leadline.retrieval.pipeline.synonyms",
    "leadline.retrieval.dense",
    entry_points="leadline.steps",
)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def step(name: str) -> Callable[[StepType], StepType]:
    """Register a class as a step, and make it a frozen dataclass."""

    def enter(step_type: StepType) -> StepType:
        dataclass(frozen=True)(step_type)
        step_type.name = name
        STEPS.add(name, step_type, home=step_type.__module__)
        return step_type

    return enter


# Pipelines as files describe them

NO_PARTS: Mapping[str, Any] = MappingProxyType({})


def pipeline_of(
    written: Any, where: str = "pipeline", parts: Mapping[str, Any] = NO_PARTS, inside: tuple[str, ...] = ()
) -> Pipeline:
    """A pipeline from a step, or from a list of steps as files describe them; `inside` names the enclosing parts.

    >>> pipeline_of(["text", {"step": "search", "model": "bm25(k1=0.9)"}]).steps[1].model
    'bm25(k1=0.9)'
    """
    if isinstance(written, Step):
        return written if isinstance(written, Pipeline) else Pipeline((written,))
    if isinstance(written, str) and written in parts:
        if written in inside:
            raise InputError(where, f"the part {written!r} contains itself")
        return pipeline_of(parts[written], where, parts, (*inside, written))
    if not isinstance(written, (list, tuple)):
        return Pipeline((_step_of(written, where, parts, inside),))
    if not written:
        raise InputError(where, "has no steps")
    made = [pipeline_of(each, where, parts, inside) for each in written]
    return Pipeline(tuple(each for pipeline in made for each in pipeline.steps))


def _step_of(written: Any, where: str, parts: Mapping[str, Any], inside: tuple[str, ...]) -> Step:
    options = {"step": written} if isinstance(written, str) else written
    if not isinstance(options, Mapping) or not isinstance(options.get("step"), str):
        raise InputError(where, f'{written!r} is not a step: write its name, or {{step = "search", …}}')
    step_type = STEPS.named(options["step"])
    hints = get_type_hints(step_type)
    names = [option.name for option in fields(step_type)]
    values = {}
    for name, value in options.items():
        if name == "step":
            continue
        if name not in names:
            problem = f"has no option {name!r}, it has {', '.join(names) or 'none'}{nearest(name, names)}"
            raise InputError(step_type.name, problem)
        values[name] = _with_pipelines(value, hints[name], where, parts, inside)
    return step_type(**values)


def _with_pipelines(
    value: Any, hint: Any, where: str, parts: Mapping[str, Any] = NO_PARTS, inside: tuple[str, ...] = ()
) -> Any:
    """The value of an option, converted to pipelines if the option takes them, else unchanged."""
    if hint == tuple[Step, ...]:
        listed = value if isinstance(value, (list, tuple)) else [value]
        return tuple(pipeline_of(each, where, parts, inside) for each in listed)
    return pipeline_of(value, where, parts, inside) if hint == Step | None and value is not None else value
