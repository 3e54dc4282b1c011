"""What pages send about a document, as JSON: marks, skips, notes, and taking them back."""

from __future__ import annotations

from typing import Any

from fastapi import Depends, FastAPI, Request

from leadline.judge.assessors.journal import Event, Kind
from leadline.show.serve.app import Pages
from leadline.show.serve.journal_desk import GRADES, JournalDesk, Refused, check_id, optional_text

JUDGES = ("assessor", "expert")
UNDOABLE = 50  # of the last things that a person did
Written = dict[str, Any]


def add_storing(app: FastAPI, pages: Pages, desk: JournalDesk) -> None:
    """Add the addresses that store what people do about documents."""
    written = Depends(pages.written_json)

    @app.post("/api/judgements")
    def judge(request: Request, content: Written = written) -> Written:
        person = pages.visitor_with_role(request, *JUDGES).person
        grade = content.get("grade")
        if isinstance(grade, bool) or str(grade) not in GRADES:
            raise Refused(400, f"grade must be one of {', '.join(GRADES)}.")
        reason, note = optional_text(content, "reason"), optional_text(content, "note")
        uid = check_id(content)  # before the note is stored
        if note:
            desk.write(person, "note", {**content, "id": f"{uid[:62]}-n"}, note)
        return stored(pages, desk, request, "mark", content, str(grade), reason)

    @app.post("/api/skips")
    def skip(request: Request, content: Written = written) -> Written:
        return stored(pages, desk, request, "skip", content, "")

    @app.post("/api/notes")
    def note(request: Request, content: Written = written) -> Written:
        return stored(pages, desk, request, "note", content, optional_text(content, "text"))

    @app.post("/api/undo")
    def undo(request: Request, content: Written = written) -> Written:
        person = pages.visitor_with_role(request, *JUDGES).person
        new, done = desk.undo(person, content)
        undone = {"kind": done.kind, "document": done.document, "id": done.uid} if done else None
        return {"saved": True, "id": content["id"], "stored": "new" if new else "already", "undone": undone}


def stored(
    pages: Pages, desk: JournalDesk, request: Request, kind: Kind, content: Written, value: str, target: str = ""
) -> Written:
    """Store an event, and the answer that says so."""
    person = pages.visitor_with_role(request, *JUDGES).person
    new = desk.write(person, kind, content, value, target)
    return {"saved": True, "id": content["id"], "stored": "new" if new else "already"}


def shown_undoable(events: list[Event]) -> list[Written]:
    """The last things that a person can take back, as a page gets them."""
    return [
        {"id": event.uid, "kind": event.kind, "document": event.document, "value": event.value[:20]}
        for event in events[-UNDOABLE:]
    ]
