"""Keep only documents of some offices, classes or years."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import checked_choice
from leadline.options import Names
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step
from leadline.text.days import day_number, parse_date

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext


KINDS = ("patent", "article", "record", "page", "text")


@step("only")
class Only(Step):
    """Find only documents of these offices, in these classes or under them, published before or after a day.

    `kinds` are kinds of sources: patent, article, record, page, text.
    """

    offices: Names = ()
    classes: Names = ()
    kinds: Names = ()
    before: str = ""
    after: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        for written in filter(None, (self.before, self.after)):
            parse_date(written)
        for kind in self.kinds:
            checked_choice("only: kinds", kind, KINDS)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        allowed = np.ones(len(context.index), np.bool_)
        if self.offices:
            allowed &= context.index.having("office", self.offices)
        if self.classes:
            allowed &= context.index.having("classes", self.classes)
        if self.kinds:
            allowed &= _of_kinds(context, self.kinds)
        published = context.index.column("publication") if self.before or self.after else np.empty(0)
        if self.before:
            allowed &= (published < day_number(parse_date(self.before))) & (published != MISSING)
        if self.after:
            allowed &= published > day_number(parse_date(self.after))
        return request.only(allowed)


def _of_kinds(context: SearchContext, kinds: Names) -> NDArray[np.bool_]:
    """Which documents are of these kinds: a document of an office is a patent, others say what they are."""
    records = context.collection.records.select("office", "kind")
    chosen = [("patent" if office else kind) in kinds for office, kind in records.iter_rows()]
    rows = context.index_rows[np.array(chosen, np.bool_)]
    allowed = np.zeros(len(context.index), np.bool_)
    allowed[rows[rows >= 0]] = True
    return allowed
