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
from typing import TYPE_CHECKING

from leadline.commands.review.begin import add_beginning, begun, check_marks, is_new, take_over_marks
from leadline.commands.shared.judging import add_address, public_address
from leadline.commands.shared.options import add_options, list_of, wrong_usage
from leadline.commands.shared.output import write
from leadline.errors import UsageError
from leadline.records.result import counted

if TYPE_CHECKING:
    from leadline.judge.review.project import ReviewProject

OF_A_NEW_ONE = ("title", "criteria", "query", "reasons", "confidence", "double", "stages")
OF_EACH = ("learner", "target")  # which a running review may change


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_beginning(parser)
    parser.add_argument(
        "--reviewers", metavar="NAMES", type=list_of(str), default=(), help="make links for these people and show them"
    )
    add_address(parser)
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.journal import check_name
    from leadline.show.serve.security import Address

    Address.of(options.host, options.port, options.url)  # refuses a wrong --url before any work
    for name in options.reviewers:
        check_name(name)
    check_marks(options)
    with contextlib.ExitStack() as held:
        project = _project(options, held)
        take_over_marks(options, project)
        _serve(options, project)


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
    from leadline.judge.review.exchange import add_known, change_settings, extend_review
    from leadline.judge.review.project import ReviewProject

    if is_new(options.review):
        return _hold(begun(options), held)
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
