"""The description of the lab's JSON: whatever is asked, the answer is one that it describes."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

VALUES = (
    "", "x", "office", "words", "qrels.true", "system0", "AP", "PRES@10", "10", "-1", "9" * 5000, "\0", "\ud7ff",
    "../x", "<b>", "method system", '"thin film', "title:(", "1998-08-12", "a" * 301,
)  # fmt: skip


@pytest.fixture(scope="module")
def client(visit: Callable[..., Any], small_lab: Path) -> Any:
    return visit(small_lab)


def fits(answer: Any, described: dict[str, Any]) -> bool:
    """Whether a JSON answer is an object of the described kind."""
    content = described["responses"].get(str(answer.status_code), {}).get("content", {})
    if answer.headers["content-type"].partition(";")[0] not in content or not isinstance(answer.json(), dict):
        return False
    return answer.status_code < 400 or isinstance(answer.json().get("error"), str)


def test_every_answer_is_a_described_one(client: Any) -> None:
    description = client.get("/api/openapi.json").json()
    assert description["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    chosen = random.Random(1)
    for path, operations in description["paths"].items():
        assert all("422" not in each["responses"] for each in operations.values())
        if "get" not in operations:
            continue
        described = operations["get"]
        for _ in range(4):
            address, asked = path, {}
            for parameter in chosen.sample(named := described.get("parameters", []), min(len(named), 3)):
                asked[parameter["name"]] = chosen.choice(VALUES)
            for name in [each["name"] for each in named if each["in"] == "path"]:
                written = chosen.choice(["office", "system0", *VALUES[1:]])
                asked.pop(name, None)
                address = address.replace(f"{{{name}}}", quote(written, safe=""))
            answer = client.get(address, params=asked)
            assert fits(answer, described), (address, asked, answer.status_code, answer.text[:300])


@pytest.mark.parametrize("path", ["/api/jobs", "/api/prior-art"])
def test_what_is_sent_is_described(client: Any, path: str) -> None:
    described = client.get("/api/openapi.json").json()["paths"][path]["post"]
    known = described["requestBody"]["content"]["application/json"]["schema"]["properties"]
    headers = {"x-csrf-token": client.get("/api/csrf").json()["csrf"]}
    for value in ("", "x", "9" * 5000, None, 7, [], {"a": 1}, "\ud7ff"):  # no kind of job: none is started
        answer = client.post(path, json={**dict.fromkeys(known, value), "kind": "nothing"}, headers=headers)
        assert fits(answer, described), (value, answer.status_code, answer.text[:300])
        assert answer.status_code == 400 or path == "/api/prior-art", (value, answer.text)
