"""Information retrieval on the web and its evaluation."""

from __future__ import annotations

from leadline.measures.catalogue.precision import precision, recall
from leadline.measures.hits import Hits
from leadline.records.scores.table import Table
from leadline.show.papers.exhibit import Exhibit, Paper, not_here
from leadline.show.papers.inputs import PaperInputs
from leadline.show.papers.on_runs import on_runs

NAME = "web-2012"
RELEVANT = 162  # documents known to be relevant in the paper's example
FIRST = [1, 2, 3, 4, 5, 6, 9, 10]  # of ten, those at ranks 7 and 8 are not relevant


def paper(lab: PaperInputs | None = None) -> Paper:
    return Paper(
        NAME,
        "Searching the web, and measuring it",
        "Garg and Sharma, International Journal of Computer Applications 2012",
        (
            example(),
            on_runs(lab, NAME, "Figures 3, 4", "precision against recall, and the interpolated curve",
                    "precision_recall", "the ranked list behind the curve is not given"),
            not_here("Figures 1, 2", "links between pages, and PageRank",
                     "Belongs to the web part of the program (links/: PageRank, HITS), not to evaluation. The formula "
                     "that the paper prints, (1−d) + d·Σ PR/C, sums to the number of pages and not to one as it says; "
                     "with (1−d)/N it does."),
            not_here("Section 5.4.2", "DCG with linear or exponential gain",
                     "No numbers are printed. `leadline explain DCG` has the formula with both gains."),
        ),
        n_figures=4,
    )  # fmt: skip


def example() -> Exhibit:
    """Precision and recall after 10 and 50 documents."""
    ten, fifty = Hits.of(ranks=FIRST, relevant=RELEVANT), Hits.of(ranks=list(range(1, 21)), relevant=RELEVANT)
    rows = [
        ["10 read, 8 relevant", 0.8, float(precision(ten, 10)[0]), 0.05, float(recall(ten, 10)[0])],
        ["50 read, 20 relevant", 0.4, float(precision(fifty, 50)[0]), 0.05, float(recall(fifty, 50)[0])],
    ]
    return Exhibit(
        "Section 5.4.1", "precision and recall of one list, 162 documents being relevant", "differs",
        f"The recall after 50 documents is printed as 20/162 ≈ 0.05; it is {rows[1][4]:.2f}. The other three numbers "
        "are as printed.",
        (Table(["list", "precision printed", "ours", "recall printed", "ours"], rows),),
    )  # fmt: skip
