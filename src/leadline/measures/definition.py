"""What a measure is, the register of measures, measures as text, and confidence intervals inside their range.

The function's parameters after `hits` are the measure's options; the one named by `at` is the number after `@`.
Its docstring is printed by `leadline explain`: the meaning on the first line, then paragraphs that start with
`Formula:`, `Paper:`, `Range:`, `Unjudged:` and `Short list:`, then a doctest.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeGuard, get_args, get_origin, get_type_hints

import numpy as np

from leadline.errors import InputError, MeasureError, nearest
from leadline.measures.hits import Array, Hits
from leadline.options import Bounds, options_in, parsed
from leadline.records.result import Result
from leadline.register import Register

if TYPE_CHECKING:
    from leadline.measures.samples import Samples
    from leadline.records.other_packages import OtherMeasure

Need = Literal["subtopics", "strata", "prels", "words", "seconds", "iterations", "characters"]
Better = Literal["higher", "lower", "neither"]
Aggregate = Literal["mean", "sum", "geometric"]
Effort = Literal["alone", "priced", "until found"]


@dataclass(frozen=True)
class View:
    """How runs must be read for a measure, where the user has no choice."""

    order: Literal["score", "rank", "file"] | None = None
    layout: Literal["trec", "dynamic"] = "trec"
    needs: frozenset[Need] = frozenset()


@dataclass(frozen=True)
class Definition:
    """A measure in the register."""

    name: str
    function: Callable[..., Array]
    at: str | None  # the option that is written after `@`
    better: Better
    aliases: tuple[str, ...]
    aggregate: Aggregate
    counts: bool  # a count, defined even for topics without a relevant document
    view: Callable[[Mapping[str, Any]], View]
    rename: Mapping[str, str]  # other packages' names of options: {theirs: ours}
    family: str
    # What it counts is effort, as its options say. Alone: reading less scores better whatever is missed, so that a list
    # of one document wins. Priced: what is read is taken off what is found, so that a list of nothing beats a long one
    # that finds all. Until found: undefined for a list that never finds enough, so that only lists that do can be
    # compared.
    effort: Callable[[Mapping[str, Any]], Effort | None]
    relevant_alone: bool  # other judged documents change nothing, found or not: to leave them out saves time
    # From judgements drawn with known probabilities: the estimate of each row, and its variance. None: there is none.
    estimated: Callable[..., tuple[Array, Array]] | None
    sums_alone: bool  # it takes from its hits only what `Samples` has too: many samples are scored at once
    parameters: Mapping[str, inspect.Parameter] = field(compare=False)

    @cached_property
    def types(self) -> Mapping[str, Any]:
        """The type of each option."""
        return get_type_hints(self.function)

    @cached_property
    def hints(self) -> Mapping[str, Any]:
        """The type of each option with its bounds. Where `@` sets a whole number, that is at least 1."""
        hints = get_type_hints(self.function, include_extras=True)
        if self.at is not None and hints[self.at] in (int, int | None):
            hints[self.at] = Annotated[hints[self.at], Bounds(1)]
        return hints

    @property
    def meaning(self) -> str:
        return (inspect.getdoc(self.function) or "(no description)").splitlines()[0]

    def choices(self, option: str) -> tuple[Any, ...] | None:
        """Return the words an option may be; None for a number or a table."""
        kind = self.types[option]
        return get_args(kind) if get_origin(kind) is Literal else None


COUNTS = ("judged", "num_ret", "unjudged")  # of documents: judgements drawn with known probabilities give them as any
MEASURES = Register[Definition]("measure", "leadline.measures.catalogue", entry_points="leadline.measures")


def _always(view: View, _options: Mapping[str, Any]) -> View:
    """The view of a measure that has the same with all options; unlike a lambda it can be sent to other processes."""
    return view


def _always_effort(effort: Effort | None, _options: Mapping[str, Any]) -> Effort | None:
    """The same for the effort that a measure counts."""
    return effort


def measure(
    name: str,
    *,
    at: str | None = None,
    better: Better = "higher",
    needs: Need | None = None,
    aliases: tuple[str, ...] = (),
    aggregate: Aggregate = "mean",
    counts: bool = False,
    view: Callable[[Mapping[str, Any]], View] | None = None,
    rename: Mapping[str, str] | None = None,
    effort: Effort | Callable[[Mapping[str, Any]], Effort | None] | None = None,
    relevant_alone: bool = False,
    sums_alone: bool = False,
    estimated: Callable[..., tuple[Array, Array]] | None = None,
) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Add a function of Hits to the register."""

    def add(function: Callable[..., Array]) -> Callable[..., Array]:
        parameters = _options_of(function, name, at)
        fixed = View(needs=frozenset([needs] if needs else []))
        home = function.__module__
        definition = Definition(
            name,
            function,
            at,
            better,
            aliases,
            aggregate,
            counts,
            view or partial(_always, fixed),
            rename or {},
            home.rsplit(".", 1)[-1],
            effort if callable(effort) else partial(_always_effort, effort),
            relevant_alone,
            estimated,
            sums_alone,
            parameters,
        )
        MEASURES.add(name, definition, aliases=aliases, home=home)
        return function

    return add


