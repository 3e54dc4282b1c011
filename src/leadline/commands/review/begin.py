"""Begin a review without serving it: documents to be read in a learner's order.

--documents names what is searched: files (RIS, nbib of PubMed, CSV, JSON lines, patents ...), an .asreview project, or
a collection. `leadline review serve REVIEW` opens its pages, and so does the lab in which it lies.

Examples:
  leadline review begin cough --documents review.csv --title "Cough in children"
  leadline review begin films --documents patents --candidates runs/bm25.run --query "coating film"
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.commands.shared.argument_kinds import INPUT_FILE, INPUT_TREE, WORD, OutputFolder
from leadline.commands.shared.extras import registered
from leadline.commands.shared.options import add_choice, add_options, level, list_of, share, wrong_usage
from leadline.commands.shared.output import write
from leadline.commands.shared.signature import public
from leadline.errors import InputError, UsageError, visible
from leadline.judge.choices import LEARNER_NAMES
from leadline.records.result import counted

if TYPE_CHECKING:
    from leadline.judge.review.project import ReviewProject, ReviewSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_beginning(parser)
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    check_marks(options)
    if not is_new(options.review):
        raise InputError(options.review, "is a review already: go on with `leadline review serve`")
    project = begun(options)
    take_over_marks(options, project)
    if not options.quiet:
        said = f"{counted(len(project.units), 'document')} to read"
        write(f"{said}; open the pages with `leadline review serve {options.review}`\n")


def add_beginning(parser: argparse.ArgumentParser) -> None:
    """Add what a review is begun with."""
    add = parser.add_argument
    add(
        "review", metavar="REVIEW", type=OutputFolder("reviews"), help="folder of the review, made if it does not exist"
    )
    add(
        "--documents",
        metavar="PATH",
        type=INPUT_TREE,
        nargs="+",
        help="what is searched: files, an ASReview project, or a collection",
    )
    add(
        "--candidates",
        metavar="FILE",
        type=INPUT_FILE,
        help="a run, judgements or ids one per line: only these documents are read",
    )
    add("--known", metavar="IDS", type=list_of(str), default=(), help="relevant documents that you know already")
    add("--labels", action="store_true", help="take over the labels in the files (CSV or RIS)")
    add(
        "--marks",
        metavar="NAME=COLUMN",
        type=list_of(str),
        default=(),
        help="take over what each reader decided elsewhere, from a column each; or the word rayyan: from its notes",
    )
    public("read_labels").add(parser, "column", column={"metavar": "NAME"})
    add(
        "--keep-duplicates",
        action="store_true",
        help="read records with the same text under other ids one by one (default: each once)",
    )
    add("--title", type=WORD, help="title of the review (default: the name of its folder)")
    add("--query", type=WORD, help="words to begin with, where no relevant document is known")
    add(
        "--criteria",
        metavar="FILE",
        type=INPUT_FILE,
        help="criteria of inclusion, which every reviewer sees all the time",
    )
    add("--reasons", metavar="FILE", type=INPUT_FILE, help="reasons for exclusion to choose from, one per line")
    learners = f"how documents are put in order: {', '.join(LEARNER_NAMES)} (default: svm)"
    add("--learner", metavar="WORD", type=registered(LEARNER_NAMES, _learners), help=learners)
    public("simulate_review").add(parser, "target", target={"metavar": "RECALL", "default": None})
    add("--confidence", metavar="LEVEL", type=level, help="confidence of the certificate (default: 0.95)")
    add("--double", metavar="SHARE", type=share, help="share of the documents that two people read (default: none)")
    add_choice(parser, "--stages", ("1", "2"), "1: titles and abstracts; 2: then full texts", None, "1")


def is_new(review: str) -> bool:
    """Whether a review is still to be begun."""
    from leadline.judge.review.project import SETTINGS, ReviewProject

    return not (Path(review) / SETTINGS).exists() or not ReviewProject.open(review).rounds


def check_marks(options: argparse.Namespace) -> None:
    """Refuse --marks that mean nothing, before any work."""
    from leadline.judge.review.exchange import columns_by_person

    if options.marks and not options.documents:
        raise UsageError("--marks", "needs --documents, the files that have them")
    if options.marks and options.marks != ("rayyan",):
        with wrong_usage():
            columns_by_person(options.marks)


def begun(options: argparse.Namespace) -> ReviewProject:
    """The review that was named, begun with what was given."""
    from leadline.judge.review.exchange import begin_review

    if not options.documents:
        problem = f"{options.review} is not a review yet: name what is searched, --documents FILES"
        raise UsageError("--documents", problem)
    return begin_review(
        options.review,
        options.documents,
        _settings(options),
        candidates=options.candidates,
        known=options.known,
        labels=options.labels or options.column is not None,
        column=options.column,
        fold_same=not options.keep_duplicates,
    )


def take_over_marks(options: argparse.Namespace, project: ReviewProject) -> None:
    """Store what readers decided elsewhere, each under their name."""
    if not options.marks:
        return
    from leadline.judge.review.exchange import (
        RAYYAN,
        add_decisions,
        columns_by_person,
        decisions_in_columns,
        decisions_of_rayyan,
    )

    if options.marks == (RAYYAN,):
        found = decisions_of_rayyan(project)
    else:
        found = decisions_in_columns(options.documents, columns_by_person(options.marks))
    new = add_decisions(project, found)
    if not options.quiet:
        write(f"{counted(new, 'decision')} of {', '.join(found)} taken over\n")


def _learners() -> Mapping[str, Any]:
    from leadline.judge.review.learners import LEARNERS

    return LEARNERS


def _settings(options: argparse.Namespace) -> ReviewSettings:
    from leadline.judge.review.project import REASONS, ReviewSettings

    reasons = _text(options.reasons) if options.reasons else ""
    with wrong_usage():
        return ReviewSettings(
            title=options.title or Path(options.review).resolve().name,
            criteria=_text(options.criteria) if options.criteria else "",
            reasons=tuple(line.strip() for line in reasons.splitlines() if line.strip()) or REASONS,
            query=options.query or "",
            learner=options.learner or "svm",
            target=options.target or 0.95,
            alpha=round(1 - (options.confidence or 0.95), 12),
            double=options.double or 0.0,
            stages=int(options.stages or 1),
        )


def _text(path: str) -> str:
    from leadline.judge.journal import LONGEST
    from leadline.text.source import read_text

    text = read_text(path).bytes().decode("utf-8", "replace").strip()
    if not text or len(text) > LONGEST:
        raise InputError(os.fspath(path), f"must have 1 to {LONGEST:,} characters, has {len(text):,}")
    return visible(text, "\t\n")
