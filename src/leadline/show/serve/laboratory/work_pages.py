"""People, jobs, judging and reviewing: who may open the lab, what runs in the background, and how far it is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from leadline.errors import InputError, LeadlineError, visible, without_places
from leadline.judge.journal import JudgingJournal, People
from leadline.judge.marks import JudgingState
from leadline.judge.pools import Pool
from leadline.judge.review.project import ReviewProject
from leadline.judge.review.review_state import ReviewState
from leadline.records.result import Table
from leadline.show.lab.jobs import JobPlan, Jobs, LabJob, index_plan, pool_plan, report_plan, run_plan, system_names
from leadline.show.lab.lab import Lab, LabEntry, viewer
from leadline.show.lab.lab_store import AuditLog
from leadline.show.serve.app import Pages, Visitor
from leadline.show.serve.laboratory.views import Shown, add_view, json_body, sentence

ORGANISER = ("organiser",)
MOST_LINES = 1000  # of the audit log, the latest


def add_people(app: FastAPI, pages: Pages, lab: Lab, audit: AuditLog) -> None:
    """Add the organiser's page."""
    add_view(app, pages, "/people", "people.html", _view(lab, pages.people, audit), roles=ORGANISER)

    async def form_of(request: Request) -> dict[str, str]:
        pages.visitor_with_role(request, *ORGANISER)
        return await pages.written_form(request)

    written = Depends(form_of)

    @app.post("/people/blind", include_in_schema=False)
    def blind(request: Request, form: dict[str, str] = written) -> Response:
        found = pages.visitor_with_role(request, *ORGANISER)
        if form.get("blind") not in ("yes", "no"):
            raise HTTPException(400, "Choose whether the lab is blind.")
        lab.set_blind(form["blind"] == "yes")
        did = "hid the results from participants" if lab.is_blind else "opened the results"
        audit.add(found.name, found.person.role, did)
        return RedirectResponse("/people", 303)

    @app.post("/people/revoke", include_in_schema=False)
    def revoke(request: Request, form: dict[str, str] = written) -> Response:
        found = pages.visitor_with_role(request, *ORGANISER)
        if form.get("person") == found.name:
            raise HTTPException(400, "You cannot end your own link here.")
        try:
            pages.people.revoke(form.get("person", ""))
        except InputError as error:
            raise HTTPException(400, sentence(error)) from None
        audit.add(found.name, found.person.role, f"ended the link of {form['person']}")
        return RedirectResponse("/people", 303)


def _view(lab: Lab, people: People, audit: AuditLog) -> Callable[[], Shown]:
    def people_and_audit() -> Shown:
        """Who may open the lab, whether it is blind, and what was done."""
        people.refresh()
        listed = [
            [
                each.name,
                each.role,
                "ended" if each.revoked else "expired" if each.has_expired else "valid",
                each.expires[:10],
                sum(entry.owner == each.name for entry in lab.entries("run")),
            ]
            for each in people
        ]
        problem, lines = "", []
        try:
            lines = list(audit.lines())
        except InputError as error:
            problem = sentence(error)
        done = [[line.at[:19], line.person, line.role, line.did] for line in islice(reversed(lines), MOST_LINES)]
        return {
            "people": Table(["person", "role", "link", "expires", "runs"], listed),
            "blind": lab.is_blind,
            "audit": Table(["at", "person", "role", "did"], done),
            "problem": problem,
            "folder": lab.name,
        }

    return people_and_audit


# Jobs: what runs in the background, its progress and log; starting and cancelling.


MAY_START = ("runner", "organiser")
COLUMNS = ["job", "what", "person", "state", "asked", "started", "ended", "problem"]
Form = dict[str, str]
LARGEST_DEPTH = 9999  # of a pool
JOB = json_body(
    ("kind",),
    kind="index, run, report or pool",
    name="of what is made",
    collection="for an index",
    positions="yes: an index with positions",
    index="for a run",
    topics="for a run",
    system="for a run",
    qrels="for a report",
    measure="for a report",
    depth="of a pool",
)


