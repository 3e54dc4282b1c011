"""Who may see and do what: links, forged requests, roles, headers, the log."""

from __future__ import annotations

import asyncio
import concurrent.futures
import socket
import time
import uuid
from typing import Any

import httpx
import pytest

from leadline.errors import InputError
from leadline.show.serve import security
from leadline.show.serve.app import MOST_PARTS, form_parts
from leadline.show.serve.judging_pages import judging_app
from leadline.show.serve.security import POLICY, Address, WrongSignIns, csrf_of, listen

JUDGEMENT = {"topic": "T1", "document": "D01", "grade": 1}
PART = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\none'


def test_a_link_signs_in_and_its_end_is_at_once(site: Any) -> None:
    visit = site.client()
    assert visit.get("/").status_code == 401
    assert visit.get("/api/next").status_code == 401
    assert visit.get("/in/guessed").status_code == 403
    anna = site.client("anna")
    assert anna.get("/api/next").status_code == 200
    fresh = site.people.add("anna", "assessor")
    assert anna.get("/api/next").status_code == 401
    site.tokens["anna"] = fresh
    anna = site.client("anna")
    assert anna.get("/").status_code == 200
    site.people.revoke("anna")
    assert anna.get("/").status_code == 401
    assert anna.judge("D01", 1).status_code == 401
    assert site.client().get(f"/in/{fresh}").status_code == 403


def test_the_cookie_is_for_this_site_only(site: Any) -> None:
    answer = site.client().get(f"/in/{site.tokens['anna']}")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    out = site.client("anna").form("/out")
    assert out.status_code == 200
    assert 'leadline_session=""' in out.headers["set-cookie"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-CSRF-Token": ""}, 403),
        ({"X-CSRF-Token": csrf_of("another")}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "http://["}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Host": "evil.example"}, 400),
        ({"Host": "127.0.0.1.evil.example"}, 400),
        ({"Host": ""}, 400),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_forged_requests_are_refused(site: Any, headers: dict[str, str], status: int) -> None:
    anna = site.client("anna")
    assert anna.post("/api/judgements", {"id": uuid.uuid4().hex, **JUDGEMENT}, **headers).status_code == status
    assert len(site.desk.journal) == 0
    assert anna.post("/api/judgements", {"id": uuid.uuid4().hex, **JUDGEMENT}, Origin=site.url).status_code == 200


def test_forms_need_their_token(site: Any) -> None:
    olga = site.client("olga")
    olga.csrf = "wrong"
    assert olga.form("/organise/close", topic="T1").status_code == 403
    assert len(site.desk.journal) == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        PART + b"\r\n",
        PART + b"\r\n" + PART[:-2],
        PART + b"\r\n--x-",
        (PART + b"\r\n") * (MOST_PARTS + 1) + b"--x--",
        b"before\r\n" + PART + b"\r\n--x--",
        b"--x\r\nContent-Disposition: form-data\r\n\r\none\r\n--x--",
    ],
)
def test_a_form_that_is_cut_off_or_strange_is_refused_whole(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"is cut off|without a name"):
        form_parts(body, "multipart/form-data; boundary=x")


def test_who_sends_a_form_does_not_choose_how_it_is_decoded() -> None:
    body = PART.replace(b"one", b"a-" + b"b9" * 100_000) + b"\r\n--x--"
    start = time.process_time()
    (part,) = form_parts(body, "multipart/form-data; charset=punycode; boundary=x")
    assert time.process_time() - start < 0.5  # that codec takes the square of the length
    assert len(part.content) == 200_002


def test_roles_keep_to_their_addresses(site: Any) -> None:
    anna, ben, eve, olga = (site.client(name) for name in ("anna", "ben", "eve", "olga"))
    ben.judge("D01", 2, note="bens note")
    eve.judge("D01", 1, note="eves note")
    for visit in (anna, ben, eve):
        assert visit.get("/organise").status_code == 403
        for path in ("assign", "send-back", "close"):
            assert visit.form(f"/organise/{path}", topic="T1", person="anna", text="x").status_code == 403
    assert olga.judge("D02", 1).status_code == 403
    for path in ("/api/next", "/judge", "/api/documents"):
        assert anna.get(path, topic="T1", view="relevant").status_code == 403
    asked = [("/", {}), ("/judge", {"topic": "T1", "document": "D01"}), ("/api/next", {"topic": "T1", "count": 10}),
             ("/api/card", {"topic": "T1", "document": "D01"}), ("/api/documents", {"topic": "T1"}),
             ("/api/topic", {"topic": "T1"}), ("/api/csrf", {})]  # fmt: skip
    for path, values in asked:
        text = anna.get(path, **values).text
        for secret in ("bens note", "eves note", "ben", "eve", "stratum", '"rank"', '"marks"'):
            assert secret not in text.replace("event", "").replace("never", ""), (path, secret)


