"""Sample patents as topics: those with enough relevant documents, in an order whose first k are a fair sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.collections.documents.numbers import is_patent_number
from leadline.collections.documents.patents import row_numbers
from leadline.errors import MismatchError
from leadline.records.scores.result import counted
from leadline.records.topics.topic import Topic, Topics

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

FEWEST_RELEVANT = 3
PerFamily = Literal["one", "all"]
_ATTRIBUTES = (
    "office", "kind", "class", "priority", "relevant", "cited_examiner", "cited_applicant", "claims", "words",
)  # fmt: skip


@dataclass(frozen=True)
class TopicSample:
    """Topics drawn from a collection, and the reasons why other documents were left out."""

    topics: Topics
    relevant: NDArray[np.int64]  # number of relevant documents of each topic
    candidates: int  # number of patents that could have been drawn
    left_out: Mapping[str, int]  # number of documents by the first reason

    def quartiles(self) -> list[float]:
        """The minimum, quartiles and maximum of the number of relevant documents."""
        return [float(value) for value in np.quantile(self.relevant, [0, 0.25, 0.5, 0.75, 1])]

    def histogram(self) -> list[tuple[str, int]]:
        """The number of topics by their number of relevant documents, in ranges that double.

        >>> TopicSample(Topics(()), np.array([3, 4, 5, 17]), 4, {}).histogram()
        [('3 to 4', 2), ('5 to 8', 1), ('9 to 16', 0), ('17 to 32', 1)]
        """
        steps = np.ceil(np.log2(np.maximum(self.relevant, 1))).astype(np.int64)
        ranges = []
        for step in range(int(steps.min()), int(steps.max()) + 1):
            first, last = 2**step // 2 + 1, 2**step
            ranges.append((f"{first} to {last}" if first < last else f"{last}", int((steps == step).sum())))
        return ranges


def sample_topics(
    records: pl.DataFrame,
    counts: pl.DataFrame,
    rng: np.random.Generator,
    *,
    number: int = 100,
    fewest: int = FEWEST_RELEVANT,
    masks: Mapping[str, NDArray[np.bool_]] | None = None,
    per_family: PerFamily = "one",
    quota: Mapping[str, int] | None = None,
) -> TopicSample:
    """Sample patents as topics; those with many citations by examiners and few by applicants are more likely.

    `counts` has the number of relevant documents of each patent (row, relevant, cited_examiner, cited_applicant), and
    `masks` other conditions: a Boolean per document, by the reason to print for those left out.

    The weight of a patent is (1 + relevant documents by examiners) / (1 + those by applicants). Drawing is without
    replacement: each patent gets an exponential time divided by its weight, and the first `number` are taken
    (Efraimidis and Spirakis 2006). In that order heavy patents come first, so the topics are shuffled: the first k are
    a fair sample of all. Of one family only the first drawn is taken.

    `quota` is the exact number of topics of each office, in place of `number`. Offices with fewer patents to spare are
    served first, so that a family with patents of several offices goes where it is needed.
    """
    import polars as pl

    left_out: dict[str, int] = {}
    eligible = np.ones(len(records), bool)
    for reason, mask in {"articles, not patents": (records["kind"] != "article").to_numpy(), **(masks or {})}.items():
        left_out[reason] = int((eligible & ~mask).sum())
        eligible &= mask
    table = (
        records.with_columns(row=row_numbers())
        .filter(pl.Series(eligible))
        .join(counts, on="row", how="left", maintain_order="left")
        .with_columns(pl.col("relevant", "cited_examiner", "cited_applicant").fill_null(0))
    )
    enough = table.filter(pl.col("relevant") >= fewest)
    few = f"fewer than {fewest} relevant document{'s' * (fewest != 1)}"
    left_out["no relevant document"] = int((table["relevant"] == 0).sum())
    left_out[few] = len(table) - len(enough) - left_out["no relevant document"]
    if table.is_empty():
        reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items() if count)
        raise MismatchError(f"no patent can be a topic: none passes the filters ({reasons})")
    if enough.is_empty():
        most = max(table["relevant"], default=0)
        raise MismatchError(
            f"no patent can be a topic: none has {fewest} relevant documents in the collection, the most is {most}"
        )
    weight = (1.0 + enough["cited_examiner"].to_numpy()) / (1.0 + enough["cited_applicant"].to_numpy())
    drawn = enough.with_columns(time=pl.Series(rng.exponential(size=len(enough)) / weight)).sort("time")
    quotas = None if quota is None else _by_office(drawn, quota, per_family)
    if per_family == "one":
        drawn = drawn.unique("family", keep="first", maintain_order=True)
        left_out["another of the family could be drawn"] = len(enough) - len(drawn)
    taken = drawn.head(number) if quotas is None else quotas
    taken = taken[rng.permutation(len(taken))]
    return TopicSample(
        Topics.of(map(_topic, _described(taken).iter_rows(named=True))),
        taken["relevant"].cast(pl.Int64).to_numpy(),
        len(drawn),
        {reason: count for reason, count in left_out.items() if count},
    )


def _by_office(drawn: pl.DataFrame, quota: Mapping[str, int], per_family: PerFamily) -> pl.DataFrame:
    """The first patents of each office, as many as its quota says."""
    import polars as pl

    taken = drawn.clear()
    spare = {office: int((drawn["office"] == office).sum()) - wanted for office, wanted in quota.items()}
    for office in sorted(quota, key=lambda office: (spare[office], office)):
        own = drawn.filter(pl.col("office") == office)
        if per_family == "one":
            own = own.filter(~pl.col("family").is_in(taken["family"].implode()))
            own = own.unique("family", keep="first", maintain_order=True)
        if len(own) < quota[office]:
            raise MismatchError(
                f"{counted(quota[office], 'topic')} of {office} wanted, but only {len(own)} can be drawn: lower its "
                "quota or the fewest relevant documents"
            )
        taken = taken.vstack(own.head(quota[office]))
    return taken


def _described(records: pl.DataFrame) -> pl.DataFrame:
    """The columns of a table of topics: id, title, and the attributes by which scores can be sliced."""
    import polars as pl

    symbol = pl.coalesce(pl.col("ipc").list.first(), pl.col("cpc").list.first()).fill_null("")
    return records.with_columns(
        pl.col("known").dt.to_string("%Y-%m-%d").fill_null("").alias("priority"),
        symbol.str.slice(0, 4).alias("class"),
    ).select("id", "title", *_ATTRIBUTES)


def _topic(row: dict[str, object]) -> Topic:
    attributes = {name: str(row[name]) for name in _ATTRIBUTES}
    name, title = str(row["id"]), " ".join(str(row["title"] or "").split())
    # A topic with a title is searched by it, unless its id is spelled like a patent number or it names a document.
    return Topic(name, title, document="" if is_patent_number(name) else name, attributes=attributes)
