"""Whatever schemathesis makes of the lab's description: no role makes the server fail."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from leadline.judge.journal import People, Role
from leadline.show.lab.lab import Lab

FEW, MANY = 2, 30  # requests to each address, by each role


@pytest.mark.soak
def test_no_request_makes_the_server_fail(small_lab: Path, tmp_path: Path, soak: bool) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis: pip install schemathesis")
    from leadline.show.serve.laboratory.lab_app import lab_app
    from leadline.show.serve.security import Address

    shutil.copytree(small_lab.parent, tmp_path / "copy")  # what is sent may change the lab
    people = People(tmp_path / "people")
    tokens = {role: people.add(role, role) for role in get_args(Role)}
    app = lab_app(Lab.open(tmp_path / "copy" / small_lab.name), people, Address.of("127.0.0.1", 80))
    headers = {role: {"Authorization": f"Bearer {token}"} for role, token in tokens.items()}
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", app, headers=headers["organiser"])
    seen: set[tuple[str, int]] = set()
    for found in schema.get_all_operations():

        @given(case=found.ok().as_strategy())
        @settings(
            max_examples=MANY if soak else FEW, phases=[Phase.generate], derandomize=not soak, database=None,
            suppress_health_check=list(HealthCheck), deadline=None,
        )  # fmt: skip
        def ask(case: Any) -> None:
            for role, signed_in in headers.items():
                answer = case.call(headers=signed_in)
                sent = f"{case.method} {case.formatted_path} {case.query} {case.body}"
                assert answer.status_code < 500, f"{role}: {sent}: {answer.status_code} {answer.text}"
                seen.add((role, answer.status_code))

        ask()
    assert {role for role, status in seen if status == 200} == set(headers)  # each is let in
    assert any(status == 403 for role, status in seen if role == "reader")  # and not everywhere