def _options_of(function: Callable[..., Array], name: str, at: str | None) -> dict[str, inspect.Parameter]:
    """The options of a measure; an error for one without a type, which no text could be turned into."""
    signature = inspect.signature(function).parameters
    if not signature:
        raise InputError(f"measure {name}", "must take hits first: def name(hits: Hits, ...) -> Array")
    parameters = dict(list(signature.items())[1:])
    for option, parameter in parameters.items():
        if parameter.annotation is parameter.empty:
            raise InputError(f"measure {name}", f"option {option!r} has no type: write {option}: int, for example")
    if at is not None and at not in parameters:
        known = ", ".join(parameters) or "none"
        raise InputError(f"measure {name}", f"at={at!r} is not one of its options ({known}){nearest(at, parameters)}")
    return parameters


@dataclass(frozen=True, repr=False)
class Measure(Result):
    """A measure with all its options, and its text as the user wrote it."""

    text: str
    definition: Definition
    options: Mapping[str, Any]
    written: frozenset[str] = frozenset()  # the options the user wrote
    condensed: bool = False  # ir_measures' judged_only=True: unjudged documents are left out of the list

    def _finding(self) -> str:
        return f"{self.text}: {self.definition.meaning}"

    def __str__(self) -> str:
        return self.text

    def __call__(self, hits: Hits) -> Array:
        """Return the value of each row; NaN where the topic has no relevant document."""
        values = self.raw(hits)
        if not self.definition.counts:
            values = values.copy()
            values[hits.n_relevant(self.level) == 0] = float("nan")
        return values

    def of_samples(self, samples: Samples) -> Array:
        """Return the value of each row by each sample of the judgements, rows × samples; see `sums_alone`."""
        values = self.definition.function(samples, **self.options)
        return values if self.definition.counts else np.where(samples.n_relevant(self.level) > 0, values, np.nan)

    def raw(self, hits: Hits) -> Array:
        """Return the value of each row by the formula alone: mostly 0 where the topic has no relevant document."""
        if self.condensed:
            from leadline.measures.hits import judged_only

            hits = judged_only(hits)
        if hits.qrels is not None and hits.qrels.kind == "drawn":
            self.check_estimated(hits.qrels.name)
            if self.definition.estimated is not None:
                return self.definition.estimated(hits, **self.options)[0]
        values = self.definition.function(hits, **self.options)
        if getattr(values, "shape", None) != (hits.rows,):
            got = f"shape {values.shape}" if isinstance(values, np.ndarray) else type(values).__name__
            raise MeasureError(
                f"{self.text} must return an array with one value for each of {hits.rows} rows, got {got}"
            )
        return values

    def check_estimated(self, name: str) -> None:
        """Raise an error for a measure that judgements drawn with known probabilities cannot give."""
        if (self.definition.estimated is None and self.definition.name not in COUNTS) or self.condensed:
            raise MeasureError(
                f"{self.text} cannot be estimated from the judgements of {name}, which were drawn with known "
                "probabilities; AP, nDCG, P, PRES and R can be"
            )

    @property
    def level(self) -> int:
        rel = self.options.get("rel")
        return 1 if rel is None else int(rel)

    @property
    def cutoff(self) -> int | None:
        """The number of documents the measure looks at, None for all."""
        value = self.options.get(self.definition.at) if self.definition.at else None
        return value if isinstance(value, int) else None

    @property
    def view(self) -> View:
        return self.definition.view(self.options)

    @property
    def effort(self) -> Effort | None:
        """Whether it counts effort and not, or not only, what is found for it."""
        return self.definition.effort(self.options)


