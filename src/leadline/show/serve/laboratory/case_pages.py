"""The pages of cases: the list, the desk of one, its claim chart, side-by-side reading, and what people do there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import FastAPI, HTTPException, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from leadline.collections.documents.collection import surroundings
from leadline.collections.documents.document import Document
from leadline.errors import InputError, LeadlineError, visible
from leadline.records.result import Table, whole_percent
from leadline.retrieval.bearing import GRADES as SUGGESTIONS
from leadline.retrieval.language.syntax import SYNTAXES
from leadline.retrieval.passages import claim_terms
from leadline.show.lab.case import Case, CaseDocument, Cases, check_open
from leadline.show.lab.case_export import FORMS, exported, history_table
from leadline.show.lab.case_judgements import compared, judgement_table
from leadline.show.lab.case_search import (
    ColouredWords,
    Offered,
    QueryFound,
    add_query,
    add_strategy,
    begin_case,
    chart_documents,
    features_of,
    features_text,
    look_through,
    offered_passages,
    queries_found,
    split_claim,
    topic_of,
)
from leadline.show.lab.facts import document_facts
from leadline.show.lab.lab_store import AuditLog
from leadline.show.lab.opened import OpenedLab, clean
from leadline.show.lab.searches import patent_paragraph
from leadline.show.serve.app import Pages, Visitor
from leadline.show.serve.laboratory.case_map import document_map
from leadline.show.serve.laboratory.views import (
    ROLES,
    Shown,
    Word,
    add_view,
    json_body,
    link,
    refused,
    sentence,
    thing_link,
)

WORKERS = ("runner", "assessor", "expert", "organiser")  # who may work on cases; readers look at them

MOST_HISTORY = 200
ACTION = json_body(
    ("kind",),
    id="of what is done, 8 to 64 characters: what is sent twice is stored once",
    kind="query, strategy, looked, grade, list, tag, note, read, tick, features, grades, title, sign, reopen or undo",
    text="of a query, strategy, note, features or grades",
    document="the id of a document",
    grade="X, Y, A, 0 or one of the case's own; empty: none",
)
_SAID = {  # what each kind takes of a form
    "grade": ("document", "grade"), "list": ("document",), "tag": ("document", "tag"), "note": ("document", "text"),
    "tick": ("document", "feature", "where", "passage", "suggested"), "features": ("text",), "grades": ("text",),
    "title": ("title",), "sign": ("statement",), "reopen": ("why",), "undo": ("target",),
}  # fmt: skip
_ON = ("list", "tag", "tick")


def add_cases(app: FastAPI, pages: Pages, opened: OpenedLab, cases: Cases, audit: AuditLog) -> None:
    """Add the pages of cases, and the addresses that take what people do."""
    add_view(app, pages, "/cases", "cases.html", cases_view(opened, cases))
    add_view(app, pages, "/case/{name}", "case.html", case_view(opened, cases))
    add_view(app, pages, "/case/{name}/chart", "case_chart.html", chart_view(opened, cases))
    add_view(app, pages, "/case/{name}/read", "case_read.html", read_view(opened, cases))
    add_view(app, pages, "/case/{name}/compare", "case_compare.html", compare_view(opened, cases))
    _add_doing(app, pages, opened, cases, audit)
    _add_exports(app, pages, opened, cases)


def known_case(cases: Cases, name: str) -> Case:
    """The case of a name; HTTPException 404 where there is none."""
    try:
        return cases.read(name)
    except InputError as error:
        raise HTTPException(404, sentence(error)) from None


# What the pages show.


def cases_view(opened: OpenedLab, cases: Cases) -> Callable[..., Shown]:
    """The view of the list of cases."""

    def listed(
        patent: Annotated[str, Query(max_length=300, description="to begin a case of")] = "",
        index: Word = "",
    ) -> Shown:
        """The cases of the lab: of what they are, what is in them, and who worked on them last."""
        rows = []
        for case in cases:
            person, act = max(case.people.items(), key=lambda each: each[1].at)
            signed = case.signature.act.by if case.signature else ""
            rows.append([case.name, case.title, clean(case.subject), case.counts, person, act.at[:16], signed])
        columns = ["case", "title", "about", "contents", "last", "at", "signed"]
        names = [entry.name for entry in opened.lab.entries("index")]
        return {
            "cases": Table(columns, rows),
            "problems": [sentence(error) for error in cases.problems()],
            "indexes": names,
            "index": index,
            "patent": patent,
            "folder": opened.lab.name,
            "workers": WORKERS,
        }

    return listed


def case_view(opened: OpenedLab, cases: Cases) -> Callable[..., Shown]:
    """The view of the desk of a case."""

    def case(name: str) -> Shown:
        """A case: its queries with counts, its shortlist, notes, signature, and what was done."""
        found = known_case(cases, name)
        shown = _shared(opened, found)
        queries, problem = _queries(opened, found)
        return {
            **shown,
            "queries": queries,
            "problem": problem,
            "shortlist": _shortlist(opened, found),
            "notes": [{"text": text, "by": str(act)} for text, act in found.notes],
            "own_grades": "\n".join(f"{each.name} {each.value} {each.means}" for each in found.grades[4:]),
            "syntaxes": [(each, SYNTAXES.named(each).title) for each in sorted(SYNTAXES)],
            "history": _latest(history_table(found)),
            "judgements": judgement_table(found),
            "forms": list(FORMS),
        }

    return case


def _shared(opened: OpenedLab, case: Case) -> Shown:
    """What every page of a case shows."""
    signature = case.signature
    return {
        "case": case_facts(case),
        "collection": _collection(opened, case),
        "signature": None
        if signature is None
        else {
            "by": signature.act.by,
            "at": signature.act.at[:19].replace("T", " "),
            "statement": signature.statement,
            "hash": signature.head.hash,
            "events": signature.head.events,
        },
        "head": str(case.head),
        "workers": WORKERS,
    }


def _collection(opened: OpenedLab, case: Case) -> str:
    """The name of the collection of a case; empty where it, or its index, is gone."""
    try:
        return opened.collection_of(case.index)
    except InputError:
        return ""


def case_facts(case: Case) -> Shown:
    """What a page needs to know of a case, to mark documents of it."""
    return {
        "name": case.name,
        "title": case.title,
        "patent": case.patent,
        "question": clean(case.question),
        "index": case.index,
        "begun": str(case.begun),
        "signed": case.signature is not None,
        "people": {name: act.at[:16].replace("T", " ") for name, act in case.people.items()},
        "grades": [{"name": each.name, "value": each.value, "means": each.means} for each in case.grades],
        "marks": {each.id: mark_facts(each) for each in case.documents.values()},
    }


def mark_facts(document: CaseDocument) -> Shown:
    """What was said of a document, for a page."""
    return {
        "grade": document.grade,
        "by": str(document.graded) if document.graded and document.grade else "",
        "listed": document.on_shortlist,
        "tags": sorted(document.tags),
        "notes": [{"text": text, "by": str(act)} for text, act in document.notes],
        "read": ", ".join(str(act) for act in document.read.values()),
    }


def _queries(opened: OpenedLab, case: Case) -> tuple[Table, str]:
    columns = [
        "number",
        "query",
        "syntax",
        "understood",
        "documents",
        "new",
        "since",
        "by",
        "notes",
        "watched",
        "whole",
    ]
    rows, problem = [], ""
    try:
        found = queries_found(opened, case)
    except InputError as error:  # the index is gone
        found, problem = [QueryFound(each, None, (), False) for each in case.queries.values()], sentence(error)
    for each in found:
        query, line = each.query, each.line
        since = query.looked.day if query.looked else ""
        rows.append(
            [
                query.number,
                clean(query.text),
                query.syntax,
                clean(line.understood) if line else "",
                line.documents if line else None,
                len(each.new),
                since,
                str(query.act),
                clean("; ".join(line.notes)) if line else "",
                each.watched,
                clean(each.whole),
            ]
        )
    return Table(columns, rows), problem


def _shortlist(opened: OpenedLab, case: Case) -> Table:
    columns = ["document", "grade", "by", "title", "published", "applicants", "tags", "notes", "read"]
    known = _documents(opened, case, [each.id for each in case.shortlist])
    rows = []
    for each in case.shortlist:
        document = known.get(each.id)
        facts = mark_facts(each)
        rows.append(
            [
                each.id,
                each.grade,
                facts["by"],
                clean(document.title) if document else "",
                document.publication if document else "",
                clean("; ".join(document.applicants)) if document else "",
                ", ".join(facts["tags"]),
                clean(" · ".join(note["text"] for note in facts["notes"])),
                facts["read"],
            ]
        )
    return Table(columns, rows)


def _documents(opened: OpenedLab, case: Case, names: Sequence[str]) -> dict[str, Document]:
    """The documents of these ids that the collection of a case has."""
    collection = _collection(opened, case)
    if not collection or not names:
        return {}
    found = opened.collection(collection).documents_there(list(names))
    return {name: each for name, each in zip(names, found, strict=True) if each is not None}


def _latest(history: Table) -> Table:
    return Table(history.columns, history.rows[:MOST_HISTORY])


def chart_view(opened: OpenedLab, cases: Cases) -> Callable[..., Shown]:
    """The view of the claim chart."""

    def chart(name: str, split: Annotated[int, Query(ge=0, le=9999, description="a claim to divide")] = 0) -> Shown:
        """Features of the claims and documents: what people ticked, and what the machine suggests."""
        case = known_case(cases, name)
        topic = topic_of(opened, case)
        features = features_of(case, topic)
        documents = chart_documents(case)
        offered = offered_passages(opened, case, documents)
        rows = [
            {
                "key": each.key,
                "claim": each.claim,
                "text": clean(each.text),
                "cells": [_cell(case, each.key, name, offered.get((each.key, name), ())) for name in documents],
            }
            for each in features
        ]
        divided = [part for each in features for part in (split_claim(each) if each.claim == split else [each])]
        return {
            **_shared(opened, case),
            "documents": [{"id": each, **case_facts(case)["marks"].get(each, {})} for each in documents],
            "rows": rows,
            "features": features_text(divided),
            "divided": split,
            "is_own": bool(case.features),
            "precision": {each.name: whole_percent(each.right) for each in SUGGESTIONS},
            "ticks": _tick_table(case),
        }

    return chart


def _cell(case: Case, feature: str, document: str, offered: Sequence[Offered]) -> Shown:
    """What the chart has for a feature and a document: a tick of a person, or a suggestion of the machine."""
    tick = case.ticks.get((feature, document))
    first = offered[0] if offered and offered[0].grade else None
    return {
        "document": document,
        "tick": None
        if tick is None
        else {
            "where": tick.where,
            "passage": clean(tick.passage),
            "by": str(tick.act),
            "suggested": tick.suggested,
            "part": patent_paragraph(tick.where),
        },
        "suggestion": None
        if first is None or tick is not None
        else {
            "where": first.where,
            "passage": clean(first.text),
            "grade": first.grade,
            "right": first.right,
            "precision": first.precision,
        },
    }


def _tick_table(case: Case) -> Table:
    rows = [
        [each.feature, each.document, each.where, clean(each.passage), each.act.by, each.act.at[:19], each.suggested]
        for each in case.ticks.values()
    ]
    return Table(["feature", "document", "where", "passage", "person", "at", "accepted_suggestion"], rows)


def read_view(opened: OpenedLab, cases: Cases) -> Callable[..., Shown]:
    """The view of a document beside the claims that are searched for."""

    def read(name: str, document: Word = "") -> Shown:
        """The searched claims, and beside each the passages of a document that have most of its words."""
        case = known_case(cases, name)
        listed = [each.id for each in case.shortlist]
        chosen = document or next(iter(listed), "")
        shown = {**_shared(opened, case), "document": chosen, "listed": listed, "rows": [], "facts": None}
        if not chosen:
            return {**shown, "legend": [], "map": "", "before": "", "after": ""}
        collection = opened.collection_of(case.index)
        if not collection:
            raise InputError(case.index, "has no texts: add the collection of this index to the lab")
        try:
            facts = document_facts(opened, collection, chosen)
        except InputError as error:
            raise HTTPException(404, sentence(error)) from None
        topic = topic_of(opened, case)
        context = opened.context(case.index)
        coloured = ColouredWords(context, case)
        features = features_of(case, topic)
        offered = offered_passages(opened, case, (facts["document"],))
        terms = claim_terms([each.text for each in features], context.index.analysis)
        rows = []
        for feature, own in zip(features, terms, strict=True):
            passages = [
                {
                    "where": each.where,
                    "text": each.text,
                    "pieces": coloured.pieces(each.text, own),
                    "part": patent_paragraph(each.where),
                    "percent": whole_percent(each.share),
                    "grade": each.grade,
                    "right": each.right,
                    "precision": each.precision,
                }
                for each in offered.get((feature.key, facts["document"]), ())
            ]
            cell = _cell(case, feature.key, facts["document"], ())
            rows.append(
                {
                    "key": feature.key,
                    "pieces": coloured.pieces(feature.text),
                    "passages": passages,
                    "tick": cell["tick"],
                }
            )
        place = listed.index(facts["document"]) if facts["document"] in listed else -1
        marks = {each.id: each.grade for each in case.documents.values() if each.grade}
        around = surroundings(opened.collection(collection), facts["document"])
        return {
            **shown,
            "document": facts["document"],
            "facts": {key: facts[key] for key in ("document_title", "facts")},
            "abstract": coloured.pieces(facts["abstract"]),
            "rows": rows,
            "legend": coloured.legend,
            "map": document_map(around, marks, lambda each: link(_address(name, "read"), document=each), case.patent),
            "before": listed[place - 1] if place > 0 else "",
            "after": listed[place + 1] if 0 <= place < len(listed) - 1 else "",
        }

    return read


def _address(name: str, page: str) -> str:
    return f"{thing_link('case', name)}/{page}"


def compare_view(opened: OpenedLab, cases: Cases) -> Callable[..., Shown]:
    """The view of the searches of a case beside the present system and ours."""

    def compare(
        name: str,
        run: Annotated[str, Query(max_length=300, description="run of the present system")] = "",
        topic: Annotated[str, Query(max_length=300, description="the topic of the case in that run")] = "",
    ) -> Shown:
        """Your search, your present system and ours, by what people graded in this case."""
        case = known_case(cases, name)
        runs = [entry.name for entry in opened.lab.entries("run")]
        shown = {
            **_shared(opened, case),
            "runs": runs,
            "run": run,
            "topic": topic,
            "error": "",
            "says": [],
            "notes": [],
        }
        try:
            found = compared(opened, case, run or opened.lab.baseline, topic)
        except LeadlineError as error:
            return {**shown, "error": sentence(error), "systems": Table(["search"], [])}
        return {**shown, "systems": found.table, "says": found.says, "notes": found.notes, "run": found.run}

    return compare


# What people do: a form of a page, or JSON of a program or a script.


def _add_doing(app: FastAPI, pages: Pages, opened: OpenedLab, cases: Cases, audit: AuditLog) -> None:
    @app.post("/cases", include_in_schema=False)
    async def begin(request: Request) -> Response:
        who = pages.visitor_with_role(request, *WORKERS)
        form = await pages.written_form(request)
        asked = {key: form.get(key, "").strip() for key in ("title", "index", "patent", "question")}
        try:
            made = await run_in_threadpool(lambda: begin_case(opened, who.name, who.person.role, **asked))
        except LeadlineError as error:
            return pages.page("not_done.html", who, 400, text=sentence(error), back="/cases")
        await run_in_threadpool(audit.add, who.name, who.person.role, f"began the case {made.name}")
        return RedirectResponse(thing_link("case", made.name), 303)

    @app.post("/case/{name}/do", include_in_schema=False)
    async def do_by_form(name: str, request: Request) -> Response:
        who = pages.visitor_with_role(request, *WORKERS)
        form = await pages.written_form(request)
        back = _safe(form.get("back", ""), thing_link("case", name))
        said: dict[str, Any] = {key: value for key, value in form.items() if key not in ("csrf", "back")}
        try:
            await run_in_threadpool(_done, opened, cases, who, name, said)
        except LeadlineError as error:
            return pages.page("not_done.html", who, 400, text=sentence(error), back=back)
        return RedirectResponse(back, 303)

    @app.post(
        "/api/case/{name}/do",
        tags=["cases"],
        summary="Do something in a case: grade a document, add a query, tick a feature, take back",
        openapi_extra=ACTION,
    )
    async def do_by_program(name: str, request: Request) -> dict[str, Any]:
        who = pages.visitor_with_role(request, *WORKERS)
        content = await pages.written_json(request)
        try:
            case = await run_in_threadpool(_done, opened, cases, who, name, content)
        except LeadlineError as error:
            raise HTTPException(400, sentence(error)) from None
        return {"saved": True, "events": case.head.events, "head": case.head.hash}


def _done(opened: OpenedLab, cases: Cases, who: Visitor, name: str, said: Mapping[str, Any]) -> Case:
    """Do what was asked for; InputError where it cannot be done."""
    try:
        file = cases.file(name)
    except InputError as error:
        raise HTTPException(404, sentence(error)) from None
    kind, person, role = said.get("kind", ""), who.name, who.person.role
    uid = said.get("id") or ""
    if not isinstance(kind, str) or not isinstance(uid, str):
        raise InputError("kind", "and id must be texts")
    if kind in ("query", "strategy", "looked"):
        check_open(file.read())  # before the index is asked
        if kind == "looked":
            number = str(said.get("number", ""))
            if not (number.isascii() and number.isdigit() and len(number) < 6):
                raise InputError("number", "must be the number of a query")
            return look_through(opened, file, person, role, int(number))
        text, syntax = said.get("text", ""), said.get("syntax", "")
        if not isinstance(text, str) or not isinstance(syntax, str) or not text.strip():
            raise InputError("query", "must not be empty")
        if kind == "query":
            return add_query(opened, file, person, role, text, uid)
        return add_strategy(opened, file, person, role, text, syntax, uid)
    if kind == "read":
        documents = said.get("documents") or [said.get("document", "")]
        if not isinstance(documents, list):
            raise InputError("documents", "must be a list of ids")
        return file.do(person, role, kind, uid=uid, documents=documents)
    given = {key: said.get(key, "") for key in _SAID.get(kind, ())}
    if kind in _ON:
        given["on"] = said.get("on", True) not in (False, "no")
    return file.do(person, role, kind, uid=uid, **given)


def _safe(back: str, usual: str) -> str:
    """An address of this server to go back to; the usual one for anything else."""
    parts = urlsplit(back)
    is_ours = (
        not parts.scheme and not parts.netloc and back.startswith(("/case", "/search", "/prior-art?", "/document/"))
    )
    return back if is_ours and "\\" not in back and back.isprintable() else usual


# Exports.


def _add_exports(app: FastAPI, pages: Pages, opened: OpenedLab, cases: Cases) -> None:
    @app.get("/case/{name}/export.{ending}", include_in_schema=False)
    def export(name: str, ending: str, request: Request) -> Response:
        pages.visitor_with_role(request, *ROLES)
        if ending not in FORMS:
            raise HTTPException(404, f"There is no .{visible(ending)} of it: choose {', '.join(FORMS)}.")
        known_case(cases, name)
        with refused():
            content = exported(opened, cases.file(name), ending)
        headers = {"content-disposition": f'attachment; filename="{name}.{ending}"'}
        return Response(content, media_type=FORMS[ending], headers=headers)