def add_jobs(app: FastAPI, pages: Pages, lab: Lab, audit: AuditLog) -> None:
    """Add the pages of jobs."""
    jobs = Jobs(lab)
    add_view(app, pages, "/jobs", "jobs.html", _list_view(lab, jobs))
    add_view(app, pages, "/job/{id}", "job.html", _job_view(jobs))

    async def form_of(request: Request) -> Form:
        pages.visitor_with_role(request, *MAY_START)
        return await pages.written_form(request)

    written = Depends(form_of)

    def submitted(asked: Form, found: Visitor) -> dict[str, object]:
        try:
            job, new = jobs.submit(_plan(lab, asked), found.name)
        except LeadlineError as error:
            raise HTTPException(400, sentence(error)) from None
        if new:
            audit.add(found.name, found.person.role, f"asked for job {job.id}: {job.what}")
        return {"saved": True, "id": job.id, "new": new, "state": job.state}

    @app.post("/jobs", include_in_schema=False)
    def start(request: Request, form: Form = written) -> Response:
        done = submitted(form, pages.visitor_with_role(request, *MAY_START))
        return RedirectResponse(f"/job/{done['id']}", 303)

    @app.post("/api/jobs", tags=["jobs"], summary="Start a job: kind is index, run, report or pool", openapi_extra=JOB)
    async def start_by_program(request: Request) -> dict[str, object]:
        found = pages.visitor_with_role(request, *MAY_START)
        asked = {name: str(value) for name, value in (await pages.written_json(request)).items()}
        return await run_in_threadpool(submitted, asked, found)

    @app.post("/job/{id}/cancel", include_in_schema=False)
    def cancel(id: str, request: Request, form: Form = written) -> Response:
        found = pages.visitor_with_role(request, *MAY_START)
        job = _found(jobs, id)
        if not _is_theirs(job, found):
            raise HTTPException(403, "Only who asked for a job, or the organiser, may cancel it.")
        jobs.cancel(id)
        audit.add(found.name, found.person.role, f"cancelled job {id}")
        return RedirectResponse(f"/job/{id}", 303)


def _is_theirs(job: LabJob, found: Visitor) -> bool:
    return found.person.role == "organiser" or job.person == found.name


def _found(jobs: Jobs, id: str) -> LabJob:
    try:
        return jobs.get(id)
    except InputError as error:
        raise HTTPException(404, sentence(error)) from None


def _plan(lab: Lab, form: Form) -> JobPlan:
    """The job that a form asks for."""
    kind, name = form.get("kind", ""), form.get("name", "").strip()
    if kind == "index":
        positions = form.get("positions") == "yes"
        return index_plan(lab, form.get("collection", ""), name or form.get("collection", ""), positions=positions)
    if kind == "run":
        system = form.get("system", "")
        return run_plan(lab, form.get("index", ""), form.get("topics", ""), system, name or system.replace(":", "-"))
    if kind == "report":
        qrels, measure = form.get("qrels", ""), form.get("measure", "") or "PRES@100"
        return report_plan(lab, qrels, (), measure, name or f"report-{qrels}")
    if kind == "pool":
        depth = form.get("depth", "") or "10"
        if not (depth.isascii() and depth.isdigit() and len(depth) <= 4 and int(depth)):
            raise InputError("depth", f"must be a whole number from 1 to {LARGEST_DEPTH}, got {visible(depth[:80])!r}")
        runs = [entry.name for entry in lab.entries("run")]
        return pool_plan(lab, runs, int(depth), name or f"pool-{depth}")
    raise InputError("kind", f"choose index, run, report or pool, got {kind!r}")


