"""Near-duplicates in runs, against a count by hand over every list."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline as ll
from leadline.cli import main

DOCUMENTS = [f"d{number}" for number in range(8)]
Judgements = dict[str, int]


def by_hand(listed: list[str], judged: Judgements, groups: dict[str, int], copies: str) -> dict[str, float]:
    """P@5, R@5, AP and RR of one list, going down it."""
    seen: set[int] = set()
    grades = []
    for document in listed:
        group = groups.get(document)
        if group is not None and group in seen:
            if copies == "not-relevant":
                grades.append(0)
            continue
        if group is not None:
            seen.add(group)
        grades.append(judged.get(document, 0))
    relevant = {groups.get(document, document) for document, grade in judged.items() if grade > 0}
    found = [place for place, grade in enumerate(grades, start=1) if grade > 0]
    precise = [(count + 1) / place for count, place in enumerate(found)]
    return {
        "P@5": sum(place <= 5 for place in found) / 5,
        "R@5": sum(place <= 5 for place in found) / len(relevant),
        "AP": sum(precise) / len(relevant),
        "RR": 1 / found[0] if found else 0.0,
    }


@settings(max_examples=200)
@given(
    st.permutations(DOCUMENTS),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=1),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(1, 2)),
    st.sampled_from(["not-relevant", "collapse"]),
    st.integers(1, 8),
)
def test_as_counted_by_hand(
    listed: list[str], judged: Judgements, groups: dict[str, int], copies: str, length: int
) -> None:
    if not any(judged.values()) or not set(judged) & set(listed[:length]):
        return
    run = {"1": {document: float(-place) for place, document in enumerate(listed[:length])}}
    scores = ll.evaluate({"1": judged}, run, "P@5 R@5 AP RR", duplicates=groups, copies=copies)  # type: ignore[arg-type]
    expected = by_hand(listed[:length], judged, groups, copies)
    assert {name: scores[name]["run"] for name in scores} == pytest.approx(expected)


def test_without_duplicates_nothing_changes() -> None:
    judged, run = {"1": {"a": 1, "b": 2}}, {"1": {"a": 1.0, "x": 0.8, "b": 0.5}}
    plain = ll.evaluate(judged, run, "AP nDCG PRES@10").values
    for copies in ("not-relevant", "collapse"):
        same = ll.evaluate(judged, run, "AP nDCG PRES@10", duplicates={"c": 1, "d": 1}, copies=copies)  # type: ignore[arg-type]
        assert np.array_equal(same.values, plain)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 1\n1 0 c 1\n")
    Path("a.run").write_text("1 Q0 a 1 9 r\n1 Q0 b 2 8 r\n1 Q0 c 3 7 r\n")
    Path("texts.jsonl").write_text(
        '{"id": "a", "title": "one two three four five"}\n{"id": "b", "title": "One two three four, five"}\n'
        '{"id": "c", "title": "another text of five words"}\n'
    )


@pytest.mark.parametrize("format", ["tsv", "csv", "json", "parquet"])
def test_the_file_of_groups_in_every_format(files: None, format: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["duplicates", "texts.jsonl", "--format", format, "-o", "groups", "-q"])
    for copies, precision in (("not-relevant", 2 / 3), ("collapse", 2 / 3)):
        arguments = ["evaluate", "qrels", "a.run", "-m", "P@3 R@2", "--duplicates", "groups", "--copies", copies]
        main([*arguments, "--format", "tsv", "-q"])
        lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:]]
        found = {measure: float(value) for _, topic, measure, value in lines if topic == "all"}
        assert found["P@3"] == pytest.approx(precision)
        assert found["R@2"] == pytest.approx(1.0 if copies == "collapse" else 0.5)


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        (["--copies", "collapse"], "--copies: needs --duplicates FILE"),
        (["--duplicates", "groups", "--ties"], "--duplicates: cannot be combined with --ties"),
        (["--duplicates", "groups", "--like", "trec_eval"], "cannot be combined with --like trec_eval"),
        (["--duplicates", "twice"], "twice:3: a is in group 1 and in group 2"),
        (["--duplicates", "groups", "--copies", "drop"], "'drop' is not one of not-relevant, collapse"),
        (["--duplicates", "groups", "-m", "TBG"], "TBG is a measure of reading time"),
    ],
)
def test_wrong_input(files: None, typed: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("groups").write_text("group\tdocument\n1\ta\n1\tb\n")
    Path("twice").write_text("group\tdocument\n1\ta\n2\ta\n")
    with pytest.raises(SystemExit) as stop:
        main(["evaluate", "qrels", "a.run", *typed])
    assert stop.value.code in (1, 2)
    assert problem in capsys.readouterr().err


def test_other_judgements_and_objects_are_refused() -> None:
    with pytest.raises(ll.InputError, match="a mapping from documents to groups or Duplicates, got int"):
        ll.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP", duplicates=3)
