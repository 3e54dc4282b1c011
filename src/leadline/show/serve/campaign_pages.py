"""The pages of a campaign: for the organiser, a team, those who judge, and everybody after the release.

Nobody is shown what is not theirs: a team sees its own runs, those who judge see their topics and no runs, others
nothing before the release. What a page shows is asked of the campaign for the person: no template can show more.
"""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, RedirectResponse, Response

from leadline.errors import InputError, LeadlineError, visible
from leadline.judge.choices import JUDGING_ROLES
from leadline.judge.journal import People
from leadline.show.campaign.campaign import Campaign, SentRun, Task, left_words
from leadline.show.campaign.judging import (
    assign,
    draw_campaign_pool,
    load_table,
    open_disagreements,
    release,
)
from leadline.show.campaign.live_campaign import LiveCampaign, Receipt, RunRefusedError
from leadline.show.campaign.status import refused_table, run_table, task_status
from leadline.show.campaign.submission import Description
from leadline.show.choices import INVITED_ROLES, RUN_KINDS
from leadline.show.lab.boards import LARGEST_SENT
from leadline.show.lab.lab import LabEntry
from leadline.show.serve.app import Pages, Visitor
from leadline.show.serve.desks import INSTRUCTIONS, open_desk
from leadline.show.serve.judging_pages import KINDS, judging_app
from leadline.show.serve.laboratory.lab_app import Desks
from leadline.show.serve.laboratory.uploads import UnderWay, save_body
from leadline.show.serve.laboratory.views import Word, sentence
from leadline.show.serve.security import Address

LARGEST_FORM = 64 << 20  # bytes of a form with a run
MOST_ROWS = 200  # of the expert's queue on one page
PLAIN = "text/plain; charset=utf-8"
NO_STORE = {"cache-control": "no-store"}
Form = dict[str, str]
ORGANISER = ("organiser",)
NOTHING_ASKED = dict.fromkeys(("task", "kind", "fields", "resources", "text", "priority"), "")


def campaign_app(live: LiveCampaign, people: People, address: Address) -> FastAPI:
    """The application of a campaign."""
    cookie = f"leadline_campaign_{live.id[:8]}"
    constants = {"kinds": RUN_KINDS, "roles": INVITED_ROLES, "differ": KINDS}
    pages = Pages(
        people,
        address,
        live.facts.title,
        cookie=cookie,
        constants=constants,
        public_title="Leadline",
        called={"runner": "teams", "assessor": "students and seniors"},
    )
    app = pages.app()
    app.state.large_bodies = {"/api/runs": LARGEST_SENT, "/send": LARGEST_FORM, "/check": LARGEST_FORM}
    _add_home(app, pages, live)
    _add_files(app, pages, live)
    _add_sending(app, pages, live)
    _add_organising(app, pages, live)
    app.mount("/judge", CampaignDesks(live, people, pages))
    return app


class CampaignDesks(Desks):
    """The judging of the pools of a campaign."""

    path = "/judge"

    def __init__(self, live: LiveCampaign, people: People, outer: Pages) -> None:
        super().__init__(people, outer)
        self._live = live

    def entry(self, name: str) -> LabEntry:
        facts = self._live.facts
        task = next((each for each in facts.tasks if each.name == name), None)
        if task is None or not (facts.folder / task.pool_file).exists():
            raise InputError(visible(name), "is not judged here")
        return LabEntry("pool", name, facts.folder / task.pool_file)

    def opened(self, entry: LabEntry, pages: Pages) -> FastAPI:
        facts = self._live.facts
        task = facts.task(entry.name)
        journal = Path(f"{entry.path}.journal")
        if not facts.collection:
            raise InputError(task.name, "cannot be judged here: the campaign has ids of documents, and no collection")
        desk = open_desk(entry.path, facts.collection, journal, self.people.path, topics=facts.folder / task.topics)
        desk.people = self.people
        desk.instructions = task.guidelines or INSTRUCTIONS
        return judging_app(desk, pages.address, pages.title, pages)


# The first page of each.


@dataclass(frozen=True)
class Shown:
    """A task as a page shows it: what everybody may know."""

    task: Task
    left: str
    is_over: bool
    is_released: bool


def _shown(facts: Campaign, now: datetime.datetime) -> list[Shown]:
    return [
        Shown(
            task,
            left_words(task.moment, now) if task.moment is not None else "",
            task.is_over(now),
            facts.release(task.name) is not None,
        )
        for task in facts.tasks
    ]


