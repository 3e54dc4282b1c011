"""`leadline explain`: one score, term by term."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leadline.cli import main
from leadline.measures.definition import MEASURES


def test_explain_one_score(leadline: Any) -> None:
    result = leadline("explain", "PRES@10", "qrels.txt", "a.run", "1", "--format", "tsv")
    assert result.stdout.decode().splitlines() == [
        "document\tgrade\trank\tadds", "d1\t1\t1\t0.5", "d3\t2\tnot found\t0", "score\t\t\t0.5",
    ]  # fmt: skip
    assert "no topic '99'" in leadline.error("explain", "PRES@10", "qrels.txt", "a.run", "99")
    assert "did you mean PRES" in leadline.error("explain", "PRSE@10", status=2)
    assert "give all three, or the measure alone" in leadline.error("explain", "AP", "qrels.txt", status=2)


@pytest.mark.parametrize("name", [definition.name for definition in MEASURES.values()])
def test_a_name_alone_is_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["explain", name])
    assert "Worked example" in capsys.readouterr().out
    main(["explain", name, "--format", "json"])
    facts = json.loads(capsys.readouterr().out)
    assert facts["name"] == name
    assert {"meaning", "formula", "paper", "range", "unjudged", "short_list", "better", "options", "example"} <= {
        *facts
    }


def test_a_description_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    main(["explain", "WSS@95", "--format", "tsv"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["what\ttext", "measure\tWSS@95", "name\tWSS"]
