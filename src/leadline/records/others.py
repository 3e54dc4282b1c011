"""Types of the objects of other packages that are taken as judgements, runs and measures. They are not imported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeAlias


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
