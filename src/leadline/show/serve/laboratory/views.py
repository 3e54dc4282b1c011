"""Views: what a page shows is the same data that its JSON address gives, and every table of it downloads.

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

import functools
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.responses import Response

from leadline.errors import InputError, LeadlineError, not_a_choice, visible
from leadline.records.scores.table import Table
from leadline.show.serve.app import Pages

Shown = dict[str, Any]
DOWNLOADS = {  # ending: format, media type
    "csv": ("csv", "text/csv; charset=utf-8"), "tsv": ("tsv", "text/tab-separated-values; charset=utf-8"),
    "json": ("json", "application/json"), "parquet": ("parquet", "application/vnd.apache.parquet"),
    "tex": ("latex", "text/plain; charset=utf-8"), "md": ("markdown", "text/markdown; charset=utf-8"),
}  # fmt: skip
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
    if isinstance(error, InputError) and "/" in error.where and Path(error.where).is_absolute():
        return str(InputError(Path(error.where).name, error.problem, line=error.line))
    return str(error)


def sentence(error: LeadlineError) -> str:
    """What is wrong, as a sentence of a page.

    >>> sentence(InputError("/home/anna/lab/runs/a.run", "must be at least 1, got 0", line=3))
    'a.run, line 3: must be at least 1, got 0.'
    """
    said = visible(str(error))
    if isinstance(error, InputError):
        line = "" if error.line is None else f", line {error.line}"
        said = visible(f"{Path(error.where).name if '/' in error.where else error.where}{line}: {error.problem}")
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