def _add_home(app: FastAPI, pages: Pages, live: LiveCampaign) -> None:
    views: dict[str, Callable[[Visitor], Response]] = {
        "runner": lambda found: _team_page(pages, live, found),
        "assessor": lambda found: _judge_page(pages, live, found),
        "expert": lambda found: _judge_page(pages, live, found),
        "organiser": lambda found: _organiser_page(pages, live, found),
    }

    @app.get("/")
    def home(request: Request) -> Response:
        if pages.person(request) is None and (shown := _public(live.facts)):
            return pages.page("campaign_public.html", None, heading=live.facts.title, **shown)
        found = pages.visitor_with_role(request, *views)
        return views[found.person.role](found)


def _public(facts: Campaign) -> dict[str, Any]:
    """What everybody may see: the tasks that are released; nothing before."""
    released = [(task, facts.release(task.name), facts.runs_of(task.name)) for task in facts.tasks]
    released = [each for each in released if each[1] is not None]
    return {"released": released, "organiser": facts.organiser, "licence": facts.licence} if released else {}


def _team_page(pages: Pages, live: LiveCampaign, found: Visitor, **said: Any) -> Response:
    """A team's page. All of it is of the team, or of everybody: nothing depends on what others sent."""
    facts, team = live.facts, live.team_of(found.name)
    now = live.clock()
    return pages.page(
        "campaign_team.html",
        found,
        400 if said.get("problems") else 200,
        role=f"of {team}" if team != found.name else "team",
        team=team,
        tasks=_shown(facts, now),
        taken_kinds=[kind for kind in RUN_KINDS if any(kind in (each.takes or RUN_KINDS) for each in facts.tasks)],
        runs=facts.runs_of(team=team),
        refused=[each for each in facts.refused if each.team == team][::-1][:20],
        others=[run for run in facts.runs if run.team != team and facts.release(run.task) is not None],
        documents=facts.documents,
        **{
            "problems": (),
            "notes": (),
            "checked": "",
            "taken": None,
            **said,
            "asked": NOTHING_ASKED | said.get("asked", {}),
        },
    )


def _judge_page(pages: Pages, live: LiveCampaign, found: Visitor) -> Response:
    facts = live.facts
    rows = []
    for task in facts.tasks:
        pool = facts.pool(task) if task.by_people else None
        if pool is None:
            continue
        table = {
            row[0]: dict(zip(("level", "topics", "documents", "judged", "left", "hours"), row[1:], strict=True))
            for row in load_table(facts, task).rows
        }
        waiting = open_disagreements(facts.judging(task)) if found.person.role == "expert" else []
        rows.append(
            {"task": task, "mine": table.get(found.name), "waiting": waiting[:MOST_ROWS], "count": len(waiting)}
        )
    return pages.page("campaign_judge.html", found, tasks=rows, role=facts.level_of(found.name))


def _organiser_page(pages: Pages, live: LiveCampaign, found: Visitor, **said: Any) -> Response:
    facts, now = live.facts, live.clock()
    rows = []
    for shown in _shown(facts, now):
        status = task_status(facts, shown.task)
        sending = {run.team for run in status.runs}
        rows.append(
            {
                "shown": shown,
                "task": shown.task,
                "runs": status.runs,
                "silent": [team for team in facts.teams if team not in sending],
                "late": status.late,
                "progress": status.progress,
                "step": _next_step(shown, status.progress, len(status.runs)),
                "load": load_table(facts, shown.task) if status.progress else None,
                "release": status.release,
            }
        )
    people = {each.name: each for each in live_people(live, pages)}
    return pages.page(
        "campaign_organiser.html",
        found,
        tasks=rows,
        teams=facts.teams,
        runs=facts.runs,
        refused=facts.refused[::-1][:30],
        people=[(each, people.get(each.name)) for each in facts.people],
        folder=facts.folder.resolve().name,
        **{"link": "", "invited": "", "problem": "", **said},
    )


def live_people(live: LiveCampaign, pages: Pages) -> People:
    pages.people.refresh()
    return pages.people


def _next_step(shown: Shown, progress: dict[str, int], runs: int) -> str:
    """The one thing that the organiser does next for a task."""
    if shown.is_released:
        return "released"
    if not shown.is_over and shown.task.moment is not None:
        return "wait"
    if not runs:
        return "empty"
    if not shown.task.by_people:
        return "release"
    if not progress:
        return "pool"
    if progress["assigned"] < progress["topics"]:
        return "assign"
    if progress["judged"] < progress["to_judge"]:
        return "judge"
    return "decide" if progress["waiting"] else "release"


# What is fetched: topics, ids of documents, receipts; judgements and runs after the release.


