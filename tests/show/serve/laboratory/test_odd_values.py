"""Odd values in the addresses of the pages that search: an answer below 500, whatever they are."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.show.serve.laboratory.searching_labs import HOSTILE, odd_lab

ODD = (
    "", " ", "0", "-1", "99999999999999999999", "1e9", "NaN", "\0", "\n", "a\0b", "%", "%ff", "..", "../../etc/passwd",
    "/", "\ud7ff", "١٢", "½", "#1", "#1 AND #2", "(" * 300, ")" * 300, '"', '"a', "a OR", "NOT", "*", "?", "a*",
    "^", "a^0", "a^-1", "title:", "class:", "before:", "before:soon", "after:2010 before:2000", "NEAR/5", "a NEAR/0 b",
    "sort:newest", "-a", "bm25(", "bm25(k1=None)", "bm25(k1='x')", "bm25(k1=1e400)", "bm25(k1=[1]*9)", "C07D401/04",
    "C", "none", "cluster 1", "1999-02-30", "0000", "9999", "10000-01-01", "-5", HOSTILE, "x" * 5000, "odd", "words",
    "D2", "7", "near", "judged",
)  # fmt: skip
PARAMETERS = {
    "/search": ("index", "q", "model", "before", "after", "class", "office", "newest", "k", "page", "duplicates",
                "qrels", "topic"),
    "/prior-art": ("index", "patent", "pasted", "k"),
    "/directory/odd": ("class", "page"),
    "/document/odd/D2": ("topic", "qrels"),
    "/search.csv": ("q", "table"),
}  # fmt: skip


def test_odd_values_never_break_a_page(visit: Callable[..., Any], tmp_path: Path) -> None:
    client = visit(odd_lab(tmp_path))
    rng = random.Random(5)
    asked = []
    for path, names in PARAMETERS.items():
        usual = {"q": "coating"} if "search" in path else {}
        asked += [(path, {**usual, name: value}) for name in names for value in rng.sample(ODD, 12)]
        asked += [(path, {name: rng.choice(ODD) for name in rng.sample(names, len(names) // 2)}) for _ in range(10)]
    asked += [("/search", {"q": value}) for value in ODD]
    asked += [
        (f"/{page}/{quote(value, safe='')}", {})
        for page in ("collection", "directory", "document/odd")
        for value in ODD
    ]
    for path, values in asked:
        answer = client.get(path, params=values)
        assert answer.status_code < 500, (path, values)
        if "html" in answer.headers["content-type"]:
            assert "<script>alert" not in answer.text, (path, values)
