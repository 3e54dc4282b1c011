"""The audit log keeps its lines in order, and shows when one was changed."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from leadline.errors import InputError
from leadline.show.lab.audit import AuditLog


def test_lines_of_several_threads_are_all_there(tmp_path: Path) -> None:
    logs = [AuditLog(tmp_path / "audit.jsonl") for _ in range(2)]

    def write(log: AuditLog, name: str) -> None:
        for number in range(20):
            log.add(name, "runner", f"did {number}")

    threads = [threading.Thread(target=write, args=(log, name)) for log, name in zip(logs, "ab", strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = list(logs[0].lines())
    assert len(lines) == 40
    assert [line.did for line in lines if line.person == "a"] == [f"did {number}" for number in range(20)]


@pytest.mark.parametrize("change", [lambda lines: lines[:1] + lines[2:], lambda lines: [lines[1], lines[0], lines[2]]])
def test_a_changed_log_is_recognised(tmp_path: Path, change: object) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    for did in ("added a run", "opened the results\n", "revoked ben"):
        log.add("anna", "organiser", did)
    assert [line.did for line in log.lines()] == ["added a run", "opened the results\\n", "revoked ben"]
    lines = log.path.read_bytes().splitlines(keepends=True)
    log.path.write_bytes(b"".join(change(lines)))  # type: ignore[operator]
    with pytest.raises(InputError, match="was changed"):
        list(log.lines())
    log.path.write_bytes(b"".join(lines).replace(b"anna", b"ben", 1))
    with pytest.raises(InputError, match="was changed"):
        list(log.lines())
