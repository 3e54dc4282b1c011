"""`leadline collection build`."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.cli import main

RECORD = '{"id": "US7000000B2", "title": "Nail", "abstract": "A nail.", "claims": [{"number": 1, "text": "A nail."}]}'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.jsonl").write_text("\n")
    Path("broken.xml").write_text("<PATDOC><a></PATDOC>")
    Path("good.jsonl").write_text(RECORD)
    Path("cran.all").write_text(".I 1\n.T\nWings\n.W\nOn wings.\n.I 2\n.T\nJets\n.W\nOn jets.\n")


def test_what_is_left_out_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    main(["collection", "build", "good.jsonl", "broken.xml", "-o", "c"])
    out, err = capsys.readouterr()
    assert out.startswith("1 document in 1 family, 0 citations")
    assert "broken: broken.xml at byte 0" in err
    assert "1 broken in total; c/" in err
    assert "1 document without a date" in err


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (["nothing.xml"], "nothing.xml: no such file", 1),
        (["empty.jsonl"], "empty.jsonl: no document could be read", 1),
        (["broken.xml"], "no document could be read; the first, ", 1),
        (["cran.all"], "is no table but SMART's form of records (.I, .T, .W), which is not read", 1),
        (["good.jsonl", "--keep", "clams"], "'clams' is not one of claims, description, abstract, title, all", 2),
        (["good.jsonl", "--form", "grenbook"], "--form: 'grenbook' is not one of", 2),
        (["good.jsonl", "--processes", "0"], "--processes: must be at least 1, got 0", 2),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], message: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["collection", "build", *arguments, "-o", "c"])
    error = capsys.readouterr().err
    assert stop.value.code == status
    assert message in error
    assert error.count("\n") == 1
    assert not Path("c").exists()
