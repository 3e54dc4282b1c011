"""The general part of the pages: signing in, who asks, forms and JSON, templates, assets, and errors."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePath
from typing import Any, get_args
from urllib.parse import parse_qs

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from jinja2 import Environment, FunctionLoader, StrictUndefined
from starlette.requests import ClientDisconnect

from leadline.errors import InputError, visible
from leadline.judge.assessors.journal import Role
from leadline.judge.assessors.people import People, Person
from leadline.show.serve.form_parts import form_parts
from leadline.show.serve.security import Address, WrongSignIns, csrf_of
from leadline.version import __version__

COOKIE = "leadline_session"
TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
HERE = "leadline.show.serve"
NOT_SIGNED_IN = "You are not signed in: open your personal link."
_MISSING = "There is no such page."


@dataclass(frozen=True)
class Visitor:
    """Who makes a request."""

    person: Person
    csrf: str
    by_header: bool = False  # a program that sent its token, which no browser does by itself

    @property
    def name(self) -> str:
        return self.person.name


class Pages:
    """What the pages of one job need: the people, the templates and the answers."""

    def __init__(
        self, people: People, address: Address, packages: Sequence[str] = (), title: str = "Leadline", *,
        cookie: str = COOKIE, constants: Mapping[str, Any] | None = None, prefix: str = "",
        roles: Sequence[str] = get_args(Role), public_title: str = "",
    ) -> None:  # fmt: skip
        """`packages` have folders `assets` and `templates` of their own, besides the general ones.

        `constants` are known to every template; `prefix` comes before every address, where the pages are part of
        others; only people with one of `roles` are let in; who is not signed in sees `public_title`, where it is given.
        """
        self.people, self.address, self.title, self.cookie = people, address, title, cookie
        self._public_title = public_title or title
        self.prefix, self._roles = prefix, roles
        self._packages = (HERE, *packages)
        self._wrong = WrongSignIns()
        self._assets = {name: content for package in self._packages for name, content in _assets(package)}
        self._templates = Environment(
            loader=FunctionLoader(self._template), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        self._templates.globals.update({"prefix": prefix, **(constants or {})})

    def _template(self, name: str) -> str | None:
        for package in self._packages:
            found = files(package) / "templates" / name
            if found.is_file():
                return found.read_text(encoding="utf-8")
        return None

    def visitor(self, request: Request) -> Visitor:
        """Who asks; HTTPException 401 for nobody we know."""
        token, by_header = self._token(request)
        person = self.person(request)
        if person is None:
            if token:
                self._count_wrong(request)
            raise HTTPException(401, NOT_SIGNED_IN)
        if person.role not in self._roles:
            raise HTTPException(403, f"This is for the {' and the '.join(self._roles)}.")
        return Visitor(person, csrf_of(token), by_header)

    def person(self, request: Request) -> Person | None:
        """Who asks; None for nobody we know."""
        token, _ = self._token(request)
        self.people.refresh()
        return self.people.find(token) if token else None

    def _token(self, request: Request) -> tuple[str, bool]:
        """The token of a request, and whether a program sent it in a header."""
        scheme, _, sent = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return sent.strip(), True
        return request.cookies.get(self.cookie, ""), False

    def _count_wrong(self, request: Request) -> None:
        """Count a wrong token of an address; HTTPException 429 where there were too many."""
        if self._wrong.is_too_many(request.client.host if request.client else ""):
            raise HTTPException(429, "Too many wrong links from your address. Wait a minute.")

    def visitor_with_role(self, request: Request, *roles: str) -> Visitor:
        """Who asks, if they have one of these roles; HTTPException 403 if not."""
        found = self.visitor(request)
        if found.person.role not in roles:
            raise HTTPException(403, f"This is for the {' and the '.join(roles)}.")
        return found

    def sender(self, request: Request, *roles: str) -> Visitor:
        """Who sends something from a page of ours, if they have one of these roles; HTTPException if not."""
        found = self.visitor_with_role(request, *roles)
        _check_csrf(found, request.headers.get("x-csrf-token", ""))
        return found

    async def written_json(self, request: Request) -> dict[str, Any]:
        """The JSON object that a page of ours sent; HTTPException for anything else."""
        found = self.visitor(request)
        _check_csrf(found, request.headers.get("x-csrf-token", ""))
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise HTTPException(400, "Expected JSON.")
        try:
            content = json.loads(await request.body())
            json.dumps(content, ensure_ascii=False).encode()  # half of a character, as in "\\ud800", cannot be stored
        except (ValueError, RecursionError):
            raise HTTPException(400, "This is not JSON.") from None
        if not isinstance(content, dict):
            raise HTTPException(400, "Expected a JSON object.")
        return content

    async def written_form(self, request: Request) -> dict[str, str]:
        """The fields of a form of ours; HTTPException for anything else."""
        found = self.visitor(request)
        if request.headers.get("content-type", "").partition(";")[0].lower() != "application/x-www-form-urlencoded":
            raise HTTPException(400, "Expected a form.")
        try:
            written = parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=100)
        except ValueError:
            raise HTTPException(400, "This is not a form.") from None
        fields = {name: values[0] for name, values in written.items()}
        _check_csrf(found, fields.get("csrf", ""))
        return fields

    async def written_parts(self, request: Request) -> dict[str, bytes]:
        """The fields and files of a form of ours that may have files; HTTPException for anything else."""
        found = self.visitor(request)
        try:
            fields = form_parts(await request.body(), request.headers.get("content-type", ""))
        except ValueError:
            raise HTTPException(400, "Expected a form.") from None
        except ClientDisconnect:
            raise HTTPException(408, "Not all of it came in time.") from None
        _check_csrf(found, fields.get("csrf", b"").decode("latin-1"))
        return fields

    def page(self, template: str, visitor: Visitor | None, status: int = 200, **content: Any) -> HTMLResponse:
        """A page of a template."""
        title = self._public_title if visitor is None else self.title
        shown = {"visitor": visitor, "title": title, "version": __version__, **content}
        text = self._templates.get_template(template).render(shown)
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def app(self) -> FastAPI:
        """An application that signs people in and serves the assets; the pages of the job are added to it."""
        # Newer versions send the paths of requests, tokens among them, to a collector that the environment names.
        silent: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
        app = FastAPI(
            title=self.title, version=__version__, docs_url=None, redoc_url=None, openapi_url=None, telemetry=silent
        )

        @app.get("/in/{token}", include_in_schema=False)
        def sign_in(token: str, request: Request) -> Response:
            self.people.refresh()
            person = self.people.find(token)
            if person is None:
                self._count_wrong(request)
                raise HTTPException(403, "This link is wrong, has expired or was revoked. Ask the organiser for one.")
            answer = RedirectResponse(f"{self.prefix}/", 303)
            answer.set_cookie(
                self.cookie, token, httponly=True, samesite="strict", secure=self.address.secure, path="/",
                max_age=person.seconds_left,
            )  # fmt: skip
            return answer

        @app.post("/out", include_in_schema=False)
        async def sign_out(request: Request) -> Response:
            await self.written_form(request)
            answer = self.page("message.html", None, heading="Signed out", text="Open your personal link to go on.")
            answer.delete_cookie(self.cookie, path="/", httponly=True, samesite="strict")
            return answer

        @app.get("/assets/{name}", include_in_schema=False)
        def asset(name: str) -> Response:
            content = self._assets.get(name)
            if content is None:
                raise HTTPException(404, _MISSING)
            return Response(content[0], media_type=content[1], headers={"cache-control": "no-cache"})

        @app.get("/favicon.ico", include_in_schema=False)
        def icon() -> Response:
            return Response(*self._assets["buoy.svg"][:1], media_type="image/svg+xml")

        @app.get("/api/health")
        def health() -> dict[str, bool]:
            return {"ok": True}

        @app.get("/api/csrf")
        def csrf(request: Request) -> dict[str, str]:
            found = self.visitor(request)
            return {"csrf": found.csrf, "person": found.name, "role": found.person.role}

        @app.exception_handler(404)
        @app.exception_handler(405)
        def missing(request: Request, error: Exception) -> Response:
            said = getattr(error, "detail", "")
            return self._refusal(request, 404, _MISSING if said in ("Not Found", "Method Not Allowed") else said)

        @app.exception_handler(HTTPException)
        def refused(request: Request, error: HTTPException) -> Response:
            return self._refusal(request, error.status_code, str(error.detail))

        @app.exception_handler(RequestValidationError)
        def wrong(request: Request, error: Exception) -> Response:
            return self._refusal(request, 400, _wrong_value(error))

        @app.exception_handler(InputError)
        def failed(request: Request, error: InputError) -> Response:
            return self._refusal(request, 503, visible(error.problem))

        @app.exception_handler(Exception)
        def broken(request: Request, error: Exception) -> Response:
            return PlainTextResponse("The server failed. What you sent was not saved.\n", 500)

        return app

    def _refusal(self, request: Request, status: int, text: str) -> Response:
        """An error as JSON for a program, as a page for a person."""
        if request.url.path.removeprefix(self.prefix).startswith("/api/"):
            return JSONResponse({"saved": False, "error": text}, status)
        # A link in a message opens this page from another site, and then browsers hold a strict cookie back: once more
        # from here, and it is sent.
        again = status == 401 and request.method == "GET" and "again" not in request.query_params
        return self.page("message.html", None, status, heading="Not possible", text=text, again=again)


def _wrong_value(error: Exception) -> str:
    """What is wrong with a parameter of an address, in a sentence."""
    first: dict[str, Any] = next(iter(error.errors()), {}) if isinstance(error, RequestValidationError) else {}
    if not first or first.get("type") == "missing":
        return "The address is not complete."
    said = str(first["msg"]).removeprefix("Input should be ").partition(", unable")[0]
    return visible(f"{first['loc'][-1]} must be {said}, got {str(first.get('input'))[:80]!r}.")


def _check_csrf(visitor: Visitor, given: str) -> None:
    if not visitor.by_header and not hmac.compare_digest(visitor.csrf.encode(), given.encode("utf-8", "surrogatepass")):
        raise HTTPException(403, "This was not sent by a page of this server. Load the page again.")


def _assets(package: str) -> list[tuple[str, tuple[bytes, str]]]:
    """The assets of a package, read once: no request names a file."""
    folder = files(package) / "assets"
    typed = ((each, TYPES.get(PurePath(each.name).suffix)) for each in folder.iterdir())
    return [(each.name, (each.read_bytes(), media)) for each, media in typed if media is not None]
