"""The prior-art task of TREC-CHEM 2009: tables 1 to 4 and 10 to 13, figures 4 to 6."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.records.scores.table import Table
from leadline.show.figures.formatting import count
from leadline.show.papers.chem_charts import measures_chart, offices_chart
from leadline.show.papers.exhibit import Exhibit
from leadline.show.papers.published import ChemScores, prior_art
from leadline.trust.tau import tau_b

TOPICS, OF_EPO, SHORT = 1000, 77, 100  # of the full task, those of them from the EPO, and of the short task
TEAMS = ("BiTeM", "CMU", "DUTIR", "SCAI", "UIowa", "msoe", "purdue", "york")  # how the names of their runs begin
ROUNDED = 0.0001  # a mean over all topics from two rounded means
ROUNDED_EP = 0.0013  # a mean over the 77 European topics from two rounded means
OTHER_SOURCES = ("table 1", "table 2", "EP and US", "full and US")  # notes of cells that were not read in their table
SLIP = ("SCAI09PAf1e_sm", "MRR")  # of table 1


def exhibits() -> tuple[Exhibit, ...]:
    """The tables and figures that are made from printed scores."""
    return (table_1(), table_2(), tables_3_and_4(), table_10(), figure_4(), table_11(), figure_5(),
            tables_12_and_13(), figure_6())  # fmt: skip


def best_two(table: ChemScores) -> list[str]:
    """The best two runs of each team by MAP, the best first."""
    scores = table.values[:, table.measures.index("MAP")]
    order = [table.runs[place] for place in np.argsort(-scores, kind="stable") if not math.isnan(scores[place])]
    return [run for run in order if run in [other for other in order if _team(other) == _team(run)][:2]]


def _team(run: str) -> str:
    return next(team for team in TEAMS if run.startswith(team))


def selection(best: ChemScores, whole: ChemScores) -> tuple[bool, int, list[str]]:
    """Whether a table of best runs lists those of the whole table, how many cells are in both, and which differ."""
    differ, cells = [], 0
    for run in best.runs:
        for measure in best.measures:
            theirs, ours = best.at(run, measure), whole.at(run, measure)
            if whole.note(run, measure) in OTHER_SOURCES or math.isnan(ours):
                continue
            cells += 1
            if theirs != ours:
                differ.append(f"{measure} of {run} is {theirs:.4f} here and {ours:.4f} there")
    return set(best_two(whole)) == set(best.runs), cells, differ


def _chosen(best: ChemScores, whole: ChemScores, number: int) -> tuple[bool, str]:
    same, cells, differ = selection(best, whole)
    who = "are those printed" if same else "are not those printed"
    text = f"The best two runs of each team by MAP, chosen from table {number}, {who}"
    text += f"; {cells - len(differ)} of {cells} scores that are legible in both are equal"
    return same and not differ, text + (f", but {'; '.join(differ)}." if differ else ".")


def _table(table: ChemScores) -> Table:
    """All scores, with the notes of the mended ones beside them and a dash for those that are not legible."""
    rows: list[list[Any]] = [
        [run, *(None if math.isnan(value) else value for value in values.tolist())]
        for run, values in zip(table.runs, table.values, strict=True)
    ]
    asides = {
        (place, m + 1): table.notes[place][measure]
        for place in range(len(rows))
        for m, measure in enumerate(table.measures)
        if measure in table.notes[place]
    }
    return Table(["run", *table.measures], rows, digits=4, asides=asides)


def table_1() -> Exhibit:
    """The short task: the best two runs of each team."""
    best, whole = prior_art("best_short"), prior_art("pa_short")
    same, text = _chosen(best, whole, 10)
    run, measure = SLIP
    mean = prior_art("pa_ep").at(run.removesuffix("_sm"), measure)
    least = OF_EPO * mean / SHORT
    if best.at(run, measure) < least:
        text += (
            f" The {measure} of {run} cannot be {best.at(run, measure):.4f}: the mean over the {OF_EPO} European "
            f"topics is {mean:.4f} (table 12), and these are among the {SHORT}, so it is at least {least:.4f}."
        )
    return Exhibit("Table 1", "best two runs of each team, short prior-art task", "same" if same else "differs", text,
                   (_table(best),))  # fmt: skip


def table_2() -> Exhibit:
    """The full task: the best two runs of each team, and how similarly the measures order them."""
    best = prior_art("best_full")
    same, text = _chosen(best, prior_art("pa_full"), 11)
    tau = tau_b(best.values.T[:, None], best.values.T[None]).tolist()
    rows = [[name, *row] for name, row in zip(best.measures, tau, strict=True)]
    lowest = min((float(row[b + 1]), str(row[0]), best.measures[b]) for row in rows for b in range(len(rows)))
    text += (
        f" The measures order these {len(best.runs)} runs alike, except {lowest[1]} and {lowest[2]} "
        f"(τ {lowest[0]:.2f}): no document is judged not relevant here, so bpref equals the recall of the whole list."
    )
    return Exhibit(
        "Table 2", "best two runs of each team, full prior-art task", "same" if same else "differs", text,
        (_table(best), Table(["τ of", *best.measures], rows, digits=2)),
    )  # fmt: skip


def tables_3_and_4() -> Exhibit:
    """European and American topics: the best runs, and the European means computed from the others."""
    best = prior_art("best_ep")
    same_ep, text_ep = _chosen(best, prior_art("pa_ep"), 12)
    same_us, text_us = _chosen(prior_art("best_us"), prior_art("pa_us"), 13)
    full, american = prior_art("pa_full"), prior_art("pa_us")
    rows: list[list[Any]] = []
    off = cells = 0
    for run in best.runs:
        row: list[Any] = [run]
        for measure in best.measures:
            ours = european(full.at(run, measure), american.at(run, measure))
            cells += 1
            off += abs(ours - best.at(run, measure)) > ROUNDED_EP
            row += [best.at(run, measure), ours]
        rows.append(row)
    columns = ["run", *(text for measure in best.measures for text in (f"{measure}, EP", "ours"))]
    return Exhibit(
        "Tables 3, 4", "best two runs of each team on topics of the EPO and of the USPTO",
        "same" if same_ep and same_us and not off else "differs",
        f"Table 3: {text_ep} Table 4: {text_us} The European means also follow from tables 11 and 13: {cells - off} of "
        f"{cells} computed like this are as printed, within what rounding allows (±{ROUNDED_EP}).",
        (Table(columns, rows, digits=4),),
    )  # fmt: skip


def european(full: float, american: float) -> float:
    """The mean over European topics, from the means over all and over American ones."""
    return (TOPICS * full - (TOPICS - OF_EPO) * american) / OF_EPO


def table_10() -> Exhibit:
    """The short task, all runs."""
    table = prior_art("pa_short")
    return Exhibit("Table 10", f"{len(table.runs)} runs of the short prior-art task", "shown", _legible(table),
                   (_table(table),))  # fmt: skip


def _legible(table: ChemScores) -> str:
    """How many cells are as read, mended and missing."""
    cells = table.values.size
    missing = int(np.isnan(table.values).sum())
    noted = sum(map(len, table.notes))
    return (
        f"The available text is damaged here. Of {count(cells)} scores, {count(cells - noted)} are as read, "
        f"{noted - missing} are mended or doubtful, with the source beside them, and {missing} are not legible."
    )


def table_11() -> Exhibit:
    """All topics, computed from European and American ones, beside the printed means."""
    full, ep, us = (prior_art(name) for name in ("pa_full", "pa_ep", "pa_us"))
    cells, differ = 0, []
    for run in full.runs:
        for measure in full.measures:
            if full.note(run, measure) not in ("", "doubtful") or ep.note(run, measure):
                continue
            cells += 1
            theirs = full.at(run, measure)
            ours = (OF_EPO * ep.at(run, measure) + (TOPICS - OF_EPO) * us.at(run, measure)) / TOPICS
            if abs(ours - theirs) > ROUNDED + 1e-9:
                differ.append(f"{measure} of {run} is printed as {theirs:.4f} and computed as {ours:.4f}")
    return Exhibit(
        "Table 11", f"{len(full.runs)} runs of the full prior-art task",
        "differs" if differ else "same",
        f"The means over all {count(TOPICS)} topics follow from those over {OF_EPO} European and {TOPICS - OF_EPO} "
        f"American ones. Of {cells} scores that are legible in all three tables, {cells - len(differ)} are as printed"
        + (f"; {'; '.join(differ)}. " if differ else ". ") + _legible(full),
        (_table(full),),
    )  # fmt: skip


def tables_12_and_13() -> Exhibit:
    """European and American topics, all runs."""
    ep, us = prior_art("pa_ep"), prior_art("pa_us")
    return Exhibit(
        "Tables 12, 13", f"the same {len(ep.runs)} runs on European and on American topics", "shown",
        f"{_legible(ep)} Table 13 is not damaged. A score of table 12 computed from tables 11 and 13 is only good "
        f"to ±{ROUNDED_EP}.", (_table(ep), _table(us)),
    )  # fmt: skip


def figure_4() -> Exhibit:
    """Six measures of all runs of the short task."""
    return _six("Figure 4", "pa_short", "short", "table 10 and figure 4")


def figure_5() -> Exhibit:
    """Six measures of all runs of the full task."""
    return _six("Figure 5", "pa_full", "full", "table 11 and figure 5")


def _six(name: str, source: str, task: str, where: str) -> Exhibit:
    table = prior_art(source)
    order = np.argsort(-np.nan_to_num(table.values[:, table.measures.index("MAP")]), kind="stable")
    runs = [table.runs[place] for place in order]
    chart = measures_chart(f"six-{task}", runs, table.measures, table.values[order], where)
    return Exhibit(name, f"six measures of {len(runs)} runs, {task} prior-art task", "shown",
                   "The printed scores, drawn; the best run by MAP at the top.", figures=(chart,))  # fmt: skip


def figure_6() -> Exhibit:
    """American against European topics, for every run and measure."""
    ep, us = prior_art("pa_ep"), prior_art("pa_us")
    higher = (us.values > ep.values).sum(axis=0).tolist()
    runs = len(ep.runs)
    least = min(range(len(higher)), key=lambda m: higher[m])
    counted = ", ".join(f"{higher[m]} {'do ' * (m == 0)}by {measure}" for m, measure in enumerate(ep.measures))
    york = us.values[us.runs.index("york09caPA01")] / ep.values[ep.runs.index("york09caPA01")]
    text = f"The overview says that most runs score higher on American topics. Of {runs} runs, {counted}. "
    if 2 * higher[least] < runs:
        against = _listed([name for m, name in enumerate(ep.measures) if 2 * higher[m] < runs])
        text += f"By {against} it is the other way round, which contradicts the overview. "
    text += (
        f"It also says that york09caPA01 does much better on American topics by every measure: by {york.min():.1f} to "
        f"{york.max():.1f} times. Whether that is more than chance cannot be said without scores by topic."
    )
    return Exhibit("Figure 6", "topics of the EPO against topics of the USPTO", "shown", text,
                   figures=(offices_chart(ep, us),))  # fmt: skip


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
