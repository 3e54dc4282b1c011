"""One of each group of near-duplicates: the best of them stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.records.inputs import read_groups
from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("one_a_group")
class OneAGroup(Step):
    """Of the results in one group of near-duplicates only the first stays: the others are the same text again."""

    file: str = ""  # the groups, as `leadline duplicates -o FILE` writes them

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.file:
            raise InputError("one_a_group: file", "name the file that `leadline duplicates -o FILE` wrote")

    def __call__(self, context: SearchContext, request: Request) -> Request:
        if request.ranking is None:
            return request
        return replace(request, ranking=first_of_each(context, request.ranking, _read(self.file)))


def first_of_each(context: SearchContext, ranking: Ranking, groups: Mapping[str, str]) -> Ranking:
    """The ranking without documents of whose group another stands higher."""
    seen: set[str] = set()
    kept = np.ones(len(ranking.rows), np.bool_)
    for place, name in enumerate(context.names(ranking.rows)):
        group = groups.get(name)
        kept[place] = group is None or group not in seen
        if group is not None:
            seen.add(group)
    return Ranking(ranking.rows[kept], ranking.scores[kept])


@lru_cache(maxsize=16)
def _read(file: str) -> dict[str, str]:
    return read_groups(file)
