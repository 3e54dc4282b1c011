"""The tables of the page: every system with its scores, and every topic with its relevant documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import numpy as np

from leadline.measures.hits import Array, Mask
from leadline.measures.intervals import interval
from leadline.retrieval.engines.timing import QueryTiming, asked_at_once, rate_in_words
from leadline.show.charts.drawable import drawable
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.formatting import decimal, in_time, rounded
from leadline.show.report.embedding import variable
from leadline.show.report.headline import CHIPS
from leadline.trust.corrections import holm
from leadline.trust.order import sign
from leadline.trust.randomisation import flip_test
from leadline.trust.verdict import Verdict

DRAWS = 10_000
MOST_RANKS = 1_500_000  # in a page: run × relevant document, a few bytes each
FEW = 20  # runs whose ranks are in the page if there are more ranks than that
COLUMNS, LETTERS = 3, 160  # the most attribute columns of a table, and letters of a text in them


def systems_table(evidence: Evidence) -> str:
    """Every run with its means, best first: the best of each measure bold, those not significantly worse underlined."""
    names = list(dict.fromkeys((evidence.measure.text, *evidence.trio, f"judged@{min(20, evidence.effort)}")))
    scores = evidence.scores(names)
    means, widths = scores.mean_values(), scores.half_widths()[:, 0]
    near = [_near_best(evidence, name) for name in names]
    info = list(dict.fromkeys(name for run in evidence.runs for name in evidence.runs_info.get(run, {})))[:COLUMNS]
    verdicts: Mapping[str, Verdict] = {v.other: v for v in evidence.verdict.verdicts} if evidence.verdict else {}
    heads = [("system", ""), (names[0], "num"), ("95\u202f% interval", "num"), *((name, "num") for name in names[1:])]
    heads += [*([("against the leader", "wrap")] if verdicts else []), *((name, "") for name in info)]
    spent = _spent(evidence)
    heads += [(name, "num wrap") for name in spent]
    body = []
    for run in evidence.order:
        r = evidence.place(run)
        dot = f'<span class="swatch" style="background:{variable(evidence.colour(run))}"></span>' * (
            run in evidence.named
        )
        pin = f'<button type="button" class="pin" aria-pressed="false" aria-label="highlight {escape(run)}"></button>'
        cells = [f'<th scope="row" class="id">{pin}{dot}{escape(run)}</th>']
        for m in range(len(names)):
            kind = " best" if near[m][1][r] else " near" if near[m][0][r] else ""
            value = float(means[r, m])
            cells.append(f'<td class="num{kind}" data-v="{_key(value)}">{decimal(value)}</td>')
            if m == 0:
                low, high = interval(names[0], value, float(widths[r]))
                text = "–" if np.isnan(widths[r]) else f"{decimal(low)} to {decimal(high)}"
                cells.append(f'<td class="num" data-v="{_key(low)}">{text}</td>')
        if verdicts:
            cells.append(f"<td>{_chip(verdicts.get(run))}</td>")
        cells += [f'<td class="text">{escape(evidence.runs_info.get(run, {}).get(name, ""))}</td>' for name in info]
        for values, written in spent.values():
            value = values.get(run, float("nan"))
            cells.append(f'<td class="num" data-v="{_key(value)}">{"–" if np.isnan(value) else written(value)}</td>')
        body.append(f'<tr data-run="{escape(drawable(run))}">{"".join(cells)}</tr>')
    head = "".join(f'<th scope="col"{_kind(kind)}>{escape(name)}</th>' for name, kind in heads)
    return (
        '<div class="tall" tabindex="0" role="region" aria-label="all systems"><table class="sortable">'
        f"<thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
        + (f'<p class="aside">{escape(said)}</p>' if (said := asked_at_once(_timed(evidence))) else "")
    )


def _timed(evidence: Evidence) -> dict[str, QueryTiming]:
    """The recorded times, in the order of the table."""
    return {run: evidence.timings[run] for run in evidence.order if run in evidence.timings}


def _spent(evidence: Evidence) -> dict[str, tuple[Mapping[str, float], Callable[[float], str]]]:
    """What queries took and cost: columns of which some run has a value, and how a value is written."""
    columns: dict[str, tuple[str, Callable[[float], str]]] = {
        "a query, median": ("median", in_time), "99th percentile": ("p99", in_time),
        "queries a second": ("per_second", rate_in_words), "cost of a query": ("cost", "{:g}".format),
    }  # fmt: skip
    known = {
        name: (
            {run: value for run, each in evidence.timings.items() if (value := getattr(each, of)) is not None},
            write,
        )
        for name, (of, write) in columns.items()
    }
    return {name: (values, write) for name, (values, write) in known.items() if values}


def _near_best(evidence: Evidence, name: str) -> tuple[Mask, Mask]:
    """The runs that are not significantly worse than the best under a measure, and the best ones."""
    scores = evidence.scores(name)
    runs = len(evidence.runs)
    none = np.zeros(runs, np.bool_)
    matrix: Array = scores.values[:, :, 0]
    matrix = matrix[:, np.isfinite(matrix).all(axis=0)]
    if scores.better[0] == "neither" or runs < 2 or matrix.shape[1] < 2:
        return none, none
    matrix = sign(scores.better[0]) * matrix
    means = matrix.mean(axis=1)
    best = np.asarray(means == means.max())
    others = np.flatnonzero(~best)
    near = none.copy()
    if len(others):
        differences = matrix[int(means.argmax())] - matrix[others]
        near[others] = holm(flip_test(differences, evidence.rng(f"near {name}"), DRAWS)) >= 0.05
    return near, best


def _chip(verdict: Verdict | None) -> str:
    if verdict is None:
        return "first"
    return f'<span class="chip {verdict.word}">{CHIPS[verdict.word]}</span>'


def _kind(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _key(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.9g}"


def topics_data(evidence: Evidence) -> dict[str, Any]:
    """The data to compare any two systems on every topic, with the rank of each relevant document."""
    documents = evidence.relevant_documents
    ranked = [evidence.place(run) for run in evidence.order]
    if len(ranked) * len(documents) > MOST_RANKS:
        ranked = ranked[:FEW]
    counts = np.concatenate([[0], np.cumsum(evidence.relevant)])
    return {
        "measure": evidence.measure.text,
        "better": evidence.measure.definition.better,
        "effort": evidence.effort,
        "runs": list(evidence.runs),
        "order": list(evidence.order),
        "a": evidence.leader,
        "b": evidence.challenger or "",
        "topics": list(evidence.topics),
        "columns": _topic_columns(evidence),
        "relevant": evidence.relevant.tolist(),
        "values": [[rounded(value) for value in row] for row in evidence.main.values[:, :, 0].tolist()],
        "offsets": counts.tolist(),
        "documents": [evidence.qrels.documents[place] for place in documents.tolist()],
        "grades": evidence.qrels.grades[documents].tolist(),
        "ranked": ranked,
        "ranks": evidence.ranks[ranked].tolist(),
    }


def _topic_columns(evidence: Evidence) -> list[dict[str, Any]]:
    """The first attributes of the topics, as short texts."""
    columns = []
    for name, values in list(evidence.attributes.items())[:COLUMNS]:
        texts = ["" if values.get(topic) is None else str(values.get(topic)) for topic in evidence.topics]
        columns.append({"name": name, "values": [t if len(t) <= LETTERS else f"{t[:LETTERS]}…" for t in texts]})
    return columns
