"""What the commands of judging and reviewing share: the pool or review, its journal, whose marks count, and links."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import OUR_FOLDER, OUR_POOL, WORD
from leadline.commands.shared.options import add_choice, add_number, add_options, choice
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.errors import InputError, LeadlineWarning, UsageError, not_a_choice
from leadline.judge.choices import JUDGING_ROLES, LINK_DAYS
from leadline.records.result import Table, counted
from leadline.text.owned_files import JOURNAL, PEOPLE

if TYPE_CHECKING:
    import socket

    from leadline.judge.journal import Event, People
    from leadline.judge.marks import JudgingState, Key
    from leadline.judge.review.review_state import ReviewState
    from leadline.show.serve.security import Address
    from leadline.text.store.events import ChainHead

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8377
DEFAULT_URL = f"http://{DEFAULT_HOST}:{DEFAULT_PORT}"


def add_pool(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "pool", metavar="POOL", type=OUR_POOL, help="pool that `leadline pool` made; its journal is POOL.journal"
    )


def open_state(options: argparse.Namespace) -> JudgingState:
    """Where judging stands, or stood at the moment asked for."""
    from leadline.judge.journal import JudgingJournal
    from leadline.judge.marks import JudgingState

    with contextlib.closing(JudgingJournal(f"{options.pool}{JOURNAL}", write=False)) as journal:
        return JudgingState.of(journal.events(until=_moment(getattr(options, "until", ""))))


def _moment(text: str) -> str:
    """A moment as the journal writes it; without an offset it is UTC, without a time the day's first moment."""
    if not text:
        return ""
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise UsageError("--until", f"{text!r} is not a moment such as 2026-11-15T18:00:00Z") from None
    found = found.replace(tzinfo=datetime.UTC) if found.tzinfo is None else found.astimezone(datetime.UTC)
    return found.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def stage_grades(state: JudgingState, stage: str) -> tuple[dict[Key, int], list[str]]:
    """The grades of a stage or of a person, and what must be said of them."""
    if stage == "merged":
        return state.merged(), []
    if stage == "final":
        grades, unseen = state.final()
        note = f"{counted(len(unseen), 'document')} not judged by an expert: there the merged grade stands"
        return grades, [note] if unseen and (state.people("expert") or state.closed) else []
    if stage not in state.roles:
        raise InputError("--stage", not_a_choice("", stage, ("final", "merged", *sorted(state.roles))).problem)
    return state.grades_of(stage), []


def serve_pool(options: argparse.Namespace, opened: socket.socket | None = None) -> None:
    """Serve the judging pages until they are stopped."""
    from leadline.show.serve.desks import open_desk
    from leadline.show.serve.judging_pages import judging_app
    from leadline.show.serve.security import Address, listen, serve

    Address.of(options.host, options.port, options.url)  # refuses a wrong --url before any work
    files = {"topics": options.topics, "instructions": options.instructions, "reasons": options.reasons}
    people = options.people or f"{options.pool}{PEOPLE}"
    desk = open_desk(options.pool, options.documents, f"{options.pool}{JOURNAL}", people, **files)
    with contextlib.closing(desk.journal):
        opened = opened or listen(options.host, options.port)
        address = public_address(options, opened)
        if not options.quiet:
            topics, documents = len(desk.pool.topics), len(desk.pool.to_judge())
            said = f"{counted(documents, 'document')} of {counted(topics, 'topic')} to judge"
            links = (
                ""
                if any(True for _ in desk.people)
                else f"; make links with `leadline judge people {options.pool} add NAME`"
            )
            write(f"{said}, at {address.url}{links}\nStop with Ctrl-C; what is judged is in {desk.journal.path}\n")
        serve(judging_app(desk, address, "Leadline judging"), opened, address, quiet=options.quiet)


def add_address(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where pages are served."""
    add = parser.add_argument
    add(
        "--host", type=WORD, default=DEFAULT_HOST, help="address to listen on (default: %(default)s, this machine only)"
    )
    add_number(parser, "--port", "port to listen on", DEFAULT_PORT, least=0, most=65535)
    add(
        "--url",
        type=WORD,
        default="",
        help="where people reach the pages, if it is another address, such as that of a proxy",
    )


def public_address(options: argparse.Namespace, opened: socket.socket) -> Address:
    """The address of a server; warns where others reach it without encryption."""
    from leadline.show.serve.security import Address, is_loopback

    address = Address.of(options.host, opened.getsockname()[1], options.url)
    if not is_loopback(options.host) and not address.secure:
        problem = "can be reached by other machines without encryption: put a proxy with https before it, see --url"
        warnings.warn(f"{options.host}: {problem}", LeadlineWarning, stacklevel=1)
    return address


# Make, list and revoke personal links: what `judge people`, `review people` and `lab people` do.


ACTIONS = ("add", "list", "revoke")


def add_people_arguments(
    parser: argparse.ArgumentParser, roles: Sequence[str] = JUDGING_ROLES, default: str = "assessor"
) -> None:
    parser.add_argument("action", metavar="ACTION", type=choice(ACTIONS), help=f"one of {', '.join(ACTIONS)}")
    parser.add_argument("names", metavar="NAME", type=WORD, nargs="*", help="who it is about")
    add_choice(parser, "--role", roles, "role of the people added", default)
    add_number(parser, "--days", "days until the links expire", LINK_DAYS, most=3650)
    parser.add_argument(
        "--url", type=WORD, default=DEFAULT_URL, help="where the pages are, for the links (default: %(default)s)"
    )
    add_options(parser, "-f", "-o", "-q")


def change_people(path: Path, options: argparse.Namespace) -> None:
    """Do what was typed with a file of people."""
    from leadline.judge.journal import People
    from leadline.show.serve.security import Address

    people = People(path)
    if options.action == "list":
        if options.names:
            raise UsageError("list", f"takes no names, got {options.names[0]!r}")
        write_table(_people_table(people), options)
        return
    if not options.names:
        raise UsageError(options.action, "name one person or more")
    if options.action == "revoke":
        for name in options.names:
            people.revoke(name)
            write(f"{name}: revoked\n")
        return

    url = Address.of(DEFAULT_HOST, DEFAULT_PORT, options.url).url
    rows = [
        [name, options.role, f"{url}/in/{people.add(name, options.role, days=options.days)}"] for name in options.names
    ]
    write_table(Table(["person", "role", "link"], rows), options)
    if options.url == DEFAULT_URL:
        print_notes([f"links to pages at {DEFAULT_URL}; --url names another address"], options)


def _people_table(people: People) -> Table:
    rows = []
    for person in people:
        state = "revoked" if person.revoked else "expired" if person.has_expired else "valid"
        rows.append([person.name, person.role, state, person.expires])
    return Table(["person", "role", "link", "expires"], rows)


# The same for reviews.


def add_review(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "review", metavar="REVIEW", type=OUR_FOLDER, help="folder of the review, made by `leadline review serve`"
    )


def open_review(options: argparse.Namespace) -> tuple[ReviewState, list[Event], ChainHead]:
    """Where a review stands, all that happened, and the head of the journal's chain."""
    from leadline.judge.review.project import ReviewProject
    from leadline.judge.review.review_state import ReviewState

    project = ReviewProject.open(options.review)
    if not project.rounds:
        problem = f"has no documents yet: `leadline review serve {options.review} --documents FILES` adds them"
        raise InputError(options.review, problem)
    with contextlib.closing(project.journal(write=False)) as journal:
        events, head = journal.with_head()
    return ReviewState.of(project, events), events, head
