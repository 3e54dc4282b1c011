"""Groonga over HTTP: a simulated office is loaded, asked, and set beside our BM25."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from real_service import Office, answers, asked, file_of_the_page, free_port, place_for, program, running

SCHEMA = """
table_create Patents TABLE_HASH_KEY ShortText
column_create Patents text COLUMN_SCALAR LongText
table_create Words TABLE_PAT_KEY ShortText --default_tokenizer TokenBigram --normalizer NormalizerAuto
column_create Words patents_text COLUMN_INDEX|WITH_POSITION Patents text
load --table Patents
"""
SIGNS = {
    "SIGNS1": "coating (wobbly",
    "SIGNS2": 'layer of "quag',
    "SIGNS3": "alloy " + "OR " * 300 + "nothing",
}


@pytest.fixture(scope="module")
def groonga(office: Office) -> Iterator[str]:
    """The address of a Groonga of our own with the documents of the office."""
    server = program("groonga")
    with place_for() as place:
        texts = {**dict(office.texts()), **SIGNS}
        records = json.dumps([{"_key": name, "text": text} for name, text in texts.items()])
        commands = f"{SCHEMA}{records}\n".encode()
        subprocess.run([server, "-n", place / "db"], input=commands, check=True, capture_output=True)
        port = free_port()
        options = ["-s", "--protocol", "http", "--bind-address", "127.0.0.1", "-p", str(port)]
        log = ["--log-path", place / "log"]
        with running([server, *options, *log, place / "db"], lambda: answers(port), place):
            yield f"http://127.0.0.1:{port}"


@pytest.fixture
def engine(groonga: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The file of the documentation, with the address of our server."""
    monkeypatch.chdir(tmp_path)
    return file_of_the_page("10041", {"http://127.0.0.1:10041": groonga})


def test_groonga_beside_our_own_search(engine: str, office: Office, capsys: pytest.CaptureFixture[str]) -> None:
    steps = 'steps = [{step = "best_terms", n = 20}]\n'
    office.beside_ours(engine + steps, capsys)


def test_signs_of_a_topic_are_no_operators(engine: str) -> None:
    found = asked(engine, '"quag', "(wobbly", "quag: -layer", "!!! wobbly~*", "OR").answers.found
    assert found['"quag'][0] == ["SIGNS2"]
    assert found["(wobbly"][0] == found["!!! wobbly~*"][0] == ["SIGNS1"]
    assert "SIGNS2" in found["quag: -layer"][0]
    assert "SIGNS3" in found["OR"][0]


def test_a_text_sent_as_it_is_has_operators(engine: str) -> None:
    plain = engine.replace("each_word", "# each_word").replace("between_words", "# between_words")
    done = asked(plain, "coating (wobbly", "quag -layer")
    assert "Syntax error: <coating (wobbly||>" in done.failed["coating (wobbly"]
    assert "SIGNS2" not in done.answers.found["quag -layer"][0]


def test_an_answer_that_begins_with_its_columns(engine: str) -> None:
    old = engine.replace('command_version = "3"', 'command_version = "1"').replace("body.n_hits", "1.0.0.0")
    old = old.replace('hits = "body.records"', 'hits = "1.0"\nskip = 2')
    assert asked(old, "quag").answers.found["quag"][0] == asked(engine, "quag").answers.found["quag"][0] == ["SIGNS2"]
    assert "has 3 entries, fewer than the 9 to skip" in asked(old.replace("= 2", "= 9"), "quag").failed["quag"]
    assert asked(old, "nowhere").answers.found["nowhere"][0] == []
