"""Mutated files never bring a traceback: only an answer, or one clear line."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from leadline.errors import LeadlineError
from leadline.measures.evaluate import evaluate

QRELS = "\n".join(f"{t} {t % 2} d{d} {(d * t) % 4 - 1}" for t in range(1, 6) for d in range(12)).encode() + b"\n"
RUN = "\n".join(f"{t} Q0 d{d} {d} {9.5 - d / 3:.4f} tag" for t in range(1, 6) for d in range(12)).encode() + b"\n"
STRATA = "\n".join(f"{t} 0 d{d} {d % 3} {(d * t) % 4 - 1}" for t in range(1, 6) for d in range(12)).encode() + b"\n"
MEASURES = {QRELS: "AP PRES@5 nDCG@5 bpref infAP judged@3 RBP", STRATA: "xinfAP infNDCG iP@5"}
TASTY = [b"\n", b" ", b"\t", b"\r", b"\x00", b"#", b"nan", b"-inf", b"1e999", b"\xff", b"9" * 30, b"\xef\xbb\xbf", b"-"]
MUTATIONS = 1_000_000 if os.environ.get("LEADLINE_SOAK") else 20_000  # bytes changed in all
PER_FILE = 8


def mutated(text: bytes, rng: np.random.Generator) -> bytes:
    content = bytearray(text)
    for _ in range(rng.integers(1, PER_FILE)):
        at = int(rng.integers(0, len(content)))
        kind = rng.integers(0, 4)
        if kind == 0:
            content[at] = int(rng.integers(0, 256))
        elif kind == 1:
            del content[at : at + int(rng.integers(1, 20))]
        elif kind == 2:
            content[at:at] = TASTY[int(rng.integers(0, len(TASTY)))]
        else:
            content[at:at] = content[: int(rng.integers(1, 60))]
        if not content:
            break
    return bytes(content)


@pytest.mark.soak
@pytest.mark.parametrize("engine", ["plain", "compiled"])
@pytest.mark.parametrize("judged", [QRELS, STRATA], ids=["plain", "strata"])
def test_mutated_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, judged: bytes) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    rng = np.random.default_rng(7)
    answers = refusals = 0
    files = MUTATIONS // PER_FILE // 4
    for _ in range(files):
        spoiled = rng.integers(0, 3)
        (tmp_path / "q").write_bytes(mutated(judged, rng) if spoiled != 1 else judged)
        (tmp_path / "r").write_bytes(mutated(RUN, rng) if spoiled != 0 else RUN)
        try:
            evaluate(tmp_path / "q", tmp_path / "r", MEASURES[judged])
            answers += 1
        except LeadlineError as error:
            refusals += "\n" not in str(error)
    assert answers
    assert answers + refusals == files
