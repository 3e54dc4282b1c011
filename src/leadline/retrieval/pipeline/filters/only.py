"""Keep only documents of some offices, classes or years."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.pipeline.options import Names
from leadline.retrieval.pipeline.pipeline import Step, step
from leadline.retrieval.pipeline.request import Request
from leadline.text.days import day_number, parse_date

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("only")
class Only(Step):
    """Find only documents of these offices, in these classes or under them, published before or after a day."""

    offices: Names = ()
    classes: Names = ()
    before: str = ""
    after: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        for written in filter(None, (self.before, self.after)):
            parse_date(written)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        allowed = np.ones(len(context.index), np.bool_)
        if self.offices:
            allowed &= context.index.having("office", self.offices)
        if self.classes:
            allowed &= context.index.having("classes", self.classes)
        published = context.index.column("publication") if self.before or self.after else np.empty(0)
        if self.before:
            allowed &= (published < day_number(parse_date(self.before))) & (published != MISSING)
        if self.after:
            allowed &= published > day_number(parse_date(self.after))
        return request.only(allowed)