def _list_view(lab: Lab, jobs: Jobs) -> Callable[[], Shown]:
    def job_list() -> Shown:
        """Every job: who asked for it, and how far it is."""
        listed = [job for job in jobs.all() if _may_see(lab, job)]
        rows = [
            [
                job.id,
                job.what,
                job.person,
                job.state,
                job.asked[:19],
                job.started[:19],
                job.ended[:19],
                without_places(job.problem),
            ]
            for job in listed
        ]
        names = {
            kind: [entry.name for entry in lab.entries(kind)] for kind in ("collection", "index", "topics", "qrels")
        }
        running = any(not job.has_ended for job in listed)
        return {
            "jobs": Table(COLUMNS, rows),
            "names": names,
            "runs": len(lab.entries("run")),
            "systems": system_names(),
            "running": running,
        }

    return job_list


def _may_see(lab: Lab, job: LabJob) -> bool:
    """In a blind lab, people see their own jobs."""
    who = viewer()
    return not lab.is_blind or who is None or who.sees_everything or job.person == who.name


def _job_view(jobs: Jobs) -> Callable[[str], Shown]:
    def one_job(id: str) -> Shown:
        """One job: its command, progress and log."""
        job = _found(jobs, id)
        if not _may_see(jobs.lab, job):
            raise HTTPException(404, f"{id}: is not a job of this lab.")
        progress = jobs.progress(id) if not job.has_ended else None
        shown: dict[str, Any] = {"what": progress.what, "share": progress.share} if progress is not None else {}
        return {
            "id": job.id,
            "what": job.what,
            "person": job.person,
            "state": job.state,
            "asked": job.asked,
            "started": job.started,
            "ended": job.ended,
            "problem": without_places(job.problem),
            "kind": job.kind,
            "name": job.name,
            "command": without_places(" ".join(("leadline", *job.arguments))),
            "progress": shown,
            "log": without_places(jobs.log(id)),
            "running": not job.has_ended,
        }

    return one_job


# Judge and Review: the pools and the reviews of the lab, and how far they are.


def judge_view(lab: Lab) -> Callable[[], Shown]:
    """The view of the pools."""

    def judge() -> Shown:
        """The pools of the lab, and how many of their documents are judged."""
        rows = [_pool_row(entry) for entry in lab.entries("pool")]
        return {"pools": Table(["pool", "topics", "to_judge", "judged", "problem"], rows), "folder": lab.name}

    return judge


def review_view(lab: Lab) -> Callable[[], Shown]:
    """The view of the reviews."""

    def review() -> Shown:
        """The reviews of the lab, and how far they are."""
        rows = [_review_row(entry) for entry in lab.entries("review")]
        columns = ["review", "title", "documents", "read", "relevant", "recall_at_least", "problem"]
        return {"reviews": Table(columns, rows), "folder": lab.name}

    return review


def _pool_row(entry: LabEntry) -> list[object]:
    try:
        pool = Pool.read(entry.path)
        judged = 0
        if Path(f"{entry.path}.journal").exists():
            with contextlib.closing(JudgingJournal(f"{entry.path}.journal", write=False)) as journal:
                marks = JudgingState.of(journal.events()).marks
                judged = len({(topic, document) for _, topic, document in marks})
        return [entry.name, len(pool.topics), len(pool.to_judge()), judged, ""]
    except InputError as error:
        return [entry.name, None, None, None, sentence(error)]


def _review_row(entry: LabEntry) -> list[object]:
    try:
        project = ReviewProject.open(entry.path)
        with contextlib.closing(project.journal(write=False)) as journal:
            state = ReviewState.of(project, journal.events())
        known: list[object] = [entry.name, project.settings.title, len(project.units), int(state.is_read.sum())]
        who = viewer()
        if who is not None and who.role == "assessor" and state.hides_marks:
            return [*known, None, None, ""]
        certificate = state.round_certificate(project.current_round).certificate
        return [*known, int(state.relevant().sum()), certificate.recall, ""]
    except InputError as error:
        return [entry.name, "", None, None, None, None, sentence(error)]
