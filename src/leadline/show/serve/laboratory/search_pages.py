"""The pages that search: of words, of prior art, of collections and of documents, over one lab that is opened once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from leadline.collections.directory import Branch
from leadline.errors import InputError, LeadlineError, nearest, visible
from leadline.records.result import Table
from leadline.retrieval.language.fields import filter_values
from leadline.retrieval.models.registry import MODELS
from leadline.show.lab.case import Cases
from leadline.show.lab.case_search import ColouredWords
from leadline.show.lab.facts import COLUMNS, collection_facts, document_facts, judgements_of, marks_of
from leadline.show.lab.lab import Lab
from leadline.show.lab.lab_store import AuditLog
from leadline.show.lab.opened import OpenedLab, clean
from leadline.show.lab.searches import (
    DEEPEST,
    LARGEST,
    PriorArtSearches,
    WordSearch,
    example_queries,
    find_words,
    prior_art_systems,
    word_systems,
)
from leadline.show.lab.searches import MOST_HITS as MOST_K
from leadline.show.lab.searches import MOST_PRIOR_ART as MOST_PRIOR_ART_HITS
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.case_pages import WORKERS, add_cases, case_facts, known_case
from leadline.show.serve.laboratory.views import (
    ROLES,
    Shown,
    add_view,
    document_link,
    error_line,
    json_body,
    link,
    sentence,
    thing_link,
)

LINKS = {"link": link, "document_link": document_link, "thing_link": thing_link, "shown": visible}  # for the templates


def add_searching(app: FastAPI, pages: Pages, lab: Lab, audit: AuditLog) -> None:
    """Add the pages of search, prior art, cases, collections, documents and the directory."""
    opened, cases = OpenedLab(lab), Cases(lab)
    add_cases(app, pages, opened, cases, audit)
    searches = PriorArtSearches(opened)
    add_view(app, pages, "/search", "search.html", search_view(opened, cases))
    add_view(app, pages, "/prior-art", TEMPLATE, prior_art_view(opened, searches, cases))
    add_pasting(app, pages, opened, searches)
    add_view(app, pages, "/collections", "collections.html", collections_view(opened))
    add_view(app, pages, "/collection/{name}", "collection.html", collection_view(opened))
    add_view(app, pages, "/directory/{name}", "directory.html", directory_view(opened))
    add_view(app, pages, "/document/{name}/{id:path}", "document.html", document_view(opened, cases))


# Search: a query in words, its hits by family, and what they can be narrowed to.


USUAL = WordSearch("", "")  # the choices that a link need not name


def search_view(opened: OpenedLab, cases: Cases) -> Callable[..., Shown]:
    """The view of the search page."""

    def search(
        index: Annotated[str, Query(description="name of an index (default: the first)")] = "",
        q: Annotated[str, Query(description="query, in the language of `leadline search`")] = "",
        model: Annotated[str, Query(description="ranking model, such as bm25(k1=0.9)")] = USUAL.model,
        before: Annotated[str, Query(description="only published before this day")] = "",
        after: Annotated[str, Query(description="only published after this day")] = "",
        classes: Annotated[str, Query(alias="class", description="only these classes, divided by commas")] = "",
        office: Annotated[str, Query(description="only these offices, divided by commas")] = "",
        newest: Annotated[bool, Query(description="sort by date, newest first")] = False,
        k: Annotated[int, Query(ge=1, le=MOST_K, description="families on a page")] = USUAL.k,
        page: Annotated[int, Query(ge=1, le=DEEPEST)] = 1,
        duplicates: Annotated[str, Query(description="near-duplicates in the lab, of which the best is shown")] = "",
        qrels: Annotated[str, Query(description="judgements, to mark what is judged")] = "",
        topic: Annotated[str, Query(description="the topic whose judgements are marked")] = "",
        system: Annotated[str, Query(description="system that ranks (default: best)")] = "",
        case: Annotated[str, Query(description="a case, to mark what was read and graded in it", max_length=100)] = "",
    ) -> Shown:
        """What a query finds: the best document of each family, why, and counts by date, class and office."""
        names = [entry.name for entry in opened.lab.entries("index")]
        of_case = known_case(cases, case) if case else None
        asked = WordSearch(
            index or (of_case.index if of_case else "") or next(iter(names), ""),
            q,
            model,
            before,
            after,
            classes,
            office,
            newest,
            k,
            page,
            duplicates,
            qrels,
            topic,
            system,
        )
        usual = {"model": model if model != USUAL.model else "", "k": k if k != USUAL.k else None}
        shown: Shown = {
            "asked": {
                "index": index,
                "q": q,
                **usual,
                "before": before,
                "after": after,
                "class": classes,
                "office": office,
                "newest": newest,
                "duplicates": duplicates,
                "qrels": qrels,
                "topic": topic,
                "system": system,
                "case": case,
            },
            "case": case_facts(of_case) if of_case else None,
            "cases": cases.names(),
            "workers": WORKERS,
            "legend": [],
            "page": page,
            "k": k,
            "model": model,
            "index": asked.index,
            "error": "",
            "searched": False,
            "indexes": names,
            "models": list(MODELS.names()),
            "systems": list(word_systems()),
            "qrels_names": [entry.name for entry in opened.lab.entries("qrels")],
            "duplicates_names": [entry.name for entry in opened.lab.entries("duplicates")],
            "folder": opened.lab.name,
            "examples": [],
            "to_save": "",
        }
        if not names:
            return shown
        if not q.strip():
            return {**shown, "examples": _examples(opened, asked.index)}
        try:
            found = find_words(opened, asked)
        except LeadlineError as error:
            return {**shown, "error": error_line(error)}
        if of_case is not None:
            coloured = ColouredWords(
                opened.context(asked.index), of_case, [word for word in q.split() if word.isalnum()]
            )
            for card in found["cards"]:
                card["snippet"] = coloured.pieces("".join(piece["text"] for piece in card["snippet"]))
            shown["legend"] = coloured.legend
        shown["to_save"] = query_with_filters(asked)
        return {**shown, **found, "searched": True}

    return search


def query_with_filters(asked: WordSearch) -> str:
    """A query with what it was narrowed to, in one line of our language.

    >>> query_with_filters(WordSearch("words", "tin OR nail", after="1999", classes="F16B"))
    '(tin OR nail) AND class:F16B AND after:1999'
    >>> query_with_filters(WordSearch("words", "tin nail"))
    'tin nail'
    """
    filters = {"class": asked.classes, "office": asked.office, "after": asked.after, "before": asked.before}
    named = [f"{name}:{value.replace(' ', '')}" for name, value in filters.items() if value]
    return " AND ".join([f"({asked.q.strip()})", *named]) if named else asked.q.strip()


def _examples(opened: OpenedLab, index: str) -> list[dict[str, str]]:
    """Queries that find something in an index; none where it cannot be opened, which a search says."""
    try:
        entries = [opened.lab.get("index", index)]
        found = opened.computed("example queries", entries, lambda: example_queries(opened.context(index)))
    except LeadlineError:
        return []
    return [asdict(example) for example in found]


# Prior art: a patent of the collection, or one that is pasted or uploaded, and what bears on each of its claims.


TEMPLATE = "prior_art.html"
K = 10
PASTED = ("index", "date", "k", "system")  # fields beside the patent
PATENT = json_body(("text",), text="a patent: title, description and claims", date="of its filing")


def prior_art_view(opened: OpenedLab, searches: PriorArtSearches, cases: Cases) -> Callable[..., Shown]:
    """The view of the page of prior art."""

    def prior_art(
        index: Annotated[str, Query(description="name of an index (default: the first)")] = "",
        patent: Annotated[str, Query(description="number of a patent in the collection, in any spelling")] = "",
        pasted: Annotated[str, Query(description="key of a patent that was pasted")] = "",
        k: Annotated[int, Query(ge=1, le=MOST_PRIOR_ART_HITS, description="families")] = K,
        system: Annotated[str, Query(description="system that searches (default: best)", max_length=100)] = "",
        case: Annotated[str, Query(description="a case, to grade hits in it", max_length=100)] = "",
    ) -> Shown:
        """Earlier documents that bear on the claims of a patent, claim by claim."""
        of_case = case_facts(known_case(cases, case)) if case else None
        shown = _empty(opened, index or (of_case["index"] if of_case else ""), patent, pasted, k, system)
        shown = {**shown, "asked": {**shown["asked"], "case": case}, "case": of_case}
        if not shown["index"] or not (patent.strip() or pasted):
            return shown
        try:
            found = searches.find(shown["index"], patent.strip(), pasted, k, system)
        except LeadlineError as error:
            return {**shown, "error": error_line(error)}
        return {**shown, **found, "searched": True}

    return prior_art


def _empty(opened: OpenedLab, index: str, patent: str, pasted: str, k: int, system: str) -> dict[str, Any]:
    names = [entry.name for entry in opened.lab.entries("index")]
    return {
        "asked": {"index": index, "patent": patent, "pasted": pasted, "k": k if k != K else None, "system": system},
        "index": index or next(iter(names), ""),
        "indexes": names,
        "patent": patent,
        "k": k,
        "error": "",
        "searched": False,
        "text": "",
        "chosen_system": system,
        "systems": list(prior_art_systems()),
        "largest": LARGEST,
        "folder": opened.lab.name,
        "case": None,
        "workers": WORKERS,
    }


def add_pasting(app: FastAPI, pages: Pages, opened: OpenedLab, searches: PriorArtSearches) -> None:
    """Add the address that takes a patent as text or as a file, and goes on to the page of its prior art."""

    large = dict.fromkeys(("/prior-art", "/api/prior-art"), LARGEST + 100_000)
    app.state.large_bodies = {**getattr(app.state, "large_bodies", {}), **large}

    @app.post("/prior-art", include_in_schema=False)
    async def paste(request: Request) -> Response:
        visitor = pages.visitor_with_role(request, *ROLES)
        fields = await pages.written_parts(request)
        written = {name: fields.get(name, b"").decode("utf-8", "replace").strip() for name in PASTED}
        asked = written["k"] or str(K)
        if not (asked.isascii() and asked.isdigit() and len(asked) < 4 and 1 <= int(asked) <= MOST_PRIOR_ART_HITS):
            raise HTTPException(
                400, f"k must be a whole number from 1 to {MOST_PRIOR_ART_HITS}, got {visible(asked[:80])!r}."
            )
        k = int(asked)
        try:
            key = await run_in_threadpool(searches.keep, fields.get("file") or fields.get("text", b""), written["date"])
        except LeadlineError as error:
            text = fields.get("text", b"").decode("utf-8", "replace")
            shown = _empty(opened, written["index"], "", "", k, written["system"]) | {
                "error": error_line(error),
                "text": text,
            }
            return pages.page(TEMPLATE, visitor, 400, **shown)
        values = {
            "index": written["index"],
            "pasted": key,
            "k": k if k != K else None,
            "system": written["system"][:100],
        }
        return RedirectResponse(link("/prior-art", values), 303)

    @app.post(
        "/api/prior-art",
        tags=["pages"],
        summary="Keep a patent given as `text`, with its `date`; gives its key",
        openapi_extra=PATENT,
    )
    async def keep(request: Request) -> dict[str, str]:
        pages.visitor_with_role(request, *ROLES)
        content = await pages.written_json(request)
        text, date = content.get("text"), content.get("date", "")
        if not isinstance(text, str) or not isinstance(date, str):
            raise HTTPException(400, "text and date must be texts.")
        try:
            return {"pasted": await run_in_threadpool(searches.keep, text.encode(), date)}
        except LeadlineError as error:
            raise HTTPException(400, error_line(error)) from None


# Collections: what each holds, what is missing, what it was made from, and its directory of classes.


LISTED = 50  # documents on a page of the directory


def collections_view(opened: OpenedLab) -> Callable[..., Shown]:
    """The view of the list of collections."""

    def collections() -> Shown:
        """The collections of the lab with their counts, and their indexes."""
        rows = []
        for entry in opened.lab.entries("collection"):
            try:
                counts = opened.collection(entry.name).manifest["counts"]
                rows.append(
                    [
                        entry.name,
                        counts["documents"],
                        counts["families"],
                        counts["citations"],
                        ", ".join(opened.indexes_of(entry.name)),
                        "",
                    ]
                )
            except InputError as error:
                rows.append([entry.name, None, None, None, "", visible(error.problem)])
        table = Table(["collection", "documents", "families", "citations", "indexes", "problem"], rows)
        return {"collections": table, "folder": opened.lab.name}

    return collections


def collection_view(opened: OpenedLab) -> Callable[..., Shown]:
    """The view of one collection."""

    def collection(name: str) -> Shown:
        """What a collection holds: counts by date, office, class, family and citation, and what is missing."""
        check_name(opened, "collection", name)
        return {**collection_facts(opened, name), "folder": opened.lab.name}

    return collection


def directory_view(opened: OpenedLab) -> Callable[..., Shown]:
    """The view of the directory of a collection."""

    def directory(
        name: str,
        under: Annotated[str, Query(alias="class", description="a class: C, C07, C07D or C07D401")] = "",
        page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    ) -> Shown:
        """The classes of a collection with the number of documents under each, and the documents of one."""
        check_name(opened, "collection", name)
        made = opened.directory(name)
        branch, way = _branch(made.root, under)
        first = (page - 1) * LISTED
        records = made.collection.records.select("id", "title", "publication")[branch.rows[first : first + LISTED]]
        documents = [
            [each, clean(" ".join((title or "").split())), str(day or "")] for each, title, day in records.iter_rows()
        ]
        most = max((len(each.rows) for each in branch.branches), default=1)
        below = [[each.code, clean(each.title), each.level, len(each.rows)] for each in branch.branches]
        return {
            "name": name,
            "code": branch.code,
            "heading": clean(branch.title),
            "count": len(branch.rows),
            "page": page,
            "way": [{"code": each.code, "title": clean(each.title)} for each in way],
            "branches": Table(["class", "title", "level", "documents"], below),
            "most": most,
            "documents": Table(["document", "title", "published"], documents),
            "more": first + LISTED < len(branch.rows),
            "first": first,
            "indexes": opened.indexes_of(name),
            "notes": [note for note in made.notes if "--titles" not in note],
            "is_class": branch.level not in ("all", "cluster"),
        }

    return directory


def _branch(root: Branch, code: str) -> tuple[Branch, list[Branch]]:
    """The branch of a class or cluster, and those above it; InputError with the nearest where there is none."""
    if not code:
        return root, []
    if not code.startswith(("cluster", "none")):
        code = filter_values("class", [code], "class")[0].partition("/")[0]
    waiting: list[tuple[Branch, list[Branch]]] = [(root, [])]
    known: list[str] = []
    while waiting:
        branch, above = waiting.pop()
        if branch.code == code:
            return branch, above
        known.append(branch.code)
        waiting += [(each, [*above, branch]) for each in branch.branches]
    raise InputError("class", f"no document has the class {visible(code)}{nearest(code, filter(None, known))}")


def check_name(opened: OpenedLab, kind: str, name: str) -> Any:
    """The entry of the lab; HTTPException 404 where there is none of this name."""
    try:
        return opened.lab.get(kind, name)
    except InputError as error:
        raise HTTPException(404, sentence(error)) from None


# One document: its texts and claims, its citations both ways, its family, and how it was judged.


def document_view(opened: OpenedLab, cases: Cases) -> Callable[..., Shown]:
    """The view of a document."""

    def document(
        name: str,
        id: str,
        topic: Annotated[str, Query(description="a topic, to show how the document was judged for it")] = "",
        qrels: Annotated[str, Query(description="judgements; those of all sets are shown")] = "",
        case: Annotated[str, Query(description="a case, to grade the document in it", max_length=100)] = "",
    ) -> Shown:
        """A document with its claims, citations both ways, family, near-duplicates and judgements."""
        check_name(opened, "collection", name)
        if qrels:
            check_name(opened, "qrels", qrels)
        try:
            facts = document_facts(opened, name, id)
        except InputError as error:
            raise HTTPException(404, sentence(error)) from None
        empty = Table(["judgements", "grade", "means", "why"], [])
        judged = judgements_of(opened, facts["document"], topic) if topic else empty
        marks = marks_of(opened.lab, facts["document"], topic) if topic else Table(COLUMNS, [])
        of_case = case_facts(known_case(cases, case)) if case else None
        listed = cases.names() if facts["indexes"] else []
        about = {"case": of_case, "cases": listed, "workers": WORKERS}
        return {**facts, "topic": topic, "qrels": qrels, "judged": judged, "marks": marks, **about}

    return document
