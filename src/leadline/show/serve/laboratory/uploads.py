"""Files that are sent: runs to the leaderboard, and whatever a command reads, looked at before it is added.

What is sent is streamed to a temporary file. A run for the leaderboard is checked and stored only if it is right. Other
files make an offer: its page says what each is, and nothing is in the lab before the person confirms.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.requests import ClientDisconnect

from leadline.errors import LeadlineError
from leadline.records.result import Table
from leadline.show.lab.boards import LARGEST_SENT, Boards, NameTakenError, check_run_name, receive_run
from leadline.show.lab.job_plans import Fields
from leadline.show.lab.kinds import DOCUMENTS, KINDS
from leadline.show.lab.lab import viewer
from leadline.show.lab.lab_store import AuditLog
from leadline.show.lab.offers import LARGEST_FILE, TAKEN, FileOffer, Offers
from leadline.show.serve.app import Pages, Visitor
from leadline.show.serve.laboratory.views import Shown, Word, add_view, link, refused, sentence, shown_fields
from leadline.text.source import stem

UPLOADERS = ("runner", "organiser")
PATH, FORM = "/api/runs", "/leaderboard"
ADD, BEGUN, SENT = "/add", "/api/offers", "/api/offers/file"
LARGEST_FORM = 16 << 20  # bytes of a form, which is in memory as a whole
MOST_FIELDS = 2000  # of the form in which many files are confirmed
MOST_AT_ONCE, MOST_OF_ONE = 8, 2  # uploads, of all and of one person
FILE = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class UnderWay:
    """The uploads that are under way, of each person; changed by the event loop alone."""

    def __init__(self) -> None:
        self._count = Counter[str]()

    @contextlib.contextmanager
    def one_more(self, sender: Visitor) -> Iterator[None]:
        """Count an upload until the block ends; HTTPException where there are too many."""
        if self._count[sender.name] >= MOST_OF_ONE:
            raise HTTPException(503, f"{MOST_OF_ONE} uploads of yours are under way. Try again when one is done.")
        if self._count.total() >= MOST_AT_ONCE:
            raise HTTPException(503, "Others are uploading. Try again in a minute.")
        self._count[sender.name] += 1
        try:
            yield
        finally:
            self._count[sender.name] -= 1


def add_uploads(app: FastAPI, pages: Pages, boards: Boards, audit: AuditLog, fields: Fields) -> None:
    """Add the addresses that files are sent to."""
    large = {PATH: LARGEST_SENT, FORM: LARGEST_FORM, ADD: LARGEST_FORM, SENT: LARGEST_FILE}
    app.state.large_bodies = {**getattr(app.state, "large_bodies", {}), **large}
    under_way = UnderWay()
    _add_runs(app, pages, boards, audit, under_way)
    _add_offers(app, pages, Offers(boards, fields), audit, fields, under_way)


def _add_runs(app: FastAPI, pages: Pages, boards: Boards, audit: AuditLog, under_way: UnderWay) -> None:
    """Add the addresses that runs are sent to, for the leaderboard."""

    async def placed(sender: Visitor, name: str, qrels: str, save: Callable[[Path], Awaitable[None]]) -> dict[str, Any]:
        """Add the run that `save` writes to a file, if it is right."""
        with refused():
            check_run_name(name)
            if qrels:
                boards.lab.get("qrels", qrels)
        with tempfile.TemporaryDirectory(prefix="leadline-upload-") as folder:
            path = Path(folder) / name
            await save(path)
            if not path.stat().st_size:
                raise HTTPException(400, "The file is empty.")
            received = await run_in_threadpool(_received, boards, path, sender.name, qrels)
        if received["stored"] == "new":
            did = f"added the run {received['run']}"
            await run_in_threadpool(audit.add, sender.name, sender.person.role, did)
        return received

    @app.post(
        PATH,
        tags=["uploads"],
        summary="Add a run: the body is its file, as text or compressed",
        status_code=201,
        openapi_extra=FILE,
        responses={200: {"description": "The run is there already"}},
    )
    async def upload(request: Request, name: Word, qrels: Word = "") -> JSONResponse:
        sender = pages.sender(request, *UPLOADERS)
        with under_way.one_more(sender):
            received = await placed(sender, name, qrels, partial(save_body, request))
        return JSONResponse(received, 201 if received["stored"] == "new" else 200)

    @app.post(FORM, include_in_schema=False)
    async def upload_by_form(request: Request) -> Response:
        """The same for a browser without JavaScript: a page says what came of it."""
        sender = pages.visitor_with_role(request, *UPLOADERS)
        with under_way.one_more(sender):
            parts = await pages.written_parts(request)
            written = {
                name: content.decode("utf-8", "replace").strip() for name, content in parts.items() if name != "file"
            }
            back = {name: written.get(name, "")[:300] for name in ("qrels", "measure")}
            name = written.get("name") or written.get("file.filename", "")

            async def save(path: Path) -> None:
                await run_in_threadpool(path.write_bytes, parts.get("file", b""))

            try:
                received = await placed(sender, name, back["qrels"], save)
            except HTTPException as error:
                said = {"text": str(error.detail), "back": f"{link(FORM, back)}#upload"}
                return pages.page("not_added.html", sender, error.status_code, **said)
        return RedirectResponse(link(FORM, back, new=received["run"]), 303)


def _add_offers(
    app: FastAPI, pages: Pages, offers: Offers, audit: AuditLog, fields: Fields, under_way: UnderWay
) -> None:
    """Add the pages on which files of any kind are sent, looked at, and added once the person says so."""
    add_view(app, pages, ADD, "add.html", _add_view, roles=UPLOADERS)
    add_view(app, pages, f"{ADD}/{{id}}", "offer.html", _offer_view(offers, fields), roles=UPLOADERS)

    async def form_of(request: Request) -> dict[str, str]:
        pages.visitor_with_role(request, *UPLOADERS)
        return await pages.written_form(request, most=MOST_FIELDS)

    written = Depends(form_of)

    def begun(sender: Visitor) -> FileOffer:
        with refused(503):
            return offers.begin(sender.name)

    def found(id: str, sender: Visitor) -> FileOffer:
        with refused(404):
            return offers.get(id, sender.name)

    @app.post(BEGUN, tags=["uploads"], summary="Begin to send files, which are looked at before they are added")
    async def begin(request: Request) -> dict[str, str]:
        sender = pages.sender(request, *UPLOADERS)
        return {"id": (await run_in_threadpool(begun, sender)).id}

    @app.post(SENT, tags=["uploads"], summary="Send one of the files: the body is its content", openapi_extra=FILE)
    async def send(request: Request, offer: Word, name: Word) -> dict[str, object]:
        sender = pages.sender(request, *UPLOADERS)
        with under_way.one_more(sender):
            of = found(offer, sender)
            with refused():
                path = offers.new_file(of, name)
            await save_body(request, path)
            await run_in_threadpool(offers.look, of, name, path)
        return {"saved": False, "files": len(of.files), "refused": len(of.problems)}

    @app.post(ADD, include_in_schema=False)
    async def send_by_form(request: Request) -> Response:
        """The same for a browser without JavaScript."""
        sender = pages.visitor_with_role(request, *UPLOADERS)
        with under_way.one_more(sender):
            files = await pages.written_files(request)
            of = await run_in_threadpool(begun, sender)
            for name, content in files:
                with refused():
                    path = offers.new_file(of, name)
                await run_in_threadpool(path.write_bytes, content)
                await run_in_threadpool(offers.look, of, name, path)
        return RedirectResponse(f"{ADD}/{of.id}" if files else ADD, 303)

    @app.post(f"{ADD}/{{id}}", include_in_schema=False)
    def confirm(id: str, request: Request, form: dict[str, str] = written) -> Response:
        sender = pages.visitor_with_role(request, *UPLOADERS)
        of = found(id, sender)
        if form.get("do") == "throw away":
            offers.drop(of)
            return RedirectResponse(ADD, 303)
        is_new = of.outcomes is None
        for each in offers.confirm(of, form, is_organiser=sender.person.role == "organiser"):
            if is_new and not each.refused:
                did = f"asked for job {each.job}: {each.said}" if each.job else f"added the {each.kind} {each.made}"
                audit.add(sender.name, sender.person.role, did)
        return RedirectResponse(f"{ADD}/{id}", 303)


def _add_view() -> Shown:
    """Where files are dropped or chosen."""
    return {}


def _offer_view(offers: Offers, fields: Fields) -> Callable[[str], Shown]:
    def offer(id: str) -> Shown:
        """What the files are that were sent, what will be made of them, and what became of them."""
        who = viewer()
        with refused(404):
            of = offers.get(id, who.name if who is not None else "")
        may = TAKEN if who is not None and who.role == "organiser" else ("run",)
        shown: Shown = {
            "id": id,
            "done": of.outcomes is not None,
            "refused": Table(["file", "problem"], [list(each) for each in of.problems]),
            "lab": offers.lab.name,
        }
        if of.outcomes is not None:
            columns = ["file", "said", "kind", "made", "job", "refused"]
            outcomes = [[each.name, each.said, each.kind, each.made, each.job, each.refused] for each in of.outcomes]
            added = [each.path.name for each in of.files if each.found.readings[0].kind != DOCUMENTS]
            return shown | {"outcomes": Table(columns, outcomes), "added": added}
        documents = [each for each in of.files if any(one.kind == DOCUMENTS for one in each.found.readings)]
        sources = of.documents()
        first = sources[0] if sources else None
        is_review = bool(sources) and all(each.found.readings[0].is_screened for each in sources)
        rows = [
            {
                "file": each.name,
                "size": each.size,
                "name": stem(each.path),
                "same": each.same,
                "readings": [
                    {
                        "kind": one.kind,
                        "what": one.what,
                        "may": one.kind in may or (one.kind == DOCUMENTS and may == TAKEN),
                    }
                    for one in each.found.readings
                ],
            }
            for each in of.files
        ]
        return shown | {
            "files": rows,
            "documents": len(documents),
            "may_collect": may == TAKEN,
            "counted": offers.count(of) if sources else "",
            "as": "review" if is_review else "collection" if sources else "",
            "name": Path(stem(first.path)).stem if first else "documents",
            "fields": {
                "collection": shown_fields(fields, "collection build"),
                "review": shown_fields(fields, "review begin"),
            },
            "kinds": {kind.name: kind.title for kind in KINDS.values()},
        }

    return offer


def _received(boards: Boards, path: Path, sender: str, qrels: str) -> dict[str, Any]:
    try:
        found = receive_run(boards, path, sender, qrels)
    except LeadlineError as error:
        raise HTTPException(409 if isinstance(error, NameTakenError) else 400, sentence(error)) from None
    answer = {"saved": True, "stored": "new" if found.is_new else "already", "run": found.entry.name}
    board = boards.board(qrels) if qrels else None
    note = board.unscored_topics(found.entry.name) if board is not None and found.entry in board.runs else ""
    return {**answer, "note": note} if note else answer


async def save_body(request: Request, path: Path) -> None:
    """Write the body of a request to a new file."""
    try:
        with open(path, "xb") as file:
            async for piece in request.stream():
                file.write(piece)
    except ClientDisconnect:
        raise HTTPException(408, "Not all of it came in time. Nothing was stored.") from None
