"""A client of a lab that somebody serves: the same data as its pages, in Python, with the standard library alone."""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.errors import InputError, system_reason, visible
from leadline.show.lab.boards import LARGEST_SENT
from leadline.text.files import readable_size

if TYPE_CHECKING:
    import polars

LARGEST_ANSWER = 256 << 20  # bytes
_SIGN_IN = "/in/"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token goes to the server that was named, and to no other."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class LabClient:
    """What a served lab shows and does. `leadline.connect` makes one."""

    def __init__(self, url: str, token: str, *, timeout: float = 60.0) -> None:
        self.url, self._token, self._timeout = url.rstrip("/"), token, timeout
        self._opener = urllib.request.build_opener(_NoRedirect)

    def __repr__(self) -> str:
        return f"<LabClient {self.url}>"

    def get(self, page: str, **choices: object) -> dict[str, Any]:
        """What a page shows: `get("leaderboard", measure="AP")` is what /leaderboard?measure=AP shows."""
        asked = urllib.parse.urlencode({name: str(value) for name, value in choices.items()})
        return self._json("GET", f"/api/{page.strip('/')}{f'?{asked}' if asked else ''}")

    def table(self, page: str, name: str, **choices: object) -> polars.DataFrame:
        """A table of a page as a data frame."""
        import polars

        shown = self.get(page, **choices)
        rows = shown.get(name)
        if not isinstance(rows, list):
            known = ", ".join(key for key, value in shown.items() if isinstance(value, list))
            raise InputError(name, f"is not a table of {page}; it has {known or 'none'}")
        return polars.DataFrame(rows, infer_schema_length=None)

    def add_run(self, path: str | os.PathLike[str], name: str = "", qrels: str = "") -> str:
        """Send a run to the lab; its name there. With `qrels` it must fit these judgements."""
        return str(self._send_file(path, name=name, qrels=qrels)["run"])

    def send_run(self, path: str | os.PathLike[str], task: str = "", **described: object) -> dict[str, Any]:
        """Send a run to a campaign: its receipt, or under `problems` why it is not taken, a line each.

        `described` says how it was made: kind, fields, resources, text and priority.
        """
        return self._send_file(path, task=task, **described)

    def _send_file(self, path: str | os.PathLike[str], **about: object) -> dict[str, Any]:
        file = Path(path)
        try:
            with file.open("rb") as opened:
                content = opened.read(LARGEST_SENT + 1)
        except OSError as error:
            raise InputError(str(path), system_reason(error)) from None
        if len(content) > LARGEST_SENT:
            most = readable_size(LARGEST_SENT)
            raise InputError(str(path), f"is larger than {most}: compress it, or let it be added on the server")
        given = {"name": file.name} | {name: str(value) for name, value in about.items() if value}
        return self._json("POST", f"/api/runs?{urllib.parse.urlencode(given)}", content, "application/octet-stream")

    def start(self, kind: str, **choices: object) -> str:
        """Start a job: `start("run", index="words", topics="topics", system="baseline")`; its id."""
        body = json.dumps({"kind": kind, **{name: str(value) for name, value in choices.items()}}).encode()
        return str(self._json("POST", "/api/jobs", body, "application/json")["id"])

    def wait(self, job: str, *, seconds: float = 3600.0) -> dict[str, Any]:
        """Wait until a job has ended; InputError where it failed, or takes longer."""
        until = time.monotonic() + seconds
        while (found := self.get(f"job/{job}"))["running"]:
            if time.monotonic() > until:
                raise InputError(job, f"has not ended within {seconds:g} s")
            time.sleep(0.5)
        if found["state"] != "done":
            raise InputError(job, f"{found['state']}: {found['problem'] or found['what']}")
        return found

    def _json(self, method: str, path: str, body: bytes | None = None, media: str = "") -> dict[str, Any]:
        request = urllib.request.Request(self.url + path, body, method=method)
        request.add_header("Authorization", f"Bearer {self._token}")
        if media:
            request.add_header("Content-Type", media)
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                written = answer.read(LARGEST_ANSWER + 1)
        except urllib.error.HTTPError as error:
            raise InputError(self.url, _problem(error)) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            said = system_reason(reason) if isinstance(reason, OSError) else visible(str(reason))
            raise InputError(self.url, f"cannot be reached: {said}; is `leadline serve` running there?") from None
        if len(written) > LARGEST_ANSWER:
            raise InputError(self.url, f"answered with more than {LARGEST_ANSWER:,} bytes")
        return _parsed(written, self.url)


def connect(link: str) -> LabClient:
    """A client of a served lab: `link` is the personal link that `leadline serve` or `leadline lab people` printed."""
    try:
        parts = urllib.parse.urlsplit(link)
    except ValueError:  # such as http://[
        parts = urllib.parse.urlsplit("")
    token = parts.path.removeprefix(_SIGN_IN)
    if parts.scheme not in ("http", "https") or not parts.netloc or not parts.path.startswith(_SIGN_IN) or not token:
        raise InputError("link", f"must be like http://127.0.0.1:8377{_SIGN_IN}TOKEN, as `leadline serve` prints it")
    client = LabClient(f"{parts.scheme}://{parts.netloc}", token)
    client.get("csrf")  # whether it is reached, and the link valid
    return client


def _problem(error: urllib.error.HTTPError) -> str:
    """What a server says is wrong."""
    try:
        said = json.loads(error.read(65_536)).get("error")
    except (OSError, ValueError, AttributeError):
        said = None
    return visible(str(said)) if said else f"answered {error.code}"


def _parsed(written: bytes, where: str) -> dict[str, Any]:
    try:
        content = json.loads(written)
    except ValueError:
        raise InputError(where, "did not answer with JSON") from None
    if not isinstance(content, dict):
        raise InputError(where, "did not answer with a JSON object")
    return content
