"""The kernels and the plain path give the same answer, or the same refusal, for any text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leadline.errors import LeadlineError
from leadline.measures.join import join
from leadline.records.qrels import Qrels, qrels_of_text
from leadline.records.runs import run_of_text
from leadline.text.source import SourceText

NAMES = ["1", "2", "10", "Q0", "d1", "d2", "d10", "é", "d1234567", "d12345678", "a-very-long-identifier-0001"]
NUMBERS = """0 -0 1e-3 1E+5 .5 5. +1 -inf Infinity INF nan 1_0 0x1 1e 1e+ . - + e5 1e400 1e-400 00012.50 4.9e-324
    123456789012345678901234567890 0.1234567890123456789 9007199254740993 1.7976931348623157e308 1e22 1e23"""
field = st.one_of(
    st.sampled_from(NAMES),
    st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=12),
)
number = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.sampled_from(NUMBERS.split()),
)
blank = st.sampled_from([" ", "\t", "  ", " \t ", "\x0b", "\x0c", "\r"])


@st.composite
def run_text(draw: st.DrawFn) -> bytes:
    lines = []
    for _ in range(draw(st.integers(0, 12))):
        shape = draw(st.sampled_from(["line", "line", "line", "line", "noise", "comment", "blank"]))
        if shape == "line":
            gap = draw(blank)
            words = [
                draw(st.sampled_from(["1", "2", "topic-3"])), "Q0", draw(field), "1", draw(number), draw(field),
            ]  # fmt: skip
            lines.append(gap.join(words[: draw(st.sampled_from([6, 6, 6, 6, 5]))]))
        elif shape == "noise":
            lines.append(draw(st.text(max_size=30)))
        else:
            lines.append("# a comment 1 2 3 4 5 6" if shape == "comment" else draw(blank))
    text = draw(st.sampled_from(["\n", "\r\n"])).join(lines) + draw(st.sampled_from(["", "\n"]))
    mark = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    return mark + text.encode("utf-8", "surrogatepass")


def outcome(text: bytes, *, kernels: bool, order: str) -> object:
    """Everything a run holds, or the words of its refusal."""
    try:
        run = run_of_text(SourceText.of(text, "run.txt"), "run", kernels=kernels, order=order)  # type: ignore[arg-type]
    except LeadlineError as error:
        return str(error)
    ranking = [run.documents.at(line) for line in run.order.tolist()]
    return run.topics, run.offsets.tolist(), ranking, run.keys.tobytes(), run.longer_lines


@settings(max_examples=400, deadline=None)
@given(run_text(), st.sampled_from(["score", "rank", "file"]))
@example(b"1 Q0 d 1 1e22 t\n1 Q0 e 2 1e23 t", "score")
@example(b"1 Q0 d 1 0.5 t\n1 Q0 d 2 0.4 t", "score")
@example(b"1 Q0 b 1 0.5 t\n2 Q0 a 1 1 t\n1 Q0 a 2 0.5 t\n1 Q0 ab 2 0.5 t extra", "score")
@example(b"\r1 Q0 d 1 3 t\r2 Q0 d 1 3 t", "file")
def test_runs(text: bytes, order: str) -> None:
    assert outcome(text, kernels=True, order=order) == outcome(text, kernels=False, order=order)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_runs_of_any_bytes(text: bytes) -> None:
    assert outcome(text, kernels=True, order="score") == outcome(text, kernels=False, order="score")


def judgements(text: bytes, format: str | None) -> object:
    try:
        qrels = qrels_of_text(SourceText.of(text, "qrels.txt"), format=format)
    except LeadlineError as error:
        return str(error)
    return qrels.topics, qrels.offsets.tolist(), list(qrels.documents), qrels.grades.tolist(), qrels.kind


line_of_qrels = st.tuples(
    st.sampled_from("12"),
    st.sampled_from("01"),
    st.sampled_from(["d1", "d2", "é", "d12345678"]),
    st.one_of(st.integers(-3, 5).map(str), st.sampled_from(["x", "1.5", "+2", "1234567890", "-"])),
    st.sampled_from(["", "", "1", "0.5"]),
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(line_of_qrels.map(" ".join), max_size=8).map("\n".join).map(str.encode),
    st.sampled_from([None, "plain", "strata", "subtopics", "prels", "passages"]),
)
def test_judgements(text: bytes, format: str | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADLINE_ENGINE", "compiled")
        compiled = judgements(text, format)
        patch.setenv("LEADLINE_ENGINE", "plain")
        assert judgements(text, format) == compiled


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from("123"),
        st.dictionaries(st.sampled_from([f"d{k}" for k in range(12)]), st.sampled_from([0.5, 1.0, 2.0]), min_size=1),
        min_size=1,
    ),
    st.dictionaries(
        st.sampled_from("234"),
        st.dictionaries(st.sampled_from([f"d{k}" for k in range(12)]), st.integers(-1, 2), min_size=1),
        min_size=1,
    ),
)
def test_hits(ranking: dict[str, dict[str, float]], judged: dict[str, dict[str, int]]) -> None:
    lines = [f"{topic} Q0 {doc} 1 {score} t" for topic, scored in ranking.items() for doc, score in scored.items()]
    run = run_of_text(SourceText.of("\n".join(lines).encode(), "run"), "run", kernels=True)
    qrels = Qrels.of(judged)
    plain, compiled = join(run, qrels, kernels=False), join(run, qrels, kernels=True)
    for name in ("offsets", "rank", "document", "tie_first", "tie_last", "retrieved", "answered"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(compiled, name), err_msg=name)
