"""Serve the pages of a review: documents in a learner's order, and when it is enough.

The first time, --documents names what is searched: files (RIS, nbib of PubMed, CSV, JSON lines, patents ...), an
.asreview project, or a collection. Later, `leadline review serve REVIEW` goes on; with --documents again, what is new
in them becomes another round, and only that is asked about. Everything that people do is stored in REVIEW.
--learner and --target may be given again, to change a review that goes on.

Examples:
  leadline review serve asthma --documents search.ris --known 10051933 --reviewers anna,ben
  leadline review serve asthma
  leadline review serve brakes --documents patents --candidates bm25.run --query "brake disc" --criteria criteria.txt
  leadline review serve asthma --documents new-search.ris
"""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.commands.shared.argument_kinds import INPUT_FILE, INPUT_TREE, WORD, OutputFolder
from leadline.commands.shared.extras import registered
from leadline.commands.shared.judging import add_address, public_address
from leadline.commands.shared.options import add_choice, add_options, level, list_of, share, wrong_usage
from leadline.commands.shared.output import write
from leadline.commands.shared.signature import public
from leadline.errors import InputError, UsageError, visible
from leadline.judge.choices import LEARNER_NAMES
from leadline.records.result import counted

if TYPE_CHECKING:
    from leadline.judge.review.project import ReviewProject, ReviewSettings

OF_A_NEW_ONE = ("title", "criteria", "query", "reasons", "confidence", "double", "stages")
OF_EACH = ("learner", "target")  # which a running review may change


def add_arguments(parser: argparse.ArgumentParser) -> None:
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
    add("--reviewers", metavar="NAMES", type=list_of(str), default=(), help="make links for these people and show them")
    add_address(parser)
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.journal import check_name
    from leadline.judge.review.exchange import columns_by_person
    from leadline.show.serve.security import Address

    Address.of(options.host, options.port, options.url)  # refuses a wrong --url before any work
    for name in options.reviewers:
        check_name(name)
    if options.marks and not options.documents:
        raise UsageError("--marks", "needs --documents, the files that have them")
    if options.marks and options.marks != ("rayyan",):
        with wrong_usage():
            columns_by_person(options.marks)
    with contextlib.ExitStack() as held:
        project = _project(options, held)
        if options.marks:
            _take_over_marks(options, project)
        _serve(options, project)


def _take_over_marks(options: argparse.Namespace, project: ReviewProject) -> None:
    """Store what readers decided elsewhere, each under their name."""
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


def _serve(options: argparse.Namespace, project: ReviewProject) -> None:
    from leadline.judge.journal import People
    from leadline.judge.review.project import PEOPLE
    from leadline.show.serve.desks import ReviewDesk
    from leadline.show.serve.reviewing_pages import reviewing_app
    from leadline.show.serve.security import listen, serve

    opened = listen(options.host, options.port)
    address = public_address(options, opened)
    people = People(project.folder / PEOPLE)
    links = [f"  {name:<12} {address.link(people.add(name, 'assessor'))}\n" for name in options.reviewers]
    if links:
        write("".join(["Personal links, shown only now:\n", *links]))
    desk = ReviewDesk(project, late=True)
    with contextlib.closing(desk):
        desk.proposer.start()
        if not options.quiet:
            known = [each for each in desk.people if not each.revoked and not each.has_expired]
            more = "" if known else f"; make links with `leadline review people {options.review} add NAME`"
            read = int(desk.state.is_read.sum())
            said = f"{counted(len(project.units), 'document')}, {read:,} of them read, at {address.url}{more}"
            if len(known) > 1 and not any(each.role in ("organiser", "expert") for each in known):
                add = f"`leadline review people {options.review} add NAME --role organiser`"
                said += (
                    f"\nNobody can switch to random draws, and only all together can stop: {add} makes a link for that"
                )
            write(f"{said}\nStop with Ctrl-C; everything is in {project.folder}\n")
        serve(reviewing_app(desk, address, project.settings.title), opened, address, quiet=options.quiet)


def _hold(project: ReviewProject, held: contextlib.ExitStack) -> ReviewProject:
    """Refuse to serve what another process serves: each would give people the documents that the other gave."""
    held.enter_context(project.hold())
    return project


def _project(options: argparse.Namespace, held: contextlib.ExitStack) -> ReviewProject:
    """The review that was named: begun, extended, or as it is; nobody else serves it as long as it is held."""
    from leadline.judge.review.exchange import add_known, begin_review, change_settings, extend_review
    from leadline.judge.review.project import SETTINGS, ReviewProject

    if not (Path(options.review) / SETTINGS).exists() or not ReviewProject.open(options.review).rounds:
        if not options.documents:
            problem = f"{options.review} is not a review yet: name what is searched, --documents FILES"
            raise UsageError("--documents", problem)
        begun = begin_review(
            options.review,
            options.documents,
            _settings(options),
            candidates=options.candidates,
            known=options.known,
            labels=options.labels or options.column is not None,
            column=options.column,
            fold_same=not options.keep_duplicates,
        )
        return _hold(begun, held)
    given = [name for name in OF_A_NEW_ONE if getattr(options, name) is not None]
    if given:
        raise UsageError(f"--{given[0]}", f"is only for a new review, and {options.review} exists already")
    project = _hold(ReviewProject.open(options.review), held)
    if changed := {name: getattr(options, name) for name in OF_EACH if getattr(options, name) is not None}:
        with wrong_usage():
            change_settings(project, changed)
    if options.documents:
        return extend_review(
            project,
            options.documents,
            candidates=options.candidates,
            known=options.known,
            labels=options.labels or options.column is not None,
            column=options.column,
            fold_same=not options.keep_duplicates,
        )
    for name in ("candidates", "labels", "column", "keep_duplicates"):
        if getattr(options, name):
            raise UsageError(f"--{name.replace('_', '-')}", "needs --documents")
    add_known(project, dict.fromkeys(options.known, 1))
    return project


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