# Measures as text: `PRES@100`, `nDCG@10`, `P(rel=2)@30`, trec_eval's `map_cut_10`.


MeasureLike: TypeAlias = "str | Measure | OtherMeasure"
MeasuresLike: TypeAlias = "MeasureLike | Iterable[MeasureLike]"

_WRITTEN = re.compile(r"(?P<name>[^\s(@]+)\s*(?:\((?P<options>.*)\))?\s*(?:@\s*(?P<at>[^\s@]+))?", re.DOTALL)
# A bracket inside a bracket ends the search for the end, so that many that are never closed take no longer.
_PARTS = re.compile(r"(?:[^\s,(]|\([^()]*\))+")

# trec_eval's names that end with a number, and the names here.
_NUMBERED = {
    "p": "P", "recall": "R", "ndcg_cut": "nDCG", "map_cut": "AP", "success": "Success", "iprec_at_recall": "iprec",
    "rprec_mult": "Rprec_mult", "relative_p": "relative_P", "unj": "unjudged", "wss": "WSS",
}  # fmt: skip


def parse_measures(text: MeasuresLike, *, rel: int | None = None) -> list[Measure]:
    """Return the measures in a text, separated by blanks or commas outside brackets, or in a list of such texts.

    Measures of ir_measures are understood by their text.

    >>> [measure.text for measure in parse_measures("PRES@100 AP, nDCG(gain=exp)@10")]
    ['PRES@100', 'AP', 'nDCG(gain=exp)@10']
    """
    if isinstance(text, Measure) or _is_other(text):
        return [parse_measure(text, rel=rel)]
    if not isinstance(text, str):
        if not isinstance(text, Iterable):
            raise MeasureError(f"{text!r} is not a measure; write one such as 'PRES@100'")
        found = [measure for part in text for measure in parse_measures(part, rel=rel)]
        if not found:
            raise MeasureError("no measure named; `leadline measures` lists them")
        return found
    parts = split_measures(text)
    if not parts:
        raise MeasureError("no measure named; `leadline measures` lists them")
    return [parse_measure(part, rel=rel) for part in parts]


def split_measures(text: str) -> list[str]:
    """The measures written in a text.

    >>> split_measures("PRES@100 AP, nDCG(gain=exp, base=10)@10")
    ['PRES@100', 'AP', 'nDCG(gain=exp, base=10)@10']
    """
    if "(" in _PARTS.sub("", text):
        raise MeasureError(f"{text!r} has a bracket that is not closed; write Name(option=value), such as AP(rel=2)")
    return _PARTS.findall(text)


def _is_other(measure: object) -> TypeGuard[OtherMeasure]:
    """Whether this is a measure of ir_measures, which is not imported for it."""
    return hasattr(measure, "NAME") and hasattr(measure, "params")


