"""Jobs: what is begun in the pages, what runs in the background, its progress and log, and what it made for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, RedirectResponse, Response

from leadline.errors import InputError, LeadlineError, visible, without_places
from leadline.records.result import Table
from leadline.show.choices import TASK_KINDS
from leadline.show.lab.job_plans import (
    OPTIONS,
    Fields,
    JobPlan,
    backup_plan,
    campaign_plan,
    export_plan,
    index_plan,
    judgements_plan,
    option_words,
    pool_plan,
    report_plan,
    review_plan,
    run_plan,
    shown_command,
    system_names,
)
from leadline.show.lab.jobs import Jobs, LabJob, moment
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab import Lab, fingerprint, viewer
from leadline.show.lab.lab_store import AuditLog
from leadline.show.serve.app import Pages, Visitor
from leadline.show.serve.laboratory.views import Shown, add_view, json_body, refused, sentence, shown_fields

ORGANISER = "organiser"
MAY_START = ("runner", "organiser")
COLUMNS = ["job", "what", "person", "state", "asked", "started", "ended", "problem"]
Form = dict[str, str]
LARGEST_DEPTH = 9999  # of a pool
WORK = {  # what may be asked for, and whether only by the organiser
    "index": False,
    "run": False,
    "report": False,
    "pool": False,
    "review": True,
    "campaign": True,
    "judgements": True,
    "export": True,
    "backup of pool": True,
    "backup of review": True,
}
JOB = json_body(
    ("kind",),
    kind=", ".join(WORK),
    name="of what is made",
    collection="for an index, a review or a campaign",
    positions="yes: an index with positions",
    index="for a run",
    topics="for a run or a campaign",
    of="the pool or the review, for judgements, an export or a backup",
    form="of an export: ris, nbib, csv or qrels",
    task="name of the first task of a campaign",
    system="for a run",
    qrels="for a report",
    measure="for a report",
    depth="of a pool",
    runs="of a pool: only those with this in their names",
)


def add_jobs(app: FastAPI, pages: Pages, lab: Lab, audit: AuditLog, fields: Fields) -> None:
    """Add the pages of jobs, and the exports that they made."""
    jobs = Jobs(lab)
    add_view(app, pages, "/jobs", "jobs.html", _list_view(lab, jobs, fields))
    add_view(app, pages, "/job/{id}", "job.html", _job_view(jobs))

    @app.get("/export/{name}", include_in_schema=False)
    def export(name: str, request: Request) -> Response:
        pages.visitor_with_role(request, ORGANISER)
        with refused(404):
            path = lab.get("export", name).path
        headers = {"content-disposition": f'attachment; filename="{path.name}"'}
        return FileResponse(path, media_type="application/octet-stream", headers=headers)

    async def form_of(request: Request) -> Form:
        pages.visitor_with_role(request, *MAY_START)
        return await pages.written_form(request)

    written = Depends(form_of)

    def submitted(asked: Form, found: Visitor) -> dict[str, object]:
        if WORK.get(asked.get("kind", "")) and found.person.role != ORGANISER:
            raise HTTPException(403, "The organiser of the lab does that.")
        try:
            job, new = jobs.submit(_plan(lab, asked, fields), found.name)
        except LeadlineError as error:
            raise HTTPException(400, sentence(error)) from None
        if new:
            audit.add(found.name, found.person.role, f"asked for job {job.id}: {job.what}")
        return {"saved": True, "id": job.id, "new": new, "state": job.state}

    @app.post("/jobs", include_in_schema=False)
    def start(request: Request, form: Form = written) -> Response:
        done = submitted(form, pages.visitor_with_role(request, *MAY_START))
        return RedirectResponse(f"/job/{done['id']}", 303)

    @app.post(
        "/api/jobs",
        tags=["jobs"],
        summary="Start a job: kind is what is begun, such as index or run",
        openapi_extra=JOB,
    )
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


def _plan(lab: Lab, form: Form, fields: Fields) -> JobPlan:
    """The job that a form asks for."""
    kind, name = form.get("kind", ""), form.get("name", "").strip()

    def more(command: str) -> list[str]:
        return option_words(fields(command, OPTIONS[command]), form)

    if kind == "index":
        collection = form.get("collection", "")
        words = more("index") or (["--positions"] if form.get("positions") == "yes" else [])
        return index_plan(lab, collection, name or collection, words)
    if kind == "run":
        system = form.get("system", "")
        index, topics = form.get("index", ""), form.get("topics", "")
        return run_plan(lab, index, topics, system, name or system.replace(":", "-"), more("run"))
    if kind == "report":
        qrels, measure = form.get("qrels", ""), form.get("measure", "") or "PRES@100"
        return report_plan(lab, qrels, (), measure, name or f"report-{qrels}")
    if kind == "pool":
        words = more("pool")
        is_sample = any(word.startswith(("--strata", "--budget", "--rounds")) for word in words)
        depth = form.get("depth", "") or "10"
        if not (depth.isascii() and depth.isdigit() and len(depth) <= 4 and int(depth)):
            raise InputError("depth", f"must be a whole number from 1 to {LARGEST_DEPTH}, got {visible(depth[:80])!r}")
        part = form.get("runs", "").strip()
        runs = [entry.name for entry in lab.entries("run") if part in entry.name]
        if is_sample:
            return pool_plan(lab, runs, None, name or "pool-sample", words)
        return pool_plan(lab, runs, int(depth), name or f"pool-{depth}", words)
    if kind == "review":
        source = lab.get("collection", form.get("collection", ""))
        sha256 = fingerprint(KINDS["collection"], source.path)
        title = form.get("title", "").strip()
        return review_plan(lab, [source.path], sha256, name or source.name, title, more("review begin"))
    if kind == "campaign":
        collection, topics = form.get("collection", ""), form.get("topics", "")
        task, of_task = form.get("task", "").strip(), form.get("task-kind", "")
        return campaign_plan(lab, collection, task, of_task, topics, name, more("campaign new"))
    now, of = moment(), form.get("of", "")
    at = now[:19].replace(":", "").replace("-", "")
    if kind == "judgements":
        return judgements_plan(lab, of, name or f"{of}-judged", now)
    if kind == "export":
        return export_plan(lab, of, form.get("form", "ris"), name or f"{of}-{at}", now)
    if kind in ("backup of pool", "backup of review"):
        return backup_plan(lab, kind.rpartition(" ")[2], of, name or f"{of}-{at}", now)
    raise InputError("kind", f"choose {', '.join(WORK)}, got {kind!r}")


def _list_view(lab: Lab, jobs: Jobs, fields: Fields) -> Callable[[], Shown]:
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
            kind: [entry.name for entry in lab.entries(kind)]
            for kind in ("collection", "index", "topics", "qrels", "pool", "review")
        }
        running = any(not job.has_ended for job in listed)
        return {
            "jobs": Table(COLUMNS, rows),
            "names": names,
            "runs": len(lab.entries("run")),
            "systems": system_names(),
            "running": running,
            "task_kinds": list(TASK_KINDS),
            "exports": Table(["export", "made"], [[each.name, each.added[:10]] for each in lab.entries("export")]),
            "fields": {name.replace(" ", "_"): shown_fields(fields, name) for name in OPTIONS},
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
            "command": shown_command(jobs.lab, job.arguments),
            "progress": shown,
            "log": without_places(jobs.log(id)),
            "running": not job.has_ended,
        }

    return one_job
