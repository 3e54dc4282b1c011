"""What the commands of judging share: the pool, its journal, and whose marks count."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import socket
import warnings
from typing import TYPE_CHECKING

from leadline.commands.shared.options import add_number
from leadline.commands.shared.output import write
from leadline.errors import InputError, LeadlineWarning, UsageError, not_a_choice
from leadline.judge.assessors.journal import JudgingJournal
from leadline.judge.assessors.judging_state import JudgingState, Key
from leadline.records.scores.result import counted

if TYPE_CHECKING:
    from leadline.show.serve.security import Address

JOURNAL, PEOPLE = ".journal", ".people"  # added to the name of the pool's file
DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8377
DEFAULT_URL = f"http://{DEFAULT_HOST}:{DEFAULT_PORT}"


def add_pool(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pool", metavar="POOL", help="pool that `leadline pool` made; its journal is POOL.journal")


def open_state(options: argparse.Namespace) -> JudgingState:
    """Where judging stands, or stood at the moment asked for."""
    with contextlib.closing(JudgingJournal(f"{options.pool}{JOURNAL}")) as journal:
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
    from leadline.show.serve.judging.opening import open_desk
    from leadline.show.serve.judging.pages import judging_app
    from leadline.show.serve.running import listen, serve
    from leadline.show.serve.security import Address

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
    add("--host", default=DEFAULT_HOST, help="address to listen on (default: %(default)s, this machine only)")
    add_number(parser, "--port", "port to listen on", DEFAULT_PORT, least=0, most=65535)
    add("--url", default="", help="where people reach the pages, if it is another address, such as that of a proxy")


def public_address(options: argparse.Namespace, opened: socket.socket) -> Address:
    """The address of a server; warns where others reach it without encryption."""
    from leadline.show.serve.security import Address, is_loopback

    address = Address.of(options.host, opened.getsockname()[1], options.url)
    if not is_loopback(options.host) and not address.secure:
        problem = "can be reached by other machines without encryption: put a proxy with https before it, see --url"
        warnings.warn(f"{options.host}: {problem}", LeadlineWarning, stacklevel=1)
    return address