def parse_measure(measure: MeasureLike, *, rel: int | None = None) -> Measure:
    """Return one measure. `rel` is the relevance level of measures that do not give one (default: 1).

    >>> parse_measure("recall_100").options["effort"]
    100
    """
    if isinstance(measure, Measure):
        return measure
    if not isinstance(measure, str) and not _is_other(measure):
        raise MeasureError(f"{measure!r} is not a measure; write one such as 'PRES@100'")
    text = str(measure).strip()
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise MeasureError(f"{text!r} is not a measure; write Name(option=value)@cutoff, such as nDCG(gain=exp)@10")
    definition, at = _definition(match["name"], match["at"])
    given = _options(match["options"] or "", definition, text)
    condensed = given.pop("judged_only", "false").lower() in ("true", "1", "yes")
    if at is not None:
        if definition.at is None:
            raise MeasureError(f"{text}: {definition.name} takes no cutoff; write {definition.name}")
        given[definition.at] = at
    if rel is not None and "rel" in definition.parameters:
        given.setdefault("rel", str(rel))
    options = {}
    for name, parameter in definition.parameters.items():
        if name in given:
            try:
                options[name] = parsed(name, given[name], definition.hints[name])
            except ValueError as error:
                raise MeasureError(f"{text}: {error}") from None
        elif parameter.default is parameter.empty:
            raise MeasureError(f"{text}: {definition.name} needs {_how_to_give(definition, name)}")
        else:
            options[name] = parameter.default
    return Measure(text, definition, options, frozenset(given), condensed)


def _how_to_give(definition: Definition, name: str) -> str:
    if name == definition.at:
        article = "an" if name[0] in "aeiou" else "a"
        example = "0.95" if definition.types[name] is float else "100"
        return f"{article} {name}, such as {definition.name}@{example}"
    return f"{name}, such as {definition.name}({name}=1000)"


def _definition(name: str, at: str | None) -> tuple[Definition, str | None]:
    stem, _, number = name.rpartition("_")
    if at is None and stem.lower() in _NUMBERED and re.fullmatch(r"[\d.]+", number):
        return MEASURES[_NUMBERED[stem.lower()]], number
    found = MEASURES.find(name)
    if found is None:
        raise MeasureError(f"no measure {name!r}{_suggestion(name)}")
    return found, at


def _suggestion(name: str) -> str:
    return nearest(name, MEASURES.names(), most=3) or "; `leadline measures` lists them all"


def _options(written: str, definition: Definition, text: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for as_written, value in options_in(written):
        name = definition.rename.get(as_written.lower(), as_written.lower())
        if value is None or name not in (*definition.parameters, "judged_only"):
            options = ", ".join(definition.parameters) or "none"
            hint = nearest(name, definition.parameters)
            raise MeasureError(f"{text}: {definition.name} has no option {name!r}{hint} (it has: {options})")
        if name in given:
            raise MeasureError(f"{text}: {name} is given twice")
        given[name] = value
    return given


# Confidence intervals inside the range of their measure: Student's interval of a few topics can leave it.


@cache
def bounds(measure: str) -> tuple[float, float]:
    """The smallest and the largest value of a measure, as its documentation states them; infinite if it states none.

    A name that is not in the register, as a table of scores may have, has no bounds.

    >>> bounds("PRES@100"), bounds("DCG@10"), bounds("our own")
    ((0.0, 1.0), (0.0, inf), (-inf, inf))
    """
    try:
        text = inspect.getdoc(parse_measure(measure).definition.function) or ""
    except MeasureError:
        return -math.inf, math.inf
    stated = re.search(r"^Range: (.*)$", text, re.MULTILINE)
    if stated is None:
        return -math.inf, math.inf
    from_zero = r"(?:0|n R²/N)"  # PRES goes from n R²/N, where R is recall, to R
    to_one = r"(?:1(?=\.|$|;(?! slightly above))|R\b|min\(1,)"
    low = 0.0 if re.match(rf"{from_zero}\s", stated[1]) else -math.inf
    high = 1.0 if re.match(rf"{from_zero} (?:to|or) {to_one}", stated[1]) else math.inf
    return low, high


def interval(measure: str | Measure, mean: float, width: float) -> tuple[float, float]:
    """The ends of an interval, from its middle and half its width; never outside the range of the measure.

    >>> interval("AP", 0.9, 0.25), interval("AP", 0.1, 0.25)
    ((0.65, 1.0), (0.0, 0.35))
    """
    low, high = inside(measure, np.array([mean - width, mean + width])).tolist()
    return low, high


def inside(measure: str | Measure, values: Array) -> Array:
    """The ends of intervals, those outside the range of the measure moved to its bounds."""
    low, high = bounds(measure if isinstance(measure, str) else measure.text)
    return np.clip(values, low, high)