def test_every_answer_has_the_policy(site: Any) -> None:
    anna = site.client("anna")
    answers = [anna.get("/"), anna.get("/api/next"), anna.get("/assets/judge.js"), anna.get("/nowhere"),
               site.client().get("/in/wrong"), anna.http.get("/", headers={"Host": "evil.example"})]  # fmt: skip
    for answer in answers:
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "server" not in answer.headers
    page = anna.get("/judge", topic="T1").text
    assert "<script>" not in page
    assert "style=" not in page
    assert "onclick" not in page


@pytest.mark.parametrize(
    "path", ["/assets/../app.py", "/assets/%2e%2e%2fapp.py", "/assets//etc/passwd", "/openapi.json", "/docs"]
)
def test_no_path_reaches_a_file(site: Any, path: str) -> None:
    answer = site.client("anna").get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


def test_documents_and_names_are_shown_as_text(site: Any) -> None:
    anna, olga = site.client("anna"), site.client("olga")
    anna.judge("D01", 1, note="<script>alert(1)</script>")
    site.client("ben").judge("D01", 0)
    page = olga.get("/organise").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


def test_wrong_links_are_limited(site: Any) -> None:
    visit = site.client()
    answers = [visit.get(f"/in/wrong{n}").status_code for n in range(32)]
    assert answers == [403] * 30 + [429] * 2
    assert visit.get(f"/in/{site.tokens['anna']}").status_code == 303
    assert visit.get("/").status_code == 200
    wrong = WrongSignIns(most=2, within=0.0)
    assert not any(wrong.is_too_many("a") for _ in range(5))


def test_wrong_cookies_are_limited_as_well(site: Any) -> None:
    def guess(n: int) -> int:
        headers = {"Cookie": f"leadline_session=guess{n}"}
        return httpx.get(f"{site.url}/api/csrf", headers=headers, verify=False).status_code

    assert [guess(n) for n in range(32)] == [401] * 30 + [429] * 2
    assert site.client("anna").get("/").status_code == 200


