"""What the package can show without anyone's data: the papers' figures, and our own beside them."""

from __future__ import annotations

from collections.abc import Iterator

from leadline import published
from leadline.measures.catalogue.average_precision import average_precision
from leadline.measures.catalogue.pres import pres
from leadline.measures.catalogue.recall import recall
from leadline.measures.hits import Hits
from leadline.scores.table import Table


def published_tables() -> Iterator[str]:
    """The printed tables, theirs beside ours where the ranks behind a figure were printed too."""
    yield "PRES's worked examples (Magdy and Jones 2010): as printed, and as computed here from the ranks\n"
    yield worked_examples().render("table")
    scores = published.clef_ip_2009()
    yield "\nCLEF-IP 2009: the ten runs with the highest PRES of 48, as printed\n"
    order = sorted(range(len(scores.runs)), key=lambda r: -scores.values[r, 0, 2])[:10]
    yield scores.select_runs(order).wide().render("table")
    for measure in ("xinfAP", "infNDCG"):
        chemistry = published.trec_chem_2009(measure)
        yield f"\nTREC-CHEM 2009, technology survey: the best five of 31 runs by {measure}, means over 18 topics\n"
        yield chemistry.best_per(5).wide(sort=True).render("table")


def worked_examples() -> Table:
    """Recall, AP and PRES of the printed ranks beside the printed figures."""
    rows = []
    for example in published.pres_worked_examples():
        effort = example["n_max"]
        hits = Hits.of(ranks=example["ranks"], relevant=example["n_relevant"])
        ours = [measure(hits, effort)[0] for measure in (recall, average_precision, pres)]
        row = [example["example"], effort, len(example["ranks"]), example["n_relevant"]]
        for name, value in zip(("recall", "AP", "PRES"), ours, strict=True):
            row += [example[name], float(value)]
        rows.append(row)
    columns = ["example", "effort", "found", "relevant", "recall", "ours", "AP", "ours", "PRES", "ours"]
    return Table(columns, rows)
