"""Who may see and do what: links, forged requests, roles, headers, the log."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from leadline.errors import InputError
from leadline.show.serve.running import listen
from leadline.show.serve.security import POLICY, Address, WrongSignIns, csrf_of

JUDGEMENT = {"topic": "T1", "document": "D01", "grade": 1}


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
        ({"Host": "evil.example"}, 400),
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
    wrong = WrongSignIns(most=2, within=0.0)
    assert not any(wrong.is_too_many("a") for _ in range(5))


def test_the_log_has_no_tokens(site: Any, capfd: pytest.CaptureFixture[str]) -> None:
    site.client("anna").get("/api/next", topic="T1")
    site.client().get("/in/a-secret-guess")
    said = capfd.readouterr().err
    assert "GET /in/* 303" in said
    assert "GET /api/next 200" in said
    assert site.tokens["anna"] not in said
    assert "a-secret-guess" not in said


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
