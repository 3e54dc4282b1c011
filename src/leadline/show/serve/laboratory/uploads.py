"""Runs sent to the leaderboard: streamed to a temporary file, checked, and stored only if they are right."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse
from starlette.requests import ClientDisconnect

from leadline.errors import LeadlineError
from leadline.show.lab.audit import AuditLog
from leadline.show.lab.boards import Boards
from leadline.show.lab.receive_run import NameTakenError, check_run_name, receive_run
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.asked import Word, refused
from leadline.show.serve.laboratory.views import sentence
from leadline.show.serve.security import LARGEST_REFUSED, LargeBody

UPLOADERS = ("runner", "organiser")
PATH = "/api/runs"
LARGEST, SLOWEST = 64 << 20, 600.0  # bytes, and seconds in which they must come
MOST_AT_ONCE = 4


def add_uploads(app: FastAPI, pages: Pages, boards: Boards, audit: AuditLog) -> None:
    """Add the address that runs are sent to."""
    app.state.large_bodies = {**getattr(app.state, "large_bodies", {}), PATH: LargeBody(LARGEST, SLOWEST)}
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

    @app.post(PATH, tags=["uploads"], summary="Add a run: the body is its file, as text or compressed", status_code=201)
    async def upload(request: Request, name: Word, qrels: Word = "") -> JSONResponse:
        try:
            sender = pages.sender(request, *UPLOADERS)
            with refused():
                check_run_name(name)
                if qrels:
                    boards.lab.get("qrels", qrels)
            with one_more(), tempfile.TemporaryDirectory(prefix="leadline-upload-") as folder:
                path = Path(folder) / name
                await _save(request, path)
                received = await run_in_threadpool(_received, boards, path, sender.name, qrels)
            if received["stored"] == "new":
                did = f"added the run {received['run']}"
                await run_in_threadpool(audit.add, sender.name, sender.person.role, did)
        except HTTPException:
            await _discard(request)
            raise
        return JSONResponse(received, 201 if received["stored"] == "new" else 200)


def _received(boards: Boards, path: Path, sender: str, qrels: str) -> dict[str, Any]:
    try:
        found = receive_run(boards, path, sender, qrels)
    except LeadlineError as error:
        raise HTTPException(409 if isinstance(error, NameTakenError) else 400, sentence(error)) from None
    return {"saved": True, "stored": "new" if found.is_new else "already", "run": found.entry.name}


async def _save(request: Request, path: Path) -> None:
    """Write the body of a request to a new file."""
    try:
        with open(path, "xb") as file:
            async for piece in request.stream():
                file.write(piece)
    except ClientDisconnect:
        raise HTTPException(408, "Not all of it came in time. Nothing was stored.") from None
    if not path.stat().st_size:
        raise HTTPException(400, "The file is empty.")


async def _discard(request: Request) -> None:
    """Read what is left of a request that is refused: who is still sending would not see the answer."""
    seen = 0
    with contextlib.suppress(ClientDisconnect, RuntimeError):  # RuntimeError: all of it was read
        async for piece in request.stream():
            seen += len(piece)
            if seen > LARGEST_REFUSED:
                return
