"""What other packages give: types of their objects, handles of ir_datasets, and the words users choose from."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Annotated, Any, Literal, Protocol, TypeAlias

from leadline.errors import InputError, nearest
from leadline.options import Bounds


class DataFrame(Protocol):
    """A Polars or pandas data frame, or an Arrow table, with columns such as topic, document, score or grade."""

    @property
    def columns(self) -> Any: ...


class HasDictionary(Protocol):
    """A Run or Qrels object of ranx."""

    def to_dict(self) -> Any: ...


class Judgement(Protocol):
    """A row of judgements as ir_measures and ir_datasets have them."""

    @property
    def query_id(self) -> str: ...
    @property
    def doc_id(self) -> str: ...
    @property
    def relevance(self) -> int: ...


class ScoredDocument(Protocol):
    """A row of a run as ir_measures and ir_datasets have them."""

    @property
    def query_id(self) -> str: ...
    @property
    def doc_id(self) -> str: ...
    @property
    def score(self) -> float: ...


class HasJudgements(Protocol):
    """A dataset of ir_datasets that has judgements."""

    def qrels_iter(self) -> Iterator[Any]: ...


class HasScoredDocuments(Protocol):
    """A dataset of ir_datasets that has a run."""

    def scoreddocs_iter(self) -> Iterator[Any]: ...


class OtherMeasure(Protocol):
    """A measure of ir_measures, such as `ir_measures.nDCG @ 10`. Its text is its `str`."""

    @property
    def NAME(self) -> str: ...  # noqa: N802
    @property
    def params(self) -> Any: ...


class HasText(Protocol):
    """A Measure of our own."""

    @property
    def text(self) -> str: ...


OtherQrels: TypeAlias = (
    "Mapping[str, Mapping[str, int]] | DataFrame | HasDictionary | HasJudgements | Iterable[Judgement]"
)
OtherRun: TypeAlias = (
    "Mapping[str, Mapping[str, float]] | DataFrame | HasDictionary | HasScoredDocuments | Iterable[ScoredDocument]"
)
MeasureName: TypeAlias = "str | HasText | OtherMeasure"  # of a measure that scores have


# Handles of the package ir_datasets, `ir_datasets:NAME`, in place of a file of documents, topics or judgements.


PREFIX = "ir_datasets:"


def data_frames(function: str, package: str = "pandas") -> ModuleType:
    """The package that a function gives data frames of; an error says how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise InputError(function, f'needs the package {package}: pip install "leadline[pandas]"') from None


def is_handle(source: object) -> bool:
    """Whether a source is a handle; no file can be meant.

    >>> is_handle("ir_datasets:beir/scifact"), is_handle("beir/scifact")
    (True, False)
    """
    return isinstance(source, str) and source.startswith(PREFIX)


def dataset_of(handle: str, what: str) -> Any:
    """The dataset of a handle; InputError where it has no `what`: docs, queries or qrels."""
    try:
        ir_datasets = importlib.import_module("ir_datasets")
    except ImportError:
        raise InputError(handle, "needs the package ir_datasets: pip install ir_datasets") from None
    name = handle.removeprefix(PREFIX)
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        near = nearest(name, list(ir_datasets.registry), most=1)
        raise InputError(handle, f"ir_datasets has no dataset of this name{near}") from None
    if not getattr(dataset, f"has_{what}")():
        has = ", ".join(each for each in ("docs", "queries", "qrels") if getattr(dataset, f"has_{each}")())
        raise InputError(handle, f"has no {what}, only {has or 'other things'}")
    return dataset


def rows_of(handle: str, what: str) -> Iterator[Any]:
    """The documents, queries or judgements of a handle; InputError where its data cannot be had."""
    dataset = dataset_of(handle, what)
    try:
        yield from getattr(dataset, f"{what}_iter")()
    except (InputError, GeneratorExit):
        raise
    except Exception as error:  # the package has no error of its own for data that it cannot download
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        problem = f"its {what} are not on this machine and cannot be downloaded, or are damaged: {reason}"
        raise InputError(handle, problem) from None


# What may stand in records, and the words users choose from when records are read and scored.


Order = Literal["score", "rank", "file"]  # what the ranking of a run follows
Format = Literal["plain", "strata", "subtopics", "prels", "passages", "drawn", "characters"]  # of judgements
Unjudged = Literal["wrong", "condensed", "right", "all"]  # how documents without a judgement count
IdealKind = Literal["coverage", "single"]  # of the ideal list, where judgements are by subtopic
Theta = Literal["equal", "claims", "decay", "halving", "given"]  # how important each subtopic is
Like = Literal["trec_eval", "sample_eval"]  # programs whose conventions an evaluation can follow
MARKUP = (".xml", ".trec", ".topics", ".sgml")  # endings of topics in markup

LARGEST_GRADE = 999_999_999
Grade = Annotated[int, Bounds(-LARGEST_GRADE, LARGEST_GRADE)]
