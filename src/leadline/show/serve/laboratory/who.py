"""Who looks at the lab, for the length of a request: whatever a page asks the lab, the lab knows for whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fastapi import Request

from leadline.judge.assessors.people import People, Person
from leadline.show.lab.viewer import Viewer, seen_by
from leadline.show.serve.app import Pages
from leadline.show.serve.security import App, Receive, Scope, Send

OWNER = "owner"  # who started the server
NOBODY = Viewer("", "nobody")


class OwnerAlone(People):
    """The people of a lab that is not served to a team: who started the server, and nobody else."""

    def find(self, token: str) -> Person | None:
        found = super().find(token)
        return found if found is not None and found.name == OWNER else None


class OwnerJudges(OwnerAlone):
    """The same in the judging and reviewing pages: there the owner reads and marks, as an assessor does."""

    def __iter__(self) -> Iterator[Person]:
        return (replace(person, role="assessor") for person in super().__iter__() if person.name == OWNER)

    def get(self, name: str) -> Person | None:
        return next((person for person in self if person.name == name), None)

    def find(self, token: str) -> Person | None:
        found = super().find(token)
        return None if found is None else replace(found, role="assessor")


class WhoLooks:
    """Around the application: sets the viewer of a request. Who is not signed in is nobody, who sees the least."""

    def __init__(self, app: App, pages: Pages) -> None:
        self._app, self._pages = app, pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with seen_by(self._viewer(Request(scope))):
            await self._app(scope, receive, send)

    def _viewer(self, request: Request) -> Viewer:
        person = self._pages.person(request)
        return NOBODY if person is None else Viewer(person.name, person.role)