def _add_files(app: FastAPI, pages: Pages, live: LiveCampaign) -> None:
    def task_of(name: str) -> Task:
        try:
            return live.facts.task(name)
        except InputError as error:
            raise HTTPException(404, sentence(error)) from None

    def sent_file(content: bytes, name: str, media: str = PLAIN) -> Response:
        headers = {"content-disposition": f'attachment; filename="{name}"', **NO_STORE}
        return Response(content, media_type=media, headers=headers)

    @app.get("/topics/{task}")
    def topics(request: Request, task: str) -> Response:
        pages.visitor_with_role(request, "runner", "organiser", *JUDGING_ROLES)
        found = task_of(task)
        return sent_file(live.topics_file(found), Path(found.topics).name)

    @app.get("/documents.txt")
    def documents(request: Request) -> Response:
        pages.visitor_with_role(request, "runner", "organiser")
        return sent_file(live.document_ids(), "documents.txt")

    @app.get("/receipt/{name}")
    def receipt(request: Request, name: str) -> Response:
        found = pages.visitor_with_role(request, "runner", "organiser")
        run = _run_of(live, found, name, own=True)
        return JSONResponse(Receipt(live.facts.title, run, is_new=False).content(), headers=NO_STORE)

    @app.get("/runs/{name}")
    def one_run(request: Request, name: str) -> Response:
        run = _run_of(live, _maybe(pages, request), name)
        return sent_file(live.facts.run_file(run).read_bytes(), f"{run.name}.run")

    @app.get("/analysis/{task}")
    def analysis(request: Request, task: str) -> Response:
        from leadline.show.campaign.team_analysis import team_analysis

        visitor = pages.visitor_with_role(request, "runner")
        facts, found = live.facts, task_of(task)
        if facts.release(found.name) is None:
            raise HTTPException(404, "These judgements are not released.")
        shown = team_analysis(facts, found, live.team_of(visitor.name))
        return pages.page("campaign_analysis.html", visitor, role="team", **shown)

    @app.get("/qrels/{task}")
    def qrels(request: Request, task: str) -> Response:
        facts, found = live.facts, _maybe(pages, request)
        path = next((facts.qrels(each) for each in facts.tasks if each.name == task), None)
        if path is None:
            if found is None:
                raise HTTPException(401, "You are not signed in: open your personal link.")
            raise HTTPException(404, "These judgements are not released.")
        return sent_file(path.read_bytes(), f"{task}.qrels.txt")


def _maybe(pages: Pages, request: Request) -> Visitor | None:
    """Who asks; None for nobody we know, who may see what is released."""
    return pages.visitor(request) if pages.person(request) is not None else None


def _run_of(live: LiveCampaign, found: Visitor | None, name: str, *, own: bool = False) -> SentRun:
    """A run that somebody may see; the same answer for one that is not theirs and one that there is not."""
    facts = live.facts
    run = next((each for each in facts.runs if each.name == name), None)
    team = live.team_of(found.name) if found is not None else ""
    is_theirs = (
        run is not None and found is not None and (found.person.role == "organiser" or (team and run.team == team))
    )
    is_open = run is not None and facts.release(run.task) is not None and not own
    if run is None or not (is_theirs or is_open):
        if found is None:
            raise HTTPException(401, "You are not signed in: open your personal link.")
        raise HTTPException(404, "You have no such run.")
    return run


# Runs that are sent: by a form, and by a program.


def _add_sending(app: FastAPI, pages: Pages, live: LiveCampaign) -> None:
    under_way = UnderWay()

    async def received(request: Request, keep: bool) -> Response:
        found = pages.visitor_with_role(request, "runner")
        with under_way.one_more(found):
            parts = await pages.written_parts(request)
            asked = {
                name: content.decode("utf-8", "replace").strip() for name, content in parts.items() if name != "file"
            }
            outcome = await run_in_threadpool(
                _take, live, live.team_of(found.name), found.name, asked, parts.get("file", b""), keep
            )
        if keep and outcome.get("taken"):
            return RedirectResponse(f"/?sent={outcome['taken'].name}#runs", 303)
        return await run_in_threadpool(lambda: _team_page(pages, live, found, asked=asked, **outcome))

    @app.post("/send")
    async def send(request: Request) -> Response:
        return await received(request, keep=True)

    @app.post("/check")
    async def check(request: Request) -> Response:
        return await received(request, keep=False)

    @app.post("/api/runs")
    async def upload(
        request: Request,
        name: Word,
        task: Word = "",
        kind: Word = "",
        fields: Word = "",
        resources: Word = "",
        text: str = "",
        priority: Word = "",
    ) -> Response:
        found = pages.sender(request, "runner")
        asked = {
            "task": task,
            "kind": kind,
            "fields": fields,
            "resources": resources,
            "text": text,
            "priority": priority,
        }
        asked["file.filename"] = name
        with under_way.one_more(found), tempfile.TemporaryDirectory(prefix="leadline-upload-") as folder:
            path = Path(folder) / "sent"
            await save_body(request, path)
            team = live.team_of(found.name)
            outcome = await run_in_threadpool(_take_file, live, team, found.name, asked, path, True)
        if outcome.get("problems"):
            return JSONResponse({"saved": False, "problems": list(outcome["problems"])}, 200)
        said = Receipt(live.facts.title, outcome["taken"], is_new=True).content()
        return JSONResponse({"saved": True, "is_new": outcome["is_new"], **said})