def test_the_log_has_no_tokens(site: Any, capfd: pytest.CaptureFixture[str]) -> None:
    site.client("anna").get("/api/next", topic="T1")
    site.client().get("/in/a-secret-guess")
    said, end = capfd.readouterr().err, time.monotonic() + 10
    while said.count("GET") < 4 and time.monotonic() < end:  # a line may come after its answer
        time.sleep(0.05)
        said += capfd.readouterr().err
    assert "GET /in/* 303" in said
    assert "GET /api/next 200" in said
    assert site.tokens["anna"] not in said
    assert "a-secret-guess" not in said
    token = site.tokens["anna"]
    for path in (
        f"//in/{token}",
        f"/IN/{token}",
        f"/judge/in/{token}",
        f"/{token}",
        f"/%69n/{token}/",
        f"/in/a%0d%0a{token}",
    ):
        raw(site, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nConnection: close\r\n\r\n".encode())
    said = capfd.readouterr().err
    assert said.count("GET") == 6
    assert token not in said


def raw(site: Any, request: bytes, *, wait: float = 10.0) -> bytes:
    """What the server answers to bytes that no browser sends."""
    with socket.create_connection(("127.0.0.1", site.port), timeout=wait) as connection:
        connection.sendall(request)
        said = b""
        while part := connection.recv(65536):
            said += part
    return said


# Every address, and who may read it: a new one must be added here.
READABLE = {
    "/next": "assessor expert organiser",
    "/": "assessor expert organiser", "/judge?topic=T1": "assessor expert organiser",
    "/judge?topic=T1&document=D01": "assessor expert organiser", "/judge?topic=T1&view=relevant": "expert organiser",
    "/organise": "organiser", "/api/topic?topic=T1": "assessor expert organiser", "/api/next": "assessor expert",
    "/api/card?topic=T1&document=D01": "assessor expert organiser",
    "/api/text?topic=T1&document=D01&field=claims": "assessor expert organiser",
    "/api/documents?topic=T1": "assessor expert organiser", "/api/documents?topic=T1&view=unsure": "expert organiser",
    "/api/csrf": "assessor expert organiser",
}  # fmt: skip
WRITABLE = {
    "/api/judgements": "assessor expert", "/api/skips": "assessor expert", "/api/notes": "assessor expert",
    "/api/passages": "assessor expert", "/api/undo": "assessor expert", "/organise/assign": "organiser",
    "/organise/send-back": "organiser", "/organise/close": "organiser",
    "/organise/round": "organiser", "/out": "assessor expert organiser",
}  # fmt: skip
OPEN = {"/in/{token}", "/assets/{name}", "/favicon.ico", "/api/health"}


def test_every_address_is_known_to_these_tests(site: Any) -> None:
    known = {path.partition("?")[0] for path in (*READABLE, *WRITABLE)} | OPEN
    assert {route.path for route in judging_app(site.desk, Address.of("127.0.0.1", 1), "x").routes} == known


@pytest.mark.parametrize(("person", "role"), [("anna", "assessor"), ("eve", "expert"), ("olga", "organiser"), ("", "")])
def test_every_address_by_every_role(site: Any, person: str, role: str) -> None:
    site.client("ben").judge("D01", 2, note="bens note", reason="bens reason")
    before = len(site.desk.journal)
    visit = site.client(person)
    for path, roles in READABLE.items():
        answer = visit.http.get(path)
        wanted = 200 if role in roles.split() else 403 if role else 401
        leads_on = path == "/next" or (path == "/" and role == "organiser")
        assert answer.status_code in ((wanted, 303) if leads_on else (wanted,)), path
        assert answer.headers["content-security-policy"] == POLICY
        if role in ("assessor", ""):
            assert not any(secret in answer.text for secret in ("bens note", "bens reason", "stratum", '"marks"')), path
    for path, roles in WRITABLE.items():
        if role in roles.split():
            continue
        sent = visit.form(path, topic="T1") if "api" not in path else visit.post(path, {"id": "x" * 20, **JUDGEMENT})
        assert sent.status_code == (403 if role else 401), path
    assert len(site.desk.journal) == before


def test_a_topic_of_others_is_closed_to_an_assessor(site: Any) -> None:
    site.client("olga").form("/organise/assign", topic="T1", person="ben")
    anna = site.client("anna")
    asked = [path for path in READABLE if "topic=T1" in path and "view" not in path]
    assert {anna.http.get(path).status_code for path in asked} == {403}
    assert anna.judge("D01", 1).status_code == 403
    assert anna.post("/api/undo", {"id": "u" * 20, "topic": "T1"}).status_code == 403


def test_nobody_undoes_or_takes_over_the_marks_of_another(site: Any) -> None:
    ben, anna = site.client("ben"), site.client("anna")
    done = ben.judge("D01", 2).json()["id"]
    undo = {"id": uuid.uuid4().hex, "topic": "T1", "document": "D01"}
    answers = {anna.post("/api/undo", {**undo, "target": target}).text for target in (done, "unknown-id")}
    assert len(answers) == 1  # whether it exists cannot be told
    assert anna.post("/api/judgements", {"id": done, **JUDGEMENT}).status_code == 409
    assert [event.person for event in site.desk.journal.events()] == ["ben"]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "HEAD", "BREW"])
def test_methods(site: Any, method: str) -> None:
    host = f"Host: 127.0.0.1:{site.port}\r\nConnection: close\r\n\r\n"
    said = raw(site, f"{method} /api/health HTTP/1.1\r\n{host}".encode())
    assert said.split()[1] in (b"400", b"404", b"405")
    assert b"access-control" not in said.lower()


