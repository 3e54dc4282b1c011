"""Runs sent to the leaderboard: streamed to a temporary file, checked, and stored only if they are right."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.requests import ClientDisconnect

from leadline.errors import LeadlineError
from leadline.show.lab.audit import AuditLog
from leadline.show.lab.boards import Boards
from leadline.show.lab.receive_run import LARGEST_SENT, NameTakenError, check_run_name, receive_run
from leadline.show.serve.app import Pages, Visitor
from leadline.show.serve.laboratory.asked import Word, refused
from leadline.show.serve.laboratory.links import link
from leadline.show.serve.laboratory.views import sentence
from leadline.show.serve.security import LARGEST_REFUSED, LargeBody

UPLOADERS = ("runner", "organiser")
PATH, FORM = "/api/runs", "/leaderboard"
SLOWEST = 600.0  # seconds in which all of an upload must come
LARGEST_FORM = 16 << 20  # bytes of a form, which is in memory as a whole
MOST_AT_ONCE = 4
FILE = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


def add_uploads(app: FastAPI, pages: Pages, boards: Boards, audit: AuditLog) -> None:
    """Add the addresses that runs are sent to."""
    large = {PATH: LargeBody(LARGEST_SENT, SLOWEST), FORM: LargeBody(LARGEST_FORM, SLOWEST)}
    app.state.large_bodies = {**getattr(app.state, "large_bodies", {}), **large}
    under_way = 0

    @contextlib.contextmanager
    def one_more() -> Iterator[None]:
        nonlocal under_way  # changed by the event loop alone
        if under_way >= MOST_AT_ONCE:
            raise HTTPException(503, "Others are uploading. Try again in a minute.")
        under_way += 1
        try:
            yield
        finally:
            under_way -= 1

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

    @app.post(PATH, tags=["uploads"], summary="Add a run: the body is its file, as text or compressed", status_code=201,
              openapi_extra=FILE, responses={200: {"description": "The run is there already"}})  # fmt: skip
    async def upload(request: Request, name: Word, qrels: Word = "") -> JSONResponse:
        try:
            sender = pages.sender(request, *UPLOADERS)
            with one_more():
                received = await placed(sender, name, qrels, partial(_save, request))
        except HTTPException:
            await _discard(request)
            raise
        return JSONResponse(received, 201 if received["stored"] == "new" else 200)

    @app.post(FORM, include_in_schema=False)
    async def upload_by_form(request: Request) -> Response:
        """The same for a browser without JavaScript: a page says what came of it."""
        try:
            sender = pages.visitor_with_role(request, *UPLOADERS)
            with one_more():
                parts = await pages.written_parts(request)
                written = {name: content.decode("utf-8", "replace").strip() for name, content in parts.items()
                           if name != "file"}  # fmt: skip
                back = {name: written.get(name, "")[:300] for name in ("qrels", "measure")}
                name = written.get("name") or written.get("file.filename", "")

                async def save(path: Path) -> None:
                    await run_in_threadpool(path.write_bytes, parts.get("file", b""))

                try:
                    received = await placed(sender, name, back["qrels"], save)
                except HTTPException as error:
                    said = {"text": str(error.detail), "back": link(FORM, back)}
                    return pages.page("not_added.html", sender, error.status_code, **said)
        except HTTPException:
            await _discard(request)
            raise
        return RedirectResponse(link(FORM, back, new=received["run"]), 303)


def _received(boards: Boards, path: Path, sender: str, qrels: str) -> dict[str, Any]:
    try:
        found = receive_run(boards, path, sender, qrels)
    except LeadlineError as error:
        raise HTTPException(409 if isinstance(error, NameTakenError) else 400, sentence(error)) from None
    answer = {"saved": True, "stored": "new" if found.is_new else "already", "run": found.entry.name}
    board = boards.board(qrels) if qrels else None
    note = board.unscored_topics(found.entry.name) if board is not None and found.entry in board.runs else ""
    return {**answer, "note": note} if note else answer


async def _save(request: Request, path: Path) -> None:
    """Write the body of a request to a new file."""
    try:
        with open(path, "xb") as file:
            async for piece in request.stream():
                file.write(piece)
    except ClientDisconnect:
        raise HTTPException(408, "Not all of it came in time. Nothing was stored.") from None


async def _discard(request: Request) -> None:
    """Read what is left of a request that is refused: who is still sending would not see the answer."""
    seen = 0
    with contextlib.suppress(ClientDisconnect, RuntimeError):  # RuntimeError: all of it was read
        async for piece in request.stream():
            seen += len(piece)
            if seen > LARGEST_REFUSED:
                return
