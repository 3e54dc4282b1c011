"""Any service that takes a query over HTTP and answers with JSON."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import field, replace
from email.message import Message
from typing import Annotated, Any, Literal, Protocol
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from leadline.errors import InputError, system_reason
from leadline.options import Bounds
from leadline.retrieval.engines.engine import (
    LARGEST_ANSWER,
    AskingFailedError,
    Connection,
    EngineHits,
    SearchEngine,
    engine,
    variables_in,
    with_environment,
    without_secrets,
)
from leadline.version import __version__

BUSY = (408, 425, 429, 500, 502, 503, 504)  # statuses that may pass
MESSAGES = ("message", "reason", "msg", "error", "detail")  # names under which services say what is wrong
_HEADER = re.compile(r"[!#$%&'*+.^`|~\w-]+", re.ASCII)
_PLACE = re.compile(r"\{(query|k|size|offset|page)\}")


@engine("http")
class HttpService(SearchEngine):
    """{query}, {k}, {size}, {offset} and {page} in the address, parameters and body are replaced.

    A text that is only "{k}" becomes a number. `hits` is the path to the list of documents, of which the first `skip`
    entries are none; `id` and `score` are paths within one of them. `${NAME}` in a header is the environment variable
    of that name. Redirects are not followed.
    """

    url: str = ""
    method: Literal["GET", "POST"] | None = None  # None: POST with a body, else GET
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    hits: str = ""
    skip: Annotated[int, Bounds(0)] = 0  # entries of that list before the first document: its head
    id: str = "id"
    score: str = ""  # empty: only the order counts
    total: str = ""
    page_size: Annotated[int, Bounds(1)] | None = None  # None: all k documents are asked for at once
    first_page: Annotated[int, Bounds(0)] = 1  # the number of the first page, for {page}

    def __post_init__(self) -> None:
        super().__post_init__()
        if _parts(self.url) is None:
            raise InputError("http", f'url must begin with http:// or https:// and a host, got "{self.url}"')
        if not self.url.isascii() or not self.url.isprintable() or " " in self.url:
            raise InputError(
                "http", f'url has a blank or sign that must be written as %20 or another code: "{self.url}"'
            )
        if outside := variables_in([self.url, json.dumps([dict(self.parameters), self.body])]):
            raise InputError("http", f"${{{outside[0]}}} is replaced in headers only, so that it is never stored")
        everywhere = json.dumps([self.url, dict(self.parameters), self.body])
        if "{query}" not in everywhere:
            raise InputError("http", "{query} must be in the url, the parameters or the body")
        if self.page_size is not None and not re.search(r"\{(offset|page)\}", everywhere):
            raise InputError("http", "page_size needs {offset} or {page} in the url, the parameters or the body")
        for name, text in self.headers.items():
            if not _HEADER.fullmatch(name):
                raise InputError("http", f"{name!r:.60} is not the name of a header")
            value = with_environment(text)
            if not value.isprintable() or not value.isascii():
                whose = " and ".join(f"${{{each}}}" for each in variables_in([text])) or "its value"
                problem = f"header {name}: {whose} has a line break or another sign that a header cannot have"
                raise InputError("http", problem)

    def connect(self, seconds: float) -> Connection:
        return _Http(self, seconds)

    def secret_texts(self) -> tuple[str, ...]:
        return tuple(self.headers.values())

    def note(self) -> str:
        everywhere = json.dumps([self.url, dict(self.parameters), self.body])
        if re.search(r"\{(k|size)\}", everywhere):
            return ""
        return "neither {k} nor {size} is sent: the service gives as many documents as it will"

    def place(self) -> str:
        parts = urlsplit(self.url)
        is_open = parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1")
        return f"{parts.hostname}{', over a connection that is not encrypted,' if is_open else ''}"


class JsonConnection(Protocol):
    """A way to a service that answers a text with any JSON."""

    def answer(self, text: str) -> Any:
        """The whole answer, parsed, where {query} is the text; AskingFailedError where there is none in time."""
        ...

    def close(self) -> None: ...


def json_connection(service: HttpService, seconds: float) -> JsonConnection:
    """A connection for answers that are no lists of documents, such as those of models."""
    return _Http(service, seconds)


class _Http:
    """A connection that is kept open between queries."""

    def __init__(self, service: HttpService, seconds: float) -> None:
        self.service, self.seconds = service, seconds
        self._open: http.client.HTTPConnection | None = None
        self._sent = 0  # requests for the query

    def ask(self, query: str, k: int) -> EngineHits:
        self._sent = 0
        try:
            return replace(self._ask_pages(query, k), requests=self._sent)
        except AskingFailedError as failure:
            failure.requests = self._sent
            raise

    def answer(self, text: str) -> Any:
        return self._content(
            {"query": text, "k": 1, "size": 1, "offset": 0, "page": 1}, time.monotonic() + self.seconds
        )

    def _ask_pages(self, query: str, k: int) -> EngineHits:
        service = self.service
        size = min(service.page_size or k, k)
        deadline = time.monotonic() + self.seconds
        ids: list[str] = []
        scores: list[float] = []
        total = None
        for page in range(-(-k // size)):
            values = {"query": query, "k": k, "size": size, "offset": page * size, "page": page + service.first_page}
            content = self._content(values, deadline)
            hits = self._hits(content)
            if service.total and total is None:
                total = _number(_at(content, service.total), service.total)
            names = [_id_of(hit, service.id) for hit in hits]
            if page and names and set(names) <= set(ids):
                if page == 1:
                    problem = (
                        "the second page repeats the first: does the service take {offset} or {page} by this name?"
                    )
                    raise AskingFailedError(problem)
                break  # some services repeat their last page
            ids += names
            scores += (
                [_number(_at(hit, service.score, "a document"), service.score) for hit in hits] if service.score else []
            )
            if len(hits) < size:
                break
        found = None if total is None else int(total)
        return EngineHits(ids[:k], scores[:k] if service.score else None, found)

    def _hits(self, content: Any) -> list[Any]:
        """The entries of an answer that are documents."""
        place, skip = self.service.hits or "the answer", self.service.skip
        try:
            listed = _at(content, self.service.hits)
        except AskingFailedError as failure:
            if not isinstance(content, Mapping) or not content.get("error"):
                raise
            raise AskingFailedError(
                f"the answer is an error: {self._without_secrets(json.dumps(content).encode())}"
            ) from failure
        if not isinstance(listed, list):
            raise AskingFailedError(f"{place} is not a list of documents")
        if len(listed) < skip:
            raise AskingFailedError(f"{place} has {len(listed)} entries, fewer than the {skip} to skip")
        return listed[skip:]

    def _content(self, values: Mapping[str, Any], deadline: float) -> Any:
        """The answer to one request, parsed."""
        service = self.service
        parts = urlsplit(_filled(service.url, {**values, "query": quote(str(values["query"]), safe="")}))
        parameters = urlencode({name: _filled(text, values) for name, text in service.parameters.items()})
        behind = "&".join(filter(None, (parts.query, parameters)))
        target = f"{parts.path or '/'}?{behind}" if behind else parts.path or "/"
        body = None if service.body is None else json.dumps(_filled_json(service.body, values)).encode()
        headers = {"Accept": "application/json", "User-Agent": f"leadline/{__version__}"}
        headers |= {"Content-Type": "application/json"} if body else {}
        headers |= {name: with_environment(text) for name, text in service.headers.items()}
        method = service.method or ("POST" if body else "GET")
        self._sent += 1
        status, answered, content = self._request(method, target, body, headers, deadline)
        if status != 200:
            said = self._without_secrets(content)
            moved = ", a redirect, which is not followed" if 300 <= status < 400 else ""
            reason = f"HTTP status {status}{moved}{f': {said}' if said else ''}"
            raise AskingFailedError(reason, passes=status in BUSY, wait=_seconds(answered.get("Retry-After", "")))
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            kind = f" but {answered['Content-Type'][:60]}" if answered["Content-Type"] else ""
            begins = self._without_secrets(content[:1000])[:60]
            said = f", and begins {begins!r}" if begins else ", it is empty"
            raise AskingFailedError(f"the answer is not JSON{kind}{said}", passes=True) from None

    def _without_secrets(self, content: bytes) -> str:
        """What an answer says, without secrets."""
        return without_secrets(_error_message(content[: 1 << 16]), self.service.secret_texts())[:200]

    def _request(
        self, method: str, target: str, body: bytes | None, headers: Mapping[str, str], deadline: float
    ) -> tuple[int, Message, bytes]:
        """The status, the headers and the body of an answer, read until the deadline."""
        try:
            answered = self._response(method, target, body, headers, deadline)
            chunks, size = [], 0
            while chunk := answered.read1(1 << 16):
                size += len(chunk)
                chunks.append(chunk)
                if size > LARGEST_ANSWER:
                    raise AskingFailedError("the answer is larger than 64 MiB")
                if time.monotonic() > deadline:
                    raise TimeoutError
            if answered.length:
                raise http.client.IncompleteRead(b"", answered.length)
            answered.close()  # so that the connection can be used again
            if answered.will_close:
                self.close()
            return answered.status, answered.headers, b"".join(chunks)
        except TimeoutError:
            self.close()
            raise AskingFailedError(f"no answer within {self.seconds:g} s", passes=True) from None
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if time.monotonic() >= deadline:
                raise AskingFailedError(f"no answer within {self.seconds:g} s", passes=True) from None
            broke_off = f"the answer broke off ({type(error).__name__})"
            reason = broke_off
            if isinstance(error, OSError) and error.strerror:
                parts = urlsplit(self.service.url)
                port = parts.port or {"http": 80, "https": 443}[parts.scheme]
                reason = f"{parts.hostname}, port {port}: {system_reason(error)}"
            raise AskingFailedError(reason, passes=not isinstance(error, (ssl.SSLError, socket.gaierror))) from None
        except AskingFailedError:
            self.close()
            raise

    def _response(
        self, method: str, target: str, body: bytes | None, headers: Mapping[str, str], deadline: float
    ) -> http.client.HTTPResponse:
        """The beginning of an answer. A connection that the server closed since the last query is opened again."""
        is_new = self._open is None
        connection = self._open = self._open or self._connected()
        try:
            connection.timeout = max(deadline - time.monotonic(), 0.001)
            if connection.sock is not None:
                connection.sock.settimeout(connection.timeout)
            # Every line that arrives begins the socket's own limit again, and a server may send lines forever.
            watch = threading.Timer(connection.timeout, _cut, (connection,))
            watch.daemon = True
            watch.start()
            try:
                connection.request(method, target, body, dict(headers))
                return connection.getresponse()
            finally:
                watch.cancel()
        except (ConnectionError, http.client.BadStatusLine):
            if is_new:
                raise
            self.close()
            return self._response(method, target, body, headers, deadline)

    def _connected(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.service.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=self.seconds)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            if self._open is not None:
                self._open.close()
        self._open = None


def _cut(connection: http.client.HTTPConnection) -> None:
    """End a connection from another thread: who reads from it gets no more."""
    with contextlib.suppress(OSError, AttributeError):  # it may be closed by now
        connection.sock.shutdown(socket.SHUT_RDWR)


def _parts(url: str) -> SplitResult | None:
    """The parts of an address over HTTP; None for any other text."""
    try:
        parts = urlsplit(url)
        return parts if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 else None
    except ValueError:  # a port that is not a number, or an IPv6 address that is not valid
        return None


def _filled(text: str, values: Mapping[str, Any]) -> str:
    """A text with its places filled, in one pass: a query may hold anything.

    >>> _filled("{query} {k}", {"query": "{k}", "k": 5})
    '{k} 5'
    """
    return _PLACE.sub(lambda found: str(values[found[1]]), text)


def _filled_json(template: Any, values: Mapping[str, Any]) -> Any:
    """A body with its places filled.

    >>> _filled_json({"size": "{k}", "query": ["{query}*"]}, {"query": 'a "b"', "k": 5})
    {'size': 5, 'query': ['a "b"*']}
    """
    if isinstance(template, str):
        whole = _PLACE.fullmatch(template)
        return values[whole[1]] if whole else _filled(template, values)
    if isinstance(template, Mapping):
        return {name: _filled_json(value, values) for name, value in template.items()}
    return [_filled_json(value, values) for value in template] if isinstance(template, list) else template


def _error_message(content: bytes) -> str:
    """What an error says: its message where it is JSON that has one, else all of it, in one line.

    >>> _error_message(b'{"header": {"code": -22, "error": {"message": "no such table"}}}')
    'no such table'
    >>> _error_message(b"<p>no such page\\n")
    '<p>no such page'
    """
    text = content.decode("utf-8", "replace")
    try:
        waiting = [json.loads(text)]
    except (ValueError, RecursionError):
        waiting = []
    while waiting:
        table = waiting.pop(0)
        if isinstance(table, Mapping):
            told = [table[name] for name in MESSAGES if isinstance(table.get(name), str)]
            text, waiting = (told[0], []) if told else (text, [*waiting, *table.values()])
    return " ".join(text.split())


def _at(content: Any, path: str, whole: str = "the answer") -> Any:
    try:
        return value_at(content, path, whole)
    except KeyError as error:
        raise AskingFailedError(str(error.args[0])) from None


def _id_of(hit: Any, path: str) -> str:
    name = hit if isinstance(hit, str) else _at(hit, path, "a document")
    if isinstance(name, list) and len(name) == 1:  # Solr's fields may have several values
        name = name[0]
    if not isinstance(name, (str, int)) or isinstance(name, bool) or not str(name).strip():
        raise AskingFailedError(f"{path} of a document is {name!r:.60}, not an id")
    return str(name)


def _number(value: Any, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise AskingFailedError(f"{path} is {value!r:.60}, not a number")
    try:
        return float(value)
    except OverflowError:
        raise AskingFailedError(f"{path} is a number of more than 300 digits") from None


def _seconds(written: str) -> float:
    """How long a Retry-After asks to wait; a date counts as a second."""
    return min(float(written), 60.0) if written.strip().isdigit() else float(bool(written))


# Places in JSON: `hits.hits` is the value of "hits" in that of "hits"; a number is a place in a list.
#
# A key that has a dot itself is written in quotes: `meta."doc.id"`.


_PART = re.compile(r'"([^"]*)"|([^."]+)')


def parts_of(path: str) -> list[str]:
    """The keys of a path.

    >>> parts_of('hits.0."doc.id"')
    ['hits', '0', 'doc.id']
    """
    return [quoted or plain for quoted, plain in _PART.findall(path)]


def value_at(content: Any, path: str, whole: str = "the answer") -> Any:
    """The value at a path; the whole content for an empty path. A KeyError names the keys that `whole` has there.

    >>> value_at({"hits": [{"id": "EP1"}]}, "hits.0.id")
    'EP1'
    """
    found = content
    for place, part in enumerate(parts_of(path)):
        if isinstance(found, dict) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.isdigit() and int(part) < len(found):
            found = found[int(part)]
        else:
            where = f"{'.'.join(parts_of(path)[:place])} of {whole}" if place else whole
            raise KeyError(f"no {part!r} in {where}, which has {_contents(found)}")
    return found


def _contents(found: Any) -> str:
    if isinstance(found, dict):
        return ", ".join(repr(str(key)[:30]) for key in list(found)[:6]) or "no keys"
    return f"{len(found)} entries" if isinstance(found, list) else f"{str(found)[:30]!r}"