HOSTILE_BODIES = [
    b"[" * 100_000, b'{"a":' * 40_000, b'{"id": NaN}', b"\xff\xfe", b"", b"null", b'"x"', b"1e999", b"9" * 5000,
    b'{"id": "\\ud800aaaaaaaa", "topic": "T1", "document": "D01", "grade": 1}',
    b'{"id": "aaaaaaaaaa", "topic": "T1", "document": "D01", "grade": 1, "note": "\\udfff"}',
    b'{"id": "aaaaaaaaaa", "topic": "T1\\u0000", "document": "D01", "grade": 1}',
    b'{"id": "short", "topic": "T1", "document": "D01", "grade": 1, "note": "kept?"}',
    b'{"id": 12345678901, "topic": "T1", "document": "D01", "grade": 1, "note": "kept?"}',
    b'{"id": "aaaaaaaaaa", "topic": ["T1"], "document": {"a": 1}, "grade": 1}',
    b'{"id": "aaaaaaaaaa", "topic": "T1", "document": "../../etc/passwd", "grade": 1}',
    b'{"id": "aaaaaaaaaa", "topic": "T1", "document": "D01", "grade": 1e400}',
    b'{"id": "aaaaaaaaaa", "topic": "T1", "document": "D01", "grade": 1, "reason": {"x": 1}}',
]  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE_BODIES, ids=range(len(HOSTILE_BODIES)))
def test_hostile_bodies_store_nothing(site: Any, body: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    anna = site.client("anna")
    headers = {"X-CSRF-Token": anna.csrf, "Content-Type": "application/json"}
    answer = anna.http.post("/api/judgements", content=body, headers=headers)
    assert answer.status_code in (400, 404)
    assert answer.json()["saved"] is False
    assert len(site.desk.journal) == 0
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "seconds", ["1" + "0" * 400, "NaN", "Infinity", "-Infinity", "-1", "true", '"x"', "null", "[]"]
)
def test_odd_times_are_stored_as_numbers(site: Any, seconds: str) -> None:
    anna = site.client("anna")
    body = f'{{"id": "{uuid.uuid4().hex}", "topic": "T1", "document": "D01", "grade": 1, "seconds": {seconds}}}'
    headers = {"X-CSRF-Token": anna.csrf, "Content-Type": "application/json"}
    assert anna.http.post("/api/judgements", content=body.encode(), headers=headers).status_code == 200
    assert 0 <= next(site.desk.journal.events()).seconds <= 86_400


def test_slow_and_broken_requests_hold_nobody_up(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "SLOWEST_START", 0.5)
    head = f"POST /api/judgements HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n"
    start = time.monotonic()
    assert raw(site, f"{head}Content-Length: 1000\r\n\r\n{{".encode()).split()[1] == b"408"
    assert time.monotonic() - start < 8
    for lengths in ("-1", "1, 2", "1\r\nContent-Length: 2", "\u00b2", "0x10"):
        said = raw(site, f"{head}Content-Length: {lengths}\r\n\r\n".encode("latin-1"), wait=40)
        assert said.split()[1] in (b"400", b"408", b"411"), lengths
    assert (
        raw(site, f"{head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n".encode()).split()[1]
        == b"411"
    )
    large = site.client("anna").http.post("/api/judgements", content=b"x" * 3_000_000)
    assert large.status_code == 413
    assert site.client("anna").judge("D01", 1).status_code == 200


def test_the_same_id_at_once_is_stored_once(site: Any) -> None:
    anna, uid = site.client("anna"), uuid.uuid4().hex
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        sent = [pool.submit(anna.post, "/api/judgements", {"id": uid, **JUDGEMENT, "grade": n % 2}) for n in range(32)]
        answers = [each.result() for each in sent]
    stored = list(site.desk.journal.events())
    assert len(stored) == 1
    for n, answer in enumerate(answers):  # who is told "saved" sent what is stored
        assert (answer.status_code == 200) == (str(n % 2) == stored[0].value)
    assert sum(answer.json().get("stored") == "new" for answer in answers) == 1


def test_addresses() -> None:
    address = Address.of("127.0.0.1", 8377, "https://judging.example.org/")
    assert address.link("t") == "https://judging.example.org/in/t"
    assert address.secure
    assert address.is_ours("https://judging.example.org")
    assert address.is_ours("http://localhost:8377")
    assert not address.is_ours("http://localhost:9999")
    assert "[::1]:8377" in address.hosts
    with pytest.raises(InputError, match="must be like https"):
        Address.of("127.0.0.1", 1, "judging.example.org")
    taken = listen("127.0.0.1", 0)
    taken.listen()
    with pytest.raises(InputError, match="choose another --port"):
        listen("127.0.0.1", taken.getsockname()[1])
    taken.close()
    with pytest.raises(InputError, match="choose another --host"):
        listen("256.1.1.1", 0)


def test_a_connection_the_server_has_closed_is_one_line_in_the_log() -> None:
    """The server answers bytes that are not HTTP itself while the application is still answering the request before."""
    h11 = pytest.importorskip("h11")
    lines: list[str] = []

    async def pages(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x"})

    async def closed(message: Any) -> None:
        raise h11.LocalProtocolError("must close")

    guarded = security.Guard(pages, Address.of("127.0.0.1", 1), lines.append)
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"127.0.0.1:1")]}
    asyncio.run(guarded(scope, closed, closed))
    assert len(lines) == 1
    assert lines[0].endswith("ms, not sent: must close")