def _take(live: LiveCampaign, team: str, person: str, asked: Form, content: bytes, keep: bool) -> dict[str, Any]:
    if not asked.get("file.filename"):
        return {"problems": ("Choose the file of the run.",)}
    with tempfile.TemporaryDirectory(prefix="leadline-upload-") as folder:
        path = Path(folder) / "sent"
        path.write_bytes(content)
        return _take_file(live, team, person, asked, path, keep)


def _take_file(live: LiveCampaign, team: str, person: str, asked: Form, path: Path, keep: bool) -> dict[str, Any]:
    """Check a run, and with `keep` take it: its record, or what is wrong with it, a line each."""
    name = asked["file.filename"]
    try:
        task = live.facts.task(asked.get("task", ""))
        said = Description.of({key: asked.get(key, "") for key in ("kind", "fields", "resources", "text", "priority")})
        if keep:
            done = live.submit(team, task, path, said, name=name, person=person)
            return {"taken": done.run, "is_new": done.is_new, "notes": done.run.notes}
        checked = live.check(team, task, path, said, name)
        return {
            "problems": checked.problems,
            "notes": checked.notes,
            "checked": "" if checked.problems else checked.tag,
        }
    except RunRefusedError as refused:
        return {"problems": refused.problems}
    except LeadlineError as error:
        return {"problems": (sentence(error),)}


# What the organiser does.


def _add_organising(app: FastAPI, pages: Pages, live: LiveCampaign) -> None:
    async def organisers_form(request: Request) -> Form:
        pages.visitor_with_role(request, *ORGANISER)
        return await pages.written_form(request)

    written = Depends(organisers_form)

    def done(request: Request, work: Callable[[Visitor], Any], where: str = "") -> Response:
        found = pages.visitor_with_role(request, *ORGANISER)
        try:
            work(found)
        except LeadlineError as error:
            return _organiser_page(pages, live, found, problem=sentence(error))
        return RedirectResponse(f"/{where}", 303)

    @app.post("/organise/pool")
    def pool(request: Request, form: Form = written) -> Response:
        return done(request, lambda who: draw_campaign_pool(live, live.facts.task(form["task"]), person=who.name))

    @app.post("/organise/assign")
    def assign_topics(request: Request, form: Form = written) -> Response:
        return done(request, lambda who: assign(live, live.facts.task(form["task"]), person=who.name))

    @app.post("/organise/release")
    def release_task(request: Request, form: Form = written) -> Response:
        return done(request, lambda who: release(live, live.facts.task(form["task"]), person=who.name))

    @app.post("/organise/deadline")
    def deadline(request: Request, form: Form = written) -> Response:
        new = form.get("deadline", "")
        return done(request, lambda who: live.set_task(form["task"], deadline=new, person=who.name))

    @app.post("/organise/invite")
    def invite(request: Request, form: Form = written) -> Response:
        found = pages.visitor_with_role(request, *ORGANISER)
        name, role = form.get("name", "").strip(), form.get("role", "")
        try:
            token = live.invite(name, role, team=form.get("team", "").strip(), person=found.name)
        except LeadlineError as error:
            return _organiser_page(pages, live, found, problem=sentence(error))
        return _organiser_page(pages, live, found, link=pages.address.link(token), invited=name)

    @app.post("/organise/revoke")
    def revoke(request: Request, form: Form = written) -> Response:
        return done(request, lambda who: live.revoke(form.get("name", ""), who.name), "#people")

    @app.get("/organise/{table}.csv")
    def tables(request: Request, table: str) -> Response:
        pages.visitor_with_role(request, *ORGANISER)
        known = {"runs": run_table, "refused": refused_table}
        if table not in known:
            raise HTTPException(404, "There is no such table.")
        headers = {"content-disposition": f'attachment; filename="{table}.csv"', **NO_STORE}
        return Response(known[table](live.facts).encoded("csv"), media_type="text/csv; charset=utf-8", headers=headers)
