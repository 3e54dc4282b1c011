"""Search: a query in words, its hits by family, and what they can be narrowed to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Query

from leadline.errors import LeadlineError
from leadline.retrieval.models.registry import MODELS
from leadline.show.lab.opened import OpenedLab
from leadline.show.lab.word_searches import DEEPEST, MOST_K, WordSearch, find_words
from leadline.show.serve.laboratory.views import Shown, error_line

USUAL = WordSearch("", "")  # the choices that a link need not name


def search_view(opened: OpenedLab) -> Callable[..., Shown]:
    """The view of the search page."""

    def search(
        index: Annotated[str, Query(description="name of an index (default: the first)")] = "",
        q: Annotated[str, Query(description="query, in the language of `leadline search`")] = "",
        model: Annotated[str, Query(description="ranking model, such as bm25(k1=0.9)")] = USUAL.model,
        before: Annotated[str, Query(description="only published before this day")] = "",
        after: Annotated[str, Query(description="only published after this day")] = "",
        classes: Annotated[str, Query(alias="class", description="only these classes, divided by commas")] = "",
        office: Annotated[str, Query(description="only these offices, divided by commas")] = "",
        newest: Annotated[bool, Query(description="sort by date, newest first")] = False,
        k: Annotated[int, Query(ge=1, le=MOST_K, description="families on a page")] = USUAL.k,
        page: Annotated[int, Query(ge=1, le=DEEPEST)] = 1,
        duplicates: Annotated[str, Query(description="near-duplicates in the lab, of which the best is shown")] = "",
        qrels: Annotated[str, Query(description="judgements, to mark what is judged")] = "",
        topic: Annotated[str, Query(description="the topic whose judgements are marked")] = "",
    ) -> Shown:
        """What a query finds: the best document of each family, why, and counts by date, class and office."""
        names = [entry.name for entry in opened.lab.entries("index")]
        asked = WordSearch(
            index or next(iter(names), ""), q, model, before, after, classes, office, newest, k, page, duplicates,
            qrels, topic,
        )  # fmt: skip
        usual = {"model": model if model != USUAL.model else "", "k": k if k != USUAL.k else None}
        shown: Shown = {
            "asked": {
                "index": index, "q": q, **usual, "before": before, "after": after, "class": classes, "office": office,
                "newest": newest, "duplicates": duplicates, "qrels": qrels, "topic": topic,
            },
            "page": page, "k": k, "model": model, "index": asked.index, "error": "", "searched": False,
            "indexes": names,
            "models": list(MODELS.names()),
            "qrels_names": [entry.name for entry in opened.lab.entries("qrels")],
            "duplicates_names": [entry.name for entry in opened.lab.entries("duplicates")],
            "folder": str(opened.lab.folder),
        }  # fmt: skip
        if not q.strip() or not names:
            return shown
        try:
            return {**shown, **find_words(opened, asked), "searched": True}
        except LeadlineError as error:
            return {**shown, "error": error_line(error)}

    return search
