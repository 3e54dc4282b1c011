"""Try learners and stopping rules on a review whose labels are known.

LABELS are judgements (one review per topic), or an export of ASReview (CSV or RIS) with labels. The candidates of a
review are the documents that have a label; where all of them are relevant, the whole collection. Each seed begins with
another relevant document and another that is not.

Instead of a collection, DIR may be an export with labels, or a folder of them, without LABELS: each is a review. Or
DIR may be a review that was read with `leadline review serve`, without LABELS: this is what
another procedure would have found. Documents that nobody read count as not relevant.

With --overlook, readers overlook shares of what is relevant; the table says how often what each certificate states is
true then, and what it costs: that of the reading, and that of an audit by an expert, whose word the labels are.

Examples:
  leadline review simulate articles labels.qrels --seeds 20
  leadline review simulate articles review.csv --learner svm,naive-bayes --rule ppr,buscar --target 0.9 --by-review
  leadline review simulate asthma --learner svm,naive-bayes
  leadline review simulate articles labels.qrels --overlook 0,0.02,0.05,0.1 --target 0.9
  leadline review simulate articles labels.qrels --overlook 0.05 --readers 2 --hard
  leadline review simulate review.csv --seeds 1 --batch 1 --runs orders
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import WORD, OutputFolder
from leadline.commands.shared.judging import open_review
from leadline.commands.shared.options import (
    add_options,
    bounded_number,
    check_format,
    list_of,
    split_list,
    whole_number,
    wrong_usage,
)
from leadline.commands.shared.output import print_notes, progress_bar, write_table
from leadline.commands.shared.signature import public
from leadline.errors import UsageError
from leadline.judge.choices import LEARNER_NAMES, STOPPING_RULES
from leadline.options import Bounds
from leadline.records.result import counted, number
from leadline.text.owned_files import is_owned

if TYPE_CHECKING:
    from leadline.judge.review.simulation import LabelledReview, ReviewSimulation
    from leadline.records.qrels import Qrels
    from leadline.records.runs import Run

_ROUNDED = {"up": "up", "nearest": "to nearest", "down": "down"}
EXPORTS = (".csv", ".ris", ".csv.gz", ".ris.gz")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    described = "collection folder, made by `leadline collection build`; a review; or exports with labels"
    add_options(parser, "collection", help=described)
    names = {"metavar": "NAMES", "type": WORD}
    public("simulate_review").add(
        parser,
        *("labels", "learners", "rules", "seeds", "target", "alpha", "batch"),
        labels={"metavar": "LABELS", "nargs": "?"},
        learners={"flags": ["--learner"], "dest": "learner", "choices": LEARNER_NAMES, "default": "svm", **names},
        rules={"flags": ["--rule"], "dest": "rule", "choices": STOPPING_RULES, "default": None, **names},
        target={"metavar": "RECALL"},
    )
    public("read_labels").add(parser, "column", column={"metavar": "NAME"})
    add(
        "--overlook",
        metavar="SHARES",
        type=list_of(bounded_number(Bounds(0, 1, below=True))),
        help="simulate readers who overlook these shares of what is relevant, and an audit",
    )
    add("--readers", metavar="N", type=whole_number(1, 2), help="people who read each document (default: 1)")
    add("--hard", action="store_true", help="all overlook the same documents, the hardest (default: each at random)")
    add("--by-review", action="store_true", help="a row for each review")
    add(
        "--runs",
        metavar="DIR",
        type=OutputFolder(),
        help="folder for the orders of reading as runs, which `leadline evaluate` reads",
    )
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.review.learners import LEARNERS
    from leadline.judge.review.simulation import simulate_reviews
    from leadline.judge.review.stopping import RULES

    check_format(options)
    with wrong_usage("--learner"):
        learners = [name for name in split_list(options.learner) if LEARNERS.named(name)]
    with wrong_usage("--rule"):
        rules = [name for name in split_list(options.rule or "") if RULES.named(name)]
    if options.overlook:
        _check_overlook(options, learners)
    elif options.readers or options.hard:
        raise UsageError("--readers" if options.readers else "--hard", "needs --overlook")
    reviews, said = _reviews(options)
    if options.overlook:
        _simulate_oversight(options, reviews, learners[0], said)
        return
    kept: dict[str, bytes] = {}

    def keep(order: Run) -> None:
        kept[order.name] = kept.get(order.name, b"") + order.to_bytes()

    with progress_bar("reviewing", quiet=options.quiet) as progress:
        found = simulate_reviews(
            reviews,
            **public("simulate_review").given(options, *("seeds", "target", "alpha", "batch")),
            learners=learners,
            rules=rules,
            progress=progress,
            keep=keep if options.runs else None,
        )
    write_table(found.by_review() if options.by_review else found.table(), options)
    if options.runs:
        from leadline.judge.review.runs_folder import write_runs

        write_runs(options.runs, kept)
    print_notes([*said, *_notes(found)], options)


def _check_overlook(options: argparse.Namespace, learners: list[str]) -> None:
    for name, given in (("--rule", options.rule), ("--runs", options.runs), ("--learner", learners[1:])):
        if given:
            problem = "takes one learner" if name == "--learner" else f"has no {name[2:]}"
            raise UsageError(name, f"a simulation of what readers overlook {problem}")


def _simulate_oversight(
    options: argparse.Namespace, reviews: list[LabelledReview], learner: str, said: list[str]
) -> None:
    """The table of what both certificates are worth if readers overlook something."""
    from leadline.judge.review.oversight import simulate_oversight

    with progress_bar("reviewing", quiet=options.quiet) as progress:
        found = simulate_oversight(
            reviews,
            **public("simulate_review").given(options, *("seeds", "target", "alpha", "batch")),
            learner=learner,
            overlook=options.overlook,
            readers=options.readers or 1,
            hard=options.hard,
            progress=progress,
        )
    write_table(found.by_review() if options.by_review else found.table(), options)
    notes = [
        f"reached: of the runs certified at {100 * found.target:g} %, the share that truly had it by the labels; held: "
        "the share whose limit was true at every look",
        "read: share of the documents that readers read; by the expert: that the expert reads beside what was kept",
    ]
    print_notes([*said, *notes], options)


def _reviews(options: argparse.Namespace) -> tuple[list[LabelledReview], list[str]]:
    """The reviews to read again, and what must be said of them."""
    from leadline.judge.review.labels import reviews_of_exports

    if not options.labels and not is_owned(Path(options.collection)):
        return list(reviews_of_exports(options.collection, options.column)), []
    from leadline.collections.documents.collection import Collection
    from leadline.judge.review.project import is_review
    from leadline.judge.review.simulation import labelled_reviews

    if is_review(options.collection):
        from leadline.judge.review.exchange import finished_review

        if options.labels:
            raise UsageError("LABELS", f"{options.collection} is a review, which has its own labels: leave them out")
        options.review = options.collection
        state, _, _ = open_review(options)
        review = finished_review(state)
        read, total = int(state.is_read.sum()), len(review.documents)
        found = counted(int(review.relevant.sum()), "document")
        said = [f"the review itself: {read:,} of {total:,} documents read ({number(read / total)}), {found} relevant"]
        if read < total:
            said.append(f"{counted(total - read, 'document')} that nobody read: taken as not relevant")
        return [review], said
    if not options.labels:
        raise UsageError("LABELS", "name the judgements of the candidates, or a review instead of the collection")
    return list(labelled_reviews(Collection.open(options.collection), _labels(options))), []


def _labels(options: argparse.Namespace) -> Qrels:
    from leadline.judge.review.labels import read_labels
    from leadline.records.qrels import read_qrels

    if options.labels.lower().endswith(EXPORTS):
        return read_labels(options.labels, column=options.column)
    if options.column:
        raise UsageError("--column", "is for an export with labels (.csv or .ris); judgements have no columns")
    return read_qrels(options.labels)


def _notes(found: ReviewSimulation) -> list[str]:
    wanted = f"{100 * found.target:g} %"
    by_rounding = found.saved_by_rounding
    saved = []
    for place, learner in enumerate(found.learners):
        values = ", ".join(f"{number(values[place].mean())} {_ROUNDED[name]}" for name, values in by_rounding.items())
        saved.append(f"{learner} {values}")
    always = [
        (float(found.read[place, ..., at].mean()), learner, rule)
        for place, learner in enumerate(found.learners)
        for at, rule in enumerate(found.rules)
        if found.reached[place, :, at].min() == 1
    ]
    cheapest = [f"cheapest that always reached {wanted}: {min(always)[1]} with {min(always)[2]}"] if always else []
    return [
        *cheapest,
        f"work saved over sampling (WSS) at {wanted} recall, mean of the reviews, with {found.target:g} R rounded: "
        + "; ".join(saved),
        f"reached: share of the {found.seeds} seeds in which recall was at least {wanted} when the rule stopped",
    ]
