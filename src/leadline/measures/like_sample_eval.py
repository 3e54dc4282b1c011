"""The output of NIST's sample_eval (October 2011), without its lines of interpolated precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from leadline.measures.evaluate import open_qrels
from leadline.measures.join import together
from leadline.measures.joined_runs import joined_runs
from leadline.measures.notation import parse_measure
from leadline.records.choices import Order

# Its names in the order in which it prints them, with ours.
NAMES = {
    "infAP": "xinfAP(depth=1000)", "infNDCG": "infNDCG@1000", "iP10": "iP@10", "iP50": "iP@50", "iP1000": "iP@1000",
    "inum_rel_ret": "inum_rel_ret(depth=1000)", "inum_rel": "inum_rel", "num_ret": "num_ret",
}  # fmt: skip
SUMMED = ("inum_rel_ret", "inum_rel", "num_ret")
LEFT_OUT = "sample_eval's lines iprec@rec are left out"


def sample_eval_report(qrels: Any, runs: Any, *, order: Order = "score", by_topic: bool = False) -> str:
    """Return what sample_eval prints on each run: every topic if `by_topic` (its -q), then `all`."""
    judged = open_qrels(qrels, format="strata")
    blocks: list[str] = []
    for _, part in joined_runs(runs, judged, order):
        hits = together([part], judged)
        values = {theirs: np.nan_to_num(parse_measure(ours).raw(hits)) for theirs, ours in NAMES.items()}
        values["num_ret"] = np.minimum(values["num_ret"], 1000)
        if by_topic:
            for t in np.flatnonzero(part.answered).tolist():
                blocks += _lines(judged.topics[t], {name: float(column[t]) for name, column in values.items()})
        # It sums the relevant documents of all judged topics; everything else is over the topics that the run answers.
        over = {
            name: float(column.sum() if name == "inum_rel" else column[part.answered].sum()) if name in SUMMED
            else float(column[part.answered].mean())
            for name, column in values.items()
        }  # fmt: skip
        blocks += _lines("all", over)
    return "".join(blocks)


def _lines(topic: str, values: dict[str, float]) -> Iterator[str]:
    """One line for each measure, in its columns."""
    for name, value in values.items():
        head = f"{name}\t" if len(name) >= 8 else f"{name}\t\t"
        if name == "num_ret":
            text = f"\t{value:9.0f}"
        elif name in SUMMED:
            text = f"\t{value:14.4f}"
        else:
            text = f"\t\t{value:.4f}"
        yield f"{head}{topic}{text}\n"
