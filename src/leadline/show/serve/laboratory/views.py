"""Views: a page, its JSON and its tables are the same data; what requests ask, links, and OpenAPI.

A view is a function of the request's parameters, declared as FastAPI reads them, that returns a dictionary. Its values
are what JSON has, and tables. From it come three addresses:

    /leaderboard?qrels=a                      the page
    /api/leaderboard?qrels=a                  the same as JSON
    /leaderboard.csv?qrels=a&table=runs       one of its tables, also .tsv .json .parquet .tex .md
    /topic/7/table.csv?table=ranks            the same of a page whose path has a parameter

A view that cannot answer raises an error of ours, which is shown as a sentence with status 400, or returns its sentence
as `error`, so that the page with its form is shown.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.responses import Response

from leadline.errors import (
    InputError,
    LeadlineError,
    MeasureError,
    MismatchError,
    not_a_choice,
    visible,
    without_places,
)
from leadline.measures.definition import Measure, parse_measure
from leadline.measures.evaluate import MAIN_MEASURE
from leadline.records.result import Table
from leadline.show.charts import in_words
from leadline.show.lab.boards import Board, Boards
from leadline.show.lab.job_plans import OPTIONS, Fields
from leadline.show.serve.app import Pages

Shown = dict[str, Any]
DOWNLOADS = {  # ending: format, media type
    "csv": ("csv", "text/csv; charset=utf-8"),
    "tsv": ("tsv", "text/tab-separated-values; charset=utf-8"),
    "json": ("json", "application/json"),
    "parquet": ("parquet", "application/vnd.apache.parquet"),
    "tex": ("latex", "text/plain; charset=utf-8"),
    "md": ("markdown", "text/markdown; charset=utf-8"),
}
FIELDS = {"before": "published before", "after": "published after"}  # options whose fields have other names
ROLES = ("reader", "runner", "assessor", "expert", "organiser")  # who may look


def add_view(
    app: FastAPI, pages: Pages, path: str, template: str, view: Callable[..., Shown], *, roles: Sequence[str] = ROLES
) -> None:
    """Add the page of a view, its JSON, and the downloads of its tables."""
    api = "/api" + path if path != "/" else "/api/home"
    name = path.strip("/").partition("/")[0] or "home"
    downloads = f"{path}/table" if "{" in path else f"/{name}"

    def may_see(request: Request) -> None:
        pages.visitor_with_role(request, *roles)

    # The role is checked before the view does any work.
    allowed, seen = [Depends(may_see)], Depends(_refusing(view))

    @app.get(api, dependencies=allowed, name=name, tags=["pages"], summary=(view.__doc__ or "").partition("\n")[0])
    def data(shown: Shown = seen) -> Response:
        return Response(json_of(shown), _status(shown), media_type="application/json")

    # Before the page: a parameter at the end of its path would match this address too.
    @app.get(f"{downloads}.{{ending}}", dependencies=allowed, include_in_schema=False)
    def download(ending: str, table: Annotated[str, Query()] = "", shown: Shown = seen) -> Response:
        if ending not in DOWNLOADS:
            raise HTTPException(404, f"There is no .{visible(ending)} of it: choose {', '.join(DOWNLOADS)}.")
        tables = {key: value for key, value in shown.items() if isinstance(value, Table)}
        if table and table not in tables:
            raise HTTPException(404, f"There is no table {not_a_choice('', table, list(tables)).problem}.")
        if not tables:
            raise HTTPException(404, "This page has no table.")
        key = table or next(iter(tables))
        format, media = DOWNLOADS[ending]
        headers = {"content-disposition": f'attachment; filename="{name}-{key}.{ending}"'}
        return Response(tables[key].encoded(format), media_type=media, headers=headers)

    @app.get(path, dependencies=allowed, include_in_schema=False)
    def page(request: Request, shown: Shown = seen) -> Response:
        return pages.page(template, pages.visitor(request), _status(shown), **shown)


def _status(shown: Shown) -> int:
    return 400 if shown.get("error") else 200


def _refusing(view: Callable[..., Shown]) -> Callable[..., Shown]:
    """A view whose errors of ours are answers: what is wrong, in one sentence."""

    @functools.wraps(view)
    def answered(*args: Any, **kwargs: Any) -> Shown:
        try:
            return view(*args, **kwargs)
        except LeadlineError as error:
            raise HTTPException(400, error_line(error)) from None

    # Older versions of FastAPI look the names of annotations up where the wrapper is, and not where the view is.
    vars(answered)["__signature__"] = inspect.signature(view, eval_str=True)
    return answered


def error_line(error: LeadlineError) -> str:
    """An error as the command prints it, without the folders of the server; options are named as the fields of pages.

    >>> error_line(InputError("--before", "'yesterday' is not a date; write 1998-08-12"))
    "published before: 'yesterday' is not a date; write 1998-08-12"
    """
    if isinstance(error, InputError) and error.where.startswith("--"):
        field = error.where.removeprefix("--")
        return str(InputError(FIELDS.get(field, field), error.problem, line=error.line))
    return str(without_places(str(error)))


def sentence(error: LeadlineError) -> str:
    """What is wrong, as a sentence of a page.

    >>> sentence(InputError("/home/anna/lab/runs/a.run", "must be at least 1, got 0", line=3))
    'a.run, line 3: must be at least 1, got 0.'
    """
    said = without_places(visible(str(error)))
    if isinstance(error, InputError):
        line = "" if error.line is None else f", line {error.line}"
        where = Path(error.where).name if "/" in error.where else error.where
        said = visible(f"{where}{line}: {without_places(error.problem)}")
    return said if said.endswith((".", "?")) else f"{said}."


def json_of(shown: Mapping[str, Any]) -> bytes:
    """What a view shows as JSON: a table is a list of rows, undefined is null.

    >>> json_of({"runs": Table(["run", "AP"], [["a", math.nan]])})
    b'{"runs":[{"run":"a","AP":null}]}'
    """
    import json

    text = json.dumps(_plain(shown), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def _plain(value: Any) -> Any:
    if isinstance(value, Table):
        return [dict(zip(value.columns, map(_plain, row), strict=True)) for row in value.rows]
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (str, int, bool)) or value is None:
        return value
    return value.item() if hasattr(value, "item") else str(value)


# What requests ask for, checked: a wrong parameter is answered with one sentence that names the nearest right one.


Word = Annotated[str, Query(max_length=300)]
EFFORTS = (5, 10, 20, 50, 100, 200, 500, 1000)
LARGEST_EFFORT = 1_000_000
PLAIN = ("PRES", "R", "AP", "nDCG", "P", "RR", "bpref", "Rprec")
BY_SUBTOPIC = ("CT", "alpha_nDCG", "strec")


@contextlib.contextmanager
def refused(status: int = 400) -> Iterator[None]:
    """Turn the errors of wrong input into answers with a status."""
    try:
        yield
    except LeadlineError as error:
        raise HTTPException(status, sentence(error)) from None


def chosen_measure(written: str, effort: str = "") -> Measure:
    """The measure of a request. `effort` replaces its cutoff, if it has one.

    >>> chosen_measure("nDCG@10", "100").text, chosen_measure("PRES").text, chosen_measure("bpref", "10").text
    ('nDCG@100', 'PRES@1000', 'bpref')
    """
    name, _, _ = written.partition("@")
    if effort:
        if not (effort.isascii() and effort.isdigit() and 1 <= int(effort) <= LARGEST_EFFORT):
            raise HTTPException(400, f"effort must be a whole number from 1 to {LARGEST_EFFORT:,}, got {effort!r}.")
        with contextlib.suppress(MeasureError):
            found = parse_measure(f"{name}@{int(effort)}")
            if found.cutoff is not None:
                return found
    with refused():
        try:
            found = parse_measure(written or MAIN_MEASURE)
        except MeasureError:
            with contextlib.suppress(MeasureError):
                return parse_measure(f"{name}@{MAIN_MEASURE.partition('@')[2]}")
            raise
        # One name for one measure, whichever way it was asked for.
        return found if found.cutoff is None or "@" in found.text else parse_measure(f"{name}@{found.cutoff}")


def chosen_board(boards: Boards, qrels: str, measure: str, effort: str = "") -> Board:
    """The board of a request; without a measure and an effort it has the measure that the lab begins with."""
    wanted = chosen_measure(measure, effort) if measure or effort else None
    if qrels:
        with refused(404):
            boards.lab.get("qrels", qrels)
    try:
        return boards.board(qrels, wanted)
    except (MeasureError, MismatchError, InputError) as error:
        raise HTTPException(400, sentence(error)) from None


def choices(boards: Boards, board: Board) -> dict[str, object]:
    """What the form of a page offers: judgements, measures and efforts, with the chosen ones among them."""
    name = board.measure.text.partition("@")[0]
    by_subtopic = BY_SUBTOPIC if board.qrels.kind == "subtopics" else ()
    cutoff = board.measure.cutoff
    return {
        "qrels": [entry.name for entry in boards.lab.entries("qrels")],
        "measures": list(dict.fromkeys([*PLAIN, *by_subtopic, name])),
        "efforts": sorted({*EFFORTS, *([cutoff] if cutoff else [])}),
        "measure": name,
        "effort": cutoff,
        "why": str(board.first) if board.measure.text == board.first.measure.text else f"{in_words(board.measure)}.",
    }


# The description of the lab's JSON in OpenAPI: what every address answers, refusals included.


_REFUSAL = {
    "type": "object",
    "required": ["error"],
    "properties": {"saved": {"const": False}, "error": {"type": "string", "description": "what is wrong, and the fix"}},
}
_JSON, _TEXT = ("application/json",), ("application/json", "text/plain")  # text: refused before the lab looks at it
_REFUSALS = {  # status: meaning, media types
    "400": ("A parameter is wrong", _TEXT),
    "401": ("Not signed in", _JSON),
    "403": ("Not for this role", _TEXT),
    "404": ("It is not in the lab", _JSON),
    "429": ("Too many wrong tokens", _JSON),
    "503": ("Not now", _JSON),
}
_REFUSED_POSTS = {
    "408": ("Not all of it came in time", _TEXT),
    "409": ("The name is taken", _JSON),
    "411": ("The length is not given", _TEXT),
    "413": ("Too large", _TEXT),
}
_OBJECT = {"application/json": {"schema": {"type": "object"}}}


def described(app: FastAPI) -> dict[str, Any]:
    """The description that FastAPI makes of an application, with what it does not know: refusals, and who may ask."""
    made = app.openapi()
    known = made.setdefault("components", {})
    known["schemas"] = {"Refusal": _REFUSAL}
    known["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "what follows /in/ in a personal link"}
    }
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            answers = {status: each for status, each in operation["responses"].items() if status != "422"}
            for each in answers.values():
                if not each.get("content", {}).get("application/json", {}).get("schema"):
                    each["content"] = _OBJECT
            refusals = _REFUSALS | (_REFUSED_POSTS if method == "post" else {})
            for status, (words, media) in refusals.items():
                answers[status] = {"description": words, "content": {name: _schema(name) for name in media}}
            operation["responses"] = answers
            if path != "/api/health":
                operation["security"] = [{"token": []}]
    return made


def json_body(required: tuple[str, ...], **properties: str) -> dict[str, Any]:
    """What a POST takes as JSON, for `openapi_extra`: texts, by their names and meanings."""
    texts = {name: {"type": "string", "description": words} for name, words in properties.items()}
    schema = {"type": "object", "required": list(required), "properties": texts}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _schema(media: str) -> dict[str, Any]:
    return {"schema": {"$ref": "#/components/schemas/Refusal"} if media == "application/json" else {"type": "string"}}


def shown_fields(fields: Fields, command: str) -> list[dict[str, object]]:
    """The options of a command that a form has, for its template."""
    known = ("name", "words", "kind", "default", "choices")
    return [{name: getattr(each, name) for name in known} for each in fields(command, OPTIONS[command])]


# Addresses of pages: every choice is in the link.


def link(path: str, values: Mapping[str, Any] | None = None, /, **changed: Any) -> str:
    """The address of a page with these values, some of them changed; empty ones are left out.

    >>> link("/search", {"q": "tin nail", "page": 3}, page=None, model="bm25")
    '/search?q=tin+nail&model=bm25'
    """
    chosen = {**(values or {}), **changed}
    written = {name: value for name, value in chosen.items() if value not in (None, "", False)}
    query = urlencode({name: "1" if value is True else value for name, value in written.items()}, errors="replace")
    return f"{path}?{query}" if query else path


def document_link(collection: str, document: str, /, **values: Any) -> str:
    """The address of a document's page.

    >>> document_link("patents", "EP 1/A", topic="7")
    '/document/patents/EP%201%2FA?topic=7'
    """
    return link(f"/document/{_quoted(collection)}/{_quoted(document)}", values)


def thing_link(page: str, name: str, /, **values: Any) -> str:
    """The address of a page of a thing in the lab, such as /collection/patents."""
    return link(f"/{page}/{_quoted(name)}", values)


def _quoted(name: str) -> str:
    return quote(name, safe="", errors="replace")
